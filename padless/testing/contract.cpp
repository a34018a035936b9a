#include "padless/testing/contract.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "padless/batch/mask.h"
#include "padless/batch/pack.h"
#include "padless/batch/shards.h"
#include "padless/core/rng.h"
#include "padless/testing/bits.h"
#include "padless/testing/guarded.h"

namespace padless::testing {
namespace {

using Sizes = std::vector<std::size_t>;

// Usual, empty, single, longer than a register and a lane group, and a few small ones.
const Sizes kLengths = {3, 0, 1, 40, 16, 2, 0, 17, 5};
// Enough sequences and rows for every op to cut them into several items.
const Sizes kManyLengths = {9,  1, 12, 0, 7, 30, 3,  2, 8, 5, 11, 6, 4, 1, 10, 13, 2, 0, 9, 7,
                            16, 5, 3,  8, 1, 12, 64, 6, 2, 9, 4,  7, 5, 3, 11, 10, 1, 6, 8, 2};
// Few enough for finite differences.
const Sizes kShortLengths = {3, 0, 1, 6};
// Of the sources, taken in turns: also empty where the sequence is not, and the other way round.
const Sizes kSourceLengths = {4, 3, 0, 37, 1, 2, 20};

Segments segments(const Sizes& lengths) { return Segments::from_lengths(std::span(lengths)); }

/// Sequences and their sources.
struct Shape {
  Segments segs, sources;
};

std::size_t rows_of(const Operand& operand, const Shape& shape) {
  switch (operand.axis) {
    case Axis::rows:
      return shape.segs.total();
    case Axis::sequences:
      return shape.segs.count();
    case Axis::source_rows:
      return shape.sources.total();
    case Axis::fixed:
      break;
  }
  return operand.fixed_rows;
}

/// What goes into a run: sequences with their own inputs, upstream gradients, ids and number.
struct Batch : Shape {
  std::vector<Matrix<float>> inputs, parameters, d_outputs;
  Sizes ids, source_ids, labels;
  std::vector<std::uint64_t> numbers;
};

Matrix<float> draw(Rng& rng, const Operand& operand, const Shape& shape) {
  return rng.normal(rows_of(operand, shape), operand.cols, operand.deviation);
}

Batch random_batch(const Subject& subject, const Sizes& lengths, std::uint64_t seed) {
  Rng rng(seed);
  Batch batch;
  batch.segs = segments(lengths);
  Sizes source_lengths;
  for (std::size_t b = 0; b < lengths.size(); ++b) {
    source_lengths.push_back(kSourceLengths[b % kSourceLengths.size()]);
  }
  batch.sources = segments(source_lengths);
  for (const Operand& in : subject.inputs) batch.inputs.push_back(draw(rng, in, batch));
  for (const Operand& p : subject.parameters) batch.parameters.push_back(draw(rng, p, batch));
  for (const Operand& out : subject.outputs) {
    if (out.has_gradient) batch.d_outputs.push_back(draw(rng, out, batch));
  }
  const auto draw_ids = [&rng](std::size_t below, std::size_t count) {
    Sizes ids(below > 0 ? count : 0);
    for (std::size_t& id : ids) id = rng.below(below);
    return ids;
  };
  batch.ids = draw_ids(subject.ids_below, batch.segs.total());
  for (std::size_t b = 0; b < batch.segs.count(); ++b) {
    if (subject.labels_below > 0) batch.labels.push_back(rng.below(subject.labels_below));
    batch.numbers.push_back(1000 + 7 * b);
  }
  batch.source_ids = draw_ids(subject.source_ids_below, batch.sources.total());
  return batch;
}

/// The rows of an operand that belong to sequence b.
Segments::Rows rows_in(const Operand& operand, const Shape& shape, std::size_t b) {
  if (operand.axis == Axis::sequences) return {b, b + 1};
  if (operand.axis == Axis::rows) return shape.segs[b];
  if (operand.axis == Axis::source_rows) return shape.sources[b];
  return {0, operand.fixed_rows};
}

/// The sequences `chosen` of a batch, in that order, as a batch of their own.
Batch choose(const Subject& subject, const Batch& from, const Sizes& chosen) {
  Batch batch;
  Sizes lengths, source_lengths;
  for (const std::size_t b : chosen) {
    lengths.push_back(from.segs.length(b));
    source_lengths.push_back(from.sources.length(b));
  }
  batch.segs = segments(lengths);
  batch.sources = segments(source_lengths);
  const auto gather = [&](const Operand& operand, const Matrix<float>& source) {
    if (operand.axis == Axis::fixed) return source;
    Matrix<float> gathered(rows_of(operand, batch), operand.cols);
    std::size_t to = 0;
    for (const std::size_t b : chosen) {
      const auto [begin, end] = rows_in(operand, from, b);
      for (std::size_t r = begin; r < end; ++r) {
        std::ranges::copy(source.row(r), gathered.row(to++).begin());
      }
    }
    return gathered;
  };
  for (std::size_t i = 0; i < subject.inputs.size(); ++i) {
    batch.inputs.push_back(gather(subject.inputs[i], from.inputs[i]));
  }
  batch.parameters = from.parameters;
  std::size_t next = 0;
  for (const Operand& out : subject.outputs) {
    if (out.has_gradient) batch.d_outputs.push_back(gather(out, from.d_outputs[next++]));
  }
  const auto append = [](const Sizes& ids, const Segments::Rows& rows, Sizes& to) {
    for (std::size_t t = rows.begin; !ids.empty() && t < rows.end; ++t) to.push_back(ids[t]);
  };
  for (const std::size_t b : chosen) {
    append(from.ids, from.segs[b], batch.ids);
    append(from.source_ids, from.sources[b], batch.source_ids);
    if (!from.labels.empty()) batch.labels.push_back(from.labels[b]);
    batch.numbers.push_back(from.numbers[b]);
  }
  return batch;
}

std::vector<Operand> with_gradient(const std::vector<Operand>& operands) {
  std::vector<Operand> chosen;
  std::ranges::copy_if(operands, std::back_inserter(chosen), &Operand::has_gradient);
  return chosen;
}

Pass pass_of(const Batch& batch, const Shards* shards) {
  return {.training = true,
          .seed = 11,
          .step = 3,
          .shards = shards,
          .documents = &batch.segs,
          .document_numbers = batch.numbers};
}

/// What comes out of a run, in the order of the subject's lists.
struct Results {
  std::vector<std::vector<float>> outputs, d_inputs, d_parameters;
};

constexpr float kGradientStart = 0.75f;

/// Runs `body(operands)` on guarded memory.
template <class Body>
Results run_guarded(const Subject& subject, const Batch& batch, float gradient_start, Body body) {
  const auto guarded = [&](const std::vector<Operand>& operands, float start) {
    std::vector<Guarded> made;
    made.reserve(operands.size());
    for (const Operand& o : operands) made.emplace_back(rows_of(o, batch), o.cols, start);
    return made;
  };
  constexpr float kPoison = std::numeric_limits<float>::quiet_NaN();
  std::vector<Guarded> outputs = guarded(subject.outputs, kPoison);
  std::vector<Guarded> d_inputs = guarded(with_gradient(subject.inputs), kPoison);
  std::vector<Guarded> d_parameters = guarded(subject.parameters, gradient_start);

  Operands<float> operands;
  for (const auto& m : batch.inputs) operands.inputs.push_back(m.view());
  for (const auto& m : batch.parameters) operands.parameters.push_back(m.view());
  for (const auto& m : batch.d_outputs) operands.d_outputs.push_back(m.view());
  for (auto& g : outputs) operands.outputs.push_back(g.view());
  for (auto& g : d_inputs) operands.d_inputs.push_back(g.view());
  for (auto& g : d_parameters) operands.d_parameters.push_back(g.view());
  operands.ids = &batch.ids;
  operands.source_ids = &batch.source_ids;
  operands.labels = &batch.labels;
  operands.sources = &batch.sources;
  body(operands);

  Results results;
  const auto collect = [](const std::vector<Guarded>& from, std::string_view what) {
    std::vector<std::vector<float>> values;
    for (const Guarded& g : from) {
      g.expect_guards_whole(what);
      values.push_back(g.values());
    }
    return values;
  };
  results.outputs = collect(outputs, "output");
  results.d_inputs = collect(d_inputs, "gradient of an input");
  results.d_parameters = collect(d_parameters, "gradient of a parameter");
  return results;
}

Results run(const Subject& subject, Runtime& runtime, const Batch& batch, const Shards* shards,
            float gradient_start = kGradientStart) {
  const Pass pass = pass_of(batch, shards);
  return run_guarded(subject, batch, gradient_start, [&](const Operands<float>& operands) {
    subject.run(runtime, pass, batch.segs, operands);
  });
}

void expect_same(const std::vector<Operand>& operands, const std::vector<std::vector<float>>& found,
                 const std::vector<std::vector<float>>& expected, const std::string& what) {
  for (std::size_t i = 0; i < operands.size(); ++i) {
    expect_same_bits(found[i], expected[i], what + operands[i].name);
  }
}

void expect_same(const Subject& subject, const Results& found, const Results& expected) {
  expect_same(subject.outputs, found.outputs, expected.outputs, "");
  expect_same(with_gradient(subject.inputs), found.d_inputs, expected.d_inputs, "gradient of ");
  expect_same(subject.parameters, found.d_parameters, expected.d_parameters, "gradient of ");
}

/// Sequence b of `whole` has the bits of sequence `at` of `part`.
void expect_same_sequence(const std::vector<Operand>& operands, const Shape& part_shape,
                          const std::vector<std::vector<float>>& part, std::size_t at,
                          const Shape& whole_shape, const std::vector<std::vector<float>>& whole,
                          std::size_t b, const std::string& what) {
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].axis == Axis::fixed) continue;
    const auto cut = [&](const Shape& shape, const std::vector<float>& values, std::size_t s) {
      const auto [begin, end] = rows_in(operands[i], shape, s);
      return std::span(values).subspan(begin * operands[i].cols, (end - begin) * operands[i].cols);
    };
    expect_same_bits(cut(part_shape, part[i], at), cut(whole_shape, whole[i], b),
                     what + operands[i].name);
  }
}

