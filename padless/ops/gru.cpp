#include "padless/ops/gru.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "padless/kernels/dispatch.h"
#include "padless/ops/checks.h"

namespace padless {
namespace {

constexpr std::string_view kForward = "gru_forward";
constexpr std::string_view kBackward = "gru_backward";

std::size_t whole_lines(std::size_t floats) { return (floats + 15) / 16 * 16; }

/// The sequences with rows, longest first, cut into groups. A group runs its own loop over steps:
/// at step s its first sequences, those longer than s, move on together. Sorted, a group's
/// sequences are nearly equally long, so that the products keep many rows to the end.
class Schedule {
 public:
  Schedule(Runtime& runtime, const Segments& segs, std::size_t directions)
      : directions_(directions) {
    const std::span<Segments::Rows> all = runtime.arena().take<Segments::Rows>(segs.count());
    std::size_t count = 0;
    for (std::size_t b = 0; b < segs.count(); ++b) {
      if (!segs[b].empty()) all[count++] = segs[b];
    }
    sorted_ = all.first(count);
    std::ranges::sort(sorted_, [](const Segments::Rows& a, const Segments::Rows& b) {
      return a.size() != b.size() ? a.size() > b.size() : a.begin < b.begin;
    });
    groups_ = (count + kMostInAGroup - 1) / kMostInAGroup;
  }

  /// The most sequences in one group.
  std::size_t widest() const { return std::min(sorted_.size(), kMostInAGroup); }

  /// An item is one group in one direction; those of the longest sequences come first.
  std::size_t items() const { return groups_ * directions_; }
  std::size_t direction(std::size_t item) const { return item % directions_; }
  std::span<const Segments::Rows> group(std::size_t item) const {
    const std::size_t g = item / directions_;
    const std::size_t begin = sorted_.size() * g / groups_;
    return sorted_.subspan(begin, sorted_.size() * (g + 1) / groups_ - begin);
  }

 private:
  // Two register tiles of rows: small groups share out well.
  static constexpr std::size_t kMostInAGroup = 16;

  std::span<Segments::Rows> sorted_;
  std::size_t groups_ = 0;
  std::size_t directions_;
};

/// The row that a sequence comes to at a step, and the one before it.
std::size_t row_at(const Segments::Rows& rows, bool reversed, std::size_t step) {
  return reversed ? rows.end - 1 - step : rows.begin + step;
}

/// Scratch of one worker: rows for every sequence of a group.
class Scratch {
 public:
  explicit Scratch(std::span<float> floats) : left_(floats) {}

  MatrixView<float> take(std::size_t rows, std::size_t cols) {
    const std::size_t stride = whole_lines(cols);
    const MatrixView<float> taken(left_.data(), rows, cols, stride);
    left_ = left_.subspan(rows * stride);
    return taken;
  }

