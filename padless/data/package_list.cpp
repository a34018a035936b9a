#include "padless/data/package_list.h"

#include <algorithm>

namespace padless {
namespace {

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r";
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

}  // namespace

std::string_view Stanza::field(std::string_view name) const {
  const auto found = std::ranges::find(fields_, name, &std::pair<std::string, std::string>::first);
  return found == fields_.end() ? std::string_view() : found->second;
}

void StanzaReader::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    // One byte over is enough to be seen as too long.
    const std::size_t room = kMaxBytes + 1 - std::min(kMaxBytes + 1, partial_line_.size());
    partial_line_ += piece.substr(0, room);
    if (end == std::string_view::npos) return;
    take_line(partial_line_);
    partial_line_.clear();
    bytes.remove_prefix(end + 1);
  }
}

void StanzaReader::finish() {
  if (!partial_line_.empty()) take_line(partial_line_);
  partial_line_.clear();
  end_stanza();
}

void StanzaReader::take_line(std::string_view line) {
  if (line.empty() || line == "\r") return end_stanza();
  bytes_ += line.size();
  if (bytes_ > kMaxBytes) return;
  if (line.front() == ' ' || line.front() == '\t') {
    if (!stanza_.fields_.empty()) stanza_.fields_.back().second.append("\n").append(line.substr(1));
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  stanza_.fields_.emplace_back(line.substr(0, colon), trim(line.substr(colon + 1)));
}

void StanzaReader::end_stanza() {
  if (!stanza_.fields_.empty()) take_(stanza_);
  stanza_.fields_.clear();
  bytes_ = 0;
}

}  // namespace padless
