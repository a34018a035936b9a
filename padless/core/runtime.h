#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>

#include "padless/core/arena.h"
#include "padless/core/export.h"
#include "padless/core/isa.h"

namespace padless {

/// Threads, scratch memory and the instruction set: the first argument of every op and layer.
/// One Runtime serves one calling thread; several threads that share a const model each own one.
/// No result depends on the number of threads or on the instruction set.
class PADLESS_API Runtime {
 public:
  struct Options {
    std::size_t threads = 1;  ///< including the caller; 0 means as many as the machine has cores
    std::optional<Isa> isa;   ///< without one: default_isa()
  };

  /// Throws ValueError when the instruction set is unknown or not supported.
  explicit Runtime(Options options);
  Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  ~Runtime();

  Isa isa() const { return isa_; }
  std::size_t threads() const { return threads_; }
  /// Scratch of ops, and what forward passes save. Only the calling thread takes from it.
  Arena& arena() { return arena_; }

  /// Calls work(item) or work(item, worker) for every item in [0, count), each once, in any order
  /// and on any thread; `worker` is below threads() and is never used by two calls at one time.
  /// Returns when all are done. A call from inside `work` runs inline. The first exception stops
  /// the handing out of items and is thrown again here.
  template <class Work>
  void parallel_for(std::size_t count, Work&& work) {
    using Bare = std::remove_reference_t<Work>;
    run(count, const_cast<void*>(static_cast<const void*>(&work)),
        [](void* erased, std::size_t item, std::size_t worker) {
          auto& body = *static_cast<Bare*>(erased);
          if constexpr (std::is_invocable_v<Bare&, std::size_t, std::size_t>) {
            body(item, worker);
          } else {
            static_cast<void>(worker);
            body(item);
          }
        });
  }

 private:
  class Pool;
  using Call = void (*)(void* work, std::size_t item, std::size_t worker);

  void run(std::size_t count, void* work, Call call);

  std::size_t threads_;
  Isa isa_;
  Arena arena_;
  std::unique_ptr<Pool> pool_;
};

}  // namespace padless
