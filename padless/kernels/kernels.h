// The table of kernels: one for each instruction set. Raw rows, no checks; private to padless.
#pragma once

#include <cstddef>
#include <cstdint>

#include "padless/core/activation.h"
#include "padless/core/attention_item.h"
#include "padless/core/rotary_pairing.h"

namespace padless::kernels {

/// The numbers of a step of AdamW, each rounded once; see reference/adamw.h.
struct AdamWNumbers {
  float beta1, beta2, rest1, rest2, correction1, correction2, keep, rate, epsilon, gradient_scale;
};

/// The numbers of a step of SGD, each rounded once; see reference/sgd.h.
struct SgdNumbers {
  float rate, momentum, decay, gradient_scale;
  bool nesterov;
};

// Every entry computes the same bits in every table: those of the reference in float. Matrices are
// row-major; a stride counts floats from row to row.

/// Products with weights, and sums over rows.
struct LinearKernels {
  /// How many panels `linear` cuts n outputs into, and how many floats packed weights take.
  std::size_t (*panels)(std::size_t n);
  std::size_t (*packed_size)(std::size_t n, std::size_t k);
  /// The weight of output n and input k is w[n * n_stride + k * k_stride], so that a W and its
  /// transpose both pack.
  void (*pack)(const float* w, std::size_t n_stride, std::size_t k_stride, std::size_t n,
               std::size_t k, float* packed);
  /// y[m, :] for the outputs of the panels [panel_begin, panel_end) of packed weights of n outputs
  /// and k inputs. `bias` [n] may be null. y [m, n] written in those columns.
  void (*linear)(const float* x, std::size_t x_stride, std::size_t m, std::size_t k,
                 const float* packed, std::size_t n, std::size_t panel_begin, std::size_t panel_end,
                 const float* bias, float* y, std::size_t y_stride);

  /// Rows [row_begin, row_end) of d_y [rows, n] as weight_gradient reads them; `packed` has room
  /// for packed_gradient_size(rows, n) floats.
  std::size_t (*packed_gradient_size)(std::size_t rows, std::size_t n);
  void (*pack_gradient)(const float* d_y, std::size_t stride, std::size_t rows, std::size_t n,
                        std::size_t row_begin, std::size_t row_end, float* packed);
  /// d_w[n, k] += shards over rows, for the columns of the panels [panel_begin, panel_end) of k.
  /// `packed` is d_y [rows, n], all rows of it; `bounds` holds shards + 1 row numbers of d_y and x
  /// [rows, k]; `scratch`, aligned to kAlignment, holds weight_gradient_scratch(shards, n) floats,
  /// a multiple of 16.
  void (*weight_gradient)(const float* packed, const float* x, std::size_t x_stride,
                          const std::size_t* bounds, std::size_t shards, std::size_t n,
                          std::size_t k, std::size_t panel_begin, std::size_t panel_end, float* d_w,
                          std::size_t d_w_stride, float* scratch);
  std::size_t (*weight_gradient_scratch)(std::size_t shards, std::size_t n);
  /// total[cols] += shards over rows of x [rows, cols], plain additions.
  void (*sum_rows)(const float* x, std::size_t stride, const std::size_t* bounds,
                   std::size_t shards, std::size_t cols, float* total);
  /// total[cols] += shards over the `count` rows of x listed in `rows`; see reference/embedding.h.
  void (*sum_listed_rows)(const float* x, std::size_t stride, const std::size_t* rows,
                          std::size_t count, const std::size_t* bounds, std::size_t shards,
                          std::size_t cols, float* total);
};

/// Attention of queries to keys, and what goes with it.
struct AttentionKernels {
  /// One item; see reference/attention.h. `scratch`, aligned to kAlignment, holds
  /// attention_scratch(width, value_width) floats, a multiple of 16.
  std::size_t (*attention_scratch)(std::size_t width, std::size_t value_width);
  /// Those that return something tell whether what they finished holds a NaN. Then dropped keys may
  /// have shone through (0 times NaN), and the scalar table's, which skips them, decides.
  bool (*attention_forward)(const AttentionItem<float>& item, float* scratch);
  void (*attention_weights)(const AttentionItem<float>& item, float* weights, float* scratch);
  bool (*attention_backward)(const AttentionItem<float>& item,
                             const AttentionItemGradient<float>& to, float* scratch);
  bool (*attention_finish)(float* x, std::size_t stride, std::size_t rows, std::size_t cols,
                           float scale);
  void (*attention_log_sum_exp)(const float* top, const float* sum, std::size_t n, float* out);
};

/// Many rows of a sequence to one.
struct PoolKernels {
  /// One sequence; see reference/attention_pool.h.
  void (*attention_pool_forward)(const float* x, std::size_t stride, const float* scores,
                                 std::size_t n, std::size_t cols, float* out, float* weights);
  void (*attention_pool_backward)(const float* d_out, const float* x, std::size_t stride,
                                  const float* weights, std::size_t n, std::size_t cols, float* d_x,
                                  std::size_t d_x_stride, float* d_scores);

