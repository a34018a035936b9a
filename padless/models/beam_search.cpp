#include "padless/models/beam_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "padless/core/error.h"
#include "padless/core/fp.h"
#include "padless/core/math.h"
#include "padless/ops/softmax_cross_entropy.h"

namespace padless {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

/// One way for a live hypothesis to go on.
struct Candidate {
  double log_probability = 0;  // of the whole
  std::size_t from = 0;
  std::int32_t id = 0;
};

bool better(const Candidate& a, const Candidate& b) {
  if (a.log_probability != b.log_probability) return a.log_probability > b.log_probability;
  if (a.id != b.id) return a.id < b.id;
  return a.from < b.from;
}

// The ids of the `count` largest scores, of equal ones the lower first.
std::vector<std::int32_t> largest(std::span<const float> scores, std::size_t count) {
  const auto score = [&](std::int32_t id) {
    const float value = scores[static_cast<std::size_t>(id)];
    return std::isnan(value) ? -std::numeric_limits<float>::infinity() : value;
  };
  std::vector<std::int32_t> ids(scores.size());
  std::iota(ids.begin(), ids.end(), 0);
  const std::size_t kept = std::min(count, ids.size());
  std::partial_sort(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(kept), ids.end(),
                    [&](std::int32_t a, std::int32_t b) {
                      return score(a) != score(b) ? score(a) > score(b) : a < b;
                    });
  ids.resize(kept);
  return ids;
}

// log(-log probability / length^penalty): lower is better. Own log: libm's differ between machines.
double cost(const Decoded& hypothesis, std::size_t length, double penalty) {
  const double counted = static_cast<double>(std::max<std::size_t>(length, 1));
  return math::log(-hypothesis.log_probability) - penalty * math::log(counted);
}

}  // namespace

void DecodingOptions::check() const {
  require_value(beams >= 1 && beams <= 4096, "decode: beams is ", beams, ", expected 1 to 4096");
  require_value(std::isfinite(length_penalty), "decode: length_penalty is ", length_penalty,
                ", expected a finite number");
}

BeamSearch::BeamSearch(const DecodingOptions& options, std::int32_t end)
    : options_(options), end_(end), live_(1) {
  options.check();
}

std::vector<std::size_t> BeamSearch::advance(Runtime& runtime, MatrixView<const float> scores) {
  require_shape(scores.rows() == live_.size() && scores.cols() >= 1, "BeamSearch: scores is [",
                scores.rows(), ", ", scores.cols(), "], expected [", live_.size(),
                ", 1 or more] (a row for each live hypothesis)");
  const Arena::Scope scope(runtime.arena());
  const FpEnvironment environment;
  const MatrixView<float> probabilities = runtime.arena().matrix(1, scores.cols());
  std::vector<Candidate> candidates;
  candidates.reserve(live_.size() * (options_.beams + 1));
  for (std::size_t b = 0; b < live_.size(); ++b) {
    // One more than beams: one of them may be the end.
    const std::vector<std::int32_t> ids = largest(scores.row(b), options_.beams + 1);
    const LossSum loss = softmax_cross_entropy_forward(runtime, {}, scores.rows_at(b, 1),
                                                       std::span(ids).first(1), {}, probabilities);
    for (const std::int32_t id : ids) {
      const double below = static_cast<double>(scores(b, static_cast<std::size_t>(id))) -
                           static_cast<double>(scores(b, static_cast<std::size_t>(ids[0])));
      double sum = live_[b].log_probability + (below - loss.sum);
      if (std::isnan(sum)) sum = kImpossible;
      candidates.push_back({.log_probability = sum, .from = b, .id = id});
    }
  }
  std::ranges::sort(candidates, better);

  std::vector<Decoded> next;
  std::vector<std::size_t> from;
  for (const Candidate& candidate : candidates) {
    if (next.size() == options_.beams) break;
    // What was second to the end is no other beam's: a single one has ended.
    if (options_.beams == 1 && !ended_.empty()) break;
    Decoded hypothesis = live_[candidate.from];
    hypothesis.log_probability = candidate.log_probability;
    if (candidate.id == end_) {
      hypothesis.ended = true;
      ended_.push_back(std::move(hypothesis));
    } else {
      hypothesis.ids.push_back(candidate.id);
      next.push_back(std::move(hypothesis));
      from.push_back(candidate.from);
    }
  }
  live_ = std::move(next);
  const bool full = !live_.empty() && live_.front().ids.size() == options_.max_length;
  if (full) ended_.insert(ended_.end(), live_.begin(), live_.end());
  rank();
  if (full || settled()) {
    live_.clear();
    from.clear();
  }
  return from;
}

void BeamSearch::rank() {
  const auto cheaper = [this](const Decoded& a, const Decoded& b) {
    return cost(a, a.ids.size(), options_.length_penalty) <
           cost(b, b.ids.size(), options_.length_penalty);
  };
  std::ranges::stable_sort(ended_, cheaper);
  if (ended_.size() > options_.beams) ended_.resize(options_.beams);
}

bool BeamSearch::settled() const {
  if (live_.empty()) return true;
  if (ended_.size() < options_.beams) return false;
  // A longer one is less likely, but its penalty may be kinder, up to the greatest length.
  const double penalty = options_.length_penalty;
  const std::size_t length =
      penalty > 0 && options_.max_length > 0 ? options_.max_length : live_.front().ids.size();
  const Decoded& worst = ended_.back();
  return cost(live_.front(), length, penalty) >= cost(worst, worst.ids.size(), penalty);
}

}  // namespace padless
