#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: counter.sh FOLDER: the counter of heavy instructions in QEMU, on a guest with a known number of each kind.
# FOLDER holds the instrument and the guest `counted`.
set -eu
folder=$1
if ! command -v qemu-system-x86_64 >/dev/null; then
    echo "SKIP counter: no qemu-system-x86_64; apt-get install qemu-system-x86"
    exit 0
fi
major=$(qemu-system-x86_64 --version | sed -n 's/.*version \([0-9]*\).*/\1/p')
version=$([ "$major" -ge 9 ] && echo 2 || echo 1)

# guest CHANNEL-FILE [ARGUMENT]: runs it with the instrument.
guest() {
    timeout 60 qemu-system-x86_64 -accel tcg -icount shift=0,sleep=off,align=off -rtc clock=vm,base=2026-01-01 \
        -nic none -display none -no-reboot -serial none -m 16 -kernel "$folder/counted" \
        -plugin "$folder/instrument-v$version.so,edges=$folder/counted.edges,channel=$1${2:+,$2}" >"$folder/counted.log" 2>&1
}

cat >"$folder/counted.expected" <<'END'
cr3=1,msr=2,port=3,device=4,div=5,flag=6,locked=7,bit=8,fpu=9,iret=10
cr3=1,msr=1,port=0,device=0,div=0,flag=0,locked=0,bit=0,fpu=0,iret=0
unknown
END
guest "$folder/counted.channel" count=1
if ! cmp -s "$folder/counted.expected" "$folder/counted.channel"; then
    echo "FAIL counter: the guest was told"
    cat "$folder/counted.log" "$folder/counted.channel"
    exit 1
fi
echo "PASS counter: a known number of each kind of heavy instruction is counted"
