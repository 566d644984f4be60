#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# usage: test/machine.sh FOLDER [OTHER]: tests the kernel in FOLDER on the emulated PC: the self-test, panics that name function and
# thread, settings that the kernel refuses with one line, and processes. With LONG, it also tests every profile, the documented figures
# and a boot through GRUB. OTHER has the images of another compiler: on these it runs the self-test and processes. The script names
# each test that it skips because something is missing.
set -eu
kernel=$1/detent.elf
image=detent-process.elf
folder=$(mktemp -d)
place=machine
on=
trap 'rm -rf "$folder"' EXIT
failed=0

machine() {
    expected=$1
    started=$2
    command=$3
    shift 3
    code=0
    timeout 300 qemu-system-x86_64 -accel tcg -icount shift=0,sleep=off,align=off -rtc clock=vm,base=2026-01-01 \
        -nic none -display none -no-reboot -m 64 -global hpet.msi=on -device isa-debug-exit,iobase=0xf4,iosize=0x04 \
        -serial "file:$folder/log" ${started:+-kernel "$started" -append "$command"} "$@" >/dev/null 2>&1 || code=$?
    [ "$code" -eq "$expected" ]
}

process_machine() {
    ends=$1
    of=$2
    words=$3
    shift 3
    machine "$ends" "$of/$image" "$words" -initrd "$of/programs.a" "$@"
}

. "$(dirname "$0")/report.sh"
. "$(dirname "$0")/steps.sh"

if ! command -v qemu-system-x86_64 >/dev/null; then
    echo "SKIP machine: no qemu-system-x86_64; apt-get install qemu-system-x86"
    exit 0
fi

if [ -n "${LONG:-}" ]; then
    self_tests "" profile=ce2.12 profile=ce3.0 profile=ce.net nesting=0 split=0 tick=25
    process_tests "$1" "" "trail=1 " "profile=ce2.12 " "nesting=0 "
else
    self_tests "" profile=ce2.12 nesting=0
    process_tests "$1" "" "trail=1 "
fi
of_other "${2:-}"
hostile_programs
panics address divide instruction

result=0
machine 35 "$kernel" "tick=0 selftest" && says "tick=0: want a number from 1 to 1000" || result=1
report $result "a wrong setting is refused"

result=0
machine 35 "$kernel" "app_test priority=256" && says "priority=256: want a number from 0 to 255" || result=1
report $result "a wrong priority of APP_TEST is refused"

result=0
machine 35 "$kernel" "trail=1 crash divide" && says " starts 10041 crash_divide" && says "trail: 2 entries" || result=1
report $result "a panic shows the end of the trail"

model_holds " (model all tries every call: make soak)"
process_steps "$1"

# 500 ticks come at any instant of the idle threads, so some come while the kernel cannot be interrupted at once.
result=0
processes "$1" "iltiming -n 500 -t 1 -i5 -o COM2:" -chardev "file,id=com2,path=$folder/com2" -device isa-serial,iobase=0x2f8,irq=3,chardev=com2 &&
    ! says Minimum && awk '/^Minimum/ { least = $3 } /^Maximum/ { most = $3 } END { exit !(least > 0 && most > least) }' "$folder/com2" || result=1
[ -z "${LONG:-}" ] || { processes "$1" "iltiming -n 500 -t 1 -i2 -i3 -i4 -i5" && says "500 samples"; } || result=1
machine 35 "$kernel" "iltiming -i5" && says "this image has no VirtualAlloc" || result=1
machine 35 "$kernel" "iltiming -o COM2:" && says "no second serial port" || result=1
report $result "iltiming next to a process that maps and frees memory, with its report in a file; several idle threads; refusals"

# The CPU of the other machines has neither SMEP nor SMAP.
result=0
for argument in processes "process_fuzz 50000"; do
    processes "$1" "$argument" -cpu qemu64,+smep,+smap || result=1
done
report $result "processes with SMEP and SMAP: the kernel can neither execute nor access their memory"

if [ "$(gcc -dumpversion)" = 12 ]; then
    figures_hold "$1" profiles
else
    echo "SKIP machine: the figures in docs/evidence/detent.md are gcc 12's"
fi

[ -n "${LONG:-}" ] || exit $failed
if command -v grub-mkrescue >/dev/null && command -v xorriso >/dev/null; then
    mkdir -p "$folder/iso/boot/grub"
    cp "$kernel" "$folder/iso/boot/detent.elf"
    printf 'set timeout=0\nmenuentry detent { multiboot /boot/detent.elf detent.elf selftest\n}\n' >"$folder/iso/boot/grub/grub.cfg"
    result=0
    grub-mkrescue -o "$folder/detent.iso" "$folder/iso" >/dev/null 2>&1 && machine 33 "" "" -cdrom "$folder/detent.iso" &&
        says ", 0 failed," || result=1
    report $result "boots through GRUB"
else
    echo "SKIP machine: GRUB: no grub-mkrescue or xorriso; apt-get install grub-pc-bin grub-common xorriso mtools"
fi
exit $failed
