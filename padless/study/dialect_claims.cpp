#include "padless/study/dialect_claims.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "padless/batch/bias.h"
#include "padless/core/error.h"
#include "padless/study/dialects.h"
#include "padless/study/exact_pooling.h"
#include "padless/study/usual_ways.h"
#include "padless/study/weights.h"
#include "padless/viz/number.h"

namespace padless::study {
namespace {

using viz::Verdict;

// Two sequences of two words and of one, in three slots.
constexpr std::size_t kRows = 2, kKeys = 3;
constexpr std::uint8_t kMask[kRows * kKeys] = {1, 1, 0, 1, 0, 0};
constexpr float kScores[kKeys] = {1, 2, 3};

std::vector<std::uint8_t> flipped(std::span<const std::uint8_t> cells) {
  std::vector<std::uint8_t> out;
  out.reserve(cells.size());
  for (const std::uint8_t cell : cells) out.push_back(cell == 0 ? 1 : 0);
  return out;
}

std::string spelled_cells(std::span<const std::uint8_t> cells, std::size_t columns) {
  std::string out = "[";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool starts = i % columns == 0, ends = i % columns == columns - 1;
    out += message(starts && i > 0 ? ", " : "", starts ? "[" : "", static_cast<int>(cells[i]),
                   ends ? "]" : ", ");
  }
  return out + "]";
}

std::string names_of(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

// What an additive mask's constructor says to 0 and 1.
std::string additive_refusal() {
  const std::vector<float> cells(std::begin(kMask), std::end(kMask));
  try {
    AdditiveMask::from_additive(MaskArray(std::span<const float>(cells), {kRows, 1, 1, kKeys}),
                                {.batch = kRows, .keys = kKeys});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// The interfaces by what their 1 means, by name.
struct Sides {
  std::vector<std::string> keeping, dropping;
};

Sides sides_of_one() {
  Sides sides;
  for (const Dialect& dialect : dialects()) {
    const bool keeps = meaning_of_one(dialect, kMask, kRows, kKeys) == One::keeps;
    (keeps ? sides.keeping : sides.dropping).push_back(dialect.name);
  }
  return sides;
}

// The first sequence's weights when its mask is taken as it is meant, and in the wrong ways.
struct Readings {
  Weights meant, other;  // 1 keeps, 1 drops: by the library
  Weights added;         // 0 and 1 added to the scores
  // Of a batch in which nothing is padded, read the wrong way round, no key is left.
  Weights nothing_left, nothing_left_by_constant;
};

Readings read_in_all_ways(Runtime& runtime) {
  const std::span<const std::uint8_t> row = std::span(kMask).first(kKeys);
  const std::vector<std::uint8_t> unpadded(kKeys, 1);
  const std::vector<double> scores(std::begin(kScores), std::end(kScores));
  std::vector<double> sums = scores;
  for (std::size_t k = 0; k < kKeys; ++k) sums[k] += row[k];
  return {
      .meant = exact_weights(runtime, kScores, row),
      .other = exact_weights(runtime, kScores, flipped(row)),
      .added = softmax(std::span<const double>(sums)),
      .nothing_left = exact_weights(runtime, kScores, flipped(unpadded)),
      .nothing_left_by_constant = in_double(add_constant(std::span<const float>(kScores), 0, -1e9)),
  };
}

const char* type_name(MaskArray::Element element) {
  switch (element) {
    case MaskArray::Element::f32:
      return "float";
    case MaskArray::Element::i32:
      return "int32";
    case MaskArray::Element::i64:
      return "int64";
    case MaskArray::Element::boolean:
    case MaskArray::Element::u8:
      break;
  }
  return "bool";
}

viz::Table meaning_table(const Sides& sides) {
  viz::Table table{"What 1 means", {"interface", "1", "type"}, {}};
  for (const Dialect& dialect : dialects()) {
    const bool keeps = std::ranges::find(sides.keeping, dialect.name) != sides.keeping.end();
    table.rows.push_back({dialect.name, keeps ? "keeps" : "drops", type_name(dialect.element)});
  }
  return table;
}

viz::Figure reading_picture(const Readings& read) {
  return weights_picture("S8-weights", "One mask, (1, 1, 0), read in three ways",
                         {{"1 keeps", read.meant}, {"1 drops", read.other}, {"added", read.added}},
                         {"word 1, score 1", "word 2, score 2", "PAD, score 3"},
                         "Meant: 1 keeps. The other readings, 1 drops and 0 or 1 "
                         "added to the scores, do not fail: their "
                         "weights add up to 1, too.");
}

}  // namespace

Finding one_means_real(Runtime& runtime) {
  const Sides sides = sides_of_one();
  const Readings read = read_in_all_ways(runtime);

  Finding finding{.id = "S8",
                  .title = "1 is real, True is PAD",
                  .claim = "A mask is \"1 = real\", and it is \"True = PAD\" (one text says both)"};
  // Each half is right of some interfaces, or one of them is right of none.
  finding.verdict =
      sides.keeping.empty() || sides.dropping.empty() ? Verdict::fails : Verdict::mixed;
  finding.because =
      message("Both are in use: of ", dialects().size(), " interfaces that take the array ",
              spelled_cells(kMask, kKeys), ", ", sides.keeping.size(), " keep where it says 1 and ",
              sides.dropping.size(),
              " drop there. Taken the wrong way round, two words and a pad of scores "
              "(1, 2, 3) get ",
              spelled(read.other, 2), " instead of ", spelled(read.meant, 2), ".");
  finding.numbers.set("array", spelled_cells(kMask, kKeys))
      .set("interfaces", dialects().size())
      .set("one_keeps", Json::array_of(sides.keeping))
      .set("one_drops", Json::array_of(sides.dropping))
      .set("scores", Json::array_of(kScores))
      .set("weights_as_meant", numbers(read.meant))
      .set("weights_flipped", numbers(read.other))
      .set("weights_added_to_scores", numbers(read.added))
      .set("weights_unpadded_flipped", numbers(read.nothing_left));

  finding.blocks.table(meaning_table(sides));
  finding.blocks.figure(reading_picture(read));
  finding.blocks.paragraph(message(
      "Where no text of a batch is padded, its mask is all 1, and read the wrong way round it "
      "masks everything: in float32 -1e9 then gives ",
      spelled(read.nothing_left_by_constant, 2), ", padless ", spelled(read.nothing_left, 2),
      ". padless takes no bare array: a constructor names whose mask it is, and a float mask of 0 "
      "and 1 that would be added to scores is refused:"));
  finding.blocks.paragraph("“" + additive_refusal() + "”");
  return finding;
}

namespace {

// All sizes differ, so that no shape reads as another.
constexpr AttentionSizes kSizes = {.batch = 2, .heads = 3, .queries = 4, .keys = 5};

struct Shape {
  const char* name;
  std::vector<std::size_t> dims;
};

std::vector<Shape> shapes() {
  const auto& [b, h, l, s] = kSizes;
  return {{"[B, S]", {b, s}},
          {"[B, 1, 1, S]", {b, 1, 1, s}},
          {"[L, S]", {l, s}},
          {"[B, L, S]", {b, l, s}},
          {"[H, L, S]", {h, l, s}},
          {"[B*H, L, S]", {b * h, l, s}},
          {"[B, 1, L, S]", {b, 1, l, s}},
          {"[B, H, L, S]", {b, h, l, s}}};
}

std::size_t product(const std::vector<std::size_t>& dims) {
  return std::accumulate(dims.begin(), dims.end(), std::size_t{1}, std::multiplies());
}

// A dialect's answer to a shape: nothing, or what is told apart in the mask it makes of it. A mask
// of another batch or of other queries would be refused by the attention it is meant for.
std::string answer(const Dialect& dialect, const Shape& shape) {
  const std::vector<std::uint8_t> ones(product(shape.dims), 1);
  const Reading reading = read_as(dialect, ones, shape.dims, kSizes);
  if (!reading.mask) return "–";
  const AttentionSizes& sizes = reading.mask->sizes();
  const bool fits = sizes.batch == kSizes.batch && sizes.keys == kSizes.keys &&
                    (sizes.queries == 1 || sizes.queries == kSizes.queries);
  if (!fits) return "–";
  if (sizes.heads == 1 && sizes.queries == 1) return "keys";
  return sizes.heads == 1 ? "queries" : "heads";
}

// B = L = S: does a bare square array have a meaning?
struct Square {
  static constexpr std::size_t kSize = 3;
  static constexpr std::uint8_t kCells[kSize * kSize] = {1, 1, 1, 1, 1, 0, 1, 0, 0};

  std::string refusal;
  std::size_t cells = 0, differing = 0;  // of the two readings' masks [B, L, S]
};

Square read_square() {
  constexpr std::size_t n = Square::kSize;
  const AttentionSizes sizes = {.batch = n, .queries = n, .keys = n};
  const std::span<const std::uint8_t> cells = Square::kCells;
  Square square;
  try {
    KeepMask::of(MaskArray(cells, {n, n}), sizes);
  } catch (const ShapeError& error) {
    square.refusal = error.what();
  }
  const KeepMask by_sequence = KeepMask::of(MaskArray(cells, {n, 1, 1, n}), sizes);
  const KeepMask by_query = KeepMask::of(MaskArray(cells, {1, 1, n, n}), sizes);
  for (std::size_t b = 0; b < n; ++b) {
    for (std::size_t q = 0; q < n; ++q) {
      for (std::size_t k = 0; k < n; ++k, ++square.cells) {
        square.differing += by_sequence(b, 0, q, k) != by_query(b, 0, q, k) ? 1 : 0;
      }
    }
  }
  return square;
}

// What each interface takes of the shapes, and which of the two padding shapes that is.
struct Taken {
  viz::Table table;
  Json accepted = Json::object();
  std::vector<std::string> broadcasting, spreading, neither;  // names
};

Taken ask_all() {
  Taken taken{
      .table = {"What each interface takes, for B = 2, H = 3, L = 4, S = 5", {"interface"}, {}}};
  const std::vector<Shape> all = shapes();
  for (const Shape& shape : all) taken.table.header.emplace_back(shape.name);
  for (const Dialect& dialect : dialects()) {
    std::vector<std::string> row = {dialect.name};
    Json shapes_json = Json::object();
    for (const Shape& shape : all) {
      row.push_back(answer(dialect, shape));
      if (row.back() != "–") shapes_json.set(shape.name, row.back());
    }
    // A mask of keys alone is the same for every head and query: that is the broadcast.
    (row[2] == "keys"   ? taken.broadcasting
     : row[1] == "keys" ? taken.spreading
                        : taken.neither)
        .push_back(dialect.name);
    taken.accepted.set(dialect.name, std::move(shapes_json));
    taken.table.rows.push_back(std::move(row));
  }
  return taken;
}

void describe_square(const Square& square, viz::Blocks& blocks) {
  blocks.subheading("Where sizes are equal, a shape means nothing");
  blocks.paragraph(message(
      "With B = L = S = ", Square::kSize, " the array ",
      spelled_cells(Square::kCells, Square::kSize),
      " is a mask of three sequences' keys and a mask of three queries' keys; the two differ in ",
      square.differing, " of ", square.cells, " cells [B, L, S]. ",
      square.refusal.empty() ? "It was taken all the same." : "It is refused:"));
  if (!square.refusal.empty()) blocks.paragraph("“" + square.refusal + "”");
}

}  // namespace

Finding masks_broadcast() {
  const auto [table, accepted, broadcasting, spreading, neither] = ask_all();
  const Square square = read_square();

  Finding finding{.id = "S10",
                  .title = "[B, 1, 1, S] broadcasts over heads and queries",
                  .claim = "A [B, 1, 1, S] mask broadcasts over heads and queries"};
  finding.verdict = broadcasting.empty()                   ? Verdict::fails
                    : spreading.empty() && neither.empty() ? Verdict::holds
                                                           : Verdict::mixed;
  finding.because = message(
      "It does where it is taken: in ", broadcasting.size(), " of ", dialects().size(),
      " interfaces (", names_of(broadcasting), "). ", spreading.size(),
      " take [B, S] instead and spread it themselves (", names_of(spreading), "), ", neither.size(),
      neither.size() == 1 ? " takes" : " take", " neither (", names_of(neither), ").");
  finding.numbers.set("broadcast_taken", Json::array_of(broadcasting))
      .set("batch_by_keys_taken", Json::array_of(spreading))
      .set("neither_taken", Json::array_of(neither))
      .set("accepted", accepted)
      .set("square_is_refused", !square.refusal.empty())
      .set("square_cells_that_differ", square.differing)
      .set("square_cells", square.cells);

  finding.blocks.table(table);
  finding.blocks.paragraph(
      "Each was given to padless' constructor of that name. A dash: refused. keys: one row of keys "
      "for every head and query of a sequence; queries: a row for each query; heads: for each "
      "head, "
      "too. The sizes all differ here, so that no shape can be taken for another.");
  describe_square(square, finding.blocks);
  return finding;
}

}  // namespace padless::study
