# SPDX-License-Identifier: MIT OR Apache-2.0
# From the blocks of one setting (tool, thread ns, process ns, median ns, lost, growth of resident bytes) to its figures.
# A block's figure may be disturbed by whatever else the machine does; the median of a tool's blocks is compared, and the
# smallest and largest block are printed so that the noise can be seen. A goal is missed for certain only when our best block
# is worse than the peer's worst; in between there is no verdict.

function median(tool, field,    i, j, n, keep, v) {
    n = count[tool]
    for (i = 1; i <= n; i++) v[i] = data[tool, field, i]
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && v[j - 1] > v[j]; j--) { keep = v[j]; v[j] = v[j - 1]; v[j - 1] = keep }
    low = v[1]
    high = v[n]
    return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
}

function spread(tool, field) {
    median(tool, field)
    return sprintf("%s %.0f..%.0f", tool, low, high)
}

function total(tool, field,    i, sum) {
    for (i = 1; i <= count[tool]; i++) sum += data[tool, field, i]
    return sum
}

function verdict(mine, theirs, goal, best, worst) {
    return !goal ? "-" : mine <= theirs * goal ? "yes" : best > worst * goal ? "no" : "-"
}

# One figure: ours as a ratio to the peer's, with a goal, and both in nanoseconds.
function ratio(what, field, peer, goal,    mine, theirs, best) {
    mine = median("ours", field)
    best = low
    theirs = median(peer, field)
    printf "%s.%s_to_%s\t%.3f\tratio\t%s\t%s\t%s\t%.0f\t%s\n", name, what, peer, mine / theirs, goal ? "<= " goal : "-", \
        verdict(mine, theirs, goal, best, high), peer " ns", theirs, \
        sprintf("ours %.0f ns; blocks of %d s: %s, %s; %s", mine, seconds, spread("ours", field), spread(peer, field), where)
}

{
    n = ++count[$1]
    for (field = 2; field <= 6; field++) data[$1, field, n] = $field
}

END {
    where = sprintf("CPU %d, SCHED_FIFO %d, %d blocks each, %d ticks stolen", cpu, priority, blocks, steal)
    ratio("cpu", 2, "bare", 1.05)
    ratio("cpu", 2, "cyclictest", 1.00)
    ratio("process_cpu", 3, "cyclictest", 0)
    ratio("median", 4, "cyclictest", 1.00)
    ratio("median", 4, "bare", 0)
    printf "%s.lost\t%d\tactivations\t-\t-\tcyclictest\t%d\tcounted by ours, uncounted by cyclictest; bare loop lost %d; %s\n", \
        name, total("ours", 5), total("cyclictest", 5), total("bare", 5), where
    printf "%s.resident_growth\t%d\tbytes\t<= 0\t%s\t-\t-\tover %d runs of %d s; %s\n", \
        name, total("ours", 6), total("ours", 6) <= 0 ? "yes" : "no", count["ours"], seconds, where
}
