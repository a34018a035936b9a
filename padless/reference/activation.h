// Functions of each number by itself, and their derivatives.
// Sources: Hendrycks and Gimpel, "Gaussian error linear units" (2016), section 2, for gelu,
// gelu_tanh and silu.
#pragma once

#include <cstddef>

#include "padless/core/activation.h"
#include "padless/core/coefficients.h"
#include "padless/core/matrix.h"
#include "padless/reference/math.h"

namespace padless::reference {

/// sigmoid(u) and its derivative, from exp(-|u|): neither loses digits on either side of 0.
template <class Real>
struct Logistic {
  Real value, slope;

  explicit Logistic(Real u) {
    const Real e = math::exp(u < Real(0) ? u : -u);
    const Real r = Real(1) / (Real(1) + e);
    value = u < Real(0) ? e * r : r;
    slope = (e * r) * r;
  }
};

/// gelu_tanh is x * sigmoid(u): the tanh of u / 2 in other words.
template <class Real>
Real gelu_tanh_argument(Real x) {
  const auto linear = static_cast<Real>(coefficients::kGeluTanhLinear);
  return x * math::fma(static_cast<Real>(coefficients::kGeluTanhCubic), x * x, linear);
}

/// value + x * slope. Far out, where the slope is exactly 0, x may be infinite.
template <class Real>
Real product_rule(Real x, Real value, Real slope) {
  return slope == Real(0) ? value : math::fma(x, slope, value);
}

template <class Real>
Real activation(Activation kind, Real x) {
  switch (kind) {
    case Activation::relu:
      return math::max(Real(0), x);
    case Activation::gelu:
      return x * math::Normal<Real>(x).below;
    case Activation::gelu_tanh:
      return x / (Real(1) + math::exp(-gelu_tanh_argument(x)));
    case Activation::silu:
      return x / (Real(1) + math::exp(-x));
    case Activation::tanh:
      return math::tanh(x);
    case Activation::sigmoid:
      break;
  }
  return math::sigmoid(x);
}

/// The derivative at x. That of relu is 0 at 0.
template <class Real>
Real activation_slope(Activation kind, Real x) {
  switch (kind) {
    case Activation::relu:
      return x < Real(0) || x == Real(0) ? Real(0) : Real(1);
    case Activation::gelu: {
      const math::Normal<Real> normal(x);
      return product_rule(x, normal.below, normal.density);
    }
    case Activation::gelu_tanh: {
      const Logistic<Real> gate(gelu_tanh_argument(x));
      const auto linear = static_cast<Real>(coefficients::kGeluTanhLinear);
      const auto cubic = static_cast<Real>(3 * coefficients::kGeluTanhCubic);
      // The argument's derivative may be infinite where the gate's is exactly 0.
      if (gate.slope == Real(0)) return gate.value;
      return math::fma(x, gate.slope * math::fma(cubic, x * x, linear), gate.value);
    }
    case Activation::silu: {
      const Logistic<Real> gate(x);
      return product_rule(x, gate.value, gate.slope);
    }
    case Activation::tanh:
      return Real(4) * Logistic<Real>(x + x).slope;
    case Activation::sigmoid:
      break;
  }
  return Logistic<Real>(x).slope;
}

/// x [rows, cols]; y [rows, cols] written.
template <class Real>
void activation_forward(Activation kind, const Real* x, std::size_t x_stride, std::size_t rows,
                        std::size_t cols, Real* y, std::size_t y_stride) {
  for (std::size_t t = 0; t < rows; ++t) {
    for (std::size_t c = 0; c < cols; ++c) {
      y[t * y_stride + c] = activation(kind, x[t * x_stride + c]);
    }
  }
}

/// d_y, x [rows, cols]; d_x = d_y * slope(x) [rows, cols] written.
template <class Real>
void activation_backward(Activation kind, const Real* d_y, std::size_t d_y_stride, const Real* x,
                         std::size_t x_stride, std::size_t rows, std::size_t cols, Real* d_x,
                         std::size_t d_x_stride) {
  for (std::size_t t = 0; t < rows; ++t) {
    for (std::size_t c = 0; c < cols; ++c) {
      d_x[t * d_x_stride + c] =
          d_y[t * d_y_stride + c] * activation_slope(kind, x[t * x_stride + c]);
    }
  }
}

/// x [T, C], y [T, C] written.
template <class Real>
void activation_forward(Activation kind, MatrixView<const Real> x, MatrixView<Real> y) {
  activation_forward(kind, x.data(), x.stride(), x.rows(), x.cols(), y.data(), y.stride());
}

/// d_y, x [T, C], d_x [T, C] written.
template <class Real>
void activation_backward(Activation kind, MatrixView<const Real> d_y, MatrixView<const Real> x,
                         MatrixView<Real> d_x) {
  activation_backward(kind, d_y.data(), d_y.stride(), x.data(), x.stride(), x.rows(), x.cols(),
                      d_x.data(), d_x.stride());
}

}  // namespace padless::reference