void expect_sequence_unmoved(const Subject& subject, const Batch& part_batch, const Results& part,
                             std::size_t at, const Batch& whole_batch, const Results& whole,
                             std::size_t b) {
  expect_same_sequence(subject.outputs, part_batch, part.outputs, at, whole_batch, whole.outputs, b,
                       "");
  expect_same_sequence(with_gradient(subject.inputs), part_batch, part.d_inputs, at, whole_batch,
                       whole.d_inputs, b, "gradient of ");
}

void expect_reference_bits(const Subject& subject, const Batch& batch) {
  const Segments whole = batch.segs;
  for (const std::size_t count : {1u, 4u}) {
    const Shards shards = Shards::of_items(whole, count).inner(whole);
    SCOPED_TRACE(::testing::Message() << count << " shards");
    const Results expected =
        run_guarded(subject, batch, kGradientStart, [&](const Operands<float>& operands) {
          subject.in_float(pass_of(batch, &shards), batch.segs, operands);
        });
    for_each_runtime([&](Runtime& runtime) {
      expect_same(subject, run(subject, runtime, batch, &shards), expected);
    });
  }
}

void expect_reference_bits(const Subject& subject) {
  SCOPED_TRACE("kernel against reference");
  for (const Sizes& lengths : {kLengths, kManyLengths}) {
    expect_reference_bits(subject, random_batch(subject, lengths, 1));
  }
}

