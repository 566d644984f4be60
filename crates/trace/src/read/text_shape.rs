// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which tool printed a text, and what each of its rows is. One tool printed all rows, but a thread's name may make a row look
//! like one of another tool. So the rows decide together.
use super::rows::{Begins, Paste, pasted};
use super::text_fields::must_be_read;
use super::text_row::{CPUS_MAX, Row, Stamp, word};
use super::{text_latency, text_perf};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Ftrace,
    Latency,
    Perf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    Event(Row<'a>),
    /// A function of the event's stack; `None` if its name is unknown.
    Frame(Option<&'a str>),
    /// Events of a CPU were lost: this many, or 0 if unknown.
    Lost(u32, u64),
    Aside,
    Unknown,
}

pub(super) const OF_LOSS: &str = "CPU:";

impl Shape {
    pub(super) fn form(self) -> &'static str {
        match self {
            Self::Ftrace => "text of ftrace",
            Self::Latency => "text of ftrace in the latency format",
            Self::Perf => "text of perf script",
        }
    }

    fn event(self, row: &str, stamp: Stamp) -> Option<Row<'_>> {
        match self {
            Self::Ftrace => Row::parse(row, stamp),
            Self::Latency => text_latency::parse(row),
            Self::Perf => text_perf::parse(row),
        }
    }

    pub(super) fn line(self, row: &str, stamp: Stamp) -> Line<'_> {
        match self.event(row, stamp) {
            Some(event) => Line::Event(event),
            None => self.other(row),
        }
    }

    pub(super) fn other(self, row: &str) -> Line<'_> {
        let row = row.trim_ascii_start();
        if let Some(function) = row.strip_prefix("=>") {
            return Line::Frame(named(function));
        }
        if let Some(frame) = text_perf::frame(row).filter(|_| self == Self::Perf) {
            return Line::Frame(frame);
        }
        if let Some((cpu, lost)) = lost(row) {
            return Line::Lost(cpu, lost);
        }
        if let Some(record) = text_perf::record(row).filter(|_| self == Self::Perf) {
            return record.map_or(Line::Aside, |(cpu, lost)| Line::Lost(cpu, lost));
        }
        if is_aside(row) { Line::Aside } else { Line::Unknown }
    }

    pub(super) fn is_of_another(self, row: &str, stamp: Stamp) -> bool {
        [Self::Ftrace, Self::Latency, Self::Perf]
            .iter()
            .any(|shape| *shape != self && shape.event(row, stamp).is_some())
    }

    /// How to tell that a line begins a row of its own, if long rows were broken.
    pub(super) fn begins(self) -> Begins {
        match self {
            Self::Ftrace => |row| Row::is_begun(row, Stamp::Seconds) || Self::Ftrace.other(row) != Line::Unknown,
            Self::Latency => |row| text_latency::is_begun(row) || Self::Latency.other(row) != Line::Unknown,
            Self::Perf => |row| text_perf::is_begun(row) || Self::Perf.other(row) != Line::Unknown,
        }
    }
}

/// The function of a row of a stack: ` name`, or trace-cmd's ` name (address)`.
fn named(function: &str) -> Option<&str> {
    const NAME_BYTES_MAX: usize = 512;
    let name = function.trim_ascii_start().split([' ', '+', '(']).next().unwrap_or_default();
    let known = !name.is_empty()
        && name.len() <= NAME_BYTES_MAX
        && name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
    known.then_some(name)
}

/// `CPU:3 [LOST 17 EVENTS]`, or `[EVENTS DROPPED]` without a number.
pub(super) fn lost(row: &str) -> Option<(u32, u64)> {
    let (cpu, what) = row.trim_ascii().strip_prefix(OF_LOSS)?.split_once(' ')?;
    let what = what.trim_ascii().strip_prefix('[')?.strip_suffix(']')?;
    let cpu = cpu.parse().ok().filter(|cpu| *cpu < CPUS_MAX)?;
    match what.strip_prefix("LOST ").and_then(|rest| rest.strip_suffix(" EVENTS")) {
        Some(count) => Some((cpu, count.parse().ok()?)),
        None => (what == "EVENTS DROPPED").then_some((cpu, 0)),
    }
}

