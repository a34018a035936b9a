// The kinds of model that read a text, behind one type. Another kind is one more alternative of the
// two variants below and one more Kind in network.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "padless/batch/nested.h"
#include "padless/batch/nested_pass.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/rng.h"
#include "padless/core/runtime.h"
#include "padless/io/json.h"
#include "padless/models/han.h"
#include "padless/models/transformer_encoder.h"
#include "padless/train/trainee.h"

namespace padless {

/// The numbers that make a network, of whatever kind.
using NetworkConfig = std::variant<HanConfig, TransformerEncoderConfig>;

/// The kinds by their names in config.json and on the command line, in the variant's order.
PADLESS_API std::vector<std::string> network_kinds();
PADLESS_API std::string_view kind_of(const NetworkConfig& config);
/// V and K: ids are below the first, and a text gets so many scores.
PADLESS_API std::size_t vocabulary_of(const NetworkConfig& config);
PADLESS_API std::size_t outputs_of(const NetworkConfig& config);
/// The same configuration for so many words and scores.
PADLESS_API NetworkConfig with_sizes(NetworkConfig config, std::size_t vocabulary,
                                     std::size_t outputs);
/// The words of a text that it reads, at most; nothing where it reads any number.
PADLESS_API std::optional<std::size_t> longest_of(const NetworkConfig& config);
/// Throws ValueError, beginning with `where`, for one that scores each word in place of the text.
PADLESS_API void require_scores_of_texts(const NetworkConfig& config, std::string_view where);
/// How many numbers it learns.
PADLESS_API double parameters_of(const NetworkConfig& config);
/// Adds "model", the kind, and every number of the configuration to an object.
PADLESS_API void write_config(const NetworkConfig& config, Json& to);
/// Reads what write_config wrote. Throws FormatError, ValueError for sizes that make no
/// network.
PADLESS_API NetworkConfig read_network_config(const JsonView& config);

/// Where a network looked in one text.
struct NetworkAttention {
  std::vector<float> words;      ///< one a word; they add up to 1 in each sentence
  std::vector<float> sentences;  ///< one a sentence; they add up to 1
};

/// A model of documents, of one of the kinds.
class PADLESS_API Network {
 public:
  /// With first values. Throws ValueError for sizes that make no network.
  Network(const NetworkConfig& config, Rng& rng);

  NetworkConfig config() const;
  /// All parameters with their names in a file, always in the same order.
  std::vector<NamedParameter> parameters();
  /// What a trainer sees of it; the network has to outlive that.
  std::unique_ptr<Trainee> trainee();

  /// ids [T] of the pass's D documents -> out [D, K], or [T, K] where it scores words (written).
  void forward(Runtime& runtime, const NestedPass& pass, std::span<const std::int32_t> ids,
               MatrixView<float> out) const;
  /// The same to the same bits, for one document, and where it looked.
  NetworkAttention forward_and_attend(Runtime& runtime, const NestedSegments& document,
                                      std::span<const std::int32_t> ids,
                                      MatrixView<float> out) const;

 private:
  std::variant<Han, TransformerEncoder> model_;
};

}  // namespace padless
