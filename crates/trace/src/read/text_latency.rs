// SPDX-License-Identifier: MIT OR Apache-2.0
//! A row of the kernel's latency format: the CPU comes before the flags, and the stamp counts microseconds since the trace began.
//!
//! `stress-n-232       0dn.h413    1us+:      232:120:R   + [000]     217:  0:R cyclictest`; `trace-cmd report -l` prints
//! seconds: `<idle>-0       2d..1.  2084.021443: sched_switch: …`. A name has at most eight letters. Source: `lat_print_generic`
//! and `lat_print_timestamp` of the kernel's trace_output.
use super::text_row::{CPUS_MAX, Row, Stamp, digits, leading_digits, payload, word};

const NAME_BYTES_MAX: usize = 24;
const FLAGS: std::ops::RangeInclusive<usize> = 4..=8;
/// The assumed start of a trace that states no start. It is not 0, because no stamp may be 0.
const BEGIN_NS: u64 = 1_000_000_000;

pub(super) fn parse(row: &str) -> Option<Row<'_>> {
    candidates(row).find_map(|(head, rest)| {
        let (event, fields) = payload(rest)?;
        Some(Row { event, fields, ..head })
    })
}

pub(super) fn is_begun(row: &str) -> bool {
    candidates(row).next().is_some()
}

/// For each hyphen that may be the one between name and number: the row up to the time, and the rest from the event on.
fn candidates(row: &str) -> impl Iterator<Item = (Row<'_>, &str)> {
    let row = row.trim_ascii_start();
    memchr::memchr_iter(b'-', &row.as_bytes()[..row.len().min(NAME_BYTES_MAX + 1)]).filter_map(|at| {
        let behind = &row[at + 1..];
        let (number, rest) = word(behind).filter(|_| !behind.starts_with(' '))?;
        let thread = i32::try_from(digits(number.as_bytes())?).ok()?;
        let (place, rest) = word(rest)?;
        let (cpu, length) = leading_digits(place.as_bytes()).filter(|(cpu, _)| *cpu < u64::from(CPUS_MAX))?;
        let (cpu, flags) = (cpu as u32, &place[length..]);
        let is_flag = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'#';
        let are_flags = FLAGS.contains(&flags.len()) && flags.bytes().all(is_flag);
        let (at_ns, rest) = stamped(rest).filter(|_| are_flags)?;
        Some((Row { who: &row[..at], thread, cpu, flags: Some(flags), at_ns, event: "", fields: "" }, rest))
    })
}

/// `bw-wakeu-1976      1d..2.    1: sched_switch: …`, with a clock that only counts.
pub(super) fn has_bare_count(row: &str) -> bool {
    let is_number = |text: &str| digits(text.as_bytes()).is_some();
    let is_who = |text: &str| text.rsplit_once('-').is_some_and(|(_, number)| is_number(number));
    let is_place =
        |text: &str| leading_digits(text.as_bytes()).is_some_and(|(_, length)| FLAGS.contains(&(text.len() - length)));
    let is_count = |text: &str| text.strip_suffix(':').is_some_and(is_number);
    // A name may contain blanks.
    let words: Vec<&str> = row.split_ascii_whitespace().take(8).collect();
    words.windows(3).any(|words| is_who(words[0]) && is_place(words[1]) && is_count(words[2]))
}

/// `12us : `, `12us+: ` or `2084.021443: `.
fn stamped(rest: &str) -> Option<(u64, &str)> {
    let rest = rest.trim_ascii_start();
    if let Some((at_ns, rest)) = Stamp::Seconds.value(rest) {
        return Some((at_ns, rest));
    }
    let (number, length) = leading_digits(rest.as_bytes())?;
    let at_ns = number.checked_mul(1_000)?.checked_add(BEGIN_NS)?;
    let behind = rest[length..].strip_prefix("us")?;
    let (mark, rest) = behind.split_at_checked(1)?;
    let rest = if mark == " " { rest.trim_ascii_start() } else { rest };
    Some((at_ns, rest.strip_prefix(':')?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Event;
    use proptest::prelude::*;

    #[test]
    fn a_waking_and_a_switch_of_the_tracer_wakeup_are_events() {
        let row = "stress-n-232       0dn.h413    1us+:      232:120:R   + [000]     217:  0:R cyclictest";
        let row = parse(row).unwrap();
        assert_eq!((row.who, row.thread, row.cpu, row.at_ns - BEGIN_NS), ("stress-n", 232, 0, 1_000));
        let stamped = row.stamped(row.at_ns).unwrap();
        assert!(!stamped.in_thread && stamped.to_switch);
        assert_eq!(stamped.event, Event::Woken { thread: 217, new: false, on: Some(0) });
        let row = "stress-n-232       0d...3.. 1676us+:      232:120:R ==> [000]     217:  0:R cyclictest";
        let Event::Switch { from, preempted, to } = parse(row).unwrap().stamped(9).unwrap().event else { panic!() };
        assert_eq!((from.id, from.priority, from.name.to_string(), preempted), (232, 120, "stress-n".into(), true));
        assert_eq!((to.id, to.priority, to.name.to_string()), (217, 0, "cyclictest".into()));
    }

    #[test]
    fn every_form_of_the_stamp_is_read() {
        for (row, event) in [
            ("stress-n-232       0dn.h413   12us : <stack trace>", "kernel_stack"),
            ("stress-n-232       0dn.h413   19us#: 0", "function"),
            ("  <idle>-0         3d..1.. 1045us!: sched_switch: prev_comm=a", "sched_switch"),
            ("Web Cont-12345    12dNs2.    7us : _raw_spin_lock <-x", "function"),
            (
                "kworker/-2923    2d..2.  2084.021765: sched_switch:         kworker/2:1:2923 [120] D ==> swapper/2:0 [120]",
                "sched_switch",
            ),
            ("a-b-c-77         0d..2.  2084.021765123: (+12) irq_handler_entry: irq=1 name=x", "irq_handler_entry"),
        ] {
            assert_eq!(parse(row).map(|row| row.event), Some(event), "{row}");
        }
        for row in ["", "a-1 0d... 5us", "a-1 0d... 5us?x: b: c", "-1 x 5us : b: c", "bash-5 [000] 1.0: a: b"] {
            assert_eq!(parse(row), None, "{row}");
        }
    }

    proptest! {
        #[test]
        fn no_row_panics(row in "[a-z-]{0,9}-?[0-9]{0,12} {0,4}[0-9]{0,7}[.dNh0-9]{0,9} {0,3}[0-9]{0,22}u?s?[+:! ]{0,3} [a-z_]{0,12}:.{0,40}") {
            if let Some(row) = parse(&row) {
                let _ = row.stamped(row.at_ns);
            }
        }
    }
}