  /// One sequence; see reference/pool.h.
  void (*pool_sum_forward)(const float* x, std::size_t stride, std::size_t n, std::size_t cols,
                           float divisor, float* out);
  void (*pool_sum_backward)(const float* d_out, std::size_t n, std::size_t cols, float divisor,
                            float* d_x, std::size_t d_x_stride);
  void (*pool_max_forward)(const float* x, std::size_t stride, std::size_t n, std::size_t cols,
                           float* out);
  void (*pool_max_backward)(const float* d_out, const float* x, std::size_t stride, std::size_t n,
                            std::size_t cols, float* d_x, std::size_t d_x_stride);
  decltype(pool_max_forward) pool_log_sum_exp_forward;
  decltype(pool_max_backward) pool_log_sum_exp_backward;

  /// Any rows; see reference/additive_scores.h.
  void (*additive_scores_forward)(const float* h, std::size_t h_stride, const float* context,
                                  std::size_t rows, std::size_t cols, float* u,
                                  std::size_t u_stride, float* scores);
  void (*additive_scores_backward)(const float* d_scores, const float* u, std::size_t u_stride,
                                   const float* context, std::size_t rows, std::size_t cols,
                                   float* d_h, std::size_t d_h_stride);
};

/// Rows to rows, number by number or normalised.
struct RowKernels {
  /// Any rows; see reference/activation.h.
  void (*activation_forward)(Activation kind, const float* x, std::size_t x_stride,
                             std::size_t rows, std::size_t cols, float* y, std::size_t y_stride);
  void (*activation_backward)(Activation kind, const float* d_y, std::size_t d_y_stride,
                              const float* x, std::size_t x_stride, std::size_t rows,
                              std::size_t cols, float* d_x, std::size_t d_x_stride);

  /// Any rows; see reference/layer_norm.h and reference/rms_norm.h. RMSNorm has no beta and no
  /// mean: both are null there.
  void (*layer_norm_forward)(const float* x, std::size_t x_stride, const float* gamma,
                             const float* beta, std::size_t rows, std::size_t cols, float epsilon,
                             float* y, std::size_t y_stride, float* mean, float* rstd);
  void (*layer_norm_backward_input)(const float* d_y, std::size_t d_y_stride, const float* x,
                                    std::size_t x_stride, const float* gamma, const float* mean,
                                    const float* rstd, std::size_t rows, std::size_t cols,
                                    float* d_x, std::size_t d_x_stride);
  /// d_gamma[cols] and d_beta[cols] += shards over rows; `bounds` holds shards + 1 row numbers.
  void (*layer_norm_backward_weight)(const float* d_y, std::size_t d_y_stride, const float* x,
                                     std::size_t x_stride, const float* mean, const float* rstd,
                                     const std::size_t* bounds, std::size_t shards,
                                     std::size_t cols, float* d_gamma, float* d_beta);
  decltype(layer_norm_forward) rms_norm_forward;
  decltype(layer_norm_backward_input) rms_norm_backward_input;
  decltype(layer_norm_backward_weight) rms_norm_backward_weight;

