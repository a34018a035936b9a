#include "padless/layers/encoder_block.h"

namespace padless {
namespace {

using Rows = MatrixView<const float>;

constexpr std::uint32_t kAttention = 0, kAttentionSum = 1, kFeedForward = 2, kFeedForwardSum = 3;

}  // namespace

EncoderBlock::EncoderBlock(const BlockConfig& config, Rng& rng)
    : attention_(config.attention(Attend::full()), rng),
      attention_sublayer_(config.sublayer()),
      feed_forward_(config.feed_forward_config(), rng),
      feed_forward_sublayer_(config.sublayer()) {}

double EncoderBlock::parameters(const BlockConfig& config) {
  return config.attention(Attend::full()).parameters() + config.feed_forward_config().parameters() +
         2 * config.norm_parameters();
}

void EncoderBlock::forward(Runtime& runtime, const Pass& pass, std::uint32_t op, Rows x,
                           const Segments& segs, MatrixView<float> out, Saved& saved) const {
  saved.middle = runtime.arena().matrix(x.rows(), x.cols());
  attention_sublayer_.forward(runtime, pass, op + kAttentionSum, x, saved.middle,
                              saved.attention_sublayer, [&](Rows rows, MatrixView<float> y) {
                                attention_.forward(runtime, pass, op + kAttention, rows, segs, y,
                                                   saved.attention);
                              });
  feed_forward_sublayer_.forward(runtime, pass, op + kFeedForwardSum, saved.middle, out,
                                 saved.feed_forward_sublayer, [&](Rows rows, MatrixView<float> y) {
                                   feed_forward_.forward(runtime, pass, op + kFeedForward, rows, y,
                                                         saved.feed_forward);
                                 });
}

void EncoderBlock::backward(Runtime& runtime, const Pass& pass, std::uint32_t op, Rows d_out,
                            Rows x, const Segments& segs, const Saved& saved,
                            MatrixView<float> d_x) {
  const Arena::Scope scope(runtime.arena());
  const MatrixView<float> d_middle = runtime.arena().matrix(x.rows(), x.cols());
  feed_forward_sublayer_.backward(runtime, pass, op + kFeedForwardSum, d_out, saved.middle,
                                  saved.feed_forward_sublayer, d_middle,
                                  [&](Rows d_y, Rows rows, MatrixView<float> d_rows) {
                                    feed_forward_.backward(runtime, pass, op + kFeedForward, d_y,
                                                           rows, saved.feed_forward, d_rows);
                                  });
  attention_sublayer_.backward(runtime, pass, op + kAttentionSum, d_middle, x,
                               saved.attention_sublayer, d_x,
                               [&](Rows d_y, Rows rows, MatrixView<float> d_rows) {
                                 attention_.backward(runtime, pass, op + kAttention, d_y, rows,
                                                     segs, saved.attention, d_rows);
                               });
}

}  // namespace padless
