// The front page: includes the public headers, room by room, from the ground up. What is not
// reached from here is not installed.
#pragma once

// core: errors, matrices, threads and instruction sets, random draws, UTF-8
#include "padless/core/activation.h"
#include "padless/core/error.h"
#include "padless/core/fp.h"
#include "padless/core/isa.h"
#include "padless/core/math.h"
#include "padless/core/matrix.h"
#include "padless/core/quote.h"
#include "padless/core/rng.h"
#include "padless/core/runtime.h"
#include "padless/core/utf8.h"

// batch: what a batch of unequal sequences is
#include "padless/batch/attend.h"
#include "padless/batch/bias.h"
#include "padless/batch/bucket.h"
#include "padless/batch/mask.h"
#include "padless/batch/nested.h"
#include "padless/batch/nested_pass.h"
#include "padless/batch/pack.h"
#include "padless/batch/pair_pass.h"
#include "padless/batch/pass.h"
#include "padless/batch/segments.h"
#include "padless/batch/shards.h"

// ops: forward and backward pairs
#include "padless/ops/activation.h"
#include "padless/ops/adamw.h"
#include "padless/ops/additive_scores.h"
#include "padless/ops/attention.h"
#include "padless/ops/attention_pool.h"
#include "padless/ops/binary_cross_entropy.h"
#include "padless/ops/dropout.h"
#include "padless/ops/embedding.h"
#include "padless/ops/gru.h"
#include "padless/ops/huber.h"
#include "padless/ops/layer_norm.h"
#include "padless/ops/linear.h"
#include "padless/ops/mean_squared_error.h"
#include "padless/ops/pool.h"
#include "padless/ops/position_embedding.h"
#include "padless/ops/product.h"
#include "padless/ops/residual.h"
#include "padless/ops/rms_norm.h"
#include "padless/ops/rope.h"
#include "padless/ops/scaled_dot_product_attention.h"
#include "padless/ops/sgd.h"
#include "padless/ops/softmax_cross_entropy.h"

// layers: parameters and ops together
#include "padless/layers/additive_attention_pooling.h"
#include "padless/layers/decoder_block.h"
#include "padless/layers/encoder_block.h"
#include "padless/layers/feed_forward.h"
#include "padless/layers/gru.h"
#include "padless/layers/key_value_cache.h"
#include "padless/layers/layer_norm.h"
#include "padless/layers/linear.h"
#include "padless/layers/multi_head_attention.h"
#include "padless/layers/rms_norm.h"
#include "padless/layers/token_embedding.h"

// models: structs of layers
#include "padless/models/han.h"
#include "padless/models/transformer_encoder.h"
#include "padless/models/transformer_seq2seq.h"

// io: bytes on disk
#include "padless/io/atomic_file.h"
#include "padless/io/json.h"
#include "padless/io/safetensors.h"
#include "padless/io/sealed_safetensors.h"
#include "padless/io/text_reader.h"

// text: text to words and ids
#include "padless/text/document.h"
#include "padless/text/lower_case.h"
#include "padless/text/sentence_break.h"
#include "padless/text/vocabulary.h"
#include "padless/text/word_break.h"

// data: labelled texts
#include "padless/data/debian.h"
#include "padless/data/labelled_set.h"
#include "padless/data/synthetic.h"
#include "padless/data/table.h"
#include "padless/data/tsv.h"

// train: from labelled texts to a trained model
#include "padless/train/checkpoint.h"
#include "padless/train/class_weights.h"
#include "padless/train/encoder_names.h"
#include "padless/train/names.h"
#include "padless/train/network.h"
#include "padless/train/optimizer.h"
#include "padless/train/schedule.h"
#include "padless/train/text_model.h"
#include "padless/train/text_preparation.h"
#include "padless/train/text_training.h"
#include "padless/train/train_options.h"
#include "padless/train/trainer.h"

// viz: pictures and pages as strings
#include "padless/viz/chart.h"
#include "padless/viz/heatmap.h"
#include "padless/viz/page.h"
