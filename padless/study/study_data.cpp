#include "padless/study/study_data.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "padless/core/error.h"
#include "padless/core/hash.h"
#include "padless/data/debian.h"
#include "padless/data/synthetic.h"
#include "padless/data/table.h"

namespace padless::study {
namespace {

// The number in the package set, and in files made of it.
const std::string kUsualTarget = "log_size";

// A seed of its own, so that the choice of texts is not that of a validation share.
constexpr std::uint64_t kSubsetSeed = 0x5b5e7;

LabelledSet labelled(const std::vector<DebianRow>& rows) {
  LabelledSet set;
  for (const DebianRow& row : rows) {
    set.texts.push_back(row.text);
    set.labels.push_back(row.section);
    set.targets.push_back(row.log_size);
    set.splits.push_back(row.split);
    set.rows.push_back(set.rows.size() + 1);
  }
  return set;
}

Split drawn_split(std::uint64_t seed, std::size_t row) {
  const double draw = split_draw(seed, row);
  return draw < 0.75 ? Split::train : draw < 0.85 ? Split::dev : Split::test;
}

template <class T>
void keep(std::vector<T>& values, const std::vector<std::size_t>& items) {
  if (values.empty()) return;
  std::vector<T> kept;
  kept.reserve(items.size());
  for (const std::size_t item : items) kept.push_back(std::move(values[item]));
  values = std::move(kept);
}

void thin_training(LabelledSet& set, const DataRequest& request) {
  std::vector<std::size_t> items;
  for (std::size_t i = 0; i < set.texts.size(); ++i) {
    if (set.splits[i] != Split::train ||
        in_share(request.seed ^ kSubsetSeed, set.rows[i], request.train_share)) {
      items.push_back(i);
    }
  }
  keep(set.texts, items);
  keep(set.labels, items);
  keep(set.targets, items);
  keep(set.splits, items);
  keep(set.rows, items);
}

StudyData read_file(const std::filesystem::path& file, const DataRequest& request) {
  TableReader table(file);
  LabelledColumns columns = request.columns;
  // Splits and numbers are welcome and not asked for.
  const auto has = [&table](const std::string& name) {
    return std::ranges::find(table.columns(), name) != table.columns().end();
  };
  if (columns.split && !has(*columns.split)) columns.split.reset();
  std::vector<std::string> notes;
  if (!columns.target && has(kUsualTarget)) {
    columns.target = kUsualTarget;
    // The command alone reads a study's data: its reader has this option.
    notes.push_back("The column " + kUsualTarget +
                    " is taken as the number to be told of each text; --target names another.");
  }
  StudyData data{.set = read_labelled_set(table, columns),
                 .kind = "file",
                 .description = "The labelled texts of " + file.filename().string() + ".",
                 .target = columns.target.value_or(""),
                 .notes = std::move(notes)};
  if (data.set.splits.empty()) {
    for (const std::size_t row : data.set.rows) {
      data.set.splits.push_back(drawn_split(request.seed, row));
    }
  }
  return data;
}

StudyData package_set(const DataRequest& request,
                      const std::function<void(std::string_view)>& progress) {
  try {
    return {labelled(build_debian_set({.progress = progress})), "debian",
            "Descriptions of this machine's distribution's source packages, labelled with the "
            "archive's section each is in; texts alike never stand in two splits.",
            kUsualTarget + ", the natural logarithm of the package's installed size in KiB"};
  } catch (const IoError& error) {
    const std::string description =
        message("Made-up texts (key words among noise, uneven lengths), because no package lists ",
                "could be had here: ", error.what());
    return {make_synthetic_set({.seed = request.seed}),
            "synthetic",
            description,
            "the mean strength of a text's key words",
            {description}};
  }
}

// How many classes the training texts are of.
std::size_t training_classes(const LabelledSet& set) {
  std::set<std::string_view> classes;
  for (const std::size_t i : set.indices_of(Split::train)) classes.insert(set.labels[i]);
  return classes.size();
}

// Of a file: a share of its training texts may be of one class alone.
void require_classes(const StudyData& data, const DataRequest& request, std::size_t before) {
  const std::size_t after = training_classes(data.set);
  if (!request.file || after >= 2) return;
  const std::string where = message(request.file->string(), ": '",
                                    request.columns.label.value_or(""), "' is the same in all ");
  require_value(
      before < 2, where, data.set.indices_of(Split::train).size(), " of the training texts",
      " that a quick study reads, expected at least two classes; without --quick all ", "are read");
  require_value(false, where, "training texts, expected at least two classes");
}

}  // namespace

std::string digest(const LabelledSet& set) {
  Fnv1a hash;
  const auto add = [&hash](std::string_view text) {
    hash.add(std::uint64_t{text.size()});
    hash.add(text);
  };
  for (const std::string& text : set.texts) add(text);
  for (const std::string& label : set.labels) add(label);
  for (const double target : set.targets) hash.add(std::bit_cast<std::uint64_t>(target));
  for (const Split split : set.splits) add(split_name(split));
  return hash.digits();
}

StudyData load_study_data(const DataRequest& request,
                          const std::function<void(std::string_view)>& progress) {
  StudyData data =
      request.file ? read_file(*request.file, request) : package_set(request, progress);
  const std::size_t classes = training_classes(data.set);
  if (!data.is_made_up()) thin_training(data.set, request);
  for (const Split split : {Split::train, Split::dev, Split::test}) {
    require_value(!data.set.indices_of(split).empty(), "no text is in the split '",
                  split_name(split), "', expected some in each of train, dev and test");
  }
  require_classes(data, request, classes);
  data.texts = data.set.texts.size();
  data.hash = digest(data.set);
  return data;
}

}  // namespace padless::study
