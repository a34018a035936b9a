#!/usr/bin/env python3
"""The project speaks of itself alone: no issue numbers, no folders of one machine, no hosts."""

import re
import sys

from checklib import end, expect, project_texts

# (what it is, how it looks). Two digits at most after a bare '#': three are a colour; and Unicode
# numbers its annexes, as in UAX #29.
REFUSED = [
    ("an issue's number", re.compile(r"\b(?:issues?|tickets?|pull requests?)\s+#?\d+", re.I)),
    ("an issue's number", re.compile(r"(?<![\w&#/])(?<!U[AT][XSR] )#\d{1,2}(?![\w.])")),
    ("a work session", re.compile(r"\bsessions?\b", re.I)),
    ("a folder of one machine", re.compile(r"(?<![\w.)}~-])/(?:work|tmp|root|home)/\w")),
    ("a host that packages come from",
     re.compile(r"https?://(?:deb|archive|security|ports|snapshot|files|ftp)[.\w]*\.\w")),
]

# path -> kinds allowed in it, each with its reason.
ALLOWED = {
    "tools/check_words.py": {kind for kind, _ in REFUSED},  # it says what it refuses
}


def find_faults(texts: dict[str, str]) -> list[str]:
    faults = []
    for path, text in texts.items():
        for kind, look in REFUSED:
            if kind in ALLOWED.get(path, set()):
                continue
            for found in look.finditer(text):
                line = text.count("\n", 0, found.start()) + 1
                faults.append(f"{path}:{line}: '{found[0]}' reads like {kind}; say the reason itself")
    return faults


def self_test() -> None:
    def faults(text: str) -> list[str]:
        return find_faults({"docs/x.md": text})

    expect("a number", faults("one\nas issue 3 asks"), "docs/x.md:2", "issue 3")
    expect("a bare number", faults("see #12 for more"), "#12")
    expect("a Unicode annex", faults("by the rules of UAX #29"))
    expect("a colour", faults('fill="#333" stroke="#0072b2" background: #11aa22'))
    expect("a session", faults("written in this Session"), "Session")
    expect("a machine's folder", faults("cd /" + "work/main"), "/work/m")
    expect("a path below our own", faults("build/work/x, ${ROOT}/work/x, <prefix>/lib, ~/work/x"))
    expect("a host", faults("URIs: http://deb.example.org/debian"), "deb")
    expect("a name space", faults('xmlns="http://www.w3.org/2000/svg"'))
    expect("an allowed place", find_faults({"tools/check_words.py": "issue 3"}))


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    else:
        texts = project_texts(lambda path: path != "LICENSE")
        end("check_words", find_faults(texts), len(texts))
