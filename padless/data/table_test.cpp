#include "padless/data/table.h"

#include <gtest/gtest.h>

#include <sstream>

#include "padless/core/error.h"
#include "padless/io/atomic_file.h"
#include "padless/testing/temporary_folder.h"

namespace padless {
namespace {

using Fields = std::vector<std::string>;
using Rows = std::vector<Fields>;

Rows rows_of(TableReader reader, const Fields& columns = {}) {
  if (!columns.empty()) reader.select(columns);
  Rows rows;
  for (TableReader::Row row; reader.next(row);) rows.push_back(row.fields);
  return rows;
}

Rows rows_of(const std::string& text, const std::string& name, const Fields& columns = {}) {
  std::istringstream stream(text);
  return rows_of(TableReader(stream, name), columns);
}

std::string error_of(const std::string& text, const std::string& name, const Fields& columns = {}) {
  try {
    (void)rows_of(text, name, columns);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "no FormatError";
}

TEST(Table, CsvFieldsMayHoldCommasQuotesAndLineBreaks) {
  EXPECT_EQ(rows_of("label,text\r\n\"a\"\"b\",\"x, y\r\n\r\nz\"\r\n,plain\n\"\",\"\"\n", "t.csv"),
            (Rows{{"a\"b", "x, y\n\nz"}, {"", "plain"}, {"", ""}}));
}

TEST(Table, CsvQuotesOutOfPlaceAreRefused) {
  EXPECT_EQ(error_of("a,b\n1,x\"y\n", "t.csv"),
            "t.csv:2: a quote at byte 4 inside a field without quotes, expected the whole field in"
            " quotes and the quote doubled");
  EXPECT_EQ(error_of("a,b\n\"1\"2,x\n", "t.csv"),
            "t.csv:2: \"2,x\" follows a closing quote at byte 4, expected a comma or the end of the"
            " line");
  EXPECT_EQ(
      error_of("a,b\n1,\"x\ny\n", "t.csv"),
      "t.csv:2: a field's opening quote has no closing one up to the file's end, expected it");
}

TEST(Table, ACsvRowHasALimitHoweverManyLinesItTakes) {
  std::string text = "a\n\"";
  for (int i = 0; i < 65; ++i) text += std::string(std::size_t{1} << 20, 'x') + "\n";
  EXPECT_EQ(error_of(text + "\"\n", "t.csv").find("t.csv:2: the row is longer than 67108864"), 0U);
}

TEST(Table, TsvFieldsAreUnescaped) {
  EXPECT_EQ(rows_of("a\tb\n1\\n2\t\\\\\\t\n\"q\"\t\n", "t.tsv"),
            (Rows{{"1\n2", "\\\t"}, {"\"q\"", ""}}));
}

TEST(Table, JsonlKeysAreColumnsInAnyOrder) {
  EXPECT_EQ(rows_of("{\"a\": \"x\\ny\", \"b\": 1.10}\n{\"b\": -7, \"a\": null}\n"
                    "{\"a\": true, \"b\": false}",
                    "t.jsonl"),
            (Rows{{"x\ny", "1.10"}, {"", "-7"}, {"true", "false"}}));
}

TEST(Table, JsonlNeedsOnlyTheSelectedKeys) {
  const std::string text = "{\"a\": \"x\", \"extra\": [1]}\n{\"a\": \"y\", \"new\": {}}\n";
  EXPECT_EQ(rows_of(text, "t.jsonl", {"a"}), (Rows{{"x"}, {"y"}}));
  EXPECT_EQ(error_of(text, "t.jsonl"),
            "t.jsonl:1: 'extra' is an array of 1, expected text, a number, true, false or null");
  EXPECT_EQ(error_of("{\"a\": 1, \"b\": 2}\n{\"b\": 2}\n", "t.jsonl", {"a"}),
            "t.jsonl:2: the document has 'b', expected a member 'a'");
}

TEST(Table, JsonlThatIsNoObjectALineIsRefused) {
  EXPECT_EQ(error_of("[{\"a\": 1}]", "t.json").find("t.json:1: the line is an array"), 0U);
  EXPECT_EQ(error_of("{\"a\": 1}\n{\"a\":\n", "t.jsonl").find("t.jsonl:2: not valid JSON"), 0U);
  EXPECT_EQ(error_of("{\"a\": 1}\n3\n", "t.jsonl"),
            "t.jsonl:2: the document is \"3\", expected an object");
  EXPECT_EQ(error_of("{}\n", "t.jsonl"), "t.jsonl:1: has no columns, expected some");
}

TEST(Table, SelectedColumnsComeInTheOrderAskedFor) {
  EXPECT_EQ(rows_of("a\tb\tc\n1\t2\t3\n", "t.tsv", {"c", "a", "c"}), (Rows{{"3", "1", "3"}}));
}

TEST(Table, AMissingColumnIsAnErrorThatListsThoseThereAre) {
  EXPECT_EQ(error_of("a,b\n1,2\n", "t.csv", {"text"}),
            "t.csv: has the columns 'a', 'b', expected a column 'text'");
  EXPECT_EQ(error_of("a,b,a\n1,2,3\n", "t.csv", {"a"}),
            "t.csv: has the column 'a' twice, expected it once");
  EXPECT_EQ(rows_of("a,b,a\n1,2,3\n", "t.csv", {"b"}), (Rows{{"2"}}));
}

TEST(Table, ListsOfManyColumnsAreCutShort) {
  std::string header = std::string(70, 'x') + "\t" + std::string(59, 'y') + "\u00e9z";
  for (int i = 0; i < 200'000; ++i) header += "\tc" + std::to_string(i);
  std::istringstream in(header + "\n");
  TableReader table(in, "t", TableFormat::tsv);
  try {
    table.select(std::vector<std::string>{"text"});
    FAIL() << "a column was found";
  } catch (const FormatError& error) {
    const std::string what = error.what();
    EXPECT_EQ(what.find("t: has the columns '" + std::string(60, 'x') + "...', '" +
                        std::string(59, 'y') + "\u00e9...', 'c0', 'c1', "),
              0U)
        << what.substr(0, 300);
    EXPECT_TRUE(what.ends_with(", ... (200002 of them), expected a column 'text'"));
    EXPECT_LT(what.size(), 600U);
  }
}

TEST(Table, ARowWithTheWrongNumberOfFieldsIsAnErrorWithItsLine) {
  EXPECT_EQ(error_of("a,b\n\"x\ny\",2\n1,2,3\n", "t.csv"),
            "t.csv:4: the row has 3 fields, expected 2 ('a', 'b')");
  EXPECT_EQ(error_of("a\tb\n1\n", "t.tsv"), "t.tsv:2: the row has 1 fields, expected 2 ('a', 'b')");
}

TEST(Table, BlankLinesEndATableAndAreRefusedInsideIt) {
  EXPECT_EQ(rows_of("a,b\n1,2\n\n\n", "t.csv"), (Rows{{"1", "2"}}));
  EXPECT_EQ(rows_of("{\"a\": 1}\n\n", "t.jsonl"), (Rows{{"1"}}));
  EXPECT_EQ(error_of("a\tb\n1\t2\n\n\n3\t4\n", "t.tsv"),
            "t.tsv:3: the line is blank, expected a row or the end of the table");
}

TEST(Table, ABlankLineOfASingleColumnIsAnEmptyField) {
  EXPECT_EQ(rows_of("text\nx\n\ny\n\n", "t.csv"), (Rows{{"x"}, {""}, {"y"}, {""}}));
  EXPECT_EQ(rows_of("text\n\n", "t.tsv"), (Rows{{""}}));
}

TEST(Table, RowsKnowTheirNumberAndLine) {
  std::istringstream stream("a\n\"1\n2\"\n3\n");
  TableReader reader(stream, "t.csv");
  TableReader::Row row;
  reader.next(row);
  reader.next(row);
  EXPECT_EQ(row.number, 2U);
  EXPECT_EQ(row.line, 4U);
}

TEST(Table, TheFormatIsAskedForOrNamedOrGuessed) {
  EXPECT_EQ(format_of_name("x.csv.gz"), TableFormat::csv);
  EXPECT_EQ(format_of_name("dir.csv/x.tsv"), TableFormat::tsv);
  EXPECT_EQ(format_of_name("x.ndjson"), TableFormat::jsonl);
  EXPECT_EQ(format_of_name("-"), std::nullopt);
  const auto guess = [](const std::string& text) {
    std::istringstream stream(text);
    const TableReader reader(stream, "standard input");
    EXPECT_TRUE(reader.format_was_guessed());
    return reader.format();
  };
  EXPECT_EQ(guess("{\"a\": 1,\t\"b\": 2}"), TableFormat::jsonl);
  EXPECT_EQ(guess("a,b\tc"), TableFormat::tsv);
  EXPECT_EQ(guess("a,b"), TableFormat::csv);
  EXPECT_EQ(guess("a"), TableFormat::tsv);
  std::istringstream stream("a,b\tc");
  const TableReader asked(stream, "x.csv", TableFormat::tsv);
  EXPECT_EQ(asked.columns(), (Fields{"a,b", "c"}));
  EXPECT_FALSE(asked.format_was_guessed());
}

TEST(Table, AnEmptyFileIsRefusedAndAHeaderAloneHasNoRows) {
  EXPECT_EQ(error_of("", "t.csv"), "t.csv: is empty, expected a line with the columns' names");
  EXPECT_EQ(rows_of("a,b\n", "t.csv"), Rows{});
}

TEST(Table, ReadsAFile) {
  const TemporaryFolder folder;
  write_file(folder / "t.csv", "a,b\n1,2\n");
  EXPECT_EQ(rows_of(TableReader(folder / "t.csv")), (Rows{{"1", "2"}}));
  EXPECT_THROW(TableReader(folder / "none.csv"), IoError);
}

}  // namespace
}  // namespace padless
