// A number axis: what it spans, where its ticks are, what they are called.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace padless::viz {

/// Can a chart show this number? Finite, and at most 1e100 in size, so that no layout overflows.
bool is_plottable(double value);
/// And on a logarithmic axis? Then it must be at least 1e-100, too.
bool is_plottable_log(double value);

/// The smallest and largest of the plottable values it was given.
class Extent {
 public:
  void include(double value);
  bool empty() const { return empty_; }
  double low() const { return low_; }
  double high() const { return high_; }

 private:
  bool empty_ = true;
  double low_ = 0, high_ = 0;
};

/// A mark on an axis, and what is written at it.
struct Tick {
  double value = 0;
  std::string label;
};

/// Where values lie between the two ends of a picture, and the ticks along the way.
class Axis {
 public:
  /// Ticks at 1, 2, 2.5 or 5 times a power of ten, about `ticks` of them; an end lies on a
  /// tick or a little beyond it. An extent that is a single value is widened around it; an empty
  /// one becomes [0, 1].
  static Axis linear(const Extent& extent, std::size_t ticks);

  /// Ticks at 1, 2 and 5 (or 1 and 3, or 1) times powers of ten, `ticks` at most where the extent
  /// covers them; the ends stay. The extent must be of is_plottable_log values; a single value is
  /// widened, an empty extent becomes [1, 10].
  static Axis logarithmic(const Extent& extent, std::size_t ticks);

  /// 0 at the low end, 1 at the high end.
  double place(double value) const;

  double low() const { return low_; }
  double high() const { return high_; }
  const std::vector<Tick>& ticks() const { return ticks_; }

 private:
  double low_ = 0, high_ = 1;
  bool logarithmic_ = false;
  std::vector<Tick> ticks_;
};

}  // namespace padless::viz