fn is_aside(row: &str) -> bool {
    let is_rule = || row.bytes().all(|byte| b"-=.~_*".contains(&byte));
    let is_empty_cpu = || row.strip_prefix("CPU ").is_some_and(|rest| rest.ends_with("is empty"));
    let begins = ["#", "cpus=", "version = ", "Dumping ftrace buffer", "(ftrace buffer empty)", "---- end"];
    is_rule() || is_empty_cpu() || begins.iter().any(|begin| row.starts_with(begin))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextReading {
    pub(super) shape: Shape,
    pub(super) paste: Paste,
}

/// Chooses the parser that understands most of the first rows; among equals, the simplest. `None` if no parser finds an event.
pub(super) fn decide(rows: &[String], stamp: Stamp) -> Option<TextReading> {
    let mut best: Option<(TextReading, (u64, u64))> = None;
    let is_better = |found: (u64, u64), best: (u64, u64), paste| match paste {
        // Joined rows must make more events, not only fewer unknown rows: prose after a row can always be taken for its rest.
        Paste::Wrapped => found.0 > best.0 && is_better(found, best),
        _ => is_better(found, best),
    };
    for paste in [Paste::None, Paste::Quoted, Paste::Wrapped] {
        for shape in [Shape::Ftrace, Shape::Latency, Shape::Perf] {
            let found = score(rows, TextReading { shape, paste }, stamp);
            if found.0 > 0 && best.is_none_or(|(_, best)| is_better(found, best, paste)) {
                best = Some((TextReading { shape, paste }, found));
            }
        }
        if best.is_some_and(|(_, (_, unknown))| unknown == 0) {
            break;
        }
    }
    best.map(|(read, _)| read)
}

fn is_better((yes, no): (u64, u64), (best_yes, best_no): (u64, u64)) -> bool {
    yes.saturating_add(best_no) > best_yes.saturating_add(no)
}

/// Number of event rows, and of foreign rows between the first and the last event.
fn score(rows: &[String], TextReading { shape, paste }: TextReading, stamp: Stamp) -> (u64, u64) {
    let (mut events, mut unknown, mut since) = (0, 0, 0);
    for row in &pasted(rows, paste, shape.begins()) {
        match shape.line(row, stamp) {
            Line::Event(row) => {
                let broken = must_be_read(row.event) && row.stamped(0).is_none();
                events += u64::from(!broken);
                unknown += u64::from(broken) + std::mem::take(&mut since);
            }
            Line::Unknown if events > 0 => since += 1,
            _ => {}
        }
    }
    (events, unknown)
}

/// For a text without a readable row: the tool that printed it, and how to get a readable text.
pub(super) fn refused(rows: &[String]) -> Option<&'static str> {
    let most = |is: &dyn Fn(&str) -> bool| {
        let count = rows.iter().filter(|row| is(row)).count();
        count > 0 && count * 2 >= rows.iter().filter(|row| !is_aside(row.trim_ascii())).count()
    };
    if most(&text_perf::lacks_a_column) {
        return Some(
            "the text of perf script lacks the CPU or the thread; print it with perf script -F \
                comm,tid,cpu,time,event,trace",
        );
    }
    if most(&has_raw_flags) {
        return Some("trace-cmd report -R -l prints numeric flags; print without -R");
    }
    if most(&has_bare_count) {
        return Some(
            "the timestamps are raw counts of a clock (x86-tsc, counter); write mono to trace_clock or record with \
                trace-cmd record -C mono, or print with trace-cmd report --ts2secs HZ",
        );
    }
    if most(&is_verbose) {
        return Some("latency format with options/verbose; write 0 to options/verbose and print it again");
    }
    if most(&is_raw) {
        return Some("printed with options/raw, hex or bin; write 0 to all three and print it again");
    }
    if most(&lacks_context) {
        return Some("the rows lack thread, CPU and time; write 1 to options/context-info and print it again");
    }
    if most(&is_of_graph) {
        return Some("the function_graph tracer has no scheduler events; record with trace-cmd record -e sched -e irq");
    }
    let is_summary = |row: &String| OF_SUMMARIES.iter().any(|mark| row.contains(mark));
    if rows.iter().any(is_summary) || most(&is_of_perf_trace) {
        return Some("a table that perf made of a recording; give perf.data itself, or the output of perf script");
    }
    most(&lacks_any_column).then_some(
        "the rows lack the thread, CPU, time or event; print them with perf script -F comm,tid,cpu,time,event,trace, or \
            with trace-cmd report",
    )
}

