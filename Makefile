# The front door: each target does its own set-up, and nothing twice.
#   make study [ARGS="--quick"]    the experiments, and a report of them in build/study
#   make test                      the proof
#   make bench [ARGS="--benchmark_filter=linear"]    the speed of this machine
.PHONY: study test bench setup configure

release := build/release
build := cmake --build $(release) -j $(shell nproc)

study: configure
	@$(build) --target padless
	$(release)/padless study $(ARGS)

test: configure
	@$(build)
	@tools/test.sh

bench: configure
	@$(build) --target padless padless_benches
	@tools/bench.sh $(ARGS)

# Anew too where somebody left out the tests or the benchmarks: old programs would run instead.
configure: setup
	@test -e $(release)/build.ninja && \
	  test "$$(grep -c '^PADLESS_BUILD_\(TESTS\|BENCH\):BOOL=ON$$' $(release)/CMakeCache.txt)" = 2 || \
	  cmake --preset release

setup:
	@tools/setup.sh
