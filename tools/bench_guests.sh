#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# What is reported in emulated machines, where the truth is known, one tab-separated line a figure: name value unit goal met peer peer_value
# conditions. Functions that mask interrupts, in guests that count instructions; a machine that stands still, as its emulator is stopped;
# and, where `live` is asked for, a machine that is measured, followed and recorded with causes injected.
# BACKWALL_KERNELS names the kernels, with blanks between their paths; else the newest that the lab has fetched for BACKWALL_MACHINE.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/guest_machine.sh
machine=${BACKWALL_MACHINE:-x86_64}
machine_for "$machine"
times=${BACKWALL_TIMES:-25} stalls=${BACKWALL_STALLS:-34}
what=${BACKWALL_WHAT:-masked below}
kinds=${BACKWALL_KINDS:-sigtimedwait@2000 sigtimedwait@26 sigtimedwait@40 sigaction@40 eventfd@40} loads=${BACKWALL_LOADS:-user calls switches}
fetched=$(ls -t "${XDG_CACHE_HOME:-$HOME/.cache}"/backwall/linux/*/boot/vmlinuz-*[0-9]-"$debian" 2>/dev/null || true)
kernels=${BACKWALL_KERNELS:-$(echo "$fetched" | head -n 1)}
out=$PWD/target/bench/guests-$machine
[ -n "$kernels" ] || { echo "SKIP guests of $machine: no kernel: backwall lab run linux-stock fetches one" >&2 && exit 0; }
lacks=$(machine_lacks "$machine")
[ -z "$lacks" ] || { echo "SKIP guests of $machine: $lacks" >&2 && exit 0; }
rm -rf "$out" && mkdir -p "$out/root"
emulator=
trap '[ -z "$emulator" ] || kill -9 "$emulator" 2>/dev/null || true' EXIT

# image: the guests' first file system, without debug symbols: emulated memory is slow.
image() {
    local program
    "$compiler" -O2 -static -std=c11 -Wall -Wextra -Werror -o "$out/causes" probe/bench/causes/*.c
    "$compiler" -O2 -static -std=c11 -Wall -Wextra -Werror -D_DEFAULT_SOURCE -o "$out/off" probe/bench/off.c
    "$strip" --strip-all -o "$out/backwall" "$tool"
    mkdir -p "$out"/root/{proc,sys,dev,tmp,run,root,bench/tools}
    install tools/bench_guest.init "$out/root/init"
    install tools/bench_causes.sh tools/bench_named.awk "$out/root/bench/tools"
    machine_programs "$out/root" "$out/debian" || return
    for program in causes off backwall; do put "$out/$program" "bin/$program" "$out/root"; done
    (cd "$out/root" && find . | cpio --quiet -o -H newc) >"$out/image"
}

# boots KERNEL CONSOLE OPTIONS... -- WORDS: begins an emulator.
boots() {
    local kernel=$1 listener=$2 options=()
    shift 2
    while [ "$1" != -- ]; do options+=("$1") && shift; done
    "${emulator_of_machine[@]}" -nodefaults -display none -no-reboot -m 1536 "${options[@]}" -kernel "$kernel" -initrd "$out/image" \
        -serial "file:$listener" -append "console=$console quiet panic=-1 rdinit=/init $*" </dev/null &
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
    local said=$out/$2.masked kind held
    # shellcheck disable=SC2086
    boots "$1" "$said" -accel tcg -icount shift=0,sleep=off,align=off -rtc clock=vm -- masked "$times" $kinds
    ended || true
    for kind in $kinds; do
        held=$(tr -d '\r' <"$said" | sed -n "/^CASE $kind\$/,/^END $kind\$/s/^HELD //p")
        figure "guests.masked.$kind $2" "$(named "$said" "$kind" "masked by [a-z_0-9]*${kind%@*}")" "${held:-0}" 99 \
            "named as the largest share by watch, in a guest of one processor that counts instructions"
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
    local said=$out/$2.below load right all=0
    : >"$said"
    # Beside others the emulator stands still by itself: that is the machine below, too, and is named so.
    # shellcheck disable=SC2086
    boots "$1" "$said" -accel tcg -- below $((stalls / 5 + 5)) $loads
    for load in $loads; do
        until grep -q "STALLS $load" "$said"; do
            kill -0 "$emulator" 2>/dev/null || break
            sleep 0.2
        done
        sleep 0.5
        stops
    done
    ended || true
    for load in $loads; do
        right=$(named "$said" "$load" 'the machine below stood still')
        right=$((right < stalls ? right : stalls))
        all=$((all + right))
        figure "guests.below.$load $2" $right "$stalls" 95 "stalls of 8 ms named as the largest share, no clock of stolen time"
    done
    # shellcheck disable=SC2086
    figure "guests.below $2" $all $((stalls * $(echo $loads | wc -w))) 95 "under all of these loads: $loads"
}

# whole CONSOLE LOAD: how many responses of the run were seen whole, and how many were looked for.
whole() {
    tr -d '\r' <"$1" | awk -v load="$2" '$1 == "WHOLE" && $2 == load { print $3, $3 + $4 }' | tail -n 1
}

# live KERNEL NAME: two processors, of which the second is measured as a user would, and kept from its work on purpose. An instruction takes
# them 8 ns, by which the emulator's own stalls take no time; one of them executes at a time, until the machine's next timer at most.
live() {
    local said=$out/$2.live load seen of
    boots "$1" "$said" -accel tcg,thread=single -icount shift=3,sleep=off,align=off -rtc clock=vm -smp 2 -- live "$times"
    ended || true
    for load in none spin; do
        read -r seen of < <(whole "$said" $load) || true
        figure "guests.live.whole $load $2" "${seen:-0}" "${of:-0}" 99.9 "responses at 20 ms seen whole by run; emulated $machine, two processors, 8 ns an instruction"
    done
    tr -d '\r' <"$said" | awk -F '\t' -v OFS='\t' -v name="$2" -v machine="$machine" \
        '/^causes\./ { $1 = "guests.live." $1 " " name; $8 = $8 "; emulated " machine ", two processors, 8 ns an instruction"; print }'
}

image
for kernel in $kernels; do
    name=$(basename "$kernel" | sed 's/^vmlinuz-//')
    for one in $what; do $one "$kernel" "$name"; done
done
