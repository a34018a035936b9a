#include "padless/study/dialect_claims.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "padless/core/error.h"
#include "padless/study/dialects.h"
#include "padless/study/finding_for_test.h"
#include "padless/testing/xml.h"

namespace padless::study {
namespace {

using testing::count_of;
using testing::xml_fault;

TEST(DialectClaims, OneKeepsInSomeInterfacesAndDropsInOthers) {
  Runtime runtime;
  const Finding s8 = one_means_real(runtime);
  EXPECT_EQ(texts(s8.numbers, "one_keeps"),
            (std::vector<std::string>{"BERT to_mask", "Hugging Face attention_mask", "Keras mask",
                                      "ONNX Runtime mask_index", "PyTorch SDPA attn_mask"}));
  EXPECT_EQ(texts(s8.numbers, "one_drops"),
            (std::vector<std::string>{"PyTorch key_padding_mask", "PyTorch MHA attn_mask",
                                      "TensorFlow tutorial mask"}));
  EXPECT_EQ(s8.verdict, viz::Verdict::mixed);
  EXPECT_EQ(xml_fault(shown(s8)), "");
  EXPECT_GE(count_of("<svg", shown(s8)) + count_of("<table", shown(s8)), 1u);
}

TEST(DialectClaims, TakenTheWrongWayRoundAMaskAttendsToPadsAlone) {
  Runtime runtime;
  const Finding s8 = one_means_real(runtime);
  EXPECT_EQ(four_decimals(numbers(s8.numbers, "weights_as_meant")),
            (std::vector<double>{0.2689, 0.7311, 0}));
  EXPECT_EQ(four_decimals(numbers(s8.numbers, "weights_flipped")), (std::vector<double>{0, 0, 1}));
  EXPECT_EQ(four_decimals(numbers(s8.numbers, "weights_added_to_scores")),
            (std::vector<double>{0.1554, 0.4223, 0.4223}));
  for (const double weight : numbers(s8.numbers, "weights_unpadded_flipped")) EXPECT_EQ(weight, 0);
  EXPECT_NE(s8.blocks.html().find("only 0 and 1"), std::string::npos);
}

TEST(DialectClaims, ABroadcastMaskIsTakenBySomeAndASquareByNone) {
  const Finding s10 = masks_broadcast();
  EXPECT_EQ(s10.verdict, viz::Verdict::mixed);
  EXPECT_EQ(texts(s10.numbers, "broadcast_taken").size(), 2u);
  EXPECT_EQ(texts(s10.numbers, "batch_by_keys_taken").size(), 5u);
  EXPECT_EQ(texts(s10.numbers, "neither_taken").size(), 1u);
  EXPECT_TRUE(yes(s10.numbers, "square_is_refused"));
  EXPECT_GT(number(s10.numbers, "square_cells_that_differ"), 0);
  EXPECT_NE(s10.blocks.html().find("B = L = 3"), std::string::npos);
  EXPECT_EQ(xml_fault(shown(s10)), "");
  EXPECT_GE(count_of("<svg", shown(s10)) + count_of("<table", shown(s10)), 1u);
}

TEST(Dialects, AnArrayThatIsNeitherKeptNorDroppedWholeHasNoMeaning) {
  // A reader that keeps everything, whatever the cells say.
  Dialect careless = dialects()[0];
  careless.read = [](const MaskArray& array, const AttentionSizes& sizes) {
    (void)array;
    return KeepMask::from_segments(Segments::from_lengths(std::span<const std::size_t>(
                                       std::vector<std::size_t>(sizes.batch, sizes.keys))),
                                   sizes.keys);
  };
  const std::uint8_t cells[] = {1, 1, 0, 1, 0, 0};
  EXPECT_THROW(meaning_of_one(careless, cells, 2, 3), ValueError);
}

}  // namespace
}  // namespace padless::study