  /// One row; see reference/rope.h.
  void (*rope)(const float* x, const float* cos, const float* sin, std::size_t heads,
               std::size_t head_width, std::size_t width, RotaryPairing pairing, bool back,
               float* y);

  /// One row; see reference/dropout.h. `key` holds two words.
  void (*dropout)(const float* x, std::size_t cols, std::uint32_t threshold,
                  const std::uint32_t* key, std::uint64_t document, std::uint32_t row,
                  std::uint32_t head, float* out);
};

/// Losses of rows, their gradients and their sum.
struct LossKernels {
  /// One row; see reference/softmax_cross_entropy.h. forward returns the row's loss.
  float (*softmax_cross_entropy_forward)(const float* logits, std::size_t classes,
                                         std::size_t label, float smoothing, float* probabilities);
  void (*softmax_cross_entropy_backward)(const float* probabilities, std::size_t classes,
                                         std::size_t label, float smoothing, float scale,
                                         float* d_logits);
  /// Any rows; see reference/mean_squared_error.h.
  void (*squared_errors)(const float* predictions, const float* targets, std::size_t n,
                         float* losses);
  void (*squared_errors_backward)(const float* predictions, const float* targets, std::size_t n,
                                  float scale, float* d_predictions);
  /// Any rows; see reference/huber.h.
  void (*huber_losses)(const float* predictions, const float* targets, std::size_t n, float delta,
                       float* losses);
  void (*huber_losses_backward)(const float* predictions, const float* targets, std::size_t n,
                                float delta, float scale, float* d_predictions);
  /// One row; see reference/binary_cross_entropy.h. forward returns the row's loss.
  float (*binary_cross_entropy_forward)(const float* logits, const std::int32_t* targets,
                                        const float* weights, std::size_t labels);
  void (*binary_cross_entropy_backward)(const float* logits, const std::int32_t* targets,
                                        const float* weights, std::size_t labels, float scale,
                                        float* d_logits);
  /// The sum over shards in double; see reference/sum_losses.h.
  double (*sum_losses)(const float* losses, const std::size_t* bounds, std::size_t shards);
};

/// One step of a gated recurrent unit.
struct GruKernels {
  /// One row of one sequence; see reference/gru.h.
  void (*gru_gates)(float* gates, const float* recurrent, const float* state, std::size_t cols,
                    float* reset_state);
  void (*gru_candidate)(float* gates, const float* hidden, bool scaled, std::size_t cols,
                        float* state, float* out);
  void (*gru_backward_candidate)(const float* d_out, const float* gates, const float* hidden,
                                 const float* before, std::size_t cols, float* d_state,
                                 float* d_gates, float* d_recurrent);
  void (*gru_backward_reset)(const float* d_reset_state, const float* gates, const float* before,
                             std::size_t cols, float* d_gates, float* d_recurrent,
                             float* reset_state);
  void (*gru_backward_state)(const float* gates, const float* chain, const float* d_reset_state,
                             std::size_t cols, float* d_state);
};

/// Steps of parameters.
struct OptimizerKernels {
  /// n elements; see reference/adamw.h.
  void (*adamw)(const AdamWNumbers& numbers, std::size_t n, float* value, float* gradient,
                float* first, float* second);
  /// n elements; see reference/sgd.h.
  void (*sgd)(const SgdNumbers& numbers, std::size_t n, float* value, float* gradient,
              float* velocity);
  double (*sum_of_squares)(const float* x, std::size_t n);
};

/// What one instruction set offers.
struct Table : LinearKernels,
               AttentionKernels,
               PoolKernels,
               RowKernels,
               LossKernels,
               GruKernels,
               OptimizerKernels {};

}  // namespace padless::kernels
