# SPDX-License-Identifier: MIT OR Apache-2.0
# make run · make test · make bench · make lab · make check · make soak: each installs what it needs and says so.
BACKWALL = target/release/backwall
# A caller in the background leaves SIGINT ignored, and no shell takes that back; tests send it.
TESTS = env --default-signal=INT

.PHONY: run test soak bench lab check build

run: tools-run build
	$(BACKWALL) run

test: tools-test
	$(TESTS) tools/test.sh

soak: tools-test
	$(TESTS) tools/soak.sh

bench: tools-bench build
	tools/bench.sh

lab: tools-lab build
	tools/lab.sh

check: tools-check
	tools/check.sh

build:
	tools/build.sh

tools-%:
	tools/install.sh $*
