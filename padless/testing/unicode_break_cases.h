// Unicode's own test lines for boundaries, and a slow, literal reading of its rules.
#pragma once

#include <cstddef>
#include <fstream>
#include <random>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace padless::testing {

/// A text and where its segments end, as Unicode states it.
struct BreakCase {
  std::string line;
  std::vector<char32_t> code_points;
  std::vector<std::size_t> ends;  // in code points
};

/// All lines of testdata/unicode/NAME. Throws unless there are as many as the file says.
inline std::vector<BreakCase> read_break_cases(const std::string& name) {
  std::ifstream file(std::string(PADLESS_TESTDATA) + "/unicode/" + name);
  std::vector<BreakCase> cases;
  std::size_t stated = 0;
  const std::string kLines = "# Lines: ";
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(kLines)) stated = std::stoul(line.substr(kLines.size()));
    if (line.starts_with('#')) continue;
    BreakCase read{line, {}, {}};
    std::istringstream parts(line);
    for (std::string part; parts >> part;) {
      if (part == "÷") {
        if (!read.code_points.empty()) read.ends.push_back(read.code_points.size());
      } else if (part != "×") {
        read.code_points.push_back(static_cast<char32_t>(std::stoul(part, nullptr, 16)));
      }
    }
    cases.push_back(read);
  }
  if (stated == 0 || cases.size() != stated) {
    throw std::runtime_error(name + ": absent, or not as many lines as it says");
  }
  return cases;
}

/// A kind of character, named by a letter, and two characters of that kind (UTF-8).
struct CharacterKind {
  char letter;
  std::string_view characters[2];
};

/// Whether kinds match a pattern from their first on, and to their last if `whole`. A pattern is a
/// row of letters and [sets] and [^sets], each with or without a * behind it.
inline bool matches(std::string_view pattern, std::string_view kinds, bool whole) {
  if (pattern.empty()) return !whole || kinds.empty();
  std::string_view set = pattern.substr(0, 1);
  if (set == "[") {
    set = pattern.substr(1, pattern.find(']') - 1);
    pattern.remove_prefix(1 + set.size());
  }
  pattern.remove_prefix(1);
  const bool excludes = set.starts_with('^');
  const auto fits = [&] {
    return !kinds.empty() && (set.find(kinds.front()) != std::string_view::npos) != excludes;
  };
  if (!pattern.starts_with('*')) return fits() && matches(pattern, kinds.substr(1), whole);
  pattern.remove_prefix(1);
  for (; !matches(pattern, kinds, whole); kinds.remove_prefix(1)) {
    if (!fits()) return false;
  }
  return true;
}

/// A rule as Unicode writes it: patterns of what stands before a place and behind it, and whether
/// to break there.
struct BreakRule {
  std::string_view before, behind;
  bool breaks;

  bool fits(std::string_view left, std::string_view right) const {
    if (!matches(behind, right, false)) return false;
    for (std::size_t begin = 0; begin <= left.size(); ++begin) {
      if (matches(before, left.substr(begin), true)) return true;
    }
    return false;
  }
};

/// The kinds of a text without those in `attached`, but for the ones that begin the text or follow
/// one of `walls` (WB4, SB5).
inline std::string without_attached(const std::string& kinds, const std::string& attached,
                                    const std::string& walls) {
  std::string kept;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const bool attaches = attached.find(kinds[i]) != std::string::npos && i > 0 &&
                          walls.find(kinds[i - 1]) == std::string::npos;
    if (!attaches) kept.push_back(kinds[i]);
  }
  return kept;
}

/// A random text of at most `longest` characters of the kinds given.
struct RandomText {
  std::string kinds;                        // a letter for each character
  std::string text;                         // UTF-8
  std::vector<std::size_t> character_ends;  // in bytes
};

inline RandomText random_text(std::span<const CharacterKind> kinds, std::size_t longest,
                              std::mt19937& random) {
  RandomText made;
  for (std::size_t left = random() % longest + 1; left > 0; --left) {
    const CharacterKind& kind = kinds[random() % kinds.size()];
    made.kinds.push_back(kind.letter);
    made.text += kind.characters[random() % 2];
    made.character_ends.push_back(made.text.size());
  }
  return made;
}

}  // namespace padless::testing
