# SPDX-License-Identifier: MIT OR Apache-2.0
# From the blocks of one setting (round, tool, thread ns, process ns, median ns, p99 ns, lost, growth of resident bytes) to its
# figures. The tools of a round are paired. A figure is the Hodges-Lehmann estimate of the ratio: the median of the means of
# all two rounds' logarithms, a round with itself included; its 95 % interval is that of Wilcoxon's signed ranks, which
# a few blocks that the machine spoilt cannot carry away. A goal is met when the whole interval lies at or below it and
# missed when the whole interval lies above it; else the line says about how many rounds would decide. Blocks marked "again"
# were repeated: only their lost releases count.

function median_of(tool, field,    i, v, n) {
    for (i = 1; i <= rounds; i++) if ((tool, field, i) in data) v[++n] = data[tool, field, i]
    sort(v, n)
    return n ? v[int((n + 1) / 2)] : 0
}

function total(tool, field,    i, sum) {
    for (i = 1; i <= rounds; i++) sum += data[tool, field, i]
    return sum + 0
}

# Sorts v[1..n], by Shell.
function sort(v, n,    gap, i, j, x) {
    for (gap = int(n / 2); gap > 0; gap = int(gap / 2))
        for (i = gap + 1; i <= n; i++) {
            x = v[i]
            for (j = i - gap; j > 0 && v[j] > x; j -= gap) v[j + gap] = v[j]
            v[j + gap] = x
        }
}

# Sets ratio, low, high, half (of the interval, as a logarithm) and pairs. With fewer than six pairs no signed ranks give 95 %.
function compare(field, peer,    i, j, x, walsh, n, outer) {
    pairs = n = 0
    for (i = 1; i <= rounds; i++) {
        if (data["ours", field, i] <= 0 || data[peer, field, i] <= 0) continue
        x[++pairs] = log(data["ours", field, i] / data[peer, field, i])
    }
    if (pairs < 6) return 0
    for (i = 1; i <= pairs; i++) for (j = i; j <= pairs; j++) walsh[++n] = (x[i] + x[j]) / 2
    sort(walsh, n)
    outer = int(n / 2 - 1.96 * sqrt(pairs * (pairs + 1) * (2 * pairs + 1) / 24))
    if (outer < 1) outer = 1
    ratio = exp((walsh[int((n + 1) / 2)] + walsh[int(n / 2) + 1]) / 2)
    low = exp(walsh[outer])
    high = exp(walsh[n + 1 - outer])
    half = (walsh[n + 1 - outer] - walsh[outer]) / 2
    return 1
}

# What is lacking of a verdict: rounds, by how the interval shrinks.
function lacking(goal,    distance) {
    distance = log(goal / ratio)
    if (distance < 0) distance = -distance
    if (distance < 0.002) return "at the goal: no number of rounds decides"
    return sprintf("about %d rounds would decide", pairs * (half / distance) ^ 2 + 1)
}

function figure(what, field, peer, goal,    verdict, note) {
    if (!(peer in tools)) return
    if (!compare(field, peer)) {
        printf "%s.%s_to_%s\t-\tratio\t<= %.2f\t-\t-\t-\ttoo few rounds: %d\n", name, what, peer, goal, pairs
        return
    }
    verdict = high <= goal ? "yes" : low > goal ? "no" : "-"
    note = verdict == "-" ? "; " lacking(goal) : ""
    if (half > 0.03) note = note sprintf("; wider than 3 %%: %d rounds would do", pairs * (half / 0.03) ^ 2 + 1)
    printf "%s.%s_to_%s\t%.3f\tratio\t<= %.2f\t%s\t%s ns\t%.0f\t[%.3f, %.3f], %d pairs%s; ours %.0f ns; %s\n", name, what, peer, ratio, goal, \
        verdict, peer, median_of(peer, field), low, high, pairs, note, median_of("ours", field), where
}

$1 == "again" { again++; lost[$2] += $7; next }
{
    lost[$2] += $7
    rounds = $1 > rounds ? $1 : rounds
    tools[$2] = 1
    for (field = 3; field <= 8; field++) data[$2, field, $1] = $field
}

END {
    where = sprintf("CPU %s, SCHED_FIFO %d, blocks of %.1f s in random order, %d ticks stolen, %d blocks repeated", cpu, priority, block_us / 1e6, steal, again)
    off = "cyclictest-main-off"
    figure("cpu", 3, "bare", 1.03)
    figure("cpu", 3, "cyclictest", 1.00)
    figure("cpu", 3, off, 1.00)
    figure("process_cpu", 4, "bare", 1.03)
    figure("process_cpu", 4, "cyclictest", 1.00)
    figure("process_cpu", 4, off, 1.00)
    figure("median", 5, "bare", 1.00)
    figure("median", 5, off, 1.00)
    figure("p99", 6, "bare", 1.00)
    figure("p99", 6, off, 1.00)
    printf "%s.lost\t%d\treleases\t-\t-\tcyclictest\t%d\tcounted by ours, uncounted by cyclictest; bare loop lost %d; %s\n", \
        name, lost["ours"], lost["cyclictest"], lost["bare"], where
    printf "%s.resident_growth\t%d\tbytes\t<= 0\t%s\t-\t-\tover %d blocks; %s\n", \
        name, total("ours", 8), total("ours", 8) <= 0 ? "yes" : "no", rounds, where
}
