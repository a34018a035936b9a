// Dropout of one row: the counter-based generator runs in the lanes of vectors, a block of eight
// columns in each.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "padless/kernels/dropout.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file once a target:
#include "padless/kernels/kernels.h"
#include "padless/kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace padless::kernels::HWY_NAMESPACE {
namespace {

using WordTag = hn::Rebind<uint32_t, Tag>;
using Words = hn::Vec<WordTag>;

/// Columns that one run of the generator decides: a word's halves are a column each.
constexpr std::size_t kColumns = 8 * kLanes;

// The high halves of the products of 32-bit lanes.
HWY_INLINE Words multiply_high(Words a, Words b) {
  const WordTag d;
  const hn::Repartition<uint64_t, WordTag> wide;
  const auto even = hn::MulEven(a, b);
  const auto odd = hn::MulEven(hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, a))), b);
  return hn::OddEven(hn::BitCast(d, odd), hn::BitCast(d, hn::ShiftRight<32>(even)));
}

// Philox4x32-10, as core/rng.h names its source, of the counters in the lanes.
HWY_INLINE void philox(Words* counter, uint32_t key0, uint32_t key1) {
  const WordTag d;
  const Words factor0 = hn::Set(d, 0xD2511F53u), factor1 = hn::Set(d, 0xCD9E8D57u);
  for (int round = 0; round < 10; ++round) {
    const Words high0 = multiply_high(counter[0], factor0), low0 = hn::Mul(counter[0], factor0);
    const Words high1 = multiply_high(counter[2], factor1), low1 = hn::Mul(counter[2], factor1);
    counter[0] = hn::Xor(hn::Xor(high1, counter[1]), hn::Set(d, key0));
    counter[1] = low1;
    counter[2] = hn::Xor(hn::Xor(high0, counter[3]), hn::Set(d, key1));
    counter[3] = low0;
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
}

void dropout(const float* x, std::size_t cols, std::uint32_t threshold, const std::uint32_t* key,
             std::uint64_t document, std::uint32_t row, std::uint32_t head, float* out) {
  const Tag d;
  const WordTag words;
  const hn::Rebind<uint16_t, Tag> halves;
  const hn::Repartition<uint32_t, decltype(halves)> pairs;
  const Vec scale = hn::Set(d, 1.0f / (1.0f - static_cast<float>(threshold) / 65536));
  const auto least = hn::BitCast(hn::Rebind<int32_t, Tag>(), hn::Set(words, threshold));
  const auto low = static_cast<std::uint32_t>(document);
  const auto high = static_cast<std::uint32_t>(document >> 32 << 16) | head;
  for (std::size_t c = 0; c < cols; c += kColumns) {
    Words drawn[4] = {hn::Set(words, low), hn::Set(words, row), hn::Set(words, high),
                      hn::Iota(words, static_cast<std::uint32_t>(c / 8))};
    philox(drawn, key[0], key[1]);
    // Word after word of a block, and block after block: low halves before high ones.
    alignas(64) std::uint32_t bits[4 * kLanes];
    hn::StoreInterleaved4(drawn[0], drawn[1], drawn[2], drawn[3], words, bits);
    for (std::size_t i = 0; i < kColumns && c + i < cols; i += kLanes) {
      const std::size_t left = cols - c - i;
      const auto columns = hn::BitCast(halves, hn::Load(pairs, bits + i / 2));
      const auto mine = hn::PromoteTo(hn::Rebind<int32_t, Tag>(), columns);
      const auto dropped = hn::RebindMask(d, hn::Lt(mine, least));
      const Vec scaled = hn::Mul(load_tail(x + c + i, left), scale);
      store_tail(hn::IfThenZeroElse(dropped, scaled), out + c + i, left);
    }
  }
}

}  // namespace

void add_dropout(Table& table) { table.dropout = dropout; }

}  // namespace padless::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
