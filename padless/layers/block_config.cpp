#include "padless/layers/block_config.h"

#include <algorithm>

#include "padless/core/error.h"

namespace padless {

void BlockConfig::check() const {
  attention(Attend::full()).check();
  feed_forward_config().check();
}

MultiHeadAttentionConfig BlockConfig::attention(const Attend& attend) const {
  return {.width = width,
          .heads = heads,
          .key_heads = key_heads,
          .head_width = head_width,
          .attend = attend,
          .alibi = alibi,
          .rotary = rotary,
          .dropout = dropout};
}

MultiHeadAttentionConfig BlockConfig::cross_attention() const {
  MultiHeadAttentionConfig config = attention(Attend::full());
  config.alibi = false;
  config.rotary.reset();
  return config;
}

FeedForwardConfig BlockConfig::feed_forward_config() const {
  return {.width = width,
          .hidden = feed_forward,
          .activation = activation,
          .gated = gated,
          .dropout = dropout};
}

BlockConfig BlockConfig::with_positions(Positions positions, std::size_t max_length) const {
  BlockConfig block = *this;
  block.alibi = positions == Positions::alibi;
  if (positions == Positions::rope) {
    block.rotary = std::make_shared<const RotaryTable>(
        max_length, attention(Attend::full()).width_of_a_head(), RotaryPairing::halves);
  }
  return block;
}

void BlockConfig::check_positions(const char* who, Positions positions,
                                  std::size_t max_length) const {
  constexpr std::size_t kMostTable = std::size_t{1} << 24;
  std::size_t table_width = 0;
  if (positions == Positions::learned || positions == Positions::sinusoidal) table_width = width;
  if (positions == Positions::rope) {
    table_width = attention(Attend::full()).width_of_a_head();
    require_value(table_width % 2 == 0, who, ": a head's width is ", table_width,
                  ", expected an even one, whose columns can be turned in pairs (rope)");
  }
  require_value(table_width == 0 || max_length <= kMostTable / table_width, who, ": max_length is ",
                max_length, ", expected at most ",
                kMostTable / std::max<std::size_t>(table_width, 1), " for tables of positions ",
                table_width,
                " wide; give a smaller one, or positions without a table (alibi, none)");
}

double BlockConfig::norm_parameters() const {
  return (norm == NormKind::layer ? 2 : 1) * static_cast<double>(width);
}

}  // namespace padless
