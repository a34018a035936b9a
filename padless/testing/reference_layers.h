// The layers of the models put together from the definitions of their ops, forward and backward:
// what the layers' and models' tests compare with.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "padless/batch/pass.h"
#include "padless/batch/segments.h"
#include "padless/batch/shards.h"
#include "padless/core/gru_reset.h"
#include "padless/core/matrix.h"
#include "padless/core/rng.h"
#include "padless/layers/block_config.h"
#include "padless/layers/feed_forward.h"
#include "padless/layers/multi_head_attention.h"
#include "padless/layers/norm.h"
#include "padless/layers/sublayer.h"
#include "padless/layers/token_embedding.h"
#include "padless/reference/activation.h"
#include "padless/reference/additive_scores.h"
#include "padless/reference/attention.h"
#include "padless/reference/attention_pool.h"
#include "padless/reference/dropout.h"
#include "padless/reference/embedding.h"
#include "padless/reference/gru.h"
#include "padless/reference/layer_norm.h"
#include "padless/reference/linear.h"
#include "padless/reference/position_embedding.h"
#include "padless/reference/rms_norm.h"
#include "padless/reference/rope.h"
#include "padless/testing/contract.h"

namespace padless::testing {

/// Parameters and their gradients by their names.
template <class Real>
class NamedParameters {
 public:
  NamedParameters() = default;
  NamedParameters(const std::vector<Operand>& names, const Operands<Real>& operands) {
    for (std::size_t p = 0; p < names.size(); ++p) {
      add(names[p].name, operands.parameters[p], operands.d_parameters[p]);
    }
  }

  void add(const std::string& name, MatrixView<const Real> value, MatrixView<Real> gradient) {
    all_[name] = {value, gradient};
  }
  MatrixView<const Real> value(const std::string& name) const { return all_.at(name).first; }
  MatrixView<Real> gradient(const std::string& name) const { return all_.at(name).second; }
  std::span<const Real> values(const std::string& name) const { return flat(value(name)); }
  std::span<Real> gradients(const std::string& name) const { return flat(gradient(name)); }
  bool has(const std::string& name) const { return all_.contains(name); }

 private:
  std::map<std::string, std::pair<MatrixView<const Real>, MatrixView<Real>>> all_;
};

inline Shards shards_of_pass(const Pass& pass, std::size_t rows) {
  return pass.shards != nullptr ? *pass.shards : Shards(rows);
}

template <class Real>
Matrix<Real> copy(MatrixView<const Real> view) {
  Matrix<Real> made(view.rows(), view.cols());
  for (std::size_t r = 0; r < view.rows(); ++r) {
    std::ranges::copy(view.row(r), made.row(r).begin());
  }
  return made;
}
template <class Real>
void copy(const Matrix<Real>& from, MatrixView<Real> to) {
  for (std::size_t r = 0; r < from.rows(); ++r) std::ranges::copy(from.row(r), to.row(r).begin());
}

template <class Real>
void add(const Matrix<Real>& x, Matrix<Real>& y) {
  for (std::size_t i = 0; i < x.cells().size(); ++i) y.cells()[i] = y.cells()[i] + x.cells()[i];
}
template <class Real>
void multiply(const Matrix<Real>& x, Matrix<Real>& y) {
  for (std::size_t i = 0; i < x.cells().size(); ++i) y.cells()[i] = y.cells()[i] * x.cells()[i];
}

inline std::uint32_t drop_threshold_of(float p) {
  return static_cast<std::uint32_t>(std::floor(static_cast<double>(p) * 65536 + 0.5));
}

/// Forward and backward are the same.
template <class Real>
void dropout(const Pass& pass, float p, std::uint32_t op, Matrix<Real>& x) {
  if (!pass.training || drop_threshold_of(p) == 0) return;
  reference::dropout<Real>(std::as_const(x).view(), drop_threshold_of(p),
                           draw_key(pass.seed, pass.step, op), *pass.documents,
                           pass.document_numbers, x.view());
}

/// A row for each token, of its word and its place. Parameters words.weight and, where positions
/// are learned, positions.weight.
template <class Real>
struct ReferenceTokenEmbedding {
  const NamedParameters<Real>& all;
  std::string prefix;
  Positions positions;
  float dropout_share = 0;
  std::uint32_t op = 0;