/// The error for a second recording below the first in one file, where the clock goes back.
pub(super) fn joined(by_ns: u64) -> String {
    format!(
        "the clock goes back by {} ms; if a second recording begins here, put each recording into its own file",
        by_ns / 1_000_000
    )
}

/// Headings of `perf sched latency`, `perf sched timehist` and `perf report`, and text in a row of `perf sched map`.
const OF_SUMMARIES: [&str; 4] = ["| Max delay ", "sch delay   run time", "# Overhead ", " secs A0 => "];

/// `0.064 ( 0.019 ms): sleep/5940 brk()`, or `0.042 sleep/5940 sched:sched_switch(prev_comm: …`.
fn is_of_perf_trace(row: &str) -> bool {
    let is_time = word(row).is_some_and(|(first, _)| first == "?" || super::text_row::seconds(first).is_some());
    is_time && row.contains('(') && row.ends_with(|last: char| last == ')' || last.is_ascii_alphanumeric())
}

/// `10427 1 62579787348246 type: 372`.
fn is_raw(row: &str) -> bool {
    let number = row.rsplit_once(" type: ").map(|(_, number)| number.trim_ascii());
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// `sched_switch: prev_comm=…`, without the parts before it.
fn lacks_context(row: &str) -> bool {
    let row = row.trim_ascii_start();
    let named = |name: &str| row.strip_prefix(name).is_some_and(|rest| rest.starts_with(": "));
    ["sched_switch", "sched_waking", "sched_wakeup", "irq_handler_entry", "softirq_entry", "softirq_exit"]
        .into_iter()
        .any(named)
}

// The fields of a switch or a wakeup, whatever is before them.
fn lacks_any_column(row: &str) -> bool {
    row.contains("comm=") && row.contains("prio=") || row.contains("sched:sched_")
}

/// `2-0x11  2084.021502: `.
fn has_raw_flags(row: &str) -> bool {
    let mut words = row.split_ascii_whitespace();
    let place = |word: &str| {
        word.split_once("-0x").is_some_and(|(cpu, _)| !cpu.is_empty() && cpu.bytes().all(|byte| byte.is_ascii_digit()))
    };
    words.any(place) && words.next().is_some_and(|word| Stamp::Seconds.value(word).is_some())
}

fn has_bare_count(row: &str) -> bool {
    Row::parse(row, Stamp::Count).is_some_and(|row| row.at_ns > 0) || text_latency::has_bare_count(row)
}

/// `bash 232 0 1 00000002 00000003 [0000a1b2] 12.345ms (+0.001ms): `.
fn is_verbose(row: &str) -> bool {
    row.contains("ms (+") && row.contains("ms): ")
}

/// ` 1)   0.1 us    |  kfree();`.
fn is_of_graph(row: &str) -> bool {
    let cpu = word(row).is_some_and(|(first, _)| first.strip_suffix(')').is_some_and(|cpu| cpu.parse::<u32>().is_ok()));
    cpu && row.contains('|')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<String> {
        text.lines().map(String::from).collect()
    }

    #[test]
    fn losses_and_headings_are_told_from_what_is_not_understood() {
        assert_eq!(lost("CPU:3 [LOST 17 EVENTS]"), Some((3, 17)));
        assert_eq!(lost("CPU:3 [EVENTS DROPPED]"), Some((3, 0)));
        assert_eq!(lost("CPU:3 [LOST x EVENTS]"), None);
        for row in ["", "# tracer: nop", "cpus=6", "CPU 2 is empty", "---------------", "Dumping ftrace buffer:"] {
            assert_eq!(Shape::Ftrace.line(row, Stamp::Seconds), Line::Aside, "{row}");
        }
        assert_eq!(Shape::Ftrace.line("And here is the rest:", Stamp::Seconds), Line::Unknown);
        assert_eq!(Shape::Ftrace.line(" => schedule (ffff)", Stamp::Seconds), Line::Frame(Some("schedule")));
        assert_eq!(Shape::Ftrace.line(" => 0xffff", Stamp::Seconds), Line::Frame(None));
    }

    #[test]
    fn all_rows_decide_together_who_printed_them() {
        let perf = rows(
            "memfd:sealed-91 [000] 1.000000: sched:sched_waking: pid=1\n\
             perf 7 [000] 2.000000: sched:sched_waking: comm=a pid=1 prio=1 target_cpu=000\n\
             perf 7 [000] 3.000000: sched:sched_waking: comm=a pid=1 prio=1 target_cpu=000",
        );
        assert_eq!(decide(&perf, Stamp::Seconds), Some(TextReading { shape: Shape::Perf, paste: Paste::None }));
        let quoted = rows(
            "On Friday somebody wrote:\n> bash-7         0d..2.    5us : sched_waking: comm=a pid=1 prio=1\n> bash-7         0d..2.    6us : __schedule",
        );
        assert_eq!(decide(&quoted, Stamp::Seconds).map(|read| read.shape), Some(Shape::Latency));
        let wrapped = rows(
            "> stress-n-232       0dn.h413    1us+:      232:120:R   + [000]     217:\n> 0:R cyclictest\n\
             > stress-n-232       0d...3.. 1671us : __schedule",
        );
        assert_eq!(
            decide(&wrapped, Stamp::Seconds),
            Some(TextReading { shape: Shape::Latency, paste: Paste::Wrapped })
        );
        assert_eq!(decide(&rows("prose\nand more"), Stamp::Seconds), None);
    }

    #[test]
    fn what_is_known_and_not_read_is_refused_by_name() {
        for (row, name) in [
            ("    perf 15882 12498.472380: sched:sched_switch: prev_comm=perf", "perf script -F"),
            ("  <idle>-0       2-0x11  2084.021502: sched_waking:  comm=x", "without -R"),
            ("  <idle>-0     [002] 20840215021234: sched_waking:  comm=x", "--ts2secs"),
            ("   bash 232 0 1 00000002 00000003 [0000a1b2] 12.345ms (+0.001ms): x <-y", "options/verbose"),
            (" 1)   0.1 us    |  kfree();", "function_graph"),
            ("62480.161974:    sched:sched_waking: comm=migration/0 pid=18 prio=0", "perf script -F"),
            (
                "perf 15423 [000] sched:sched_waking: comm=migration/0 pid=18 prio=0",
                "lack the thread, CPU, time or event",
            ),
            ("perf 15423 [000] 1789.632864: comm=migration/0 pid=18 prio=0", "lack the thread, CPU, time or event"),
            ("10427 1 62579787348246 type: 372", "options/raw"),
            ("sched_switch: prev_comm=rustc prev_pid=10427", "context-info"),
            ("bw-wakeu-1976      1d..2.    1: sched_switch: prev_comm=bw-wakeup", "mono to trace_clock"),
            ("  opt cgu-1976      1d..2.    1: sched_switch: prev_comm=opt cgu.0", "mono to trace_clock"),
            ("     0.064 ( 0.019 ms): sleep/5940 brk() = 0x55810be2d000", "give perf.data itself"),
            ("  *A0       62491.951296 secs A0 => migration/0:18", "give perf.data itself"),
        ] {
            assert!(refused(&rows(row)).is_some_and(|text| text.contains(name)), "{row}");
        }
        let heading = "  Task                  |   Runtime ms  | Switches | Avg delay ms    | Max delay ms    |";
        assert!(refused(&rows(heading)).is_some_and(|text| text.contains("give perf.data itself")));
        assert_eq!(refused(&rows("prose")), None);
    }
}
