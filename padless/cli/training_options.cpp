#include "padless/cli/training_options.h"

#include <cstdint>
#include <string>

#include "padless/batch/shards.h"
#include "padless/core/error.h"
#include "padless/train/encoder_names.h"

namespace padless::cli {
namespace {

// The kinds of model, in the order of network_kinds().
constexpr std::size_t kHan = 0, kEncoder = 1;

void add_text_options(CLI::App& command, TrainingOptions& options) {
  TextTraining& training = options.training;
  add_whole(
      command, "--max-words", training.tokenizer.max_words,
      message("longer texts are cut after that many words; otherwise never, but an encoder's ",
              "after ", options.encoder.max_length),
      {.low = 1, .high = std::uint64_t{1} << 24});
  command.add_flag("--lines-are-sentences", training.tokenizer.lines_are_sentences,
                   "each line of a text is a sentence; otherwise Unicode's rules say where one "
                   "ends");
  command.add_flag("--keep-case", options.keep_case, "words are not lower-cased");
  add_whole(command, "--min-count", training.vocabulary.min_count,
            "words met less often in the training texts are unknown", {.low = 1});
  add_whole(command, "--max-vocabulary", training.vocabulary.max_size, "words known, at most",
            {.low = 1, .high = Vocabulary::kMaxSize});
}

constexpr WholeRange kWidth = {.low = 1, .high = std::uint64_t{1} << 24};

void add_han_options(CLI::App& command, TrainingOptions& options) {
  HanConfig& model = options.han;
  const auto own = [&options](CLI::Option* option) {
    options.own_options.emplace_back(option->group("HAN"), kHan);
  };
  own(add_whole(command, "--embedding", model.embedding, "width of a word's vector", kWidth));
  own(add_whole_option(
          command, "--hidden", "units of each GRU, each direction", kWidth,
          [&model](std::uint64_t units) { model.word_hidden = model.sentence_hidden = units; })
          ->default_str(std::to_string(model.word_hidden)));
  own(add_choice(command, "--gru", options.reset, "where the GRU's reset gate acts",
                 {"reset-after", "reset-before"})
          ->default_str("reset-after"));
}

void add_encoder_options(CLI::App& command, TrainingOptions& options) {
  TransformerEncoderConfig& model = options.encoder;
  const auto own = [&options](CLI::Option* option) {
    options.own_options.emplace_back(option->group("Encoder"), kEncoder);
  };
  own(add_whole(command, "--width", model.width, "width of a word's vector, in every layer",
                kWidth));
  own(add_whole(command, "--layers", model.layers, "blocks of attention and feed-forward",
                {.low = 1, .high = 1024}));
  own(add_whole(command, "--heads", model.heads, "heads of each attention, a divisor of the width",
                kWidth));
  own(add_whole(command, "--key-heads", model.key_heads,
                "heads of keys and values, a divisor of the heads; 0: as many",
                {.high = kWidth.high}));
  own(add_whole(command, "--feed-forward", options.feed_forward,
                "width inside each feed-forward; otherwise four times the width", kWidth));
  own(add_named(command, "--activation", model.activation, "of the feed-forward",
                activation_names()));
  own(command.add_flag("--gated", model.gated,
                       "the feed-forward multiplies what is activated by another projection"));
  own(add_named(command, "--norm", model.norm, "of rows", norm_names()));
  own(add_named(command, "--norm-place", model.norm_place,
                "in front of what a sublayer does, or behind its sum", norm_place_names()));
  own(add_named(command, "--positions", model.positions, "how words know their order",
                position_names()));
  own(add_named(command, "--pooling", model.pooling, "how words become one row",
                text_pooling_names()));
  own(command.add_flag("--share-layers", model.share_layers, "all layers have the same weights"));
}

void add_model_options(CLI::App& command, TrainingOptions& options) {
  add_whole_option(command, "--attention", "units of each additive attention", kWidth,
                   [&options](std::uint64_t units) {
                     options.han.word_attention = options.han.sentence_attention = units;
                     options.encoder.pooling_attention = units;
                   })
      ->default_str(std::to_string(options.han.word_attention));
  add_number(command, "--dropout", options.han.dropout,
             "share of numbers left out in training; an encoder's is 0.1 if not given",
             NumberKind::dropout);
  add_han_options(command, options);
  add_encoder_options(command, options);
}

/// The options of the other kinds must not be given.
void require_own_options(const TrainingOptions& options) {
  for (const auto& [option, kind] : options.own_options) {
    if (option->count() == 0 || kind == options.model) continue;
    throw UsageError(message(option->get_name(), " is given, which --model ", network_kinds()[kind],
                             " has, expected an option of --model ",
                             network_kinds()[options.model]));
  }
}

/// Of options that depend on each other, those must be given that have a part in the training.
void require_run_options(const TrainingOptions& options, const LearntOptions& learnt,
                         const CLI::App& command) {
  const TrainOptions& run = options.training.options;
  for (const char* option : {"--momentum", "--nesterov"}) {
    if (command.count(option) == 0 || run.optimizer == OptimizerKind::sgd) continue;
    throw UsageError(message(option,
                             " is given, which --optimizer sgd has, expected no such "
                             "option with --optimizer ",
                             name_of(optimizer_names(), run.optimizer)));
  }
  if (run.nesterov && run.momentum == 0) {
    throw UsageError("--nesterov is given with --momentum 0, expected a momentum above 0");
  }
  const char* const column = learnt.labels ? "--labels" : "--target";
  if (run.class_weights == ClassWeights::balanced && !learnt.label) {
    throw UsageError(
        message("--class-weights is balanced with ", column, ", expected it with --label"));
  }
  if (run.label_smoothing != 0 && !learnt.label) {
    throw UsageError(message("--label-smoothing is ", run.label_smoothing, " with ", column,
                             ", expected it with --label"));
  }
}

/// `options`: those that a refusal is about.
void require_usable(const TransformerEncoderConfig& config, const char* options) {
  try {
    config.check();
  } catch (const ValueError& error) {
    throw UsageError(message(error.what(), options));
  }
}

NetworkConfig model_of(const TrainingOptions& options, const CLI::App& command) {
  if (options.model == kHan) {
    HanConfig han = options.han;
    han.reset = options.reset == 0 ? GruReset::after : GruReset::before;
    return han;
  }
  TransformerEncoderConfig encoder = options.encoder;
  encoder.feed_forward = options.feed_forward.value_or(4 * encoder.width);
  if (command.count("--dropout") > 0) encoder.dropout = options.han.dropout;
  if (command.count("--attention") > 0 && encoder.pooling != EncoderPooling::additive_attention) {
    throw UsageError(
        "--attention is given, which --pooling additive-attention has, expected that beside it");
  }
  const std::optional<std::size_t>& max_words = options.training.tokenizer.max_words;
  if (max_words) encoder.max_length = *max_words;
  // What the model would say of these in words that are none of the command's.
  if (encoder.width % encoder.heads != 0) {
    throw UsageError(
        message("--width is ", encoder.width, ", expected a multiple of --heads, ", encoder.heads));
  }
  if (encoder.feed_forward > kWidth.high) {
    throw UsageError(message("--width is ", encoder.width, ", and four times that ",
                             encoder.feed_forward, " for --feed-forward, expected at most ",
                             kWidth.high, "; --feed-forward names another"));
  }
  // What is refused of the second alone is the length.
  TransformerEncoderConfig sized = encoder;
  sized.vocabulary = sized.outputs = sized.max_length = 1;
  require_usable(sized, "");
  sized.max_length = encoder.max_length;
  require_usable(sized, " (--max-words, --positions)");
  return encoder;
}

void add_run_options(CLI::App& command, TrainingOptions& options) {
  TrainOptions& run = options.training.options;
  add_whole(command, "--epochs", run.epochs, "times the training texts are read, at most",
            {.low = 1});
  add_whole(command, "--seed", run.seed, "of everything drawn");
  add_number(command, "--learning-rate", run.learning_rate, "at its highest", NumberKind::positive);
  add_named(command, "--schedule", run.schedule.shape,
            "how the learning rate falls to 0 behind the warm-up; constant: it does not",
            schedule_names());
  add_number(command, "--warmup", run.schedule.warmup,
             "share of the run in which the learning rate rises", NumberKind::share);
  add_named(command, "--optimizer", run.optimizer,
            "what moves the weights; sgd wants a higher --learning-rate", optimizer_names());
  add_number(command, "--momentum", run.momentum, "sgd's: what is left of a velocity after a step",
             NumberKind::share);
  command.add_flag("--nesterov", run.nesterov, "sgd looks ahead along the velocity");
  add_number(command, "--weight-decay", run.decay,
             "share of a weight that a step takes, times the learning rate; sgd adds it to the "
             "gradient",
             NumberKind::share);
  add_number(command, "--clip-norm", run.clip_norm, "gradients are scaled down to this norm",
             NumberKind::positive);
  add_number(command, "--label-smoothing", run.label_smoothing,
             "share of each label spread over all classes", NumberKind::share);
  add_named(command, "--class-weights", run.class_weights,
            "what a text weighs; balanced: all classes together weigh the same, however many "
            "texts each has",
            class_weights_names());
  add_whole(command, "--batch-tokens,--batch-words", run.batch_tokens, "words in a batch, at most",
            {.low = 1});
  add_whole(command, "--batch-documents", run.batch_documents, "texts in a batch, at most",
            {.low = 1});
  add_whole(command, "--patience", run.patience,
            "epochs without a better validation before the training stops; 0: never");
  add_number(command, "--validation-share", options.training.validation_share,
             "share of the training texts that validates where no split says dev",
             NumberKind::share);
  add_whole(command, "--shards", run.shards,
            "parts in which gradients are summed: it decides bits, so a run keeps it",
            {.low = 1, .high = Shards::kMost});
}

}  // namespace

void add_kind(CLI::App& command, TrainingOptions& options) {
  add_choice(command, "--model", options.model, "the kind of model", network_kinds())->required();
}

void add_training_options(CLI::App& command, TrainingOptions& options) {
  add_text_options(command, options);
  add_model_options(command, options);
  add_run_options(command, options);
}

TextTraining training_of(const TrainingOptions& options, const LearntOptions& learnt,
                         const CLI::App& command) {
  TextTraining training = options.training;
  training.tokenizer.lower_case = !options.keep_case;
  require_own_options(options);
  require_run_options(options, learnt, command);
  training.model = model_of(options, command);
  if (!Shards::is_count(training.options.shards)) {
    refuse("--shards", std::to_string(training.options.shards), "a power of two");
  }
  return training;
}

}  // namespace padless::cli
