#include "padless/train/text_preparation.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "padless/core/error.h"
#include "padless/core/rng.h"

namespace padless {
namespace {

enum class Use { train, validate, leave };

// Which texts train and which validate.
std::vector<Use> uses_of(const LabelledSet& set, const TextTraining& training) {
  bool has_dev = false;
  for (const Split split : set.splits) has_dev = has_dev || split == Split::dev;
  std::vector<Use> uses;
  for (std::size_t i = 0; i < set.texts.size(); ++i) {
    if (!set.splits.empty() && set.splits[i] == Split::test) {
      uses.push_back(Use::leave);
    } else if (has_dev) {
      uses.push_back(set.splits[i] == Split::dev ? Use::validate : Use::train);
    } else {
      const bool validates =
          in_share(training.options.seed, set.rows[i], training.validation_share);
      uses.push_back(validates ? Use::validate : Use::train);
    }
  }
  return uses;
}

// What the training texts decide about the targets.
void standardise(const LabelledSet& set, const std::vector<Use>& uses, double& mean,
                 double& scale) {
  double sum = 0, squares = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (uses[i] != Use::train) continue;
    sum += set.targets[i];
    ++count;
  }
  mean = sum / static_cast<double>(count);
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (uses[i] == Use::train) squares += (set.targets[i] - mean) * (set.targets[i] - mean);
  }
  const double deviation = std::sqrt(squares / static_cast<double>(count));
  scale = deviation > 0 && std::isfinite(deviation) ? deviation : 1;
}

// In the model's units. A number far from all others, as a typing error makes it, has no float
// there.
float standard_target(const LabelledSet& set, std::size_t i, double mean, double scale) {
  const double standard = (set.targets[i] - mean) / scale;
  const auto target = static_cast<float>(standard);
  require_value(std::isfinite(target), "prepare: the target of row ", set.rows[i], " is ",
                set.targets[i], ", which is ", standard, " standard deviations of the training ",
                "texts' targets from their mean ", mean, ", expected one that a float ",
                "can hold");
  return target;
}

Answer answer_of(const LabelledSet& set) {
  if (!set.labels.empty()) return Answer::one_class;
  if (!set.label_sets.empty()) return Answer::several_labels;
  require_value(!set.targets.empty(), "prepare: the texts have neither labels nor targets");
  return Answer::number;
}

template <class Value>
std::vector<Value> of_training(const std::vector<Value>& values, const std::vector<Use>& uses) {
  std::vector<Value> training;
  training.reserve(values.size());
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (uses[i] == Use::train) training.push_back(values[i]);
  }
  return training;
}

// None where numbers are learnt.
std::optional<Classes> classes_of(const LabelledSet& set, const std::vector<Use>& uses,
                                  Answer answer) {
  if (answer == Answer::one_class) return Classes::of(of_training(set.labels, uses));
  if (answer == Answer::several_labels) return Classes::of_sets(of_training(set.label_sets, uses));
  return std::nullopt;
}

std::int32_t id_or_unseen(const Classes& classes, const std::string& label) {
  const std::optional<std::size_t> id = classes.id(label);
  return id ? static_cast<std::int32_t>(*id) : -1;
}

std::vector<std::int32_t> ids_of(const Classes& classes, const std::vector<std::string>& labels) {
  std::vector<std::int32_t> ids;
  ids.reserve(labels.size());
  for (const std::string& label : labels) ids.push_back(id_or_unseen(classes, label));
  std::ranges::sort(ids);  // those unseen to the front
  return ids;
}

}  // namespace

PreparedTexts prepare_texts(const LabelledSet& set, const TextTraining& asked) {
  require_scores_of_texts(asked.model, "prepare");
  TextTraining training = asked;
  if (const auto longest = longest_of(training.model)) {
    std::optional<std::size_t>& most = training.tokenizer.max_words;
    most = std::min(most.value_or(*longest), *longest);
  }
  const std::vector<Use> uses = uses_of(set, training);
  const Answer answer = answer_of(set);

  std::vector<Document> documents;
  VocabularyBuilder builder;
  std::size_t words_cut = 0, train_texts = 0;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    documents.emplace_back(uses[i] == Use::leave ? "" : set.texts[i], training.tokenizer);
    words_cut += documents[i].words_cut();
    if (uses[i] != Use::train) continue;
    builder.add(documents[i]);
    ++train_texts;
  }
  require_value(train_texts > 0 || !set.splits.empty(), "prepare: all ", set.texts.size(),
                " texts validate, by a validation share of ", training.validation_share,
                ", expected some that train: more texts or a smaller share");
  require_value(train_texts > 0, "prepare: of ", set.texts.size(),
                " texts none is for training, expected some whose split is train");

  const std::optional<Classes> classes = classes_of(set, uses, answer);
  Vocabulary vocabulary = builder.build(training.vocabulary);
  const NetworkConfig network =
      with_sizes(training.model, vocabulary.size(), classes ? classes->count() : 1);
  PreparedTexts prepared{.tokenizer = training.tokenizer,
                         .vocabulary = std::move(vocabulary),
                         .answer = answer,
                         .labels = classes ? classes->names() : std::vector<std::string>(),
                         .network = network,
                         .train = {},
                         .validation = {},
                         .words_cut = words_cut};
  if (answer == Answer::number) {
    standardise(set, uses, prepared.target_mean, prepared.target_scale);
  }

  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (uses[i] == Use::leave) continue;
    Examples& to = uses[i] == Use::train ? prepared.train : prepared.validation;
    to.documents.push_back(look_up(documents[i], prepared.vocabulary));
    to.numbers.push_back(set.rows[i]);
    if (!classes) {
      to.targets.push_back(standard_target(set, i, prepared.target_mean, prepared.target_scale));
    } else if (answer == Answer::one_class) {
      to.labels.push_back(id_or_unseen(*classes, set.labels[i]));
      if (to.labels.back() < 0) ++prepared.validation_unseen;
    } else {
      to.label_sets.push_back(ids_of(*classes, set.label_sets[i]));
      const std::vector<std::int32_t>& ids = to.label_sets.back();
      if (!ids.empty() && ids.front() < 0) ++prepared.validation_unseen;
    }
  }
  return prepared;
}

PreparedTraining prepare(const LabelledSet& set, const TextTraining& training) {
  PreparedTexts texts = prepare_texts(set, training);
  Rng rng(training.options.seed);
  return {.model = {.tokenizer = texts.tokenizer,
                    .vocabulary = std::move(texts.vocabulary),
                    .vocabulary_limits = training.vocabulary,
                    .answer = texts.answer,
                    .labels = std::move(texts.labels),
                    .target_mean = texts.target_mean,
                    .target_scale = texts.target_scale,
                    .shards = training.options.shards,
                    .network = Network(texts.network, rng)},
          .train = std::move(texts.train),
          .validation = std::move(texts.validation),
          .words_cut = texts.words_cut,
          .validation_unseen = texts.validation_unseen};
}

}  // namespace padless