  Matrix<Real> forward(const Pass& pass, const Segments& segs,
                       std::span<const std::int32_t> ids) const {
    const std::size_t width = all.value(prefix + "words.weight").cols();
    Matrix<Real> out(segs.total(), width);
    reference::embedding_forward<Real>(all.value(prefix + "words.weight"), ids, out.view());
    const auto add_rows = [&](MatrixView<const Real> table) {
      const Matrix<Real> words = out;
      reference::position_embedding_forward<Real>(table, segs, {}, words.view(), out.view());
    };
    if (positions == Positions::learned) add_rows(all.value(prefix + "positions.weight"));
    if (positions == Positions::sinusoidal) {
      Matrix<Real> table(segs.longest(), width);
      reference::sinusoidal_positions<Real>(table.view());
      add_rows(std::as_const(table).view());
    }
    dropout(pass, dropout_share, op, out);
    return out;
  }
  void backward(const Pass& pass, const Segments& segs, std::span<const std::int32_t> ids,
                const Matrix<Real>& d_out) const {
    const Shards shards = shards_of_pass(pass, segs.total());
    Matrix<Real> d_rows = d_out;
    dropout(pass, dropout_share, op, d_rows);
    const MatrixView<const Real> d = std::as_const(d_rows).view();
    if (positions == Positions::learned) {
      reference::position_embedding_backward<Real>(segs, {}, d, shards,
                                                   all.gradient(prefix + "positions.weight"));
    }
    reference::embedding_backward<Real>(ids, d, shards, all.gradient(prefix + "words.weight"));
  }
};

/// Parameters `prefix`.weight and `prefix`.bias.
template <class Real>
struct ReferenceLinear {
  const NamedParameters<Real>& all;
  std::string prefix;

  Matrix<Real> forward(const Matrix<Real>& x) const {
    Matrix<Real> y(x.rows(), all.value(prefix + ".weight").rows());
    reference::linear_forward<Real>(x.view(), all.value(prefix + ".weight"),
                                    all.values(prefix + ".bias"), y.view());
    return y;
  }
  Matrix<Real> backward(const Pass& pass, const Matrix<Real>& d_y, const Matrix<Real>& x) const {
    const Shards shards = shards_of_pass(pass, x.rows());
    Matrix<Real> d_x(x.rows(), x.cols());
    reference::linear_backward_input<Real>(d_y.view(), all.value(prefix + ".weight"), d_x.view());
    reference::linear_backward_weight<Real>(d_y.view(), x.view(), shards,
                                            all.gradient(prefix + ".weight"));
    reference::sum_rows<Real>(d_y.view(), shards, all.gradients(prefix + ".bias"));
    return d_x;
  }
};

template <class Real>
struct ReferenceNorm {
  const NamedParameters<Real>& all;
  std::string prefix;
  NormKind kind;
  Real epsilon;
  Matrix<Real> x, mean, rstd;  // of the last forward

  Matrix<Real> forward(const Matrix<Real>& in) {
    x = in;
    mean = Matrix<Real>(x.rows(), 1);
    rstd = Matrix<Real>(x.rows(), 1);
    Matrix<Real> y(x.rows(), x.cols());
    const auto gamma = all.values(prefix + ".weight");
    if (kind == NormKind::layer) {
      reference::layer_norm_forward<Real>(in.view(), gamma, all.values(prefix + ".bias"), epsilon,
                                          y.view(), mean.cells(), rstd.cells());
    } else {
      reference::rms_norm_forward<Real>(in.view(), gamma, epsilon, y.view(), rstd.cells());
    }
    return y;
  }
  Matrix<Real> backward(const Pass& pass, const Matrix<Real>& d_y) const {
    const Shards shards = shards_of_pass(pass, x.rows());
    Matrix<Real> d_x(x.rows(), x.cols());
    const auto gamma = all.values(prefix + ".weight");
    const auto d_gamma = all.gradients(prefix + ".weight");
    if (kind == NormKind::layer) {
      reference::layer_norm_backward_weight<Real>(d_y.view(), x.view(), mean.cells(), rstd.cells(),
                                                  shards, d_gamma, all.gradients(prefix + ".bias"));
      reference::layer_norm_backward_input<Real>(d_y.view(), x.view(), gamma, mean.cells(),
                                                 rstd.cells(), d_x.view());
    } else {
      reference::rms_norm_backward_weight<Real>(d_y.view(), x.view(), rstd.cells(), shards,
                                                d_gamma);
      reference::rms_norm_backward_input<Real>(d_y.view(), x.view(), gamma, rstd.cells(),
                                               d_x.view());
    }
    return d_x;
  }
};

/// Parameters projection.weight, projection.bias and context.
template <class Real>
struct ReferenceAdditiveAttentionPooling {
  const NamedParameters<Real>& all;
  std::string prefix;

