#!/bin/sh
# Runs every test of build/release, then those that compare instruction sets (label isa) again with
# each lesser one forced. The whole run comes last, so that its summary is the last thing seen.
set -eu
cd "$(dirname "$0")/.."

# runs_here ISA: whether this processor has it.
runs_here() {
  case $1 in
    scalar) true ;;
    avx2) grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo ;;
  esac
}

run="ctest --test-dir build/release --output-on-failure --no-tests=error -j $(nproc)"
for isa in avx2 scalar; do
  if runs_here $isa; then
    echo "== tests with the label isa, PADLESS_ISA=$isa"
    PADLESS_ISA=$isa $run -L '^isa$'
  else
    echo "== tests with PADLESS_ISA=$isa skipped: this processor lacks it"
  fi
done
echo "== all tests"
exec $run
