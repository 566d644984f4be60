#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# The tests where people try the tool first: as root of a container with Docker's rights and less, 64 KiB to lock and no
# tracefs. Every test passes there, or is skipped with its reason. tools/without_rights.sh [all]
#
# Without `all` it is what rights can change: what starts the probe, opens the trace, mounts, locks or raises priorities. The
# others (`pure`, `emulated`, the crates that compute) ask the system for nothing; `make soak` runs them so too.
set -eu
cd "$(dirname "$0")/.."
. tools/rust.sh
GONE=-sys_nice,-sys_admin,-ipc_lock,-sys_resource
# A process started in the background may have been told to ignore Ctrl-C, which the tests send.
without="env --default-signal=INT setpriv --bounding-set=$GONE --inh-caps=$GONE --no-new-privs --"
SYSTEM="ftrace runner os instruments tuning store"
if ! reason=$(unshare -m sh -c "mount -t tmpfs none /sys/kernel/tracing && $without true" 2>&1); then
    echo "SKIP without_rights: rights cannot be given up here: $reason"
    exit 0
fi

# with the words of cargo test
tests() {
    unshare -m sh -c 'mount -t tmpfs none /sys/kernel/tracing; ulimit -l 64; exec "$@"' sh $without \
        cargo test --locked --workspace --no-fail-fast "$@"
}
failed=0
beside="--skip interfere:: --skip page_faults::" # long, and of rights only what the others tell
if [ "${1:-}" = all ]; then
    tests --lib --test pure --test emulated || failed=1
    beside=
else
    # Built by `make test` with the features of the whole workspace: their programs are run as they are.
    programs=$(cargo test --locked --workspace --lib --no-run 2>&1 | sed -n 's/.*(\(.*\)).*/\1/p')
    for crate in $SYSTEM; do
        program=$(echo "$programs" | grep -E "/backwall_$crate-[0-9a-f]+$") || { echo "without_rights: no tests of crate $crate" >&2 && failed=1; }
        for program in $program; do
            (cd "crates/$crate" && unshare -m sh -c 'mount -t tmpfs none /sys/kernel/tracing; ulimit -l 64; exec "$@"' sh $without "../../$program" --quiet) || failed=1
        done
    done
fi
tests --test waiting -- --test-threads=16 || failed=1
tests --test machine -- --test-threads=1 $beside || failed=1
exit $failed
