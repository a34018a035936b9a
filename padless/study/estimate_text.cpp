#include "padless/study/estimate_text.h"

#include "padless/core/error.h"
#include "padless/viz/number.h"

namespace padless::study {

std::string percent(double share, int decimals) {
  return viz::trimmed(100 * share, decimals) + "\u00a0%";
}

std::string spelled(const Estimate& estimate, int decimals) {
  std::string out = viz::fixed(estimate.mean, decimals);
  if (estimate.half) out += " ± " + viz::fixed(*estimate.half, decimals);
  return out;
}

std::string spelled_interval(const Estimate& estimate, int decimals) {
  if (!estimate.half) return viz::fixed(estimate.mean, decimals);
  return viz::fixed(estimate.mean - *estimate.half, decimals) + " to " +
         viz::fixed(estimate.mean + *estimate.half, decimals);
}

viz::Estimate drawn(const Estimate& estimate) {
  const double half = estimate.half.value_or(viz::kNoNumber);
  return {estimate.mean, estimate.mean - half, estimate.mean + half};
}

std::string seeds_of(std::size_t count) { return count == 1 ? "1 seed" : message(count, " seeds"); }

}  // namespace padless::study