/// Without a reference of its own, a subject's bits on one instruction set and thread are those of
/// all others.
void expect_one_result_everywhere(const Subject& subject) {
  SCOPED_TRACE("every instruction set and number of threads");
  const Batch batch = random_batch(subject, kLengths, 1);
  const Shards shards = Shards::of_items(batch.segs, 4).inner(batch.segs);
  Runtime scalar({.threads = 1, .isa = Isa::scalar});
  const Results expected = run(subject, scalar, batch, &shards);
  for_each_runtime([&](Runtime& runtime) {
    expect_same(subject, run(subject, runtime, batch, &shards), expected);
  });
}

// Sequences are held against a run without shards: shards cut sums over rows, which no sequence's
// own results are.
void expect_no_neighbours(const Subject& subject) {
  SCOPED_TRACE("a sequence does not see its neighbours");
  const Batch batch = random_batch(subject, kLengths, 2);
  for_each_runtime([&](Runtime& runtime) {
    const Results whole = run(subject, runtime, batch, nullptr);
    for (std::size_t b = 0; b < batch.segs.count(); ++b) {
      SCOPED_TRACE(::testing::Message() << "sequence " << b << " alone");
      const Batch alone = choose(subject, batch, {b});
      const Shards shards = Shards::of_items(alone.segs, b % 2 == 0 ? 1 : 4).inner(alone.segs);
      const Results result = run(subject, runtime, alone, &shards);
      expect_sequence_unmoved(subject, alone, result, 0, batch, whole, b);
    }
    Rng rng(5);
    constexpr std::size_t kRoundShards[] = {1, 2, 8};
    for (int round = 0; round < 3; ++round) {
      SCOPED_TRACE(::testing::Message() << "random company " << round);
      Sizes chosen(4 + rng.below(9));
      for (std::size_t& b : chosen) b = rng.below(batch.segs.count());
      const Batch company = choose(subject, batch, chosen);
      const Shards shards = Shards::of_items(company.segs, kRoundShards[round]).inner(company.segs);
      const Results result = run(subject, runtime, company, &shards);
      for (std::size_t at = 0; at < chosen.size(); ++at) {
        expect_sequence_unmoved(subject, company, result, at, batch, whole, chosen[at]);
      }
    }
  });
}

