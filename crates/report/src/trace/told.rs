// SPDX-License-Identifier: MIT OR Apache-2.0
//! A recording as text: users of the CPUs, waits and their causes, boosts.
use super::words::{cell, priority, share, thread, time};
use crate::table::{Align, Table};
use crate::wrap::narrow;
use backwall_model::units::{Unit, counted, grouped};
use backwall_trace::account::summary::{Summary, Thread};

const THREADS: usize = 12;
const DRAWN: usize = 6;
/// Width of a drawn row, if the name leaves room.
const LETTERS: usize = 60;
const NAMES: usize = 30;
/// Columns dropped on a narrow terminal, least important first; run and wait times stay.
const DISPENSABLE: [&str; 7] = ["moved", "interrupted", "woken", "p50", "p99", "waited most for", "share"];
const BOOSTS: usize = 8;

/// The complete text except the head, which the caller prints, in lines no longer than `columns`.
pub fn told(summary: &Summary, unit: Unit, all: bool, columns: usize) -> String {
    let rows = if all { usize::MAX } else { THREADS };
    let parts = [
        processors(summary).within(columns, &["unknown"]),
        narrow(&taking_part(summary), columns),
        if summary.switches > 0 { threads(summary, unit, rows, columns) } else { String::new() },
        sections(summary, unit, columns),
        over_time(summary, unit, columns),
        narrow(&boosts(summary, if all { usize::MAX } else { BOOSTS }), columns),
    ];
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("\n")
}

fn processors(summary: &Summary) -> Table {
    let mut table = Table::new(&[
        ("CPU", Align::Left),
        ("threads", Align::Right),
        ("interrupts", Align::Right),
        ("softirqs", Align::Right),
        ("idle", Align::Right),
        ("unknown", Align::Right),
    ]);
    for cpu in &summary.cpus {
        let part = |ns| share(ns, summary.span_ns);
        table.row(vec![
            format!("CPU {}", cpu.cpu),
            part(cpu.threads_ns),
            part(cpu.interrupts_ns),
            part(cpu.softirqs_ns),
            part(cpu.idle_ns),
            part(cpu.unknown_ns),
        ]);
    }
    table
}

fn taking_part(summary: &Summary) -> String {
    if summary.switches == 0 {
        return "no sched_switch events, so the CPU time of threads is unknown\n".to_string();
    }
    let missed = match summary.missed_switches {
        0 => String::new(),
        count => {
            let were = counted(count, "switch was not recorded and shows", "switches were not recorded and show");
            format!("; {were} as unknown")
        }
    };
    format!("{} of {} threads took part{missed}\n", summary.took_part, summary.known)
}

fn threads(summary: &Summary, unit: Unit, rows: usize, columns: usize) -> String {
    let mut table = Table::new(&[
        ("thread", Align::Left),
        ("priority", Align::Left),
        ("CPU time", Align::Right),
        ("share", Align::Right),
        ("interrupted", Align::Right),
        ("woken", Align::Right),
        ("p50", Align::Right),
        ("p99", Align::Right),
        ("longest", Align::Right),
        ("moved", Align::Right),
        ("waited most for", Align::Left),
    ]);
    for row in summary.threads.iter().filter(|thread| thread.running_ns > 0).take(rows) {
        table.row(of_thread(summary, unit, row));
    }
    let more = (summary.took_part as usize).saturating_sub(rows);
    let more = if more > 0 { format!("and {more} more (--verbose)\n") } else { String::new() };
    unit_line(unit) + &table.within(columns, &DISPENSABLE) + &more
}

fn unit_line(unit: Unit) -> String {
    match unit {
        Unit::Ns => String::new(),
        Unit::Instructions => "all times in executed instructions\n".into(),
    }
}

fn of_thread(summary: &Summary, unit: Unit, row: &Thread) -> Vec<String> {
    let of_latency = |value: fn(&backwall_trace::account::summary::Latency) -> u64| {
        row.latency.as_ref().map_or("-".to_string(), |latency| cell(value(latency), unit))
    };
    let waited = row.waited_for.first().filter(|waited| waited.ns > 0);
    vec![
        thread(row),
        row.priority.map_or("-".to_string(), priority),
        cell(row.cpu_ns, unit),
        share(row.cpu_ns, summary.capacity_ns()),
        cell(row.interrupted_ns, unit),
        row.latency.as_ref().map_or("-".to_string(), |latency| grouped(latency.count)),
        of_latency(|latency| latency.p50_ns),
        of_latency(|latency| latency.p99_ns),
        of_latency(|latency| latency.max_ns),
        grouped(row.migrations),
        waited.map_or(String::new(), |waited| format!("{} {}", cell(waited.ns, unit), waited.what)),
    ]
}

