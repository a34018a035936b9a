#include "padless/data/table.h"

#include <algorithm>
#include <numeric>

#include "padless/core/error.h"
#include "padless/core/quote.h"
#include "padless/data/csv.h"
#include "padless/data/tsv.h"
#include "padless/io/json.h"
#include "padless/io/text_reader.h"

namespace padless {
namespace {

using Fields = std::vector<std::string>;

// As far as a message has room: "'kind', 'text', ... (200000 of them)".
std::string list_of(const Fields& names) {
  constexpr std::size_t kMostBytes = 400, kMostOfAName = 60;
  std::string list;
  for (const std::string& name : names) {
    if (list.size() > kMostBytes) return message(list, ", ... (", names.size(), " of them)");
    std::size_t kept = std::min(name.size(), kMostOfAName);
    while (kept < name.size() && (static_cast<unsigned char>(name[kept]) & 0xC0) == 0x80) ++kept;
    list += message(list.empty() ? "'" : ", '", name.substr(0, kept),
                    kept < name.size() ? "...'" : "'");
  }
  return list;
}

TableFormat guess_format(std::string_view first_line) {
  if (first_line.starts_with('{')) return TableFormat::jsonl;
  if (first_line.find('\t') != std::string_view::npos) return TableFormat::tsv;
  return first_line.find(',') != std::string_view::npos ? TableFormat::csv : TableFormat::tsv;
}

/// What stands in a JSONL member as a field's text.
std::string text_of(const JsonView& member) {
  const Json& value = member.value();
  if (value.is_null()) return "";
  if (value.is_bool()) return member.as_bool() ? "true" : "false";
  if (!value.is_string()) member.fail("text, a number, true, false or null");
  return member.as_string();
}

Fields cut(std::string_view field, std::string_view separator) {
  Fields parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = field.find(separator, begin)) != std::string_view::npos;) {
    parts.emplace_back(field.substr(begin, end - begin));
    begin = end + separator.size();
  }
  parts.emplace_back(field.substr(begin));
  return parts;
}

Fields as_list(const JsonView& member, std::string_view separator) {
  if (!member.value().is_array()) return cut(text_of(member), separator);
  Fields parts;
  parts.reserve(member.size());
  for (const JsonView& element : member.elements()) parts.push_back(text_of(element));
  return parts;
}

}  // namespace

std::string_view format_name(TableFormat format) {
  return format == TableFormat::csv ? "CSV" : format == TableFormat::tsv ? "TSV" : "JSONL";
}

std::optional<TableFormat> format_of_name(const std::filesystem::path& path) {
  const std::filesystem::path plain = path.extension() == ".gz" ? path.stem() : path;
  const std::string end = plain.extension().string();
  if (end == ".csv") return TableFormat::csv;
  if (end == ".tsv" || end == ".tab") return TableFormat::tsv;
  if (end == ".jsonl" || end == ".ndjson" || end == ".json") return TableFormat::jsonl;
  return std::nullopt;
}

struct TableReader::State {
  State(TextReader reader, const std::filesystem::path& path, std::optional<TableFormat> asked)
      : lines(std::move(reader)) {
    std::string first;
    if (!lines.next(first)) {
      throw FormatError(lines.name() + ": is empty, expected a line with the columns' names");
    }
    if (!asked) asked = format_of_name(path);
    guessed = !asked;
    format = asked ? *asked : guess_format(first);
    if (format == TableFormat::jsonl) {
      if (first.starts_with('[')) {
        throw FormatError(lines.where() +
                          ": the line is an array, expected one object a line (JSONL); jq -c '.[]'"
                          " makes that of an array of objects");
      }
      const JsonDocument document = parse_json(first);
      for (const auto& [key, value] : document.root().members()) columns.emplace_back(key);
      kept_line = std::move(first);
    } else {
      columns = format == TableFormat::csv ? read_csv_record(lines, first) : split_tsv(first);
    }
    if (columns.empty()) throw FormatError(lines.where() + ": has no columns, expected some");
    selected.resize(columns.size());
    std::iota(selected.begin(), selected.end(), std::size_t{0});
  }

