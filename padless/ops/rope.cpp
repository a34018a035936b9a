#include "padless/ops/rope.h"

#include <cmath>
#include <string_view>

#include "padless/core/error.h"
#include "padless/core/fp.h"
#include "padless/core/math.h"
#include "padless/kernels/dispatch.h"
#include "padless/ops/checks.h"
#include "padless/ops/positions_check.h"

namespace padless {
namespace {

void turn(std::string_view op, Runtime& runtime, const RotaryTable& table, std::size_t heads,
          MatrixView<const float> x, const Segments& segs, std::span<const std::size_t> first,
          bool back, MatrixView<float> y) {
  require_value(heads > 0, op, ": heads is 0, expected at least 1");
  require_matrix(op, "x", x, segs.total(), x.cols());
  require_matrix(op, "y", y, segs.total(), x.cols());
  const std::size_t head_width = x.cols() / heads;
  require_shape(x.cols() % heads == 0 && head_width >= table.width(), op, ": x has ", x.cols(),
                " columns for ", heads, " heads, expected a multiple of ", heads, " with at least ",
                table.width(), " columns a head");
  require_positions(op, segs, first, table.positions());
  const auto kernel = kernels::table(runtime.isa()).rope;
  runtime.parallel_for(segs.count(), [&](std::size_t b) {
    const Segments::Rows rows = segs[b];
    for (std::size_t t = rows.begin; t < rows.end; ++t) {
      const std::size_t position = first_position(first, b) + (t - rows.begin);
      kernel(x.row(t).data(), table.cos(position).data(), table.sin(position).data(), heads,
             head_width, table.width(), table.pairing(), back, y.row(t).data());
    }
  });
}

}  // namespace

RotaryTable::RotaryTable(std::size_t positions, std::size_t width, RotaryPairing pairing,
                         double base)
    : pairing_(pairing), cos_(positions, width), sin_(positions, width) {
  require_value(width > 0 && width % 2 == 0, "RotaryTable: width is ", width,
                ", expected an even number above 0");
  require_value(std::isfinite(base) && base > 0, "RotaryTable: base is ", base,
                ", expected a finite number above 0");
  const FpEnvironment environment;
  const bool interleaved = pairing == RotaryPairing::interleaved;
  for (std::size_t i = 0; i < width / 2; ++i) {
    const std::size_t a = interleaved ? 2 * i : i;
    const std::size_t b = interleaved ? 2 * i + 1 : i + width / 2;
    const double part = 2 * static_cast<double>(i) / static_cast<double>(width);
    const double frequency = math::pow(base, -part);
    for (std::size_t p = 0; p < positions; ++p) {
      const double angle = static_cast<double>(p) * frequency;
      cos_(p, a) = cos_(p, b) = static_cast<float>(math::cos(angle));
      sin_(p, b) = static_cast<float>(math::sin(angle));
      sin_(p, a) = -sin_(p, b);
    }
  }
}

void rope_forward(Runtime& runtime, const Pass& /*pass*/, const RotaryTable& table,
                  std::size_t heads, MatrixView<const float> x, const Segments& segs,
                  std::span<const std::size_t> first, MatrixView<float> y) {
  turn("rope_forward", runtime, table, heads, x, segs, first, false, y);
}

void rope_backward(Runtime& runtime, const Pass& /*pass*/, const RotaryTable& table,
                   std::size_t heads, MatrixView<const float> d_y, const Segments& segs,
                   std::span<const std::size_t> first, MatrixView<float> d_x) {
  turn("rope_backward", runtime, table, heads, d_y, segs, first, true, d_x);
}

}  // namespace padless
