#include "padless/train/text_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "padless/batch/shards.h"
#include "padless/core/error.h"
#include "padless/core/fp.h"
#include "padless/core/hash.h"
#include "padless/core/quote.h"
#include "padless/io/atomic_file.h"
#include "padless/io/json.h"
#include "padless/io/sealed_safetensors.h"
#include "padless/ops/softmax_cross_entropy.h"
#include "padless/train/examples.h"
#include "padless/train/read_name.h"
#include "padless/train/scores.h"

namespace padless {
namespace {

constexpr std::string_view kFormat = "padless text model";
// A run that goes on writes config.json anew: where this changes, that of checkpoints has to.
constexpr std::size_t kFormatVersion = 2;
// What model.safetensors' metadata call the format of padless, and the checksum of a file beside
// it.
constexpr std::string_view kWeightsFormat = "padless";
constexpr std::string_view kChecksumOf = "checksum of ";
constexpr const char* kConfigName = "config.json";
constexpr const char* kVocabularyName = "vocabulary.txt";
constexpr const char* kWeightsName = "model.safetensors";
constexpr std::size_t kMostConfig = std::size_t{64} << 20;
constexpr std::size_t kMostVocabulary = std::size_t{1} << 31;

Json config_of(const TextModel& model) {
  Json tokenizer = Json::object();
  tokenizer.set("lower_case", model.tokenizer.lower_case)
      .set("lines_are_sentences", model.tokenizer.lines_are_sentences)
      .set("max_words", model.tokenizer.max_words ? Json(*model.tokenizer.max_words) : Json());
  Json config = Json::object();
  config.set("format", kFormat)
      .set("format_version", kFormatVersion)
      .set("contract_version", kContractVersion)
      .set("unicode_version", kUnicodeVersion);
  write_config(model.network.config(), config);
  config.set("tokenizer", tokenizer);
  if (model.vocabulary_limits) {
    config.set("vocabulary_limits", Json::object()
                                        .set("min_count", model.vocabulary_limits->min_count)
                                        .set("max_size", model.vocabulary_limits->max_size));
  }
  config.set("shards", model.shards);
  config.set("answer", name_of(answer_names(), model.answer));
  if (model.answer == Answer::number) {
    config.set("target",
               Json::object().set("mean", model.target_mean).set("scale", model.target_scale));
  } else {
    config.set("labels", Json::array_of(model.labels));
  }
  return config;
}

// Files of another version would be read wrongly in silence: they are refused.
void require_version(const JsonView& place, std::size_t expected) {
  if (place.as_size() != expected) place.fail(message(expected, " (what this padless reads)"));
}

TokenizerSettings read_tokenizer(const JsonView& config) {
  TokenizerSettings settings;
  settings.lower_case = config.at("lower_case").as_bool();
  settings.lines_are_sentences = config.at("lines_are_sentences").as_bool();
  const JsonView max_words = config.at("max_words");
  if (!max_words.value().is_null()) settings.max_words = max_words.as_size(1);
  return settings;
}

// They decide nothing of what a model answers: a folder without them is as good.
std::optional<VocabularyLimits> read_vocabulary_limits(const JsonView& config) {
  const std::optional<JsonView> limits = config.find("vocabulary_limits");
  if (!limits) return std::nullopt;
  return VocabularyLimits{.min_count = limits->at("min_count").as_size(),
                          .max_size = limits->at("max_size").as_size(1, Vocabulary::kMaxSize)};
}

void read_labels(const JsonView& labels, TextModel& model) {
  std::set<std::string> seen;
  for (const JsonView& label : labels.elements()) {
    if (!seen.insert(label.as_string()).second) label.fail("every label once");
    model.labels.push_back(label.as_string());
  }
  const std::size_t outputs = outputs_of(model.network.config());
  if (model.labels.size() != outputs) labels.fail(message(outputs, " labels (its 'outputs')"));
}

void read_target(const JsonView& config, TextModel& model) {
  const JsonView target = config.at("target");
  model.target_mean = target.at("mean").as_double();
  model.target_scale = target.at("scale").as_double();
  if (!(model.target_scale > 0)) target.at("scale").fail("a number above 0");
  if (outputs_of(model.network.config()) != 1)
    config.at("outputs").fail("1 for a model of numbers");
}

// Before memory is taken for a model, its file has to be as large as the configuration says.
void require_size(const SafetensorsFile& file, const std::filesystem::path& path,
                  const NetworkConfig& config) {
  double found = 0;
  for (const TensorInfo& tensor : file.tensors()) found += static_cast<double>(tensor.count);
  const double expected = parameters_of(config);
  if (found != expected) {
    throw FormatError(message(path.string(), ": it holds ", found, " numbers, expected ", expected,
                              " by config.json"));
  }
}

void read_parameters(const SafetensorsFile& file, const std::filesystem::path& path,
                     Network& network) {
  const std::vector<NamedParameter> parameters = network.parameters();
  for (const auto& [name, parameter] : parameters) {
    const TensorInfo& tensor = file.at(name);
    const std::vector<std::size_t> shape = {parameter->value.rows(), parameter->value.cols()};
    if (tensor.shape != shape) {
      throw FormatError(message(path.string(), ": '", name, "' is ", shape_text(tensor.shape),
                                ", expected ", shape_text(shape), " by config.json"));
    }
    file.read(tensor, parameter->value.cells());
    ++parameter->version;
  }
  if (parameters.size() != file.tensors().size()) {
    throw FormatError(message(path.string(), ": it holds ", file.tensors().size(),
                              " tensors, expected ", parameters.size()));
  }
}

const std::string& weights_metadata(const SafetensorsFile& weights,
                                    const std::filesystem::path& path, std::string_view key) {
  if (const std::string* value = weights.find_metadata(key)) return *value;
  throw FormatError(message(path.string(), ": its metadata lack '", key,
                            "', expected it in a file of padless: the file is damaged"));
}

// Whether the file is padless's own, which states checksums: its own, looked at here, and those of
// the files beside it.
bool check_weights(const SafetensorsFile& weights, const std::filesystem::path& path) {
  const bool is_sealed = check_seal(weights, path);
  const std::string* format = weights.find_metadata("format");
  if (format == nullptr || *format != kWeightsFormat) return false;
  if (!is_sealed) weights_metadata(weights, path, kSealKey);
  return true;
}

// Words of another model have other ids, and no length or shape need tell.
void require_saved_with(const SafetensorsFile& weights, const std::filesystem::path& weights_path,
                        const std::filesystem::path& path, std::string_view bytes) {
  const std::string key = std::string(kChecksumOf) + path.filename().string();
  const std::string& expected = weights_metadata(weights, weights_path, key);
  const std::string found = hash_digits(bytes);
  if (found == expected) return;
  throw FormatError(message(path.string(), ": its checksum is ", found, ", expected ",
                            quote(expected), " as ", kWeightsName,
                            " says: it was changed, or belongs to another model"));
}

std::size_t read_shards(const JsonView& shards) {
  if (!Shards::is_count(shards.as_size())) {
    shards.fail(message("a power of two, at most ", Shards::kMost));
  }
  return shards.as_size();
}

/// Texts as a model reads them.
struct TextsRead {
  Examples examples;
  std::vector<std::size_t> words_cut;  ///< one a text
};

TextsRead read_texts(const TextModel& model, std::span<const std::string> texts) {
  TextsRead read;
  read.words_cut.reserve(texts.size());
  for (const std::string& text : texts) {
    const Document document(text, model.tokenizer);
    read.examples.numbers.push_back(read.examples.documents.size());
    read.examples.documents.push_back(look_up(document, model.vocabulary));
    read.words_cut.push_back(document.words_cut());
  }
  return read;
}

// Softmax probabilities [D, K] of scores [D, K].
Matrix<float> probabilities_of(Runtime& runtime, MatrixView<const float> scores) {
  Matrix<float> probabilities(scores.rows(), scores.cols());
  const std::vector<std::int32_t> any_label(scores.rows(), 0);
  softmax_cross_entropy_forward(runtime, {}, scores, any_label, {}, probabilities.view());
  return probabilities;
}

std::vector<TextPrediction> predictions_of(Runtime& runtime, const TextModel& model,
                                           MatrixView<const float> scores) {
  std::vector<TextPrediction> predictions(scores.rows());
  if (model.answer == Answer::number) {
    for (std::size_t d = 0; d < scores.rows(); ++d) {
      predictions[d].value = scores(d, 0) * model.target_scale + model.target_mean;
    }
    return predictions;
  }
  const bool one_class = model.answer == Answer::one_class;
  const Matrix<float> probabilities =
      one_class ? probabilities_of(runtime, scores) : label_probabilities(runtime, scores);
  for (std::size_t d = 0; d < scores.rows(); ++d) {
    predictions[d].scores.assign(probabilities.row(d).begin(), probabilities.row(d).end());
  }
  if (!one_class) return predictions;
  const std::vector<std::int32_t> best = best_classes(scores);
  for (std::size_t d = 0; d < scores.rows(); ++d) {
    predictions[d].label = static_cast<std::size_t>(best[d]);
  }
  return predictions;
}

}  // namespace

const Names<Answer>& answer_names() {
  static const Names<Answer> names = {
      {Answer::one_class, "class"}, {Answer::several_labels, "labels"}, {Answer::number, "number"}};
  return names;
}

std::vector<TextPrediction> predict(Runtime& runtime, const TextModel& model,
                                    std::span<const std::string> texts, std::size_t batch_tokens) {
  require_scores_of_texts(model.network.config(), "predict");
  const FpEnvironment environment;  // also of what is computed between the ops
  const auto forward = [&model](Runtime& with, const NestedPass& pass,
                                std::span<const std::int32_t> ids, MatrixView<float> out) {
    model.network.forward(with, pass, ids, out);
  };
  const TextsRead read = read_texts(model, texts);
  const Matrix<float> scores =
      scores_of(runtime, forward, outputs_of(model.network.config()), read.examples, batch_tokens);
  std::vector<TextPrediction> predictions = predictions_of(runtime, model, scores.view());
  for (std::size_t d = 0; d < predictions.size(); ++d) {
    predictions[d].words_cut = read.words_cut[d];
  }
  return predictions;
}

TextExplanation explain(Runtime& runtime, const TextModel& model, std::string_view text) {
  require_scores_of_texts(model.network.config(), "explain");
  const FpEnvironment environment;  // also of what is computed between the ops
  TextExplanation explanation;
  explanation.document = Document(text, model.tokenizer);
  Examples examples;
  examples.documents.push_back(look_up(explanation.document, model.vocabulary));
  examples.numbers.push_back(0);
  explanation.words_known.reserve(explanation.document.word_count());
  for (const std::int32_t id : examples.documents[0].words) {
    explanation.words_known.push_back(id != Vocabulary::kUnknownId);
  }
  const NestedSegments nested = structure(examples);
  Matrix<float> scores(1, outputs_of(model.network.config()));
  NetworkAttention attention =
      model.network.forward_and_attend(runtime, nested, examples.documents[0].words, scores.view());
  explanation.word_weights = std::move(attention.words);
  explanation.sentence_weights = std::move(attention.sentences);
  explanation.prediction = predictions_of(runtime, model, std::as_const(scores).view())[0];
  explanation.prediction.words_cut = explanation.document.words_cut();
  return explanation;
}

void save_parameters(const std::filesystem::path& file, TextModel& model, const Metadata& more) {
  std::vector<TensorToWrite> tensors;
  for (const auto& [name, parameter] : model.network.parameters()) {
    const Matrix<float>& value = parameter->value;
    tensors.emplace_back(name, std::vector<std::size_t>{value.rows(), value.cols()}, value.cells());
  }
  const auto checksum = [](const char* name, std::string_view bytes) {
    return Metadata::value_type(std::string(kChecksumOf) + name, hash_digits(bytes));
  };
  Metadata metadata = {{"format", std::string(kWeightsFormat)},
                       checksum(kConfigName, config_of(model).pretty()),
                       checksum(kVocabularyName, model.vocabulary.to_text())};
  metadata.insert(metadata.end(), more.begin(), more.end());
  write_sealed_safetensors(file, tensors, std::move(metadata));
}

void save_description(const std::filesystem::path& folder, const TextModel& model) {
  make_folder(folder);
  write_file(folder / kVocabularyName, model.vocabulary.to_text());
  write_file(folder / kConfigName, config_of(model).pretty());
}

void save_text_model(const std::filesystem::path& folder, TextModel& model) {
  make_folder(folder);
  save_parameters(folder / kWeightsName, model);
  save_description(folder, model);
}

TextModel load_text_model(const std::filesystem::path& folder) {
  const std::filesystem::path config_path = folder / kConfigName;
  const std::string config_text = read_file(config_path, kMostConfig);
  const JsonDocument document = JsonDocument::parse(config_text, config_path.string());
  const JsonView config = document.root();
  if (config.at("format").as_string() != kFormat) {
    config.at("format").fail(message('"', kFormat, '"'));
  }
  require_version(config.at("format_version"), kFormatVersion);
  require_version(config.at("contract_version"), kContractVersion);
  if (config.at("unicode_version").as_string() != kUnicodeVersion) {
    config.at("unicode_version")
        .fail(message('"', kUnicodeVersion, "\" (other rules give other words)"));
  }
  const NetworkConfig network = [&] {
    try {
      return read_network_config(config);
    } catch (const ValueError& error) {
      throw FormatError(message(config_path.string(), ": ", error.what()));
    }
  }();
  const std::filesystem::path weights_path = folder / kWeightsName;
  const SafetensorsFile weights(weights_path);
  require_size(weights, weights_path, network);
  const bool is_ours = check_weights(weights, weights_path);

  const std::filesystem::path vocabulary_path = folder / kVocabularyName;
  const std::string vocabulary_text = read_file(vocabulary_path, kMostVocabulary);
  const TokenizerSettings tokenizer = read_tokenizer(config.at("tokenizer"));
  const std::optional<std::size_t> longest = longest_of(network);
  if (longest && (!tokenizer.max_words || *tokenizer.max_words > *longest)) {
    config.at("tokenizer").at("max_words").fail(message("1 to ", *longest, " (its 'max_length')"));
  }
  Rng unused(0);
  TextModel model{.tokenizer = tokenizer,
                  .vocabulary = Vocabulary::from_text(vocabulary_text, vocabulary_path.string()),
                  .vocabulary_limits = read_vocabulary_limits(config),
                  .answer = read_name(config.at("answer"), answer_names()),
                  .labels = {},
                  .shards = read_shards(config.at("shards")),
                  .network = Network(network, unused)};
  if (model.vocabulary.size() != vocabulary_of(network)) {
    throw FormatError(message(vocabulary_path.string(), ": it holds ", model.vocabulary.size(),
                              " words, expected ", vocabulary_of(network), " by config.json"));
  }
  if (model.answer == Answer::number) {
    read_target(config, model);
  } else {
    read_labels(config.at("labels"), model);
  }
  read_parameters(weights, weights_path, model.network);
  // Last, because what a file lacks by itself is told better by name.
  if (is_ours) {
    require_saved_with(weights, weights_path, config_path, config_text);
    require_saved_with(weights, weights_path, vocabulary_path, vocabulary_text);
  }
  return model;
}

}  // namespace padless
