#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# The packaged program's size, and how long it takes from `apt install ./backwall.deb` in a clean root until an ordinary user has measured:
# the packages are those of `make packages`, which `make bench` makes first.
set -eu
cd "$(dirname "$0")/.."
bytes=$(stat -c %s target/packages/"$(uname -m)"/backwall-[0-9]*-"$(uname -m)")
printf 'static_file\t%s\tbytes\t<= 12000000\t%s\t-\t-\tstripped, needs no library\n' "$bytes" "$([ "$bytes" -le 12000000 ] && echo yes || echo no)"
rm -f target/packages/first_measurement_ms
tools/test_packages.sh >&2
ms=$(cat target/packages/first_measurement_ms 2>/dev/null) || { echo "SKIP first measurement: a clean root cannot be made here" >&2 && exit 0; }
printf 'first_measurement_after_apt_install\t%s\tms\t<= 10000\t%s\t-\t-\tclean root, ordinary user; 2 s of it are the measurement\n' \
    "$ms" "$([ "$ms" -le 10000 ] && echo yes || echo no)"