/// Where a padded array has its pads.
enum class Pads { right, left, between };

/// Sequences in padded arrays: where their rows were put, and what the doors make of that.
struct Padded {
  std::vector<bool> kept;  // of B sequences of N slots, whether a slot holds a row
  Packing packing;

  Padded(const Segments& segs, Pads pads, Rng& rng) {
    const std::size_t slots = segs.longest() + 3;
    for (std::size_t b = 0; b < segs.count(); ++b) {
      const std::size_t length = segs.length(b);
      std::size_t left = length;
      for (std::size_t slot = 0; slot < slots; ++slot) {
        bool keep = slot < length;
        if (pads == Pads::left) keep = slot + length >= slots;
        if (pads == Pads::between) keep = rng.below(slots - slot) < left;
        if (keep) --left;
        kept.push_back(keep);
      }
    }
    if (pads == Pads::right) packing = Packing(segs, slots, Packing::PadSide::right);
    if (pads == Pads::left) packing = Packing(segs, slots, Packing::PadSide::left);
    if (pads != Pads::between) return;
    const std::vector<std::int64_t> mask(kept.begin(), kept.end());
    packing = Packing(
        KeepMask::from_hf(MaskArray(std::span<const std::int64_t>(mask), {segs.count(), slots})));
  }
};

/// The rows as they come out of a padded array whose pads hold what must reach nobody.
Matrix<float> through_padding(const Padded& padded, const Matrix<float>& rows) {
  constexpr float kPads[] = {std::numeric_limits<float>::quiet_NaN(),
                             std::numeric_limits<float>::infinity(),
                             -std::numeric_limits<float>::infinity(), 1e30f};
  Matrix<float> array(padded.kept.size(), rows.cols()), packed(rows.rows(), rows.cols());
  std::size_t next = 0;
  for (std::size_t place = 0; place < array.rows(); ++place) {
    if (padded.kept[place]) {
      std::ranges::copy(rows.row(next++), array.row(place).begin());
    } else {
      std::ranges::fill(array.row(place), kPads[place % std::size(kPads)]);
    }
  }
  pack(std::as_const(array).view(), padded.packing, packed.view());
  return packed;
}
Sizes through_padding(const Padded& padded, const Sizes& ids) {
  if (ids.empty()) return ids;
  constexpr std::int64_t kPad = -1;  // no id: what takes it for one refuses it
  std::vector<std::int64_t> array(padded.kept.size(), kPad);
  std::size_t next = 0;
  for (std::size_t place = 0; place < array.size(); ++place) {
    if (padded.kept[place]) array[place] = static_cast<std::int64_t>(ids[next++]);
  }
  std::vector<std::int64_t> packed(ids.size());
  pack(std::span<const std::int64_t>(array), padded.packing, packed);
  return {packed.begin(), packed.end()};
}

