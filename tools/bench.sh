#!/bin/sh
# tools/bench.sh [OPTION...]: runs every benchmark of build/release and prints one table; options go
# to each program, e.g. --benchmark_min_time=1 for steadier numbers or --benchmark_filter=REGEX.
set -eu
cd "$(dirname "$0")/.."

model=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
echo "$(nproc) x ${model:-$(uname -m)}, $(date +%Y-%m-%d), $(git rev-parse --short HEAD 2>/dev/null || true)"
for program in build/release/bench/*_bench; do
  if [ ! -x "$program" ]; then
    echo "bench: there is no benchmark in build/release/bench" >&2
    exit 1
  fi
  echo
  # The context it prints to standard error would come again for each program.
  "$program" --benchmark_min_time=0.05 --benchmark_counters_tabular=true "$@" 2>/dev/null
done