  JsonDocument parse_json(std::string_view line) const {
    return JsonDocument::parse(line, lines.where(), JsonDocument::Numbers::as_text);
  }

  /// The next line that is a row. Blank lines end a table; between rows they are an error.
  bool next_line(std::string& line) {
    if (kept_line) {
      line = std::move(*kept_line);
      kept_line.reset();
      return true;
    }
    if (!lines.next(line)) return false;
    if (!line.empty() || (columns.size() == 1 && format != TableFormat::jsonl)) return true;
    const std::string where = lines.where();
    while (lines.next(line)) {
      if (!line.empty()) {
        throw FormatError(where + ": the line is blank, expected a row or the end of the table");
      }
    }
    return false;
  }

  bool next(Row& row) {
    std::string line;
    if (!next_line(line)) return false;
    row.number = ++row_number;
    row.line = lines.line_number();
    row.fields.clear();
    if (format == TableFormat::jsonl) {
      const JsonDocument document = parse_json(line);
      const JsonView object = document.root();
      for (const std::size_t column : selected) {
        row.fields.push_back(text_of(object.at(columns[column])));
      }
      if (list_column) row.list = as_list(object.at(columns[*list_column]), separator);
      return true;
    }
    Fields fields = format == TableFormat::csv ? read_csv_record(lines, line) : split_tsv(line);
    if (fields.size() != columns.size()) {
      throw FormatError(message(lines.name(), ":", row.line, ": the row has ", fields.size(),
                                " fields, expected ", columns.size(), " (", list_of(columns), ")"));
    }
    // Copied, because a column may be selected twice.
    for (const std::size_t column : selected) row.fields.push_back(fields[column]);
    if (list_column) row.list = cut(fields[*list_column], separator);
    return true;
  }

  std::size_t find_column(const std::string& column) const {
    const auto found = std::ranges::find(columns, column);
    if (found == columns.end()) {
      throw FormatError(message(lines.name(), ": has the columns ", list_of(columns),
                                ", expected a column '", column, "'"));
    }
    if (std::find(found + 1, columns.end(), column) != columns.end()) {
      throw FormatError(
          message(lines.name(), ": has the column '", column, "' twice, expected it once"));
    }
    return static_cast<std::size_t>(found - columns.begin());
  }

  TextReader lines;
  TableFormat format = TableFormat::tsv;
  bool guessed = false;
  Fields columns;
  std::vector<std::size_t> selected;
  std::optional<std::size_t> list_column;
  std::string separator;                 // of the list column
  std::optional<std::string> kept_line;  // the first line of JSONL: columns and row in one
  std::size_t row_number = 0;
};

TableReader::TableReader(const std::filesystem::path& path, std::optional<TableFormat> format)
    : state_(std::make_unique<State>(TextReader(path), path, format)) {}
TableReader::TableReader(std::istream& stream, const std::string& name,
                         std::optional<TableFormat> format)
    : state_(std::make_unique<State>(TextReader(stream, name), name, format)) {}
TableReader::~TableReader() = default;
TableReader::TableReader(TableReader&&) noexcept = default;
TableReader& TableReader::operator=(TableReader&&) noexcept = default;

const std::string& TableReader::name() const { return state_->lines.name(); }
TableFormat TableReader::format() const { return state_->format; }
bool TableReader::format_was_guessed() const { return state_->guessed; }
const std::vector<std::string>& TableReader::columns() const { return state_->columns; }

void TableReader::select(std::span<const std::string> names) {
  std::vector<std::size_t> selected;
  for (const std::string& column : names) selected.push_back(state_->find_column(column));
  state_->selected = std::move(selected);
}

void TableReader::select_list(const std::string& name, const std::string& separator) {
  require_value(!separator.empty(), "TableReader: the separator of '", name,
                "' is empty, expected some character");
  state_->list_column = state_->find_column(name);
  state_->separator = separator;
}

bool TableReader::next(Row& row) { return state_->next(row); }

}  // namespace padless