fn sections(summary: &Summary, unit: Unit, columns: usize) -> String {
    let mut table = Table::new(&[
        ("interrupt or softirq", Align::Left),
        ("count", Align::Right),
        ("time", Align::Right),
        ("share", Align::Right),
        ("longest", Align::Right),
    ]);
    for section in &summary.sections {
        table.row(vec![
            format!("{} {}", section.kind, section.name),
            grouped(section.count),
            cell(section.ns, unit),
            share(section.ns, summary.capacity_ns()),
            cell(section.longest_ns, unit),
        ]);
    }
    if summary.sections.is_empty() { String::new() } else { table.within(columns, &["share"]) }
}

fn over_time(summary: &Summary, unit: Unit, wide: usize) -> String {
    let columns = summary.span_ns.div_ceil(summary.column_ns.max(1)) as usize;
    if columns < 2 {
        return String::new();
    }
    let at_once = columns.div_ceil(wide.saturating_sub(NAMES).clamp(10, LETTERS));
    let width_ns = summary.column_ns * at_once as u64;
    let mut table = Table::new(&[("over time", Align::Left), ("", Align::Left)]);
    for row in summary.threads.iter().filter(|thread| thread.cpu_ns > 0).take(DRAWN) {
        let sums = (0..columns.div_ceil(at_once)).map(|letter| {
            let first = letter * at_once;
            row.over_time.iter().skip(first).take(at_once).sum::<u64>()
        });
        table.row(vec![thread(row), sums.map(|ns| block(ns, width_ns)).collect()]);
    }
    let cell = format!("a block is {}; full height is one whole CPU\n", time(width_ns, unit));
    table.within(wide, &[]) + &narrow(&cell, wide)
}

fn block(ns: u64, width_ns: u64) -> char {
    const BLOCKS: [char; 9] = ['·', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let eighths = (ns as f64 / width_ns as f64 * 8.0).ceil() as usize;
    BLOCKS[eighths.min(8)]
}

fn boosts(summary: &Summary, most: usize) -> String {
    let each = summary.threads.iter().flat_map(|thread| thread.boosts.iter().map(move |boost| (thread, boost)));
    let told = each.clone().take(most).map(|(boosted, boost)| {
        format!(
            "{} held a lock and was boosted from {} to {} by {}, which waited for that lock ({})\n",
            thread(boosted),
            priority(boost.from),
            priority(boost.to),
            boost.by,
            counted(boost.count, "time", "times")
        )
    });
    let told: String = told.collect();
    let kinds = each.count().saturating_sub(most);
    let more = if kinds > 0 {
        format!("and {} of boosts (--verbose)\n", counted(kinds as u64, "more kind", "more kinds"))
    } else {
        String::new()
    };
    let untold: u64 = summary.threads.iter().map(|thread| thread.boosts_beyond).sum();
    let beyond = counted(untold, "boost", "boosts");
    let beyond = format!("and {beyond} of threads that were boosted in too many ways to list\n");
    told + &more + if untold > 0 { &beyond } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_trace::account::summary::Boost;

    #[test]
    fn no_line_is_wider_than_the_terminal_and_no_figure_is_cut() {
        let name = "a-name-of-fifteen";
        let thread = |id: i32| Thread {
            id,
            name: name.into(),
            cpu_ns: 1_234_567_890,
            running_ns: 1_234_567_890,
            over_time: vec![900_000_000; 4],
            ..Thread::default()
        };
        let threads = (1..6).map(thread).collect();
        let summary =
            Summary { span_ns: 4_000_000_000, column_ns: 1_000_000_000, switches: 1, threads, ..Summary::default() };
        for columns in [50, 80, 200] {
            let text = told(&summary, Unit::Ns, true, columns);
            assert!(text.lines().all(|line| line.chars().count() <= columns), "{columns}: {text}");
            assert!(text.contains("1,234.6 ms"), "{columns}: {text}");
        }
    }

    #[test]
    fn boosts_that_are_not_told_are_counted() {
        let boost = |by: usize| Boost { by: format!("waiter ({by})"), from: 120, to: 50, count: 2 };
        let thread = Thread { id: 7, boosts: (0..11).map(boost).collect(), boosts_beyond: 1_234, ..Thread::default() };
        let summary = Summary { threads: vec![thread], ..Summary::default() };
        let brief = boosts(&summary, BOOSTS);
        assert_eq!(brief.matches("was boosted from ordinary to real-time 49").count(), 8, "{brief}");
        assert!(brief.contains("and 3 more kinds of boosts (--verbose)\nand 1,234 boosts of threads"), "{brief}");
        assert_eq!(boosts(&summary, usize::MAX).matches("was boosted").count(), 11);
    }
}
