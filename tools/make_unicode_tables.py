#!/usr/bin/env python3
"""Writes the Unicode tables of the room text, and the test tables that judge them.

    tools/make_unicode_tables.py           writes the files
    tools/make_unicode_tables.py --check   compares them with what it would write: 0 same, 1 not,
                                           77 Unicode's files are not on this machine

Reads Unicode's own files, of one version: Debian's package unicode-data puts them under
/usr/share/unicode. Which characters make a word is part of what padless promises, so a text must
give the same words on every machine: another version is refused.
"""
import argparse
import hashlib
import pathlib
import re
import sys

VERSION = "15.0.0"
# UnicodeData.txt does not say its version.
UNICODE_DATA_SHA256 = "806e9aed65037197f1ec85e12be6e8cd870fc5608b4de0fffd990f689f376a73"
COMMAND = "tools/make_unicode_tables.py"
REPO = pathlib.Path(__file__).resolve().parent.parent
CODE_POINTS = 0x110000
BLOCK = 128
NOT_INSTALLED = 77

NOTICE = """\
Made by {command} from the Unicode Character Database, version {version}. Do not edit.
The data are modified: reduced to what padless needs, and arranged as tables.

COPYRIGHT AND PERMISSION NOTICE

Copyright © 1991-2022 Unicode, Inc. All rights reserved.
Distributed under the Terms of Use in https://www.unicode.org/copyright.html.

Permission is hereby granted, free of charge, to any person obtaining a copy of the Unicode data
files and any associated documentation (the "Data Files") or Unicode software and any associated
documentation (the "Software") to deal in the Data Files or Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute, and/or
sell copies of the Data Files or Software, and to permit persons to whom the Data Files or
Software are furnished to do so, provided that either
(a) this copyright and permission notice appear with all copies of the Data Files or Software, or
(b) this copyright and permission notice appear in associated Documentation.

THE DATA FILES AND SOFTWARE ARE PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR
PURPOSE AND NONINFRINGEMENT OF THIRD PARTY RIGHTS.
IN NO EVENT SHALL THE COPYRIGHT HOLDER OR HOLDERS INCLUDED IN THIS NOTICE BE LIABLE FOR ANY CLAIM,
OR ANY SPECIAL INDIRECT OR CONSEQUENTIAL DAMAGES, OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF
USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION,
ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THE DATA FILES OR SOFTWARE.

Except as contained in this notice, the name of a copyright holder shall not be used in
advertising or otherwise to promote the sale, use or other dealings in these Data Files or
Software without prior written authorization of the copyright holder.
""".format(command=COMMAND, version=VERSION)

WORD_BREAKS = ("Other", "CR", "LF", "Newline", "Extend", "ZWJ", "Format", "Regional_Indicator",
               "Katakana", "Hebrew_Letter", "ALetter", "Single_Quote", "Double_Quote", "MidNumLet",
               "MidLetter", "MidNum", "Numeric", "ExtendNumLet", "WSegSpace")
SENTENCE_BREAKS = ("Other", "CR", "LF", "Sep", "Extend", "Format", "Sp", "Lower", "Upper",
                   "OLetter", "Numeric", "ATerm", "SContinue", "STerm", "Close")


def enumerator(name):
    """regional_indicator of Regional_Indicator; cr and zwj of CR and ZWJ; a_letter of ALetter."""
    words = (word if word.isupper() else re.sub("(?<=[A-Za-z])(?=[A-Z])", "_", word)
             for word in name.split("_"))
    return "_".join(words).lower()


def comment(text, mark):
    return "".join((mark + " " + line).rstrip() + "\n" for line in text.splitlines())


class Source:
    """The folder of Unicode's files."""

    def __init__(self, folder):
        self.folder = folder
        digest = hashlib.sha256((folder / "UnicodeData.txt").read_bytes()).hexdigest()
        if digest != UNICODE_DATA_SHA256:
            sys.exit(f"{folder}/UnicodeData.txt: not the file of Unicode {VERSION}")

    def text(self, name):
        """The whole file, once it has said that it is of the right version."""
        text = (self.folder / name).read_text(encoding="utf-8")
        stem = re.escape(pathlib.Path(name).stem)
        short = re.escape(VERSION.removesuffix(".0"))
        in_name = rf"# {stem}-{re.escape(VERSION)}\.txt\n"
        in_comment = rf"# {stem}\.txt\n(#.*\n)*# .*Version {short} "  # the emoji files
        if not re.match(f"{in_name}|{in_comment}", text):
            sys.exit(f"{self.folder / name}: not of Unicode {VERSION}, which padless is bound to")
        return text

    def fields(self, name):
        """The lines that hold data, cut at the semicolons, without comments."""
        for line in self.text(name).splitlines():
            line = line.split("#")[0].strip()
            if line:
                yield [field.strip() for field in line.split(";")]

    def property(self, name):
        """(code point, value) for each code point that a property file lists."""
        for code_points, value, *_ in self.fields(name):
            first, _, last = code_points.partition("..")
            for code_point in range(int(first, 16), int(last or first, 16) + 1):
                yield code_point, value

    def unicode_data(self):
        """(code point, fields) for each assigned code point; ranges are written out."""
        first = None
        for line in (self.folder / "UnicodeData.txt").read_text(encoding="ascii").splitlines():
            fields = line.split(";")
            code_point = int(fields[0], 16)
            if fields[1].endswith(", First>"):
                first = code_point
                continue
            for each in range(code_point if first is None else first, code_point + 1):
                yield each, fields
            first = None


