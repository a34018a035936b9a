#include "padless/layers/token_embedding.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "padless/batch/mask.h"
#include "padless/batch/pack.h"
#include "padless/core/error.h"
#include "padless/testing/bits.h"
#include "padless/testing/layer_subject.h"
#include "padless/testing/reference_layers.h"

namespace padless {
namespace {

using testing::Operands;

constexpr std::size_t kWords = 13, kWidth = 11;
constexpr std::uint32_t kOp = 7;

TokenEmbeddingConfig small(Positions positions, float dropout = 0) {
  return {.vocabulary = kWords,
          .width = kWidth,
          .positions = positions,
          .max_length = 70,
          .dropout = dropout};
}

Segments lengths(const std::vector<std::size_t>& values) {
  return Segments::from_lengths(std::span(values));
}

void expect_kept(const std::string& name, const TokenEmbeddingConfig& config) {
  SCOPED_TRACE(name);
  Rng rng(1);
  const TokenEmbedding prototype(config, rng);
  testing::Subject subject{.name = name,
                           .inputs = {},
                           .parameters = testing::parameters_of(prototype),
                           .outputs = {{.name = "out", .cols = kWidth}},
                           .ids_below = kWords,
                           .id_table = "words.weight",
                           .run = [prototype](Runtime& runtime, const Pass& pass,
                                              const Segments& segs, const Operands<float>& o) {
                             TokenEmbedding layer = prototype;
                             testing::set_parameters(layer, o);
                             const Arena::Scope scope(runtime.arena());
                             const std::vector<std::int32_t> ids = testing::int32s(*o.ids);
                             layer.forward(runtime, pass, kOp, "", segs, {}, ids, o.outputs[0]);
                             layer.backward(runtime, pass, kOp, segs, ids, o.d_outputs[0]);
                             testing::get_gradients(layer, o);
                           }};
  const std::vector<testing::Operand> names = subject.parameters;
  subject.set_reference(
      [config, names]<class Real>(const Pass& pass, const Segments& segs, const Operands<Real>& o) {
        const std::vector<std::int32_t> ids = testing::int32s(*o.ids);
        const testing::NamedParameters<Real> all(names, o);
        const testing::ReferenceTokenEmbedding<Real> layer{all, "", config.positions,
                                                           config.dropout, kOp};
        testing::copy(layer.forward(pass, segs, ids), o.outputs[0]);
        layer.backward(pass, segs, ids, testing::copy(o.d_outputs[0]));
      });
  expect_contract(subject);
}

TEST(TokenEmbedding, KeepsTheContract) {
  expect_kept("learned", small(Positions::learned));
  expect_kept("sinusoidal", small(Positions::sinusoidal));
  expect_kept("none, dropout", small(Positions::none, 0.25f));
}

// Also where a sequence goes on at a later place: as a decoder with a cache does.
TEST(TokenEmbedding, GivesARowTheBitsOfItsPlaceAndWord) {
  for (const Positions positions : {Positions::learned, Positions::sinusoidal, Positions::rope}) {
    Rng rng(2);
    const TokenEmbedding layer(small(positions), rng);
    Runtime runtime;
    const std::vector<std::int32_t> ids = {3, 1, 4, 1, 5};
    Matrix<float> whole(5, kWidth), rest(3, kWidth);
    layer.forward(runtime, {}, kOp, "", lengths({2, 3}), {}, ids, whole.view());
    const std::vector<std::size_t> first = {1, 1};
    const std::vector<std::int32_t> later = {1, 1, 5};
    layer.forward(runtime, {}, kOp, "", lengths({1, 2}), first, later, rest.view());
    testing::expect_same_bits(std::as_const(rest).row(0), std::as_const(whole).row(1));
    testing::expect_same_bits(std::as_const(rest).row(1), std::as_const(whole).row(3));
    testing::expect_same_bits(std::as_const(rest).row(2), std::as_const(whole).row(4));
  }
}

// Two words in four slots, with another word's id in the pads.
TEST(TokenEmbedding, CountsPlacesInWordsAndNotInSlots) {
  const std::vector<std::int32_t> words = {3, 1};
  for (const Positions positions : {Positions::learned, Positions::sinusoidal, Positions::none}) {
    Rng rng(2);
    const TokenEmbedding layer(small(positions), rng);
    Runtime runtime;
    Matrix<float> alone(2, kWidth), out(2, kWidth);
    layer.forward(runtime, {}, kOp, "", lengths({2}), {}, words, alone.view());
    for (const std::vector<std::int64_t>& kept :
         {std::vector<std::int64_t>{0, 0, 1, 1}, {1, 1, 0, 0}, {1, 0, 0, 1}}) {
      const Packing packing(
          KeepMask::from_hf(MaskArray(std::span<const std::int64_t>(kept), {1, 4})));
      std::vector<std::int32_t> padded(4, 2), ids(2);
      for (std::size_t slot = 0, t = 0; slot < kept.size(); ++slot) {
        if (kept[slot] == 1) padded[slot] = words[t++];
      }
      pack(std::span<const std::int32_t>(padded), packing, std::span(ids));
      layer.forward(runtime, {}, kOp, "", packing.segments(), {}, ids, out.view());
      testing::expect_same_bits(out.cells(), alone.cells());
    }
  }
}

TEST(TokenEmbedding, CountsItsParameters) {
  for (const Positions positions : {Positions::learned, Positions::sinusoidal}) {
    Rng rng(1);
    TokenEmbedding layer(small(positions), rng);
    std::size_t count = 0;
    layer.for_each_parameter([&count](const std::string&, Parameter& parameter) {
      count += parameter.value.cells().size();
    });
    EXPECT_EQ(static_cast<double>(count), small(positions).parameters());
  }
}

TEST(TokenEmbedding, RefusesSequencesThatAreTooLong) {
  Rng rng(1);
  const TokenEmbedding layer(small(Positions::none), rng);
  Runtime runtime;
  Matrix<float> out(71, kWidth);
  const std::vector<std::int32_t> ids(71, 0);
  try {
    layer.forward(runtime, {}, kOp, "Model", lengths({71}), {}, ids, out.view());
    FAIL() << "was accepted";
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(),
                 "Model: a sequence has 71 words, expected at most 70 (max_length): cut it before, "
                 "as the tokenizer's max_words does");
  }
  const std::vector<std::size_t> first = {70};
  EXPECT_THROW(layer.forward(runtime, {}, kOp, "Model", lengths({1}), first,
                             std::span(ids).first(1), out.view().rows_at(0, 1)),
               ValueError);
}

}  // namespace
}  // namespace padless