/// The batch as the doors for padded arrays let it in.
Batch through_padding(const Subject& subject, const Batch& from, Pads pads) {
  Rng rng(7);
  const Padded padded(from.segs, pads, rng), padded_sources(from.sources, pads, rng);
  Batch batch = from;
  batch.segs = padded.packing.segments();
  batch.sources = padded_sources.packing.segments();
  const auto pass_through = [&](const Operand& operand, Matrix<float>& rows) {
    if (operand.axis == Axis::rows) rows = through_padding(padded, rows);
    if (operand.axis == Axis::source_rows) rows = through_padding(padded_sources, rows);
  };
  for (std::size_t i = 0; i < subject.inputs.size(); ++i) {
    pass_through(subject.inputs[i], batch.inputs[i]);
  }
  std::size_t next = 0;
  for (const Operand& out : subject.outputs) {
    if (out.has_gradient) pass_through(out, batch.d_outputs[next++]);
  }
  batch.ids = through_padding(padded, from.ids);
  batch.source_ids = through_padding(padded_sources, from.source_ids);
  return batch;
}

void expect_nothing_of_pads(const Subject& subject) {
  SCOPED_TRACE("padding of any side and content");
  const Batch batch = random_batch(subject, kLengths, 9);
  const Shards shards = Shards::of_items(batch.segs, 4).inner(batch.segs);
  for_each_runtime([&](Runtime& runtime) {
    const Results expected = run(subject, runtime, batch, &shards);
    for (const Pads pads : {Pads::right, Pads::left, Pads::between}) {
      SCOPED_TRACE(::testing::Message() << "side " << static_cast<int>(pads));
      const Batch padded = through_padding(subject, batch, pads);
      const Shards own = Shards::of_items(padded.segs, 4).inner(padded.segs);
      expect_same(subject, run(subject, runtime, padded, &own), expected);
    }
  });
}

/// In the rows of ids, the last one is of the `poisoned` sequences alone, and all they have.
void give_last_id(const Segments& segs, std::size_t below, std::span<const std::size_t> poisoned,
                  Sizes& ids) {
  for (std::size_t t = 0; t < ids.size(); ++t) {
    const bool of_poisoned = std::ranges::find(poisoned, segs.sequence_of(t)) != poisoned.end();
    ids[t] = of_poisoned ? below - 1 : std::min(ids[t], below - 2);
  }
}

void expect_poison_stays_home(const Subject& subject) {
  SCOPED_TRACE("NaN and infinity in one sequence");
  Batch batch = random_batch(subject, kLengths, 3);
  constexpr std::size_t kPoisoned[] = {3, 5};
  if (!subject.id_table.empty()) {
    give_last_id(batch.segs, subject.ids_below, kPoisoned, batch.ids);
  }
  if (!subject.source_id_table.empty()) {
    give_last_id(batch.sources, subject.source_ids_below, kPoisoned, batch.source_ids);
  }
  Batch poisoned = batch;
  for (std::size_t p = 0; p < subject.parameters.size(); ++p) {
    const std::string& name = subject.parameters[p].name;
    if (name != subject.id_table && name != subject.source_id_table) continue;
    Matrix<float>& table = poisoned.parameters[p];
    std::ranges::fill(table.row(table.rows() - 1), std::numeric_limits<float>::quiet_NaN());
  }
  for (const std::size_t b : kPoisoned) {
    float poison = std::numeric_limits<float>::quiet_NaN();
    if (b != kPoisoned[0]) poison = std::numeric_limits<float>::infinity();
    for (std::size_t i = 0; i < subject.inputs.size(); ++i) {
      if (subject.inputs[i].axis == Axis::fixed) continue;
      const auto [begin, end] = rows_in(subject.inputs[i], batch, b);
      for (std::size_t r = begin; r < end; ++r) {
        std::ranges::fill(poisoned.inputs[i].row(r), poison);
      }
    }
  }
  std::size_t next = 0;
  for (const Operand& out : subject.outputs) {
    if (!out.has_gradient) continue;
    Matrix<float>& upstream = poisoned.d_outputs[next++];
    for (const std::size_t b : kPoisoned) {
      const auto [begin, end] = rows_in(out, batch, b);
      for (std::size_t r = begin; out.axis != Axis::fixed && r < end; ++r) {
        std::ranges::fill(upstream.row(r), std::numeric_limits<float>::quiet_NaN());
      }
    }
  }
  const Shards shards = Shards::of_items(batch.segs, 4).inner(batch.segs);
  for_each_runtime([&](Runtime& runtime) {
    const Results clean = run(subject, runtime, batch, nullptr);
    const Results dirty = run(subject, runtime, poisoned, &shards);
    for (std::size_t b = 0; b < batch.segs.count(); ++b) {
      if (std::ranges::find(kPoisoned, b) != std::end(kPoisoned)) continue;
      expect_sequence_unmoved(subject, poisoned, dirty, b, batch, clean, b);
    }
  });
}

