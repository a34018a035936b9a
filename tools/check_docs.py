#!/usr/bin/env python3
"""Pages tell the truth: marked code blocks equal their file, links between files lead somewhere.

A block is marked by a comment on the line before its fence:  <!-- example: docs/examples/errors.cpp -->
"""

import os.path
import re
import sys

from checklib import end, expect, project_files, project_texts

MARKED = re.compile(r"^<!-- example: (\S+) -->\n+```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MARK = re.compile(r"<!-- example:")
LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)[^)]*\)")
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def find_faults(pages: dict[str, str], files: dict[str, str]) -> list[str]:
    """`files` are all files by path; a content is needed only where a block is marked with it."""
    faults = []
    for path, page in pages.items():
        blocks = list(MARKED.finditer(page))
        if len(blocks) != len(MARK.findall(page)):
            faults.append(f"{path}: {len(MARK.findall(page))} marks but {len(blocks)} blocks after them")
        for block in blocks:
            line = page.count("\n", 0, block.start()) + 1
            if block[1] not in files:
                faults.append(f"{path}:{line}: there is no {block[1]}")
            elif block[2] != files[block[1]]:
                faults.append(f"{path}:{line}: the block differs from {block[1]}; copy the file's text")
        for link in LINK.finditer(FENCED.sub("", page)):
            target = os.path.normpath(os.path.join(os.path.dirname(path), link[1]))
            if not any(file == target or file.startswith(target + "/") for file in files):
                faults.append(f"{path}: the link to {link[1]} leads nowhere")
    return faults


def self_test() -> None:
    files = {"docs/examples/x.cpp": "int x;\n", "docs/a.md": "", "README.md": ""}

    def faults(page: str) -> list[str]:
        return find_faults({"docs/a.md": page}, files)

    mark = "<!-- example: docs/examples/x.cpp -->\n"
    expect("equal", faults(f"{mark}```cpp\nint x;\n```\n"))
    expect("different", faults(f"text\n{mark}```cpp\nint y;\n```\n"), "docs/a.md:2", "differs")
    expect("a line more", faults(f"{mark}```cpp\nint x;\nint y;\n```\n"), "differs")
    expect("no such file", faults("<!-- example: docs/gone.cpp -->\n```cpp\n```\n"), "docs/gone.cpp")
    expect("a mark without a block", faults(f"{mark}text"), "1 marks but 0 blocks")
    expect("good links", faults("[a](examples/) [b](../README.md#top) [c](https://x.org) [d](#top)"))
    expect("a dead link", faults("[a](examples/gone.cpp)"), "examples/gone.cpp")


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    else:
        pages = project_texts(lambda path: path.endswith(".md"))
        contents = project_texts(lambda path: path.startswith("docs/examples/"))
        end("check_docs", find_faults(pages, dict.fromkeys(project_files(), "") | contents), len(pages))
