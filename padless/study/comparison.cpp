#include "padless/study/comparison.h"

#include <utility>

#include "padless/core/error.h"
#include "padless/study/estimate_text.h"
#include "padless/study/statistics.h"
#include "padless/viz/number.h"

namespace padless::study {
namespace {

std::vector<double> scaled(std::vector<double> values, double scale) {
  for (double& value : values) value *= scale;
  return values;
}

}  // namespace

viz::Table comparison_table(std::string caption, const std::vector<std::string>& ways,
                            const std::vector<ComparedRow>& rows) {
  viz::Table table{std::move(caption), {""}, {}};
  table.header.insert(table.header.end(), ways.begin(), ways.end());
  table.rows.reserve(rows.size());
  for (const ComparedRow& row : rows) {
    std::vector<std::string> cells = {row.name};
    cells.reserve(1 + row.values.size());
    for (const std::vector<double>& values : row.values) {
      const Estimate e = estimate(scaled(values, row.scale));
      cells.push_back(row.interval ? spelled(e, row.decimals) : viz::fixed(e.mean, row.decimals));
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

viz::Table comparison_table(std::string caption, const std::vector<ComparedRow>& rows) {
  std::vector<std::string> ways;
  ways.reserve(kSettings.size());
  for (const Setting setting : kSettings) ways.emplace_back(setting_name(setting));
  return comparison_table(std::move(caption), ways, rows);
}

std::string caption_of_seeds(std::string_view what, std::size_t seeds) {
  return message(what, seeds_of(seeds), seeds > 1 ? "; ± half a 95 % interval (Student's t)" : "");
}

void add_strip(viz::StripChart& chart, const std::string& name, const std::vector<double>& values) {
  const Estimate e = estimate(values);
  chart.strips.push_back({name, values, drawn(e)});
  chart.alternative.description += message(name, ": ", spelled(e, 3), ". ");
}

viz::Figure changed_labels_picture(const std::string& id, std::size_t evaluation_batch,
                                   const Compared& shares) {
  viz::BarChart chart;
  chart.alternative = {id, "Test texts whose label depends on the batch", ""};
  chart.value_label = message("% of test texts, alone against a batch of ", evaluation_batch);
  chart.series = {"share"};
  chart.decimals = 2;
  for (std::size_t s = 0; s < kSettings.size(); ++s) {
    const std::vector<double> percents = scaled(shares[s], 100);
    const double mean = estimate(percents).mean;
    const std::string name(setting_name(kSettings[s]));
    chart.groups.push_back({name, {{{mean}, percents}}});
    chart.alternative.description += message(name, ": ", viz::fixed(mean, 2), " %. ");
  }
  return {bar_chart(chart), "Texts with another label alone than in company; dots are seeds."};
}

}  // namespace padless::study
