#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# usage: [CONTROLLER=2] test/machine_arm64.sh FOLDER [OTHER]: tests the kernel in FOLDER on the emulated arm64 board: the self-test under
# every profile, panics that name function and thread, hostile programs, processes, and the figures of docs/evidence/detent.md. OTHER has
# the images of another compiler: on these it runs the self-test and processes. All tests run with a GICv3, and those that depend on the
# interrupt controller also with a GICv2. With CONTROLLER=2, all tests run with a GICv2. The script names each test that it skips because
# something is missing.
set -eu
kernel=$1/detent-arm64.elf
image=detent-process-arm64.elf
folder=$(mktemp -d)
place=arm64
trap 'rm -rf "$folder"' EXIT
failed=0

controller=${CONTROLLER:-3}
on=
[ "$controller" = 3 ] || on=", with a GICv$controller"
extensions=
processor=cortex-a57

machine() {
    expected=$1
    started=$2
    command=$3
    shift 3
    code=0
    timeout 300 qemu-system-aarch64 -accel tcg -icount shift=0,sleep=off,align=off -rtc clock=vm,base=2026-01-01 \
        -machine "virt,gic-version=$controller$extensions" -cpu "$processor,cntfrq=1000000000" -nic none -display none -no-reboot -m 64 \
        -semihosting-config enable=on,target=native -serial "file:$folder/log" -kernel "$started" -append "$command" "$@" >/dev/null 2>&1 || code=$?
    [ "$code" -eq "$expected" ]
}

# The image itself contains the processes' programs.
process_machine() {
    ends=$1
    of=$2
    shift 2
    machine "$ends" "$of/$image" "$@"
}

. "$(dirname "$0")/report.sh"
. "$(dirname "$0")/steps.sh"

if ! command -v qemu-system-aarch64 >/dev/null; then
    echo "SKIP arm64: no qemu-system-aarch64; apt-get install qemu-system-arm"
    exit 0
fi

processors=max
if [ -n "${LONG:-}" ]; then
    processors="cortex-a53 cortex-a72 max"
    self_tests "" profile=ce2.12 profile=ce3.0 profile=ce.net nesting=0 split=0 tick=25 trail=1
else
    self_tests "" profile=ce2.12 nesting=0
fi

for processor in $processors; do
    result=0
    machine 33 "$kernel" selftest && says ", 0 failed," || result=1
    report $result "self-test on a $processor$on"
done
processor=cortex-a57

# entered_at_level_2: runs the self-test on a machine that enters the kernel at exception level 2.
entered_at_level_2() {
    extensions=,virtualization=on
    result=0
    machine 33 "$kernel" selftest && says ", 0 failed," || result=1
    report $result "self-test, entered at exception level 2$on"
    extensions=
}

entered_at_level_2
process_tests "$1" ""
[ -z "${LONG:-}" ] || process_tests "$1" "trail=1 " "profile=ce2.12 " "nesting=0 "
of_other "${2:-}"
hostile_programs
panics address instruction
model_holds ""
process_steps "$1"

result=0
processes "$1" "iltiming -n 500 -t 1 -i2 -i3 -i4 -i5" && says "500 samples" || result=1
report $result "iltiming next to a process that maps and frees memory"

# The CPU `max` has PAN: the kernel may access a process's memory only with the rights of user mode.
result=0
for argument in processes "process_fuzz 50000"; do
    processor=max
    processes "$1" "$argument" || result=1
    processor=cortex-a57
    extensions=,virtualization=on
    processes "$1" "$argument" || result=1
    extensions=
done
report $result "processes with PAN: the kernel cannot access their memory; also entered at exception level 2"

documented=no
[ "$("${CC:-aarch64-linux-gnu-gcc}" -dumpversion)" != 12 ] || documented=yes
if [ $documented = yes ]; then
    figures_hold "$1"
else
    echo "SKIP arm64: the figures in docs/evidence/detent.md are gcc 12's"
fi

# With a GICv2, whose registers are words of memory, no figure may be larger. `make soak` runs all tests above with a GICv2.
[ "$controller" = 3 ] || exit $failed
controller=2
on=", with a GICv2"
self_tests ""
[ -n "${LONG:-}" ] || exit $failed
self_tests nesting=0
entered_at_level_2
result=0
machine 33 "$kernel" selftest -smp 2 && says ", 0 failed," || result=1
report $result "self-test on a machine with two CPUs$on"
hostile_programs
process_tests "$1" ""
result=0
processes "$1" "process_fuzz 50000" && says ", coalesced 0" && says "pages 2048 of 2048 free" || result=1
report $result "50,000 random system calls from user mode; no interrupt of 1 kHz is lost meanwhile$on"
if [ $documented = yes ]; then
    result=0
    machine 33 "$kernel" figures && figures_of "$folder/log" >"$folder/beside" || result=1
    figures_of "$folder/figures" | cmp -s - "$folder/beside" || result=1
    report $result "every figure equals that of a GICv3 to the instruction$on"
fi
exit $failed
