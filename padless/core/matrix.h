// Row-major matrices: a view that looks and an owner that holds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

namespace padless {

/// The alignment in bytes of everything that padless allocates for numbers: one cache line, and
/// the widest vector register.
inline constexpr std::size_t kAlignment = 64;

/// a * b. Throws std::bad_array_new_length where it is beyond what an address reaches.
inline std::size_t checked_product(std::size_t a, std::size_t b) {
  constexpr std::size_t kMost = std::numeric_limits<std::ptrdiff_t>::max();
  if (b != 0 && a > kMost / b) throw std::bad_array_new_length();
  return a * b;
}

/// Looks at `rows` rows of `cols` numbers each, `stride` numbers from one row to the next
/// (stride >= cols). Does not own them. Indices are not checked.
template <class T>
class MatrixView {
 public:
  MatrixView() = default;
  MatrixView(T* data, std::size_t rows, std::size_t cols) : MatrixView(data, rows, cols, cols) {}
  MatrixView(T* data, std::size_t rows, std::size_t cols, std::size_t stride)
      : data_(data), rows_(rows), cols_(cols), stride_(stride) {}

  /// A view of T reads as a view of const T.
  template <class Mutable>
  requires std::is_same_v<const Mutable, T> MatrixView(MatrixView<Mutable> other)
      : MatrixView(other.data(), other.rows(), other.cols(), other.stride()) {}

  T* data() const { return data_; }
  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  std::size_t stride() const { return stride_; }

  T& operator()(std::size_t row, std::size_t col) const { return data_[row * stride_ + col]; }
  std::span<T> row(std::size_t row) const { return {data_ + row * stride_, cols_}; }

  /// The rows [begin, begin + count).
  MatrixView rows_at(std::size_t begin, std::size_t count) const {
    return {data_ + begin * stride_, count, cols_, stride_};
  }
  /// The columns [begin, begin + count).
  MatrixView cols_at(std::size_t begin, std::size_t count) const {
    return {data_ + begin, rows_, count, stride_};
  }

 private:
  T* data_ = nullptr;
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  std::size_t stride_ = 0;
};

/// Sets every number of `view` to `value`.
template <class T>
void fill(MatrixView<T> view, std::type_identity_t<T> value) {
  for (std::size_t r = 0; r < view.rows(); ++r) std::ranges::fill(view.row(r), value);
}

/// Owns rows x cols numbers without gaps, aligned to kAlignment, zero at first.
template <class T>
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t cols)
      : cells_(allocate(checked_product(rows, cols))), rows_(rows), cols_(cols) {}
  Matrix(const Matrix& other) : Matrix(other.rows_, other.cols_) {
    std::ranges::copy(other.cells(), cells_.get());
  }
  Matrix(Matrix&& other) noexcept { swap(other); }
  Matrix& operator=(Matrix other) noexcept {
    swap(other);
    return *this;
  }
  ~Matrix() = default;

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  T* data() { return cells_.get(); }
  const T* data() const { return cells_.get(); }

  T& operator()(std::size_t row, std::size_t col) { return cells_[row * cols_ + col]; }
  const T& operator()(std::size_t row, std::size_t col) const { return cells_[row * cols_ + col]; }
  std::span<T> row(std::size_t row) { return cells().subspan(row * cols_, cols_); }
  std::span<const T> row(std::size_t row) const { return cells().subspan(row * cols_, cols_); }

  /// All numbers, row after row.
  std::span<T> cells() { return {cells_.get(), rows_ * cols_}; }
  std::span<const T> cells() const { return {cells_.get(), rows_ * cols_}; }

  MatrixView<T> view() { return {cells_.get(), rows_, cols_}; }
  MatrixView<const T> view() const { return {cells_.get(), rows_, cols_}; }

 private:
  struct Free {
    void operator()(T* cells) const { ::operator delete[](cells, std::align_val_t{kAlignment}); }
  };
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  static std::unique_ptr<T[], Free> allocate(std::size_t count) {
    if (count == 0) return nullptr;
    return std::unique_ptr<T[], Free>(new (std::align_val_t{kAlignment}) T[count]());
  }
  void swap(Matrix& other) noexcept {
    std::swap(cells_, other.cells_);
    std::swap(rows_, other.rows_);
    std::swap(cols_, other.cols_);
  }

  std::unique_ptr<T[], Free> cells_;
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
};

}  // namespace padless
