#include "padless/ops/adamw.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "padless/core/error.h"
#include "padless/core/fp.h"
#include "padless/kernels/dispatch.h"

namespace padless {
namespace {

// The order of the norm: see reference/adamw.h.
constexpr std::size_t kChunk = 4096;

std::size_t chunks_of(const Parameter& parameter) {
  return (parameter.gradient.cells().size() + kChunk - 1) / kChunk;
}

/// Calls work(parameter, first element, elements, chunk) for every chunk of every parameter, on all
/// threads; chunks are counted through all parameters.
template <class Work>
void for_each_chunk(Runtime& runtime, std::span<Parameter* const> parameters, Work work) {
  const Arena::Scope scope(runtime.arena());
  const std::span<std::size_t> ends = runtime.arena().take<std::size_t>(parameters.size());
  std::size_t chunks = 0;
  for (std::size_t p = 0; p < parameters.size(); ++p) ends[p] = chunks += chunks_of(*parameters[p]);
  runtime.parallel_for(chunks, [&](std::size_t chunk) {
    const auto p = static_cast<std::size_t>(std::ranges::upper_bound(ends, chunk) - ends.begin());
    const std::size_t first = (chunk - (p == 0 ? 0 : ends[p - 1])) * kChunk;
    work(p, first, std::min(kChunk, parameters[p]->gradient.cells().size() - first), chunk);
  });
}

kernels::AdamWNumbers rounded(const AdamWStep& step) {
  return {.beta1 = static_cast<float>(step.beta1),
          .beta2 = static_cast<float>(step.beta2),
          .rest1 = static_cast<float>(1 - step.beta1),
          .rest2 = static_cast<float>(1 - step.beta2),
          .correction1 = static_cast<float>(1 - step.beta1_power),
          .correction2 = static_cast<float>(1 - step.beta2_power),
          .keep = static_cast<float>(1 - step.learning_rate * step.decay),
          .rate = static_cast<float>(step.learning_rate),
          .epsilon = static_cast<float>(step.epsilon),
          .gradient_scale = static_cast<float>(step.gradient_scale)};
}

void require_like_value(const Parameter& parameter, const Matrix<float>& matrix, std::size_t p,
                        std::string_view what) {
  const Matrix<float>& value = parameter.value;
  require_shape(matrix.rows() == value.rows() && matrix.cols() == value.cols(),
                "adamw_update: the ", what, " of parameter ", p, " is [", matrix.rows(), ", ",
                matrix.cols(), "], expected [", value.rows(), ", ", value.cols(), "] as its value");
}

}  // namespace

void adamw_update(Runtime& runtime, const AdamWStep& step, std::span<Parameter* const> parameters,
                  std::span<Matrix<float>> first, std::span<Matrix<float>> second) {
  require_shape(first.size() == parameters.size() && second.size() == parameters.size(),
                "adamw_update: ", first.size(), " first and ", second.size(),
                " second moments, expected ", parameters.size(), ", as many as parameters");
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    require_like_value(*parameters[p], parameters[p]->gradient, p, "gradient");
    require_like_value(*parameters[p], first[p], p, "first moment");
    require_like_value(*parameters[p], second[p], p, "second moment");
  }
  const FpEnvironment environment;
  const auto kernel = kernels::table(runtime.isa()).adamw;
  const kernels::AdamWNumbers numbers = rounded(step);
  for_each_chunk(runtime, parameters,
                 [&](std::size_t p, std::size_t from, std::size_t count, std::size_t /*chunk*/) {
                   kernel(numbers, count, parameters[p]->value.data() + from,
                          parameters[p]->gradient.data() + from, first[p].data() + from,
                          second[p].data() + from);
                 });
  for (Parameter* parameter : parameters) ++parameter->version;
}

double gradient_norm(Runtime& runtime, std::span<Parameter* const> parameters) {
  std::size_t chunks = 0;
  for (const Parameter* parameter : parameters) chunks += chunks_of(*parameter);
  const Arena::Scope scope(runtime.arena());
  const std::span<double> squares = runtime.arena().take<double>(chunks);
  const auto kernel = kernels::table(runtime.isa()).sum_of_squares;
  for_each_chunk(runtime, parameters,
                 [&](std::size_t p, std::size_t from, std::size_t count, std::size_t chunk) {
                   squares[chunk] = kernel(parameters[p]->gradient.data() + from, count);
                 });
  const FpEnvironment environment;
  double sum = 0;
  for (const double square : squares) sum += square;
  return std::sqrt(sum);
}

}  // namespace padless