void expect_added_gradients(const Subject& subject) {
  SCOPED_TRACE("gradients of parameters are added to");
  const Batch batch = random_batch(subject, kLengths, 4);
  Runtime runtime;
  const Results from_zero = run(subject, runtime, batch, nullptr, 0);
  const Results from_start = run(subject, runtime, batch, nullptr, kGradientStart);
  for (std::size_t p = 0; p < subject.parameters.size(); ++p) {
    // Several sums are rounded one after the other; the reference's bits say what comes out.
    if (subject.parameters[p].shared) continue;
    std::vector<float> expected = from_zero.d_parameters[p];
    for (float& cell : expected) cell = kGradientStart + cell;
    expect_same_bits(from_start.d_parameters[p], expected, subject.parameters[p].name);
  }
}

void expect_degenerate_batches(const Subject& subject) {
  for (const Sizes& lengths : {Sizes{}, Sizes{0}, Sizes{0, 0, 0}, Sizes{1}, Sizes{1, 1}}) {
    const std::size_t rows = std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
    SCOPED_TRACE(::testing::Message() << lengths.size() << " sequences of " << rows << " rows");
    const Batch batch = random_batch(subject, lengths, 6);
    for_each_runtime([&](Runtime& runtime) {
      const Results results = run(subject, runtime, batch, nullptr);
      const auto finite = [](float v) { return std::isfinite(v); };
      for (std::size_t i = 0; i < results.outputs.size(); ++i) {
        const auto& values = results.outputs[i];
        EXPECT_TRUE(subject.outputs[i].may_be_infinite || std::ranges::all_of(values, finite));
        EXPECT_TRUE(std::ranges::none_of(values, [](float v) { return std::isnan(v); }));
      }
      for (const auto* group : {&results.d_inputs, &results.d_parameters}) {
        for (const auto& values : *group) EXPECT_TRUE(std::ranges::all_of(values, finite));
      }
      // What no row has touched stays as it was.
      for (std::size_t p = 0; rows == 0 && p < subject.parameters.size(); ++p) {
        if (subject.parameters[p].of_no_rows) continue;
        const auto& values = results.d_parameters[p];
        EXPECT_TRUE(std::ranges::all_of(values, [](float v) { return v == kGradientStart; }));
      }
    });
  }
}

template <class Real>
using Matrices = std::vector<Matrix<Real>>;

/// A run of a reference in `Real` on the numbers of a float batch.
template <class Real>
struct ReferenceRun {
  Matrices<Real> inputs, parameters, outputs, d_outputs, d_inputs, d_parameters;

  ReferenceRun(const Subject& subject, const Batch& batch)
      : inputs(convert(batch.inputs)),
        parameters(convert(batch.parameters)),
        outputs(zeros(subject.outputs, batch)),
        d_outputs(convert(batch.d_outputs)),
        d_inputs(zeros(with_gradient(subject.inputs), batch)),
        d_parameters(zeros(subject.parameters, batch)) {}

  void run(const Subject::Reference<Real>& reference, const Batch& batch, const Shards* shards) {
    Operands<Real> operands;
    for (const auto& m : inputs) operands.inputs.push_back(m.view());
    for (const auto& m : parameters) operands.parameters.push_back(m.view());
    for (const auto& m : d_outputs) operands.d_outputs.push_back(m.view());
    for (auto& m : outputs) operands.outputs.push_back(m.view());
    for (auto& m : d_inputs) operands.d_inputs.push_back(m.view());
    for (auto& m : d_parameters) operands.d_parameters.push_back(m.view());
    operands.ids = &batch.ids;
    operands.source_ids = &batch.source_ids;
    operands.labels = &batch.labels;
    operands.sources = &batch.sources;
    reference(pass_of(batch, shards), batch.segs, operands);
  }

