#include "padless/data/package_texts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <tuple>

#include "padless/core/utf8.h"

namespace padless {
namespace {

constexpr std::string_view kSpaces = " \t\r\n\f\v";
constexpr std::size_t kMinWords = 20;
/// A paragraph of this many sources says nothing about any of them.
constexpr std::size_t kBoilerplateSources = 4;

/// The archive's sections that say what a program is for. Left out: what it is written in or for
/// (libs, python, perl, gnome, kde, ...), and misc.
constexpr std::array<std::string_view, 21> kSections = {
    "admin",   "comm",   "database", "devel",    "editors", "education", "electronics",
    "fonts",   "games",  "graphics", "hamradio", "mail",    "math",      "net",
    "science", "shells", "sound",    "text",     "utils",   "video",     "web"};

std::size_t count_words(std::string_view text) {
  std::size_t words = 0;
  bool inside = false;
  for (const char c : text) {
    const bool space = kSpaces.find(c) != std::string_view::npos;
    words += !space && !inside ? 1 : 0;
    inside = !space;
  }
  return words;
}

/// Runs of white space become one space; none at either end.
std::string one_spaced(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (kSpaces.find(c) == std::string_view::npos) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

/// What follows "* " (or - or +) at the start of a line, or nothing when it is no list's item.
std::optional<std::string_view> list_item(std::string_view line) {
  const std::size_t mark = line.find_first_not_of(kSpaces);
  if (mark == std::string_view::npos || mark + 1 >= line.size()) return std::nullopt;
  if (std::string_view("*+-").find(line[mark]) == std::string_view::npos) return std::nullopt;
  if (kSpaces.find(line[mark + 1]) == std::string_view::npos) return std::nullopt;
  return line.substr(mark + 2);
}

/// A description as paragraphs: the short one, then those of the long one and its lists' items.
std::vector<std::string> paragraphs_of(std::string_view description) {
  std::vector<std::string> paragraphs;
  std::string paragraph;
  const auto end_paragraph = [&] {
    paragraph = one_spaced(paragraph);
    if (!paragraph.empty()) paragraphs.push_back(std::move(paragraph));
    paragraph.clear();
  };
  bool first = true;
  while (!description.empty()) {
    const std::size_t end = std::min(description.find('\n'), description.size());
    const std::string_view line = description.substr(0, end);
    description.remove_prefix(std::min(end + 1, description.size()));
    const auto item = list_item(line);
    if (first || item || one_spaced(line) == "." || one_spaced(line).empty()) end_paragraph();
    if (one_spaced(line) != ".") paragraph.append(item ? *item : line).append(" ");
    if (first) end_paragraph();
    first = false;
  }
  end_paragraph();
  return paragraphs;
}

/// "This package contains the header files ...": what kind of package it is, not what it is for.
bool says_only_the_kind(std::string_view paragraph) {
  if (!paragraph.starts_with("This ") && !paragraph.starts_with("The ")) return false;
  paragraph.remove_prefix(paragraph.find(' ') + 1);
  if (paragraph.starts_with("meta")) paragraph.remove_prefix(4);
  constexpr std::string_view kPackage = "package ";
  if (!paragraph.starts_with(kPackage)) return false;
  paragraph.remove_prefix(kPackage.size());
  const auto verb_end = std::min(paragraph.find(' '), paragraph.size());
  constexpr std::array<std::string_view, 4> kVerbs = {"contains", "provides", "includes", "is"};
  if (std::ranges::find(kVerbs, paragraph.substr(0, verb_end)) == kVerbs.end()) return false;
  constexpr std::array<std::string_view, 7> kKinds = {
      "documentation", "development", "header", "data", "debug", "common files", "shared"};
  return std::ranges::any_of(
      kKinds, [&](std::string_view kind) { return paragraph.find(kind, verb_end) != kind.npos; });
}

std::string_view first_word(std::string_view text) { return text.substr(0, text.find(' ')); }

/// "universe/games" is the section games of another component.
std::string_view without_component(std::string_view section) {
  const std::size_t slash = section.rfind('/');
  return slash == std::string_view::npos ? section : section.substr(slash + 1);
}

/// KiB as the list says, at least 1: 0 is a size rounded down. Nothing when it is no number.
std::optional<double> installed_kib(std::string_view text) {
  std::uint64_t kib = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), kib);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return static_cast<double>(std::max<std::uint64_t>(kib, 1));
}

bool is_utf8(std::string_view text) {
  return !find_malformed_utf8(text) && text.find('\0') == std::string_view::npos;
}

}  // namespace

