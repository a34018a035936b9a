// The scalar table: the float reference, which defines the bits of every other table.

#include "padless/kernels/scalar.h"

#include <algorithm>

#include "padless/reference/activation.h"
#include "padless/reference/adamw.h"
#include "padless/reference/additive_scores.h"
#include "padless/reference/attention.h"
#include "padless/reference/attention_pool.h"
#include "padless/reference/binary_cross_entropy.h"
#include "padless/reference/dropout.h"
#include "padless/reference/embedding.h"
#include "padless/reference/gru.h"
#include "padless/reference/huber.h"
#include "padless/reference/layer_norm.h"
#include "padless/reference/linear.h"
#include "padless/reference/mean_squared_error.h"
#include "padless/reference/pool.h"
#include "padless/reference/rms_norm.h"
#include "padless/reference/rope.h"
#include "padless/reference/sgd.h"
#include "padless/reference/softmax_cross_entropy.h"
#include "padless/reference/sum_losses.h"

namespace padless::kernels {
namespace {

// A panel is one output; packed weights are W as it is, without gaps.
std::size_t panels(std::size_t n) { return n; }

std::size_t packed_size(std::size_t n, std::size_t k) { return n * k; }

void pack(const float* w, std::size_t n_stride, std::size_t k_stride, std::size_t n, std::size_t k,
          float* packed) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < k; ++j) packed[i * k + j] = w[i * n_stride + j * k_stride];
  }
}

void linear(const float* x, std::size_t x_stride, std::size_t m, std::size_t k, const float* packed,
            std::size_t /*n*/, std::size_t panel_begin, std::size_t panel_end, const float* bias,
            float* y, std::size_t y_stride) {
  const std::size_t outputs = panel_end - panel_begin;
  std::span<const float> biases;
  if (bias != nullptr) biases = {bias + panel_begin, outputs};
  reference::linear_forward<float>({x, m, k, x_stride}, {packed + panel_begin * k, outputs, k},
                                   biases, {y + panel_begin, m, outputs, y_stride});
}

std::size_t packed_gradient_size(std::size_t rows, std::size_t n) { return rows * n; }

void pack_gradient(const float* d_y, std::size_t stride, std::size_t /*rows*/, std::size_t n,
                   std::size_t row_begin, std::size_t row_end, float* packed) {
  for (std::size_t t = row_begin; t < row_end; ++t) {
    for (std::size_t i = 0; i < n; ++i) packed[t * n + i] = d_y[t * stride + i];
  }
}

void weight_gradient(const float* packed, const float* x, std::size_t x_stride,
                     const std::size_t* bounds, std::size_t shards, std::size_t n,
                     std::size_t /*k*/, std::size_t panel_begin, std::size_t panel_end, float* d_w,
                     std::size_t d_w_stride, float* /*scratch*/) {
  const std::size_t columns = panel_end - panel_begin;
  const std::size_t rows = bounds[shards];
  reference::linear_backward_weight<float>({packed, rows, n},
                                           {x + panel_begin, rows, columns, x_stride}, bounds,
                                           shards, {d_w + panel_begin, n, columns, d_w_stride});
}

std::size_t weight_gradient_scratch(std::size_t /*shards*/, std::size_t /*n*/) { return 0; }

void sum_rows(const float* x, std::size_t stride, const std::size_t* bounds, std::size_t shards,
              std::size_t cols, float* total) {
  reference::sum_rows<float>({x, bounds[shards], cols, stride}, bounds, shards, {total, cols});
}

std::size_t attention_scratch(std::size_t /*width*/, std::size_t /*value_width*/) { return 0; }

// Whatever these hold, it is right: no second look is needed.
bool attention_forward(const AttentionItem<float>& item, float* /*scratch*/) {
  reference::attention_forward(item);
  return false;
}

void attention_weights(const AttentionItem<float>& item, float* weights, float* /*scratch*/) {
  reference::attention_weights(item, weights);
}

bool attention_backward(const AttentionItem<float>& item, const AttentionItemGradient<float>& to,
                        float* /*scratch*/) {
  reference::attention_backward(item, to);
  return false;
}

bool attention_finish(float* x, std::size_t stride, std::size_t rows, std::size_t cols,
                      float scale) {
  reference::attention_finish(x, stride, rows, cols, scale);
  return false;
}

void attention_log_sum_exp(const float* top, const float* sum, std::size_t n, float* out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = reference::attention_log_sum_exp(top[i], sum[i]);
}

void layer_norm_forward(const float* x, std::size_t x_stride, const float* gamma, const float* beta,
                        std::size_t rows, std::size_t cols, float epsilon, float* y,
                        std::size_t y_stride, float* mean, float* rstd) {
  for (std::size_t t = 0; t < rows; ++t) {
    reference::layer_norm_forward(x + t * x_stride, gamma, beta, cols, epsilon, y + t * y_stride,
                                  mean + t, rstd + t);
  }
}

void layer_norm_backward_input(const float* d_y, std::size_t d_y_stride, const float* x,
                               std::size_t x_stride, const float* gamma, const float* mean,
                               const float* rstd, std::size_t rows, std::size_t cols, float* d_x,
                               std::size_t d_x_stride) {
  for (std::size_t t = 0; t < rows; ++t) {
    reference::layer_norm_backward_input(d_y + t * d_y_stride, x + t * x_stride, gamma, mean[t],
                                         rstd[t], cols, d_x + t * d_x_stride);
  }
}

