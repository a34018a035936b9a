// Calls into the library, and catches what it throws by its own type.
#include <padless/core/error.h>

#include <iostream>

int main() {
  try {
    padless::require_shape(false, "consumer: out is [4, 18], expected [4, 19]");
  } catch (const padless::ShapeError& error) {
    std::cout << error.what() << '\n';
    return 0;
  }
  return 1;
}
