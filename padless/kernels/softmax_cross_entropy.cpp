// Cross-entropy of one row of logits.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "padless/kernels/softmax_cross_entropy.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file once a target:
#include "padless/kernels/kernels.h"
#include "padless/kernels/softmax.h"

HWY_BEFORE_NAMESPACE();
namespace padless::kernels::HWY_NAMESPACE {
namespace {

float forward(const float* logits, std::size_t classes, std::size_t label, float smoothing,
              float* probabilities) {
  const Tag d;
  const Softmax row = softmax(logits, classes, probabilities);
  const float loss = hn::GetLane(log(hn::Set(d, row.sum))) + (row.top - logits[label]);
  if (smoothing == 0) return loss;
  Lanes16 all;
  for (std::size_t k = 0; k < classes; k += 16) {
    for (std::size_t p = 0; p < Lanes16::kParts && k + p * kLanes < classes; ++p) {
      const std::size_t at = k + p * kLanes;
      all.add(p, load_tail(logits + at, classes - at), classes - at);
    }
  }
  const float mean = all.total() / static_cast<float>(classes);
  return hn::GetLane(
      hn::MulAdd(hn::Set(d, smoothing), hn::Set(d, logits[label] - mean), hn::Set(d, loss)));
}

void backward(const float* probabilities, std::size_t classes, std::size_t label, float smoothing,
              float scale, float* d_logits) {
  const Tag d;
  const float everywhere = smoothing / static_cast<float>(classes);
  // First: the two may be one array.
  const float at_label = ((probabilities[label] - everywhere) - (1.0f - smoothing)) * scale;
  for (std::size_t k = 0; k < classes; k += kLanes) {
    const Vec off = hn::Sub(load_tail(probabilities + k, classes - k), hn::Set(d, everywhere));
    store_tail(hn::Mul(off, hn::Set(d, scale)), d_logits + k, classes - k);
  }
  d_logits[label] = at_label;
}

}  // namespace

void add_softmax_cross_entropy(Table& table) {
  table.softmax_cross_entropy_forward = forward;
  table.softmax_cross_entropy_backward = backward;
}

}  // namespace padless::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
