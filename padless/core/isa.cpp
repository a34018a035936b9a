#include "padless/core/isa.h"

#include <cstdlib>
#include <string>

#include "padless/core/error.h"

namespace padless {
namespace {

constexpr Isa kAll[] = {Isa::scalar, Isa::avx2, Isa::avx512};

bool runs_here(Isa isa) {
  switch (isa) {
    case Isa::scalar:
      return true;
#if defined(__x86_64__)
    // What the compilers are told to use for each set; the operating system's part (saved vector
    // registers) is within the compiler's check. F16C goes unasked: clang 16 does not know its name
    // here, and every processor with AVX2 has it.
    case Isa::avx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
             __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    case Isa::avx512:
      return runs_here(Isa::avx2) && __builtin_cpu_supports("avx512f") &&
             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
    case Isa::avx2:
    case Isa::avx512:
      return false;
#endif
  }
  return false;
}

}  // namespace

std::string_view name(Isa isa) {
  switch (isa) {
    case Isa::scalar:
      return "scalar";
    case Isa::avx2:
      return "avx2";
    case Isa::avx512:
      return "avx512";
  }
  return "";
}

const std::vector<Isa>& supported_isas() {
  static const std::vector<Isa> supported = [] {
    std::vector<Isa> found;
    for (const Isa isa : kAll) {
      if (runs_here(isa)) found.push_back(isa);
    }
    return found;
  }();
  return supported;
}

Isa isa_from_name(std::string_view wanted) {
  for (const Isa isa : supported_isas()) {
    if (name(isa) == wanted) return isa;
  }
  std::string known;
  bool exists = false;
  for (const Isa isa : kAll) {
    exists = exists || name(isa) == wanted;
    known += (known.empty() ? "" : ", ") + std::string(name(isa));
    if (!runs_here(isa)) known += " (not on this CPU)";
  }
  throw ValueError(message("instruction set is '", wanted, "', ",
                           exists ? "which this CPU lacks" : "which is unknown",
                           ", expected one of ", known));
}

Isa default_isa() {
  const char* wanted = std::getenv("PADLESS_ISA");
  if (wanted == nullptr || *wanted == '\0') return supported_isas().back();
  return isa_from_name(wanted);
}

}  // namespace padless
