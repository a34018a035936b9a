// A layer as a subject of the contract.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "padless/core/parameter.h"
#include "padless/testing/contract.h"

namespace padless::testing {

/// The operands of a layer's parameters, in for_each_parameter's order, drawn with `deviation`.
template <class Layer>
std::vector<Operand> parameters_of(Layer layer, double deviation = 0.5) {
  std::vector<Operand> operands;
  layer.for_each_parameter([&](const std::string& name, Parameter& parameter) {
    operands.push_back({.name = name,
                        .axis = Axis::fixed,
                        .cols = parameter.value.cols(),
                        .fixed_rows = parameter.value.rows(),
                        .deviation = deviation});
  });
  return operands;
}

/// Copies the operands' parameters, and what their gradients hold, into the layer.
template <class Layer>
void set_parameters(Layer& layer, const Operands<float>& operands) {
  std::size_t next = 0;
  layer.for_each_parameter([&](const auto&, Parameter& parameter) {
    for (std::size_t r = 0; r < parameter.value.rows(); ++r) {
      std::ranges::copy(operands.parameters[next].row(r), parameter.value.row(r).begin());
      std::ranges::copy(operands.d_parameters[next].row(r), parameter.gradient.row(r).begin());
    }
    ++parameter.version;
    ++next;
  });
}

/// Copies the layer's gradients out.
template <class Layer>
void get_gradients(Layer& layer, const Operands<float>& operands) {
  std::size_t next = 0;
  layer.for_each_parameter([&](const auto&, Parameter& parameter) {
    for (std::size_t r = 0; r < parameter.gradient.rows(); ++r) {
      std::ranges::copy(parameter.gradient.row(r), operands.d_parameters[next].row(r).begin());
    }
    ++next;
  });
}

}  // namespace padless::testing
