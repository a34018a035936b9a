#include "padless/study/contestant.h"

#include <algorithm>
#include <span>

#include "padless/batch/nested_pass.h"
#include "padless/study/padded_han.h"

namespace padless::study {
namespace {

Matrix<float> copy(MatrixView<const float> view) {
  Matrix<float> out(view.rows(), view.cols());
  for (std::size_t r = 0; r < view.rows(); ++r) std::ranges::copy(view.row(r), out.row(r).begin());
  return out;
}

// Attention over padded sequences, split into that of real rows and that of pads.
void split(std::span<const float> weights, const Segments& segs, const Segments& padded,
           std::vector<float>& real, std::vector<std::size_t>& pads, std::vector<double>& lost) {
  for (std::size_t b = 0; b < segs.count(); ++b) {
    const std::span<const float> row = weights.subspan(padded[b].begin, padded.length(b));
    real.insert(real.end(), row.begin(), row.begin() + static_cast<std::ptrdiff_t>(segs.length(b)));
    double sum = 0;
    for (const float weight : row.subspan(segs.length(b))) sum += static_cast<double>(weight);
    pads.push_back(padded.length(b) - segs.length(b));
    lost.push_back(sum);
  }
}

// Which sequences attention was paid to: Han's are as they are.
Segments sentences_of(const Han::Saved&, const NestedPass& pass) { return pass.kept().sentences(); }
Segments documents_of(const Han::Saved&, const NestedPass& pass) { return pass.kept().documents(); }
Segments sentences_of(const PaddedHan::Saved& saved, const NestedPass&) {
  return saved.padded_sentences;
}
Segments documents_of(const PaddedHan::Saved& saved, const NestedPass&) {
  return saved.padded_documents;
}

template <class Model>
class ContestantOf final : public Contestant {
 public:
  ContestantOf(Setting setting, Model model)
      : setting_(setting), model_(std::move(model)), trainee_(model_) {}

  Setting setting() const override { return setting_; }
  Trainee& trainee() override { return trainee_; }

  BatchAttention attention(Runtime& runtime, const ExampleBatch& batch) override {
    BatchAttention out;
    run(runtime, batch, [&out](const NestedPass& pass, const typename Model::Saved& saved) {
      split(saved.word_pool.weights, pass.kept().sentences(), sentences_of(saved, pass),
            out.word_weights, out.word_pads, out.word_mass_lost);
      split(saved.sentence_pool.weights, pass.kept().documents(), documents_of(saved, pass),
            out.sentence_weights, out.sentence_pads, out.sentence_mass_lost);
      out.word_rows = saved.word_pool.weights.size();
      out.sentence_rows = saved.sentence_pool.weights.size();
    });
    return out;
  }

  PooledRows pooled_rows(Runtime& runtime, const ExampleBatch& batch) override {
    PooledRows out;
    run(runtime, batch, [&out](const NestedPass&, const typename Model::Saved& saved) {
      out.words = copy(saved.words);
      out.sentences = copy(saved.sentences);
    });
    return out;
  }

 private:
  // Forward, then look(pass, saved) while what it saved is there.
  template <class Look>
  void run(Runtime& runtime, const ExampleBatch& batch, const Look& look) {
    const Arena::Scope scope(runtime.arena());
    const NestedPass pass(batch.nested);
    Matrix<float> scores(batch.nested.documents().count(), trainee_.outputs());
    typename Model::Saved saved;
    model_.forward(runtime, pass, batch.ids, scores.view(), saved);
    look(pass, saved);
  }

  Setting setting_;
  Model model_;
  TraineeOf<Model> trainee_;
};

}  // namespace

std::string_view setting_name(Setting setting) {
  switch (setting) {
    case Setting::exact:
      return "exact";
    case Setting::no_mask:
      return "no_mask";
  }
  return "";
}

Contestant::~Contestant() = default;

std::unique_ptr<Contestant> Contestant::make(Setting setting, Han& start) {
  if (setting == Setting::exact) return std::make_unique<ContestantOf<Han>>(setting, Han(start));
  return std::make_unique<ContestantOf<PaddedHan>>(setting, PaddedHan(start));
}

AttentionScorer Contestant::scorer(const std::string& prefix) {
  const std::vector<NamedParameter> parameters = trainee().parameters();
  return attention_scorer(
      [&parameters](const auto& visit) {
        for (const auto& [name, parameter] : parameters) visit(name, *parameter);
      },
      prefix);
}

}  // namespace padless::study
