#include "padless/data/labelled_set.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "padless/core/error.h"
#include "padless/core/quote.h"

namespace padless {
namespace {

std::string_view without_spaces_around(std::string_view text) {
  constexpr std::string_view kSpaces = " \t";
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

std::optional<double> finite_number(std::string_view text) {
  text = without_spaces_around(text);
  if (text.starts_with('+') && !text.starts_with("+-"))
    text.remove_prefix(1);  // which from_chars does not know
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  // Beyond it squares of targets, which metrics and training take, are no finite doubles.
  constexpr double kMost = 1e100;
  if (!whole || !(std::fabs(value) <= kMost)) return std::nullopt;
  return value;
}

void sort_and_keep_each_once(std::vector<std::string>& names) {
  std::ranges::sort(names);
  const auto rest = std::ranges::unique(names);
  names.erase(rest.begin(), rest.end());
}

std::vector<std::string> label_set_of(const std::vector<std::string>& list) {
  std::vector<std::string> labels;
  labels.reserve(list.size());
  for (const std::string& part : list) {
    const std::string_view label = without_spaces_around(part);
    if (!label.empty()) labels.emplace_back(label);
  }
  sort_and_keep_each_once(labels);
  return labels;
}

}  // namespace

std::vector<std::size_t> LabelledSet::indices_of(Split split) const {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < splits.size(); ++i) {
    if (splits[i] == split) indices.push_back(i);
  }
  return indices;
}

LabelledSet read_labelled_set(TableReader& table, const LabelledColumns& columns,
                              std::optional<std::size_t> limit) {
  std::vector<std::string> names = {columns.text};
  for (const auto* column : {&columns.label, &columns.target, &columns.split}) {
    if (*column) names.push_back(**column);
  }
  table.select(names);
  if (columns.labels) table.select_list(*columns.labels, columns.label_separator);

  LabelledSet set;
  TableReader::Row row;
  const auto refusal = [&](const std::string& column, const std::string& value,
                           const char* expected) {
    return FormatError(message(table.name(), ":", row.line, ": '", column, "' is ", quote(value),
                               ", expected ", expected));
  };
  while ((!limit || set.texts.size() < *limit) && table.next(row)) {
    auto field = row.fields.begin();
    set.rows.push_back(row.number);
    set.texts.push_back(std::move(*field++));
    if (columns.label) {
      if (field->empty()) throw refusal(*columns.label, *field, "a class name");
      set.labels.push_back(std::move(*field++));
    }
    if (columns.target) {
      const auto value = finite_number(*field);
      if (!value) throw refusal(*columns.target, *field, "a number from -1e100 to 1e100");
      set.targets.push_back(*value);
      ++field;
    }
    if (columns.split) {
      const auto split = parse_split(*field);
      if (!split)
        throw refusal(*columns.split, *field, "train, dev, validation, valid, val or test");
      set.splits.push_back(*split);
    }
    if (columns.labels) set.label_sets.push_back(label_set_of(row.list));
  }
  require_value(!set.texts.empty(), table.name(), ": has no rows, expected at least one");
  return set;
}

Classes Classes::of(std::span<const std::string> labels) {
  std::vector<std::string> names(labels.begin(), labels.end());
  sort_and_keep_each_once(names);
  require_value(names.size() != 1, "the ", labels.size(), " labels are all ",
                names.empty() ? "" : quote(names.front()), ", expected at least two classes");
  require_value(!names.empty(), "there are no labels, expected at least two classes");
  return Classes(std::move(names));
}

Classes Classes::of_sets(std::span<const std::vector<std::string>> label_sets) {
  std::vector<std::string> names;
  for (const std::vector<std::string>& labels : label_sets) {
    names.insert(names.end(), labels.begin(), labels.end());
  }
  sort_and_keep_each_once(names);
  require_value(!names.empty(), "none of the ", label_sets.size(),
                " texts has a label, expected some");
  return Classes(std::move(names));
}

std::optional<std::size_t> Classes::id(std::string_view label) const {
  const auto found = std::ranges::lower_bound(names_, label);
  if (found == names_.end() || *found != label) return std::nullopt;
  return static_cast<std::size_t>(found - names_.begin());
}

}  // namespace padless
