#!/usr/bin/env python3
"""Runs clang-tidy over a build's files, in parallel.  tidy.py BUILD_FOLDER [PART_OF_A_PATH...]

The build is one by clang (preset "clang"); clang-tidy is what `tools/setup.sh ci` installed. A file that
was clean is not looked at again until its text after the preprocessor, comments included, .clang-tidy or
clang-tidy's version changes.
"""

import hashlib
import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
TIDY = CACHE / "padless-tools" / "bin" / "clang-tidy"
CLEAN = CACHE / "padless-tidy"
SETTINGS = (ROOT / ".clang-tidy").read_bytes() + (ROOT / "tools" / "requirements.txt").read_bytes()


def fingerprint(entry: dict[str, str]) -> str:
    """Of all that clang-tidy's answer for this file depends on."""
    command = shlex.split(entry["command"])
    for option in ("-o", "-MF", "-MT"):
        if option in command:
            at = command.index(option)
            del command[at:at + 2]
    # Without the #line marks (-P), so that another checkout in another folder finds its answers.
    text = subprocess.run([*command, "-E", "-P", "-C"], cwd=entry["directory"],
                          capture_output=True, check=True).stdout
    return hashlib.sha256(text + SETTINGS).hexdigest()


def find_faults(build: str, entry: dict[str, str]) -> str:
    """What clang-tidy says of this file; empty when it is clean."""
    clean = CLEAN / fingerprint(entry)
    if clean.exists():
        clean.touch()  # so that old answers can be told from those in use
        return ""
    tidy = subprocess.run([TIDY, "--quiet", "-p", build, entry["file"]],
                          capture_output=True, text=True, check=False)
    if tidy.returncode == 0:
        clean.touch()
        return ""
    return tidy.stdout + tidy.stderr


def main() -> None:
    build, parts = sys.argv[1], sys.argv[2:]
    entries = [entry for entry in json.loads((Path(build) / "compile_commands.json").read_text())
               if not parts or any(part in entry["file"] for part in parts)]
    CLEAN.mkdir(parents=True, exist_ok=True)
    bad = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for faults in pool.map(lambda entry: find_faults(build, entry), entries):
            if faults:
                bad += 1
                print(faults, flush=True)
    print(f"tidy: {len(entries)} files looked at, {bad} at fault")
    sys.exit(1 if bad or not entries else 0)


if __name__ == "__main__":
    main()
