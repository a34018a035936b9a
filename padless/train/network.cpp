#include "padless/train/network.h"

#include <optional>
#include <span>
#include <type_traits>

#include "padless/core/error.h"
#include "padless/train/encoder_json.h"
#include "padless/train/han_json.h"

namespace padless {
namespace {

/// What has to be known of a kind beside the public part that all models share.
template <class Config>
struct Kind;

template <>
struct Kind<HanConfig> {
  using Model = Han;
  static constexpr std::string_view kName = "han";
  static HanConfig read(const JsonView& config) { return read_han_config(config); }
  static std::optional<std::size_t> longest(const HanConfig&) { return std::nullopt; }
  static bool scores_words(const HanConfig&) { return false; }
  static void keep(Han::Saved&) {}
  static NetworkAttention attention(Runtime&, const Han&, const NestedPass&,
                                    const Han::Saved& saved, const NestedSegments& document) {
    return {.words = {saved.word_pool.weights.begin(), saved.word_pool.weights.end()},
            .sentences = sentence_weights(saved, document)};
  }
};

/// An encoder weighs the words of a whole text: a sentence's weight is the sum of its words'.
template <>
struct Kind<TransformerEncoderConfig> {
  using Model = TransformerEncoder;
  static constexpr std::string_view kName = "encoder";
  static TransformerEncoderConfig read(const JsonView& config) {
    return read_encoder_config(config);
  }
  static std::optional<std::size_t> longest(const TransformerEncoderConfig& config) {
    return config.max_length;
  }
  static bool scores_words(const TransformerEncoderConfig& config) {
    return config.pooling == EncoderPooling::per_token;
  }
  static void keep(TransformerEncoder::Saved& saved) { saved.stack.keep = true; }
  static NetworkAttention attention(Runtime& runtime, const TransformerEncoder& model,
                                    const NestedPass& pass, const TransformerEncoder::Saved& saved,
                                    const NestedSegments& document) {
    const Segments& sentences = document.sentences();
    NetworkAttention attention{.words = std::vector<float>(sentences.total()),
                               .sentences = std::vector<float>(sentences.count(), 0.0f)};
    model.word_weights(runtime, pass, saved, attention.words);
    for (std::size_t s = 0; s < sentences.count(); ++s) {
      const auto words =
          std::span(attention.words).subspan(sentences[s].begin, sentences.length(s));
      float& sum = attention.sentences[s];
      for (const float weight : words) sum = sum + weight;
      for (float& weight : words) weight = sum > 0 ? weight / sum : 0.0f;
    }
    return attention;
  }
};

template <class Config>
using KindOf = Kind<std::remove_cvref_t<Config>>;

template <class... Configs>
std::vector<std::string> names_of(const std::variant<Configs...>*) {
  return {std::string(Kind<Configs>::kName)...};
}

template <class... Configs>
std::optional<NetworkConfig> read_as(std::string_view name, const JsonView& config,
                                     const std::variant<Configs...>*) {
  std::optional<NetworkConfig> read;
  const auto try_kind = [&]<class Config>(std::type_identity<Config>) {
    if (name == Kind<Config>::kName) read = Kind<Config>::read(config);
  };
  (try_kind(std::type_identity<Configs>()), ...);
  return read;
}

constexpr const NetworkConfig* kKinds = nullptr;  // for its type alone

}  // namespace

std::vector<std::string> network_kinds() { return names_of(kKinds); }

std::string_view kind_of(const NetworkConfig& config) {
  return std::visit([](const auto& of) { return KindOf<decltype(of)>::kName; }, config);
}

std::size_t vocabulary_of(const NetworkConfig& config) {
  return std::visit([](const auto& of) { return of.vocabulary; }, config);
}

std::size_t outputs_of(const NetworkConfig& config) {
  return std::visit([](const auto& of) { return of.outputs; }, config);
}

NetworkConfig with_sizes(NetworkConfig config, std::size_t vocabulary, std::size_t outputs) {
  std::visit(
      [vocabulary, outputs](auto& of) {
        of.vocabulary = vocabulary;
        of.outputs = outputs;
      },
      config);
  return config;
}

std::optional<std::size_t> longest_of(const NetworkConfig& config) {
  return std::visit([](const auto& of) { return KindOf<decltype(of)>::longest(of); }, config);
}

void require_scores_of_texts(const NetworkConfig& config, std::string_view where) {
  const bool scores_words =
      std::visit([](const auto& of) { return KindOf<decltype(of)>::scores_words(of); }, config);
  require_value(!scores_words, where,
                ": the model's pooling is per-token, which scores each word, expected one that "
                "scores a text");
}

double parameters_of(const NetworkConfig& config) {
  return std::visit([](const auto& of) { return of.parameters(); }, config);
}

void write_config(const NetworkConfig& config, Json& to) {
  to.set("model", kind_of(config));
  std::visit([&to](const auto& of) { write_config(of, to); }, config);
}

NetworkConfig read_network_config(const JsonView& config) {
  const JsonView kind = config.at("model");
  const std::optional<NetworkConfig> read = read_as(kind.as_string(), config, kKinds);
  if (!read) {
    std::string known;
    for (const std::string& name : network_kinds()) {
      known += message(known.empty() ? "" : " or ", '"', name, '"');
    }
    kind.fail(known);
  }
  std::visit([](const auto& of) { of.check(); }, *read);
  return *read;
}

Network::Network(const NetworkConfig& config, Rng& rng)
    : model_(std::visit(
          [&rng](const auto& of) -> decltype(model_) {
            return typename KindOf<decltype(of)>::Model(of, rng);
          },
          config)) {}

NetworkConfig Network::config() const {
  return std::visit([](const auto& model) { return NetworkConfig(model.config()); }, model_);
}

std::unique_ptr<Trainee> Network::trainee() {
  return std::visit(
      [](auto& model) -> std::unique_ptr<Trainee> {
        return std::make_unique<TraineeOf<std::remove_cvref_t<decltype(model)>>>(model);
      },
      model_);
}

std::vector<NamedParameter> Network::parameters() { return trainee()->parameters(); }

void Network::forward(Runtime& runtime, const NestedPass& pass, std::span<const std::int32_t> ids,
                      MatrixView<float> out) const {
  const Arena::Scope scope(runtime.arena());
  std::visit(
      [&](const auto& model) {
        typename std::remove_cvref_t<decltype(model)>::Saved saved;
        model.forward(runtime, pass, ids, out, saved);
      },
      model_);
}

NetworkAttention Network::forward_and_attend(Runtime& runtime, const NestedSegments& document,
                                             std::span<const std::int32_t> ids,
                                             MatrixView<float> out) const {
  const NestedPass pass(document);
  const Arena::Scope scope(runtime.arena());
  return std::visit(
      [&](const auto& model) {
        using Its = KindOf<decltype(model.config())>;
        typename std::remove_cvref_t<decltype(model)>::Saved saved;
        Its::keep(saved);
        model.forward(runtime, pass, ids, out, saved);
        return Its::attention(runtime, model, pass, saved, document);
      },
      model_);
}

}  // namespace padless
