# SPDX-License-Identifier: MIT OR Apache-2.0
# Seconds of each test in one log of the harness, whose lines begin with the time at which they came: `seconds<TAB>name`.
#
# The harness prints when a test has ended and not when it began. It begins them by name, `threads` at once, and the next one
# whenever one has ended; so the n-th by name began when the (n - threads)-th of all had ended, the first ones at once.
# Two passes over the same log: by name (sorted, LC_ALL=C), and as it was written.
function name_of(row) {
    sub(/^[0-9.]+ test /, "", row)
    sub(/ \.\.\. .*/, "", row)
    sub(/ - should panic$/, "", row)
    return row
}
/^[0-9.]+ running [0-9]+ test/ && FNR != NR { began = $1; ended = 0; next }
!/^[0-9.]+ test .* \.\.\. / { next }
FNR == NR { place[name_of($0)] = ++names; next }
{
    name = name_of($0)
    end[++ended] = $1
    begin = place[name] > threads ? end[place[name] - threads] : began
    printf "%.1f\t%s\n", $1 - begin, name
}
