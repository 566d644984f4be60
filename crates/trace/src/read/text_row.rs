// SPDX-License-Identifier: MIT OR Apache-2.0
//! One row of a text in its parts: thread, CPU, time, event and fields.
//!
//! `   sshd-1639  (1600) [001] d.h3. 76.211865: (+12) sched_switch: prev_comm=…`. The process in round brackets, the flags, and
//! the difference to the row before may be missing.
use super::text_fields::reading;
use crate::event::{Event, Stamped};

pub(super) const CPUS_MAX: u32 = 1 << 16;
const EVENT_BYTES_MAX: usize = 128;
/// The text before the CPU of a row is at most this long: thread name, number and process.
const WHO_BYTES_MAX: usize = 128;
const CPU_DIGITS_MAX: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stamp {
    Seconds,
    Count,
}

impl Stamp {
    /// `76.211513:` in nanoseconds, with six digits or nine, or `76211513:`; and the rest of the text.
    #[inline(always)]
    pub(super) fn value(self, text: &str) -> Option<(u64, &str)> {
        let (value, length) = match self {
            Self::Seconds => leading_seconds(text.as_bytes())?,
            Self::Count => leading_digits(text.as_bytes())?,
        };
        let rest = text[length..].strip_prefix(':')?;
        matches!(rest.as_bytes().first(), None | Some(b' ' | b'\t')).then_some((value, rest))
    }
}

/// `76.211513` in nanoseconds.
#[inline]
pub(super) fn seconds(text: &str) -> Option<u64> {
    leading_seconds(text.as_bytes()).filter(|(_, length)| *length == text.len()).map(|(at_ns, _)| at_ns)
}

#[inline(always)]
fn leading_seconds(text: &[u8]) -> Option<(u64, usize)> {
    const NS: [u64; 10] = [0, 100_000_000, 10_000_000, 1_000_000, 100_000, 10_000, 1_000, 100, 10, 1];
    let (whole, point) = leading_digits(text)?;
    let fraction = text[point..].strip_prefix(b".")?;
    let (fraction, length) = leading_digits(fraction)?;
    let fraction_ns = fraction * NS.get(length)?;
    Some((whole.checked_mul(1_000_000_000)?.checked_add(fraction_ns)?, point + 1 + length))
}

#[inline(always)]
pub(super) fn leading_digits(text: &[u8]) -> Option<(u64, usize)> {
    /// A number of this many digits always fits into a `u64`.
    const DIGITS_MAX: usize = 19;
    let (mut number, mut length) = (0, 0);
    for byte in text.iter().take(DIGITS_MAX) {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        number = number * 10 + u64::from(digit);
        length += 1;
    }
    if length == DIGITS_MAX && text.get(length).is_some_and(u8::is_ascii_digit) {
        return long_digits(text);
    }
    (length > 0).then_some((number, length))
}

#[cold]
fn long_digits(text: &[u8]) -> Option<(u64, usize)> {
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = text[..length]
        .iter()
        .try_fold(0u64, |number, byte| number.checked_mul(10)?.checked_add(u64::from(byte - b'0')));
    Some((number?, length))
}

#[inline(always)]
pub(super) fn digits(text: &[u8]) -> Option<u64> {
    leading_digits(text).filter(|(_, length)| *length == text.len()).map(|(number, _)| number)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row<'a> {
    pub(super) who: &'a str,
    pub(super) thread: i32,
    pub(super) cpu: u32,
    pub(super) flags: Option<&'a str>,
    pub(super) at_ns: u64,
    pub(super) event: &'a str,
    pub(super) fields: &'a str,
}

impl<'a> Row<'a> {
    /// Parses a row. A thread's name may contain brackets, so the CPU is in the brackets that precede a time.
    #[inline(always)]
    pub(super) fn parse(row: &'a str, stamp: Stamp) -> Option<Self> {
        let row = row.trim_ascii_start();
        for at in brackets(row) {
            if let Some(row) = Self::with_cpu_at(row, at, stamp) {
                return Some(row);
            }
        }
        None
    }

    #[inline(always)]
    fn with_cpu_at(row: &'a str, at: usize, stamp: Stamp) -> Option<Self> {
        let (cpu, rest) = cpu(&row[at + 1..])?;
        let (who, thread) = thread_of(&row[..at])?;
        let (flags, at_ns, rest) = stamped(rest, stamp)?;
        let (event, fields) = payload(rest)?;
        Some(Self { who, thread, cpu, flags, at_ns, event, fields })
    }

