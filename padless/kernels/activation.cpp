// Functions of each number by itself, and their derivatives: any rows.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "padless/kernels/activation.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file once a target:
#include "padless/kernels/activation.h"
#include "padless/kernels/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace padless::kernels::HWY_NAMESPACE {
namespace {

template <class Function>
HWY_INLINE void forward_rows(const float* x, std::size_t x_stride, std::size_t rows,
                             std::size_t cols, float* y, std::size_t y_stride) {
  for (std::size_t t = 0; t < rows; ++t) {
    for (std::size_t j = 0; j < cols; j += kLanes) {
      const Vec cells = load_tail(x + t * x_stride + j, cols - j);
      store_tail(Function::value(cells), y + t * y_stride + j, cols - j);
    }
  }
}

template <class Function>
HWY_INLINE void backward_rows(const float* d_y, std::size_t d_y_stride, const float* x,
                              std::size_t x_stride, std::size_t rows, std::size_t cols, float* d_x,
                              std::size_t d_x_stride) {
  for (std::size_t t = 0; t < rows; ++t) {
    for (std::size_t j = 0; j < cols; j += kLanes) {
      const Vec slope = Function::slope(load_tail(x + t * x_stride + j, cols - j));
      const Vec upstream = load_tail(d_y + t * d_y_stride + j, cols - j);
      store_tail(hn::Mul(upstream, slope), d_x + t * d_x_stride + j, cols - j);
    }
  }
}

void forward(Activation kind, const float* x, std::size_t x_stride, std::size_t rows,
             std::size_t cols, float* y, std::size_t y_stride) {
  switch (kind) {
    case Activation::relu:
      return forward_rows<Relu>(x, x_stride, rows, cols, y, y_stride);
    case Activation::gelu:
      return forward_rows<Gelu>(x, x_stride, rows, cols, y, y_stride);
    case Activation::gelu_tanh:
      return forward_rows<GeluTanh>(x, x_stride, rows, cols, y, y_stride);
    case Activation::silu:
      return forward_rows<Silu>(x, x_stride, rows, cols, y, y_stride);
    case Activation::tanh:
      return forward_rows<Tanh>(x, x_stride, rows, cols, y, y_stride);
    case Activation::sigmoid:
      return forward_rows<Sigmoid>(x, x_stride, rows, cols, y, y_stride);
  }
}

void backward(Activation kind, const float* d_y, std::size_t d_y_stride, const float* x,
              std::size_t x_stride, std::size_t rows, std::size_t cols, float* d_x,
              std::size_t d_x_stride) {
  switch (kind) {
    case Activation::relu:
      return backward_rows<Relu>(d_y, d_y_stride, x, x_stride, rows, cols, d_x, d_x_stride);
    case Activation::gelu:
      return backward_rows<Gelu>(d_y, d_y_stride, x, x_stride, rows, cols, d_x, d_x_stride);
    case Activation::gelu_tanh:
      return backward_rows<GeluTanh>(d_y, d_y_stride, x, x_stride, rows, cols, d_x, d_x_stride);
    case Activation::silu:
      return backward_rows<Silu>(d_y, d_y_stride, x, x_stride, rows, cols, d_x, d_x_stride);
    case Activation::tanh:
      return backward_rows<Tanh>(d_y, d_y_stride, x, x_stride, rows, cols, d_x, d_x_stride);
    case Activation::sigmoid:
      return backward_rows<Sigmoid>(d_y, d_y_stride, x, x_stride, rows, cols, d_x, d_x_stride);
  }
}

}  // namespace

void add_activation(Table& table) {
  table.activation_forward = forward;
  table.activation_backward = backward;
}

}  // namespace padless::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
