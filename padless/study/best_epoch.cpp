#include "padless/study/best_epoch.h"

#include <chrono>
#include <vector>

namespace padless::study {
namespace {

// A model's values, to return to.
class Snapshot {
 public:
  void take(Trainee& model) {
    values_.clear();
    for (const auto& [name, parameter] : model.parameters()) values_.push_back(parameter->value);
  }
  void put_back(Trainee& model) const {
    std::size_t next = 0;
    for (const auto& [name, parameter] : model.parameters()) {
      parameter->value = values_.at(next++);
      ++parameter->version;
    }
  }

 private:
  std::vector<Matrix<float>> values_;
};

}  // namespace

TrainingSummary train_to_best_epoch(Runtime& runtime, Trainee& model, const PreparedTexts& texts,
                                    const TrainOptions& options,
                                    const std::function<void()>& epoch_ended,
                                    const std::function<void(double share)>& progress) {
  using Clock = std::chrono::steady_clock;
  Trainer trainer(runtime, model, texts.train, texts.validation, options);
  Snapshot best;
  best.take(model);
  double seconds = 0;
  std::size_t words = 0, all_words = 0;
  while (!trainer.finished()) {
    const auto began = Clock::now();
    trainer.advance();
    all_words += trainer.last_words();
    if (!trainer.epoch_ended()) {  // an epoch's last batch has the validation in it
      seconds += std::chrono::duration<double>(Clock::now() - began).count();
      words += trainer.last_words();
    } else {
      epoch_ended();
      if (trainer.last_epoch().improved) best.take(model);
    }
    progress(static_cast<double>(all_words) /
             static_cast<double>(trainer.words() * options.epochs));
  }
  best.put_back(model);
  const Trainer::Position& end = trainer.position();
  return {.epochs = end.epoch,
          .best_epoch = end.best_epoch,
          .best_score = end.best,
          .words_per_second = seconds > 0 ? static_cast<double>(words) / seconds : 0};
}

}  // namespace padless::study
