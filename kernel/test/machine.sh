#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# usage: test/machine.sh FOLDER [OTHER]: the kernel on the emulated PC, from its folder. The self-test under every profile, panics
# that name function and thread, settings refused with one line, a boot through GRUB, and processes. On the images by another
# compiler the self-test and processes. What is missing is skipped by name.
set -eu
kernel=$1/detent.elf
other=${2:+$2/detent.elf}
folder=$(mktemp -d)
place=machine
trap 'rm -rf "$folder"' EXIT
failed=0

# machine EXPECTED-EXIT-CODE QEMU-ARGUMENTS...: runs QEMU with its serial line in $folder/log.
machine() {
    expected=$1
    shift
    code=0
    timeout 300 qemu-system-x86_64 -accel tcg -icount shift=0,sleep=off,align=off -rtc clock=vm,base=2026-01-01 \
        -nic none -display none -no-reboot -m 64 -global hpet.msi=on -device isa-debug-exit,iobase=0xf4,iosize=0x04 \
        -serial "file:$folder/log" "$@" >/dev/null 2>&1 || code=$?
    [ "$code" -eq "$expected" ]
}

. "$(dirname "$0")/report.sh"

if ! command -v qemu-system-x86_64 >/dev/null; then
    echo "SKIP machine: no qemu-system-x86_64; apt-get install qemu-system-x86"
    exit 0
fi

for settings in "" profile=ce2.12 profile=ce3.0 profile=ce.net nesting=0 split=0 tick=25; do
    result=0
    machine 33 -kernel "$kernel" -append "$settings selftest" && says ", 0 failed," || result=1
    report $result "self-test, settings '${settings:-none}'"
done

if [ -n "$other" ]; then
    result=0
    machine 33 -kernel "$other" -append selftest && says ", 0 failed," || result=1
    report $result "self-test of $other"
fi

# processes FOLDER COMMAND QEMU-ARGUMENTS...: the image with processes, and their programs.
processes() {
    where=$1
    command=$2
    shift 2
    machine 33 -kernel "$where/detent-process.elf" -initrd "$where/programs.a" -append "$command" "$@"
}

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

result=0
machine 33 -kernel "$kernel" -append hostile && says " tried, 0 wrong" || result=1
report $result "hostile programs get error codes"

for way in address divide instruction; do
    result=0
    machine 35 -kernel "$kernel" -append "crash $way" && says "panic: crash_$way: " && says "thread crash_$way " || result=1
    report $result "crash $way: the panic names function and thread"
done

result=0
machine 35 -kernel "$kernel" -append "tick=0 selftest" && says "tick=0: want a number from 1 to 1000" || result=1
report $result "a wrong setting is refused"

result=0
machine 35 -kernel "$kernel" -append "crash stack" && says "panic: crash_stack: this thread's stack has overflowed" || result=1
report $result "a stack that has overflowed is a panic"

result=0
machine 35 -kernel "$kernel" -append "app_test priority=256" && says "priority=256: want a number from 0 to 255" || result=1
report $result "a wrong priority of APP_TEST is refused"

result=0
machine 35 -kernel "$kernel" -append "trail=1 crash divide" && says " starts 10041 crash_divide" && says "trail: 2 entries" || result=1
report $result "a panic shows the end of the trail"

result=0
machine 33 -kernel "$kernel" -append model && says "model: all predictions hold" && cp "$folder/log" "$folder/model" || result=1
report $result "the latency model holds for every instant tried (model all tries every call: make soak)"

result=0
processes "$1" "process_churn 2000" && says "churn: 2000 processes made and ended of 2000, pages 2048 of 2048 free" || result=1
report $result "2,000 processes are made and ended, and no page is lost (10,000: make soak)"

result=0
for pool in 15 513; do
    machine 35 -kernel "$1/detent-process.elf" -initrd "$1/programs.a" -append "process_tables $pool" && says "$pool, is not from 16 to 512" || result=1
done
processes "$1" "process_tables 512" && says "takes 4 of the pool and fills 0 with zeros" && says "512 of 512 tables and 2048 of 2048 pages free" || result=1
report $result "the pool of page tables has 16 to 512, and serves while it lasts"

result=0
processes "$1" "trail=1 start objects boosts" && says " moves to f9" && says " moves to fd" || result=1
report $result "an owner at 253 inherits 249 from a waiter in another process, and the trail shows it rise and fall"

