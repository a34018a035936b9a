// What a gated recurrent unit does elementwise with one row, between its matrix products.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "padless/kernels/gru.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file once a target:
#include "padless/kernels/kernels.h"
#include "padless/kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace padless::kernels::HWY_NAMESPACE {
namespace {

void forward_gates(float* gates, const float* recurrent, const float* state, std::size_t cols,
                   float* reset_state) {
  // r and z stand side by side and are the same function: one run of 2 * cols.
  for (std::size_t j = 0; j < 2 * cols; j += kLanes) {
    const std::size_t left = 2 * cols - j;
    const Vec sum = hn::Add(load_tail(gates + j, left), load_tail(recurrent + j, left));
    store_tail(sigmoid(sum), gates + j, left);
  }
  if (reset_state == nullptr) return;
  for (std::size_t j = 0; j < cols; j += kLanes) {
    const Vec r = load_tail(gates + j, cols - j);
    store_tail(hn::Mul(r, load_tail(state + j, cols - j)), reset_state + j, cols - j);
  }
}

template <bool kScaled>
HWY_INLINE void candidate_row(float* gates, const float* hidden, std::size_t cols, float* state,
                              float* out) {
  for (std::size_t j = 0; j < cols; j += kLanes) {
    const std::size_t left = cols - j;
    const Vec x = load_tail(gates + 2 * cols + j, left);
    const Vec h = load_tail(hidden + j, left);
    const Vec n = tanh(kScaled ? hn::MulAdd(load_tail(gates + j, left), h, x) : hn::Add(x, h));
    const Vec z = load_tail(gates + cols + j, left);
    const Vec next = hn::MulAdd(z, hn::Sub(load_tail(state + j, left), n), n);
    store_tail(n, gates + 2 * cols + j, left);
    store_tail(next, state + j, left);
    store_tail(next, out + j, left);
  }
}

void forward_candidate(float* gates, const float* hidden, bool scaled, std::size_t cols,
                       float* state, float* out) {
  if (scaled) {
    candidate_row<true>(gates, hidden, cols, state, out);
  } else {
    candidate_row<false>(gates, hidden, cols, state, out);
  }
}

void backward_candidate(const float* d_out, const float* gates, const float* hidden,
                        const float* before, std::size_t cols, float* d_state, float* d_gates,
                        float* d_recurrent) {
  const Vec one = hn::Set(Tag(), 1.0f);
  for (std::size_t j = 0; j < cols; j += kLanes) {
    const std::size_t left = cols - j;
    const Vec z = load_tail(gates + cols + j, left);
    const Vec n = load_tail(gates + 2 * cols + j, left);
    const Vec d_h = hn::Add(load_tail(d_out + j, left), load_tail(d_state + j, left));
    const Vec moved = hn::Sub(load_tail(before + j, left), n);
    const Vec d_z = hn::Mul(hn::Mul(d_h, moved), hn::Mul(z, hn::Sub(one, z)));
    const Vec d_n = hn::Mul(hn::Mul(d_h, hn::Sub(one, z)), hn::NegMulAdd(n, n, one));
    store_tail(d_h, d_state + j, left);
    store_tail(d_z, d_gates + cols + j, left);
    store_tail(d_z, d_recurrent + cols + j, left);
    store_tail(d_n, d_gates + 2 * cols + j, left);
    if (hidden == nullptr) {
      store_tail(d_n, d_recurrent + 2 * cols + j, left);
      continue;
    }
    const Vec r = load_tail(gates + j, left);
    const Vec d_r = hn::Mul(hn::Mul(d_n, load_tail(hidden + j, left)), hn::Mul(r, hn::Sub(one, r)));
    store_tail(d_r, d_gates + j, left);
    store_tail(d_r, d_recurrent + j, left);
    store_tail(hn::Mul(d_n, r), d_recurrent + 2 * cols + j, left);
  }
}

void backward_reset(const float* d_reset_state, const float* gates, const float* before,
                    std::size_t cols, float* d_gates, float* d_recurrent, float* reset_state) {
  const Vec one = hn::Set(Tag(), 1.0f);
  for (std::size_t j = 0; j < cols; j += kLanes) {
    const std::size_t left = cols - j;
    const Vec r = load_tail(gates + j, left);
    const Vec h = load_tail(before + j, left);
    const Vec d_r =
        hn::Mul(hn::Mul(load_tail(d_reset_state + j, left), h), hn::Mul(r, hn::Sub(one, r)));
    store_tail(d_r, d_gates + j, left);
    store_tail(d_r, d_recurrent + j, left);
    store_tail(hn::Mul(r, h), reset_state + j, left);
  }
}

void backward_state(const float* gates, const float* chain, const float* d_reset_state,
                    std::size_t cols, float* d_state) {
  for (std::size_t j = 0; j < cols; j += kLanes) {
    const std::size_t left = cols - j;
    Vec recurrent = load_tail(chain + j, left);
    if (d_reset_state != nullptr) {
      recurrent =
          hn::MulAdd(load_tail(d_reset_state + j, left), load_tail(gates + j, left), recurrent);
    }
    const Vec z = load_tail(gates + cols + j, left);
    store_tail(hn::MulAdd(load_tail(d_state + j, left), z, recurrent), d_state + j, left);
  }
}

}  // namespace

void add_gru(Table& table) {
  table.gru_gates = forward_gates;
  table.gru_candidate = forward_candidate;
  table.gru_backward_candidate = backward_candidate;
  table.gru_backward_reset = backward_reset;
  table.gru_backward_state = backward_state;
}

}  // namespace padless::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
