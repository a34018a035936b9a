#include "padless/ops/attention.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "padless/core/error.h"
#include "padless/core/rng.h"
#include "padless/ops/draws.h"
#include "padless/reference/attention.h"
#include "padless/testing/bits.h"
#include "padless/testing/contract.h"
#include "padless/testing/count_allocations.h"
#include "padless/testing/refusal.h"

namespace padless {
namespace {

using testing::Axis;
using testing::flat;
using testing::Operands;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// One attention of the test: its sizes and what acts on its scores.
struct Case {
  std::string name;
  std::size_t heads = 1, key_heads = 1, width = 1, value_width = 1;
  bool cross = false;  ///< keys are the sources
  Attend attend = Attend::full();
  bool keep = false, bias = false, alibi = false;
  float soft_cap = 0, dropout = 0;
  std::size_t learned = 0;  ///< longest queries and keys of a learned bias; 0: none
  std::size_t buckets = 0;  ///< of a relative bias; 0: none
};

/// A number of its own for each sequence, head, query and key, whatever their company.
std::uint32_t mixed(std::uint64_t document, std::size_t h, std::size_t i, std::size_t j) {
  return philox({static_cast<std::uint32_t>(document), static_cast<std::uint32_t>(h),
                 static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)},
                {1, 2})[0];
}

/// The mask and the bias of a batch, made of its documents' numbers.
struct Dense {
  AttentionSizes sizes;
  std::vector<std::uint8_t> kept;
  std::vector<float> added;
  KeepMask keep;
  Bias bias;