 private:
  std::span<float> left_;
};

/// y = x W^T + bias for the first `rows` rows of x, using its first `depth` columns: none at a
/// sequence's first step, where h is 0 and y the bias.
void multiply(const kernels::Table& table, MatrixView<float> x, std::size_t rows, std::size_t depth,
              const PackedWeights& w, const float* bias, MatrixView<float> y) {
  table.linear(x.data(), x.stride(), rows, depth, w.data(), w.row_out(), 0,
               table.panels(w.row_out()), bias, y.data(), y.stride());
}

void require_packed(std::string_view op, Runtime& runtime, const PackedWeights* weights,
                    std::size_t in, std::size_t out) {
  require_shape(weights != nullptr, op, ": packed weights are missing, expected ", in,
                " numbers in and ", out, " out");
  require_shape(weights->row_in() == in && weights->row_out() == out, op,
                ": packed weights take rows of ", weights->row_in(), " and give ",
                weights->row_out(), ", expected ", in, " and ", out);
  require_shape(weights->isa() == runtime.isa(), op, ": the weights were packed for ",
                name(weights->isa()), ", the runtime computes with ", name(runtime.isa()));
}

void forward_group(const kernels::Table& table, GruReset reset, const GruForward& direction,
                   std::span<const Segments::Rows> group, Scratch scratch) {
  const std::size_t width = direction.out.cols();
  const bool after = reset == GruReset::after;
  const GruWeights& weights = direction.weights;
  const float* const bias = direction.recurrent_bias.data();
  const MatrixView<float> state = scratch.take(group.size(), width);
  const MatrixView<float> recurrent = scratch.take(group.size(), 3 * width);
  const MatrixView<float> hidden = recurrent.cols_at(2 * width, width);
  const MatrixView<float> reset_state = after ? state : scratch.take(group.size(), width);
  const bool keep_hidden = after && direction.hidden.rows() > 0;
  fill(state, 0);

  std::size_t active = group.size();
  for (std::size_t step = 0; step < group[0].size(); ++step) {
    while (group[active - 1].size() <= step) --active;
    const std::size_t depth = step == 0 ? 0 : width;
    multiply(table, state, active, depth, *weights.recurrent, bias, recurrent);
    for (std::size_t i = 0; i < active; ++i) {
      const std::size_t t = row_at(group[i], direction.reversed, step);
      table.gru_gates(direction.gates.row(t).data(), recurrent.row(i).data(), state.row(i).data(),
                      width, after ? nullptr : reset_state.row(i).data());
    }
    if (!after) {
      multiply(table, reset_state, active, depth, *weights.candidate, bias + 2 * width, hidden);
    }
    for (std::size_t i = 0; i < active; ++i) {
      const std::size_t t = row_at(group[i], direction.reversed, step);
      if (keep_hidden) std::ranges::copy(hidden.row(i), direction.hidden.row(t).begin());
      table.gru_candidate(direction.gates.row(t).data(), hidden.row(i).data(), after, width,
                          state.row(i).data(), direction.out.row(t).data());
    }
  }
}

/// What the sums of the recurrent weight's gradient read, row by row in the batch's order.
struct Recurrent {
  MatrixView<float> before;       ///< [T, H]: the last h
  MatrixView<float> reset_state;  ///< [T, H]: r * the last h, with GruReset::before
  MatrixView<float> d_hidden;     ///< [T, H]: the gradient of n's recurrent part, GruReset::after
};

void backward_group(const kernels::Table& table, GruReset reset, const GruBackward& direction,
                    const Recurrent& kept, std::span<const Segments::Rows> group, Scratch scratch) {
  const std::size_t width = direction.out.cols();
  const bool after = reset == GruReset::after;
  const GruWeights& weights = direction.weights;
  const MatrixView<float> d_state = scratch.take(group.size(), width);
  const MatrixView<float> d_recurrent = scratch.take(group.size(), 3 * width);
  const MatrixView<float> d_hidden = d_recurrent.cols_at(2 * width, width);
  const MatrixView<float> chain = scratch.take(group.size(), width);
  const MatrixView<float> d_reset_state = after ? chain : scratch.take(group.size(), width);
  fill(d_state, 0);

  std::size_t active = 0;
  for (std::size_t step = group[0].size(); step-- > 0;) {
    while (active < group.size() && group[active].size() > step) ++active;
    const bool first = step == 0;
    for (std::size_t i = 0; i < active; ++i) {
      const std::size_t t = row_at(group[i], direction.reversed, step);
      const std::span<float> before = kept.before.row(t);
      if (first) {
        std::ranges::fill(before, 0.0f);
      } else {
        const std::size_t last = row_at(group[i], direction.reversed, step - 1);
        std::ranges::copy(direction.out.row(last), before.begin());
      }
      table.gru_backward_candidate(direction.d_out.row(t).data(), direction.gates.row(t).data(),
                                   after ? direction.hidden.row(t).data() : nullptr, before.data(),
                                   width, d_state.row(i).data(), direction.d_gates.row(t).data(),
                                   d_recurrent.row(i).data());
      if (after) std::ranges::copy(d_hidden.row(i), kept.d_hidden.row(t).begin());
    }
    if (!after) {
      multiply(table, d_hidden, active, first ? 0 : width, *weights.candidate, nullptr,
               d_reset_state);
      for (std::size_t i = 0; i < active; ++i) {
        const std::size_t t = row_at(group[i], direction.reversed, step);
        table.gru_backward_reset(d_reset_state.row(i).data(), direction.gates.row(t).data(),
                                 kept.before.row(t).data(), width, direction.d_gates.row(t).data(),
                                 d_recurrent.row(i).data(), kept.reset_state.row(t).data());
      }
    }
    if (first) break;
    multiply(table, d_recurrent, active, weights.recurrent->row_in(), *weights.recurrent, nullptr,
             chain);
    for (std::size_t i = 0; i < active; ++i) {
      const std::size_t t = row_at(group[i], direction.reversed, step);
      table.gru_backward_state(direction.gates.row(t).data(), chain.row(i).data(),
                               after ? nullptr : d_reset_state.row(i).data(), width,
                               d_state.row(i).data());
    }
  }
}

/// Calls work(direction, group, scratch) for every item of a schedule, each worker with scratch
/// for `matrices` matrices of up to `width` columns.
template <class Work>
void for_each_group(Runtime& runtime, const Schedule& schedule, std::size_t width,
                    std::size_t matrices, Work work) {
  const std::size_t floats = matrices * schedule.widest() * whole_lines(width);
  const MatrixView<float> scratches = runtime.arena().matrix(runtime.threads(), floats);
  runtime.parallel_for(schedule.items(), [&](std::size_t item, std::size_t worker) {
    work(schedule.direction(item), schedule.group(item), Scratch(scratches.row(worker)));
  });
}

/// The widest of the directions' outputs.
template <class Direction>
std::size_t widest_of(std::span<const Direction> directions) {
  std::size_t width = 0;
  for (const Direction& direction : directions) width = std::max(width, direction.out.cols());
  return width;
}

}  // namespace

void gru_forward(Runtime& runtime, const Pass& /*pass*/, GruReset reset, const Segments& segs,
                 std::span<const GruForward> directions) {
  const bool after = reset == GruReset::after;
  for (const GruForward& d : directions) {
    const std::size_t width = d.out.cols();
    require_matrix(kForward, "out", d.out, segs.total(), width);
    require_matrix(kForward, "gates", d.gates, segs.total(), 3 * width);
    require_vector(kForward, "recurrent_bias", d.recurrent_bias, 3 * width);
    if (after && d.hidden.rows() > 0) {
      require_matrix(kForward, "hidden", d.hidden, segs.total(), width);
    }
    require_packed(kForward, runtime, d.weights.recurrent, width, (after ? 3 : 2) * width);
    if (!after) require_packed(kForward, runtime, d.weights.candidate, width, width);
  }
  const kernels::Table& table = kernels::table(runtime.isa());
  const Arena::Scope scope(runtime.arena());
  const Schedule schedule(runtime, segs, directions.size());
  for_each_group(runtime, schedule, widest_of(directions), 5,
                 [&](std::size_t d, std::span<const Segments::Rows> group, Scratch scratch) {
                   forward_group(table, reset, directions[d], group, scratch);
                 });
}

void gru_backward(Runtime& runtime, const Pass& pass, GruReset reset, const Segments& segs,
                  std::span<const GruBackward> directions) {
  const bool after = reset == GruReset::after;
  const std::size_t rows = segs.total();
  for (const GruBackward& d : directions) {
    const std::size_t width = d.out.cols();
    require_matrix(kBackward, "out", d.out, rows, width);
    require_matrix(kBackward, "d_out", d.d_out, rows, width);
    require_matrix(kBackward, "gates", d.gates, rows, 3 * width);
    if (after) require_matrix(kBackward, "hidden", d.hidden, rows, width);
    require_matrix(kBackward, "d_gates", d.d_gates, rows, 3 * width);
    require_matrix(kBackward, "d_recurrent_weight", d.d_recurrent_weight, 3 * width, width);
    require_vector(kBackward, "d_recurrent_bias", d.d_recurrent_bias, 3 * width);
    require_packed(kBackward, runtime, d.weights.recurrent, (after ? 3 : 2) * width, width);
    if (!after) require_packed(kBackward, runtime, d.weights.candidate, width, width);
  }
  shards_of(kBackward, pass, rows);
  const kernels::Table& table = kernels::table(runtime.isa());
  Arena& arena = runtime.arena();
  const Arena::Scope scope(arena);
  const Schedule schedule(runtime, segs, directions.size());
  const std::span<Recurrent> kept = arena.take<Recurrent>(directions.size());
  for (std::size_t d = 0; d < directions.size(); ++d) {
    const std::size_t width = directions[d].out.cols();
    const MatrixView<float> before = arena.matrix(rows, width);
    const MatrixView<float> of_candidate = arena.matrix(rows, width);
    kept[d] = {before, of_candidate, of_candidate};
  }
  for_each_group(runtime, schedule, widest_of(directions), 6,
                 [&](std::size_t d, std::span<const Segments::Rows> group, Scratch scratch) {
                   backward_group(table, reset, directions[d], kept[d], group, scratch);
                 });
  // Rows in the batch's order, whatever order the steps ran in.
  for (std::size_t d = 0; d < directions.size(); ++d) {
    const std::size_t width = directions[d].out.cols();
    const MatrixView<const float> d_gates = directions[d].d_gates;
    const MatrixView<float> d_weight = directions[d].d_recurrent_weight;
    const std::span<float> d_bias = directions[d].d_recurrent_bias;
    linear_backward_weight(runtime, pass, d_gates.cols_at(0, 2 * width), kept[d].before,
                           d_weight.rows_at(0, 2 * width), d_bias.first(2 * width));
    linear_backward_weight(runtime, pass,
                           after ? kept[d].d_hidden : d_gates.cols_at(2 * width, width),
                           after ? kept[d].before : kept[d].reset_state,
                           d_weight.rows_at(2 * width, width), d_bias.last(width));
  }
}

}  // namespace padless
