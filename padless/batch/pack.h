// Between padded arrays and rows without padding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "padless/batch/mask.h"
#include "padless/batch/segments.h"
#include "padless/core/export.h"
#include "padless/core/matrix.h"

namespace padless {

/// Where the rows of a batch lie in an array of B sequences of N slots each: on the left, on the
/// right, or with pads among them. A row's position in its sequence is counted in rows, never in
/// slots.
class PADLESS_API Packing {
 public:
  enum class PadSide { right, left };

  /// No sequence.
  Packing() = default;
  /// Every sequence at one end of its `slots` slots. Throws ValueError for a length beyond `slots`.
  Packing(const Segments& segs, std::size_t slots, PadSide side = PadSide::right);
  /// The slots that a key mask keeps, in their order. Throws ShapeError for other masks.
  explicit Packing(const KeepMask& mask);

  /// B sequences in T rows.
  const Segments& segments() const { return segs_; }
  /// N.
  std::size_t slots() const { return slots_; }
  /// B * N.
  std::size_t padded_rows() const { return segs_.count() * slots_; }
  /// For each of the T rows its place b * N + n among the padded rows, ascending.
  std::span<const std::size_t> places() const { return places_; }

  friend bool operator==(const Packing&, const Packing&) = default;

 private:
  Segments segs_;
  std::size_t slots_ = 0;
  std::vector<std::size_t> places_;
};

/// Takes the rows out of a padded array; what lies in padded slots is never read.
///
/// Shapes (B, N, T of the packing, C = width):
///   padded  [B * N, C]  read
///   rows    [T, C]      written
///
/// Throws ShapeError when a shape differs from the above. `rows` must not overlap `padded`.
PADLESS_API void pack(MatrixView<const float> padded, const Packing& packing,
                      MatrixView<float> rows);
/// The same for ids of 32 or of 64 bits: padded [B * N], rows [T].
PADLESS_API void pack(std::span<const std::int32_t> padded, const Packing& packing,
                      std::span<std::int32_t> rows);
PADLESS_API void pack(std::span<const std::int64_t> padded, const Packing& packing,
                      std::span<std::int64_t> rows);

/// Puts the rows back into their slots and `pad` into all others.
///
/// Shapes: rows [T, C] read, padded [B * N, C] written.
///
/// Throws ShapeError when a shape differs from the above. `padded` must not overlap `rows`.
PADLESS_API void unpack(MatrixView<const float> rows, const Packing& packing, float pad,
                        MatrixView<float> padded);
/// The same for ids of 32 or of 64 bits: rows [T], padded [B * N].
PADLESS_API void unpack(std::span<const std::int32_t> rows, const Packing& packing,
                        std::int32_t pad, std::span<std::int32_t> padded);
PADLESS_API void unpack(std::span<const std::int64_t> rows, const Packing& packing,
                        std::int64_t pad, std::span<std::int64_t> padded);

}  // namespace padless
