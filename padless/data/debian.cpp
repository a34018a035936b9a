#include "padless/data/debian.h"

#include <unistd.h>

#include <cstdlib>

#include "padless/core/error.h"
#include "padless/core/hash.h"
#include "padless/core/math.h"
#include "padless/data/apt_lists.h"
#include "padless/data/families.h"
#include "padless/data/tsv.h"
#include "padless/io/json.h"

namespace padless {
namespace {

namespace fs = std::filesystem;

constexpr double kTestShare = 0.15;
constexpr double kDevShare = 0.10;

Split split_of_family(std::string_view name) {
  constexpr std::uint64_t kSeed = 0;
  Fnv1a hash;
  hash.add(name);
  const double draw = split_draw(kSeed, hash.value());
  if (draw < kTestShare) return Split::test;
  return draw < kTestShare + kDevShare ? Split::dev : Split::train;
}

/// A variable's value, nothing when it is unset or empty.
fs::path variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? fs::path() : fs::path(value);
}

template <class Report>
PackageTexts read_packages(const AptLists& lists, const Report& report) {
  PackageTexts packages;
  const std::vector<AptList> found = lists.find();
  for (const auto kind : {AptList::Kind::translations, AptList::Kind::packages}) {
    for (const AptList& list : found) {
      if (list.kind != kind) continue;
      report("reading " + list.file.filename().string());
      AptLists::read(list, [&](const Stanza& stanza) {
        if (kind == AptList::Kind::packages) {
          packages.add_package(stanza);
        } else {
          packages.add_translation(stanza);
        }
      });
    }
  }
  return packages;
}

}  // namespace

fs::path debian_cache_folder() {
  if (const fs::path cache = variable("XDG_CACHE_HOME"); cache.is_absolute()) {
    return cache / "padless" / "apt";
  }
  if (const fs::path home = variable("HOME"); home.is_absolute()) {
    return home / ".cache" / "padless" / "apt";
  }
  return fs::temp_directory_path() / message("padless-apt-", ::getuid());
}

std::vector<DebianRow> build_debian_set(const DebianOptions& options) {
  const auto report = [&](const std::string& line) {
    if (options.progress) options.progress(line);
  };
  const fs::path folder = options.folder.empty() ? debian_cache_folder() : options.folder;
  const AptLists lists(folder);
  report("fetching package lists with apt-get update");
  lists.update(options.progress);
  PackageTexts packages;
  try {
    packages = read_packages(lists, report);
  } catch (const DamagedLists& error) {
    report(message(error.what(), "; fetching all of them anew"));
    lists.remove();
    lists.update(options.progress);
    packages = read_packages(lists, report);
  }
  const std::vector<PackageText> texts = packages.choose();
  if (texts.empty()) {
    throw IoError(message("the package lists in ", folder.string(), " gave no texts of ",
                          packages.package_count(), " packages, expected thousands"));
  }
  report(message("sorting ", texts.size(), " texts into families"));
  return split_by_family(texts);
}

std::vector<DebianRow> split_by_family(const std::vector<PackageText>& texts) {
  const std::vector<std::size_t> families = find_families(texts);
  std::vector<DebianRow> rows;
  rows.reserve(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const PackageText& text = texts[i];
    rows.push_back({text.section, split_of_family(texts[families[i]].source), text.source,
                    math::log(text.installed_kib), text.text()});
  }
  return rows;
}

void write_debian_set(std::ostream& out, const std::vector<DebianRow>& rows) {
  using Fields = std::vector<std::string>;
  write_tsv(out, Fields{"section", "split", "source", "log_size", "text"});
  for (const DebianRow& row : rows) {
    // Json's digits are the fewest that read back to the same number.
    write_tsv(out, Fields{row.section, std::string(split_name(row.split)), row.source,
                          Json(row.log_size).compact(), row.text});
  }
}

}  // namespace padless
