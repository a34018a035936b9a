#include "padless/data/tsv.h"

#include <array>
#include <utility>

namespace padless {
namespace {

/// A character and the letter that stands for it behind a backslash.
constexpr std::array<std::pair<char, char>, 4> kEscapes = {
    {{'\n', 'n'}, {'\r', 'r'}, {'\t', 't'}, {'\\', '\\'}}};

}  // namespace

std::vector<std::string> split_tsv(std::string_view line) {
  std::vector<std::string> fields(1);
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\t') {
      fields.emplace_back();
      continue;
    }
    char c = line[i];
    if (c == '\\' && i + 1 < line.size()) {
      for (const auto& [meaning, letter] : kEscapes) {
        if (line[i + 1] != letter) continue;
        c = meaning;
        ++i;
        break;
      }
    }
    fields.back() += c;
  }
  return fields;
}

void write_tsv(std::ostream& out, std::span<const std::string> fields) {
  std::string line;
  for (const std::string& field : fields) {
    if (&field != fields.data()) line += '\t';
    for (const char c : field) {
      char letter = '\0';
      for (const auto& [meaning, name] : kEscapes) {
        if (c == meaning) letter = name;
      }
      if (letter == '\0') {
        line += c;
      } else {
        line += {'\\', letter};
      }
    }
  }
  out << line << '\n';
}

}  // namespace padless
