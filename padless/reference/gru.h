// A gated recurrent unit over each sequence, from its first row to its last or the other way.
// Source: Cho et al., "Learning phrase representations using RNN encoder-decoder for statistical
// machine translation" (EMNLP 2014), equations 5 to 8.
//
// Gates stand side by side in a row of 3 * cols numbers: r (reset), z (update), n (candidate).
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "padless/batch/segments.h"
#include "padless/batch/shards.h"
#include "padless/core/gru_reset.h"
#include "padless/core/matrix.h"
#include "padless/reference/linear.h"
#include "padless/reference/math.h"

namespace padless::reference {

/// gates [3 cols]: the x-parts of r and z are read, r and z written in their place.
/// recurrent [2 cols]: the h-parts of both. reset_state [cols] = r * state, written unless null.
template <class Real>
void gru_gates(Real* gates, const Real* recurrent, const Real* state, std::size_t cols,
               Real* reset_state) {
  for (std::size_t c = 0; c < 2 * cols; ++c) gates[c] = math::sigmoid(gates[c] + recurrent[c]);
  if (reset_state == nullptr) return;
  for (std::size_t c = 0; c < cols; ++c) reset_state[c] = gates[c] * state[c];
}

/// gates [3 cols]: r, z and the x-part of n are read, n written in its place. hidden [cols]: the
/// h-part of n, times r where `scaled`. state [cols]: the last h, replaced by the new one, which
/// is also written to out [cols].
template <class Real>
void gru_candidate(Real* gates, const Real* hidden, bool scaled, std::size_t cols, Real* state,
                   Real* out) {
  for (std::size_t c = 0; c < cols; ++c) {
    const Real r = gates[c], z = gates[cols + c], x = gates[2 * cols + c];
    const Real n = math::tanh(scaled ? math::fma(r, hidden[c], x) : x + hidden[c]);
    gates[2 * cols + c] = n;
    out[c] = state[c] = math::fma(z, state[c] - n, n);
  }
}

/// d_state [cols]: what later rows send back is read, the gradient of this row's h written.
/// before [cols]: the last h. d_gates [3 cols] and d_recurrent [3 cols], the gradients of the x-
/// and h-parts, are written: r (with `hidden` alone), z and n. Without hidden (null), n's h-part is
/// not scaled by r, and r waits for gru_backward_reset.
template <class Real>
void gru_backward_candidate(const Real* d_out, const Real* gates, const Real* hidden,
                            const Real* before, std::size_t cols, Real* d_state, Real* d_gates,
                            Real* d_recurrent) {
  for (std::size_t c = 0; c < cols; ++c) {
    const Real r = gates[c], z = gates[cols + c], n = gates[2 * cols + c];
    const Real d_h = d_out[c] + d_state[c];
    const Real d_z = (d_h * (before[c] - n)) * (z * (Real(1) - z));
    const Real d_n = (d_h * (Real(1) - z)) * math::fma(-n, n, Real(1));
    d_state[c] = d_h;
    d_gates[cols + c] = d_recurrent[cols + c] = d_z;
    d_gates[2 * cols + c] = d_recurrent[2 * cols + c] = d_n;
    if (hidden == nullptr) continue;
    d_gates[c] = d_recurrent[c] = (d_n * hidden[c]) * (r * (Real(1) - r));
    d_recurrent[2 * cols + c] = d_n * r;
  }
}

/// d_reset_state [cols]: the gradient of r * h. Writes the gradients of r in d_gates [cols] and
/// d_recurrent [cols], and reset_state [cols] = r * h.
template <class Real>
void gru_backward_reset(const Real* d_reset_state, const Real* gates, const Real* before,
                        std::size_t cols, Real* d_gates, Real* d_recurrent, Real* reset_state) {
  for (std::size_t c = 0; c < cols; ++c) {
    const Real r = gates[c];
    d_gates[c] = d_recurrent[c] = (d_reset_state[c] * before[c]) * (r * (Real(1) - r));
    reset_state[c] = r * before[c];
  }
}

/// d_state [cols]: the gradient of this row's h is read, what it sends to the row before written.
/// chain [cols]: what went through the recurrent weights; d_reset_state [cols] or null: what went
/// through r * h.
template <class Real>
void gru_backward_state(const Real* gates, const Real* chain, const Real* d_reset_state,
                        std::size_t cols, Real* d_state) {
  for (std::size_t c = 0; c < cols; ++c) {
    const Real r = gates[c], z = gates[cols + c];
    const Real recurrent =
        d_reset_state == nullptr ? chain[c] : math::fma(d_reset_state[c], r, chain[c]);
    d_state[c] = math::fma(d_state[c], z, recurrent);
  }
}

/// gates [T, 3H]: the x-parts (W x + b) are read; r, z and n written in their place.
/// recurrent_weight [3H, H], recurrent_bias [3H]. hidden [T, H]: n's h-part, written with
/// GruReset::after alone. out [T, H] written. Before a sequence's first row h is 0, and the h-parts
/// are the bias alone: a chain of no products.
template <class Real>
void gru_forward(GruReset reset, bool reversed, const Segments& segs,
                 MatrixView<const Real> recurrent_weight, std::span<const Real> recurrent_bias,
                 MatrixView<Real> gates, MatrixView<Real> hidden, MatrixView<Real> out) {
  const std::size_t cols = out.cols();
  const bool after = reset == GruReset::after;
  std::vector<Real> state(cols), reset_state(cols), recurrent(3 * cols);
  const auto multiply = [&](const std::vector<Real>& h, std::size_t depth, std::size_t first,
                            std::size_t count) {
    linear_forward<Real>({h.data(), 1, depth},
                         recurrent_weight.rows_at(first, count).cols_at(0, depth),
                         recurrent_bias.subspan(first, count), {&recurrent[first], 1, count});
  };
  for (std::size_t b = 0; b < segs.count(); ++b) {
    const Segments::Rows rows = segs[b];
    state.assign(cols, Real(0));
    for (std::size_t step = 0; step < rows.size(); ++step) {
      const std::size_t t = reversed ? rows.end - 1 - step : rows.begin + step;
      const std::size_t depth = step == 0 ? 0 : cols;
      multiply(state, depth, 0, after ? 3 * cols : 2 * cols);
      gru_gates(gates.row(t).data(), recurrent.data(), state.data(), cols, reset_state.data());
      if (!after) multiply(reset_state, depth, 2 * cols, cols);
      for (std::size_t c = 0; after && c < cols; ++c) hidden(t, c) = recurrent[2 * cols + c];
      gru_candidate(gates.row(t).data(), &recurrent[2 * cols], after, cols, state.data(),
                    out.row(t).data());
    }
  }
}

/// d_out [T, H]; gates [T, 3H], hidden [T, H] (GruReset::after) and out [T, H] as gru_forward left
/// them. d_gates [T, 3H], the gradient of the x-parts, written. d_recurrent_weight [3H, H] and
/// d_recurrent_bias [3H] added to: over shards, rows in the order of the batch, each row's h being
/// the out of the row before it in its direction, 0 for the first.
template <class Real>
void gru_backward(GruReset reset, bool reversed, const Segments& segs, const Shards& shards,
                  MatrixView<const Real> recurrent_weight, MatrixView<const Real> d_out,
                  MatrixView<const Real> gates, MatrixView<const Real> hidden,
                  MatrixView<const Real> out, MatrixView<Real> d_gates,
                  MatrixView<Real> d_recurrent_weight, std::span<Real> d_recurrent_bias) {
  const std::size_t cols = out.cols();
  const bool after = reset == GruReset::after;
  Matrix<Real> before(segs.total(), cols), reset_state(segs.total(), cols);
  Matrix<Real> d_recurrent(segs.total(), 3 * cols);
  std::vector<Real> d_state(cols), d_reset_state(cols), chain(cols);
  for (std::size_t b = 0; b < segs.count(); ++b) {
    const Segments::Rows rows = segs[b];
    d_state.assign(cols, Real(0));
    for (std::size_t step = rows.size(); step-- > 0;) {
      const std::size_t t = reversed ? rows.end - 1 - step : rows.begin + step;
      const bool first = step == 0;
      for (std::size_t c = 0; c < cols; ++c) {
        before(t, c) = first ? Real(0) : out(reversed ? t + 1 : t - 1, c);
      }
      Real* const d_recurrent_row = d_recurrent.row(t).data();
      gru_backward_candidate(d_out.row(t).data(), gates.row(t).data(),
                             after ? hidden.row(t).data() : nullptr, before.row(t).data(), cols,
                             d_state.data(), d_gates.row(t).data(), d_recurrent_row);
      if (!after) {
        const std::size_t depth = first ? 0 : cols;  // the first row's h is no variable
        linear_backward_input<Real>({d_recurrent_row + 2 * cols, 1, depth},
                                    recurrent_weight.rows_at(2 * cols, depth),
                                    {d_reset_state.data(), 1, cols});
        gru_backward_reset(d_reset_state.data(), gates.row(t).data(), before.row(t).data(), cols,
                           d_gates.row(t).data(), d_recurrent_row, reset_state.row(t).data());
      }
      if (first) continue;
      const std::size_t depth = after ? 3 * cols : 2 * cols;
      linear_backward_input<Real>({d_recurrent_row, 1, depth}, recurrent_weight.rows_at(0, depth),
                                  {chain.data(), 1, cols});
      gru_backward_state(gates.row(t).data(), chain.data(), after ? nullptr : d_reset_state.data(),
                         cols, d_state.data());
    }
  }
  const MatrixView<const Real> d_h = std::as_const(d_recurrent).view();
  linear_backward_weight<Real>(d_h.cols_at(0, 2 * cols), std::as_const(before).view(), shards,
                               d_recurrent_weight.rows_at(0, 2 * cols));
  linear_backward_weight<Real>(d_h.cols_at(2 * cols, cols),
                               std::as_const(after ? before : reset_state).view(), shards,
                               d_recurrent_weight.rows_at(2 * cols, cols));
  sum_rows<Real>(d_h, shards, d_recurrent_bias);
}

}  // namespace padless::reference
