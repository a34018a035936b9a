#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "padless/core/matrix.h"

namespace padless {

/// What training changes: a value and the gradient of the loss by it, of one shape.
/// Whoever changes `value` raises `version`, so that packed copies of it are made anew.
struct Parameter {
  Matrix<float> value;
  Matrix<float> gradient;
  std::uint64_t version = 0;

  Parameter() = default;
  /// rows x cols zeros.
  Parameter(std::size_t rows, std::size_t cols) : value(rows, cols), gradient(rows, cols) {}
  explicit Parameter(Matrix<float> start)
      : value(static_cast<Matrix<float>&&>(start)), gradient(value.rows(), value.cols()) {}
};

/// A visitor for the parameters of a part, each of which it calls PREFIX.NAME before `visit`, which
/// has to outlive it.
template <class Visit>
auto within(std::string prefix, Visit& visit) {
  return [prefix = std::move(prefix), &visit](const std::string& name, Parameter& parameter) {
    visit(prefix + "." + name, parameter);
  };
}

}  // namespace padless
