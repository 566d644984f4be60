// SPDX-License-Identifier: MIT OR Apache-2.0
//! A row of `perf script`: name, number, CPU, time, event, and the fields as the kernel prints them.
//!
//! `     migration/0    18 [000] 12498.472398:       sched:sched_waking: comm=perf pid=15882 prio=120 target_cpu=000`. Rows for
//! the functions of its stack may follow, each with the address, the function, and in round brackets what it is part of.
use super::text_row::{Row, Stamp, brackets, cpu, digits, seconds, trailing_digits, word};

/// The perf command whose text backwall reads.
pub(super) const PRINT: &str = "print it with perf script -F comm,tid,cpu,time,event,trace";

// Rows of perf's own records, which are no events of the kernel.
const RECORD: &str = "PERF_RECORD_";
const WHO_BYTES_MAX: usize = 128;
const EVENT_BYTES_MAX: usize = 128;

#[inline(always)]
pub(super) fn parse(row: &str) -> Option<Row<'_>> {
    let row = row.trim_ascii_start();
    for at in brackets(row) {
        if let Some(row) = with_cpu_at(row, at) {
            return Some(row);
        }
    }
    None
}

#[inline(always)]
fn with_cpu_at(row: &str, at: usize) -> Option<Row<'_>> {
    let (cpu, rest) = cpu(&row[at + 1..])?;
    let (who, thread) = thread_of(&row[..at])?;
    let (event, at_ns, fields) = stamped(rest)?;
    Some(Row { who, thread, cpu, flags: None, at_ns, event, fields })
}

pub(super) fn is_begun(row: &str) -> bool {
    let row = row.trim_ascii_start();
    brackets(row).any(|at| {
        let rest = cpu(&row[at + 1..]).map(|(_, rest)| rest.trim_ascii_start());
        thread_of(&row[..at]).is_some() && rest.and_then(|rest| Stamp::Seconds.value(rest)).is_some()
    })
}

/// `name number`, or `name process/number`.
#[inline(always)]
fn thread_of(who: &str) -> Option<(&str, i32)> {
    let (before, thread) = number_of(who.trim_ascii_end())?;
    let before = match before.strip_suffix('/') {
        Some(process) => number_of(process)?.0,
        None => before,
    };
    let name = before.strip_suffix(' ')?.trim_ascii_end();
    (!name.is_empty()).then_some((name, thread))
}

// The number at the end, or 0 for the -1 of a thread that has ended.
#[inline(always)]
fn number_of(text: &str) -> Option<(&str, i32)> {
    match text.strip_suffix("-1") {
        Some(before) => Some((before, 0)),
        None => trailing_digits(text),
    }
}

/// The event without its system, the time, and the fields. A count may come before the event.
#[inline(always)]
fn stamped(rest: &str) -> Option<(&str, u64, &str)> {
    let (at_ns, rest) = Stamp::Seconds.value(rest.trim_ascii_start())?;
    let (first, after) = word(rest)?;
    let is_count = first.as_bytes()[0].is_ascii_digit() && digits(first.as_bytes()).is_some();
    let (event, fields) = if is_count { word(after)? } else { (first, after) };
    let event = event.strip_suffix(':').filter(|event| (1..=EVENT_BYTES_MAX).contains(&event.len()))?;
    if event.starts_with(RECORD) {
        return None;
    }
    Some((without_system(event), at_ns, fields.trim_ascii_start()))
}

/// `sched:sched_switch` without its system, `cycles:P` without its modifier.
fn without_system(event: &str) -> &str {
    let Some(colon) = memchr::memrchr(b':', event.as_bytes()) else { return event };
    let (before, behind) = (&event[..colon], &event[colon + 1..]);
    if behind.bytes().all(|byte| b"ukhpPGHSDIeW".contains(&byte)) { before } else { behind }
}

/// A function of a stack: `ffffffff821f8b58 __schedule+0x618 ([kernel.kallsyms])`, in the form of ftrace's stacks. Functions
/// outside the kernel are left out.
pub(super) fn frame(row: &str) -> Option<Option<&str>> {
    let (address, rest) = word(row)?;
    let is_address = address.len() <= 16 && address.bytes().all(|byte| byte.is_ascii_hexdigit());
    let (function, place) = rest.trim_ascii().rsplit_once(" (").filter(|_| is_address)?;
    let place = place.strip_suffix(')')?;
    let in_kernel =
        place.starts_with("[k") || place.starts_with("[guest.k") || place.ends_with(".ko") || place.contains("vmlinux");
    let name = function.split(['+', ' ']).next().unwrap_or_default();
    Some(in_kernel.then_some(name))
}

