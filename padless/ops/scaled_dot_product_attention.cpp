#include "padless/ops/scaled_dot_product_attention.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "padless/core/error.h"
#include "padless/core/matrix.h"
#include "padless/ops/attention.h"

namespace padless {
namespace {

constexpr std::string_view kOp = "scaled_dot_product_attention";

std::string text(std::span<const std::size_t> shape) {
  std::string text;
  for (const std::size_t dim : shape) text += (text.empty() ? "" : ", ") + std::to_string(dim);
  return "[" + text + "]";
}

/// An array as matrices [rows, cols], one for each of its leading dimensions.
struct Matrices {
  std::span<const float> cells;
  std::vector<std::size_t> leading;
  std::size_t count = 1, rows = 0, cols = 0;

  Matrices(std::string_view operand, const FloatArray& array) : cells(array.cells) {
    require_shape(array.shape.size() >= 2, kOp, ": ", operand, " is ", text(array.shape),
                  ", expected two dimensions or more");
    leading.assign(array.shape.begin(), array.shape.end() - 2);
    rows = array.shape[array.shape.size() - 2];
    cols = array.shape.back();
    for (const std::size_t dim : leading) count = checked_product(count, dim);
    const std::size_t size = checked_product(checked_product(count, rows), cols);
    require_shape(cells.size() == size, kOp, ": ", operand, " has ", cells.size(),
                  " cells, expected those of ", text(array.shape));
  }
  MatrixView<const float> operator[](std::size_t i) const {
    return {cells.data() + i * rows * cols, rows, cols};
  }
};

/// The keys that some query may see. Each leading index is a sequence of its own, of one head.
struct SeenKeys {
  std::vector<std::vector<std::size_t>> of;  // each sequence
  std::size_t longest = 0;

  SeenKeys(const PaddedMask& mask, const AttentionSizes& sizes, std::size_t sequences) {
    of.resize(sequences);
    for (std::size_t n = 0; n < sequences; ++n) {
      for (std::size_t j = 0; j < sizes.keys; ++j) {
        bool kept = mask.keep() == nullptr;
        for (std::size_t i = 0; i < sizes.queries && !kept; ++i) {
          kept = (*mask.keep())(n / sizes.heads, n % sizes.heads, i, j);
        }
        if (kept) of[n].push_back(j);
      }
      longest = std::max(longest, of[n].size());
    }
  }
};

/// Each sequence's rows of an array, without those that nobody sees.
class SeenRows {
 public:
  SeenRows(const Matrices& from, const SeenKeys& seen) {
    for (std::size_t n = 0; n < from.count; ++n) {
      const std::vector<std::size_t>& rows = seen.of[n];
      if (rows.size() == from.rows) {
        views_.push_back(from[n]);
        continue;
      }
      Matrix<float>& to = packed_.emplace_back(rows.size(), from.cols);
      for (std::size_t r = 0; r < rows.size(); ++r) {
        std::ranges::copy(from[n].row(rows[r]), to.row(r).begin());
      }
      views_.push_back(std::as_const(to).view());
    }
  }
  std::span<const MatrixView<const float>> views() const { return views_; }

 private:
  std::vector<Matrix<float>> packed_;  // a matrix that moves keeps its memory
  std::vector<MatrixView<const float>> views_;
};

/// What is left of a mask between queries and the keys that are seen.
struct SeenMask {
  KeepMask keep;
  Bias bias;
  bool drops = false, adds = false;