  Matrix<Real> x, u;  // of the last forward
  std::vector<Real> weights;

  ReferenceLinear<Real> projection() const { return {all, prefix + "projection"}; }

  Matrix<Real> forward(const Matrix<Real>& in, const Segments& segs) {
    x = in;
    u = projection().forward(x);
    std::vector<Real> scores(x.rows());
    weights.assign(x.rows(), Real(0));
    reference::additive_scores_forward<Real>(std::as_const(u).view(),
                                             all.values(prefix + "context"), u.view(), scores);
    Matrix<Real> out(segs.count(), x.cols());
    reference::attention_pool_forward<Real>(in.view(), scores, segs, out.view(), weights);
    return out;
  }
  Matrix<Real> backward(const Pass& pass, const Matrix<Real>& d_out, const Segments& segs) const {
    Matrix<Real> d_x(x.rows(), x.cols()), d_h(u.rows(), u.cols());
    std::vector<Real> d_scores(x.rows());
    reference::attention_pool_backward<Real>(d_out.view(), x.view(), weights, segs, d_x.view(),
                                             d_scores);
    reference::additive_scores_backward<Real>(d_scores, u.view(), all.values(prefix + "context"),
                                              shards_of_pass(pass, x.rows()), d_h.view(),
                                              all.gradients(prefix + "context"));
    add(projection().backward(pass, d_h, x), d_x);
    return d_x;
  }
};

/// Parameters as BiGru's.
template <class Real>
struct ReferenceBiGru {
  const NamedParameters<Real>& all;
  std::string prefix;
  GruReset reset;

  Matrix<Real> x, gates, hidden, out;  // of the last forward

  // The part of a matrix that belongs to one of the two units.
  template <class AnyMatrix>
  static auto half(AnyMatrix& of_both, std::size_t unit) {
    const std::size_t cols = of_both.cols() / 2;
    return of_both.view().cols_at(unit * cols, cols);
  }
  std::string recurrent(std::size_t unit) const {
    return prefix + (unit == 0 ? "forward" : "reversed") + ".recurrent_";
  }

  Matrix<Real> forward(const Matrix<Real>& in, const Segments& segs) {
    x = in;
    const std::size_t cols = all.value(recurrent(0) + "weight").cols();
    gates = Matrix<Real>(x.rows(), 6 * cols);
    hidden = Matrix<Real>(x.rows(), 2 * cols);
    out = Matrix<Real>(x.rows(), 2 * cols);
    reference::linear_forward<Real>(in.view(), all.value(prefix + "input_weight"),
                                    all.values(prefix + "input_bias"), gates.view());
    for (const std::size_t unit : {0u, 1u}) {
      reference::gru_forward<Real>(reset, unit == 1, segs, all.value(recurrent(unit) + "weight"),
                                   all.values(recurrent(unit) + "bias"), half(gates, unit),
                                   half(hidden, unit), half(out, unit));
    }
    return out;
  }
  Matrix<Real> backward(const Pass& pass, const Matrix<Real>& d_out, const Segments& segs) const {
    const Shards shards = shards_of_pass(pass, x.rows());
    Matrix<Real> d_gates(gates.rows(), gates.cols()), d_x(x.rows(), x.cols());
    for (const std::size_t unit : {0u, 1u}) {
      reference::gru_backward<Real>(
          reset, unit == 1, segs, shards, all.value(recurrent(unit) + "weight"), half(d_out, unit),
          half(gates, unit), half(hidden, unit), half(out, unit), half(d_gates, unit),
          all.gradient(recurrent(unit) + "weight"), all.gradients(recurrent(unit) + "bias"));
    }
    const MatrixView<const Real> d = std::as_const(d_gates).view();
    reference::linear_backward_input<Real>(d, all.value(prefix + "input_weight"), d_x.view());
    reference::linear_backward_weight<Real>(d, x.view(), shards,
                                            all.gradient(prefix + "input_weight"));
    reference::sum_rows<Real>(d, shards, all.gradients(prefix + "input_bias"));
    return d_x;
  }
};

/// An attention of x to sources, which may be x itself.
template <class Real>
struct ReferenceMultiHeadAttention {
  const NamedParameters<Real>& all;
  std::string prefix;
  MultiHeadAttentionConfig config;
  std::uint32_t op = 0;

