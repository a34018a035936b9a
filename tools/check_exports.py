#!/usr/bin/env python3
"""A shared libpadless shows padless's public names and nothing else.  check_exports.py LIBRARY

Not the private rooms' (kernels, reference, study, testing, cli), and no weak copy of a standard or JSON
template, which would be merged with the user's own. Every function that padless/padless.h reaches and
whose body is elsewhere is marked PADLESS_API.
"""

import re
import subprocess
import sys

from checklib import ROOT, end, expect

OURS = re.compile(r"_Z(?:T[ISVT]|Th\w*?_|Tv\w*?_)?NK?7padless")
PRIVATE = re.compile(r"_Z(?:T[ISVT]|Th\w*?_|Tv\w*?_)?NK?7padless"
                     r"(?:7kernels|9reference|5study|7testing|3cli)")

INCLUDE = re.compile(r'^#include "(padless/[^"]+)"', re.MULTILINE)
# A declaration at the beginning of a line, up to the bracket of its arguments.
FUNCTION = re.compile(r"^(?:\[\[\w+\]\] )?([A-Za-z_][\w:<>,&* ]*?[&*]? ?\b(\w+))\(", re.MULTILINE)
# Their bodies are in the header, or they are no functions.
NO_NEED = re.compile(r"PADLESS_API |(?:inline|constexpr|static|friend|using|template|struct|class|requires)\b")


def public_headers() -> dict[str, str]:
    """Path -> content of padless/padless.h and of all that it includes, directly or not."""
    headers, todo = {}, ["padless/padless.h"]
    while todo:
        path = todo.pop()
        if path not in headers:
            headers[path] = (ROOT / path).read_text(encoding="utf-8")
            todo += INCLUDE.findall(headers[path])
    return headers


def find_hidden(headers: dict[str, str]) -> list[str]:
    """The functions that a user of the shared library cannot call."""
    faults = []
    for path, text in sorted(headers.items()):
        for match in FUNCTION.finditer(text):
            before = text[:match.start()].rsplit("\n", 2)[-2:][0]
            if not NO_NEED.match(match[1]) and not NO_NEED.match(before):
                line = text.count("\n", 0, match.start()) + 1
                faults.append(f"{path}:{line}: {match[2]} is public, expected PADLESS_API before it")
    return faults


def find_faults(listing: str) -> list[str]:
    """`listing` is what `nm -D --defined-only --format=posix` prints: name, letter, value, size."""
    faults = []
    for symbol in (line.split()[0] for line in listing.splitlines()):
        if PRIVATE.match(symbol):
            faults.append(f"{symbol}: of a private room; take PADLESS_API away")
        elif not OURS.match(symbol):
            faults.append(f"{symbol}: not padless's own; cmake/padless.map lets it through")
    return faults


def self_test() -> None:
    good = "_ZN7padless8SegmentsC1Ev T 0 1\n_ZTIN7padless5ErrorE V 0 1\n_ZNK7padless5Error4whatEv T 0 1"
    expect("public names", find_faults(good))
    expect("a kernel", find_faults(good + "\n_ZN7padless7kernels5tableEv T 0 1"), "kernels", "private")
    expect("a standard template", find_faults("_ZNSt6vectorIfSaIfEED1Ev W 0 1"), "vector", "not padless")
    expect("a function that is marked", find_hidden({"a.h": "PADLESS_API void f(int x);\n"}))
    expect("bodies in a header", find_hidden({"a.h": "inline int f() {\ntemplate <class T>\nT g(T t) {\n"}))
    expect("a function that is not marked", find_hidden({"a.h": "/// Long.\nvoid f(int x,\n       int y);\n"}),
           "a.h:2", "f is public")
    expect("a template over ours", find_faults("_ZNSt6vectorIN7padless5ErrorEED1Ev W 0 1"), "not padless")


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    else:
        nm = subprocess.run(["nm", "-D", "--defined-only", "--format=posix", sys.argv[1]],
                            capture_output=True, text=True, check=True)
        end("check_exports", find_faults(nm.stdout) + find_hidden(public_headers()),
            len(nm.stdout.splitlines()))
