#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# The QEMU that Debian packages beside that of this release (its backports), unpacked below a folder: tools/newer_qemu.sh FOLDER, and then
# PATH=FOLDER/usr/bin:$PATH. The system's own QEMU and the package manager's own lists stay as they are.
set -eu
folder=${1:?"usage: tools/newer_qemu.sh FOLDER"}
PACKAGES="qemu-system-arm qemu-system-riscv"
release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
# From the place that the system takes its packages from.
place=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages' 2>/dev/null | awk -v release="$release" '$2 == release { print $1; exit }')
[ -n "$place" ] || { echo "newer_qemu: this system names no place of Debian's packages of $release" >&2 && exit 4; }
mkdir -p "$folder/lists/partial" "$folder/archives/partial"
folder=$(cd "$folder" && pwd)
echo "deb $place $release-backports main" >"$folder/sources.list"
from_backports() {
    apt-get -q -o "Dir::Etc::sourcelist=$folder/sources.list" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$folder/lists" \
        -o "Dir::Cache=$folder" "$@" >"$folder/said" 2>&1 || { echo "newer_qemu: $(grep '^E:' "$folder/said" | tail -n 1)" >&2 && exit 4; }
}
from_backports update
# shellcheck disable=SC2086 # a list of names
(cd "$folder" && rm -f ./*.deb && from_backports download $PACKAGES)
for package in "$folder"/*.deb; do dpkg-deb -x "$package" "$folder"; done
rm -f "$folder"/*.deb
"$folder/usr/bin/qemu-system-aarch64" --version | sed -n '1s/^/newer_qemu: /p'
