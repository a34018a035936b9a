#include "padless/study/classification.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "padless/batch/bucket.h"
#include "padless/core/error.h"
#include "padless/study/best_epoch.h"
#include "padless/study/statistics.h"
#include "padless/study/test_set.h"
#include "padless/text/document.h"
#include "padless/train/scores.h"

namespace padless::study {
namespace {

const std::string kWordAttention = "word_attention";
const std::string kSentenceAttention = "sentence_attention";

// Test texts of which every word's score is computed in double: enough for quantiles and means.
constexpr std::size_t kScoredTexts = 256;

void note_pad_scores(Contestant& contestant, ClassificationRun& run) {
  run.word_pad_scores.push_back(contestant.scorer(kWordAttention).pad_score());
  run.sentence_pad_scores.push_back(contestant.scorer(kSentenceAttention).pad_score());
}

void train(Runtime& runtime, Contestant& contestant, const PreparedTexts& texts,
           const TrainOptions& options, ClassificationRun& run,
           const std::function<void(double share)>& progress) {
  note_pad_scores(contestant, run);
  const TrainingSummary summary = train_to_best_epoch(
      runtime, contestant.trainee(), texts, options, [&] { note_pad_scores(contestant, run); },
      progress);
  run.epochs = summary.epochs;
  run.best_epoch = summary.best_epoch;
  run.validation_accuracy = summary.best_score;
  run.training_words_per_second = summary.words_per_second;
}

// Sequences by how many pads they have: 0, 1, 2-3, 4-7, 8-15, ...
class PadBins {
 public:
  void add(std::size_t pads, double lost) {
    std::size_t low = 0;
    for (std::size_t next = 1; next <= pads; next *= 2) low = next;
    LossByPads& bin = bins_[low];
    bin.low = low;
    bin.high = low == 0 ? 0 : 2 * low - 1;
    bin.mean_mass_lost += lost;  // the sum, until it is finished
    ++bin.sequences;
  }
  std::vector<LossByPads> means() const {
    std::vector<LossByPads> out;
    for (const auto& [low, bin] : bins_) {
      out.push_back(bin);
      out.back().mean_mass_lost /= static_cast<double>(bin.sequences);
    }
    return out;
  }

