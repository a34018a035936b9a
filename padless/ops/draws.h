// What the ops that drop at random ask of their share and of their pass.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "padless/batch/pass.h"
#include "padless/core/error.h"
#include "padless/ops/checks.h"
#include "padless/ops/dropout.h"

namespace padless {

/// A number is dropped when its 16 bits are below this. Throws ValueError, naming the op, for a
/// share outside [0, 65535/65536].
inline std::uint32_t drop_threshold(std::string_view op, float p) {
  constexpr std::uint32_t kOne = 1u << 16;  // of a probability in 16 bits
  require_value(p >= 0 && p <= kMostDropout, op, ": p is ", p,
                ", expected a probability from 0 to 65535/65536");
  // In double the product and the half are exact.
  return static_cast<std::uint32_t>(std::floor(static_cast<double>(p) * kOne + 0.5));
}

/// Throws, naming the op, unless the pass's documents, if it has any, are of `rows` rows and within
/// what a draw's counter can count.
inline void require_documents(std::string_view op, const Pass& pass, std::size_t rows) {
  if (pass.documents == nullptr) return;
  require_shape(pass.documents->total() == rows, op, ": the pass's documents have ",
                pass.documents->total(), " rows, expected ", rows);
  require_vector(op, "document_numbers", pass.document_numbers, pass.documents->count());
  for (const std::uint64_t number : pass.document_numbers) {
    require_value(number >> 48 == 0, op, ": a document has the number ", number,
                  ", expected less than 2^48");
  }
  require_value((std::uint64_t{pass.documents->longest()} >> 32) == 0, op,
                ": a document has 2^32 rows or more");
}

}  // namespace padless
