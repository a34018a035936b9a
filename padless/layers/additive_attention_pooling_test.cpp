#include "padless/layers/additive_attention_pooling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "padless/batch/mask.h"
#include "padless/batch/nested.h"
#include "padless/batch/pack.h"
#include "padless/testing/bits.h"
#include "padless/testing/layer_subject.h"
#include "padless/testing/reference_layers.h"

namespace padless {
namespace {

using testing::Axis;
using testing::flat;
using testing::Operands;

TEST(AdditiveAttentionPooling, KeepsTheContract) {
  constexpr std::size_t kWidth = 19, kAttention = 21;
  Rng rng(1);
  const AdditiveAttentionPooling prototype(kWidth, kAttention, rng);
  testing::Subject subject{.name = "AdditiveAttentionPooling",
                           .inputs = {{.name = "x", .cols = kWidth}},
                           .parameters = testing::parameters_of(prototype),
                           .outputs = {{.name = "out", .axis = Axis::sequences, .cols = kWidth},
                                       {.name = "weights", .has_gradient = false}},
                           .run = [prototype](Runtime& runtime, const Pass& pass,
                                              const Segments& segs, const Operands<float>& o) {
                             AdditiveAttentionPooling layer = prototype;
                             testing::set_parameters(layer, o);
                             const Arena::Scope scope(runtime.arena());
                             AdditiveAttentionPooling::Saved saved;
                             layer.forward(runtime, pass, o.inputs[0], segs, o.outputs[0], saved);
                             std::ranges::copy(saved.weights, flat(o.outputs[1]).begin());
                             layer.backward(runtime, pass, o.d_outputs[0], o.inputs[0], segs, saved,
                                            o.d_inputs[0]);
                             testing::get_gradients(layer, o);
                           }};
  const std::vector<testing::Operand> names = subject.parameters;
  subject.set_reference(
      [names]<class Real>(const Pass& pass, const Segments& segs, const Operands<Real>& o) {
        const testing::NamedParameters<Real> all(names, o);
        testing::ReferenceAdditiveAttentionPooling<Real> layer{all, "", {}, {}, {}};
        testing::copy(layer.forward(testing::copy(o.inputs[0]), segs), o.outputs[0]);
        std::ranges::copy(layer.weights, flat(o.outputs[1]).begin());
        testing::copy(layer.backward(pass, testing::copy(o.d_outputs[0]), segs), o.d_inputs[0]);
      });
  expect_contract(subject);
}

// A small layer with given numbers: W is the identity.
AdditiveAttentionPooling small_layer() {
  Rng rng(1);
  AdditiveAttentionPooling layer(2, 2, rng);
  const std::vector<std::vector<float>> values = {{1, 0, 0, 1}, {0.5f, -0.5f}, {1, 2}};
  std::size_t next = 0;
  layer.for_each_parameter([&](const auto&, Parameter& parameter) {
    std::ranges::copy(values[next++], parameter.value.data());
    ++parameter.version;
  });
  return layer;
}

struct Pooled {
  std::vector<float> out, weights;
};

Pooled pool(const AdditiveAttentionPooling& layer, const std::vector<float>& x,
            const Segments& segs) {
  Runtime runtime;
  AdditiveAttentionPooling::Saved saved;
  Pooled pooled{std::vector<float>(segs.count() * 2), {}};
  layer.forward(runtime, {}, {x.data(), segs.total(), 2}, segs,
                {pooled.out.data(), segs.count(), 2}, saved);
  pooled.weights.assign(saved.weights.begin(), saved.weights.end());
  return pooled;
}

Segments lengths(const std::vector<std::size_t>& values) {
  return Segments::from_lengths(std::span(values));
}

void expect_near(const std::vector<float>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  // The expected numbers have twelve digits: half a float's last place at 1 is what is left.
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1.2e-7);
}

TEST(AdditiveAttentionPooling, PoolsTheRealStepsAlone) {
  const Pooled pooled = pool(small_layer(), {1, 0, 0, 1, 1, 1}, lengths({3}));
  expect_near(pooled.weights, {0.087508984675, 0.356801285209, 0.555689730116});
  expect_near(pooled.out, {0.643198714791, 0.912491015325});
}

// Three steps among the pads of a padded array: how many, where and of what reaches no bit.
TEST(AdditiveAttentionPooling, PadsReachNoBit) {
  const AdditiveAttentionPooling layer = small_layer();
  const std::vector<float> steps = {1, 0, 0, 1, 1, 1};
  const Pooled alone = pool(layer, steps, lengths({3}));
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const std::size_t pads : {0u, 2u, 7u, 100u}) {
    // Behind the first `at` steps: on the left, among them, on the right.
    for (const std::ptrdiff_t at : {0, 1, 3}) {
      std::vector<std::int64_t> kept(3 + pads, 1);
      std::fill_n(kept.begin() + at, pads, 0);
      const Packing packing(
          KeepMask::from_hf(MaskArray(std::span<const std::int64_t>(kept), {1, kept.size()})));
      for (const float poison : {0.0f, 1e30f, kNan, kInfinity}) {
        std::vector<float> padded(pads * 2, poison), rows(6);
        padded.insert(padded.begin(), steps.begin(), steps.begin() + 2 * at);
        padded.insert(padded.end(), steps.begin() + 2 * at, steps.end());
        pack({padded.data(), kept.size(), 2}, packing, {rows.data(), 3, 2});
        const Pooled pooled = pool(layer, rows, packing.segments());
        testing::expect_same_bits(pooled.out, alone.out);
        testing::expect_same_bits(pooled.weights, alone.weights);
      }
    }
  }
}

TEST(AdditiveAttentionPooling, AnEmptySentenceIsAsIfItWereNotThere) {
  const AdditiveAttentionPooling layer = small_layer();
  const NestedSegments nested(lengths({3}), lengths({2, 0, 3}));
  const std::vector<float> words = {1, 0, 0, 1, 1, 1, 0, 0, 2, -1};
  const NestedSegments kept = nested.without_empty_sentences();
  const Pooled sentences = pool(layer, words, kept.sentences());
  expect_near(sentences.weights,
              {0.196954674709, 0.803045325291, 0.853570262158, 0.086308504224, 0.060121233618});
  expect_near(sentences.out, {0.196954674709, 0.803045325291, 0.973812729394, 0.79344902854});
  const Pooled document = pool(layer, sentences.out, kept.documents());
  expect_near(document.weights, {0.43038282621, 0.56961717379});
  expect_near(document.out, {0.639466364254, 0.797579109857});
}

}  // namespace
}  // namespace padless