  Dense(const Case& c, const Pass& pass, const Segments& queries, const Segments& keys)
      : sizes{queries.count(), c.heads, queries.longest(), keys.longest()} {
    if (!c.keep && !c.bias) return;
    for (std::size_t b = 0; b < sizes.batch; ++b) {
      for (std::size_t h = 0; h < sizes.heads; ++h) {
        for (std::size_t i = 0; i < sizes.queries; ++i) {
          for (std::size_t j = 0; j < sizes.keys; ++j) {
            const std::uint64_t document = pass.document_numbers[b];
            // Holes, keys that no query sees and queries that see no key.
            const bool seen = mixed(document, h, i, j) % 3 != 0 && j % 5 != 3 && i % 7 != 2;
            kept.push_back(seen ? 1 : 0);
            added.push_back(static_cast<float>(mixed(document, h, i, j) % 1000) / 500 - 1);
          }
        }
      }
    }
    if (sizes.batch * sizes.queries * sizes.keys == 0) return;
    const std::vector<std::size_t> shape = {sizes.batch, sizes.heads, sizes.queries, sizes.keys};
    keep = KeepMask::of(MaskArray(std::span<const std::uint8_t>(kept), shape), sizes);
    bias = Bias::of(MaskArray(std::span<const float>(added), shape), sizes);
  }
  bool empty() const { return keep.sizes().batch == 0; }
};

T5Buckets buckets_of(const Case& c) { return {.count = c.buckets, .max_distance = 12}; }

AttentionOptions options_of(const Case& c, const Dense& dense, const Operands<float>& o) {
  static const std::vector<float> slopes = alibi_slopes(4);
  AttentionOptions options{.heads = c.heads,
                           .key_heads = c.key_heads,
                           .soft_cap = c.soft_cap,
                           .attend = c.attend,
                           .dropout = c.dropout,
                           .op = 5};
  if (c.keep && !dense.empty()) options.keep = &dense.keep;
  if (c.bias && !dense.empty()) options.bias = &dense.bias;
  if (c.alibi) options.alibi_slopes = std::span(slopes).first(c.heads);
  std::size_t next = 0;
  if (c.learned > 0) options.learned_bias = o.parameters[next++];
  if (c.buckets > 0) options.relative = {buckets_of(c), o.parameters[next++]};
  return options;
}

void run(const Case& c, Runtime& runtime, const Pass& pass, const Segments& segs,
         const Operands<float>& o, std::vector<float>* weights = nullptr) {
  const Segments& keys = c.cross ? *o.sources : segs;
  const Dense dense(c, pass, segs, keys);
  const AttentionOptions options = options_of(c, dense, o);
  const AttentionStats stats{o.outputs[1], o.outputs[2]};
  attention_forward(runtime, pass, options, o.inputs[0], segs, o.inputs[1], o.inputs[2], keys,
                    o.outputs[0], stats);
  if (weights != nullptr) {
    weights->resize(attention_weights_begin(segs, keys, c.heads, segs.count()));
    attention_weights(runtime, pass, options, o.inputs[0], segs, o.inputs[1], keys, stats,
                      *weights);
  }
  AttentionGradients gradients{o.d_inputs[0], o.d_inputs[1], o.d_inputs[2]};
  std::size_t next = 0;
  if (c.learned > 0) gradients.d_learned_bias = o.d_parameters[next++];
  if (c.buckets > 0) gradients.d_relative = o.d_parameters[next++];
  attention_backward(runtime, pass, options, o.d_outputs[0], o.inputs[0], segs, o.inputs[1],
                     o.inputs[2], keys, o.outputs[0], stats, gradients);
}

template <class Real>
void run_reference(const Case& c, const Pass& pass, const Segments& segs, const Operands<Real>& o,
                   std::vector<Real>* weights = nullptr) {
  static const std::vector<float> slopes = alibi_slopes(4);
  const Segments& keys = c.cross ? *o.sources : segs;
  const Dense dense(c, pass, segs, keys);
  const T5Buckets buckets = buckets_of(c);
  const float scale = 1 / std::sqrt(static_cast<float>(c.width));
  reference::Attention<Real> attention{.heads = c.heads,
                                       .key_heads = c.key_heads,
                                       .scale = Real(scale),
                                       .soft_cap = Real(c.soft_cap),
                                       .attend = c.attend,
                                       .threshold = drop_threshold("", c.dropout),
                                       .op = 5,
                                       .q = o.inputs[0],
                                       .k = o.inputs[1],
                                       .v = o.inputs[2],
                                       .queries = &segs,
                                       .keys = &keys};
  if (c.keep && !dense.empty()) attention.keep = &dense.keep;
  if (c.bias && !dense.empty()) attention.bias = &dense.bias;
  if (c.alibi) attention.slopes = std::span(slopes).first(c.heads);
  std::size_t next = 0;
  MatrixView<Real> d_learned, d_relative;
  if (c.learned > 0) {
    attention.learned_bias = o.parameters[next];
    d_learned = o.d_parameters[next++];
  }
  if (c.buckets > 0) {
    attention.buckets = &buckets;
    attention.relative = o.parameters[next];
    d_relative = o.d_parameters[next++];
  }
  std::vector<Real> made(attention_weights_begin(segs, keys, c.heads, segs.count()));
  attention.forward(pass, o.outputs[0], o.outputs[1], o.outputs[2], made);
  if (weights != nullptr) *weights = std::move(made);
  attention.backward(pass, o.d_outputs[0], o.outputs[0], o.outputs[1], o.outputs[2], o.d_inputs[0],
                     o.d_inputs[1], o.d_inputs[2], d_learned, d_relative);
}

testing::Subject subject_of(const Case& c) {
  const Axis key_axis = c.cross ? Axis::source_rows : Axis::rows;
  testing::Subject subject{
      .name = c.name,
      .inputs = {{.name = "q", .cols = c.heads * c.width},
                 {.name = "k", .axis = key_axis, .cols = c.key_heads * c.width},
                 {.name = "v", .axis = key_axis, .cols = c.key_heads * c.value_width}},
      .outputs = {{.name = "out", .cols = c.heads * c.value_width},
                  {.name = "top", .cols = c.heads, .has_gradient = false, .may_be_infinite = true},
                  {.name = "sum", .cols = c.heads, .has_gradient = false}},
      .run = [c](auto&... all) { run(c, all...); }};
  if (c.learned > 0) {
    subject.parameters.push_back({.name = "learned_bias",
                                  .axis = Axis::fixed,
                                  .cols = c.learned,
                                  .fixed_rows = c.heads * c.learned});
  }
  if (c.buckets > 0) {
    subject.parameters.push_back(
        {.name = "relative", .axis = Axis::fixed, .cols = c.heads, .fixed_rows = c.buckets});
  }
  subject.set_reference(
      [c]<class Real>(const Pass& pass, const Segments& segs, const Operands<Real>& o) {
        run_reference<Real>(c, pass, segs, o);
      });
  return subject;
}

const Attend kCausal = Attend::causal(Align::bottom_right);

TEST(Attention, OfASequenceWithItselfKeepsTheContract) {
  expect_contract(
      subject_of({.name = "self", .heads = 2, .key_heads = 2, .width = 7, .value_width = 5}));
}

TEST(Attention, OfOneColumnKeepsTheContract) { expect_contract(subject_of({.name = "narrow"})); }

TEST(Attention, WithWideHeadsKeepsTheContract) {
  expect_contract(subject_of({.name = "wide", .width = 80, .value_width = 70}));
}

TEST(Attention, AcrossSourcesKeepsTheContract) {
  expect_contract(subject_of(
      {.name = "cross", .heads = 3, .key_heads = 1, .width = 4, .value_width = 9, .cross = true}));
}

TEST(Attention, WithSharedKeyHeadsAlibiAndSoftCapKeepsTheContract) {
  expect_contract(subject_of({.name = "causal",
                              .heads = 4,
                              .key_heads = 2,
                              .width = 6,
                              .value_width = 3,
                              .cross = true,
                              .attend = kCausal,
                              .alibi = true,
                              .soft_cap = 1.5f}));
}

TEST(Attention, WithHolesBiasAndDropoutKeepsTheContract) {
  expect_contract(subject_of({.name = "masked",
                              .heads = 2,
                              .key_heads = 2,
                              .width = 3,
                              .value_width = 17,
                              .keep = true,
                              .bias = true,
                              .dropout = 0.3f}));
}

TEST(Attention, WithLearnedBiasesKeepsTheContract) {
  expect_contract(subject_of({.name = "learned",
                              .heads = 2,
                              .key_heads = 1,
                              .width = 5,
                              .value_width = 2,
                              .attend = Attend::window(9, 4),
                              .learned = 66,
                              .buckets = 8}));
}

TEST(Attention, WithARelativeBiasAcrossSourcesKeepsTheContract) {
  expect_contract(subject_of({.name = "relative",
                              .heads = 2,
                              .key_heads = 2,
                              .width = 2,
                              .value_width = 2,
                              .cross = true,
                              .attend = Attend::window(5, 50, Align::top_left),
                              .buckets = 6}));
}

/// One batch of self-attention with values of its own.
struct Batch {
  Segments segs;
  Matrix<float> q, k, v, out, top, sum;

