#include "padless/ops/linear.h"

#include <algorithm>

#include "padless/core/error.h"
#include "padless/kernels/dispatch.h"
#include "padless/ops/checks.h"

namespace padless {
namespace {

// Rows of one item: their inputs and outputs fit the second-level cache beside the weights.
constexpr std::size_t kRowsAnItem = 128;
// With few rows, columns are cut instead, so that there is something to share out.
constexpr std::size_t kEnoughItems = 8;

struct Cut {
  std::size_t row_items, column_items, panels;

  Cut(std::size_t rows, std::size_t panel_count)
      : row_items((rows + kRowsAnItem - 1) / kRowsAnItem),
        column_items(
            row_items == 0 ? 0 : std::min(panel_count, (kEnoughItems + row_items - 1) / row_items)),
        panels(panel_count) {}

  std::size_t items() const { return row_items * column_items; }
  std::size_t panel_begin(std::size_t column_item) const {
    return panels * column_item / column_items;
  }
};

void require_gives(std::string_view op, const PackedWeights& w, PackedWeights::Gives gives) {
  const bool outputs = gives == PackedWeights::Gives::outputs;
  require_shape(w.gives() == gives, op, ": the weights were packed to give ",
                outputs ? "inputs, expected outputs" : "outputs, expected inputs");
}

void multiply(std::string_view op, Runtime& runtime, MatrixView<const float> x,
              const PackedWeights& w, const float* bias, MatrixView<float> y) {
  require_shape(w.isa() == runtime.isa(), op, ": the weights were packed for ", name(w.isa()),
                ", the runtime computes with ", name(runtime.isa()));
  const kernels::Table& table = kernels::table(runtime.isa());
  const Cut cut(x.rows(), table.panels(w.row_out()));
  runtime.parallel_for(cut.items(), [&](std::size_t item) {
    const std::size_t row = item / cut.column_items * kRowsAnItem;
    const std::size_t column_item = item % cut.column_items;
    const std::size_t rows = std::min(kRowsAnItem, x.rows() - row);
    table.linear(x.row(row).data(), x.stride(), rows, x.cols(), w.data(), w.row_out(),
                 cut.panel_begin(column_item), cut.panel_begin(column_item + 1), bias,
                 y.row(row).data(), y.stride());
  });
}

}  // namespace

PackedWeights::PackedWeights(Runtime& runtime, MatrixView<const float> w, Gives gives)
    : in_(gives == Gives::outputs ? w.cols() : w.rows()),
      out_(gives == Gives::outputs ? w.rows() : w.cols()),
      gives_(gives),
      isa_(runtime.isa()),
      packed_(1, kernels::table(isa_).packed_size(out_, in_)) {
  const std::size_t out_stride = gives == Gives::outputs ? w.stride() : 1;
  const std::size_t in_stride = gives == Gives::outputs ? 1 : w.stride();
  kernels::table(isa_).pack(w.data(), out_stride, in_stride, out_, in_, packed_.data());
}

std::shared_ptr<const PackedWeights> PackedCache::get(Runtime& runtime, const Parameter& weight,
                                                      PackedWeights::Gives gives) const {
  return get(runtime, weight, gives, {0, weight.value.rows()});
}

std::shared_ptr<const PackedWeights> PackedCache::get(Runtime& runtime, const Parameter& weight,
                                                      PackedWeights::Gives gives,
                                                      Segments::Rows rows) const {
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_[gives == PackedWeights::Gives::outputs ? 0 : 1];
  if (!entry.packed || entry.version != weight.version || entry.packed->isa() != runtime.isa()) {
    const auto chosen = weight.value.view().rows_at(rows.begin, rows.size());
    entry.packed = std::make_shared<const PackedWeights>(runtime, chosen, gives);
    entry.version = weight.version;
  }
  return entry.packed;
}

void PackedCache::forget() {
  const std::lock_guard lock(mutex_);
  for (Entry& entry : entries_) entry = {};
}

void linear_forward(Runtime& runtime, const Pass& /*pass*/, MatrixView<const float> x,
                    const PackedWeights& w, std::span<const float> bias, MatrixView<float> y) {
  require_gives("linear_forward", w, PackedWeights::Gives::outputs);
  require_matrix("linear_forward", "x", x, x.rows(), w.row_in());
  require_matrix("linear_forward", "y", y, x.rows(), w.row_out());
  if (!bias.empty()) require_vector("linear_forward", "bias", bias, w.row_out());
  multiply("linear_forward", runtime, x, w, bias.empty() ? nullptr : bias.data(), y);
}

void linear_backward_input(Runtime& runtime, const Pass& /*pass*/, MatrixView<const float> d_y,
                           const PackedWeights& w, MatrixView<float> d_x) {
  require_gives("linear_backward_input", w, PackedWeights::Gives::inputs);
  require_matrix("linear_backward_input", "d_y", d_y, d_y.rows(), w.row_in());
  require_matrix("linear_backward_input", "d_x", d_x, d_y.rows(), w.row_out());
  multiply("linear_backward_input", runtime, d_y, w, nullptr, d_x);
}

void linear_backward_weight(Runtime& runtime, const Pass& pass, MatrixView<const float> d_y,
                            MatrixView<const float> x, MatrixView<float> d_w,
                            std::span<float> d_bias) {
  constexpr std::string_view kOp = "linear_backward_weight";
  require_matrix(kOp, "x", x, d_y.rows(), x.cols());
  require_matrix(kOp, "d_w", d_w, d_y.cols(), x.cols());
  if (!d_bias.empty()) require_vector(kOp, "d_bias", d_bias, d_y.cols());
  const PassShards shards = shards_of(kOp, pass, d_y.rows());
  const kernels::Table& table = kernels::table(runtime.isa());
  const std::size_t* bounds = shards.bounds().data();

  const std::size_t rows = d_y.rows(), outputs = d_y.cols();
  const std::size_t panels = table.panels(x.cols());
  Arena& arena = runtime.arena();
  const Arena::Scope scope(arena);
  const std::span<float> packed = arena.take<float>(table.packed_gradient_size(rows, outputs));
  runtime.parallel_for((rows + kRowsAnItem - 1) / kRowsAnItem, [&](std::size_t item) {
    const std::size_t begin = item * kRowsAnItem, end = std::min(begin + kRowsAnItem, rows);
    table.pack_gradient(d_y.data(), d_y.stride(), rows, outputs, begin, end, packed.data());
  });
  const MatrixView<float> scratches =
      arena.matrix(runtime.threads(), table.weight_gradient_scratch(shards.count(), outputs));
  // Outputs are shared out, never rows: one item a panel of columns, and one for the bias.
  const std::size_t items = panels + (d_bias.empty() ? 0 : 1);
  runtime.parallel_for(items, [&](std::size_t item, std::size_t worker) {
    if (item == panels) {
      table.sum_rows(d_y.data(), d_y.stride(), bounds, shards.count(), outputs, d_bias.data());
      return;
    }
    table.weight_gradient(packed.data(), x.data(), x.stride(), bounds, shards.count(), outputs,
                          x.cols(), item, item + 1, d_w.data(), d_w.stride(),
                          scratches.row(worker).data());
  });
}

}  // namespace padless