void rms_norm_forward(const float* x, std::size_t x_stride, const float* gamma,
                      const float* /*beta*/, std::size_t rows, std::size_t cols, float epsilon,
                      float* y, std::size_t y_stride, float* /*mean*/, float* rstd) {
  for (std::size_t t = 0; t < rows; ++t) {
    reference::rms_norm_forward(x + t * x_stride, gamma, cols, epsilon, y + t * y_stride, rstd + t);
  }
}

void rms_norm_backward_input(const float* d_y, std::size_t d_y_stride, const float* x,
                             std::size_t x_stride, const float* gamma, const float* /*mean*/,
                             const float* rstd, std::size_t rows, std::size_t cols, float* d_x,
                             std::size_t d_x_stride) {
  for (std::size_t t = 0; t < rows; ++t) {
    reference::rms_norm_backward_input(d_y + t * d_y_stride, x + t * x_stride, gamma, rstd[t], cols,
                                       d_x + t * d_x_stride);
  }
}

void rms_norm_backward_weight(const float* d_y, std::size_t d_y_stride, const float* x,
                              std::size_t x_stride, const float* /*mean*/, const float* rstd,
                              const std::size_t* bounds, std::size_t shards, std::size_t cols,
                              float* d_gamma, float* /*d_beta*/) {
  reference::rms_norm_backward_weight(d_y, d_y_stride, x, x_stride, rstd, bounds, shards, cols,
                                      d_gamma);
}

double sum_losses(const float* losses, const std::size_t* bounds, std::size_t shards) {
  return reference::sum_losses([&](std::size_t r) { return losses[r]; }, bounds, shards);
}

}  // namespace

Table scalar_table() {
  return {
      {
          .panels = panels,
          .packed_size = packed_size,
          .pack = pack,
          .linear = linear,
          .packed_gradient_size = packed_gradient_size,
          .pack_gradient = pack_gradient,
          .weight_gradient = weight_gradient,
          .weight_gradient_scratch = weight_gradient_scratch,
          .sum_rows = sum_rows,
          .sum_listed_rows = reference::sum_listed_rows<float>,
      },
      {
          .attention_scratch = attention_scratch,
          .attention_forward = attention_forward,
          .attention_weights = attention_weights,
          .attention_backward = attention_backward,
          .attention_finish = attention_finish,
          .attention_log_sum_exp = attention_log_sum_exp,
      },
      {
          .attention_pool_forward = reference::attention_pool_forward<float>,
          .attention_pool_backward = reference::attention_pool_backward<float>,
          .pool_sum_forward = reference::pool_sum_forward<float>,
          .pool_sum_backward = reference::pool_sum_backward<float>,
          .pool_max_forward = reference::pool_max_forward<float>,
          .pool_max_backward = reference::pool_max_backward<float>,
          .pool_log_sum_exp_forward = reference::pool_log_sum_exp_forward<float>,
          .pool_log_sum_exp_backward = reference::pool_log_sum_exp_backward<float>,
          .additive_scores_forward = reference::additive_scores_forward<float>,
          .additive_scores_backward = reference::additive_scores_backward<float>,
      },
      {
          .activation_forward = reference::activation_forward<float>,
          .activation_backward = reference::activation_backward<float>,
          .layer_norm_forward = layer_norm_forward,
          .layer_norm_backward_input = layer_norm_backward_input,
          .layer_norm_backward_weight = reference::layer_norm_backward_weight<float>,
          .rms_norm_forward = rms_norm_forward,
          .rms_norm_backward_input = rms_norm_backward_input,
          .rms_norm_backward_weight = rms_norm_backward_weight,
          .rope = reference::rope<float>,
          .dropout = reference::dropout<float>,
      },
      {
          .softmax_cross_entropy_forward = reference::softmax_cross_entropy_forward<float>,
          .softmax_cross_entropy_backward = reference::softmax_cross_entropy_backward<float>,
          .squared_errors = reference::squared_errors<float>,
          .squared_errors_backward = reference::squared_errors_backward<float>,
          .huber_losses = reference::huber_losses<float>,
          .huber_losses_backward = reference::huber_losses_backward<float>,
          .binary_cross_entropy_forward = reference::binary_cross_entropy_forward<float>,
          .binary_cross_entropy_backward = reference::binary_cross_entropy_backward<float>,
          .sum_losses = sum_losses,
      },
      {
          .gru_gates = reference::gru_gates<float>,
          .gru_candidate = reference::gru_candidate<float>,
          .gru_backward_candidate = reference::gru_backward_candidate<float>,
          .gru_backward_reset = reference::gru_backward_reset<float>,
          .gru_backward_state = reference::gru_backward_state<float>,
      },
      {
          .adamw = reference::adamw<float, AdamWNumbers>,
          .sgd = reference::sgd<float, SgdNumbers>,
          .sum_of_squares = reference::sum_of_squares<float>,
      },
  };
}

}  // namespace padless::kernels
