// The front page: includes the public headers, room by room, from the ground up. What is not
// reached from here is not installed.
#pragma once

// core: errors, matrices, threads and instruction sets, random draws
#include "padless/core/error.h"
#include "padless/core/isa.h"
#include "padless/core/matrix.h"
#include "padless/core/rng.h"
#include "padless/core/runtime.h"

// batch: what a batch of unequal sequences is
#include "padless/batch/nested.h"
#include "padless/batch/pass.h"
#include "padless/batch/segments.h"
#include "padless/batch/shards.h"

// ops: forward and backward pairs
#include "padless/ops/adamw.h"
#include "padless/ops/additive_scores.h"
#include "padless/ops/attention_pool.h"
#include "padless/ops/dropout.h"
#include "padless/ops/embedding.h"
#include "padless/ops/linear.h"
#include "padless/ops/mean_squared_error.h"
#include "padless/ops/pool.h"
#include "padless/ops/softmax_cross_entropy.h"

// io: bytes on disk
#include "padless/io/json.h"
#include "padless/io/safetensors.h"
#include "padless/io/text_reader.h"

// text: text to words and ids
#include "padless/text/document.h"
#include "padless/text/lower_case.h"
#include "padless/text/sentence_break.h"
#include "padless/text/utf8.h"
#include "padless/text/vocabulary.h"
#include "padless/text/word_break.h"

// viz: pictures and pages as strings
#include "padless/viz/chart.h"
#include "padless/viz/heatmap.h"
#include "padless/viz/page.h"
