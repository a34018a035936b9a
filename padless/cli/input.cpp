#include "padless/cli/input.h"

namespace padless::cli {

TableReader open_table(const Console& console, const DataOptions& data) {
  if (data.file == "-") return {console.in, kStandardInput, data.format};
  return TableReader(data.file, data.format);
}

LabelledColumns columns_of(const DataOptions& data, const LearntOptions& learnt) {
  LabelledColumns columns = {.text = data.text,
                             .label = learnt.label,
                             .target = learnt.target,
                             .split = learnt.split,
                             .labels = learnt.labels};
  if (learnt.label_separator) columns.label_separator = *learnt.label_separator;
  return columns;
}

}  // namespace padless::cli