def having(source, name, *values):
    return {code_point for code_point, value in source.property(name) if value in values}


def lower_cases(source):
    """code point -> its lower case: UnicodeData's, or SpecialCasing's without condition."""
    lower = {code_point: (int(fields[13], 16),) for code_point, fields in source.unicode_data()
             if fields[13]}
    for fields in source.fields("SpecialCasing.txt"):
        conditional = len(fields) > 5
        code_point, to = int(fields[0], 16), tuple(int(each, 16) for each in fields[1].split())
        if not conditional and to != (code_point,):
            lower[code_point] = to
    return lower


def lower_ranges(pairs):
    """Sorted (code point, lower) -> [first, last, stride, delta]: as few as a greedy walk finds."""
    ranges = []
    for code_point, lower in pairs:
        delta = lower - code_point
        if ranges:
            first, last, stride, last_delta = ranges[-1]
            step = code_point - last
            if delta == last_delta and (step == stride or (first == last and step <= 2)):
                ranges[-1] = [first, code_point, step, delta]
                continue
        ranges.append([code_point, code_point, 1, delta])
    return ranges


def records(source, lower):
    """For each code point its record, with the fields of CharacterRecord."""
    word_break = dict(source.property("auxiliary/WordBreakProperty.txt"))
    sentence_break = dict(source.property("auxiliary/SentenceBreakProperty.txt"))
    pictographic = having(source, "emoji/emoji-data.txt", "Extended_Pictographic")
    cased = having(source, "DerivedCoreProperties.txt", "Cased")
    case_ignorable = having(source, "DerivedCoreProperties.txt", "Case_Ignorable")
    alphabetic = having(source, "DerivedCoreProperties.txt", "Alphabetic")
    numbers = {code_point for code_point, fields in source.unicode_data() if fields[2][0] == "N"}
    flags = having(source, "PropList.txt", "Regional_Indicator")
    attached = {code_point for code_point, value in word_break.items()
                if value in ("Extend", "Format", "ZWJ")}
    word_characters = (alphabetic | numbers | pictographic | flags) - attached
    for code_point in range(CODE_POINTS):
        yield (WORD_BREAKS.index(word_break.get(code_point, "Other")),
               SENTENCE_BREAKS.index(sentence_break.get(code_point, "Other")),
               code_point in word_characters, code_point in pictographic, code_point in cased,
               code_point in case_ignorable, code_point in lower)


def numbers_in_lines(numbers):
    """The numbers of an array, wrapped at 100 columns."""
    lines = [" "]
    for number in numbers:
        item = f" {number},"
        if len(lines[-1]) + len(item) > 100:
            lines.append(" ")
        lines[-1] += item
    return "\n".join(lines)


def enum(name, values, about):
    lines = numbers_in_lines(enumerator(value) for value in values)
    return f"/// {about}\nenum class {name} : std::uint8_t {{\n{lines}\n}};\n"


def make_header(sizes):
    return f"""\
// clang-format off
// Made by {COMMAND} from the Unicode Character Database, version {VERSION}.
// Do not edit. Unicode's copyright and permission notice: padless/text/unicode_tables.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace padless::unicode {{

/// The version of Unicode that says what a word, a sentence and a lower-case letter is.
inline constexpr std::string_view kVersion = "{VERSION}";

{enum("WordBreak", WORD_BREAKS, "The property Word_Break (UAX #29, table 3).")}
{enum("SentenceBreak", SENTENCE_BREAKS, "The property Sentence_Break (UAX #29, table 4).")}
/// What padless asks of a character. Many characters share a record.
struct CharacterRecord {{
  WordBreak word_break;
  SentenceBreak sentence_break;
  /// Makes a segment a word: Alphabetic, a number, Extended_Pictographic or Regional_Indicator, and
  /// not one that merely attaches to the character before it (Word_Break Extend, Format, ZWJ).
  bool is_word_character;
  bool is_pictographic;    ///< Extended_Pictographic
  bool is_cased;           ///< Cased
  bool is_case_ignorable;  ///< Case_Ignorable
  bool has_lower_case;     ///< its lower case is another text than itself
}};

/// From code point to record: kRecords[kBlocks[kBlockOf[c / kBlockSize]][c % kBlockSize]].
inline constexpr std::size_t kBlockSize = {BLOCK};
extern const std::uint8_t kBlockOf[{sizes["block_of"]}];
extern const std::uint8_t kBlocks[{sizes["blocks"]}][kBlockSize];
extern const CharacterRecord kRecords[{sizes["records"]}];

/// Each stride-th code point from first to last has the lower case code point + delta. Sorted.
struct LowerRange {{
  char32_t first, last;
  std::uint32_t stride;
  std::int32_t delta;
}};
extern const LowerRange kLowerRanges[{sizes["ranges"]}];

/// The characters whose lower case is two characters, not in kLowerRanges.
struct LowerPair {{
  char32_t from, to[2];
}};
extern const LowerPair kLowerPairs[{sizes["pairs"]}];

}}  // namespace padless::unicode
"""


