#include "padless/kernels/dispatch.h"

#include "padless/kernels/scalar.h"

namespace padless::kernels {

// The Highway sources: each puts its entries into a table, once a target, by add_NAME.
#define PADLESS_FOR_EACH_SOURCE(apply)                                                          \
  apply(activation) apply(adamw) apply(additive_scores) apply(attention_backward)               \
      apply(attention_forward) apply(attention_pool) apply(dropout) apply(embedding) apply(gru) \
          apply(linear) apply(norm) apply(pool) apply(rope) apply(sgd)                          \
              apply(softmax_cross_entropy) apply(weight_gradient)

#define PADLESS_DECLARE(source) void add_##source(Table&);
#define PADLESS_ADD(source) add_##source(table);

#if defined(__x86_64__)
namespace N_AVX2 {
PADLESS_FOR_EACH_SOURCE(PADLESS_DECLARE)
}
namespace N_AVX3 {
PADLESS_FOR_EACH_SOURCE(PADLESS_DECLARE)
}
#endif

namespace {

Table make(Isa isa) {
  Table table = scalar_table();
  switch (isa) {
    case Isa::scalar:
      break;
#if defined(__x86_64__)
    case Isa::avx2: {
      using namespace N_AVX2;
      PADLESS_FOR_EACH_SOURCE(PADLESS_ADD)
      break;
    }
    case Isa::avx512: {
      using namespace N_AVX3;
      PADLESS_FOR_EACH_SOURCE(PADLESS_ADD)
      break;
    }
#else
    case Isa::avx2:
    case Isa::avx512:
      break;
#endif
  }
  return table;
}

}  // namespace

// A table is made when it is first asked for: making one runs code compiled for its target.
const Table& table(Isa isa) {
  switch (isa) {
    case Isa::avx2: {
      static const Table avx2 = make(Isa::avx2);
      return avx2;
    }
    case Isa::avx512: {
      static const Table avx512 = make(Isa::avx512);
      return avx512;
    }
    case Isa::scalar:
      break;
  }
  static const Table scalar = make(Isa::scalar);
  return scalar;
}

}  // namespace padless::kernels
