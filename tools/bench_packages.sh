#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# The static file's size, and how long it takes from `apt install ./backwall.deb` in a clean root until an ordinary user has measured:
# the packages are those of `make packages`, which `make bench` makes first.
set -eu
cd "$(dirname "$0")/.."
machine=$(uname -m)
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
rm -f target/packages/first_measurement_ms
bytes=$(stat -c %s "target/packages/$machine/backwall-$version-$machine")
met=$([ "$bytes" -le 15000000 ] && echo yes || echo no)
printf 'static_file\t%s\tbytes\t<= 15000000\t%s\t-\t-\tstripped, needs no library\n' "$bytes" "$met"
tools/test_packages.sh >&2
if [ -f target/packages/first_measurement_ms ]; then
    ms=$(cat target/packages/first_measurement_ms)
    met=$([ "$ms" -le 10000 ] && echo yes || echo no)
    printf 'first_measurement_after_apt_install\t%s\tms\t<= 10000\t%s\t-\t-\tclean root, ordinary user; 2 s of it are the measurement\n' "$ms" "$met"
else
    printf 'first_measurement_after_apt_install\t-\tms\t<= 10000\t-\t-\t-\tnot measured here: a clean root cannot be made\n'
fi
