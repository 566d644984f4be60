#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# The bench's machines beside each other, and the probe for Windows: one tab-separated line a figure, name value unit goal met peer
# peer_value conditions. What a machine lacks here is reported on standard error.
set -eu
cd "$(dirname "$0")/.."
tool=${BACKWALL:-target/release/backwall}
out=target/bench/machines
rm -rf $out && mkdir -p $out

# row NAME VALUE UNIT GOAL MET CONDITIONS
row() {
    printf '%s\t%s\t%s\t%s\t%s\t-\t-\t%s\n' "$@"
}

# exact MACHINE SCENARIO PULSES: how many of its pulses are answered after exactly 5 instructions.
exact() {
    for pass in 1 2; do
        "$tool" lab run --fresh --quiet "$2" --out $out/"$1"-$pass 2>$out/said || { echo "SKIP machines: $1: $(tail -n 1 $out/said)" >&2 && return; }
    done
    same=no
    ! cmp -s $out/"$1"-1/edges.bin $out/"$1"-2/edges.bin || same=yes
    answered=$("$tool" export csv $out/"$1"-1 | tr -d '\r' | awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        $1 == "isr" { print ($at["min"] == 5 && $at["max"] == 5) ? $at["done"] : 0 }')
    met=$([ $same = yes ] && [ "$answered" = "$3" ] && echo yes || echo no)
    row "machines: $1, pulses answered after exactly 5" "$answered" pulses "$3" "$met" "bare guest, two runs the same bytes: $same"
}

# seconds WORD...: the wall time of one run to its end, a pulse behind arming.
seconds() {
    begun=$(date +%s%N)
    "$tool" lab run --quiet "$@" 2>$out/said || return 1
    awk -v begun="$begun" -v ended="$(date +%s%N)" 'BEGIN { printf "%.2f", (ended - begun) / 1e9 }'
}

# first MACHINE BOOTED RESTORED: seconds until Debian's stock kernel has answered its first pulse, at most so many.
first() {
    printf 'about = "The first edge"\nmachine = "%s"\nguest = "linux:stock"\n[generator.a]\nshape = "one-shot"\nperiod = 200_000\n' "$1" >$out/"$1".toml
    seconds $out/"$1".toml --out $out/"$1"-state >/dev/null || { echo "SKIP machines: Linux on $1: $(tail -n 1 $out/said)" >&2 && return; }
    booted=$(seconds --fresh $out/"$1".toml --out $out/"$1"-booted) || return 0
    restored=$(seconds $out/"$1".toml --out $out/"$1"-restored) || return 0
    for what in "from nothing:$booted:$2" "from its saved state:$restored:$3"; do
        name=${what%%:*} goal=${what##*:} value=${what#*:}
        value=${value%:*}
        met=$(awk -v value="$value" -v goal="$goal" 'BEGIN { print (value <= goal) ? "yes" : "no" }')
        row "machines: Linux on $1, first edge $name" "$value" s "$goal" "$met" "wall time of the whole command, one pulse"
    done
}

# The probe for Windows, by Wine: of its fake port's streams the bytes that are those of Linux's.
windows() {
    wine=$(command -v wine64 || command -v wine || ls /usr/lib/wine/wine64 2>/dev/null) || { echo "SKIP machines: wine64 is not installed" >&2 && return; }
    command -v x86_64-w64-mingw32-gcc >/dev/null || { echo "SKIP machines: gcc-mingw-w64-x86-64 is not installed" >&2 && return; }
    probe=$PWD/$out/probe
    make -s -C probe OUT="$probe" "$probe/probe-fake" "$probe/probe-fake.exe"
    export WINEPREFIX="$probe/wine" WINEDEBUG=-all
    "$probe/probe-fake" measure wakeup --count 40000 >$out/here
    "$wine" "$probe/probe-fake.exe" measure wakeup --count 40000 >$out/there 2>$out/said || true
    "${wine%/*}/wineserver" -k 2>/dev/null || true
    all=$(wc -c <$out/here) other=$(cmp -l $out/here $out/there 2>/dev/null | wc -l)
    [ "$(wc -c <$out/there)" = "$all" ] || other=$all
    row "machines: Windows, bytes of the fake port's stream as Linux's" $((all - other)) bytes "$all" \
        "$([ "$other" = 0 ] && echo yes || echo no)" "Wine, which is no Windows: no time is told"
}

exact x86-pc bare-answer 1000
exact arm64-virt bare-answer-arm64 20000
exact riscv64-virt bare-answer-riscv64 20000
first arm64-virt 6 1
first riscv64-virt 6 1
windows
