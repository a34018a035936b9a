#include "padless/data/csv.h"

#include "padless/core/error.h"
#include "padless/core/quote.h"

namespace padless {
namespace {

class RecordReader {
 public:
  RecordReader(TextReader& lines, std::string line)
      : lines_(lines), line_(std::move(line)), begin_(lines.where()), bytes_(line_.size()) {}

  std::vector<std::string> read() {
    std::vector<std::string> fields;
    for (;;) {
      fields.push_back(at_quote() ? quoted_field() : plain_field());
      if (at_end()) return fields;
      ++at_;  // the comma
    }
  }

 private:
  bool at_end() const { return at_ == line_.size(); }
  bool at_quote() const { return !at_end() && line_[at_] == '"'; }

  std::string plain_field() {
    const std::size_t end = std::min(line_.find(',', at_), line_.size());
    std::string field = line_.substr(at_, end - at_);
    if (const std::size_t found = field.find('"'); found != std::string::npos) {
      throw FormatError(message(lines_.where(), ": a quote at byte ", at_ + found + 1,
                                " inside a field without quotes, expected the whole field in quotes"
                                " and the quote doubled"));
    }
    at_ = end;
    return field;
  }

  std::string quoted_field() {
    std::string field;
    ++at_;
    for (;;) {
      const std::size_t end = line_.find('"', at_);
      if (end == std::string::npos) {
        field.append(line_, at_).append(1, '\n');
        go_on();
        continue;
      }
      field.append(line_, at_, end - at_);
      at_ = end + 1;
      if (!at_quote()) break;
      field += '"';
      ++at_;
    }
    if (!at_end() && line_[at_] != ',') {
      throw FormatError(message(lines_.where(), ": ", quote(line_.substr(at_), 10),
                                " follows a closing quote at byte ", at_ + 1,
                                ", expected a comma or the end of the line"));
    }
    return field;
  }

  /// To the next line of a quoted field.
  void go_on() {
    if (!lines_.next(line_)) {
      throw FormatError(begin_ +
                        ": a field's opening quote has no closing one up to the file's end,"
                        " expected it");
    }
    bytes_ += line_.size() + 1;
    if (bytes_ > TextReader::kMaxLine) {
      throw FormatError(message(begin_, ": the row is longer than ", TextReader::kMaxLine,
                                " bytes, expected at most that; is a closing quote missing?"));
    }
    at_ = 0;
  }

  TextReader& lines_;
  std::string line_;
  std::string begin_;
  std::size_t bytes_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<std::string> read_csv_record(TextReader& lines, std::string line) {
  return RecordReader(lines, std::move(line)).read();
}

}  // namespace padless
