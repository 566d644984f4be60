#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# usage: test/machine_arm64.sh FOLDER [OTHER]: the kernel on the emulated arm64 board, from its folder. The self-test under every profile,
# panics that name function and thread, hostile programs, processes, and the figures of docs/detent.md. On the images by another compiler
# the self-test and processes. What is missing is skipped by name.
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

# processes FOLDER COMMAND: the image with processes, which holds their programs.
processes() { machine 33 "$1/detent-process-arm64.elf" "$2"; }

for settings in "" "trail=1 " "profile=ce2.12 " "nesting=0 "; do
    result=0
    processes "$1" "${settings}processes" && says ", 0 failed;" || result=1
    report $result "processes, settings '${settings:-none}'"
done

if [ -n "$other" ]; then
    result=0
    processes "$2" processes && says ", 0 failed;" || result=1
    report $result "processes of $2"
fi

# The other has PAN: the kernel may touch what is a process's by the rights of user mode alone.
result=0
for argument in processes "process_fuzz 50000"; do
    processor=max
    processes "$1" "$argument" || result=1
    processor=cortex-a57
    extensions=,virtualization=on
    processes "$1" "$argument" || result=1
    extensions=
done
report $result "processes where the kernel may not touch what is theirs (PAN), and entered at exception level 2"

result=0
processes "$1" "process_churn 2000" && says "churn: 2000 processes made and ended of 2000, pages 2048 of 2048 free" || result=1
report $result "2,000 processes are made and ended, and no page is lost (10,000: make soak)"

result=0
processes "$1" "process_tables 512" && says "takes 4 of the pool and fills 0 with zeros" && says "512 of 512 tables and 2048 of 2048 pages free" || result=1
report $result "the pool of page tables serves while it lasts"

result=0
processes "$1" "trail=1 start objects boosts" && says " moves to f9" && says " moves to fd" || result=1
report $result "an owner at 253 inherits 249 from a waiter in another process, and the trail shows it rise and fall"

result=0
processes "$1" "iltiming -n 500 -t 1 -i2 -i3 -i4 -i5" && says "500 samples" || result=1
report $result "iltiming beside a process that maps and frees"

result=0
processes "$1" process_fuzz && says ", coalesced 0" && says "pages 2048 of 2048 free" || result=1
report $result "200,000 system calls at random from user mode; an interrupt of 1 kHz beside them loses nothing"

result=0
machine 35 "$1/detent-process-arm64.elf" "process_fuzz 50000 stops" &&
    says "interrupts 20 in " && says "answered 20, coalesced 0: those that were due did not come" || result=1
report $result "the same fails when the interrupt beside it has stopped"

for way in address instruction; do
    result=0
    machine 35 "$kernel" "crash $way" && says "panic: crash_$way: " && says "thread crash_$way " || result=1
    report $result "crash $way: the panic names function and thread"
done

result=0
machine 35 "$kernel" "crash stack" && says "panic: crash_stack: this thread's stack has overflowed" || result=1
report $result "a stack that has overflowed is a panic"

result=0
machine 33 "$kernel" model && says "model: all predictions hold" && cp "$folder/log" "$folder/logs" || result=1
report $result "the latency model holds for every instant tried"

if [ "$("${CC:-aarch64-linux-gnu-gcc}" -dumpversion)" = 12 ]; then
    result=0
    machine 33 "$kernel" figures && cp "$folder/log" "$folder/figures" && cat "$folder/log" >>"$folder/logs" || result=1
    machine 33 "$kernel" extremes && cat "$folder/log" >>"$folder/logs" || result=1
    for program in process_figures process_sweep "process_tables 16" "process_tables 16 held" "process_tables 64"; do
        processes "$1" "$program" && cat "$folder/log" >>"$folder/logs" || result=1
    done
    report $result "every goal is met, with the tables full and for what processes ask too"
    result=0
    "$(dirname "$0")/claims.sh" "$kernel" "$1/detent-process-arm64.elf" "$folder/logs" "$(dirname "$0")/../../docs/detent.md" >"$folder/log" 2>&1 || result=1
    report $result "the figures of arm64 in docs/detent.md are the kernel's"
    result=0
    processes "$1" figures && tr -d '\r' <"$folder/log" | grep '^figure ' >"$folder/beside" || result=1
    tr -d '\r' <"$folder/figures" | grep '^figure ' | cmp -s - "$folder/beside" || result=1
    report $result "after a process has run, every figure of the kernel's own is the same to the instruction"
else
    echo "SKIP arm64: the figures in docs/detent.md are gcc 12's"
fi
exit $failed
