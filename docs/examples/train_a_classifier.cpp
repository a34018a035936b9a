// A training loop by hand: a linear layer learns which of three classes a point is of.
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "padless/padless.h"

int main() {
  padless::Runtime runtime;
  padless::Rng rng(1);
  padless::Linear layer(2, 3, rng);
  const std::vector<float> points = {0, 1, 0, 2, 1, 0, 2, 0, -1, -1, 5, 5};
  // The last point's label is not known: it has no part in loss and gradient.
  const std::vector<std::int32_t> labels = {0, 0, 1, 1, 2, padless::kIgnored};
  const padless::MatrixView<const float> x(points.data(), 6, 2);

  std::vector<padless::Parameter*> parameters;
  layer.for_each_parameter(
      [&](const std::string&, padless::Parameter& parameter) { parameters.push_back(&parameter); });
  padless::AdamW optimizer({}, parameters);
  padless::Matrix<float> logits(6, 3), probabilities(6, 3), d_logits(6, 3);
  for (int step = 0; step <= 60; ++step) {
    layer.forward(runtime, {}, x, logits.view());
    const padless::LossSum loss = padless::softmax_cross_entropy_forward(
        runtime, {}, logits.view(), labels, {}, probabilities.view());
    if (step % 20 == 0) {
      std::cout << "step " << step << ": loss " << loss.sum / static_cast<double>(loss.count)
                << " of " << loss.count << " points\n";
    }
    padless::softmax_cross_entropy_backward(runtime, {}, probabilities.view(), labels, {},
                                            1 / static_cast<float>(loss.count), d_logits.view());
    layer.backward(runtime, {}, d_logits.view(), x, {});  // nobody wants the gradient of x
    optimizer.step(runtime, parameters, 0.1f, 1.0);       // clipped to a norm of 1
  }
}
