#include "padless/core/isa.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "padless/core/error.h"

namespace padless {
namespace {

class IsaFromEnvironment : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const char* value = std::getenv("PADLESS_ISA")) before_ = value;
  }
  void TearDown() override { setenv("PADLESS_ISA", before_.c_str(), 1); }

 private:
  std::string before_;
};

TEST(Isa, ScalarRunsEverywhereAndIsTheSlowest) { EXPECT_EQ(supported_isas().front(), Isa::scalar); }

TEST(Isa, EverySupportedNameIsFound) {
  for (const Isa isa : supported_isas()) EXPECT_EQ(isa_from_name(name(isa)), isa);
}

TEST_F(IsaFromEnvironment, IsForcedByPadlessIsa) {
  setenv("PADLESS_ISA", "scalar", 1);
  EXPECT_EQ(default_isa(), Isa::scalar);
  setenv("PADLESS_ISA", "", 1);
  EXPECT_EQ(default_isa(), supported_isas().back());
}

TEST_F(IsaFromEnvironment, AnUnknownNameIsAnErrorThatListsTheKnown) {
  setenv("PADLESS_ISA", "sse9", 1);
  try {
    default_isa();
    FAIL() << "nothing was thrown";
  } catch (const ValueError& error) {
    const std::string text = error.what();
    for (const char* part : {"'sse9'", "scalar", "avx2", "avx512"}) {
      EXPECT_NE(text.find(part), std::string::npos) << part << " is missing in: " << text;
    }
  }
}

}  // namespace
}  // namespace padless
