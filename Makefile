# SPDX-License-Identifier: MIT OR Apache-2.0
# make run · make test · make bench · make lab · make check: each installs what it needs and says so.
BACKWALL = target/release/backwall

.PHONY: run test bench lab check build

run: tools-run build
	$(BACKWALL) run

test: tools-test
	tools/test.sh

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
