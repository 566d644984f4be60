# SPDX-License-Identifier: MIT OR Apache-2.0
# From the blocks of one setting (round, tool, thread ns, process ns, median ns, p99 ns, lost, growth of resident bytes) to its
# figures. The tools of a round are paired: a figure is the geometric mean of the ratios of all rounds, with the 95 % interval
# that Student's t gives for their logarithms. A goal is met when the whole interval lies at or below it and missed when the
# whole interval lies above it; else the line says about how many rounds would decide.

# Student's t for 95 % on both sides, to 0.5 % from 4 degrees of freedom on.
function student(freedom) {
    return 1.96 + 2.37 / freedom + 2.8 / (freedom * freedom)
}

function mean_of(tool, field,    i, sum, n) {
    for (i = 1; i <= rounds; i++) if ((tool, field, i) in data) { sum += data[tool, field, i]; n++ }
    return n ? sum / n : 0
}

function total(tool, field,    i, sum) {
    for (i = 1; i <= rounds; i++) sum += data[tool, field, i]
    return sum + 0
}

# Sets ratio, low, high, half (of the interval, as a logarithm) and pairs.
function compare(field, peer,    i, x, sum, squares, variance) {
    pairs = 0
    for (i = 1; i <= rounds; i++) {
        if (data["ours", field, i] <= 0 || data[peer, field, i] <= 0) continue
        x = log(data["ours", field, i] / data[peer, field, i])
        sum += x
        squares += x * x
        pairs++
    }
    if (pairs < 3) return 0
    variance = (squares - sum * sum / pairs) / (pairs - 1)
    spread = variance > 0 ? sqrt(variance) : 0
    half = student(pairs - 1) * spread / sqrt(pairs)
    ratio = exp(sum / pairs)
    low = exp(sum / pairs - half)
    high = exp(sum / pairs + half)
    return 1
}

# What is lacking of a verdict: rounds, by how the interval shrinks.
function lacking(goal,    distance) {
    distance = log(goal / ratio)
    if (distance < 0) distance = -distance
    if (distance < 0.002) return "at the goal: no number of rounds decides"
    return sprintf("about %d rounds would decide", (2 * spread / distance) ^ 2 + 1)
}

function figure(what, field, peer, goal,    verdict, note) {
    if (!(peer in tools)) return
    if (!compare(field, peer)) {
        printf "%s.%s_to_%s\t-\tratio\t<= %.2f\t-\t-\t-\ttoo few rounds: %d\n", name, what, peer, goal, pairs
        return
    }
    verdict = high <= goal ? "yes" : low > goal ? "no" : "-"
    note = verdict == "-" ? "; " lacking(goal) : ""
    if (half > 0.03) note = note sprintf("; wider than 3 %%: %d rounds would do", (2 * spread / 0.03) ^ 2 + 1)
    printf "%s.%s_to_%s\t%.3f\tratio\t<= %.2f\t%s\t%s ns\t%.0f\t[%.3f, %.3f], %d pairs%s; ours %.0f ns; %s\n", name, what, peer, ratio, goal, \
        verdict, peer, mean_of(peer, field), low, high, pairs, note, mean_of("ours", field), where
}

{
    rounds = $1 > rounds ? $1 : rounds
    tools[$2] = 1
    for (field = 3; field <= 8; field++) data[$2, field, $1] = $field
}

END {
    where = sprintf("CPU %s, SCHED_FIFO %d, blocks of %.1f s in random order, %d ticks stolen", cpu, priority, block_us / 1e6, steal)
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
        name, total("ours", 7), total("cyclictest", 7), total("bare", 7), where
    printf "%s.resident_growth\t%d\tbytes\t<= 0\t%s\t-\t-\tover %d blocks; %s\n", \
        name, total("ours", 8), total("ours", 8) <= 0 ? "yes" : "no", rounds, where
}
