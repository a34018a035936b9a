// The checks that configurations of layers and models share.
#pragma once

#include <cstddef>

#include "padless/core/error.h"
#include "padless/ops/dropout.h"

namespace padless {

inline constexpr std::size_t kMostUnits = std::size_t{1} << 24;  ///< columns of any layer
inline constexpr std::size_t kMostWords = std::size_t{1} << 31;  ///< of a vocabulary
inline constexpr double kMostParameters = 8589934592.0;          ///< of a model: 2^33

/// Throws ValueError, naming `who` and the field, unless 1 <= value <= most.
inline void require_size(const char* who, const char* field, std::size_t value,
                         std::size_t most = kMostUnits) {
  require_value(value >= 1 && value <= most, who, ": ", field, " is ", value, ", expected 1 to ",
                most);
}

/// Throws ValueError, naming `who`, for a share that 16 bits of a draw cannot leave out.
inline void require_dropout(const char* who, float share) {
  require_value(share >= 0 && share <= kMostDropout, who, ": dropout is ", share,
                ", expected 0 to 65535/65536");
}

/// Throws ValueError, naming `who`, for more numbers to learn than a model may have.
inline void require_parameters(const char* who, double parameters) {
  require_value(parameters <= kMostParameters, who, ": these sizes make ", parameters,
                " parameters, expected at most ", kMostParameters);
}

/// The configuration, once its check(arguments...) has passed: for a constructor's first member.
template <class Config, class... Arguments>
Config checked(const Config& config, const Arguments&... arguments) {
  config.check(arguments...);
  return config;
}

}  // namespace padless
