#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "padless/batch/nested_pass.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/parameter.h"
#include "padless/core/runtime.h"

namespace padless {

/// A parameter and its name in a file.
using NamedParameter = std::pair<std::string, Parameter*>;

/// What the trainer sees of a model of documents.
class PADLESS_API Trainee {
 public:
  Trainee() = default;
  Trainee(const Trainee&) = delete;
  Trainee& operator=(const Trainee&) = delete;
  virtual ~Trainee();

  /// K: numbers in a row of scores.
  virtual std::size_t outputs() const = 0;
  /// All parameters, always in the same order.
  virtual std::vector<NamedParameter> parameters() = 0;
  /// Those that an optimiser may move: without what is frozen.
  virtual std::vector<NamedParameter> trained_parameters() { return parameters(); }
  /// ids [T] of the pass's D documents -> out [D, K] (written). What backward needs is kept, in
  /// the runtime's arena: it is valid until the caller rewinds that.
  virtual void forward(Runtime& runtime, const NestedPass& pass, std::span<const std::int32_t> ids,
                       MatrixView<float> out) = 0;
  /// d_out [D, K] of the forward before; adds to the gradient of every parameter.
  virtual void backward(Runtime& runtime, const NestedPass& pass, MatrixView<const float> d_out,
                        std::span<const std::int32_t> ids) = 0;
};

/// A model with the shape of Han's public part as a Trainee.
template <class Model>
class TraineeOf final : public Trainee {
 public:
  explicit TraineeOf(Model& model) : model_(model) {}

  std::size_t outputs() const override { return model_.config().outputs; }
  std::vector<NamedParameter> parameters() override {
    std::vector<NamedParameter> all;
    model_.for_each_parameter([&all](const std::string& name, Parameter& parameter) {
      all.emplace_back(name, &parameter);
    });
    return all;
  }
  std::vector<NamedParameter> trained_parameters() override {
    std::vector<NamedParameter> trained;
    const auto visit = [&trained](const std::string& name, Parameter& parameter) {
      trained.emplace_back(name, &parameter);
    };
    if constexpr (requires { model_.for_each_trained_parameter(visit); }) {
      model_.for_each_trained_parameter(visit);
    } else {
      model_.for_each_parameter(visit);
    }
    return trained;
  }
  void forward(Runtime& runtime, const NestedPass& pass, std::span<const std::int32_t> ids,
               MatrixView<float> out) override {
    model_.forward(runtime, pass, ids, out, saved_);
  }
  void backward(Runtime& runtime, const NestedPass& pass, MatrixView<const float> d_out,
                std::span<const std::int32_t> ids) override {
    model_.backward(runtime, pass, d_out, ids, saved_);
  }

 private:
  Model& model_;
  typename Model::Saved saved_;
};

}  // namespace padless
