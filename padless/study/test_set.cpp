#include "padless/study/test_set.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "padless/core/error.h"
#include "padless/text/document.h"

namespace padless::study {
namespace {

std::int32_t label_id(const TextModel& model, const std::string& name) {
  const auto label = std::ranges::find(model.labels, name);
  if (label == model.labels.end()) return -1;
  return static_cast<std::int32_t>(std::distance(model.labels.begin(), label));
}

}  // namespace

TestSet test_set(const LabelledSet& set, const TextModel& model) {
  TestSet test;
  test.items = set.indices_of(Split::test);
  require_value(!test.items.empty(), "study: there are no test texts");
  for (const std::size_t item : test.items) {
    test.examples.documents.push_back(
        look_up(Document(set.texts[item], model.tokenizer), model.vocabulary));
    if (model.answer == Answer::one_class) {
      test.examples.labels.push_back(label_id(model, set.labels[item]));
    }
    test.examples.numbers.push_back(set.rows[item]);
  }
  return test;
}

}  // namespace padless::study
