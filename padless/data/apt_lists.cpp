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

namespace padless {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWayOut =
    "; the way out: run this on Debian or Ubuntu with a network, or give a data file of your own";

/// Runs one of apt's programs; where there is none, the error says what to do.
ProcessEnd run_apt(const std::vector<std::string>& arguments,
                   const std::function<void(std::string_view)>& take) {
  try {
    return run_process(arguments, take);
  } catch (const IoError& error) {
    throw IoError(message(error.what(), kWayOut));
  }
}

/// Output of a program that must succeed.
std::string output_of(const std::vector<std::string>& arguments) {
  std::string out;
  const ProcessEnd end = run_apt(arguments, [&](std::string_view piece) { out += piece; });
  if (!end.ok()) {
    throw IoError(message(arguments.front(), " ", arguments.back(), ": ended with ", end.exit_code,
                          " (", end.errors, "), expected 0", kWayOut));
  }
  return out;
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

AptLists::AptLists(const fs::path& folder) {
  const fs::path root = fs::absolute(folder);
  std::error_code failed;
  // apt makes these itself only in its usual places.
  for (const char* part : {"lists/partial", "cache/archives/partial"}) {
    fs::create_directories(root / part, failed);
    if (failed) {
      throw IoError(
          message((root / part).string(), ": cannot make the folder: ", failed.message()));
    }
  }
  config_ = root / "apt.conf";
  write_file(config_, settings(root));
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
  trouble_ = end.errors;
}

std::vector<AptList> AptLists::find() const {
  std::string native = output_of(
      {"apt-config", "-c", config_.string(), "--format", "%v%n", "dump", "APT::Architecture"});
  while (native.ends_with('\n')) native.pop_back();
  constexpr std::size_t kFields = 7;
  const std::string format =
      "$(CREATED_BY)|$(ORIGIN)|$(SUITE)|$(CODENAME)|$(COMPONENT)|$(ARCHITECTURE)|$(FILENAME)";
  const std::string rows =
      output_of({"apt-get", "-c", config_.string(), "indextargets", "--format", format});

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
    throw IoError(message(list.file.string(), ": apt-helper cat-file ended with ", end.exit_code,
                          " (", end.errors, "), expected 0; remove the folder to fetch it anew"));
  }
  reader.finish();
}

}  // namespace padless
