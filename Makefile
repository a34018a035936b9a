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

configure: setup
	@test -e $(release)/build.ninja || cmake --preset release

setup:
	@tools/setup.sh