    pub(super) fn is_begun(row: &str, stamp: Stamp) -> bool {
        let row = row.trim_ascii_start();
        brackets(row).any(|at| {
            thread_of(&row[..at]).is_some()
                && cpu(&row[at + 1..]).is_some_and(|(_, rest)| stamped(rest, stamp).is_some())
        })
    }

    /// The event as the kernel's binary record has it; `None` if backwall does not use the event.
    #[inline(always)]
    pub(super) fn stamped(&self, at_ns: u64) -> Option<Stamped> {
        reading(self.event)(self.fields, self).map(|event| self.with(event, at_ns))
    }

    #[inline]
    pub(super) fn with(&self, event: Event, at_ns: u64) -> Stamped {
        // The letters mean: interrupts disabled, reschedule pending, kind of interrupt, and depths. Kernels with PREEMPT_RT
        // before 6.12 have six or seven letters; there the third one is a lazy reschedule.
        let flags = self.flags.unwrap_or_default().as_bytes();
        let flag = |place: usize| flags.get(place).copied().unwrap_or(b'.');
        let lazy = flags.len() >= 6;
        let in_thread = matches!(flag(if lazy { 3 } else { 2 }), b'.' | b'-');
        let to_switch =
            matches!(flag(1), b'N' | b'n' | b'B' | b'b' | b'L' | b'l') || (lazy && matches!(flag(2), b'L' | b'l'));
        Stamped { at_ns, thread: self.thread, in_thread, to_switch, event }
    }
}

#[inline]
pub(super) fn brackets(row: &str) -> impl Iterator<Item = usize> {
    memchr::memchr_iter(b'[', &row.as_bytes()[..row.len().min(WHO_BYTES_MAX + 1)])
}

#[inline(always)]
pub(super) fn cpu(behind: &str) -> Option<(u32, &str)> {
    let (cpu, length) = leading_digits(behind.as_bytes())?;
    let rest = behind[length..].strip_prefix(']')?;
    (length <= CPU_DIGITS_MAX && cpu < u64::from(CPUS_MAX)).then_some((cpu as u32, rest))
}

/// Name and number. The number follows the last hyphen: the name may contain hyphens. A process in round brackets may follow.
#[inline(always)]
fn thread_of(who: &str) -> Option<(&str, i32)> {
    let who = who.trim_ascii_end();
    let who = match who.strip_suffix(')').and_then(|rest| rest.rsplit_once('(')) {
        Some((before, process)) if process.bytes().all(|byte| byte.is_ascii_digit() || b" -".contains(&byte)) => before,
        _ => who,
    };
    let (before, thread) = trailing_digits(who.trim_ascii_end())?;
    Some((before.strip_suffix('-')?, thread))
}

#[inline(always)]
pub(super) fn trailing_digits(text: &str) -> Option<(&str, i32)> {
    let length = text.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (before, number) = text.split_at(text.len() - length);
    Some((before, i32::try_from(digits(number.as_bytes())?).ok()?))
}

/// The flags, if printed, the time, and the rest of the row.
#[inline(always)]
pub(super) fn stamped(rest: &str, stamp: Stamp) -> Option<(Option<&str>, u64, &str)> {
    let rest = rest.trim_ascii_start();
    if let Some((at_ns, rest)) = stamp.value(rest) {
        return Some((None, at_ns, rest));
    }
    let (flags, rest) = word(rest)?;
    let (at_ns, rest) = stamp.value(rest.trim_ascii_start())?;
    Some((Some(flags), at_ns, rest))
}

#[inline]
pub(super) fn word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_ascii_start();
    let end = memchr::memchr2(b' ', b'\t', text.as_bytes()).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// The event and its fields. A tracer's row has no event name, so it gets the kernel's name from `events/ftrace`.
#[inline(always)]
pub(super) fn payload(rest: &str) -> Option<(&str, &str)> {
    let rest = rest.trim_ascii_start();
    let rest = match rest.strip_prefix("(+").and_then(|rest| rest.split_once(')')) {
        Some((difference, rest)) if digits(difference.as_bytes()).is_some() => rest.trim_ascii_start(),
        _ => rest,
    };
    let bytes = rest.as_bytes();
    let name = bytes.iter().take(EVENT_BYTES_MAX + 1).take_while(|byte| OF_NAME[usize::from(**byte)]).count();
    if (1..=EVENT_BYTES_MAX).contains(&name) && bytes.get(name) == Some(&b':') {
        let (event, fields) = (&rest[..name], &rest[name + 1..]);
        // `232:120:R ==> …` is a row of the tracer `wakeup`.
        if !event.as_bytes()[0].is_ascii_digit() {
            return Some((event, fields.trim_ascii_start()));
        }
    }
    nameless(rest, name)
}

