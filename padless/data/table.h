#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "padless/core/export.h"

namespace padless {

/// How a table is written; TableReader says the rules of each.
enum class TableFormat { csv, tsv, jsonl };

/// "CSV", "TSV" or "JSONL".
PADLESS_API std::string_view format_name(TableFormat format);
/// By the name's end (.csv, .tsv, .tab, .jsonl, .ndjson, .json, each with .gz too), or nothing.
PADLESS_API std::optional<TableFormat> format_of_name(const std::filesystem::path& path);

/// Rows of a table with named columns, one at a time, in bounded memory.
///
/// CSV    as RFC 4180 says: a header line; fields in double quotes may hold commas, line breaks
///        (read as '\n') and doubled quotes.
/// TSV    a header line; \n, \t, \r and \\ in a field as split_tsv says.
/// JSONL  one flat object a line, its keys the columns, in any order; those of the first line are
///        columns(). Numbers stay the text they are, true and false become words, null is empty.
///
/// Every line is a row: a wrong number of fields, a missing key, a blank line (but at the very end
/// of the table) is a FormatError with file:line. Only where there is a single column, a blank line
/// is a row whose field is empty. Encoding and gzip: as TextReader.
class PADLESS_API TableReader {
 public:
  struct Row {
    std::vector<std::string> fields;  ///< of the selected columns, in the order of select()
    std::vector<std::string> list;    ///< of the column of select_list()
    std::size_t number = 0;           ///< of the row: 1 is the first below the header
    std::size_t line = 0;             ///< of the file, where the row begins
  };

  /// "-" is standard input. The format is what is asked for, else what the name says, else what the
  /// first line looks like (an object, a line with a tab, with a comma, in this order; TSV if
  /// none).
  explicit TableReader(const std::filesystem::path& path, std::optional<TableFormat> format = {});
  /// `name` stands for the stream in messages and for its format. The stream must outlive the
  /// reader.
  TableReader(std::istream& stream, const std::string& name,
              std::optional<TableFormat> format = {});
  ~TableReader();
  TableReader(TableReader&&) noexcept;
  TableReader& operator=(TableReader&&) noexcept;

  const std::string& name() const;
  TableFormat format() const;
  /// Whether the format comes from the look of the first line.
  bool format_was_guessed() const;
  const std::vector<std::string>& columns() const;

  /// Keeps these columns in the rows to come; before the first call, all.
  /// Throws FormatError for a column that is not there, listing those there are, or there twice.
  void select(std::span<const std::string> names);
  /// Beside those, takes this column as a list of strings: an array of JSONL as it is, any other
  /// field cut at every `separator` (of an empty field that is one empty string).
  /// Throws as select(), and ValueError for an empty separator.
  void select_list(const std::string& name, const std::string& separator);

  /// False at the end.
  bool next(Row& row);

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace padless
