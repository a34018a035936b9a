#include "padless/layers/decoder_block.h"

#include "padless/layers/extend_or_undo.h"

namespace padless {
namespace {

using Rows = MatrixView<const float>;

constexpr std::uint32_t kSelf = 0, kSelfSum = 1, kCross = 2, kCrossSum = 3, kFeedForward = 4,
                        kFeedForwardSum = 5;

// The last row stands on the last key: also where the earlier rows' keys come from a cache.
Attend causal() { return Attend::causal(Align::bottom_right); }

}  // namespace

DecoderBlock::DecoderBlock(const BlockConfig& config, Rng& rng)
    : self_(config.attention(causal()), rng),
      self_sublayer_(config.sublayer()),
      cross_(config.cross_attention(), rng),
      cross_sublayer_(config.sublayer()),
      feed_forward_(config.feed_forward_config(), rng),
      feed_forward_sublayer_(config.sublayer()) {}

double DecoderBlock::parameters(const BlockConfig& config) {
  return config.attention(causal()).parameters() + config.cross_attention().parameters() +
         config.feed_forward_config().parameters() + 3 * config.norm_parameters();
}

void DecoderBlock::forward(Runtime& runtime, const Pass& pass, std::uint32_t op, Rows x,
                           const Segments& segs, const AttentionSources& sources,
                           MatrixView<float> out, Saved& saved) const {
  saved.after_self = runtime.arena().matrix(x.rows(), x.cols());
  saved.after_cross = runtime.arena().matrix(x.rows(), x.cols());
  self_sublayer_.forward(runtime, pass, op + kSelfSum, x, saved.after_self, saved.self_sublayer,
                         [&](Rows rows, MatrixView<float> y) {
                           self_.forward(runtime, pass, op + kSelf, rows, segs, y, saved.self);
                         });
  cross_sublayer_.forward(runtime, pass, op + kCrossSum, saved.after_self, saved.after_cross,
                          saved.cross_sublayer, [&](Rows rows, MatrixView<float> y) {
                            cross_.forward(runtime, pass, op + kCross, rows, segs, sources, y,
                                           saved.cross);
                          });
  feed_forward_sublayer_.forward(runtime, pass, op + kFeedForwardSum, saved.after_cross, out,
                                 saved.feed_forward_sublayer, [&](Rows rows, MatrixView<float> y) {
                                   feed_forward_.forward(runtime, pass, op + kFeedForward, rows, y,
                                                         saved.feed_forward);
                                 });
}

void DecoderBlock::backward(Runtime& runtime, const Pass& pass, std::uint32_t op, Rows d_out,
                            Rows x, const Segments& segs, const AttentionSources& sources,
                            const Saved& saved, MatrixView<float> d_x,
                            MatrixView<float> d_sources) {
  const Arena::Scope scope(runtime.arena());
  const MatrixView<float> d_after_cross = runtime.arena().matrix(x.rows(), x.cols());
  const MatrixView<float> d_after_self = runtime.arena().matrix(x.rows(), x.cols());
  feed_forward_sublayer_.backward(runtime, pass, op + kFeedForwardSum, d_out, saved.after_cross,
                                  saved.feed_forward_sublayer, d_after_cross,
                                  [&](Rows d_y, Rows rows, MatrixView<float> d_rows) {
                                    feed_forward_.backward(runtime, pass, op + kFeedForward, d_y,
                                                           rows, saved.feed_forward, d_rows);
                                  });
  cross_sublayer_.backward(runtime, pass, op + kCrossSum, d_after_cross, saved.after_self,
                           saved.cross_sublayer, d_after_self,
                           [&](Rows d_y, Rows rows, MatrixView<float> d_rows) {
                             cross_.backward(runtime, pass, op + kCross, d_y, rows, segs, sources,
                                             saved.cross, d_rows, d_sources);
                           });
  self_sublayer_.backward(runtime, pass, op + kSelfSum, d_after_self, x, saved.self_sublayer, d_x,
                          [&](Rows d_y, Rows rows, MatrixView<float> d_rows) {
                            self_.backward(runtime, pass, op + kSelf, d_y, rows, segs, saved.self,
                                           d_rows);
                          });
}

void DecoderBlock::extend(Runtime& runtime, const Pass& pass, Rows x, const Segments& segs,
                          KeyValueCache& cache,
                          std::span<const MatrixView<const float>> source_keys,
                          std::span<const MatrixView<const float>> source_values,
                          MatrixView<float> out) const {
  Arena& arena = runtime.arena();
  const Arena::Scope scope(arena);
  const MatrixView<float> after_self = arena.matrix(x.rows(), x.cols());
  const MatrixView<float> after_cross = arena.matrix(x.rows(), x.cols());
  Saved saved;
  // The cache has grown when the sources or `out` are found not to fit.
  extend_or_undo(arena, cache, [&](std::span<const std::size_t>) {
    self_sublayer_.forward(
        runtime, pass, 0, x, after_self, saved.self_sublayer,
        [&](Rows rows, MatrixView<float> y) { self_.extend(runtime, pass, rows, segs, cache, y); });
    cross_sublayer_.forward(runtime, pass, 0, after_self, after_cross, saved.cross_sublayer,
                            [&](Rows rows, MatrixView<float> y) {
                              cross_.ask(runtime, pass, rows, segs, source_keys, source_values, y);
                            });
    feed_forward_sublayer_.forward(runtime, pass, 0, after_cross, out, saved.feed_forward_sublayer,
                                   [&](Rows rows, MatrixView<float> y) {
                                     feed_forward_.forward(runtime, pass, 0, rows, y,
                                                           saved.feed_forward);
                                   });
  });
}

}  // namespace padless
