// What several runs came to, side by side by how they treat pads: the tables and pictures that the
// experiments' sections share.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "padless/study/contestant.h"
#include "padless/viz/chart.h"
#include "padless/viz/page.h"

namespace padless::study {

/// One quantity: for each way that is compared its values, one a seed.
using Compared = std::vector<std::vector<double>>;

/// A number of each run of an experiment, by setting.
template <class Experiment, class Number>
Compared by_setting(const Experiment& experiment, const Number& number) {
  Compared values;
  values.reserve(kSettings.size());
  for (const Setting setting : kSettings) values.push_back(experiment.of(setting, number));
  return values;
}

/// A line of a table: a quantity as it is written.
struct ComparedRow {
  std::string name;
  Compared values;
  int decimals = 3;
  double scale = 1;
  bool interval = true;  ///< else the mean alone
};

/// The means, a column for each way.
viz::Table comparison_table(std::string caption, const std::vector<std::string>& ways,
                            const std::vector<ComparedRow>& rows);
/// The same by setting.
viz::Table comparison_table(std::string caption, const std::vector<ComparedRow>& rows);

/// "Test texts, 3 seeds; ± half a 95 % interval (Student's t)".
std::string caption_of_seeds(std::string_view what, std::size_t seeds);

/// A strip with a quantity's values, and its line in the picture's description.
void add_strip(viz::StripChart& chart, const std::string& name, const std::vector<double>& values);

/// Bars of the share of test texts whose label is another one alone than in a batch of so many.
viz::Figure changed_labels_picture(const std::string& id, std::size_t evaluation_batch,
                                   const Compared& shares);

}  // namespace padless::study
