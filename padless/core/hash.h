#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace padless {

/// FNV-1a of 64 bits: a number for bytes, the same on every machine. It finds accidents, and no
/// malice. Source: Fowler, Noll, Vo, "The FNV non-cryptographic hash algorithm".
class Fnv1a {
 public:
  void add(std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) hash_ = (hash_ ^ static_cast<std::uint64_t>(byte)) * kPrime;
  }
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  /// The number's eight bytes, the lowest first.
  void add(std::uint64_t number) {
    for (int byte = 0; byte < 8; ++byte) {
      hash_ = (hash_ ^ ((number >> (8 * byte)) & 0xff)) * kPrime;
    }
  }

  std::uint64_t value() const { return hash_; }
  /// The same in sixteen hexadecimal digits.
  std::string digits() const {
    std::string out;
    for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[(hash_ >> shift) & 15];
    return out;
  }

 private:
  static constexpr std::uint64_t kPrime = 0x100000001b3;
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

/// The digits of a text's hash.
inline std::string hash_digits(std::string_view text) {
  Fnv1a hash;
  hash.add(text);
  return hash.digits();
}

}  // namespace padless
