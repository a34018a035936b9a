#include "padless/kernels/dispatch.h"

#include "padless/kernels/scalar.h"

// Every Highway source puts its entries into a table, once a target.
#define PADLESS_DECLARE_ENTRIES     \
  void add_attention_pool(Table&);  \
  void add_additive_scores(Table&); \
  void add_gru(Table&);             \
  void add_linear(Table&);          \
  void add_weight_gradient(Table&);

namespace padless::kernels {

#if defined(__x86_64__)
namespace N_AVX2 {
PADLESS_DECLARE_ENTRIES
}
namespace N_AVX3 {
PADLESS_DECLARE_ENTRIES
}
#endif

namespace {

#define PADLESS_ADD_ENTRIES(target)   \
  target::add_attention_pool(table);  \
  target::add_additive_scores(table); \
  target::add_gru(table);             \
  target::add_linear(table);          \
  target::add_weight_gradient(table);

Table make(Isa isa) {
  Table table = scalar_table();
  switch (isa) {
    case Isa::scalar:
      break;
#if defined(__x86_64__)
    case Isa::avx2:
      PADLESS_ADD_ENTRIES(N_AVX2)
      break;
    case Isa::avx512:
      PADLESS_ADD_ENTRIES(N_AVX3)
      break;
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
