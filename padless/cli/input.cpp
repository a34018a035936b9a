#include "padless/cli/input.h"

namespace padless::cli {

TableReader open_table(const Console& console, const DataOptions& data) {
  if (data.file == "-") return {console.in, "standard input", data.format};
  return TableReader(data.file, data.format);
}

LabelledColumns columns_of(const DataOptions& data, const LearntOptions& learnt) {
  return {.text = data.text, .label = learnt.label, .target = learnt.target, .split = learnt.split};
}

}  // namespace padless::cli
