#include <algorithm>
#include <array>
#include <cmath>

#include "padless/viz/attended_sentences.h"
#include "padless/viz/heatmap.h"
#include "padless/viz/number.h"

namespace padless::viz {
namespace {

constexpr std::size_t kLeastColumns = 24;
constexpr std::size_t kBarColumns = 6;
constexpr std::size_t kMarginColumns = 5 + kBarColumns + 2;  // "100% ██████  "
constexpr std::string_view kReset = "\x1b[0m";

// Backgrounds of the 256-colour palette, from little to much attention; the words on them are set
// to white or black, whatever the terminal's own colour is.
constexpr std::array<int, 5> kOnDark = {17, 18, 25, 31, 38};
constexpr std::array<int, 5> kOnLight = {195, 153, 117, 75, 39};

// Eighths of a block, growing to the right and growing upwards.
constexpr std::array<std::string_view, 9> kRightwards = {" ", "▏", "▎", "▍", "▌",
                                                         "▋", "▊", "▉", "█"};
constexpr std::array<std::string_view, 9> kUpwards = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

std::size_t level(double intensity, std::size_t levels) {
  return static_cast<std::size_t>(std::lround(intensity * static_cast<double>(levels)));
}

std::string colour_on(double intensity, TerminalColour colour) {
  const bool dark = colour == TerminalColour::dark_background;
  const auto& backgrounds = dark ? kOnDark : kOnLight;
  const std::size_t step = level(intensity, backgrounds.size());
  if (colour == TerminalColour::none || step == 0) return {};
  return "\x1b[48;5;" + std::to_string(backgrounds[step - 1]) +
         (dark && step < backgrounds.size() ? ";38;5;231m" : ";38;5;16m");
}

std::string margin(const AttendedSentence& sentence) {
  std::string share = sentence.has_number ? fixed(100 * sentence.share, 0) + "%" : "?";
  std::string out(4 - std::min<std::size_t>(share.size(), 4), ' ');
  out += share + " ";
  std::size_t eighths = level(sentence.share, 8 * kBarColumns);
  for (std::size_t i = 0; i < kBarColumns; ++i) {
    const std::size_t here = std::min<std::size_t>(eighths, 8);
    out += kRightwards[here];
    eighths -= here;
  }
  return out + "  ";
}

// Sets words into lines of a width, a hanging margin before them.
class Lines {
 public:
  Lines(std::string margin, const TerminalOptions& options)
      : margin_(std::move(margin)),
        columns_(std::max(options.columns, kLeastColumns) - kMarginColumns),
        colour_(options.colour) {}

  void add(const AttendedWord& word) {
    std::vector<TerminalCell> cells = terminal_cells(word.text);
    if (!word.has_number) cells.push_back({"?", 1});
    std::size_t width = 0;
    for (const TerminalCell& cell : cells) width += cell.columns;
    if (used_ > 0 && used_ + 1 + width > columns_) end_line();
    if (used_ > 0) space();
    const std::string on = colour_on(word.intensity, colour_);
    words_ += on;
    for (const TerminalCell& cell : cells) {
      if (used_ > 0 && used_ + cell.columns > columns_) {  // a word wider than a line is cut
        if (!on.empty()) words_ += kReset;
        end_line();
        words_ += on;
      }
      words_ += cell.text;
      used_ += cell.columns;
      for (std::size_t i = 0; i < cell.columns; ++i) bars_ += kUpwards[level(word.intensity, 8)];
    }
    if (!on.empty()) words_ += kReset;
  }

  std::string finish() {
    end_line();
    return std::move(out_);
  }

 private:
  void space() {
    words_ += ' ';
    bars_ += ' ';
    ++used_;
  }

  void end_line() {
    const std::string blank(kMarginColumns, ' ');
    out_ += without_end_spaces(margin_ + words_) + "\n";
    if (colour_ == TerminalColour::none && used_ > 0)
      out_ += without_end_spaces(blank + bars_) + "\n";
    margin_ = blank;
    words_.clear();
    bars_.clear();
    used_ = 0;
  }

  static std::string without_end_spaces(std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
  }

  std::string out_, margin_, words_, bars_;
  std::size_t columns_, used_ = 0;
  TerminalColour colour_;
};

}  // namespace

std::string heatmap_terminal(const AttendedText& text, const TerminalOptions& options) {
  std::string out;
  for (const AttendedSentence& sentence : attended_sentences(text, "heatmap_terminal")) {
    Lines lines(margin(sentence), options);
    for (const AttendedWord& word : sentence.words) lines.add(word);
    if (sentence.words.empty()) lines.add({"(no words)"});
    out += lines.finish();
  }
  return out;
}

}  // namespace padless::viz
