#include "padless/layers/gru.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "padless/core/error.h"
#include "padless/testing/bits.h"
#include "padless/testing/count_allocations.h"
#include "padless/testing/layer_subject.h"
#include "padless/testing/reference_layers.h"
#include "padless/testing/threads.h"

namespace padless {
namespace {

using testing::Operands;

TEST(BiGru, KeepsTheContract) {
  constexpr std::size_t kIn = 7, kHidden = 19;
  for (const GruReset reset : {GruReset::after, GruReset::before}) {
    Rng rng(1);
    const BiGru prototype(kIn, kHidden, reset, rng);
    testing::Subject subject{.name = reset == GruReset::after ? "BiGru, after" : "BiGru, before",
                             .inputs = {{.name = "x", .cols = kIn}},
                             .parameters = testing::parameters_of(prototype),
                             .outputs = {{.name = "out", .cols = 2 * kHidden}},
                             .run = [prototype](Runtime& runtime, const Pass& pass,
                                                const Segments& segs, const Operands<float>& o) {
                               BiGru layer = prototype;
                               testing::set_parameters(layer, o);
                               const Arena::Scope scope(runtime.arena());
                               BiGru::Saved saved;
                               layer.forward(runtime, pass, o.inputs[0], segs, o.outputs[0], saved);
                               layer.backward(runtime, pass, o.d_outputs[0], o.inputs[0], segs,
                                              o.outputs[0], saved, o.d_inputs[0]);
                               testing::get_gradients(layer, o);
                             }};
    const std::vector<testing::Operand> names = subject.parameters;
    subject.set_reference([reset, names]<class Real>(const Pass& pass, const Segments& segs,
                                                     const Operands<Real>& o) {
      const testing::NamedParameters<Real> all(names, o);
      testing::ReferenceBiGru<Real> layer{all, "", reset, {}, {}, {}, {}};
      testing::copy(layer.forward(testing::copy(o.inputs[0]), segs), o.outputs[0]);
      testing::copy(layer.backward(pass, testing::copy(o.d_outputs[0]), segs), o.d_inputs[0]);
    });
    expect_contract(subject);
  }
}

Segments lengths(const std::vector<std::size_t>& values) {
  return Segments::from_lengths(std::span(values));
}

const std::vector<std::size_t> kLengths = {5, 0, 31, 1, 9};

/// A layer and a batch for it.
struct Case {
  explicit Case(GruReset reset, std::size_t in = 12, std::size_t hidden = 21)
      : rng(4),
        layer(in, hidden, reset, rng),
        segs(lengths(kLengths)),
        x(rng.normal(segs.total(), in, 1)),
        d_out(rng.normal(segs.total(), 2 * hidden, 1)),
        out(segs.total(), 2 * hidden),
        d_x(segs.total(), in) {}

  void forward(Runtime& runtime, bool training, BiGru::Saved& saved) {
    const Pass pass{.training = training};
    std::as_const(layer).forward(runtime, pass, std::as_const(x).view(), segs, out.view(), saved);
  }
  void backward(Runtime& runtime, const BiGru::Saved& saved) {
    layer.backward(runtime, {}, std::as_const(d_out).view(), std::as_const(x).view(), segs,
                   std::as_const(out).view(), saved, d_x.view());
  }

