#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# usage: test/machine_arm64.sh FOLDER [OTHER]: the kernel on the emulated arm64 board, from its folder. The self-test under every profile,
# panics that name function and thread, hostile programs, and the figures of docs/detent.md. On the image by another compiler the
# self-test. What is missing is skipped by name.
set -eu
kernel=$1/detent-arm64.elf
other=${2:+$2/detent-arm64.elf}
folder=$(mktemp -d)
place=arm64
trap 'rm -rf "$folder"' EXIT
failed=0

extensions=
processor=cortex-a57

# machine EXPECTED-EXIT-CODE KERNEL COMMAND: runs QEMU with its serial line in $folder/log.
machine() {
    code=0
    timeout 300 qemu-system-aarch64 -accel tcg -icount shift=0,sleep=off,align=off -rtc clock=vm,base=2026-01-01 \
        -machine "virt,gic-version=3$extensions" -cpu "$processor,cntfrq=1000000000" -nic none -display none -no-reboot -m 64 \
        -semihosting-config enable=on,target=native -serial "file:$folder/log" -kernel "$2" -append "$3" >/dev/null 2>&1 || code=$?
    [ "$code" -eq "$1" ]
}

. "$(dirname "$0")/report.sh"

if ! command -v qemu-system-aarch64 >/dev/null; then
    echo "SKIP arm64: no qemu-system-aarch64; apt-get install qemu-system-arm"
    exit 0
fi

for settings in "" profile=ce2.12 profile=ce3.0 profile=ce.net nesting=0 split=0 tick=25 trail=1; do
    result=0
    machine 33 "$kernel" "$settings selftest" && says ", 0 failed," || result=1
    report $result "self-test, settings '${settings:-none}'"
done

for processor in cortex-a53 cortex-a72 max; do
    result=0
    machine 33 "$kernel" selftest && says ", 0 failed," || result=1
    report $result "self-test on a $processor"
done
processor=cortex-a57

extensions=,virtualization=on
result=0
machine 33 "$kernel" selftest && says ", 0 failed," || result=1
report $result "self-test, entered at exception level 2"
extensions=

if [ -n "$other" ]; then
    result=0
    machine 33 "$other" selftest && says ", 0 failed," || result=1
    report $result "self-test of $other"
fi

result=0
machine 33 "$kernel" hostile && says " tried, 0 wrong" || result=1
report $result "hostile programs get error codes"

for way in address instruction; do
    result=0
    machine 35 "$kernel" "crash $way" && says "panic: crash_$way: " && says "thread crash_$way " || result=1
    report $result "crash $way: the panic names function and thread"
done

result=0
machine 35 "$kernel" "crash stack" && says "panic: crash_stack: this thread's stack has overflowed" || result=1
report $result "a stack that has overflowed is a panic"

result=0
machine 33 "$kernel" model && says "model: all predictions hold" || result=1
report $result "the latency model holds for every instant tried"

if [ "$("${CC:-aarch64-linux-gnu-gcc}" -dumpversion)" = 12 ]; then
    result=0
    machine 33 "$kernel" figures && cp "$folder/log" "$folder/logs" || result=1
    machine 33 "$kernel" extremes && cat "$folder/log" >>"$folder/logs" || result=1
    report $result "every goal is met, with the tables full too"
    result=0
    "$(dirname "$0")/claims.sh" "$kernel" - "$folder/logs" "$(dirname "$0")/../../docs/detent.md" >"$folder/log" 2>&1 || result=1
    report $result "the figures of arm64 in docs/detent.md are the kernel's"
else
    echo "SKIP arm64: the figures in docs/detent.md are gcc 12's"
fi
exit $failed