  Matrix<Real> x, sources, q, k, v, attended, top, sum;  // of the last forward
  std::vector<Real> weights;

  ReferenceLinear<Real> linear(const char* name) const { return {all, prefix + name}; }

  reference::Attention<Real> attention(const Segments& queries, const Segments& keys,
                                       const std::vector<float>& slopes) const {
    const float width = static_cast<float>(config.width_of_a_head());
    return {.heads = config.heads,
            .key_heads = config.heads_of_keys(),
            .scale = Real(1 / std::sqrt(width)),
            .attend = config.attend,
            .slopes = slopes,
            .threshold = drop_threshold_of(config.dropout),
            .op = op,
            .q = q.view(),
            .k = k.view(),
            .v = v.view(),
            .queries = &queries,
            .keys = &keys};
  }
  void turn(bool back, std::size_t heads, const Segments& segs, Matrix<Real>& rows) const {
    if (config.rotary == nullptr) return;
    const Matrix<Real> before = rows;
    constexpr double kBase = 10000;  // the table's own, by default
    reference::rope<Real>(before.view(), segs, {}, heads, config.rotary->width(),
                          config.rotary->pairing(), kBase, back, rows.view());
  }
  std::vector<float> slopes() const {
    return config.alibi ? alibi_slopes(config.heads) : std::vector<float>();
  }

  Matrix<Real> forward(const Pass& pass, const Matrix<Real>& in, const Segments& queries,
                       const Matrix<Real>& asked, const Segments& keys) {
    x = in;
    sources = asked;
    q = linear("query").forward(x);
    k = linear("key").forward(sources);
    turn(false, config.heads, queries, q);
    turn(false, config.heads_of_keys(), keys, k);
    v = linear("value").forward(sources);
    attended = Matrix<Real>(x.rows(), q.cols());
    top = Matrix<Real>(x.rows(), config.heads);
    sum = Matrix<Real>(x.rows(), config.heads);
    std::size_t count = 0;
    for (std::size_t b = 0; b < queries.count(); ++b) {
      count += config.heads * queries.length(b) * keys.length(b);
    }
    weights.assign(count, Real(0));
    const std::vector<float> slopes_held = slopes();
    attention(queries, keys, slopes_held)
        .forward(pass, attended.view(), top.view(), sum.view(), weights);
    return linear("output").forward(attended);
  }

  /// The gradients of x and of sources.
  std::pair<Matrix<Real>, Matrix<Real>> backward(const Pass& pass, const Pass& source_pass,
                                                 const Matrix<Real>& d_out, const Segments& queries,
                                                 const Segments& keys) {
    const Matrix<Real> d_attended = linear("output").backward(pass, d_out, attended);
    Matrix<Real> d_q(q.rows(), q.cols()), d_k(k.rows(), k.cols()), d_v(v.rows(), v.cols());
    const std::vector<float> slopes_held = slopes();
    attention(queries, keys, slopes_held)
        .backward(pass, d_attended.view(), attended.view(), top.view(), sum.view(), d_q.view(),
                  d_k.view(), d_v.view(), {}, {});
    turn(true, config.heads, queries, d_q);
    turn(true, config.heads_of_keys(), keys, d_k);
    Matrix<Real> d_x = linear("query").backward(pass, d_q, x);
    Matrix<Real> d_sources = linear("key").backward(source_pass, d_k, sources);
    add(linear("value").backward(source_pass, d_v, sources), d_sources);
    return {std::move(d_x), std::move(d_sources)};
  }
};

template <class Real>
struct ReferenceFeedForward {
  const NamedParameters<Real>& all;
  std::string prefix;
  FeedForwardConfig config;
  std::uint32_t op = 0;

