// A small writer of SVG: balanced elements, escaped text, numbers with fixed decimals.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "padless/core/export.h"
#include "padless/viz/escape.h"

namespace padless::viz {

/// What a picture says to those who do not see it. `id` must be unique in the page that shows the
/// picture: a letter, then letters, digits, '-' and '_'. An empty description is left out.
struct Alternative {
  std::string id;
  std::string title;
  std::string description;
};

/// Throws ValueError unless `id` is of the form that Alternative asks for.
PADLESS_API void require_id(std::string_view id, std::string_view where);

template <class Number>
concept Arithmetic = std::is_arithmetic_v<Number>;

/// An attribute's value: text, which is escaped, or a number, printed with at most two decimals.
class PADLESS_API SvgValue {
 public:
  SvgValue(std::string_view text) : text_(escape_markup(text)) {}
  SvgValue(const char* text) : SvgValue(std::string_view(text)) {}
  SvgValue(const std::string& text) : SvgValue(std::string_view(text)) {}
  template <Arithmetic Number>
  SvgValue(Number number) : text_(print(static_cast<double>(number))) {}

  const std::string& text() const { return text_; }

 private:
  static std::string print(double number);

  std::string text_;
};

/// One attribute of an element.
struct SvgAttribute {
  std::string_view name;
  SvgValue value;
};
using SvgAttributes = std::initializer_list<SvgAttribute>;

/// One picture, as wide as its container. It carries its own style, for light and dark screens, and
/// so may stand in a page or alone in a file. Element and attribute names are the caller's own
/// words; everything else is escaped. A coordinate that is not finite throws ValueError.
///
/// The style knows the classes `soft` (quieter text), `grid`, `paper` (background), `halo` (text
/// that stays readable over lines) and `s0` to `s6`, which set the current colour of a series.
class PADLESS_API Svg {
 public:
  static constexpr std::size_t kColours = 7;

  /// Starts the picture; width and height are those of the view box.
  Svg(const Alternative& alternative, double width, double height);

  void open(std::string_view element, SvgAttributes attributes = {});
  void close();
  void leaf(std::string_view element, SvgAttributes attributes);
  void text(double x, double y, std::string_view content, SvgAttributes attributes = {});
  /// A text that is shown when the pointer rests on the open element.
  void hint(std::string_view content);

  /// Closes what is open and hands the picture out.
  Markup finish();

 private:
  void start_tag(std::string_view element, SvgAttributes attributes);
  void write(SvgAttributes attributes);

  std::string out_;
  std::vector<std::string> open_;
};

/// The points of a polyline or polygon: "x,y x,y ...".
struct Place {
  double x = 0, y = 0;
};
PADLESS_API std::string points_attribute(const std::vector<Place>& places);

/// The data of a path made of straight lines.
class SvgPath {
 public:
  SvgPath& move(double x, double y) { return add('M', x, y); }
  SvgPath& line(double x, double y) { return add('L', x, y); }
  const std::string& data() const { return data_; }

 private:
  SvgPath& add(char command, double x, double y);

  std::string data_;
};

}  // namespace padless::viz
