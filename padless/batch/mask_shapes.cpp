#include "padless/batch/mask_shapes.h"

#include <string>
#include <vector>

#include "padless/core/error.h"

namespace padless {
namespace {

bool fits(std::size_t dim, std::size_t size) { return dim == size || dim == 1; }

PlacedDims place_four(const char* where, const MaskArray& array, const AttentionSizes& sizes) {
  const PlacedDims dims = {array.dim(0), array.dim(1), array.dim(2), array.dim(3)};
  require_shape(fits(dims[0], sizes.batch) && fits(dims[1], sizes.heads) &&
                    fits(dims[2], sizes.queries) && fits(dims[3], sizes.keys),
                where, ": the mask is ", array.text(), ", expected [B, H, L, S] = ", text(sizes),
                " or 1 in place of any of them");
  return dims;
}

PlacedDims place_three(const char* where, const MaskArray& array, const AttentionSizes& sizes) {
  const std::size_t first = array.dim(0);
  require_shape(fits(array.dim(1), sizes.queries) && fits(array.dim(2), sizes.keys), where,
                ": the mask is ", array.text(),
                ", expected [.., L, S] of [B, H, L, S] = ", text(sizes));
  const bool of_heads = fits(first, sizes.heads);
  const bool of_batch = first == sizes.batch && first != 1;
  require_shape(!of_heads || !of_batch, where, ": the mask is ", array.text(),
                ", which reads as [H, L, S] and as [B, L, S], as B = H = ", first,
                "; give [1, H, L, S] or [B, 1, L, S]");
  require_shape(of_heads || !of_batch, where, ": the mask is ", array.text(),
                ", probably [B, L, S]; give [B, 1, L, S]");
  require_shape(of_heads || first != sizes.batch * sizes.heads, where, ": the mask is ",
                array.text(),
                ", probably [B * H, L, S], whose order must be named: give [B, H, L, S]",
                array.is_integer() ? ""
                : array.is_float()
                    ? ", or PyTorch's attn_mask to AdditiveMask::from_additive with a HeadOrder"
                    : ", or PyTorch's attn_mask to from_torch_attention with a HeadOrder");
  require_shape(of_heads, where, ": the mask is ", array.text(), ", expected [H, L, S] of ",
                "[B, H, L, S] = ", text(sizes));
  return {1, first, array.dim(1), array.dim(2)};
}

PlacedDims place_two(const char* where, const MaskArray& array, const AttentionSizes& sizes,
                     RankTwo rank_two) {
  const std::size_t first = array.dim(0);
  const bool of_queries = fits(first, sizes.queries);
  const bool of_batch = first == sizes.batch && first != 1;
  require_shape(fits(array.dim(1), sizes.keys) && (of_queries || first == sizes.batch), where,
                ": the mask is ", array.text(), ", expected [L, S]",
                rank_two == RankTwo::either ? " or [B, S]" : "",
                " of [B, H, L, S] = ", text(sizes));
  require_shape(!of_queries || !of_batch, where, ": the mask is ", array.text(),
                ", which reads as [B, S] (each sequence's keys) and as [L, S] (each query's keys), "
                "as B = L = ",
                first, "; give [B, 1, 1, S] or [1, 1, L, S]");
  require_shape(of_queries || rank_two == RankTwo::either, where, ": the mask is ", array.text(),
                ", probably [B, S] (each sequence's keys); give [B, 1, 1, S], or name the dialect: "
                "from_hf (1 = real), from_keras (True = keep), from_torch_padding (True = pad)");
  if (of_queries) return {1, 1, first, array.dim(1)};
  return {first, 1, 1, array.dim(1)};
}

}  // namespace

TorchDims::TorchDims(const char* where, const MaskArray& array, const AttentionSizes& sizes,
                     std::optional<HeadOrder> order)
    : dims_{1, 1, sizes.queries, sizes.keys} {
  const std::size_t rank = array.rank();
  const bool padding = rank == 2 && array.dim(0) == sizes.batch && array.dim(1) == sizes.keys;
  const char* hint = "";
  if (padding) {
    hint = array.is_float() ? " (a key_padding_mask [B, S] is read without a HeadOrder)"
                            : " (a key_padding_mask goes to from_torch_padding)";
  }
  require_shape(fit(array, sizes), where, ": the mask is ", array.text(),
                ", expected [L, S] or [B * H, L, S] of [B, H, L, S] = ", text(sizes), hint);
  if (rank == 2) return;
  require_value(order.has_value(), where, ": the mask is ", array.text(),
                " without the order of its first dimension, expected HeadOrder::batch_major (entry "
                "b * H + h, PyTorch's) or HeadOrder::head_major (entry h * B + b, a mask tiled H "
                "times)");
  head_major_ = order == HeadOrder::head_major;
  dims_[0] = sizes.batch;
  dims_[1] = sizes.heads;
}

bool TorchDims::fit(const MaskArray& array, const AttentionSizes& sizes) {
  const std::size_t rank = array.rank();
  return (rank == 2 || (rank == 3 && array.dim(0) == sizes.batch * sizes.heads)) &&
         array.dim(rank - 2) == sizes.queries && array.dim(rank - 1) == sizes.keys;
}

std::size_t TorchDims::cell(std::size_t i) const {
  if (!head_major_) return i;
  const auto [batch, heads, queries, keys] = dims_;
  const std::size_t area = queries * keys, b = i / area / heads, h = i / area % heads;
  return (h * batch + b) * area + i % area;
}

SpreadDims::SpreadDims(const char* where, const MaskArray& array,
                       std::span<const std::size_t> leading, std::size_t queries, std::size_t keys)
    : sizes_(leading_sizes(leading, queries, keys)),
      leading_(leading.begin(), leading.end()),
      steps_(leading.size() + 2, 0) {
  std::vector<std::size_t> wanted = leading_;
  wanted.push_back(queries);
  wanted.push_back(keys);
  const auto refuse = [&] {
    std::string shape;
    for (const std::size_t dim : wanted) shape += (shape.empty() ? "" : ", ") + std::to_string(dim);
    throw ShapeError(message(where, ": the mask is ", array, ", expected to spread over [", shape,
                             "] (each dimension equal, 1, or left out in front)"));
  };
  if (array.rank() > wanted.size()) refuse();
  std::size_t step = 1;
  for (std::size_t i = 1; i <= array.rank(); ++i) {
    const std::size_t dim = array.dim(array.rank() - i), place = wanted.size() - i;
    if (!fits(dim, wanted[place])) refuse();
    if (dim > 1) steps_[place] = step;
    step *= dim;
  }
  // Of no queries, or no heads, none stands for all: the array may have no cell.
  if (queries > 0 && steps_[leading_.size()] == 0) sizes_.queries = 1;
  if (sizes_.heads > 0 && leading_.size() > 1 && steps_[leading_.size() - 1] == 0) sizes_.heads = 1;
}

std::size_t SpreadDims::cell(std::size_t b, std::size_t h, std::size_t q, std::size_t k) const {
  std::size_t cell = q * steps_[leading_.size()] + k * steps_[leading_.size() + 1];
  std::size_t left = b;
  std::size_t dim = leading_.size();
  if (dim > 1) cell += h * steps_[--dim];
  while (dim-- > 0) {
    cell += left % leading_[dim] * steps_[dim];
    left /= leading_[dim];
  }
  return cell;
}

std::string text(const AttentionSizes& sizes) {
  return message('[', sizes.batch, ", ", sizes.heads, ", ", sizes.queries, ", ", sizes.keys, ']');
}

PlacedDims place(const char* where, const MaskArray& array, const AttentionSizes& sizes,
                 RankTwo rank_two) {
  switch (array.rank()) {
    case 4:
      return place_four(where, array, sizes);
    case 3:
      return place_three(where, array, sizes);
    case 2:
      return place_two(where, array, sizes, rank_two);
    default:
      throw ShapeError(
          message(where, ": the mask is ", array.text(),
                  ", expected 2, 3 or 4 dimensions of [B, H, L, S] = ", text(sizes),
                  " (one row for all is [1, 1, 1, S]",
                  array.rank() == 1 && array.is_integer() ? "; lengths go to from_lengths)" : ")"));
  }
}

}  // namespace padless
