#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "padless/batch/nested_pass.h"
#include "padless/core/matrix.h"
#include "padless/core/parameter.h"
#include "padless/core/runtime.h"
#include "padless/models/transformer_encoder.h"

namespace padless::study {

/// A Transformer encoder as it is when nobody masks: each text is filled up to the longest of the
/// batch with a word of its own, PAD, which has a vector and places like any other, attends, is
/// attended to and is pooled. It is the library's encoder, given such texts: without padding both
/// give the same bits.
class PaddedEncoder {
 public:
  /// What forward leaves for backward; `inner` in the runtime's arena.
  struct Saved {
    std::vector<std::int32_t> ids;     ///< of all slots
    std::unique_ptr<NestedPass> pass;  ///< over all slots
    TransformerEncoder::Saved inner;
  };

  /// PAD is the vocabulary's last word, which no text may use.
  explicit PaddedEncoder(TransformerEncoder start) : encoder_(std::move(start)) {}

  const TransformerEncoderConfig& config() const { return encoder_.config(); }
  std::int32_t pad() const { return static_cast<std::int32_t>(config().vocabulary - 1); }

  /// As TransformerEncoder::forward.
  void forward(Runtime& runtime, const NestedPass& pass, std::span<const std::int32_t> ids,
               MatrixView<float> out, Saved& saved) const;
  /// As TransformerEncoder::backward.
  void backward(Runtime& runtime, const NestedPass& pass, MatrixView<const float> d_out,
                std::span<const std::int32_t> ids, const Saved& saved);

  template <class Visit>
  void for_each_parameter(Visit&& visit) {
    encoder_.for_each_parameter(visit);
  }

 private:
  TransformerEncoder encoder_;
};

}  // namespace padless::study
