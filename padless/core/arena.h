#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "padless/core/export.h"
#include "padless/core/matrix.h"

namespace padless {

/// Memory that grows and is handed out from the front: scratch of an op, and what a forward pass
/// saves for its backward. Slices stay where they are until the arena is rewound past them.
/// Blocks are kept, so the second pass of the same shapes allocates nothing.
class PADLESS_API Arena {
 public:
  /// How far the arena is in use.
  struct Mark {
    std::size_t block = 0;
    std::size_t used = 0;
  };

  /// Rewinds the arena to where it was when the scope was opened.
  class Scope {
   public:
    explicit Scope(Arena& arena) : arena_(arena), mark_(arena.mark()) {}
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope() { arena_.rewind(mark_); }

   private:
    Arena& arena_;
    Mark mark_;
  };

  /// `count` numbers, aligned to kAlignment, with any content (in debug builds all bits are set:
  /// floats read as NaN).
  template <class T>
  std::span<T> take(std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
    return {static_cast<T*>(take_bytes(count, sizeof(T))), count};
  }
  /// rows x cols floats without gaps between the rows, with any content.
  MatrixView<float> matrix(std::size_t rows, std::size_t cols) {
    return {take<float>(checked_product(rows, cols)).data(), rows, cols};
  }

  Mark mark() const { return at_; }
  /// Gives back everything that was taken since `mark`.
  void rewind(Mark mark) { at_ = mark; }

 private:
  struct Free {
    void operator()(std::byte* bytes) const {
      ::operator delete[](bytes, std::align_val_t{kAlignment});
    }
  };
  struct Block {
    std::unique_ptr<std::byte[], Free> bytes;
    std::size_t size = 0;
  };

  /// Throws std::bad_alloc when count * size is beyond memory.
  void* take_bytes(std::size_t count, std::size_t size);

  std::vector<Block> blocks_;
  Mark at_;
};

}  // namespace padless
