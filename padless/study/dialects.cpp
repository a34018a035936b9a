#include "padless/study/dialects.h"

#include <utility>

#include "padless/core/error.h"

namespace padless::study {
namespace {

using Element = MaskArray::Element;

std::vector<Dialect> make_dialects() {
  return {
      {"BERT to_mask",
       Element::i32,
       {'B', 'S'},
       [](const MaskArray& a, const AttentionSizes&) { return KeepMask::from_bert(a); }},
      {"Hugging Face attention_mask",
       Element::i64,
       {'B', 'S'},
       [](const MaskArray& a, const AttentionSizes&) { return KeepMask::from_hf(a); }},
      {"Keras mask",
       Element::boolean,
       {'B', 'S'},
       [](const MaskArray& a, const AttentionSizes&) { return KeepMask::from_keras(a); }},
      {"ONNX Runtime mask_index",
       Element::i32,
       {'B', 'S'},
       [](const MaskArray& a, const AttentionSizes& s) { return KeepMask::from_mask_index(a, s); }},
      {"PyTorch SDPA attn_mask",
       Element::boolean,
       {'B', '1', '1', 'S'},
       [](const MaskArray& a, const AttentionSizes& s) { return KeepMask::from_sdpa(a, s); }},
      {"PyTorch key_padding_mask",
       Element::boolean,
       {'B', 'S'},
       [](const MaskArray& a, const AttentionSizes&) { return KeepMask::from_torch_padding(a); }},
      {"PyTorch MHA attn_mask",
       Element::boolean,
       {'L', 'S'},
       [](const MaskArray& a, const AttentionSizes& s) {
         return KeepMask::from_torch_attention(a, s, HeadOrder::batch_major);
       }},
      {"TensorFlow tutorial mask",
       Element::f32,
       {'B', '1', '1', 'S'},
       [](const MaskArray& a, const AttentionSizes& s) {
         return KeepMask::from_tf_tutorial(a, s);
       }},
  };
}

template <class T>
KeepMask read_cells(const Dialect& dialect, std::span<const std::uint8_t> cells,
                    std::vector<std::size_t> shape, const AttentionSizes& sizes) {
  const std::vector<T> typed(cells.begin(), cells.end());
  return dialect.read(MaskArray(std::span<const T>(typed), std::move(shape)), sizes);
}

KeepMask read_typed(const Dialect& dialect, std::span<const std::uint8_t> cells,
                    std::vector<std::size_t> shape, const AttentionSizes& sizes) {
  switch (dialect.element) {
    case Element::i32:
      return read_cells<std::int32_t>(dialect, cells, std::move(shape), sizes);
    case Element::i64:
      return read_cells<std::int64_t>(dialect, cells, std::move(shape), sizes);
    case Element::f32:
      return read_cells<float>(dialect, cells, std::move(shape), sizes);
    default:  // bool, which a byte passes for
      return read_cells<std::uint8_t>(dialect, cells, std::move(shape), sizes);
  }
}

}  // namespace

std::span<const Dialect> dialects() {
  static const std::vector<Dialect> all = make_dialects();
  return all;
}

Reading read_as(const Dialect& dialect, std::span<const std::uint8_t> cells,
                std::vector<std::size_t> shape, const AttentionSizes& sizes) {
  try {
    return {read_typed(dialect, cells, std::move(shape), sizes), ""};
  } catch (const Error& error) {
    return {std::nullopt, error.what()};
  }
}

One meaning_of_one(const Dialect& dialect, std::span<const std::uint8_t> cells, std::size_t rows,
                   std::size_t keys) {
  std::vector<std::size_t> shape;
  bool by_query = false;
  for (const char dim : dialect.padding_dims) {
    shape.push_back(dim == '1' ? 1 : dim == 'S' ? keys : rows);
    by_query = by_query || dim == 'L';
  }
  const AttentionSizes sizes = {
      .batch = by_query ? 1 : rows, .queries = by_query ? rows : 1, .keys = keys};
  const KeepMask mask = read_typed(dialect, cells, std::move(shape), sizes);
  std::size_t kept_ones = 0, kept_zeros = 0, ones = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t k = 0; k < keys; ++k) {
      const bool one = cells[r * keys + k] != 0;
      const bool kept = by_query ? mask(0, 0, r, k) : mask(r, 0, 0, k);
      ones += one ? 1 : 0;
      kept_ones += one && kept ? 1 : 0;
      kept_zeros += !one && kept ? 1 : 0;
    }
  }
  const bool keeps = kept_ones == ones && kept_zeros == 0;
  const bool drops = kept_ones == 0 && kept_zeros == rows * keys - ones;
  require_value(keeps != drops, "meaning_of_one: ", dialect.name, " keeps ", kept_ones, " of ",
                ones, " ones and ", kept_zeros, " of ", rows * keys - ones,
                " zeros, expected all of one and none of the other");
  return keeps ? One::keeps : One::drops;
}

}  // namespace padless::study