  Batch(const std::vector<std::size_t>& lengths, std::size_t heads, std::size_t key_heads,
        std::size_t width, std::uint64_t seed = 1)
      : segs(Segments::from_lengths(lengths)) {
    Rng rng(seed);
    q = rng.normal(segs.total(), heads * width, 1);
    k = rng.normal(segs.total(), key_heads * width, 1);
    v = rng.normal(segs.total(), key_heads * width, 1);
    out = Matrix<float>(segs.total(), heads * width);
    top = sum = Matrix<float>(segs.total(), heads);
  }
  AttentionStats stats() { return {top.view(), sum.view()}; }
  void forward(Runtime& runtime, const AttentionOptions& options) {
    attention_forward(runtime, {}, options, q.view(), segs, k.view(), v.view(), segs, out.view(),
                      stats());
  }
  std::vector<float> weights(Runtime& runtime, const AttentionOptions& options) {
    std::vector<float> made(attention_weights_begin(segs, segs, options.heads, segs.count()));
    attention_weights(runtime, {}, options, q.view(), segs, k.view(), segs, stats(), made);
    return made;
  }
};

/// The matrices of one run of an attention, as its subject lists them.
struct Memory {
  std::vector<Matrix<float>> inputs, parameters, outputs, d_outputs, d_inputs, d_parameters;
  Operands<float> operands;
  std::vector<float> weights;

