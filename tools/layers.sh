#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Fails when an include or a `use` goes the wrong way.
set -eu
cd "$(dirname "$0")/.."
failed=0

# deny FOLDER PATTERN REASON: no C or Rust file below FOLDER may match PATTERN.
deny() {
    [ -d "$1" ] || return 0
    if grep -rnE --include='*.c' --include='*.h' --include='*.S' --include='*.rs' "$2" "$1"; then
        echo "layers: $1: $3" >&2
        failed=1
    fi
}

OS_HEADERS='#include <(sys/|linux/|pthread|sched|unistd|fcntl|signal|poll|windows)'
for folder in probe/measure probe/load; do
    deny "$folder" "$OS_HEADERS" "only probe/port/ includes an operating system's headers"
done
deny wire '#include "' "wire depends on nothing"
deny kernel '#include ".*(wire|probe|instrument)' "the kernel knows nothing of backwall"
deny kernel/core '(__asm|asm *\(|asm volatile|\brax\b|\brsp\b)' "kernel/core holds no assembly and no register"
deny probe '#include ".*(kernel|host|lab)/' "the probe meets the host only in wire/"
deny host/src/stats '(std::fs|std::time::|println!|eprintln!|crate::(report|store|command|session|lab|cli))' "statistics are pure"
deny host/src/scope '(std::fs|std::time::|println!|eprintln!|crate::(store|command|session|lab|cli))' "the scope is pure"
deny host/src/report '(crate::(session|lab|cli|command))' "reports only read a run"
exit "$failed"
