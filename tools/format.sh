#!/bin/sh
# tools/format.sh [--check]: formats every C++ file by .clang-format, or says which are not.
set -eu
cd "$(dirname "$0")/.."

formatter=$(command -v clang-format-14 || command -v clang-format)
case $("$formatter" --version) in
  *" 14."*) ;;
  *)
    echo "format: $formatter is not version 14, which Debian 12 has; another formats differently" >&2
    exit 1
    ;;
esac
how=-i
if [ "${1:-}" = --check ]; then how="--dry-run --Werror"; fi
# shellcheck disable=SC2086  # a list of options
git ls-files -z --cached --others --exclude-standard '*.h' '*.cpp' |
  xargs -0 -n 16 -P "$(nproc)" "$formatter" $how
