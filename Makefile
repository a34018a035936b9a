# The front door: each target does its own set-up.
.PHONY: study test bench build setup