/// Whether a row is from perf, but lacks the CPU, the thread or the thread's name. perf prints no CPU if it recorded none.
pub(super) fn lacks_a_column(row: &str) -> bool {
    let mut before = 0;
    while let Some((next, rest)) = row.get(before..).and_then(word) {
        let at = row.len() - rest.len();
        let is_time = next.len() > 8 && next.strip_suffix(':').and_then(seconds).is_some();
        if is_time {
            let who = row[..at - next.len()].trim_ascii();
            let of_perf = || word(rest).is_some_and(|(event, _)| event.starts_with("sched:"));
            return parse(row).is_none()
                && (thread_of(who).is_some() || of_perf())
                && stamped(&row[at - next.len()..]).is_some();
        }
        if at > WHO_BYTES_MAX {
            return false;
        }
        before = at;
    }
    false
}

/// A row of perf's own records, as `--show-task-events` prints them: `sleep  2813 [000] 27343.058360: PERF_RECORD_MMAP2 …`. For
/// lost events, returns the CPU and their number: `… PERF_RECORD_LOST lost 17`.
pub(super) fn record(row: &str) -> Option<Option<(u32, u64)>> {
    let (who, record) = row.split_once(": PERF_RECORD_")?;
    if !record.starts_with("LOST") {
        return Some(None);
    }
    let (cpu, _) = cpu(who.rsplit_once('[')?.1)?;
    Some(Some((cpu, record.rsplit(' ').next().and_then(|lost| lost.parse().ok()).unwrap_or(0))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Event;
    use proptest::prelude::*;

    #[test]
    fn a_row_is_read_whatever_its_thread_is_called() {
        for (name, number) in
            [("perf", 15_882), ("memfd:sealed-91", 4_711), ("pool-1-thread-1", 77), ("a b [001] 7", 5), ("swapper", 0)]
        {
            let row = format!(
                "{name:>16} {number:5} [003] 12498.472389:       sched:sched_waking: comm=migration/0 pid=18 prio=0 target_cpu=003"
            );
            let row = parse(&row).unwrap();
            assert_eq!((row.who, row.thread, row.cpu, row.at_ns), (name, number, 3, 12_498_472_389_000));
            assert_eq!(row.stamped(1).unwrap().event, Event::Waking { thread: 18 });
        }
    }

    #[test]
    fn records_of_perf_are_no_events_and_lost_ones_are_losses() {
        assert_eq!(record("sleep  2813 [001] 27343.058360: PERF_RECORD_MMAP2 2813/2813: [0x5]"), Some(None));
        assert_eq!(record("perf  7 [003] 27343.058360: PERF_RECORD_LOST lost 17"), Some(Some((3, 17))));
        assert_eq!(record("perf  7 [003] 27343.058360: sched:sched_waking: comm=a pid=1"), None);
        let comm = "   rustc 16072 [000]  1789.632991: PERF_RECORD_COMM: rustc:16072/16073";
        assert_eq!((parse(comm), record(comm)), (None, Some(None)));
    }

    #[test]
    fn process_count_and_nanoseconds_are_read_where_they_are_printed() {
        let row =
            parse("perf 7/15882 [000] 12498.472380677:          1 cpu-clock:pppH: ffffffff81 x ([kernel.kallsyms])")
                .unwrap();
        assert_eq!((row.thread, row.at_ns, row.event), (15_882, 12_498_472_380_677, "cpu-clock"));
        // perf prints -1 for a thread that has ended.
        for who in [":-1    -1/-1", ":-1    -1"] {
            let row = format!("             {who}    [001]  1789.714729: sched:sched_switch: prev_comm=x");
            assert_eq!(parse(&row).map(|row| (row.thread, row.event)), Some((0, "sched_switch")), "{who}");
        }
        assert_eq!(parse("pool-1-thread-1 [000] 1.000000: sched_waking: pid=1"), None, "that is a row of ftrace");
        assert!(lacks_a_column("            perf 15882 12498.472380: sched:sched_switch: prev_comm=perf"));
        assert!(!lacks_a_column("            perf 15882 [000] 12498.472380: sched:sched_switch: prev_comm=perf"));
        assert!(lacks_a_column("62480.161974:    sched:sched_waking: comm=migration/0 pid=18"));
        assert!(!lacks_a_column("prose: about 12 things"));
    }

    #[test]
    fn functions_of_the_kernel_are_frames_and_others_have_no_name() {
        assert_eq!(frame("\tffffffff821f8b58 __schedule+0x618 ([kernel.kallsyms])"), Some(Some("__schedule")));
        assert_eq!(frame("\t           ee137 sched_setaffinity@@GLIBC_2.3.4+0x7 (/usr/lib/libc.so.6)"), Some(None));
        assert_eq!(frame("prose (in brackets)"), None);
    }

    proptest! {
        #[test]
        fn no_row_panics(row in "[a-z -]{0,9} [0-9/]{0,12} {0,2}\\[?[0-9]{0,7}\\]? {0,3}[0-9]{0,22}\\.[0-9]{0,10}: {0,3}[0-9a-z_:é]{0,12}:.{0,40}") {
            let _ = (parse(&row), frame(&row), lacks_a_column(&row));
        }
    }
}