 private:
  static Matrices<Real> convert(const std::vector<Matrix<float>>& from) {
    Matrices<Real> converted;
    for (const auto& m : from) {
      Matrix<Real>& to = converted.emplace_back(m.rows(), m.cols());
      std::ranges::transform(m.cells(), to.data(), [](float v) { return Real(v); });
    }
    return converted;
  }
  static Matrices<Real> zeros(const std::vector<Operand>& operands, const Shape& shape) {
    Matrices<Real> made;
    for (const Operand& operand : operands)
      made.emplace_back(rows_of(operand, shape), operand.cols);
    return made;
  }
};

/// How far a group's numbers are from the truth, over several batches: the root of the mean square.
class Distance {
 public:
  template <class Real>
  void add(const Matrix<Real>& found, const Matrix<double>& truth) {
    for (std::size_t i = 0; i < truth.cells().size(); ++i) {
      const auto number = static_cast<double>(found.cells()[i]);
      // Of two infinities no difference is made.
      const double off = number == truth.cells()[i] ? 0 : number - truth.cells()[i];
      if (std::isnan(off)) {
        squares_ = std::numeric_limits<double>::infinity();
      } else {
        squares_ += off * off;
      }
      ++count_;
    }
  }
  double value() const {
    return count_ == 0 ? 0 : std::sqrt(squares_ / static_cast<double>(count_));
  }

 private:
  double squares_ = 0;
  std::size_t count_ = 0;
};

/// The distances of ours and of plain loops, and the size of the numbers, for a group of operands.
struct Accuracy {
  std::vector<Operand> operands;
  std::vector<Distance> ours, plain;
  std::vector<double> largest;

  explicit Accuracy(std::vector<Operand> of)
      : operands(std::move(of)),
        ours(operands.size()),
        plain(operands.size()),
        largest(operands.size()) {}

  void add(const Matrices<float>& found, const Matrices<reference::Plain>& by_plain_loops,
           const Matrices<double>& truth) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      ours[i].add(found[i], truth[i]);
      plain[i].add(by_plain_loops[i], truth[i]);
      for (const double cell : truth[i].cells()) {
        if (std::isfinite(cell)) largest[i] = std::fmax(largest[i], std::fabs(cell));
      }
    }
  }

  void expect_as_close_as_plain() const {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      // Where plain loops happen to be exact, half a unit in the last place is still no fault.
      const double unit = largest[i] * std::numeric_limits<float>::epsilon() / 2;
      ASSERT_TRUE(std::isfinite(ours[i].value())) << operands[i].name;
      EXPECT_LE(ours[i].value(), 2 * std::fmax(plain[i].value(), unit)) << operands[i].name;
    }
  }
};

void expect_float_near_double(const Subject& subject) {
  SCOPED_TRACE("float reference against double");
  Accuracy outputs(subject.outputs);
  Accuracy d_inputs(with_gradient(subject.inputs));
  Accuracy d_parameters(subject.parameters);
  for (std::uint64_t seed = 100; seed < 108; ++seed) {
    const Batch batch = random_batch(subject, kLengths, seed);
    const Shards shards = Shards::of_items(batch.segs, 4).inner(batch.segs);
    ReferenceRun<float> ours(subject, batch);
    ours.run(subject.in_float, batch, &shards);
    ReferenceRun<double> truth(subject, batch);
    truth.run(subject.in_double, batch, &shards);
    ReferenceRun<reference::Plain> plain(subject, batch);
    plain.run(subject.in_plain, batch, &shards);
    outputs.add(ours.outputs, plain.outputs, truth.outputs);
    d_inputs.add(ours.d_inputs, plain.d_inputs, truth.d_inputs);
    d_parameters.add(ours.d_parameters, plain.d_parameters, truth.d_parameters);
  }
  outputs.expect_as_close_as_plain();
  d_inputs.expect_as_close_as_plain();
  d_parameters.expect_as_close_as_plain();
}

/// Runs the double reference forward and backward at the numbers that `at` holds now.
void run_in_double(const Subject& subject, ReferenceRun<double>& at, const Batch& batch) {
  for (auto& m : at.d_parameters) fill(m.view(), 0.0);
  at.run(subject.in_double, batch, nullptr);
}

