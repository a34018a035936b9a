// Estimates and shares as the report writes and draws them.
#pragma once

#include <cstddef>
#include <string>

#include "padless/study/statistics.h"
#include "padless/viz/chart.h"

namespace padless::study {

/// "12.5 %", with a space at which no line breaks.
std::string percent(double share, int decimals);

/// "0.671 ± 0.009": the mean and half its interval.
std::string spelled(const Estimate& estimate, int decimals);

/// "0.2 to 0.6": the interval, or the mean alone where there is none.
std::string spelled_interval(const Estimate& estimate, int decimals);

/// As charts take it.
viz::Estimate drawn(const Estimate& estimate);

/// "1 seed", "3 seeds".
std::string seeds_of(std::size_t count);

}  // namespace padless::study