  SeenMask(const PaddedMask& mask, const AttentionSizes& sizes, const SeenKeys& seen) {
    const AttentionSizes left{
        .batch = seen.of.size(), .queries = sizes.queries, .keys = seen.longest};
    const std::size_t cells = checked_product(checked_product(left.batch, left.queries), left.keys);
    std::vector<std::uint8_t> kept(mask.keep() != nullptr ? cells : 0, 1);
    std::vector<float> added(mask.bias() != nullptr ? cells : 0, 0);
    for (std::size_t n = 0; n < left.batch; ++n) {
      const std::size_t b = n / sizes.heads, h = n % sizes.heads;
      for (std::size_t i = 0; i < left.queries; ++i) {
        const std::size_t row = (n * left.queries + i) * left.keys;
        for (std::size_t j = 0; j < seen.of[n].size(); ++j) {
          const std::size_t key = seen.of[n][j];
          if (mask.keep() != nullptr) kept[row + j] = (*mask.keep())(b, h, i, key) ? 1 : 0;
          if (mask.bias() != nullptr) added[row + j] = mask.bias()->row(b, h, i)[key];
        }
      }
    }
    const std::vector<std::size_t> shape = {left.batch, 1, left.queries, left.keys};
    drops = std::ranges::find(kept, std::uint8_t{0}) != kept.end();
    adds = !added.empty();
    if (drops) keep = KeepMask::of(MaskArray(std::span<const std::uint8_t>(kept), shape), left);
    if (adds) bias = Bias::of(MaskArray(std::span<const float>(added), shape), left);
  }
};

/// Weights [L, seen keys] of each sequence as [sequences, L, S], 0 for the other keys.
std::vector<float> spread(std::span<const float> weights, const SeenKeys& seen, std::size_t queries,
                          std::size_t keys) {
  std::vector<float> all(checked_product(checked_product(seen.of.size(), queries), keys), 0);
  std::size_t next = 0, row = 0;
  for (const std::vector<std::size_t>& of_sequence : seen.of) {
    for (std::size_t i = 0; i < queries; ++i, row += keys) {
      for (const std::size_t key : of_sequence) all[row + key] = weights[next++];
    }
  }
  return all;
}

template <class T>
void require_sizes(std::string_view operand, const T* cells, const AttentionSizes& wanted) {
  if (cells == nullptr) return;
  const AttentionSizes& sizes = cells->sizes();
  const auto fits = [](std::size_t size, std::size_t all) { return size == all || size == 1; };
  require_shape(sizes.batch == wanted.batch && fits(sizes.heads, wanted.heads) &&
                    fits(sizes.queries, wanted.queries) && sizes.keys == wanted.keys,
                kOp, ": the ", operand, " is [", sizes.batch, ", ", sizes.heads, ", ",
                sizes.queries, ", ", sizes.keys, "], expected [", wanted.batch, ", 1 or ",
                wanted.heads, ", 1 or ", wanted.queries, ", ", wanted.keys,
                "] (KeepMask::broadcast makes one of any array that spreads)");
}

std::vector<std::size_t> with(std::vector<std::size_t> leading, std::size_t rows,
                              std::size_t cols) {
  leading.push_back(rows);
  leading.push_back(cols);
  return leading;
}

}  // namespace

PaddedAttention scaled_dot_product_attention(Runtime& runtime, const FloatArray& q_array,
                                             const FloatArray& k_array, const FloatArray& v_array,
                                             const PaddedMask& mask, std::optional<float> scale) {
  const Matrices q("q", q_array), k("k", k_array), v("v", v_array);
  require_shape(k.leading == q.leading && k.cols == q.cols, kOp, ": k is ", text(k_array.shape),
                ", expected ", text(with(q.leading, k.rows, q.cols)), " beside q of ",
                text(q_array.shape));
  require_shape(v.leading == q.leading && v.rows == k.rows, kOp, ": v is ", text(v_array.shape),
                ", expected ", text(with(q.leading, k.rows, v.cols)), " beside k of ",
                text(k_array.shape));
  const AttentionSizes sizes = leading_sizes(q.leading, q.rows, k.rows);
  require_sizes("mask", mask.keep(), sizes);
  require_sizes("bias", mask.bias(), sizes);

  const SeenKeys seen(mask, sizes, q.count);
  const SeenRows keys(k, seen), values(v, seen);
  const SeenMask left(mask, sizes, seen);
  AttentionOptions options{.scale = scale};
  if (left.drops) options.keep = &left.keep;
  if (left.adds) options.bias = &left.bias;

  const std::vector<std::size_t> lengths(q.count, q.rows);
  const Segments queries = Segments::from_lengths(std::span<const std::size_t>(lengths));
  const MatrixView<const float> all_q(q.cells.data(), queries.total(), q.cols);
  Matrix<float> out(queries.total(), v.cols), top(queries.total(), 1), sum = top;
  const AttentionStats stats{top.view(), sum.view()};
  attention_forward(runtime, {}, options, all_q, queries, keys.views(), values.views(), out.view(),
                    stats);
  std::size_t pairs = 0;
  for (const std::vector<std::size_t>& rows : seen.of) pairs += q.rows * rows.size();
  std::vector<float> weights(pairs);
  attention_weights(runtime, {}, options, all_q, queries, keys.views(), stats, weights);

  PaddedAttention result;
  result.output_shape = with(q.leading, q.rows, v.cols);
  result.weights_shape = with(q.leading, q.rows, k.rows);
  result.output.assign(out.cells().begin(), out.cells().end());
  result.weights = spread(weights, seen, q.rows, k.rows);
  return result;
}

}  // namespace padless
