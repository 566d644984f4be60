#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# This tree against another commit, side by side: tools/against.sh COMMIT [bench_NAME.sh ...]
#
# Builds the other commit in a worktree of its own, runs the same bench scripts of both in turn, A B B A, and prints for each
# figure that both have: name, the other's value, ours, the ratio ours / other, and the larger of the two spreads between
# a tree's own runs, all in percent of the value. A figure is worse by more than its noise when the ratio lies farther from
# 1 than that spread. Each tree judges itself by its own scripts; figures of one tree only are listed by name.
set -eu
[ $# -ge 1 ] || { echo "usage: tools/against.sh COMMIT [bench_NAME.sh ...]" >&2 && exit 2; }
cd "$(dirname "$0")/.."
commit=$(git rev-parse --verify --quiet "$1^{commit}") || { echo "against: $1: no such commit" >&2 && exit 2; }
shift
work=$(mktemp -d)
other=$work/other
trap 'git worktree remove --force "$other" 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
git worktree add --quiet --detach "$other" "$commit"
scripts=${*:-$(cd "$other/tools" && ls bench_*.sh)}

# tree NAME FOLDER: one turn of all scripts that the tree has.
tree() {
    for script in $scripts; do
        [ -x "$2/tools/$script" ] || continue
        (cd "$2" && "tools/$script") >"$work/turn" 2>"$work/say" ||
            { echo "against: $script of $1 failed:" >&2 && tail -n 3 "$work/say" >&2; }
        sed "s/^/$1\t/" "$work/turn" >>"$work/figures"
    done
}

for folder in "$other" .; do (cd "$folder" && . tools/rust.sh && cargo bench --quiet --locked --no-run); done
tree other "$other"
tree ours .
tree ours .
tree other "$other"
awk -F '\t' '
    $3 ~ /^-?[0-9]+(\.[0-9]+)?$/ {
        key = $1 SUBSEP $2
        if (!($2 in seen)) { seen[$2] = 1; order[++names] = $2 }
        count[key]++; sum[key] += $3; unit[$2] = $4
        if (count[key] == 1 || $3 < low[key]) low[key] = $3
        if (count[key] == 1 || $3 > high[key]) high[key] = $3
    }
    function mean(tree, name) { return sum[tree, name] / count[tree, name] }
    function spread(tree, name) { return mean(tree, name) ? 100 * (high[tree, name] - low[tree, name]) / mean(tree, name) : 0 }
    END {
        printf "%-44s %12s %12s %-16s %8s %8s\n", "figure", "other", "ours", "unit", "ratio", "noise"
        for (i = 1; i <= names; i++) {
            name = order[i]
            if (!(("ours", name) in count) || !(("other", name) in count)) { alone = alone " " name; continue }
            a = spread("ours", name); b = spread("other", name)
            ratio = mean("other", name) ? sprintf("%8.3f", mean("ours", name) / mean("other", name)) : "       -"
            printf "%-44s %12.4g %12.4g %-16s %s %6.1f %%\n", name, mean("other", name), mean("ours", name), unit[name], ratio, (a > b ? a : b)
        }
        if (alone) print "in one tree only:" alone
    }' "$work/figures"
