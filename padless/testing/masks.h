// What tests of masks share: masks as digits, refusals by the words of their message.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "padless/batch/mask.h"
#include "padless/core/error.h"

namespace padless::testing {

/// A mask as digits, 1 = may attend: keys together, a blank between queries, '/' between heads,
/// '|' between sequences. Every head and query that `heads` and `queries` ask for is written out.
inline std::string digits(const KeepMask& mask, std::size_t heads = 1, std::size_t queries = 1) {
  std::string text;
  for (std::size_t b = 0; b < mask.sizes().batch; ++b) {
    if (b > 0) text += '|';
    for (std::size_t h = 0; h < heads; ++h) {
      if (h > 0) text += '/';
      for (std::size_t q = 0; q < queries; ++q) {
        if (q > 0) text += ' ';
        for (std::size_t k = 0; k < mask.sizes().keys; ++k) text += mask(b, h, q, k) ? '1' : '0';
      }
    }
  }
  return text;
}

/// Expects that the call throws an Error whose message holds every one of the words.
template <class Call>
void expect_refused(Call&& call, std::initializer_list<std::string_view> words) {
  try {
    call();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    for (const std::string_view word : words) {
      EXPECT_NE(std::string_view(error.what()).find(word), std::string_view::npos)
          << "'" << word << "' is not in: " << error.what();
    }
  }
}

template <class T>
MaskArray array(const std::vector<T>& cells, std::vector<std::size_t> shape) {
  return {std::span<const T>(cells), std::move(shape)};
}

}  // namespace padless::testing
