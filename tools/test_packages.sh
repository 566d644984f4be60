#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Tests what tools/packages.sh left in target/packages for this machine: each package installed in a clean root, used there by an
# ordinary user for a measurement that is evidence, and removed without a trace; the archive's script; the container.
# A package that cannot be tried here prints "SKIP name: reason".
set -euo pipefail
cd "$(dirname "$0")/.."
machine=$(uname -m)
packages=$PWD/target/packages/$machine
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
name=backwall-$version-$machine
MEASURE="backwall run --load none --for 2s --json"
passed=0 failed=0 skipped=0

pass() { passed=$((passed + 1)); echo "PASS packages: $1"; }
skip() { skipped=$((skipped + 1)); echo "SKIP packages, $1: $2"; }
fail() { failed=$((failed + 1)); echo "FAIL packages: $1"; }
# verdict NAME COMMAND...: a test's own output is in a file, and is printed where it fails.
verdict() {
    local title=$1
    shift
    if ("$@") >"$scratch/said" 2>&1; then pass "$title"; else fail "$title" && cat "$scratch/said"; fi
}

scratch=$(mktemp -d)
trap 'rm -rf --one-file-system "$scratch"' EXIT

checksums() { (cd "$packages" && sha256sum --quiet --check SHA256SUMS); }

# Starts with no library of this system's, and knows nothing of the folders that it was built in.
static_file() {
    ! file "$packages/$name" | grep -q 'interpreter' &&
        ! grep -aqF -e "$PWD" -e "$HOME/" "$packages/$name" &&
        "$packages/$name" --version | grep -qx "backwall $version (commit $(git log -1 --abbrev=12 --format='%h, %cs'))" &&
        ! grep -aqF -e "$PWD" -e "$HOME/" "$packages/backwall-lab-${name#backwall-}" &&
        "$packages/backwall-lab-${name#backwall-}" list | grep -q '^bare-answer '
}

# A measurement of which the tool itself says that it is evidence: exit code 0, samples, none lost without a count.
evidence() {
    python3 -c '
import json, sys
run = json.load(open(sys.argv[1]))
row = next(series for series in run["series"] if series["name"] == "wakeup")
assert row["done"] > 500, row["done"]
assert row["due"] == row["done"] + row["missed"] + row.get("unseen", 0), row
assert not any(warning["kind"] == "no-evidence" for warning in run["warnings"]), run["warnings"]' "$1"
}

# Everything in a root but what a package manager notes of itself.
listed() {
    (cd "$1" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./tmp -o -path ./run -o -path ./var/lib/dpkg -o -path ./var/lib/apt \
        -o -path ./var/log -o -path ./var/cache \) -prune -o -print | LC_ALL=C sort)
}

# inside ROOT COMMAND...: in that root, with its own process and mount namespaces.
inside() {
    unshare --mount --pid --fork sh -ec 'root=$1; shift
        mount -t proc proc "$root/proc"; mount --rbind /sys "$root/sys"; mount --rbind /dev "$root/dev"
        exec chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "$@"' sh "$@"
}

# A Debian of the release that this machine has, with what the package depends on, so that no network is waited for.
clean_root() {
    mmdebstrap --quiet --variant=apt --include=libcap2-bin "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$scratch/root" &&
        inside "$scratch/root" useradd --create-home user
}

debian() {
    local root=$scratch/root begun ended
    set -e
    cp "$packages"/backwall_*.deb "$root/root/backwall.deb"
    listed "$root" >"$scratch/before"
    begun=$(date +%s%N)
    inside "$root" apt-get install -y -q /root/backwall.deb
    inside "$root" su user -c "cd && $MEASURE" >"$scratch/run.json"
    ended=$(date +%s%N)
    echo $(((ended - begun) / 1000000)) >"$packages/../first_measurement_ms"
    evidence "$scratch/run.json"
    inside "$root" test -s /usr/share/man/man1/backwall.1.gz
    inside "$root" su user -c "backwall lab list" | grep -q '^bare-answer '
    inside "$root" apt-get purge -y -q backwall
    rm -rf "$root/home/user/backwall-runs"
    listed "$root" >"$scratch/after"
    diff "$scratch/before" "$scratch/after"
}

lint() { lintian --allow-root --fail-on error "$packages"/backwall_*.deb; }

# The database of the packages is the clean root's own; Debian's rpm installs into it from outside.
red_hat() {
    local root=$scratch/root
    set -e
    listed "$root" >"$scratch/before"
    command rpm --root "$root" --dbpath /tmp/rpm --install --nodeps "$packages"/backwall-*.rpm
    inside "$root" su user -c "cd && $MEASURE" >"$scratch/run.json"
    evidence "$scratch/run.json"
    command rpm --root "$root" --dbpath /tmp/rpm --erase backwall
    rm -rf "$root/home/user/backwall-runs"
    listed "$root" >"$scratch/after"
    diff "$scratch/before" "$scratch/after"
}

