#!/usr/bin/env python3
"""Every *_test.cpp, and every example, is a test that ctest knows.  check_tests.py BUILD_FOLDER"""

import json
import subprocess
import sys

from checklib import end, expect, project_files


def test_name(path: str) -> str | None:
    """The test that this file must be: padless/ops/linear_test.cpp is "ops/linear"."""
    if path.startswith("padless/") and path.endswith("_test.cpp"):
        return path.removeprefix("padless/").removesuffix("_test.cpp")
    if path.startswith("docs/examples/") and path.endswith(".cpp"):
        return path.removeprefix("docs/").removesuffix(".cpp")
    return None


def find_faults(files: list[str], registered: set[str]) -> list[str]:
    return [f"{path}: there is no test {name}; register it in the CMakeLists.txt of its folder"
            for path in files if (name := test_name(path)) and name not in registered]


def registered_in(build: str) -> set[str]:
    listing = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"],
                             capture_output=True, text=True, check=True)
    return {test["name"] for test in json.loads(listing.stdout)["tests"]}


def self_test() -> None:
    files = ["padless/ops/linear.cpp", "padless/ops/linear_test.cpp", "docs/examples/quick.cpp"]
    expect("all there", find_faults(files, {"ops/linear", "examples/quick"}))
    expect("a test missing", find_faults(files, {"examples/quick"}), "linear_test.cpp", "ops/linear")
    expect("an example missing", find_faults(files, {"ops/linear"}), "examples/quick")


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    else:
        paths = [path for path in project_files() if test_name(path)]
        end("check_tests", find_faults(paths, registered_in(sys.argv[1])), len(paths))
