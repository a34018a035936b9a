// Where no package lists can be had, the study reads made-up texts, says so, and still learns them.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "padless/data/synthetic.h"
#include "padless/study/study.h"
#include "padless/testing/environment_variable.h"
#include "padless/testing/temporary_folder.h"

namespace padless::study {
namespace {

/// What is read for want of apt.
StudyData without_package_lists() {
  const TemporaryFolder folder;
  const testing::EnvironmentVariable path("PATH", "/nonexistent");
  const testing::EnvironmentVariable cache("XDG_CACHE_HOME", folder.path().string());
  return load_study_data({.train_share = 0.3}, [](std::string_view) {});
}

TEST(MadeUpTexts, StandInForPackageListsWholeAndWithANote) {
  const StudyData data = without_package_lists();
  EXPECT_EQ(data.kind, "synthetic");
  EXPECT_TRUE(data.is_made_up());
  EXPECT_EQ(data.set.texts, make_synthetic_set({}).texts);
  ASSERT_EQ(data.notes.size(), 1u);
  const std::string& note = data.notes[0];
  EXPECT_EQ(note.find("Made-up texts"), 0u) << note;
  EXPECT_NE(note.find("because no package lists could be had here: apt-get: "), std::string::npos)
      << note;
  EXPECT_EQ(note, data.description);
}

TEST(MadeUpTexts, AreLearntByAQuickStudy) {
  StudyData data = without_package_lists();
  const StudyOptions options{.effort = Effort::quick};
  EXPECT_EQ(training_effort(options, data), Effort::normal);
  EXPECT_EQ(training_effort({.effort = Effort::full}, data), Effort::full);
  EXPECT_EQ(training_effort(options, {.kind = "file"}), Effort::quick);
  ClassificationOptions sizes = classification_options(options, training_effort(options, data));
  sizes.seeds.resize(1);
  Runtime runtime;
  const Classification result =
      run_classification(runtime, data.set, sizes, [](std::string_view, double) {});
  ASSERT_EQ(result.classes, 8u);
  for (const ClassificationRun& run : result.runs) {
    EXPECT_GT(run.test.accuracy, 0.4) << setting_name(run.setting);  // chance is 1/8
  }
}

}  // namespace
}  // namespace padless::study