any_linux() {
    local root=$scratch/root
    set -e
    listed "$root" >"$scratch/before"
    tar xzf "$packages/$name.tar.gz" -C "$root/tmp"
    inside "$root" "/tmp/$name/install.sh"
    inside "$root" su user -c "cd && PATH=/usr/local/bin:\$PATH $MEASURE" >"$scratch/run.json"
    evidence "$scratch/run.json"
    inside "$root" "/tmp/$name/install.sh" --remove
    rm -rf "$root/home/user/backwall-runs"
    listed "$root" >"$scratch/after"
    # Folders that everybody shares stay.
    comm -3 "$scratch/before" "$scratch/after" | tr -d '\t' | while read -r path; do test -d "$root/$path"; done
}

# makepkg refuses root; the package that it makes holds the same files as the archive.
arch() {
    set -e
    install -d -o nobody "$scratch/arch"
    cp "$packages/PKGBUILD" "$packages/backwall.install" "$packages/$name.tar.gz" "$scratch/arch"
    chmod 755 "$scratch"
    (cd "$scratch/arch" && chown nobody . ./* && setpriv --reuid=nobody --regid=nogroup --clear-groups env HOME="$scratch/arch" PKGEXT=.pkg.tar.gz makepkg --nodeps)
    tar tzf "$scratch"/arch/backwall-bin-*.pkg.tar.gz | grep -E '^usr/.*[^/]$' | LC_ALL=C sort >"$scratch/packed"
    tar tzf "$packages/$name.tar.gz" | sed -n "s|^$name/\(.*[^/]\)\$|usr/\1|p" | grep -v install.sh | LC_ALL=C sort | diff - "$scratch/packed"
}

# podman's own limits are those of a larger machine; its usual runtime knows one kind of control groups.
CONTAINER="--rm --network none --cap-drop all --cap-add sys_nice --cap-add ipc_lock --ulimit nofile=1024:1024 --ulimit nproc=1000:1000"
container_runs() {
    local runtime
    podman build -q --network none -t backwall-test -f "$packages/Containerfile" "$packages" >"$scratch/said" 2>&1 || return
    for runtime in crun runc; do
        # shellcheck disable=SC2086 # options
        podman --runtime $runtime run $CONTAINER backwall-test --version >"$scratch/said" 2>&1 && echo $runtime && return
    done
    return 1
}

# A kernel that divides real-time among control groups gives a new group none: the container gets a group that has some.
GROUPS_ROOT=/sys/fs/cgroup
with_real_time() {
    [ -f "$GROUPS_ROOT/cpu/cpu.rt_runtime_us" ] || return 0
    mkdir -p "$GROUPS_ROOT/cpu/backwall-test" && echo 400000 >"$GROUPS_ROOT/cpu/backwall-test/cpu.rt_runtime_us" &&
        echo "--cgroup-parent=/backwall-test --cpu-rt-runtime=300000"
}

container() {
    local groups
    mkdir -p "$scratch/runs"
    groups=$(with_real_time)
    # shellcheck disable=SC2086 # options
    podman --runtime "$1" run $CONTAINER $groups -v "$scratch/runs:/runs" backwall-test ${MEASURE#backwall } >"$scratch/run.json" && evidence "$scratch/run.json"
}

try_container() {
    local runtime
    command -v podman >/dev/null || { skip container "podman is not installed"; return; }
    if runtime=$(container_runs); then
        verdict "container: the least rights are enough for evidence" container "$runtime"
    elif grep -q '^Error' "$scratch/said"; then # podman's own word; what does not start in the container says it otherwise
        skip container "podman does not run one here: $(tail -n 1 "$scratch/said")"
    else
        fail "container: $(tail -n 1 "$scratch/said")"
    fi
    podman rmi -f backwall-test >/dev/null 2>&1 || true
    find "$GROUPS_ROOT" -depth -type d -path '*/backwall-test*' -exec rmdir {} + 2>/dev/null || true
}

verdict "checksums" checksums
verdict "the static file: version, nothing of its builder's" static_file
if command -v lintian >/dev/null; then verdict ".deb: lintian finds no error" lint; else skip lintian "it is not installed"; fi
if [ "$(id -u)" != 0 ] || ! command -v mmdebstrap >/dev/null; then
    skip "clean root" "needs root and mmdebstrap"
elif ! clean_root >"$scratch/said" 2>&1; then
    skip "clean root" "it cannot be made: $(tail -n 1 "$scratch/said")"
else
    verdict ".deb: installed, an ordinary user measures, removed whole" debian
    if command -v rpm >/dev/null; then verdict ".rpm: installed, an ordinary user measures, removed whole" red_hat; else skip rpm "it is not installed"; fi
    verdict "install.sh: installed, an ordinary user measures, removed" any_linux
fi
if ! command -v makepkg pacman bsdtar fakeroot >/dev/null; then skip "Arch recipe" "makepkg, pacman, bsdtar or fakeroot is not installed"
elif [ "$(id -u)" != 0 ]; then skip "Arch recipe" "needs root"
else verdict "Arch recipe: makepkg makes the package" arch; fi
try_container
echo "packages: $passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
