// Every refusal says where, what was found and what was expected, and has a type to catch it by.
#include <iostream>

#include "padless/core/error.h"

int main() {
  try {
    padless::require_shape(false, "embed: out is [", 4, ", ", 18, "], expected [4, 19]");
  } catch (const padless::ShapeError& error) {
    std::cout << "a shape does not fit: " << error.what() << '\n';
  }
}
