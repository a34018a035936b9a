#include "padless/ops/sgd.h"

#include <cstddef>
#include <string_view>

#include "padless/core/error.h"
#include "padless/core/fp.h"
#include "padless/kernels/dispatch.h"
#include "padless/ops/row_items.h"

namespace padless {
namespace {

constexpr std::size_t kElementsAnItem = 4096;

void require_like_value(const Parameter& parameter, const Matrix<float>& matrix, std::size_t p,
                        std::string_view what) {
  const Matrix<float>& value = parameter.value;
  require_shape(matrix.rows() == value.rows() && matrix.cols() == value.cols(), "sgd_update: the ",
                what, " of parameter ", p, " is [", matrix.rows(), ", ", matrix.cols(),
                "], expected [", value.rows(), ", ", value.cols(), "] as its value");
}

}  // namespace

void sgd_update(Runtime& runtime, const SgdStep& step, std::span<Parameter* const> parameters,
                std::span<Matrix<float>> velocity) {
  require_shape(velocity.size() == parameters.size(), "sgd_update: ", velocity.size(),
                " velocities, expected ", parameters.size(), ", as many as parameters");
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    require_like_value(*parameters[p], parameters[p]->gradient, p, "gradient");
    require_like_value(*parameters[p], velocity[p], p, "velocity");
  }
  const FpEnvironment environment;
  const auto kernel = kernels::table(runtime.isa()).sgd;
  const kernels::SgdNumbers numbers = {.rate = static_cast<float>(step.learning_rate),
                                       .momentum = static_cast<float>(step.momentum),
                                       .decay = static_cast<float>(step.decay),
                                       .gradient_scale = static_cast<float>(step.gradient_scale),
                                       .nesterov = step.nesterov};
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    Parameter& parameter = *parameters[p];
    for_row_items(runtime, parameter.value.cells().size(), kElementsAnItem,
                  [&](std::size_t first, std::size_t end) {
                    kernel(numbers, end - first, parameter.value.data() + first,
                           parameter.gradient.data() + first, velocity[p].data() + first);
                  });
    ++parameter.version;
  }
}

}  // namespace padless