  Matrix<Real> x, input, gate, hidden;  // of the last forward

  ReferenceLinear<Real> linear(const char* name) const { return {all, prefix + name}; }
  Matrix<Real> activated(const Matrix<Real>& in) const {
    Matrix<Real> out(in.rows(), in.cols());
    reference::activation_forward<Real>(config.activation, in.view(), out.view());
    return out;
  }

  Matrix<Real> forward(const Pass& pass, const Matrix<Real>& in) {
    x = in;
    input = linear("input").forward(x);
    if (config.gated) {
      gate = linear("gate").forward(x);
      hidden = activated(gate);
      multiply(input, hidden);
    } else {
      hidden = activated(input);
    }
    dropout(pass, config.dropout, op, hidden);
    return linear("output").forward(hidden);
  }
  Matrix<Real> backward(const Pass& pass, const Matrix<Real>& d_out) const {
    Matrix<Real> d_hidden = linear("output").backward(pass, d_out, hidden);
    dropout(pass, config.dropout, op, d_hidden);
    const auto through = [&](const Matrix<Real>& d_y, const Matrix<Real>& in) {
      Matrix<Real> d_in(in.rows(), in.cols());
      reference::activation_backward<Real>(config.activation, d_y.view(), in.view(), d_in.view());
      return d_in;
    };
    if (!config.gated) return linear("input").backward(pass, through(d_hidden, input), x);
    Matrix<Real> d_input = activated(gate);
    multiply(d_hidden, d_input);
    Matrix<Real> d_x = linear("input").backward(pass, d_input, x);
    multiply(input, d_hidden);
    add(linear("gate").backward(pass, through(d_hidden, gate), x), d_x);
    return d_x;
  }
};

/// out = x + dropout(inner(norm(x))), or norm(x + dropout(inner(x))).
template <class Real>
struct ReferenceSublayer {
  ReferenceNorm<Real> norm;
  NormPlace place;
  float dropout_share;
  std::uint32_t op = 0;

  ReferenceSublayer(const NamedParameters<Real>& all, const std::string& prefix,
                    const BlockConfig& config, std::uint32_t op_number)
      : norm{all, prefix, config.norm, Real(config.epsilon), {}, {}, {}},
        place(config.norm_place),
        dropout_share(config.dropout),
        op(op_number) {}

  template <class Inner>
  Matrix<Real> forward(const Pass& pass, const Matrix<Real>& x, Inner inner) {
    Matrix<Real> y = inner(place == NormPlace::pre ? norm.forward(x) : x);
    dropout(pass, dropout_share, op, y);
    add(x, y);
    return place == NormPlace::pre ? y : norm.forward(y);
  }
  template <class Inner>
  Matrix<Real> backward(const Pass& pass, const Matrix<Real>& d_out, Inner inner) {
    const Matrix<Real> d_sum = place == NormPlace::pre ? d_out : norm.backward(pass, d_out);
    Matrix<Real> d_y = d_sum;
    dropout(pass, dropout_share, op, d_y);
    Matrix<Real> d_x = inner(d_y);
    if (place == NormPlace::pre) d_x = norm.backward(pass, d_x);
    add(d_sum, d_x);
    return d_x;
  }
};

template <class Real>
struct ReferenceEncoderBlock {
  ReferenceMultiHeadAttention<Real> attention;
  ReferenceSublayer<Real> attention_sublayer;
  ReferenceFeedForward<Real> feed_forward;
  ReferenceSublayer<Real> feed_forward_sublayer;

  ReferenceEncoderBlock(const NamedParameters<Real>& all, const std::string& prefix,
                        const BlockConfig& config, std::uint32_t op)
      : attention{.all = all,
                  .prefix = prefix + "attention.",
                  .config = config.attention(Attend::full()),
                  .op = op},
        attention_sublayer(all, prefix + "attention_norm", config, op + 1),
        feed_forward{.all = all,
                     .prefix = prefix + "feed_forward.",
                     .config = config.feed_forward_config(),
                     .op = op + 2},
        feed_forward_sublayer(all, prefix + "feed_forward_norm", config, op + 3) {}

