"""What the checks share: the project's text files, and how a check ends."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Callable

ROOT = Path(__file__).resolve().parent.parent


def project_files() -> list[str]:
    """Paths from the root of what git holds or would add; without git, of all but build folders."""
    git = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=False) if (ROOT / ".git").exists() else None
    if git is not None and git.returncode == 0:
        return sorted(path for path in git.stdout.split("\0") if path and (ROOT / path).is_file())
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in (".git", "build", "__pycache__")]
        found += [os.path.relpath(os.path.join(folder, name), ROOT) for name in names]
    return sorted(found)


def project_texts(wanted: Callable[[str], bool]) -> dict[str, str]:
    """Path -> content of the wanted files; files that are not UTF-8 text are left out."""
    texts = {}
    for path in filter(wanted, project_files()):
        try:
            texts[path] = (ROOT / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            pass
    return texts


def end(name: str, faults: list[str], looked_at: int, at_least: int = 1) -> None:
    """Prints the faults and exits with 1 if there are any, or if too little was looked at."""
    for fault in faults:
        print(fault)
    if looked_at < at_least:
        print(f"{name}: found {looked_at} to look at, expected at least {at_least}")
    print(f"{name}: {looked_at} looked at, {len(faults)} at fault")
    sys.exit(1 if faults or looked_at < at_least else 0)


def expect(name: str, faults: list[str], *parts: str) -> None:
    """For self tests: exactly one fault, which names every part; or none, where no part is given."""
    if len(faults) != (1 if parts else 0) or not all(part in faults[0] for part in parts):
        print(f"{name}: found {faults}, expected {'one with ' + str(parts) if parts else 'none'}")
        sys.exit(1)
