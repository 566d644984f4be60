# SPDX-License-Identifier: MIT OR Apache-2.0
# make run · make test · make long · make bench · make lab · make check · make soak · make packages · make release: each installs what it needs and says so.
BACKWALL = target/release/backwall
# A caller in the background leaves SIGINT ignored, and no shell takes that back; tests send it.
TESTS = env --default-signal=INT

.PHONY: run test long soak bench lab check packages release build quick

# What the build has written is on the disk before the load that writes to a disk is measured.
run: tools-run quick
	sync
	$(BACKWALL) run

test: tools-test
	$(TESTS) tools/test.sh

long: tools-test
	$(TESTS) tools/long.sh

soak: tools-test tools-packages tools-soak
	$(TESTS) tools/soak.sh

bench: tools-bench tools-packages build
	tools/packages.sh
	tools/bench.sh

lab: tools-lab build
	tools/lab.sh

check: tools-check
	tools/check.sh

packages: tools-packages
	tools/packages.sh
	tools/test_packages.sh

# What a release page offers, in target/packages/release. TAG: that of the release, which must be the version's.
release: tools-release
	tools/packages.sh release $(TAG)

build:
	tools/build.sh

quick:
	tools/build.sh quick

tools-%:
	tools/install.sh $*
