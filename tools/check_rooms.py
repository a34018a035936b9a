#!/usr/bin/env python3
"""Includes point down: who may include whom, and which room may include another's library."""

import re
import sys

from checklib import end, expect, project_texts

# Every room may also include itself and core.
MAY_INCLUDE = {
    "core": "",
    "batch": "",
    "kernels": "",
    "io": "",
    "reference": "batch",
    "viz": "batch",
    "data": "io",
    "text": "io",
    "ops": "batch kernels",
    "layers": "batch ops",
    "models": "batch layers ops",
    "train": "batch data io layers models ops text",
    "testing": "batch kernels layers reference",
}
MAY_INCLUDE["study"] = "batch data io layers models ops reference text train viz"
MAY_INCLUDE["cli"] = MAY_INCLUDE["study"].replace("reference ", "") + " study"
# The front page, padless/padless.h, names what is installed.
MAY_INCLUDE["padless.h"] = "batch data io layers models ops text train viz"
# docs/examples: what a user can include.
MAY_INCLUDE["examples"] = MAY_INCLUDE["padless.h"] + " padless.h"

# What tests alone compile: a test, and what several of a room share.
OF_TESTS = ("_test.cpp", "_for_test.h")

# Tests and benchmarks, beside their room's list.
FOR_PROOF = {"testing", "reference"}

# The one place of each outside library, by the beginning of the include.
LIBRARIES = {
    "hwy/": lambda room, path: room == "kernels",
    "nlohmann/": lambda room, path: room == "io",
    "zlib.h": lambda room, path: room == "io",
    "CLI/": lambda room, path: room == "cli",
    "gtest/": lambda room, path: path.endswith(OF_TESTS) or room == "testing",
    "gmock/": lambda room, path: path.endswith(OF_TESTS) or room == "testing",
    "benchmark/": lambda room, path: path.endswith("_bench.cpp"),
}
# The operating system's and the processor's headers; the C++ library's have neither dot nor slash.
SYSTEM = re.compile(r"(sys|linux|asm|netinet|arpa|net)/\w+\.h|(\w+intrin|arm_neon|cpuid)\.h|"
                    r"(cxxabi|dirent|errno|fcntl|fenv|langinfo|poll|pthread|sched|signal|spawn|stdlib|"
                    r"string|termios|time|unistd)\.h")

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)


def room_of(path: str) -> str:
    return path.split("/")[1]


def fault_of(path: str, included: str, quoted: bool, known: set[str]) -> str | None:
    """What is wrong with this include, or None."""
    room = room_of(path)
    for beginning, allowed in LIBRARIES.items():
        if included.startswith(beginning):
            return None if allowed(room, path) else f"the room {room} may not include this library"
    if not included.startswith("padless/"):
        if quoted:
            return "expected a path from the root, padless/ROOM/NAME.h"
        if re.fullmatch(r"\w+", included) or SYSTEM.fullmatch(included):
            return None
        return "a library that no room is said to include; add it to tools/check_rooms.py"
    if included not in known:
        return "there is no such file"
    other = room_of(included)
    allowed = {room, "core", *MAY_INCLUDE[room].split()}
    if path.endswith((*OF_TESTS, "_bench.cpp")):
        allowed |= FOR_PROOF
    if path == "padless/kernels/scalar.cpp":  # it fills the scalar table from the reference
        allowed.add("reference")
    if other in allowed:
        return None
    return f"the room {room} may include {', '.join(sorted(allowed))}"


def find_faults(texts: dict[str, str]) -> list[str]:
    known = set(texts)
    faults = []
    for path, text in texts.items():
        if room_of(path) not in MAY_INCLUDE:
            faults.append(f"{path}: the room {room_of(path)} is unknown; add it to tools/check_rooms.py")
            continue
        for include in INCLUDE.finditer(text):
            fault = fault_of(path, include[2], include[1] == '"', known)
            if fault:
                line = text.count("\n", 0, include.start()) + 1
                faults.append(f"{path}:{line}: includes {include[2]}: {fault}")
    return faults


def self_test() -> None:
    rooms = [room for room in MAY_INCLUDE if room not in ("padless.h", "examples")]
    tree = {f"padless/{room}/x.h": "" for room in rooms} | {"padless/padless.h": ""}

    def faults(path: str, *lines: str) -> list[str]:
        return find_faults(tree | {path: "\n".join(lines)})

    expect("down", faults("padless/ops/x.cpp", '#include "padless/kernels/x.h"', "#include <span>"))
    expect("up", faults("padless/kernels/x.cpp", "", '#include "padless/ops/x.h"'),
           "padless/kernels/x.cpp:2", "ops/x.h", "may include core, kernels")
    expect("a header too", faults("padless/core/y.h", '#  include "padless/batch/x.h"'), "core/y.h:1")
    expect("reference in a kernel", faults("padless/kernels/gru.cpp",
                                           '#include "padless/reference/x.h"'), "reference")
    expect("the scalar table", faults("padless/kernels/scalar.cpp", '#include "padless/reference/x.h"'))
    expect("a test", faults("padless/ops/x_test.cpp", '#include "padless/testing/x.h"',
                            '#include "padless/reference/x.h"', "#include <gtest/gtest.h>"))
    expect("what tests share", faults("padless/cli/x_for_test.h", '#include "padless/testing/x.h"',
                                      "#include <gtest/gtest.h>"))
    expect("a test upwards", faults("padless/ops/x_test.cpp", '#include "padless/layers/x.h"'), "layers")
    expect("gtest outside", faults("padless/ops/x.cpp", "#include <gtest/gtest.h>"), "gtest")
    expect("JSON outside", faults("padless/models/x.cpp", "#include <nlohmann/json.hpp>"), "nlohmann")
    expect("JSON at home", faults("padless/io/json.cpp", "#include <nlohmann/json.hpp>"))
    expect("Highway outside", faults("padless/ops/x.cpp", '#include "hwy/highway.h"'), "hwy")
    expect("the command below", faults("padless/study/x.cpp", '#include "padless/cli/x.h"'), "cli")
    expect("reference in the command", faults("padless/cli/x.cpp", '#include "padless/reference/x.h"'),
           "reference")
    expect("an unknown library", faults("padless/ops/x.cpp", "#include <Eigen/Dense>"), "Eigen")
    expect("not from the root", faults("padless/ops/x.cpp", '#include "x.h"'), "from the root")
    expect("no such file", faults("padless/ops/x.cpp", '#include "padless/ops/gone.h"'), "no such file")
    expect("an unknown room", find_faults({"padless/attic/x.h": ""}), "attic", "unknown")
    expect("the front page", faults("padless/padless.h", '#include "padless/kernels/x.h"'), "padless.h")
    expect("an example", faults("docs/examples/x.cpp", '#include "padless/padless.h"'))
    expect("a private room in an example", faults("docs/examples/x.cpp",
                                                  '#include "padless/study/x.h"'), "study")


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    else:
        sources = project_texts(lambda path: path.startswith(("padless/", "docs/examples/")) and
                                path.endswith((".h", ".cpp", ".inc")))
        end("check_rooms", find_faults(sources), len(sources))