const OF_NAME: [bool; 256] = {
    let mut all = [false; 256];
    let mut byte = 0;
    while byte < all.len() {
        all[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        byte += 1;
    }
    all
};

#[cold]
fn nameless(rest: &str, name: usize) -> Option<(&str, &str)> {
    // The kernel prints a system call without an event name: `sys_read -> 0x1`, `sys_read(fd: 3)`.
    if rest.starts_with("sys_") && name <= EVENT_BYTES_MAX {
        let (call, behind) = rest.split_at(name);
        return match behind.trim_ascii_start() {
            end if end.starts_with("->") => Some((call, "->")),
            begin if begin.starts_with('(') => Some((call, begin)),
            _ => None,
        };
    }
    // A mark whose writer's address was not kept: `0: C|124|VSYNC|1`.
    if let Some(mark) = rest.strip_prefix("0: ") {
        return Some(("print", mark));
    }
    if rest.starts_with("<stack trace>") {
        return Some(("kernel_stack", ""));
    }
    if rest.starts_with("<user stack trace>") {
        return Some(("user_stack", ""));
    }
    if let Some(number) = rest.strip_prefix('#') {
        let (number, what) = word(number)?;
        digits(number.as_bytes())?;
        let what = what.trim_ascii_start();
        let named = [("context ", "timerlat"), ("inner/outer", "hwlat")];
        return named.iter().find(|(begin, _)| what.starts_with(begin)).map(|(_, event)| (*event, what));
    }
    if rest.contains(" ==> [") {
        return Some(("context_switch", rest));
    }
    if rest.contains(" + [") {
        return Some(("wakeup", rest));
    }
    let function = |text: &str| {
        let bytes = text.as_bytes();
        !bytes.is_empty() && bytes.iter().all(|byte| OF_NAME[usize::from(*byte)] || b".[]".contains(byte))
    };
    let mut words = rest.split_ascii_whitespace();
    let (first, second, third) = (words.next()?, words.next(), words.next());
    match second {
        // A row of the tracer `osnoise` consists of numbers.
        Some(figure) if digits(first.as_bytes()).is_some() && digits(figure.as_bytes()).is_some() => {
            Some(("osnoise", rest))
        }
        Some(parent) if function(first) && (parent.starts_with("<-") || parent == "->") => Some(("function", "")),
        Some(module)
            if function(first) && module.starts_with('[') && third.is_none_or(|third| third.starts_with("<-")) =>
        {
            Some(("function", ""))
        }
        None if function(first) => Some(("function", "")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_row_is_read_with_and_without_flags_and_process() {
        let row = "   <idle>-0     [002]    76.211513: sched_wakeup:  comm=sh pid=1642 prio=120";
        let plain = Row::parse(row, Stamp::Seconds).unwrap();
        assert_eq!((plain.thread, plain.cpu, plain.at_ns, plain.flags), (0, 2, 76_211_513_000, None));
        assert_eq!((plain.who, plain.event, plain.fields), ("<idle>", "sched_wakeup", "comm=sh pid=1642 prio=120"));
        let row = "k [1] w/0:1-46 ( 46) [001] dNh3. 7.000000001: softirq_entry: vec=1 [action=TIMER]";
        let full = Row::parse(row, Stamp::Seconds).unwrap();
        assert_eq!((full.thread, full.cpu, full.at_ns, full.flags), (46, 1, 7_000_000_001, Some("dNh3.")));
        let stamped = full.stamped(full.at_ns).unwrap();
        assert!(stamped.to_switch && !stamped.in_thread);
        let pid_1 = "a-b-7 (-----) [000] .... 1.000000: sched_waking: comm=x pid=9 prio=1";
        assert_eq!(Row::parse(pid_1, Stamp::Seconds).unwrap().stamped(5).unwrap().event, Event::Waking { thread: 9 });
    }

    #[test]
    fn the_difference_to_the_row_before_is_no_event() {
        let row = " trace-cmd-20912 [001] 852655.067742: (+24)    sched_switch:         trace-cmd:20912 [120] S ==> trace-cmd:20915 [120]";
        let row = Row::parse(row, Stamp::Seconds).unwrap();
        assert_eq!((row.event, row.at_ns), ("sched_switch", 852_655_067_742_000));
        assert!(matches!(row.stamped(0).unwrap().event, Event::Switch { .. }));
    }

    #[test]
    fn flags_of_kernels_with_a_lazy_mark_have_the_interrupt_in_the_fourth_place() {
        let with = |flags| {
            let row = Row { who: "a", thread: 1, cpu: 0, flags: Some(flags), at_ns: 1, event: "", fields: "" };
            let stamped = row.with(Event::SleepEnd, 1);
            (stamped.in_thread, stamped.to_switch)
        };
        assert_eq!(with("dnLh213"), (false, true));
        assert_eq!(with("d..h413"), (false, false));
        assert_eq!(with("d.L.3.."), (true, true));
        assert_eq!(with("dNh3."), (false, true));
        assert_eq!(with("d.s."), (false, false));
        assert_eq!(with("...."), (true, false));
    }

    #[test]
    fn rows_of_tracers_are_called_as_the_kernel_calls_them() {
        for (rest, event) in [
            ("#58634 context    irq timer_latency     12505 ns", "timerlat"),
            ("#12 inner/outer(us):   10/0     ts:1520.5", "hwlat"),
            ("     232:120:R ==> [000]     217:  0:R cyclictest", "context_switch"),
            ("     232:120:R   + [000]     217:  0:R cyclictest", "wakeup"),
            ("<stack trace>", "kernel_stack"),
            ("__schedule", "function"),
            ("0", "function"),
            ("do_vmi_align_munmap.constprop.0 <-do_vmi_munmap", "function"),
            ("ext4_read [ext4] <-vfs_read", "function"),
            ("1000000       30  99.99700        6        0        1", "osnoise"),
            ("sys_write(fd: 4, buf: ffffa451c4d0, count: 1f)", "sys_write"),
            ("sys_clock_nanosleep -> 0x0", "sys_clock_nanosleep"),
            ("0: C|124|VSYNC|1", "print"),
            ("  0:120:R ==> [000]     217:  0:R cyclictest", "context_switch"),
        ] {
            assert_eq!(payload(rest).map(|(event, _)| event), Some(event), "{rest}");
        }
        for rest in ["", "two words", "#x context", " => schedule", "() {"] {
            assert_eq!(payload(rest), None, "{rest}");
        }
    }

    #[test]
    fn a_bare_count_is_a_stamp_only_where_the_text_says_what_it_counts() {
        let row = "   bw-ist-61 [000] d..2. 812345678: sched_waking: comm=x pid=9 prio=1 target_cpu=000";
        assert_eq!(Row::parse(row, Stamp::Count).unwrap().at_ns, 812_345_678);
        assert_eq!(Row::parse(row, Stamp::Seconds), None);
    }

    #[test]
    fn rows_of_no_event_are_none() {
        for row in ["", "# tracer: nop", "version = 6", "cpus=6", " 1)   0.1 us |  kfree();", "a-1 [x] 1.0: b: c"] {
            assert_eq!(Row::parse(row, Stamp::Seconds), None, "{row}");
        }
        let far = format!("{}-5 [000] 1.000000: sched_waking: pid=1", "x".repeat(200));
        let long = format!("a-5 [000] 1.000000: {}: pid=1", "x".repeat(200));
        assert_eq!(Row::parse(&far, Stamp::Seconds), None, "no kernel has such names");
        assert_eq!(Row::parse(&long, Stamp::Seconds), None, "no kernel has such names");
        assert_eq!(Row::parse(&"[0]".repeat(20_000), Stamp::Seconds), None);
    }

    proptest! {
        #[test]
        fn no_row_panics(row in "[a-z<>-]{0,5}-?[0-9]{0,12} ?[\\[(][0-9]{0,7}[\\])] [.dNh]{0,5} ?[0-9]{0,22}\\.[0-9]{0,10}: [a-z_]{0,12}:.{0,60}") {
            if let Some(row) = Row::parse(&row, Stamp::Seconds) {
                let _ = row.stamped(row.at_ns);
            }
        }

        #[test]
        fn no_payload_panics(rest in "[#<(+0-9a-z_.:\\[\\]=> -]{0,60}") {
            let _ = payload(&rest);
        }
    }
}
