#include "padless/data/csv.h"

#include "padless/core/error.h"

namespace padless {

std::vector<std::string> read_csv_record(TextReader& lines, std::string line) {
  const std::string begin = lines.where();
  std::vector<std::string> fields;
  std::size_t record_bytes = line.size();
  std::size_t i = 0;
  for (;;) {
    std::string field;
    if (i < line.size() && line[i] == '"') {
      ++i;
      for (;;) {
        if (i == line.size()) {
          field += '\n';
          if (!lines.next(line)) {
            throw FormatError(begin + ": a quoted field begins and the file ends, expected its"
                                      " closing quote");
          }
          record_bytes += line.size();
          if (record_bytes > TextReader::kMaxLine) {
            throw FormatError(message(begin, ": the row is longer than ", TextReader::kMaxLine,
                                      " bytes, expected at most that; is a closing quote missing?"));
          }
          i = 0;
        } else if (line[i] != '"') {
          field += line[i++];
        } else if (i + 1 < line.size() && line[i + 1] == '"') {
          field += '"';
          i += 2;
        } else {
          ++i;
          break;
        }
      }
      if (i < line.size() && line[i] != ',') {
        throw FormatError(message(lines.where(), ": '", line[i], "' follows a closing quote at byte ",
                                  i + 1, ", expected a comma or the end of the line"));
      }
    } else {
      while (i < line.size() && line[i] != ',') {
        if (line[i] == '"') {
          throw FormatError(message(lines.where(), ": a quote at byte ", i + 1,
                                    " inside a field without quotes, expected the whole field in"
                                    " quotes and the quote doubled"));
        }
        field += line[i++];
      }
    }
    fields.push_back(std::move(field));
    if (i == line.size()) return fields;
    ++i;
  }
}

}  // namespace padless
