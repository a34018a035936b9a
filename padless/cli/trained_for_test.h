// For tests of what trained models do: a folder with small ones, trained once for all tests of a
// suite.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "padless/cli/run_for_test.h"
#include "padless/testing/temporary_folder.h"

namespace padless::cli {

class TrainedModels : public testing::Test {
 protected:
  /// The models "classes", "labels" and "numbers", and the table data.tsv that they were trained
  /// on.
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    train("classes", {"--label", "kind"});
    train("labels", {"--labels", "traits"});
    train("numbers", {"--target", "size"});
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static void train(const std::string& name, const Arguments& learnt) {
    const Ran ran = train_tiny(folder_->path(), name, learnt);
    ASSERT_EQ(ran.code, 0) << ran.err;
  }
  static std::string path(const std::string& name) { return (*folder_ / name).string(); }

 private:
  static inline std::unique_ptr<TemporaryFolder> folder_;
};

}  // namespace padless::cli
