#!/bin/sh
# tools/setup.sh [ci]: installs the distribution packages (Debian 12, Ubuntu 24.04 or later) that
# building and testing need, and that are missing; says nothing where none is. "ci" adds the other
# compiler and the checkers that .ci/run uses, one of them from PyPI.
set -eu
cd "$(dirname "$0")/.."

libraries="libhwy-dev nlohmann-json3-dev zlib1g-dev libcli11-dev libgtest-dev libbenchmark-dev"
ci="ccache clang-format-14 clang-16 libclang-rt-16-dev pkg-config python3-venv unicode-data"

missing=
# A tool counts as there in whatever way it came; a library counts by its package.
for tool in g++:g++ cmake:cmake ninja:ninja-build python3:python3; do
  command -v "${tool%%:*}" >/dev/null || missing="$missing ${tool#*:}"
done
if command -v dpkg-query >/dev/null; then
  wanted=$libraries
  if [ "${1:-}" = ci ]; then wanted="$wanted $ci"; fi
  # shellcheck disable=SC2086  # a list of words
  installed=$(dpkg-query -W -f '${db:Status-Abbrev}${Package};' $wanted 2>/dev/null || true)
  for package in $wanted; do
    case "$installed" in
      *"i $package;"*) ;;
      *) missing="$missing $package" ;;
    esac
  done
elif [ -n "$missing" ]; then
  echo "setup: the packages$missing ($libraries) are needed, and this system has no dpkg." >&2
  echo "setup: install their like by hand, then run this again." >&2
  exit 1
fi

if [ -n "$missing" ]; then
  sudo=
  if [ "$(id -u)" -ne 0 ]; then
    sudo=sudo
    if ! command -v sudo >/dev/null; then
      echo "setup: packages are missing and there is no sudo to install them with; as root, run" >&2
      echo "  apt-get update && apt-get install --no-install-recommends$missing" >&2
      exit 1
    fi
  fi
  echo "setup: installing$missing"
  # shellcheck disable=SC2086  # sudo may be no word, missing is a list of them
  {
    $sudo apt-get update -qq
    $sudo env DEBIAN_FRONTEND=noninteractive \
      apt-get install -qq -o Dpkg::Use-Pty=0 --no-install-recommends $missing >/dev/null
  }
fi

# at_least NAME FOUND WANTED: compares versions.
at_least() {
  lowest=$(printf '%s\n%s\n' "$2" "$3" | sort -V | head -n 1)
  if [ "$lowest" != "$3" ]; then
    echo "setup: $1 is version $2, expected $3 or later (Debian 12 and Ubuntu 24.04 have it)" >&2
    exit 1
  fi
}
compiler=${CXX:-c++}
at_least cmake "$(cmake --version | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p')" 3.25
if "$compiler" --version | grep -q clang; then
  at_least "$compiler" "$("$compiler" -dumpversion)" 16
else
  at_least "$compiler" "$("$compiler" -dumpfullversion)" 12
fi

# Where tools/tidy.py looks for clang-tidy; as new as the list of what it holds.
tools=${XDG_CACHE_HOME:-$HOME/.cache}/padless-tools
if [ "${1:-}" = ci ] && ! cmp -s tools/requirements.txt "$tools/requirements.txt"; then
  echo "setup: installing what tools/requirements.txt lists into $tools"
  rm -rf "$tools"
  python3 -m venv "$tools"
  "$tools/bin/pip" install -q -r tools/requirements.txt
  cp tools/requirements.txt "$tools/"
fi
