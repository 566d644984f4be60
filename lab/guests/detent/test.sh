#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# usage: test.sh FOLDER COMPILER: boots the kernel with the probe and checks what its programs print on the console. The tests of the
# lab, which has an instrument, check what the programs measure.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

emulator=qemu-system-x86_64
package=qemu-system-x86
ending=
[ ! -e "$1/detent-probe-arm64.elf" ] || {
    emulator=qemu-system-aarch64
    package=qemu-system-arm
    ending=-arm64
}
if ! command -v "$emulator" >/dev/null; then
    echo "SKIP detent-probe, $2: no $emulator; apt-get install $package"
    exit 0
fi

# emulate WORDS...: runs the image on its machine; the serial line is written to $folder/log. An arm64 image contains its module.
emulate() {
    if [ -z "$ending" ]; then
        set -- -device isa-debug-exit,iobase=0xf4,iosize=0x04 ${module:+-initrd "$module"} "$@"
    else
        set -- -machine virt,gic-version=3 -cpu cortex-a57,cntfrq=1000000000 -semihosting-config enable=on,target=native "$@"
    fi
    timeout 120 "$emulator" -accel tcg -icount shift=0,sleep=off,align=off -rtc clock=vm,base=2026-01-01 \
        -nic none -display none -no-reboot -m 128 -serial "file:$folder/log" -kernel "$image" "$@" >/dev/null 2>&1
}

# says EXPECTED-EXIT-CODE WORDS TEXT: checks that a machine started with these words ends with this exit code and prints the text.
says() {
    code=0
    emulate -append "$2" || code=$?
    if [ "$code" -eq "$1" ] && grep -qF -- "$3" "$folder/log"; then
        echo "PASS detent-probe, $compiler: $2"
    else
        echo "FAIL detent-probe, $compiler: $2 (exit code $code)"
        tail -5 "$folder/log" | sed 's/^/    /'
        failed=1
    fi
}

compiler=$2
module=
image=$1/detent-probe$ending.elf
says 35 "probe measure wakeup --count 10" "there is no instrument to write the stream to"
says 35 "probe measure nothing" "unknown name"
says 33 "osbench -list" "1.01 event: this image has no second process"
says 33 "osbench -all -n 20" "20 samples, 0 lost"
says 35 "osbench -t 99" "osbench 99: there is no such test"
says 35 "osbench -t 1 -n 0" "--count '0': expected a whole number from 1"
says 35 "osbench -t 1 -m 0x379" "no parallel port has this address"
# The same program as a process.
image=$1/detent-osbench$ending.elf
[ -n "$ending" ] || says 35 "osbench -all" "cannot be started, error 2: its program is in the boot module osbench.a"
module=$1/osbench.a
says 33 "osbench -list" "1.01 event: from setting an event in a lower thread to the higher one that waits for it, in another process"
says 33 "osbench -all -n 20" "20 samples, 0 lost"
says 33 "profile=ce3.0 osbench -t 1.01 -n 5" "5 samples, 0 lost"
says 35 "osbench -t 99" "osbench 99: there is no such test"
says 35 "osbench -t 1 -n 0" "--count '0': expected a whole number from 1"
says 35 "osbench -t 1 -n 99999999999999999999" "--count '99999999999999999999': expected a whole number from 1"
says 35 "osbench -t 1 -m 0x379" "no parallel port has this address"
says 35 "osbench -t 1.00 -t 1.01 -t 1.02 -t 1.03 -t 2.00 -t 2.01 -t 2.02 -t 2.03 -t 3.00 -t 3.01 -t 3.02" "more than 79 characters of options"
says 35 "osbench_killed -t 1.01 -n 1000000" "the second process died in the middle of a measurement"
says 35 "osbench_killed -t 3.01 -n 1000000" "osbench: pages all given back"
says 35 "osbench_killed -t 5.03 -n 1000000" "the second process died in the middle of a measurement"
exit $failed
