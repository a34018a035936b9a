#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "padless/core/export.h"
#include "padless/data/split.h"
#include "padless/data/table.h"

namespace padless {

/// Which columns of a table make a LabelledSet.
struct LabelledColumns {
  std::string text = "text";
  std::optional<std::string> label = {};   ///< of class names; none for texts alone or with numbers
  std::optional<std::string> target = {};  ///< of finite numbers
  std::optional<std::string> split = {};   ///< of what parse_split knows
  std::optional<std::string> labels = {};  ///< of any number of labels: see LabelledSet
  /// Between two labels of a field. It needs no quotes in CSV and is seldom part of a name.
  std::string label_separator = "|";
};

/// Texts and what is known of them. Every vector has one entry a text, in the order of the file, or
/// none where its column was not asked for.
struct LabelledSet {
  std::vector<std::string> texts;   ///< an empty text is legal
  std::vector<std::string> labels;  ///< never empty strings
  std::vector<double> targets;      ///< finite
  std::vector<Split> splits;
  std::vector<std::size_t> rows;  ///< number of the row in its table, from 1
  /// Any number of labels a text, none included: sorted by their bytes, each once, never empty,
  /// without spaces and tabs around them.
  std::vector<std::vector<std::string>> label_sets = {};

  /// Indices of the texts of one split, in order.
  std::vector<std::size_t> indices_of(Split split) const;
};

/// Reads a table to its end, or up to `limit` rows. Throws FormatError with file:line for an empty
/// label, a target that is no finite number (spaces around it are fine), a split of another name,
/// and all that TableReader refuses; ValueError when the table has no rows. What is empty between
/// two separators is no label.
PADLESS_API LabelledSet read_labelled_set(TableReader& table, const LabelledColumns& columns,
                                          std::optional<std::size_t> limit = {});

/// The names of a training set's classes, or of its labels, numbered in the order of their bytes: a
/// pure function of which labels there are, not of their order or number.
class PADLESS_API Classes {
 public:
  /// Throws ValueError when there are fewer than two.
  static Classes of(std::span<const std::string> labels);
  /// Of texts with any number of labels. Throws ValueError when no text has one.
  static Classes of_sets(std::span<const std::vector<std::string>> label_sets);

  std::size_t count() const { return names_.size(); }
  const std::string& name(std::size_t id) const { return names_.at(id); }
  const std::vector<std::string>& names() const { return names_; }

  /// The class's number, or nothing for a label unseen in training. An evaluation counts it as not
  /// found and says how many texts have one.
  std::optional<std::size_t> id(std::string_view label) const;

 private:
  explicit Classes(std::vector<std::string> names) : names_(std::move(names)) {}

  std::vector<std::string> names_;  // sorted
};

}  // namespace padless
