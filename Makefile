# SPDX-License-Identifier: MIT OR Apache-2.0
# make run · make test · make bench · make lab · make check · make soak: each installs what it needs and says so.
BACKWALL = target/release/backwall

.PHONY: run test soak bench lab check build

run: tools-run build
	$(BACKWALL) run

test: tools-test
	tools/test.sh

soak: tools-test
	tools/soak.sh

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
