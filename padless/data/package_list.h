#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "padless/core/export.h"

namespace padless {

/// One paragraph of a Debian control file: fields in order, the lines of a field joined by '\n',
/// each without the one space or tab that marks it as going on.
class PADLESS_API Stanza {
 public:
  /// The first field of that name (case matters, as in all lists an archive makes), or empty.
  std::string_view field(std::string_view name) const;

 private:
  friend class StanzaReader;
  std::vector<std::pair<std::string, std::string>> fields_;
};

/// Cuts a stream of bytes into stanzas. Lists come from a network: lines without a colon or before
/// any field are passed over, and of a stanza no more than kMaxBytes are kept.
class PADLESS_API StanzaReader {
 public:
  static constexpr std::size_t kMaxBytes = 1 << 20;

  explicit StanzaReader(std::function<void(const Stanza&)> take) : take_(std::move(take)) {}

  void feed(std::string_view bytes);
  /// The stream ends: gives the last stanza.
  void finish();

 private:
  void take_line(std::string_view line);
  void end_stanza();

  std::function<void(const Stanza&)> take_;
  std::string partial_line_;
  Stanza stanza_;
  std::size_t bytes_ = 0;
};

}  // namespace padless