  Rng rng;
  BiGru layer;
  Segments segs;
  Matrix<float> x, d_out, out, d_x;
};

TEST(BiGru, InferenceSavesNothingAndGivesTheBitsOfTraining) {
  for (const GruReset reset : {GruReset::after, GruReset::before}) {
    Case c(reset);
    testing::for_each_runtime([&](Runtime& runtime) {
      BiGru::Saved saved;
      c.forward(runtime, true, saved);
      const Matrix<float> trained = c.out;
      const Arena::Mark before = runtime.arena().mark();
      c.forward(runtime, false, saved);
      testing::expect_same_bits(c.out.cells(), trained.cells());
      EXPECT_EQ(runtime.arena().mark().block, before.block);
      EXPECT_EQ(runtime.arena().mark().used, before.used);
      EXPECT_EQ(saved.gates.rows(), 0u);
      try {
        c.backward(runtime, saved);
        ADD_FAILURE() << "nothing was thrown";
      } catch (const ShapeError& error) {
        EXPECT_STREQ(
            error.what(),
            "BiGru: forward saved 0 rows, expected 46 (it saves with pass.training alone)");
      }
    });
  }
}

TEST(BiGru, TheSecondPassOfTheSameShapesAllocatesNothing) {
  for (const GruReset reset : {GruReset::after, GruReset::before}) {
    Case c(reset);
    testing::for_each_runtime([&](Runtime& runtime) {
      const auto pass = [&](bool training) {
        const Arena::Scope scope(runtime.arena());
        BiGru::Saved saved;
        c.forward(runtime, training, saved);
        if (training) c.backward(runtime, saved);
      };
      pass(true);
      const auto before = testing::allocation_count();
      pass(true);
      pass(false);
      EXPECT_EQ(testing::allocation_count() - before, 0u);
    });
  }
}

// With equal weights both ways, the reversed half of a sequence read backwards is the forward half
// of the sequence turned around.
TEST(BiGru, BothHalvesAreOneFunctionOfTheOwnSequence) {
  for (const GruReset reset : {GruReset::after, GruReset::before}) {
    Case c(reset);
    const std::size_t width = c.layer.hidden();
    const auto copy_to_reversed = [&](const std::string& name, Parameter& parameter) {
      if (name.starts_with("input")) {
        const auto cells = parameter.value.cells();
        const std::size_t half = cells.size() / 2;
        std::ranges::copy(cells.first(half), cells.last(half).begin());
      }
      ++parameter.version;
    };
    const float* from = nullptr;
    c.layer.for_each_parameter(copy_to_reversed);
    for (const std::string suffix : {"recurrent_weight", "recurrent_bias"}) {
      c.layer.for_each_parameter([&](const std::string& name, Parameter& parameter) {
        if (name == "forward." + suffix) from = parameter.value.data();
        if (name == "reversed." + suffix) {
          std::copy_n(from, parameter.value.cells().size(), parameter.value.data());
        }
      });
    }
    Runtime runtime;
    BiGru::Saved saved;
    c.forward(runtime, false, saved);
    const Matrix<float> straight = c.out;
    const Matrix<float> x = c.x;
    const auto mirror = [&](std::size_t t) {
      const auto [begin, end] = c.segs[c.segs.sequence_of(t)];
      return begin + end - 1 - t;
    };
    for (std::size_t t = 0; t < x.rows(); ++t) {
      std::ranges::copy(x.row(mirror(t)), c.x.row(t).begin());
    }
    c.forward(runtime, false, saved);
    for (std::size_t t = 0; t < x.rows(); ++t) {
      testing::expect_same_bits(c.out.row(t).first(width), straight.row(mirror(t)).last(width));
      testing::expect_same_bits(c.out.row(t).last(width), straight.row(mirror(t)).first(width));
    }
  }
}

TEST(BiGru, ServesThreadsThatShareIt) {
  const Case c(GruReset::before);
  testing::expect_same_on_threads([&c](Runtime& runtime, std::size_t caller) {
    const Arena::Scope scope(runtime.arena());
    const Matrix<float> x = Rng(caller).normal(c.x.rows(), c.x.cols(), 1);
    Matrix<float> out = c.out;
    BiGru::Saved saved;
    c.layer.forward(runtime, {}, x.view(), c.segs, out.view(), saved);
    return testing::numbers_of(out);
  });
}

TEST(BiGru, FirstValuesFillTheirRange) {
  Case c(GruReset::after, 50, 36);
  std::vector<std::string> names;
  std::as_const(c.layer).for_each_parameter([&](const std::string& name, const Parameter& p) {
    names.push_back(name);
    const auto [least, most] = std::ranges::minmax(p.value.cells());
    EXPECT_GE(least, -1.0f / 6);
    EXPECT_LT(least, -0.9f / 6);
    EXPECT_LE(most, 1.0f / 6);
    EXPECT_GT(most, 0.9f / 6);
  });
  EXPECT_EQ(names,
            (std::vector<std::string>{"input_weight", "input_bias", "forward.recurrent_weight",
                                      "forward.recurrent_bias", "reversed.recurrent_weight",
                                      "reversed.recurrent_bias"}));
}

}  // namespace
}  // namespace padless
