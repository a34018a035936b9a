#!/usr/bin/env python3
"""A shared libpadless shows padless's public names and nothing else.  check_exports.py LIBRARY

Not the private rooms' (kernels, reference, study, testing, cli), and no weak copy of a standard or JSON
template, which would be merged with the user's own.
"""

import re
import subprocess
import sys

from checklib import end, expect

OURS = re.compile(r"_Z(?:T[ISVT]|Th\w*?_|Tv\w*?_)?NK?7padless")
PRIVATE = re.compile(r"_Z(?:T[ISVT]|Th\w*?_|Tv\w*?_)?NK?7padless"
                     r"(?:7kernels|9reference|5study|7testing|3cli)")


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
    expect("a template over ours", find_faults("_ZNSt6vectorIN7padless5ErrorEED1Ev W 0 1"), "not padless")


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    else:
        nm = subprocess.run(["nm", "-D", "--defined-only", "--format=posix", sys.argv[1]],
                            capture_output=True, text=True, check=True)
        end("check_exports", find_faults(nm.stdout), len(nm.stdout.splitlines()))
