#include "padless/ops/scaled_dot_product_attention.h"

#include <algorithm>
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

/// Where the sequence of one leading index keeps its keys: those that some query may see.
std::vector<std::size_t> seen_keys(const PaddedMask& mask, std::size_t b, std::size_t h,
                                   std::size_t queries, std::size_t keys) {
  std::vector<std::size_t> seen;
  seen.reserve(keys);
  for (std::size_t j = 0; j < keys; ++j) {
    bool kept = !mask.keep();
    for (std::size_t i = 0; i < queries && !kept; ++i) kept = (*mask.keep())(b, h, i, j);
    if (kept) seen.push_back(j);
  }
  return seen;
}

template <class T>
void require_sizes(std::string_view operand, const std::optional<T>& cells,
                   const AttentionSizes& wanted) {
  if (!cells) return;
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

  // Each leading index is a sequence of its own, of one head, without the keys that nobody sees.
  std::vector<std::vector<std::size_t>> seen(q.count);
  std::size_t longest = 0;
  for (std::size_t n = 0; n < q.count; ++n) {
    seen[n] = seen_keys(mask, n / sizes.heads, n % sizes.heads, q.rows, k.rows);
    longest = std::max(longest, seen[n].size());
  }
  std::vector<Matrix<float>> packed;  // of sequences that do not keep all their keys
  packed.reserve(2 * q.count);
  std::vector<MatrixView<const float>> keys(q.count), values(q.count);
  const auto gather = [&packed](MatrixView<const float> from, std::span<const std::size_t> rows) {
    if (rows.size() == from.rows()) return from;
    Matrix<float>& to = packed.emplace_back(rows.size(), from.cols());
    for (std::size_t r = 0; r < rows.size(); ++r) {
      std::ranges::copy(from.row(rows[r]), to.row(r).begin());
    }
    return std::as_const(to).view();
  };
  // What is left of mask and bias: [sequences, 1, L, longest].
  const AttentionSizes left{.batch = q.count, .heads = 1, .queries = q.rows, .keys = longest};
  const std::size_t cells = checked_product(checked_product(q.count, q.rows), longest);
  std::vector<std::uint8_t> kept(mask.keep() ? cells : 0, 1);
  std::vector<float> added(mask.bias() ? cells : 0, 0);
  for (std::size_t n = 0; n < q.count; ++n) {
    keys[n] = gather(k[n], seen[n]);
    values[n] = gather(v[n], seen[n]);
    const std::size_t b = n / sizes.heads, h = n % sizes.heads;
    for (std::size_t i = 0; i < q.rows; ++i) {
      const std::size_t row = (n * q.rows + i) * longest;
      for (std::size_t j = 0; j < seen[n].size(); ++j) {
        if (mask.keep()) kept[row + j] = (*mask.keep())(b, h, i, seen[n][j]) ? 1 : 0;
        if (mask.bias()) added[row + j] = mask.bias()->row(b, h, i)[seen[n][j]];
      }
    }
  }
  const std::vector<std::size_t> shape = {left.batch, left.heads, left.queries, left.keys};
  KeepMask keep;
  Bias bias;
  AttentionOptions options{.scale = scale};
  if (std::ranges::find(kept, std::uint8_t{0}) != kept.end()) {
    keep = KeepMask::of(MaskArray(std::span<const std::uint8_t>(kept), shape), left);
    options.keep = &keep;
  }
  if (!added.empty()) {
    bias = Bias::of(MaskArray(std::span<const float>(added), shape), left);
    options.bias = &bias;
  }

  const std::vector<std::size_t> lengths(q.count, q.rows);
  const Segments queries = Segments::from_lengths(std::span<const std::size_t>(lengths));
  const MatrixView<const float> all_q(q.cells.data(), queries.total(), q.cols);
  Matrix<float> out(queries.total(), v.cols), top(queries.total(), 1), sum = top;
  const AttentionStats stats{top.view(), sum.view()};
  attention_forward(runtime, {}, options, all_q, queries, keys, values, out.view(), stats);
  std::size_t pairs = 0;
  for (const auto& rows : seen) pairs += q.rows * rows.size();
  std::vector<float> weights(pairs);
  attention_weights(runtime, {}, options, all_q, queries, keys, stats, weights);

  PaddedAttention result;
  result.output_shape = with(q.leading, q.rows, v.cols);
  result.weights_shape = with(q.leading, q.rows, k.rows);
  result.output.assign(out.cells().begin(), out.cells().end());
  result.weights.assign(checked_product(queries.total(), k.rows), 0);
  std::size_t next = 0;
  for (std::size_t n = 0; n < q.count; ++n) {
    for (std::size_t i = 0; i < q.rows; ++i) {
      float* row = result.weights.data() + (n * q.rows + i) * k.rows;
      for (const std::size_t j : seen[n]) row[j] = weights[next++];
    }
  }
  return result;
}

}  // namespace padless