  Matrix<Real> forward(const Pass& pass, const Matrix<Real>& x, const Segments& segs) {
    const Matrix<Real> middle = attention_sublayer.forward(pass, x, [&](const Matrix<Real>& rows) {
      return attention.forward(pass, rows, segs, rows, segs);
    });
    return feed_forward_sublayer.forward(
        pass, middle, [&](const Matrix<Real>& rows) { return feed_forward.forward(pass, rows); });
  }
  Matrix<Real> backward(const Pass& pass, const Matrix<Real>& d_out, const Segments& segs) {
    const Matrix<Real> d_middle = feed_forward_sublayer.backward(
        pass, d_out, [&](const Matrix<Real>& d_y) { return feed_forward.backward(pass, d_y); });
    return attention_sublayer.backward(pass, d_middle, [&](const Matrix<Real>& d_y) {
      auto [d_x, d_sources] = attention.backward(pass, pass, d_y, segs, segs);
      add(d_sources, d_x);
      return std::move(d_x);
    });
  }
};

template <class Real>
struct ReferenceDecoderBlock {
  ReferenceMultiHeadAttention<Real> self;
  ReferenceSublayer<Real> self_sublayer;
  ReferenceMultiHeadAttention<Real> cross;
  ReferenceSublayer<Real> cross_sublayer;
  ReferenceFeedForward<Real> feed_forward;
  ReferenceSublayer<Real> feed_forward_sublayer;

  ReferenceDecoderBlock(const NamedParameters<Real>& all, const std::string& prefix,
                        const BlockConfig& config, const Attend& causal, std::uint32_t op)
      : self{.all = all,
             .prefix = prefix + "self_attention.",
             .config = config.attention(causal),
             .op = op},
        self_sublayer(all, prefix + "self_attention_norm", config, op + 1),
        cross{.all = all,
              .prefix = prefix + "cross_attention.",
              .config = config.cross_attention(),
              .op = op + 2},
        cross_sublayer(all, prefix + "cross_attention_norm", config, op + 3),
        feed_forward{.all = all,
                     .prefix = prefix + "feed_forward.",
                     .config = config.feed_forward_config(),
                     .op = op + 4},
        feed_forward_sublayer(all, prefix + "feed_forward_norm", config, op + 5) {}

  Matrix<Real> forward(const Pass& pass, const Matrix<Real>& x, const Segments& segs,
                       const Matrix<Real>& sources, const Segments& source_segs) {
    const Matrix<Real> after_self = self_sublayer.forward(pass, x, [&](const Matrix<Real>& rows) {
      return self.forward(pass, rows, segs, rows, segs);
    });
    const Matrix<Real> after_cross =
        cross_sublayer.forward(pass, after_self, [&](const Matrix<Real>& rows) {
          return cross.forward(pass, rows, segs, sources, source_segs);
        });
    return feed_forward_sublayer.forward(pass, after_cross, [&](const Matrix<Real>& rows) {
      return feed_forward.forward(pass, rows);
    });
  }
  /// The gradients of x and of the sources.
  std::pair<Matrix<Real>, Matrix<Real>> backward(const Pass& pass, const Pass& source_pass,
                                                 const Matrix<Real>& d_out, const Segments& segs,
                                                 const Segments& source_segs) {
    const Matrix<Real> d_after_cross = feed_forward_sublayer.backward(
        pass, d_out, [&](const Matrix<Real>& d_y) { return feed_forward.backward(pass, d_y); });
    Matrix<Real> d_sources;
    const Matrix<Real> d_after_self =
        cross_sublayer.backward(pass, d_after_cross, [&](const Matrix<Real>& d_y) {
          auto [d_x, d_asked] = cross.backward(pass, source_pass, d_y, segs, source_segs);
          d_sources = std::move(d_asked);
          return std::move(d_x);
        });
    Matrix<Real> d_x = self_sublayer.backward(pass, d_after_self, [&](const Matrix<Real>& d_y) {
      auto [d_rows, d_own] = self.backward(pass, pass, d_y, segs, segs);
      add(d_own, d_rows);
      return std::move(d_rows);
    });
    return {std::move(d_x), std::move(d_sources)};
  }
};

}  // namespace padless::testing
