#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "padless/batch/nested.h"
#include "padless/models/han_layers.h"

namespace padless {

/// Hierarchical attention network: words -> bi-GRU -> additive attention -> sentences -> bi-GRU ->
/// additive attention -> document -> scores. A sentence without words is as if it were not there;
/// a document without words gives the head's bias. Source: Yang et al., "Hierarchical attention
/// networks for document classification" (NAACL 2016).
class PADLESS_API Han {
 public:
  using Config = HanConfig;

  /// What forward leaves for backward and for explaining, in the runtime's arena.
  struct Saved : HanLayers::Saved {
    AdditiveAttentionPooling::Saved word_pool;      ///< weights [T]: one a word
    AdditiveAttentionPooling::Saved sentence_pool;  ///< weights: one a kept sentence
  };

  /// Throws as HanConfig::check.
  Han(const HanConfig& config, Rng& rng) : layers_(config, rng) {}

  const HanConfig& config() const { return layers_.config(); }

  /// ids [T] of the T words of the pass's D documents -> out [D, K] (written): scores before the
  /// softmax, or the number. Throws ValueError for an id that is no word of the vocabulary,
  /// ShapeError.
  void forward(Runtime& runtime, const NestedPass& pass, std::span<const std::int32_t> ids,
               MatrixView<float> out, Saved& saved) const;
  /// d_out [D, K], the rest as in forward; adds to the gradient of every parameter.
  void backward(Runtime& runtime, const NestedPass& pass, MatrixView<const float> d_out,
                std::span<const std::int32_t> ids, const Saved& saved);

  /// Calls visit(name, parameter) for every parameter, always in the same order.
  template <class Visit>
  void for_each_parameter(Visit&& visit) {
    layers_.for_each_parameter(std::forward<Visit>(visit));
  }

 private:
  HanLayers layers_;
};

/// The attention over all sentences of `nested`, of which `saved` comes: 0 for sentences without
/// words.
PADLESS_API std::vector<float> sentence_weights(const Han::Saved& saved,
                                                const NestedSegments& nested);

}  // namespace padless
