#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# What is told in emulated machines, where the truth is known, one tab-separated line a figure: name value unit goal met peer peer_value
# conditions. Functions that mask interrupts, in guests that count instructions; a machine that stands still, as its emulator is stopped; a
# processor that goes off line. BACKWALL_KERNELS names the kernels, with blanks between their paths; else the newest that the lab has fetched.
set -euo pipefail
cd "$(dirname "$0")/.."
tool=${BACKWALL:-target/release/backwall} times=${BACKWALL_TIMES:-25} stalls=${BACKWALL_STALLS:-34}
what=${BACKWALL_WHAT:-masked below hotplug}
kinds=${BACKWALL_KINDS:-sigtimedwait@2000 sigtimedwait@40 sigaction@40 eventfd@40} loads=${BACKWALL_LOADS:-user calls switches}
fetched=$(ls -t "${XDG_CACHE_HOME:-$HOME/.cache}"/backwall/linux/*/boot/vmlinuz-*[0-9]-amd64 2>/dev/null | grep -v rt-amd64 || true)
kernels=${BACKWALL_KERNELS:-$(echo "$fetched" | head -n 1)}
out=$PWD/target/bench/guests
[ -n "$kernels" ] || { echo "bench: no kernel: backwall lab run linux-stock fetches one" >&2 && exit 0; }
rm -rf "$out" && mkdir -p "$out/root"
emulator=
trap '[ -z "$emulator" ] || kill -9 "$emulator" 2>/dev/null || true' EXIT

# put PROGRAM PLACE: a program and the libraries that it asks for, into the guests' first file system.
put() {
    local library
    install -D "$1" "$out/root/$2"
    for library in $(ldd "$1" 2>/dev/null | grep -o '/[^ ]*' || true); do
        [ -e "$out/root$library" ] || install -D "$library" "$out/root$library"
    done
}

# image: the guests' first file system, without debug symbols: emulated memory is slow.
image() {
    local program
    gcc -O2 -static -std=c11 -Wall -Wextra -Werror -o "$out/causes" probe/bench/causes.c probe/bench/masks.c
    gcc -O2 -static -std=c11 -Wall -Wextra -Werror -D_DEFAULT_SOURCE -o "$out/off" probe/bench/off.c
    strip --strip-all -o "$out/backwall" "$tool"
    mkdir -p "$out"/root/{proc,sys,dev,tmp,run,root}
    install tools/bench_guest.init "$out/root/init"
    for program in causes off backwall; do put "$out/$program" "bin/$program"; done
    for program in sh cat grep kill mkfifo mount rm rmdir sed sleep yes; do put "$(type -P $program)" "bin/$program"; done
    (cd "$out/root" && find . | cpio --quiet -o -H newc) >"$out/image"
}

# boots KERNEL CONSOLE OPTIONS... -- WORDS: begins an emulator.
boots() {
    local kernel=$1 console=$2 options=()
    shift 2
    while [ "$1" != -- ]; do options+=("$1") && shift; done
    qemu-system-x86_64 -nodefaults -display none -no-reboot -cpu max -m 1536 "${options[@]}" -kernel "$kernel" -initrd "$out/image" \
        -serial "file:$console" -append "console=ttyS0 quiet panic=-1 rdinit=/init $*" </dev/null &
    emulator=$!
}

# ended: waits for the guest's end.
ended() {
    local status=0
    wait "$emulator" || status=$?
    emulator=
    return $status
}

# named CONSOLE CASE SAYS: how many responses are named so.
named() {
    tr -d '\r' <"$1" | sed -n "/^CASE $2\$/,/^END $2\$/p" | awk -v says="$3" -f tools/bench_named.awk
}

# figure NAME NAMED TRIED GOAL CONDITIONS: prints it; the goal is in hundredths.
figure() {
    awk -v OFS='\t' -v name="$1" -v named="$2" -v tried="$3" -v goal="$4" -v conditions="$5" 'BEGIN {
        right = named < tried ? named + 0 : tried + 0
        print name, right, "of " tried, ">= " goal " %", (tried > 0 && right * 100 >= tried * goal ? "yes" : "no"), "-", "-", conditions
    }'
}

# masked KERNEL NAME: each kind keeps interrupts out from 5 us before a release on.
masked() {
    local console=$out/$2.masked kind held
    # shellcheck disable=SC2086
    boots "$1" "$console" -accel tcg -icount shift=0,sleep=off,align=off -rtc clock=vm -- masked "$times" $kinds
    ended || true
    for kind in $kinds; do
        held=$(tr -d '\r' <"$console" | sed -n "/^CASE $kind\$/,/^END $kind\$/s/^HELD //p")
        figure "guests.masked.$kind $2" "$(named "$console" "$kind" "masked by [a-z_0-9]*${kind%@*}")" "${held:-0}" 99 \
            "named as the largest share by run --attach, in a guest of one processor that counts instructions"
    done
}

# stops: stops the emulator so often, and lets it go on: the machine below stands still for 8 ms and more.
stops() {
    local count
    for ((count = 0; count < stalls; count++)); do
        sleep "$(printf '0.%03d' $((RANDOM % 50 + 60)))"
        kill -STOP "$emulator"
        sleep 0.008
        kill -CONT "$emulator"
    done
}

# below KERNEL NAME: no clock of stolen time can be had in an emulator.
below() {
    local console=$out/$2.below load right all=0
    : >"$console"
    # Beside others the emulator stands still by itself: that is the machine below, too, and is named so.
    # shellcheck disable=SC2086
    boots "$1" "$console" -accel tcg -- below $((stalls / 5 + 5)) $loads
    for load in $loads; do
        until grep -q "STALLS $load" "$console"; do
            kill -0 "$emulator" 2>/dev/null || break
            sleep 0.2
        done
        sleep 0.5
        stops
    done
    ended || true
    for load in $loads; do
        right=$(named "$console" "$load" 'the machine below stood still')
        right=$((right < stalls ? right : stalls))
        all=$((all + right))
        figure "guests.below.$load $2" $right "$stalls" 95 "stalls of 8 ms named as the largest share, no clock of stolen time"
    done
    # shellcheck disable=SC2086
    figure "guests.below $2" $all $((stalls * $(echo $loads | wc -w))) 95 "under all of these loads: $loads"
}

# hotplug KERNEL NAME: the other of two processors goes and comes.
hotplug() {
    local console=$out/$2.hotplug
    boots "$1" "$console" -accel tcg,thread=single -smp 2 -- hotplug "$times"
    ended || true
    figure "guests.hotplug $2" "$(named "$console" hotplug 'CPU 1 (was taken off|came on) line')" "$times" 95 \
        "a processor that went off line $times times, named as the largest share of a response on the other one"
}

image
for kernel in $kernels; do
    name=$(basename "$kernel" | sed 's/^vmlinuz-//')
    for one in $what; do $one "$kernel" "$name"; done
done