# 500 ticks come at anything that the idle threads do, so some come where the kernel may not be left at once.
result=0
processes "$1" "iltiming -n 500 -t 1 -i5 -o COM2:" -chardev "file,id=com2,path=$folder/com2" -device isa-serial,iobase=0x2f8,irq=3,chardev=com2 &&
    ! says Minimum && awk '/^Minimum/ { least = $3 } /^Maximum/ { most = $3 } END { exit !(least > 0 && most > least) }' "$folder/com2" || result=1
processes "$1" "iltiming -n 500 -t 1 -i2 -i3 -i4 -i5" && says "500 samples" || result=1
machine 35 -kernel "$kernel" -append "iltiming -i5" && says "this image has no VirtualAlloc" || result=1
machine 35 -kernel "$kernel" -append "iltiming -o COM2:" && says "no second serial port" || result=1
report $result "iltiming beside a process that maps and frees, into a file; several idle threads at once; refused where it cannot"

# The processor of the other machines has neither.
result=0
for argument in processes "process_fuzz 50000"; do
    machine 33 -cpu qemu64,+smep,+smap -kernel "$1/detent-process.elf" -initrd "$1/programs.a" -append "$argument" || result=1
done
report $result "processes where the kernel may not run or touch what is theirs (SMEP, SMAP)"

result=0
processes "$1" process_fuzz && says ", coalesced 0" && says "pages 2048 of 2048 free" || result=1
report $result "200,000 system calls at random from user mode; an interrupt of 1 kHz beside them loses nothing"

result=0
machine 35 -kernel "$1/detent-process.elf" -initrd "$1/programs.a" -append "process_fuzz 50000 stops" &&
    says "interrupts 20 in " && says "answered 20, coalesced 0: those that were due did not come" || result=1
report $result "the same fails when the interrupt beside it has stopped"

if [ "$(gcc -dumpversion)" = 12 ]; then
    result=0
    machine 33 -kernel "$kernel" -append figures && cp "$folder/log" "$folder/figures" || result=1
    machine 33 -kernel "$kernel" -append extremes && cp "$folder/log" "$folder/extremes" || result=1
    processes "$1" process_figures && cp "$folder/log" "$folder/process" || result=1
    processes "$1" process_sweep && cp "$folder/log" "$folder/sweep" || result=1
    for pool in 16 "16 held" 64; do
        processes "$1" "process_tables $pool" && cat "$folder/log" >>"$folder/tables" || result=1
    done
    machine 33 -kernel "$kernel" -append profiles && cp "$folder/log" "$folder/profiles" || result=1
    report $result "every goal is met, with the tables full and for what processes ask too"
    result=0
    (cd "$folder" && cat figures extremes process sweep tables model profiles >logs) || result=1
    "$(dirname "$0")/claims.sh" "$kernel" "$1/detent-process.elf" "$folder/logs" "$(dirname "$0")/../../docs/detent.md" >"$folder/log" 2>&1 || result=1
    report $result "the figures, predictions and settings in docs/detent.md are the kernel's"
    result=0
    processes "$1" figures && tr -d '\r' <"$folder/log" | grep '^figure ' >"$folder/beside" || result=1
    tr -d '\r' <"$folder/figures" | grep '^figure ' | cmp -s - "$folder/beside" || result=1
    report $result "after a process has run, every figure of the kernel's own is the same to the instruction"
else
    echo "SKIP machine: the figures in docs/detent.md are gcc 12's"
fi

if command -v grub-mkrescue >/dev/null && command -v xorriso >/dev/null; then
    mkdir -p "$folder/iso/boot/grub"
    cp "$kernel" "$folder/iso/boot/detent.elf"
    printf 'set timeout=0\nmenuentry detent { multiboot /boot/detent.elf detent.elf selftest\n}\n' >"$folder/iso/boot/grub/grub.cfg"
    result=0
    grub-mkrescue -o "$folder/detent.iso" "$folder/iso" >/dev/null 2>&1 && machine 33 -cdrom "$folder/detent.iso" &&
        says ", 0 failed," || result=1
    report $result "boots through GRUB"
else
    echo "SKIP machine: GRUB: no grub-mkrescue or xorriso; apt-get install grub-pc-bin grub-common xorriso mtools"
fi
exit $failed
