#include "padless/data/apt_lists.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include "padless/core/error.h"
#include "padless/core/quote.h"
#include "padless/data/process.h"
#include "padless/io/atomic_file.h"
#include "padless/io/private_folder.h"

namespace padless {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWayOut =
    "; the way out: run this on Debian or Ubuntu with a network, or take texts of your own or "
    "those "
    "that padless data synthetic makes up";

/// Runs one of apt's programs; where there is none, the error says what to do.
ProcessEnd run_apt(const std::vector<std::string>& arguments,
                   const std::function<void(std::string_view)>& take) {
  try {
    return run_process(arguments, take);
  } catch (const IoError& error) {
    throw IoError(message(error.what(), kWayOut));
  }
}

std::string in_one_line(std::string lines) {
  while (lines.ends_with('\n')) lines.pop_back();
  std::ranges::replace(lines, '\n', ' ');
  return lines;
}

std::string ended_words(const ProcessEnd& end) {
  return message("ended with ", end.exit_code, " (", in_one_line(end.errors), "), expected 0");
}

std::vector<std::string> split_at(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// In an apt.conf nothing stands for a quote inside quotes.
std::string quoted_path(const fs::path& path) {
  const std::string text = path.string();
  if (text.find_first_of("\"\n\\;{}") != std::string::npos) {
    throw IoError(text +
                  ": has a character that apt's settings cannot hold, expected another "
                  "folder for its lists");
  }
  return '"' + text + '"';
}

/// Settings on top of the machine's own. Hooks after an update (of desktops and containers) are for
/// the machine's lists, and may want rights; source lists and other indexes are not needed.
std::string settings(const fs::path& folder) {
  std::ostringstream out;
  for (const char* hook : {"Pre-Invoke", "Post-Invoke", "Post-Invoke-Success"}) {
    out << "#clear APT::Update::" << hook << ";\n";
  }
  out << "#clear Acquire::Languages;\nAcquire::Languages \"en\";\n";
  out << "Dir::State::lists " << quoted_path(folder / "lists") << ";\n";
  out << "Dir::Cache " << quoted_path(folder / "cache") << ";\n";
  out << "Acquire::IndexTargets::deb-src::Sources::DefaultEnabled \"false\";\n";
  for (const char* target :
       {"DEP-11", "DEP-11-icons", "DEP-11-icons-small", "DEP-11-icons-large", "DEP-11-icons-hidpi",
        "DEP-11-icons-large-hidpi", "CNF", "Contents-deb", "Contents-deb-legacy"}) {
    out << "Acquire::IndexTargets::deb::" << target << "::DefaultEnabled \"false\";\n";
  }
  return std::move(out).str();
}

bool is_release(std::string_view suite) {
  constexpr std::array<std::string_view, 4> kPockets = {"-updates", "-security", "-backports",
                                                        "-proposed"};
  return std::ranges::none_of(
      kPockets, [&](std::string_view pocket) { return suite.find(pocket) != suite.npos; });
}

}  // namespace

AptLists::AptLists(const fs::path& folder) : folder_(fs::absolute(folder)) {
  make_private_folder(folder_);
  make_folders();
  config_ = folder_ / "apt.conf";
  remove_temporaries_of(config_);
  write_file(config_, settings(folder_));
}

void AptLists::make_folders() const {
  // apt makes these itself only in its usual places.
  for (const char* part : {"lists/partial", "cache/archives/partial"}) make_folder(folder_ / part);
}

void AptLists::remove() const {
  std::error_code failed;
  fs::remove_all(folder_ / "lists", failed);
  // What apt remembers of them.
  for (const char* part : {"pkgcache.bin", "srcpkgcache.bin"}) {
    if (!failed) fs::remove(folder_ / "cache" / part, failed);
  }
  if (failed) {
    throw IoError(message(folder_.string(), ": cannot remove the lists: ", failed.message(),
                          "; the way out: remove the folder"));
  }
  make_folders();
}

void AptLists::update(const std::function<void(std::string_view)>& progress) const {
  std::string line;
  const std::vector<std::string> arguments = {"apt-get", "-c", config_.string(), "update"};
  const ProcessEnd end = run_apt(arguments, [&](std::string_view piece) {
    for (const char c : piece) {
      if (c != '\n') {
        line += c;
        continue;
      }
      if (progress) progress(line);
      line.clear();
    }
  });
  trouble_ = in_one_line(end.errors);
}

std::vector<AptList> AptLists::find() const {
  std::string native;
  const std::vector<std::string> asks_native = {
      "apt-config", "-c", config_.string(), "--format", "%v%n", "dump", "APT::Architecture"};
  const ProcessEnd told = run_apt(asks_native, [&](std::string_view piece) { native += piece; });
  if (!told.ok()) throw IoError(message("apt-config dump: ", ended_words(told), kWayOut));
  while (native.ends_with('\n')) native.pop_back();
  constexpr std::size_t kFields = 7;
  const std::string format =
      "$(CREATED_BY)|$(ORIGIN)|$(SUITE)|$(CODENAME)|$(COMPONENT)|$(ARCHITECTURE)|$(FILENAME)";
  std::string rows;
  const std::vector<std::string> asks_lists = {"apt-get",      "-c",       config_.string(),
                                               "indextargets", "--format", format};
  const ProcessEnd listed = run_apt(asks_lists, [&](std::string_view piece) { rows += piece; });
  if (!listed.ok()) {
    throw DamagedLists(message(folder_.string(), ": apt-get indextargets ", ended_words(listed),
                               "; the way out: remove the folder"));
  }

  std::set<std::tuple<std::string, std::string, std::string, AptList::Kind>> found;
  std::set<AptList::Kind> kinds;
  for (const std::string& row : split_at(rows, '\n')) {
    const std::vector<std::string> field = split_at(row, '|');
    if (field.size() != kFields) continue;
    const bool packages = field[0] == "Packages" && field[5] == native;
    if (!packages && field[0] != "Translations") continue;
    if (field[1] != "Debian" && field[1] != "Ubuntu") continue;
    if (field[4] != "main" && field[4] != "universe") continue;
    std::error_code none;
    if (!is_release(field[2]) || !fs::exists(field[6], none)) continue;
    const auto kind = packages ? AptList::Kind::packages : AptList::Kind::translations;
    found.emplace(field[3], field[4], field[6], kind);
    kinds.insert(kind);
  }
  if (kinds.size() != 2) {
    throw IoError(
        message("apt-get update: no package lists with English descriptions of a Debian or"
                " Ubuntu release came, expected them",
                trouble_.empty() ? "" : " (" + trouble_ + ")", kWayOut));
  }
  std::vector<AptList> lists;
  lists.reserve(found.size());
  for (const auto& [codename, component, file, kind] : found) lists.push_back({kind, file});
  return lists;
}

void AptLists::read(const AptList& list, const std::function<void(const Stanza&)>& take) {
  StanzaReader reader(take);
  const std::vector<std::string> arguments = {"/usr/lib/apt/apt-helper", "cat-file",
                                              list.file.string()};
  const ProcessEnd end = run_apt(arguments, [&](std::string_view piece) { reader.feed(piece); });
  if (!end.ok()) {
    throw DamagedLists(message(list.file.string(), ": apt-helper cat-file ", ended_words(end),
                               "; the way out: remove the folder, which fetches it anew"));
  }
  reader.finish();
}

}  // namespace padless