std::string PackageText::text() const {
  std::string out;
  for (const std::string& paragraph : paragraphs) {
    if (!out.empty()) out += '\n';
    out += paragraph;
  }
  return out;
}

void PackageTexts::add_translation(const Stanza& stanza) {
  const std::string_view md5 = stanza.field("Description-md5");
  const std::string_view description = stanza.field("Description-en");
  if (md5.empty() || description.empty() || !is_utf8(description)) return;
  descriptions_.emplace(md5, description);
}

void PackageTexts::add_package(const Stanza& stanza) {
  const std::string_view name = stanza.field("Package");
  const std::string_view section = without_component(stanza.field("Section"));
  const auto size = installed_kib(stanza.field("Installed-Size"));
  const auto description = descriptions_.find(std::string(stanza.field("Description-md5")));
  if (name.empty() || !is_utf8(name) || !size || description == descriptions_.end() ||
      !seen_.emplace(name).second) {
    return;
  }
  std::string_view source = first_word(stanza.field("Source"));
  if (source.empty() || !is_utf8(source)) source = name;
  sources_[std::string(source)].push_back(
      {std::string(name), std::string(section), *size, paragraphs_of(description->second)});
}

std::vector<PackageText> PackageTexts::choose(std::size_t min_section) const {
  std::unordered_map<std::string_view, std::size_t> sources_with;
  for (const auto& [source, packages] : sources_) {
    std::unordered_set<std::string_view> own;
    for (const Package& package : packages) {
      own.insert(package.paragraphs.begin() + 1, package.paragraphs.end());
    }
    for (const std::string_view paragraph : own) ++sources_with[paragraph];
  }

  std::vector<PackageText> rows;
  std::unordered_set<std::string> texts;
  for (const auto& [source, packages] : sources_) {
    const Package* best = nullptr;
    const auto rank = [&source = source](const Package& package) {
      std::size_t bytes = 0;
      for (std::size_t i = 1; i < package.paragraphs.size(); ++i) {
        bytes += package.paragraphs[i].size();
      }
      return std::tuple(package.name == source, bytes);
    };
    bool one_section = true;
    for (const Package& package : packages) {
      if (std::ranges::find(kSections, package.section) == kSections.end()) continue;
      one_section = one_section && (best == nullptr || best->section == package.section);
      if (best == nullptr || rank(package) > rank(*best)) best = &package;
    }
    if (best == nullptr || !one_section) continue;
    PackageText row{best->section, source, best->installed_kib, {best->paragraphs.front()}};
    for (std::size_t i = 1; i < best->paragraphs.size(); ++i) {
      const std::string& paragraph = best->paragraphs[i];
      if (sources_with.at(paragraph) >= kBoilerplateSources || says_only_the_kind(paragraph))
        continue;
      row.paragraphs.push_back(paragraph);
    }
    const std::string text = row.text();
    if (count_words(text) >= kMinWords && texts.insert(text).second) rows.push_back(std::move(row));
  }

  std::map<std::string, std::size_t> in_section;
  for (const PackageText& row : rows) ++in_section[row.section];
  std::erase_if(rows,
                [&](const PackageText& row) { return in_section[row.section] < min_section; });
  return rows;
}

}  // namespace padless
