#include "padless/data/families.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <unordered_map>

namespace padless {
namespace {

/// What makes two texts alike: so large a share of their word sequences of that length in common.
struct Likeness {
  std::size_t words;
  double share;
};
/// Single words find what was made from one template (a dictionary for each pair of languages),
/// triples what was copied in part into longer texts.
constexpr std::array<Likeness, 2> kAlike = {{{1, 0.6}, {3, 0.5}}};
/// Shorter ones ("Its features are:") tell nothing.
constexpr std::size_t kMinParagraphWords = 8;

/// Disjoint sets whose root is their smallest member.
class UnionFind {
 public:
  explicit UnionFind(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t root(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) {
    a = root(a);
    b = root(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::size_t> parent_;
};

/// Lower-case words: letters and digits of ASCII, and everything beyond it.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
        static_cast<unsigned char>(c) >= 0x80) {
      word += upper ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

/// A row's different word sequences as numbers that are small for rare ones, ascending.
using Shingles = std::vector<std::uint32_t>;

std::vector<Shingles> shingles_of(std::span<const PackageText> rows, std::size_t length) {
  std::unordered_map<std::string, std::uint32_t> ids;
  std::vector<std::uint32_t> rows_with;
  std::vector<Shingles> all;
  for (const PackageText& row : rows) {
    const std::vector<std::string> words = words_of(row.text());
    Shingles& shingles = all.emplace_back();
    for (std::size_t i = 0; i + length <= words.size(); ++i) {
      std::string key;
      for (std::size_t j = i; j < i + length; ++j) key.append(words[j]).append(" ");
      const auto id = static_cast<std::uint32_t>(ids.size());
      shingles.push_back(ids.try_emplace(std::move(key), id).first->second);
    }
    std::ranges::sort(shingles);
    shingles.erase(std::ranges::unique(shingles).begin(), shingles.end());
    rows_with.resize(ids.size(), 0);
    for (const std::uint32_t id : shingles) ++rows_with[id];
  }
  std::vector<std::uint32_t> by_rarity(rows_with.size());
  std::iota(by_rarity.begin(), by_rarity.end(), 0U);
  std::ranges::stable_sort(by_rarity, {}, [&](std::uint32_t id) { return rows_with[id]; });
  std::vector<std::uint32_t> rank(by_rarity.size());
  for (std::uint32_t i = 0; i < by_rarity.size(); ++i) rank[by_rarity[i]] = i;
  for (Shingles& shingles : all) {
    for (std::uint32_t& id : shingles) id = rank[id];
    std::ranges::sort(shingles);
  }
  return all;
}

bool similar(const Shingles& a, const Shingles& b, double share) {
  std::size_t common = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    common += a[i] == b[j] ? 1 : 0;
    const bool step_a = a[i] <= b[j];
    j += a[i] >= b[j] ? 1 : 0;
    i += step_a ? 1 : 0;
  }
  return static_cast<double>(common) >= share * static_cast<double>(a.size() + b.size() - common);
}

void join_similar(std::span<const PackageText> rows, const Likeness& alike, UnionFind& families) {
  const std::vector<Shingles> all = shingles_of(rows, alike.words);
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> rows_by_prefix;
  for (std::size_t row = 0; row < all.size(); ++row) {
    // A row that is alike has that share of these in common or more, so at least one of all but the
    // last ones; the rarest come first.
    const std::size_t size = all[row].size();
    const auto must_share =
        static_cast<std::size_t>(std::ceil(alike.share * static_cast<double>(size)));
    const std::size_t prefix = size == 0 ? 0 : size - must_share + 1;
    std::vector<std::size_t> candidates;
    for (std::size_t i = 0; i < prefix; ++i) {
      std::vector<std::size_t>& others = rows_by_prefix[all[row][i]];
      candidates.insert(candidates.end(), others.begin(), others.end());
      others.push_back(row);
    }
    std::ranges::sort(candidates);
    candidates.erase(std::ranges::unique(candidates).begin(), candidates.end());
    for (const std::size_t other : candidates) {
      if (similar(all[row], all[other], alike.share)) families.join(row, other);
    }
  }
}

}  // namespace

std::string source_stem(std::string_view source) {
  constexpr std::array<std::string_view, 9> kKinds = {
      "-data", "-doc", "-docs", "-common", "-extra", "-extras", "-music", "-sounds", "-maps"};
  for (const std::string_view kind : kKinds) {
    if (source.ends_with(kind)) {
      source.remove_suffix(kind.size());
      break;
    }
  }
  const std::size_t end = source.find_last_not_of("0123456789.");
  std::string_view stem = source.substr(0, end + 1);  // nothing when all of it is version
  while (stem.ends_with('-')) stem.remove_suffix(1);
  return std::string(stem.empty() ? source : stem);
}

std::vector<std::size_t> find_families(std::span<const PackageText> rows) {
  UnionFind families(rows.size());
  std::unordered_map<std::string, std::size_t> first_with_stem;
  std::unordered_map<std::string_view, std::size_t> first_with_paragraph;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    families.join(row,
                  first_with_stem.try_emplace(source_stem(rows[row].source), row).first->second);
    for (const std::string& paragraph : rows[row].paragraphs) {
      if (words_of(paragraph).size() < kMinParagraphWords) continue;
      families.join(row, first_with_paragraph.try_emplace(paragraph, row).first->second);
    }
  }
  for (const Likeness& alike : kAlike) join_similar(rows, alike, families);
  std::vector<std::size_t> roots(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) roots[row] = families.root(row);
  return roots;
}

}  // namespace padless
