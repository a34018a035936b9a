#include "padless/ops/dropout.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "padless/core/rng.h"
#include "padless/kernels/dispatch.h"
#include "padless/ops/checks.h"
#include "padless/ops/draws.h"
#include "padless/ops/row_items.h"

namespace padless {
namespace {

constexpr std::size_t kRowsAnItem = 64;

void drop(std::string_view op_name, std::string_view to, Runtime& runtime, const Pass& pass,
          float p, std::uint32_t op, MatrixView<const float> x, MatrixView<float> out) {
  require_matrix(op_name, to, out, x.rows(), x.cols());
  const std::size_t rows = x.rows();
  const std::uint32_t threshold = drop_threshold(op_name, p);
  const bool drops = pass.training && threshold > 0;
  // A row is never copied onto itself.
  if (!drops && x.data() == out.data() && x.stride() == out.stride()) return;
  if (drops) require_documents(op_name, pass, rows);
  const auto key = draw_key(pass.seed, pass.step, op);
  const auto kernel = kernels::table(runtime.isa()).dropout;
  for_row_items(runtime, rows, kRowsAnItem, [&](std::size_t first, std::size_t end) {
    if (!drops) {
      for (std::size_t t = first; t < end; ++t) std::ranges::copy(x.row(t), out.row(t).begin());
      return;
    }
    std::size_t document = pass.documents != nullptr ? pass.documents->sequence_of(first) : 0;
    for (std::size_t t = first; t < end; ++t) {
      std::uint64_t number = 0;
      std::size_t row = t;
      if (pass.documents != nullptr) {
        while (t >= (*pass.documents)[document].end) ++document;
        number = pass.document_numbers[document];
        row -= (*pass.documents)[document].begin;
      }
      kernel(x.row(t).data(), x.cols(), threshold, key.data(), number,
             static_cast<std::uint32_t>(row), 0, out.row(t).data());
    }
  });
}

}  // namespace

void dropout_forward(Runtime& runtime, const Pass& pass, float p, std::uint32_t op,
                     MatrixView<const float> x, MatrixView<float> out) {
  drop("dropout_forward", "out", runtime, pass, p, op, x, out);
}

void dropout_backward(Runtime& runtime, const Pass& pass, float p, std::uint32_t op,
                      MatrixView<const float> d_out, MatrixView<float> d_x) {
  drop("dropout_backward", "d_x", runtime, pass, p, op, d_out, d_x);
}

}  // namespace padless
