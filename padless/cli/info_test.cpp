#include <gtest/gtest.h>

#include "padless/cli/run_for_test.h"
#include "padless/core/isa.h"
#include "padless/io/atomic_file.h"
#include "padless/io/json.h"
#include "padless/testing/temporary_folder.h"

namespace padless::cli {
namespace {

TEST(Info, TellsWhatWasFoundHere) {
  const Ran ran = run_command({"info", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const JsonDocument document = JsonDocument::parse(ran.out, "out");
  const JsonView root = document.root();
  EXPECT_EQ(root.at("contract_version").as_size(), 1u);
  EXPECT_EQ(root.at("unicode_version").as_string(), "15.0.0");
  EXPECT_EQ(root.at("instruction_set").as_string(), name(default_isa()));
  EXPECT_EQ(root.at("instruction_sets").size(), supported_isas().size());
  EXPECT_GT(root.at("threads").as_size(), 0u);
  EXPECT_NE(root.at("cpu").as_string(), "");

  const Ran plain = run_command({"info"});
  EXPECT_NE(plain.out.find("\ninstruction set   " + std::string(name(default_isa()))),
            std::string::npos)
      << plain.out;
}

TEST(Info, TellsTheKindOfAModelsAnswer) {
  const TemporaryFolder folder;
  const Ran trained = train_tiny(folder.path(), "han", {"--labels", "traits"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  const Ran ran = run_command({"info", "--model", (folder / "han").string()});
  EXPECT_NE(ran.out.find("\nanswer "), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find(" labels\n"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("bird, fruit, long, tool\n"), std::string::npos) << ran.out;
}

TEST(Info, TellsAModelsNumbers) {
  const TemporaryFolder folder;
  const std::string model = (folder / "han").string();
  const Ran trained = train_tiny(folder.path(), "han", {"--label", "kind"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  const Ran ran = run_command({"info", "--model", model, "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const JsonDocument document = JsonDocument::parse(ran.out, "out");
  EXPECT_EQ(document.root().at("embedding").as_size(), 4u);
  EXPECT_EQ(document.root().at("answer").as_string(), "class");
  EXPECT_EQ(document.root().at("labels").size(), 3u);
  EXPECT_GT(document.root().at("parameters").as_size(), 100u);
  const Ran plain = run_command({"info", "--model", model});
  EXPECT_NE(plain.out.find("bird, fruit, tool\n"), std::string::npos) << plain.out;
}

}  // namespace
}  // namespace padless::cli
