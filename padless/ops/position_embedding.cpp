#include "padless/ops/position_embedding.h"

#include <cstdint>
#include <string_view>

#include "padless/core/fp.h"
#include "padless/core/math.h"
#include "padless/ops/checks.h"
#include "padless/ops/embedding.h"
#include "padless/ops/positions_check.h"

namespace padless {

void position_embedding_forward(Runtime& runtime, const Pass& /*pass*/,
                                MatrixView<const float> table, const Segments& segs,
                                std::span<const std::size_t> first, MatrixView<const float> x,
                                MatrixView<float> y) {
  constexpr std::string_view kOp = "position_embedding_forward";
  require_matrix(kOp, "x", x, segs.total(), table.cols());
  require_matrix(kOp, "y", y, segs.total(), table.cols());
  require_positions(kOp, segs, first, table.rows());
  runtime.parallel_for(segs.count(), [&](std::size_t b) {
    const Segments::Rows rows = segs[b];
    for (std::size_t t = rows.begin; t < rows.end; ++t) {
      const float* from = x.row(t).data();
      const float* added = table.row(first_position(first, b) + (t - rows.begin)).data();
      float* to = y.row(t).data();
      // One rounding an element: any vector width gives the same bits.
      for (std::size_t c = 0; c < x.cols(); ++c) to[c] = from[c] + added[c];
    }
  });
}

void position_embedding_backward(Runtime& runtime, const Pass& pass, const Segments& segs,
                                 std::span<const std::size_t> first, MatrixView<const float> d_y,
                                 MatrixView<float> d_table) {
  constexpr std::string_view kOp = "position_embedding_backward";
  require_matrix(kOp, "d_y", d_y, segs.total(), d_table.cols());
  require_positions(kOp, segs, first, d_table.rows());
  static_cast<void>(shards_of(kOp, pass, segs.total()));
  // The sum is an embedding's whose ids are positions.
  const Arena::Scope scope(runtime.arena());
  const std::span<std::int32_t> positions = runtime.arena().take<std::int32_t>(segs.total());
  for (std::size_t b = 0; b < segs.count(); ++b) {
    const Segments::Rows rows = segs[b];
    for (std::size_t t = rows.begin; t < rows.end; ++t) {
      positions[t] = static_cast<std::int32_t>(first_position(first, b) + (t - rows.begin));
    }
  }
  embedding_backward(runtime, pass, positions, d_y, d_table);
}

void sinusoidal_positions(MatrixView<float> table) {
  const FpEnvironment environment;
  for (std::size_t c = 0; c < table.cols(); ++c) {
    const double part = static_cast<double>(c - c % 2) / static_cast<double>(table.cols());
    const double frequency = math::pow(10000, -part);
    for (std::size_t p = 0; p < table.rows(); ++p) {
      const double angle = static_cast<double>(p) * frequency;
      table(p, c) = static_cast<float>(c % 2 == 0 ? math::sin(angle) : math::cos(angle));
    }
  }
}

}  // namespace padless
