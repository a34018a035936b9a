#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "padless/core/export.h"
#include "padless/core/matrix.h"
#include "padless/core/parameter.h"
#include "padless/core/runtime.h"

namespace padless {

/// The squares of gradients up to this norm are finite floats.
inline constexpr double kLargestGradientNorm = 0x1p+63;

/// What an optimiser's step found and did.
struct OptimizerStep {
  double norm = 0;  ///< of all gradients together, before clipping
  /// False: the norm was not finite, or beyond kLargestGradientNorm. Values and the optimiser's
  /// state are as they were.
  bool taken = false;
};

/// Adam with decoupled weight decay over a model's parameters; see ops/adamw.h for a step.
///
/// The parameters are those of the model's for_each_parameter, in its order, in every call: their
/// order decides the bits of the gradient's norm.
class PADLESS_API AdamW {
 public:
  struct Options {
    float beta1 = 0.9f;     ///< in [0, 1)
    float beta2 = 0.999f;   ///< in [0, 1)
    float epsilon = 1e-8f;  ///< above 0
    float decay = 0.01f;    ///< at least 0; of every parameter
  };

  /// What a checkpoint keeps beside the moments.
  struct Progress {
    std::uint64_t steps = 0;  ///< taken
    double beta1_power = 1;   ///< beta1 to the power of `steps`, as a running product
    double beta2_power = 1;

    /// Throws ValueError for powers outside [0, 1), but of 1 before the first step.
    PADLESS_API void check() const;
  };

  static constexpr std::string_view kName = "adamw";  ///< in files

  /// Throws ValueError for an option outside its range.
  AdamW(const Options& options, std::span<Parameter* const> parameters);

  /// Scales the gradients so that their norm is at most `max_norm`, moves the parameters and raises
  /// their versions. A step with a norm that is not finite is not taken: no weight turns NaN. In
  /// either case all gradients are 0 afterwards.
  ///
  /// Throws ShapeError when the parameters are not those that the optimiser was made for,
  /// ValueError unless learning_rate is finite and at least 0 and max_norm above 0.
  OptimizerStep step(Runtime& runtime, std::span<Parameter* const> parameters, float learning_rate,
                     std::optional<double> max_norm);

  const Progress& progress() const { return progress_; }
  /// Continues from a checkpoint, with moments that were restored by for_each_state. Throws
  /// as Progress::check, with nothing changed.
  void set_progress(const Progress& progress);

  /// Calls visit(name, matrix) for the moments of every parameter: "first_moment.0" and so on.
  template <class Visit>
  void for_each_state(Visit&& visit) {
    for (std::size_t p = 0; p < first_.size(); ++p) {
      visit("first_moment." + std::to_string(p), first_[p]);
      visit("second_moment." + std::to_string(p), second_[p]);
    }
  }

 private:
  Options options_;
  Progress progress_;
  std::vector<Matrix<float>> first_, second_;
};

/// Stochastic gradient descent with momentum over a model's parameters; see ops/sgd.h for a step.
/// The parameters are given in the same order in every call, as to AdamW.
class PADLESS_API Sgd {
 public:
  struct Options {
    float momentum = 0.9f;  ///< in [0, 1)
    float decay = 0.01f;    ///< at least 0; of every parameter, as a part of its gradient
    bool nesterov = false;  ///< with a momentum above 0
  };

  static constexpr std::string_view kName = "sgd";  ///< in files

  /// Throws ValueError for an option outside its range.
  Sgd(const Options& options, std::span<Parameter* const> parameters);

  /// As AdamW::step: the same clipping, and the same steps are not taken.
  OptimizerStep step(Runtime& runtime, std::span<Parameter* const> parameters, float learning_rate,
                     std::optional<double> max_norm);

  /// Calls visit(name, matrix) for the velocity of every parameter: "velocity.0" and so on.
  template <class Visit>
  void for_each_state(Visit&& visit) {
    for (std::size_t p = 0; p < velocity_.size(); ++p) {
      visit("velocity." + std::to_string(p), velocity_[p]);
    }
  }

 private:
  Options options_;
  std::vector<Matrix<float>> velocity_;
};

/// What moves the parameters of a run: one of these.
using Optimizer = std::variant<AdamW, Sgd>;

}  // namespace padless
