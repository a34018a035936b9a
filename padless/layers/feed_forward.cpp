#include "padless/layers/feed_forward.h"

#include "padless/layers/checks.h"
#include "padless/ops/activation.h"
#include "padless/ops/dropout.h"
#include "padless/ops/product.h"
#include "padless/ops/residual.h"

namespace padless {
namespace {

std::optional<Linear> gate_of(const FeedForwardConfig& config, Rng& rng) {
  if (!config.gated) return std::nullopt;
  return Linear(config.width, config.hidden, rng);
}

}  // namespace

void FeedForwardConfig::check() const {
  constexpr const char* kName = "FeedForward";
  require_size(kName, "width", width);
  require_size(kName, "hidden", hidden);
  require_dropout(kName, dropout);
}

double FeedForwardConfig::parameters() const {
  const auto f = static_cast<double>(hidden), c = static_cast<double>(width);
  return (gated ? 2 : 1) * f * (c + 1) + c * (f + 1);
}

FeedForward::FeedForward(const FeedForwardConfig& config, Rng& rng)
    : config_(checked(config)),
      input_(config.width, config.hidden, rng),
      gate_(gate_of(config, rng)),
      output_(config.hidden, config.width, rng) {}

void FeedForward::forward(Runtime& runtime, const Pass& pass, std::uint32_t op,
                          MatrixView<const float> x, MatrixView<float> out, Saved& saved) const {
  const auto hidden = [&] { return runtime.arena().matrix(x.rows(), config_.hidden); };
  saved = {.input = hidden(), .gate = {}, .hidden = hidden()};
  input_.forward(runtime, pass, x, saved.input);
  if (gate_) {
    saved.gate = hidden();
    gate_->forward(runtime, pass, x, saved.gate);
    activation_forward(runtime, pass, config_.activation, saved.gate, saved.hidden);
    multiply_by(runtime, pass, saved.input, saved.hidden);
  } else {
    activation_forward(runtime, pass, config_.activation, saved.input, saved.hidden);
  }
  dropout_forward(runtime, pass, config_.dropout, op, saved.hidden, saved.hidden);
  output_.forward(runtime, pass, saved.hidden, out);
}

void FeedForward::backward(Runtime& runtime, const Pass& pass, std::uint32_t op,
                           MatrixView<const float> d_out, MatrixView<const float> x,
                           const Saved& saved, MatrixView<float> d_x) {
  const Arena::Scope scope(runtime.arena());
  const auto hidden = [&] { return runtime.arena().matrix(x.rows(), config_.hidden); };
  const MatrixView<float> d_hidden = hidden();
  output_.backward(runtime, pass, d_out, saved.hidden, d_hidden);
  dropout_backward(runtime, pass, config_.dropout, op, d_hidden, d_hidden);
  if (!gate_) {
    activation_backward(runtime, pass, config_.activation, d_hidden, saved.input, d_hidden);
    input_.backward(runtime, pass, d_hidden, x, d_x);
    return;
  }
  // Of the product's factors, the activated one is made again rather than kept.
  const MatrixView<float> d_input = hidden();
  activation_forward(runtime, pass, config_.activation, saved.gate, d_input);
  multiply_by(runtime, pass, d_hidden, d_input);
  input_.backward(runtime, pass, d_input, x, d_x);

  multiply_by(runtime, pass, saved.input, d_hidden);
  activation_backward(runtime, pass, config_.activation, d_hidden, saved.gate, d_hidden);
  const bool wanted = d_x.cols() > 0;
  const MatrixView<float> d_x_gate =
      wanted ? runtime.arena().matrix(x.rows(), x.cols()) : MatrixView<float>();
  gate_->backward(runtime, pass, d_hidden, x, d_x_gate);
  if (wanted) add_to(runtime, pass, d_x_gate, d_x);
}

}  // namespace padless