  Memory(const testing::Subject& subject, const Segments& segs, const Segments& sources) {
    Rng rng(1);
    const auto rows = [&](const testing::Operand& operand) {
      if (operand.axis == Axis::fixed) return operand.fixed_rows;
      return operand.axis == Axis::rows ? segs.total() : sources.total();
    };
    const auto add = [](Matrix<float> made, std::vector<Matrix<float>>& to, auto& views) {
      to.push_back(std::move(made));  // moves the owner, not the numbers
      views.push_back(to.back().view());
    };
    for (const testing::Operand& input : subject.inputs) {
      add(rng.normal(rows(input), input.cols, 1), inputs, operands.inputs);
      add(Matrix<float>(rows(input), input.cols), d_inputs, operands.d_inputs);
    }
    for (const testing::Operand& parameter : subject.parameters) {
      add(rng.normal(rows(parameter), parameter.cols, 1), parameters, operands.parameters);
      add(Matrix<float>(rows(parameter), parameter.cols), d_parameters, operands.d_parameters);
    }
    for (const testing::Operand& output : subject.outputs) {
      add(Matrix<float>(rows(output), output.cols), outputs, operands.outputs);
      if (!output.has_gradient) continue;
      add(rng.normal(rows(output), output.cols, 1), d_outputs, operands.d_outputs);
    }
    operands.sources = &sources;
  }
};

void expect_same_results(const Memory& found, const Memory& expected) {
  const auto compare = [](const auto& left, const auto& right, const char* what) {
    for (std::size_t i = 0; i < left.size(); ++i) {
      SCOPED_TRACE(i);
      testing::expect_same_bits(left[i].cells(), right[i].cells(), what);
    }
  };
  compare(found.outputs, expected.outputs, "output");
  compare(found.d_inputs, expected.d_inputs, "gradient of input");
  compare(found.d_parameters, expected.d_parameters, "gradient of parameter");
  testing::expect_same_bits(found.weights, expected.weights, "weights");
}

// Softmax takes 128 keys at a time, backward 64, an item 48 queries: several of each and parts of
// them, among shorter sequences.
TEST(Attention, OfLongSequencesHasTheReferencesBits) {
  const auto cut = [](const std::vector<std::size_t>& lengths) {
    return Segments::from_lengths(lengths);
  };
  const Segments segs = cut({200, 129, 1, 0, 70}), sources = cut({300, 0, 260, 5, 65});
  const std::vector<std::uint64_t> numbers = {4, 9, 1, 7, 3};
  const Pass pass{
      .training = true, .seed = 5, .step = 2, .documents = &segs, .document_numbers = numbers};
  const Case plain{.heads = 2, .key_heads = 1, .width = 7, .value_width = 5};
  std::vector<Case> cases(6, plain);
  cases[0].name = "plain";
  cases[1].name = "causal";
  cases[1].attend = kCausal;
  cases[1].alibi = true;
  cases[2].name = "keep";
  cases[2].keep = true;
  cases[2].attend = Attend::window(150, 20, Align::bottom_right);
  cases[3].name = "bias";
  cases[3].bias = true;
  cases[3].soft_cap = 1.5f;
  cases[4].name = "dropout";
  cases[4].dropout = 0.3f;
  cases[5].name = "learned";
  cases[5].learned = 300;
  cases[5].buckets = 8;
  cases[5].attend = Attend::window(150, 150, Align::top_left);
  for (Case& c : cases) {
    for (const bool cross : {false, true}) {
      SCOPED_TRACE(c.name + (cross ? " across sources" : " of itself"));
      c.cross = cross;
      const testing::Subject subject = subject_of(c);
      Memory expected(subject, segs, sources);
      run_reference(c, pass, segs, expected.operands, &expected.weights);
      testing::for_each_runtime([&](Runtime& runtime) {
        Memory found(subject, segs, sources);
        run(c, runtime, pass, segs, found.operands, &found.weights);
        expect_same_results(found, expected);
      });
    }
  }
}

TEST(Attention, AMaskThatKeepsAllHasTheBitsOfNone) {
  const std::vector<std::size_t> lengths = {150, 3, 0, 40};
  const AttentionSizes sizes{4, 2, 150, 150};
  const std::vector<std::uint8_t> ones(sizes.batch * sizes.heads * sizes.queries * sizes.keys, 1);
  const KeepMask all = KeepMask::of(
      MaskArray(std::span<const std::uint8_t>(ones), std::vector<std::size_t>{4, 2, 150, 150}),
      sizes);
  testing::for_each_runtime([&](Runtime& runtime) {
    const auto results = [&](const KeepMask* keep) {
      const AttentionOptions options{.heads = 2, .key_heads = 1, .keep = keep};
      Batch batch(lengths, 2, 1, 5);
      batch.forward(runtime, options);
      Matrix<float> d_q(batch.segs.total(), 10), d_k(batch.segs.total(), 5), d_v = d_k;
      attention_backward(runtime, {}, options, std::as_const(batch.q).view(), batch.q.view(),
                         batch.segs, batch.k.view(), batch.v.view(), batch.segs, batch.out.view(),
                         batch.stats(), {d_q.view(), d_k.view(), d_v.view()});
      return std::vector{batch.out, d_q, d_k, d_v};
    };
    const auto masked = results(&all), plain = results(nullptr);
    for (std::size_t i = 0; i < plain.size(); ++i) {
      testing::expect_same_bits(masked[i].cells(), plain[i].cells());
    }
  });
}

TEST(Attention, WeightsAreThoseOfItsOutput) {
  const Case c{.name = "weights",
               .heads = 2,
               .key_heads = 2,
               .width = 3,
               .value_width = 1,
               .keep = true,
               .bias = true};
  Batch batch({40, 0, 3}, 2, 2, 3);
  const std::vector<std::uint64_t> numbers = {4, 5, 6};
  const Pass pass{.documents = &batch.segs, .document_numbers = numbers};
  const Dense dense(c, pass, batch.segs, batch.segs);
  const AttentionOptions options = options_of(c, dense, {});
  testing::for_each_runtime([&](Runtime& runtime) {
    batch.forward(runtime, options);
    const Matrix<float> before = batch.out;
    const std::vector<float> weights = batch.weights(runtime, options);
    testing::expect_same_bits(batch.out.cells(), before.cells(), "out after the weights");
    for (std::size_t b = 0; b < batch.segs.count(); ++b) {
      const std::size_t n = batch.segs.length(b);
      for (std::size_t h = 0; h < 2; ++h) {
        for (std::size_t i = 0; i < n; ++i) {
          const float* row = weights.data() +
                             attention_weights_begin(batch.segs, batch.segs, 2, b) +
                             (h * n + i) * n;
          double sum = 0, mean = 0;
          bool sees = false;
          for (std::size_t j = 0; j < n; ++j) {
            EXPECT_TRUE(dense.keep(b, h, i, j) || row[j] == 0);
            sees = sees || dense.keep(b, h, i, j);
            sum += row[j];
            mean += static_cast<double>(row[j]) * batch.v(batch.segs[b].begin + j, h * 3);
          }
          EXPECT_NEAR(sum, sees ? 1 : 0, 1e-5);
          EXPECT_NEAR(mean, batch.out(batch.segs[b].begin + i, h * 3), 1e-5);
        }
      }
    }
  });
}

TEST(Attention, ReportsTheLogOfTheSumOfExponentials) {
  Batch batch({2, 1}, 1, 1, 1);
  batch.q(0, 0) = 1;
  batch.k(0, 0) = -120000;
  batch.k(1, 0) = -120001;
  const AttentionOptions options{.scale = 1.0f};
  testing::for_each_runtime([&](Runtime& runtime) {
    batch.forward(runtime, options);
    Matrix<float> lse(3, 1);
    attention_log_sum_exp(runtime, batch.stats(), lse.view());
    EXPECT_FLOAT_EQ(lse(0, 0), static_cast<float>(-120000 + std::log1p(std::exp(-1.0))));
    EXPECT_EQ(lse(2, 0), batch.top(2, 0));
    const auto weights = batch.weights(runtime, options);
    EXPECT_NEAR(weights[0], 0.7310585786300049, 1e-7);
    EXPECT_NEAR(weights[1], 0.2689414213699951, 1e-7);
  });
}

// Few queries are attended another way than many, and neither needs a column of values to know its
// weights.
TEST(Attention, OfValuesWithoutColumnsHasTheWeightsOfAny) {
  const Segments queries = Segments::from_lengths(std::vector<std::size_t>{1, 48, 0, 50});
  const Segments keys = Segments::from_lengths(std::vector<std::size_t>{3, 130, 2, 200});
  Rng rng(1);
  const Matrix<float> q = rng.normal(queries.total(), 6, 1), k = rng.normal(keys.total(), 3, 1);
  const AttentionOptions options{.heads = 2, .key_heads = 1};
  testing::for_each_runtime([&](Runtime& runtime) {
    struct Results {
      Matrix<float> top, log_sum_exp, d_q, d_k;
      std::vector<float> weights;
    };
    const auto results = [&](std::size_t value_width) {
      const Matrix<float> v(keys.total(), value_width), d_out(queries.total(), 2 * value_width);
      Matrix<float> out = d_out, d_v = v, top(queries.total(), 2), sum = top, lse = top, d_q = q,
                    d_k = k;
      const AttentionStats stats{top.view(), sum.view()};
      attention_forward(runtime, {}, options, q.view(), queries, k.view(), v.view(), keys,
                        out.view(), stats);
      attention_log_sum_exp(runtime, stats, lse.view());
      std::vector<float> weights(attention_weights_begin(queries, keys, 2, queries.count()));
      attention_weights(runtime, {}, options, q.view(), queries, k.view(), keys, stats, weights);
      attention_backward(runtime, {}, options, d_out.view(), q.view(), queries, k.view(), v.view(),
                         keys, out.view(), stats, {d_q.view(), d_k.view(), d_v.view()});
      return Results{top, lse, d_q, d_k, weights};
    };
    const Results none = results(0), some = results(5);
    testing::expect_same_bits(none.top.cells(), some.top.cells(), "top");
    testing::expect_same_bits(none.log_sum_exp.cells(), some.log_sum_exp.cells(), "log-sum-exp");
    testing::expect_same_bits(none.weights, some.weights, "weights");
    testing::expect_same_bits(none.d_q.cells(), some.d_q.cells(), "d_q");
    testing::expect_same_bits(none.d_k.cells(), some.d_k.cells(), "d_k");
  });
}

TEST(Attention, QueryWithoutAKeyGivesZerosAndMinusInfinity) {
  Batch batch({3}, 1, 1, 2);
  const AttentionSizes sizes{1, 1, 3, 3};
  const std::vector<std::uint8_t> kept = {0, 0, 0, 1, 0, 0, 1, 1, 1};
  const KeepMask keep = KeepMask::of(
      MaskArray(std::span<const std::uint8_t>(kept), std::vector<std::size_t>{1, 1, 3, 3}), sizes);
  const AttentionOptions options{.keep = &keep};
  testing::for_each_runtime([&](Runtime& runtime) {
    batch.forward(runtime, options);
    Matrix<float> lse(3, 1), d_q(3, 2), d_k(3, 2), d_v(3, 2), d_out(3, 2);
    attention_log_sum_exp(runtime, batch.stats(), lse.view());
    EXPECT_EQ(lse(0, 0), -std::numeric_limits<float>::infinity());
    testing::expect_same_bits(batch.out.row(0), std::vector<float>{0, 0});
    const std::vector<float> weights = batch.weights(runtime, options);
    testing::expect_same_bits(std::span(weights).first(3), std::vector<float>{0, 0, 0});
    // Its upstream gradient, even NaN, reaches nothing.
    const auto backward = [&] {
      attention_backward(runtime, {}, options, d_out.view(), batch.q.view(), batch.segs,
                         batch.k.view(), batch.v.view(), batch.segs, batch.out.view(),
                         batch.stats(), {d_q.view(), d_k.view(), d_v.view()});
    };
    fill(d_out.view(), 1.0f);
    backward();
    const Matrix<float> q_before = d_q, k_before = d_k, v_before = d_v;
    testing::expect_same_bits(d_q.row(0), std::vector<float>{0, 0});
    d_out(0, 0) = kNan;
    backward();
    testing::expect_same_bits(d_q.cells(), q_before.cells());
    testing::expect_same_bits(d_k.cells(), k_before.cells());
    testing::expect_same_bits(d_v.cells(), v_before.cells());
  });
}

// 0 times NaN is NaN: what is dropped has to be left out, not weighted by 0.
TEST(Attention, DroppedKeysInfluenceNothingWhateverTheyHold) {
  for (const float poison : {kNan, std::numeric_limits<float>::infinity(), 1e30f}) {
    testing::for_each_runtime([&](Runtime& runtime) {
      Batch clean({20, 5}, 2, 2, 3), dirty({20, 5}, 2, 2, 3);
      // Of the first sequence the last key, and all that is the last query's.
      for (std::size_t c = 0; c < 6; ++c) dirty.k(19, c) = dirty.v(19, c) = poison;
      const AttentionOptions options{.heads = 2, .attend = kCausal};
      clean.forward(runtime, options);
      dirty.forward(runtime, options);
      for (std::size_t t = 0; t < 25; ++t) {
        if (t != 19) testing::expect_same_bits(dirty.out.row(t), clean.out.row(t), "out");
      }
      const auto gradient = [&](Batch& batch) {
        Matrix<float> d_out(25, 6), d_q(25, 6), d_k(25, 6), d_v(25, 6);
        for (std::size_t t = 0; t < 25; ++t) {
          // What the last query sends back is its own matter.
          for (std::size_t c = 0; c < 6; ++c) d_out(t, c) = t == 19 ? 0 : 0.5f;
        }
        // Its row is then 0 times NaN, or 0 times what it is.
        attention_backward(runtime, {}, options, d_out.view(), batch.q.view(), batch.segs,
                           batch.k.view(), batch.v.view(), batch.segs, batch.out.view(),
                           batch.stats(), {d_q.view(), d_k.view(), d_v.view()});
        return d_q;
      };
      const Matrix<float> expected = gradient(clean), found = gradient(dirty);
      for (std::size_t t = 0; t < 25; ++t) {
        if (t != 19) testing::expect_same_bits(found.row(t), expected.row(t), "d_q");
      }
    });
  }
}

// A cache: each sequence's keys in a place of their own, queries in pieces.
TEST(Attention, TokenByTokenHasTheBitsOfOnePass) {
  const AttentionOptions options{.heads = 2, .key_heads = 1, .attend = kCausal, .alibi_slopes = {}};
  testing::for_each_runtime([&](Runtime& runtime) {
    Batch whole({140, 3}, 2, 1, 4);
    whole.forward(runtime, options);
    for (std::size_t t = 0; t < 140; ++t) {
      std::vector<MatrixView<const float>> k, v;
      std::vector<std::size_t> lengths, rows;
      for (std::size_t b = 0; b < 2; ++b) {
        const bool here = t < whole.segs.length(b);
        lengths.push_back(here ? 1 : 0);
        const std::size_t seen = here ? t + 1 : whole.segs.length(b);
        k.push_back(std::as_const(whole.k).view().rows_at(whole.segs[b].begin, seen));
        v.push_back(std::as_const(whole.v).view().rows_at(whole.segs[b].begin, seen));
        if (here) rows.push_back(whole.segs[b].begin + t);
      }
      const Segments queries = Segments::from_lengths(lengths);
      Matrix<float> q(rows.size(), 8), out(rows.size(), 8), top(rows.size(), 2), sum = top;
      for (std::size_t r = 0; r < rows.size(); ++r) {
        std::ranges::copy(whole.q.row(rows[r]), q.row(r).begin());
      }
      attention_forward(runtime, {}, options, q.view(), queries, k, v, out.view(),
                        {top.view(), sum.view()});
      for (std::size_t r = 0; r < rows.size(); ++r) {
        testing::expect_same_bits(out.row(r), whole.out.row(rows[r]));
      }
    }
  });
}

// 1 / sqrt(7) and the slopes of 12 heads are rounded, in whatever way the caller's thread rounds.
TEST(Attention, TheCallersRoundingReachesNoBit) {
  Batch plain({9, 4}, 12, 12, 7), upward({9, 4}, 12, 12, 7);
  Runtime runtime;
  const auto run = [&runtime](Batch& batch) {
    const std::vector<float> slopes = alibi_slopes(12);
    batch.forward(runtime, {.heads = 12, .attend = kCausal, .alibi_slopes = slopes});
  };
  run(plain);
  std::fesetround(FE_UPWARD);
  run(upward);
  std::fesetround(FE_TONEAREST);
  testing::expect_same_bits(upward.out.cells(), plain.out.cells(), "out");
}

TEST(Attention, SecondPassOfASizeAllocatesNothing) {
  Runtime runtime({.threads = 2});
  Batch batch({40, 0, 60}, 2, 1, 4);
  const std::vector<std::uint64_t> numbers = {1, 2, 3};
  const Pass pass{.training = true, .documents = &batch.segs, .document_numbers = numbers};
  Matrix<float> relative(8, 2), d_relative(8, 2), d_q(100, 8), d_k(100, 4), d_v = d_k;
  const AttentionOptions options{
      .heads = 2,
      .key_heads = 1,
      .attend = kCausal,
      .relative = {{.buckets = {.count = 8}, .weights = relative.view()}},
      .dropout = 0.1f};
  const auto run = [&] {
    attention_forward(runtime, pass, options, batch.q.view(), batch.segs, batch.k.view(),
                      batch.v.view(), batch.segs, batch.out.view(), batch.stats());
    attention_backward(
        runtime, pass, options, batch.out.view(), batch.q.view(), batch.segs, batch.k.view(),
        batch.v.view(), batch.segs, batch.out.view(), batch.stats(),
        {.d_q = d_q.view(), .d_k = d_k.view(), .d_v = d_v.view(), .d_relative = d_relative.view()});
  };
  run();
  const auto before = testing::allocation_count();
  run();
  EXPECT_EQ(testing::allocation_count() - before, 0u);
}

std::string message_of(const AttentionOptions& options, std::size_t q_cols = 4,
                       std::size_t keys = 3) {
  Runtime runtime;
  const Segments queries = Segments::from_lengths(std::vector<std::size_t>{3});
  const Segments sources = Segments::from_lengths(std::vector<std::size_t>{keys});
  Matrix<float> q(3, q_cols), k(keys, 4), v(keys, 4), out(3, 4), top(3, options.heads), sum = top;
  return testing::refusal([&] {
    attention_forward(runtime, {}, options, q.view(), queries, k.view(), v.view(), sources,
                      out.view(), {top.view(), sum.view()});
  });
}

TEST(Attention, RefusesWhatMeansNothing) {
  EXPECT_EQ(message_of({.heads = 0}), "attention_forward: heads is 0, expected 1 to 65535");
  EXPECT_EQ(message_of({.scale = std::numeric_limits<float>::infinity()}),
            "attention_forward: scale is not finite, expected a number");
  EXPECT_EQ(message_of({}, 0), "attention_forward: the heads of q are 0 wide, expected 1 or more");
  EXPECT_EQ(message_of({.heads = 3}),
            "attention_forward: q is [3, 4], expected [3, a multiple of 3 heads]");
  EXPECT_EQ(message_of({.heads = 4, .key_heads = 3}),
            "attention_forward: key_heads is 3, expected a divisor of heads, 4");
  EXPECT_EQ(message_of({.heads = 2}, 6), "attention_forward: k is [3, 4], expected [3, 6]");
  EXPECT_EQ(message_of({.soft_cap = -1}),
            "attention_forward: soft_cap is -1, expected a number above 0 whose inverse is finite, "
            "or 0 for none");
  EXPECT_EQ(message_of({.soft_cap = 1e-45f}),
            "attention_forward: soft_cap is 1.4013e-45, expected a number above 0 whose inverse is "
            "finite, or 0 for none");
  EXPECT_EQ(message_of({.dropout = 1}),
            "attention_forward: p is 1, expected a probability from 0 to 65535/65536");
  const std::vector<float> slopes(2);
  EXPECT_EQ(message_of({.alibi_slopes = slopes}),
            "attention_forward: alibi_slopes has 2 elements, expected 1");
  const std::vector<float> slope(1);
  EXPECT_EQ(message_of({.alibi_slopes = slope}, 4, 5),
            "attention_forward: 3 queries and 5 keys have distances only with an alignment, as "
            "Attend::causal(Align::bottom_right)");
  const KeepMask keep =
      KeepMask::from_segments(Segments::from_lengths(std::vector<std::size_t>{2}), 2);
  EXPECT_EQ(message_of({.keep = &keep}),
            "attention_forward: keep is [1, 2] a head, expected [1 or 3 or more, 3 or more] (the "
            "longest queries and keys)");
  const Matrix<float> of_one_query(1, 3);
  EXPECT_EQ(
      message_of({.learned_bias = of_one_query.view()}),
      "attention_forward: learned_bias is [1, 3] a head, expected [3 or more, 3 or more] (the "
      "longest queries and keys)");
}

TEST(Attention, RefusesASequenceWhoseRowsItCannotCount) {
  constexpr std::size_t kRows = (std::size_t{1} << 30) - 1;
  Runtime runtime;
  const Segments segs = Segments::from_lengths(std::vector<std::size_t>{kRows});
  const MatrixView<float> nowhere(nullptr, kRows, 1);  // refused before it is read
  EXPECT_EQ(testing::refusal<ValueError>([&] {
              attention_forward(runtime, {}, {}, nowhere, segs, nowhere, nowhere, segs, nowhere,
                                {nowhere, nowhere});
            }),
            "attention_forward: a sequence has 1073741823 rows, expected less than 1073741823");
}

TEST(Attention, WeightsBeginOnlyWhereASequenceDoes) {
  const auto cut = [](const std::vector<std::size_t>& lengths) {
    return Segments::from_lengths(lengths);
  };
  EXPECT_EQ(attention_weights_begin(cut({2, 3}), cut({4, 5}), 7, 1), 7u * 2 * 4);
  EXPECT_EQ(attention_weights_begin(cut({2, 3}), cut({4, 5}), 7, 2), 7u * (2 * 4 + 3 * 5));
  EXPECT_EQ(testing::refusal<ShapeError>([&] { attention_weights_begin(cut({2}), cut({}), 7, 0); }),
            "attention_weights_begin: there are 0 sequences of keys, expected 1 (those of the "
            "queries)");
  EXPECT_EQ(
      testing::refusal<ValueError>([&] { attention_weights_begin(cut({2}), cut({4}), 7, 2); }),
      "attention_weights_begin: sequence 2 is asked for, expected at most 1 (behind the last)");
  constexpr std::size_t kLong = std::size_t{1} << 31;
  EXPECT_THROW(attention_weights_begin(cut({kLong}), cut({kLong}), 4, 1),
               std::bad_array_new_length);
  // Each is within what an address reaches, both are not.
  EXPECT_THROW(attention_weights_begin(cut({kLong, kLong}), cut({kLong, kLong}), 1, 2),
               std::bad_array_new_length);
}

}  // namespace
}  // namespace padless
