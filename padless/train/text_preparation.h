// From labelled texts to a model with its first values and the examples it learns from.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "padless/core/export.h"
#include "padless/data/labelled_set.h"
#include "padless/text/document.h"
#include "padless/text/vocabulary.h"
#include "padless/train/examples.h"
#include "padless/train/network.h"
#include "padless/train/text_model.h"
#include "padless/train/train_options.h"

namespace padless {

/// What is trained on texts, and how.
struct TextTraining {
  TokenizerSettings tokenizer;  ///< max_words is at most what the model reads
  VocabularyLimits vocabulary = {.min_count = 2, .max_size = 50'000};
  NetworkConfig model;  ///< without `vocabulary` and `outputs`, which the data decide
  TrainOptions options;
  /// Without a split that says "dev", this share of the training rows validates.
  double validation_share = 0.1;
};

/// Texts made ready for a model of any kind: what a model needs beside its network.
struct PreparedTexts {
  TokenizerSettings tokenizer;  ///< max_words is at most what the network reads
  Vocabulary vocabulary;
  Answer answer = Answer::one_class;
  std::vector<std::string> labels;  ///< as those of TextModel, and likewise the two below
  double target_mean = 0;
  double target_scale = 1;
  NetworkConfig network;  ///< with the sizes that the data decide
  Examples train, validation;
  std::size_t words_cut = 0;          ///< by the tokeniser's max_words
  std::size_t validation_unseen = 0;  ///< validation texts with a label that no training text has
};

/// Texts made ready: the model with its first values, and the examples it reads.
struct PreparedTraining {
  TextModel model;
  Examples train, validation;
  std::size_t words_cut = 0;          ///< by the tokeniser's max_words
  std::size_t validation_unseen = 0;  ///< validation texts with a label that no training text has
};

/// Splits the set (rows of the split "test" are left out), builds the vocabulary of the training
/// texts, numbers labels in the order of their bytes or standardises targets. The set's labels are
/// learnt if it has them, else its label_sets, else its targets. A pure function of its arguments.
/// Throws ValueError for a set without training texts, with fewer than two classes, or where
/// several labels are learnt and no training text has one, and for a network that scores words and
/// not texts.
PADLESS_API PreparedTexts prepare_texts(const LabelledSet& set, const TextTraining& training);

/// The same, and draws the model's first values.
PADLESS_API PreparedTraining prepare(const LabelledSet& set, const TextTraining& training);

}  // namespace padless
