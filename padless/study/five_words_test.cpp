#include "padless/study/five_words.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "padless/core/error.h"
#include "padless/study/finding_for_test.h"
#include "padless/study/five_words_report.h"
#include "padless/testing/bits.h"
#include "padless/testing/xml.h"

namespace padless::study {
namespace {

using testing::count_of;
using testing::expect_same_bits;
using testing::xml_fault;

/// One run for all tests of this file.
const FiveWords& experiment() {
  static const FiveWords result = [] {
    Runtime runtime(Runtime::Options{.threads = 2});
    return run_five_words(runtime, {.seeds = {1, 2, 3, 4, 5}, .steps = 100, .batch_mates = 8},
                          [](double) {});
  }();
  return result;
}

TEST(FiveWords, MaskedTheHouseIsTheHouseAloneAndUnmaskedItIsNot) {
  const FiveWords& five = experiment();
  EXPECT_TRUE(five.masked_equals_alone);
  expect_same_bits(five.masked, five.alone);
  for (const VectorChange& change : five.changes) {
    EXPECT_TRUE(change.masked_same_bits) << change.pads;
    EXPECT_EQ(change.masked, 0) << change.pads;
    EXPECT_EQ(change.unmasked > 0.01, change.pads > 0) << change.pads;
  }
  EXPECT_NE(five.changes[1].unmasked, five.changes[2].unmasked);
  EXPECT_NE(five.changes[2].unmasked, five.changes[3].unmasked);
}

TEST(FiveWords, GradientsOfOneSentenceVaryOverItsMatesOnlyWithoutAMask) {
  ASSERT_EQ(experiment().noise.size(), 5u);
  for (const GradientNoise& noise : experiment().noise) {
    EXPECT_EQ(noise.masked, 0) << noise.seed;
    EXPECT_GT(noise.unmasked, 0.01) << noise.seed;
  }
}

TEST(FiveWords, AttentionRowsAddUpToOneOverTheSlotsTheySee) {
  ASSERT_EQ(experiment().attention.size(), 2u);
  for (const SlotAttention& seen : experiment().attention) {
    const std::size_t slots = seen.slots.size();
    for (std::size_t q = 0; q < slots; ++q) {
      double before = 0, after = 0;
      for (std::size_t k = 0; k < slots; ++k) {
        before += static_cast<double>(seen.before[q * slots + k]);
        const float weight = seen.after[q * slots + k];
        const bool real = seen.slots[q] != "PAD" && seen.slots[k] != "PAD";
        EXPECT_EQ(std::isnan(weight), !real) << q << " " << k;
        if (real) after += static_cast<double>(weight);
      }
      // Five weights of float, each of a few roundings.
      EXPECT_NEAR(before, 1, 32 * 0x1p-24);
      if (seen.slots[q] != "PAD") {
        EXPECT_NEAR(after, 1, 32 * 0x1p-24);
      }
    }
  }
}

TEST(FiveWords, EveryTrainingLearnsTheWordsAndOnlyAMaskedModelIgnoresTheAmountOfPadding) {
  const std::size_t points = experiment().curve_steps().size();
  EXPECT_EQ(points, 21u);
  for (const FiveWordsRun& run : experiment().runs) {
    ASSERT_EQ(run.losses.size(), points);
    EXPECT_LT(run.loss(), run.losses.front() / 4) << training_name(run.training);
    const bool same = run.loss_by_pads[3] == run.loss_by_pads[0];
    EXPECT_EQ(same, run.training == FiveWordTraining::masked) << training_name(run.training);
    if (run.training == FiveWordTraining::masked) {
      EXPECT_EQ(run.loss_by_pads[0], run.loss());
    }
  }
  EXPECT_EQ(experiment().runs.size(), 15u);
}

TEST(FiveWords, ReportAndNumbersHaveAllThatIsAskedFor) {
  viz::Blocks blocks;
  describe_five_words(experiment(), blocks);
  EXPECT_EQ(xml_fault("<main>" + blocks.html() + "</main>"), "");
  EXPECT_EQ(count_of("<svg", blocks.html()), 7u);
  const Json json = five_words_json(experiment());
  for (const char* key : {"alone", "masked", "unmasked"}) {
    EXPECT_EQ(numbers(json, key).size(), experiment().width) << key;
  }
  EXPECT_EQ(number(member(json, "gradient_noise"), "masked"), 0);
  EXPECT_EQ(member(member(json, "loss_curves"), "unmasked").get_if<Json::Array>()->size(), 5u);
}

TEST(FiveWords, TheClaimsVerdictFollowsTheNumbers) {
  const auto verdict = [](const FiveWords& five) { return masks_help_training(five).verdict; };
  const Finding s9 = masks_help_training(experiment());
  EXPECT_EQ(xml_fault(shown(s9)), "");
  EXPECT_TRUE(yes(member(s9.numbers, "parts"), "less noisy gradients"));

  // A made-up run in which the mask does all that is said of it, and one in which it does nothing.
  FiveWords all = experiment();
  for (FiveWordsRun& run : all.runs) {
    const bool masked = run.training == FiveWordTraining::masked;
    const double noise = 0.001 * static_cast<double>(run.seed);
    run.losses.back() = (masked ? 0.1 : 0.5) + noise;
    std::ranges::fill(run.accuracies, (masked ? 0.9 : 0.5) + (masked ? 1 : 2) * noise);
    for (double& share : run.pads_predicted) share = masked ? 0 : 0.5;
  }
  EXPECT_EQ(verdict(all), viz::Verdict::holds);
  FiveWords none = all;
  for (FiveWordsRun& run : none.runs) {
    run.losses.back() = 0.3;
    std::ranges::fill(run.accuracies, 1);
    for (double& share : run.pads_predicted) share = 0.5;
  }
  for (GradientNoise& noise : none.noise) noise.masked = noise.unmasked;
  EXPECT_EQ(verdict(none), viz::Verdict::fails);
  all.noise.front().masked = 2 * all.noise.front().unmasked;
  EXPECT_EQ(verdict(all), viz::Verdict::mixed);
}

TEST(FiveWords, RefusesToRunOverNothing) {
  Runtime runtime;
  EXPECT_THROW(run_five_words(runtime, {}, [](double) {}), ValueError);
}

}  // namespace
}  // namespace padless::study
