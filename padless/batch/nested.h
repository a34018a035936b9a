#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "padless/batch/segments.h"
#include "padless/core/error.h"

namespace padless {

/// Documents of sentences of words: two Segments that fit, one over the other.
/// Documents without sentences and sentences without words are legal.
class NestedSegments {
 public:
  /// No document.
  NestedSegments() = default;
  /// `documents`: sequences of sentences; `sentences`: sequences of words.
  /// Throws ShapeError unless the documents' total is the number of sentences.
  NestedSegments(Segments documents, Segments sentences)
      : documents_(std::move(documents)), sentences_(std::move(sentences)) {
    require_shape(documents_.total() == sentences_.count(), "NestedSegments: the documents hold ",
                  documents_.total(), " sentences, expected ", sentences_.count(),
                  " (the number of sentences given)");
    std::vector<std::size_t> words = {0};
    words.reserve(documents_.count() + 1);
    for (std::size_t d = 0; d < documents_.count(); ++d) {
      words.push_back(sentences_.offsets()[documents_[d].end]);
    }
    words_ = Segments::from_offsets(std::span<const std::size_t>(words), sentences_.total());
  }

  /// Each document's sentences.
  const Segments& documents() const { return documents_; }
  /// Each sentence's words.
  const Segments& sentences() const { return sentences_; }
  /// Each document's words, its sentences end to end.
  const Segments& words() const { return words_; }

  /// The same documents and words, the sentences without words left out.
  NestedSegments without_empty_sentences() const {
    std::vector<std::size_t> documents, sentences;
    for (std::size_t d = 0; d < documents_.count(); ++d) {
      const std::size_t before = sentences.size();
      for (std::size_t s = documents_[d].begin; s < documents_[d].end; ++s) {
        if (sentences_.length(s) > 0) sentences.push_back(sentences_.length(s));
      }
      documents.push_back(sentences.size() - before);
    }
    return {Segments::from_lengths(std::span<const std::size_t>(documents)),
            Segments::from_lengths(std::span<const std::size_t>(sentences))};
  }

  friend bool operator==(const NestedSegments&, const NestedSegments&) = default;

 private:
  Segments documents_, sentences_, words_;
};

}  // namespace padless
