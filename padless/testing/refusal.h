#pragma once

#include <string>

#include "padless/core/error.h"

namespace padless::testing {

/// What the call is refused with: the message of the Kind that it throws, or that it threw nothing.
template <class Kind = Error, class Call>
std::string refusal(Call&& call) {
  try {
    call();
  } catch (const Kind& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace padless::testing
