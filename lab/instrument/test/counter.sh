#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: counter.sh FOLDER: tests in QEMU the counters of heavy instructions and of instructions by mode, with guests that execute a
# known number of each. FOLDER contains the instrument and the guests `counted` and `moded`.
set -eu
folder=$1
if ! command -v qemu-system-x86_64 >/dev/null; then
    echo "SKIP counter: no qemu-system-x86_64; apt-get install qemu-system-x86"
    exit 0
fi
major=$(qemu-system-x86_64 --version | sed -n 's/.*version \([0-9]*\).*/\1/p')
version=$([ "$major" -ge 9 ] && echo 2 || echo 1)

# guest NAME ARGUMENT: runs the guest with the instrument, and writes the guest's output to NAME.channel.
guest() {
    timeout 60 qemu-system-x86_64 -accel tcg -icount shift=0,sleep=off,align=off -rtc clock=vm,base=2026-01-01 \
        -nic none -display none -no-reboot -serial none -m 16 -kernel "$folder/$1" \
        -plugin "$folder/instrument-v$version.so,edges=$folder/$1.edges,channel=$folder/$1.channel,$2" >"$folder/$1.log" 2>&1
}

cat >"$folder/counted.expected" <<'END'
cr3=1,msr=2,port=3,device=4,div=5,flag=6,locked=7,bit=8,fpu=9,iret=10
cr3=1,msr=1,port=0,device=0,div=0,flag=0,locked=0,bit=0,fpu=0,iret=0
unknown
END
guest counted count=1
if ! cmp -s "$folder/counted.expected" "$folder/counted.channel"; then
    echo "FAIL counter: the guest got these counts"
    cat "$folder/counted.log" "$folder/counted.channel"
    exit 1
fi
echo "PASS counter: a known number of each kind of heavy instruction is counted"

# Expected in kernel mode: 2,000 instructions of the loop, the move before it, the 18 instructions of the first `take` after its write, and
# the first 2 of the second `take`. Expected in user mode: none.
guest moded modes=1
told=$(od -A n -t u4 -v "$folder/moded.channel" | tr -s ' \n' ' ')
if [ "$told" != " 0 2021 0 0 " ]; then
    echo "FAIL counter: 2021 instructions in kernel mode and none in user mode were counted as:$told"
    cat "$folder/moded.log"
    exit 1
fi
echo "PASS counter: a known number of instructions is counted by mode"
