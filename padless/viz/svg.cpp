#include "padless/viz/svg.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "padless/core/error.h"
#include "padless/viz/number.h"

namespace padless::viz {
namespace {

// The series colours are those of Okabe and Ito (2008), which colour-blind readers can tell apart.
// On white, orange and sky blue are darkened to a contrast of 3:1; on dark, blue is lightened.
// Black is the text's colour; yellow, too pale on white, is left out.
constexpr std::string_view kStyle =
    "<style>"
    ".pv{--ink:#1b1f24;--soft:#59626e;--paper:#fff;--grid:#dfe3e8;--heat:#2b95d6;color:var(--ink);"
    "font:12px system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}"
    "svg.pv{display:block;width:100%;height:auto}"
    ".pv text{fill:var(--ink)}.pv .soft{fill:var(--soft)}.pv "
    ".num{font-variant-numeric:tabular-nums}"
    ".pv .grid{stroke:var(--grid);fill:none}.pv .line{stroke:var(--soft);fill:none}"
    ".pv .ink{stroke:var(--ink);fill:none}.pv .paper{fill:var(--paper)}"
    ".pv .dot{fill:var(--paper);stroke:var(--ink)}.pv .heat{fill:var(--heat)}"
    ".pv .strong{font-weight:600}"
    ".pv .halo{paint-order:stroke;stroke:var(--paper);stroke-width:3px;stroke-linejoin:round}"
    ".pv .s0{color:#0072b2}.pv .s1{color:#d55e00}.pv .s2{color:#009e73}.pv .s3{color:#cc79a7}"
    ".pv .s4{color:#b97f00}.pv .s5{color:#2f93cc}.pv .s6{color:var(--ink)}"
    "svg.pv:root{background:var(--paper)}"
    "@media screen and (prefers-color-scheme:dark){"
    ".pv{--ink:#f0f2f4;--soft:#aab3be;--paper:#14171c;--grid:#323841;--heat:#0072b2}"
    ".pv .s0{color:#56b4e9}.pv .s1{color:#e8752a}.pv .s2{color:#1fbf91}.pv .s4{color:#e69f00}"
    ".pv .s5{color:#2b8fd0}}"
    "</style>";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

void require_id(std::string_view id, std::string_view where) {
  const auto allowed = [](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  require_value(!id.empty() && is_letter(id.front()) && std::all_of(id.begin(), id.end(), allowed),
                where, ": the id is '", escape_terminal(id),
                "', expected a letter, then letters, digits, '-' and '_'");
}

std::string SvgValue::print(double number) {
  require_value(std::isfinite(number), "Svg: a coordinate is ", number,
                ", expected a finite number; leave such points out");
  return trimmed(number, 2);
}

Svg::Svg(const Alternative& alternative, double width, double height) {
  const std::string& id = alternative.id;
  require_id(id, "Svg");
  const bool described = !alternative.description.empty();
  std::string label = id + "-title";
  if (described) label += " " + id + "-desc";
  open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
               {"id", id},
               {"class", "pv"},
               {"viewBox", "0 0 " + trimmed(width, 2) + " " + trimmed(height, 2)},
               {"role", "img"},
               {"aria-labelledby", label}});
  out_ += "<title id=\"" + id + "-title\">" + escape_markup(alternative.title) + "</title>";
  if (described)
    out_ += "<desc id=\"" + id + "-desc\">" + escape_markup(alternative.description) + "</desc>";
  out_ += kStyle;
}

void Svg::start_tag(std::string_view element, SvgAttributes attributes) {
  out_ += '<';
  out_ += element;
  write(attributes);
}

void Svg::write(SvgAttributes attributes) {
  for (const auto& [name, value] : attributes) {
    out_ += ' ';
    out_ += name;
    out_ += "=\"" + value.text() + '"';
  }
}

void Svg::open(std::string_view element, SvgAttributes attributes) {
  start_tag(element, attributes);
  out_ += '>';
  open_.emplace_back(element);
}

void Svg::close() {
  assert(!open_.empty());
  out_ += "</" + open_.back() + ">";
  open_.pop_back();
}

void Svg::leaf(std::string_view element, SvgAttributes attributes) {
  start_tag(element, attributes);
  out_ += "/>";
}

void Svg::text(double x, double y, std::string_view content, SvgAttributes attributes) {
  start_tag("text", {{"x", x}, {"y", y}});
  write(attributes);
  out_ += '>' + escape_markup(content) + "</text>";
}

void Svg::hint(std::string_view content) {
  out_ += "<title>" + escape_markup(content) + "</title>";
}

Markup Svg::finish() {
  while (!open_.empty()) close();
  return {std::move(out_)};
}

std::string points_attribute(const std::vector<Place>& places) {
  std::string points;
  for (const Place& place : places) {
    if (!points.empty()) points += ' ';
    points += SvgValue(place.x).text() + ',' + SvgValue(place.y).text();
  }
  return points;
}

SvgPath& SvgPath::add(char command, double x, double y) {
  data_ += command;
  data_ += SvgValue(x).text() + ' ' + SvgValue(y).text();
  return *this;
}

}  // namespace padless::viz