/// The difference of two runs' losses, a loss being the sum of all outputs times their upstream
/// gradients. Outputs are subtracted first: whole losses would cancel most digits.
double loss_difference(const Subject& subject, const Matrices<double>& above,
                       const Matrices<double>& below, const Matrices<double>& d_outputs) {
  double sum = 0;
  std::size_t next = 0;
  for (std::size_t i = 0; i < subject.outputs.size(); ++i) {
    if (!subject.outputs[i].has_gradient) continue;
    const auto upstream = d_outputs[next++].cells();
    for (std::size_t j = 0; j < upstream.size(); ++j) {
      sum += upstream[j] * (above[i].cells()[j] - below[i].cells()[j]);
    }
  }
  return sum;
}

void expect_central_differences(const Subject& subject) {
  SCOPED_TRACE("double reference against finite differences");
  const Batch batch = random_batch(subject, kShortLengths, 8);
  ReferenceRun<double> at(subject, batch);
  run_in_double(subject, at, batch);
  const Matrices<double> d_inputs = at.d_inputs;
  const Matrices<double> d_parameters = at.d_parameters;

  Rng rng(9);
  const auto compare = [&](Matrix<double>& place, const Matrix<double>& gradient,
                           const std::string& name) {
    // Small enough for the third derivative to vanish, large enough for rounding to.
    constexpr double kStep = 1e-5;
    const Matrix<double> before = place;
    const std::size_t count = before.cells().size(), probes = std::min(count, subject.probes);
    std::vector<double> direction(count);
    for (std::size_t first = 0; first < probes; ++first) {
      // Every probes-th element moves, up or down, by 1 in all.
      const std::size_t moved = (count - first - 1) / probes + 1;
      double expected = 0;
      for (std::size_t i = first; i < count; i += probes) {
        direction[i] = (rng.below(2) == 0 ? 1 : -1) / std::sqrt(static_cast<double>(moved));
        expected += direction[i] * gradient.cells()[i];
      }
      const auto outputs_after = [&](double step) {
        for (std::size_t i = first; i < count; i += probes) {
          place.cells()[i] = before.cells()[i] + step * direction[i];
        }
        run_in_double(subject, at, batch);
        return at.outputs;
      };
      const Matrices<double> above = outputs_after(kStep), below = outputs_after(-kStep);
      place = before;
      const double slope = loss_difference(subject, above, below, at.d_outputs) / (2 * kStep);
      ASSERT_NEAR(expected, slope, 1e-8 * (1 + std::fabs(slope)))
          << name << ", element " << first << " and every " << probes << "th behind it";
    }
  };
  std::size_t next = 0;
  for (std::size_t i = 0; i < subject.inputs.size(); ++i) {
    if (subject.inputs[i].has_gradient) {
      compare(at.inputs[i], d_inputs[next++], subject.inputs[i].name);
    }
  }
  for (std::size_t i = 0; i < subject.parameters.size(); ++i) {
    compare(at.parameters[i], d_parameters[i], subject.parameters[i].name);
  }
}

}  // namespace

void for_each_runtime(const std::function<void(Runtime&)>& body) {
  const char* forced = std::getenv("PADLESS_ISA");
  std::vector<Isa> isas = supported_isas();
  if (forced != nullptr && *forced != '\0') isas = {default_isa()};
  for (const Isa isa : isas) {
    for (const std::size_t threads : {1u, 2u, 3u}) {
      SCOPED_TRACE(::testing::Message() << name(isa) << ", " << threads << " threads");
      Runtime runtime({.threads = threads, .isa = isa});
      body(runtime);
    }
  }
}

void expect_contract(const Subject& subject) {
  SCOPED_TRACE(subject.name);
  if (subject.in_float) {
    expect_reference_bits(subject);
    expect_float_near_double(subject);
    expect_central_differences(subject);
  } else {
    expect_one_result_everywhere(subject);
  }
  expect_no_neighbours(subject);
  expect_nothing_of_pads(subject);
  expect_poison_stays_home(subject);
  expect_added_gradients(subject);
  expect_degenerate_batches(subject);
}

}  // namespace padless::testing
