#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# test_windows.sh OUT: compiles the probe for Windows with mingw-w64, as strictly as for Linux, and runs it in Wine. Its list must be the
# same as on this machine, the fake port must write the same stream byte for byte, and a measure and the papers' operations must finish.
# No figure is judged, because Wine is not Windows.
set -u
out=$1
failures=0
wine=$(command -v wine64 || command -v wine || ls /usr/lib/wine/wine64 2>/dev/null)

fail() {
    echo "FAIL probe for Windows: $1" >&2
    failures=$((failures + 1))
}

command -v x86_64-w64-mingw32-gcc >/dev/null || { echo "SKIP probe for Windows: gcc-mingw-w64-x86-64 is not installed" && exit 0; }
make -s OUT="$out" "$out/probe" "$out/probe-fake" "$out/probe.exe" "$out/probe-fake.exe" || { fail "it does not compile" && exit 1; }
[ -n "$wine" ] || { echo "SKIP probe for Windows: compiled without a warning; wine64 is not installed" && exit 0; }
folder=$(mktemp -d)
trap 'WINEPREFIX="$folder/wine" "${wine%/*}/wineserver" -k 2>/dev/null; rm -rf "$folder"' EXIT
export WINEPREFIX="$folder/wine" WINEDEBUG=-all

# At its first start, Wine reports on standard error which files it creates.
exe() {
    program=$1
    shift
    "$wine" "$out/$program.exe" "$@" 2>"$folder/said"
}

exe probe list >"$folder/list" || fail "list: $(tail -n 1 "$folder/said")"
"$out/probe" list | cmp - "$folder/list" || fail "another list"
for what in "measure wakeup --count 40000" "operation 1.00 --count 400" "operation 3.00 --count 400"; do
    # shellcheck disable=SC2086 # words
    "$out/probe-fake" $what >"$folder/here"
    # shellcheck disable=SC2086
    exe probe-fake $what >"$folder/there"
    [ -s "$folder/there" ] && cmp "$folder/here" "$folder/there" || fail "another stream of: $what"
done
exe probe measure wakeup --count 200 --period-ns 2000000 --priority 95 >"$folder/stream" || fail "wakeup: $(tail -n 1 "$folder/said")"
for test in 0.00 0.02 1.00 2.00 3.00 4.00 9.00; do
    exe probe operation $test --count 50 --priority 90 >"$folder/stream.$test" || fail "operation $test: $(tail -n 1 "$folder/said")"
    [ "$(wc -c <"$folder/stream.$test")" -gt 400 ] || fail "operation $test: hardly a stream"
done
exe probe operation 1.01 --count 50 >/dev/null && fail "a row across processes is refused with a reason"
grep -q "no second process on Windows" "$folder/said" || fail "across: $(tail -n 1 "$folder/said")"
exe probe nonsense >/dev/null
[ $? = 2 ] || fail "bad usage is exit code 2"
[ $failures != 0 ] || echo "PASS probe for Windows: compiled without a warning; under Wine the same list and stream, and measures that end"
exit $((failures > 0))
