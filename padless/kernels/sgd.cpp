// One step of stochastic gradient descent with momentum on some elements.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "padless/kernels/sgd.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file once a target:
#include "padless/kernels/kernels.h"
#include "padless/kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace padless::kernels::HWY_NAMESPACE {
namespace {

void sgd(const SgdNumbers& numbers, std::size_t n, float* value, float* gradient, float* velocity) {
  const Tag d;
  const Vec rate = hn::Set(d, numbers.rate), momentum = hn::Set(d, numbers.momentum);
  const Vec decay = hn::Set(d, numbers.decay), scale = hn::Set(d, numbers.gradient_scale);
  for (std::size_t i = 0; i < n; i += kLanes) {
    const std::size_t left = n - i;
    const Vec before = load_tail(value + i, left);
    const Vec slope = hn::MulAdd(decay, before, hn::Mul(load_tail(gradient + i, left), scale));
    const Vec speed = hn::MulAdd(momentum, load_tail(velocity + i, left), slope);
    const Vec move = numbers.nesterov ? hn::MulAdd(momentum, speed, slope) : speed;
    store_tail(speed, velocity + i, left);
    store_tail(hn::NegMulAdd(rate, move, before), value + i, left);
    store_tail(hn::Zero(d), gradient + i, left);
  }
}

}  // namespace

void add_sgd(Table& table) { table.sgd = sgd; }

}  // namespace padless::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