 private:
  std::map<std::size_t, LossByPads> bins_;
};

// Of the rows that attention ran over, those that are not real.
double pad_share(std::size_t rows, std::size_t real) {
  return rows == 0 ? 0 : static_cast<double>(rows - real) / static_cast<double>(rows);
}

void measure_losses(Runtime& runtime, Contestant& contestant, const Examples& test,
                    std::size_t batch_documents, ClassificationRun& run) {
  PadBins words, sentences;
  std::size_t words_read = 0, word_rows = 0, sentences_read = 0, sentence_rows = 0;
  const Batches batches = in_arrival_order(test.size(), batch_documents);
  for (std::size_t i = 0; i < batches.count(); ++i) {
    const BatchAttention seen = contestant.attention(runtime, gather(test, batches[i]));
    for (std::size_t s = 0; s < seen.word_pads.size(); ++s) {
      words.add(seen.word_pads[s], seen.word_mass_lost[s]);
    }
    for (std::size_t d = 0; d < seen.sentence_pads.size(); ++d) {
      sentences.add(seen.sentence_pads[d], seen.sentence_mass_lost[d]);
    }
    words_read += seen.word_weights.size();
    word_rows += seen.word_rows;
    sentences_read += seen.sentence_weights.size();
    sentence_rows += seen.sentence_rows;
  }
  run.word_loss = words.means();
  run.sentence_loss = sentences.means();
  run.word_pad_share = pad_share(word_rows, words_read);
  run.sentence_pad_share = pad_share(sentence_rows, sentences_read);
}

std::vector<double> scores_of_rows(const AttentionScorer& scorer, const Matrix<float>& rows) {
  std::vector<double> scores;
  scores.reserve(rows.rows());
  for (std::size_t t = 0; t < rows.rows(); ++t) scores.push_back(scorer.score(rows.row(t)));
  return scores;
}

ScoreLevels levels(const AttentionScorer& scorer, std::span<const double> scores) {
  ScoreLevels result{.pad = scorer.pad_score()};
  if (scores.empty()) return result;
  result.low = quantile(scores, 0.05);
  result.median = quantile(scores, 0.5);
  result.high = quantile(scores, 0.95);
  return result;
}

void measure_scores(Runtime& runtime, Contestant& contestant, const Examples& test,
                    ClassificationRun& run) {
  std::vector<std::size_t> items(std::min(test.size(), kScoredTexts));
  std::iota(items.begin(), items.end(), std::size_t{0});
  const ExampleBatch batch = gather(test, items);
  const PooledRows rows = contestant.pooled_rows(runtime, batch);
  const AttentionScorer word_scorer = contestant.scorer(kWordAttention);
  const AttentionScorer sentence_scorer = contestant.scorer(kSentenceAttention);
  const std::vector<double> words = scores_of_rows(word_scorer, rows.words);
  run.word_scores = levels(word_scorer, words);
  run.sentence_scores = levels(sentence_scorer, scores_of_rows(sentence_scorer, rows.sentences));

  const NestedSegments kept = batch.nested.without_empty_sentences();
  const Segments& sentences = kept.sentences();
  for (const std::size_t pads : kPadAmounts) {
    double sum = 0;
    for (std::size_t s = 0; s < sentences.count(); ++s) {
      sum += mass_lost(std::span(words).subspan(sentences[s].begin, sentences.length(s)),
                       run.word_scores.pad, pads);
    }
    run.mean_mass_lost.push_back(
        sentences.count() == 0 ? 0 : sum / static_cast<double>(sentences.count()));
  }
}

// What one seed's models say of the test texts, for the choice of the example.
struct Answers {
  std::unique_ptr<Contestant> contestant;
  std::vector<std::int32_t> in_company, alone;
};

Answers ask(Runtime& runtime, std::unique_ptr<Contestant> contestant, const Examples& test,
            const ClassificationOptions& options, ClassificationRun& run) {
  Trainee& model = contestant->trainee();
  const Matrix<float> company = scores_in_batches(runtime, model, test, options.evaluation_batch);
  const Matrix<float> alone = scores_in_batches(runtime, model, test, 1);
  Answers answers{.in_company = best_classes(company.view()), .alone = best_classes(alone.view())};
  run.test = classification_metrics(answers.in_company, test.labels, model.outputs());
  run.test_alone = classification_metrics(answers.alone, test.labels, model.outputs());
  run.company = disagreement(company.view(), alone.view());
  measure_losses(runtime, *contestant, test, options.evaluation_batch, run);
  measure_scores(runtime, *contestant, test, run);
  answers.contestant = std::move(contestant);
  return answers;
}

// A text that fits a screen; one whose label changes with its company, if there is any.
std::size_t choose_example(const Examples& test, const Answers& padded) {
  constexpr std::size_t kFewestWords = 20, kMostWords = 70, kFewestSentences = 2;
  std::optional<std::size_t> fitting, changing;
  for (std::size_t d = 0; d < test.size(); ++d) {
    const DocumentIds& document = test.documents[d];
    const bool fits = document.words.size() >= kFewestWords &&
                      document.words.size() <= kMostWords &&
                      document.sentence_lengths.size() >= kFewestSentences;
    if (!fits) continue;
    if (!fitting) fitting = d;
    if (!changing && padded.in_company[d] != padded.alone[d]) changing = d;
  }
  return changing.value_or(fitting.value_or(0));
}

AttendedExample look_at(Runtime& runtime, const LabelledSet& set, const PreparedTexts& texts,
                        const TestSet& test, Answers& exact, Answers& padded,
                        std::size_t batch_documents) {
  const std::size_t chosen = choose_example(test.examples, padded);
  const Batches batches = in_arrival_order(test.examples.size(), batch_documents);
  const std::size_t place = chosen % batch_documents;
  const ExampleBatch batch = gather(test.examples, batches[chosen / batch_documents]);
  const NestedSegments kept = batch.nested.without_empty_sentences();
  const Segments::Rows sentences = kept.documents()[place];
  const Segments::Rows words = kept.words()[place];

  AttendedExample example;
  const Document document(set.texts[test.items[chosen]], texts.tokenizer);
  for (std::size_t w = 0; w < document.word_count(); ++w) {
    example.words.emplace_back(document.word(w));
  }
  for (std::size_t s = sentences.begin; s < sentences.end; ++s) {
    example.sentence_lengths.push_back(kept.sentences().length(s));
  }
  const auto part = [](const auto& values, Segments::Rows rows) {
    const auto span = std::span(values).subspan(rows.begin, rows.size());
    return std::vector(span.begin(), span.end());
  };
  const BatchAttention by_exact = exact.contestant->attention(runtime, batch);
  example.exact_words = part(by_exact.word_weights, words);
  example.exact_sentences = part(by_exact.sentence_weights, sentences);
  const BatchAttention by_padded = padded.contestant->attention(runtime, batch);
  example.padded_words = part(by_padded.word_weights, words);
  example.padded_sentences = part(by_padded.sentence_weights, sentences);
  example.word_pads = part(by_padded.word_pads, sentences);
  example.word_mass_lost = part(by_padded.word_mass_lost, sentences);
  example.sentence_pads = by_padded.sentence_pads[place];
  example.sentence_mass_lost = by_padded.sentence_mass_lost[place];

  const auto label = [&texts](std::int32_t id) {
    return id < 0 ? std::string("?") : texts.labels[static_cast<std::size_t>(id)];
  };
  example.label = set.labels[test.items[chosen]];
  example.exact_prediction = label(exact.in_company[chosen]);
  example.padded_prediction = label(padded.in_company[chosen]);
  example.padded_prediction_alone = label(padded.alone[chosen]);
  return example;
}

Batches epoch_batches(const Examples& train, const TrainOptions& options) {
  return bucket(structure(train).words(),
                {.seed = options.seed,
                 .batch_tokens = options.batch_tokens,
                 .batch_items = options.batch_documents,
                 .window = options.window},
                0);
}

}  // namespace

std::vector<double> Classification::of(
    Setting setting, const std::function<double(const ClassificationRun&)>& number) const {
  std::vector<double> out;
  for (const ClassificationRun& run : runs) {
    if (run.setting == setting) out.push_back(number(run));
  }
  return out;
}

Classification run_classification(Runtime& runtime, const LabelledSet& set,
                                  const ClassificationOptions& options,
                                  const ClassificationProgress& progress) {
  require_value(!options.seeds.empty(), "study: there are no seeds");
  progress("reading the texts", 0);
  TextTraining training = options.training;
  training.options.seed = options.seeds.front();
  const PreparedTexts texts = prepare_texts(set, training);
  const TestSet test = test_set(set, texts);

  Classification result{.train_texts = texts.train.size(),
                        .validation_texts = texts.validation.size(),
                        .test_texts = test.examples.size(),
                        .classes = texts.labels.size(),
                        .vocabulary = texts.vocabulary.size(),
                        .train_words = structure(texts.train).sentences().total(),
                        .words_cut = texts.words_cut,
                        .parameters = parameters_of(texts.network),
                        .evaluation_batch = options.evaluation_batch};
  result.training_padding =
      padding(structure(texts.train), epoch_batches(texts.train, training.options)).share();
  result.test_padding = padding(structure(test.examples),
                                in_arrival_order(test.examples.size(), options.evaluation_batch))
                            .share();

  const double runs = static_cast<double>(options.seeds.size() * kSettings.size());
  for (const std::uint64_t seed : options.seeds) {
    training.options.seed = seed;
    Rng rng(seed);
    Han start(std::get<HanConfig>(texts.network), rng);
    std::map<Setting, Answers> answers;
    for (const Setting setting : kSettings) {
      const double done = static_cast<double>(result.runs.size()) / runs;
      const std::string doing = message("training ", setting_name(setting), ", seed ", seed);
      ClassificationRun run{.setting = setting, .seed = seed};
      std::unique_ptr<Contestant> contestant = Contestant::make(setting, start);
      train(runtime, *contestant, texts, training.options, run,
            [&](double share) { progress(doing, done + share / runs); });
      answers[setting] = ask(runtime, std::move(contestant), test.examples, options, run);
      result.runs.push_back(std::move(run));
    }
    if (seed == options.seeds.front()) {
      result.example = look_at(runtime, set, texts, test, answers[Setting::exact],
                               answers[Setting::no_mask], options.evaluation_batch);
    }
  }
  return result;
}

}  // namespace padless::study
