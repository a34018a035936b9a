#include "padless/study/test_set.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "padless/core/error.h"
#include "padless/text/document.h"

namespace padless::study {
namespace {

std::int32_t label_id(const PreparedTexts& texts, const std::string& name) {
  const auto label = std::ranges::find(texts.labels, name);
  if (label == texts.labels.end()) return -1;
  return static_cast<std::int32_t>(std::distance(texts.labels.begin(), label));
}

}  // namespace

TestSet test_set(const LabelledSet& set, const PreparedTexts& texts) {
  TestSet test;
  test.items = set.indices_of(Split::test);
  require_value(!test.items.empty(), "there are no test texts");
  for (const std::size_t item : test.items) {
    test.examples.documents.push_back(
        look_up(Document(set.texts[item], texts.tokenizer), texts.vocabulary));
    if (texts.answer == Answer::one_class) {
      test.examples.labels.push_back(label_id(texts, set.labels[item]));
    }
    test.examples.numbers.push_back(set.rows[item]);
  }
  return test;
}

}  // namespace padless::study