def make_tables(source):
    lower = lower_cases(source)
    if any(len(to) > 2 for to in lower.values()):
        sys.exit("SpecialCasing.txt: a lower case of three characters, LowerPair holds two")
    ranges = lower_ranges(sorted((c, to[0]) for c, to in lower.items() if len(to) == 1))
    pairs = sorted((c, *to) for c, to in lower.items() if len(to) == 2)

    record_ids, block_ids, block_of = {}, {}, []
    of_code_points = [record_ids.setdefault(record, len(record_ids))
                      for record in records(source, lower)]
    for begin in range(0, CODE_POINTS, BLOCK):
        block = tuple(of_code_points[begin:begin + BLOCK])
        block_of.append(block_ids.setdefault(block, len(block_ids)))
    if max(len(record_ids), len(block_ids)) > 256:
        sys.exit("the tables have grown: a record or block number does not fit a byte any more")

    record_lines = "\n".join(
        f"  {{WordBreak::{enumerator(WORD_BREAKS[word])}, "
        f"SentenceBreak::{enumerator(SENTENCE_BREAKS[sentence])}, "
        + ", ".join("true" if flag else "false" for flag in flags) + "},"
        for word, sentence, *flags in record_ids)
    block_lines = "\n".join(f"  {{\n{numbers_in_lines(block)}\n  }}," for block in block_ids)
    range_lines = "\n".join(f"  {{0x{first:04X}, 0x{last:04X}, {stride}, {delta}}},"
                            for first, last, stride, delta in ranges)
    pair_lines = "\n".join(f"  {{0x{c:04X}, {{0x{a:04X}, 0x{b:04X}}}}}," for c, a, b in pairs)
    sizes = {"block_of": len(block_of), "blocks": len(block_ids), "records": len(record_ids),
             "ranges": len(ranges), "pairs": len(pairs)}
    body = f"""\
// clang-format off
{comment(NOTICE, "//")}#include "padless/text/unicode_tables.h"

namespace padless::unicode {{

const std::uint8_t kBlockOf[{len(block_of)}] = {{
{numbers_in_lines(block_of)}
}};

const std::uint8_t kBlocks[{len(block_ids)}][kBlockSize] = {{
{block_lines}
}};

const CharacterRecord kRecords[{len(record_ids)}] = {{
{record_lines}
}};

const LowerRange kLowerRanges[{len(ranges)}] = {{
{range_lines}
}};

const LowerPair kLowerPairs[{len(pairs)}] = {{
{pair_lines}
}};

}}  // namespace padless::unicode
"""
    return make_header(sizes), body


def make_test_table(source, name):
    """Unicode's test lines without their comments; the count of lines is kept."""
    text = source.text(name)
    lines = [line.split("#")[0].strip() for line in text.splitlines()]
    lines = [line for line in lines if line]
    stated = int(re.search(r"^# Lines: (\d+)$", text, re.MULTILINE).group(1))
    if stated != len(lines):
        sys.exit(f"{name}: {len(lines)} lines, it says {stated}")
    return (comment(NOTICE, "#") + "#\n# A line is a text: code points, × no break, ÷ a break.\n"
            + f"# Lines: {len(lines)}\n" + "\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--source", type=pathlib.Path, default=pathlib.Path("/usr/share/unicode"),
                        help="folder of Unicode's files")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    options = parser.parse_args()
    if not (options.source / "UnicodeData.txt").is_file():
        print(f"{options.source}: no UnicodeData.txt (Debian: package unicode-data, of bookworm)",
              file=sys.stderr)
        return NOT_INSTALLED if options.check else 1

    source = Source(options.source)
    header, body = make_tables(source)
    outputs = {
        "padless/text/unicode_tables.h": header,
        "padless/text/unicode_tables.cpp": body,
        "testdata/unicode/word_break.txt":
            make_test_table(source, "auxiliary/WordBreakTest.txt"),
        "testdata/unicode/sentence_break.txt":
            make_test_table(source, "auxiliary/SentenceBreakTest.txt"),
    }
    different = [name for name, text in outputs.items()
                 if not (REPO / name).is_file()
                 or (REPO / name).read_text(encoding="utf-8") != text]
    if options.check:
        for name in different:
            print(f"{name}: not what {COMMAND} writes", file=sys.stderr)
        return 1 if different else 0
    for name in different:
        (REPO / name).parent.mkdir(parents=True, exist_ok=True)
        (REPO / name).write_text(outputs[name], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
