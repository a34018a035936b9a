#include "padless/study/machine.h"

#include <ctime>
#include <fstream>
#include <string_view>
#include <thread>

namespace padless::study {
namespace {

// What stands behind `key` and the separator in the first line of the file that begins with it.
std::string value_in(const char* file, std::string_view key, char separator) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t at = line.find(separator);
    if (at == std::string::npos) continue;
    const std::size_t first = line.find_first_not_of(" \t\"", at + 1);
    const std::size_t last = line.find_last_not_of(" \t\"");
    return first == std::string::npos ? "" : line.substr(first, last - first + 1);
  }
  return "unknown";
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  char text[] = "2026-11-30";
  if (gmtime_r(&now, &parts) == nullptr || std::strftime(text, sizeof text, "%F", &parts) == 0) {
    return "unknown";
  }
  return text;
}

}  // namespace

Machine this_machine(const Runtime& runtime) {
  return {.version = PADLESS_VERSION,
          .date = today(),
          .cpu = value_in("/proc/cpuinfo", "model name", ':'),
          .system = value_in("/etc/os-release", "PRETTY_NAME", '='),
#ifdef __clang__
          .compiler = "clang " __clang_version__,
#else
          .compiler = "gcc " __VERSION__,
#endif
          .isa = std::string(name(runtime.isa())),
          .cores = std::thread::hardware_concurrency(),
          .threads = runtime.threads()};
}

}  // namespace padless::study
