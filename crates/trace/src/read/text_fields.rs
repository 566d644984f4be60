// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the fields of a row of ftrace's text, in the kernel's format or trace-cmd's.
use super::text_measured::{measured, name_of};
use super::text_row::{Row, digits, leading_digits, trailing_digits};
use crate::event::function::Function;
use crate::event::{CALL, CALLS, Event, Group, MarkText, Name, Section, Signal, Thread, slows};
use crate::ring::decoder::waits_for_a_lock;

/// Makes an event from a row's fields, if backwall uses the event and all its fields are there.
pub(super) type Reading = fn(&str, &Row<'_>) -> Option<Event>;

/// How to read the fields of this event; looked up once for many rows.
pub(super) fn reading(event: &str) -> Reading {
    match event {
        "sched_switch" => |fields, _| switch(fields),
        "context_switch" => switch_of_tracer,
        "wakeup" => |fields, _| waking_of_tracer(fields),
        "sched_waking" => |fields, _| Some(Event::Waking { thread: woken(fields)? }),
        "sched_wakeup" | "sched_wakeup_new" => |fields, row| {
            Some(Event::Woken { thread: woken(fields)?, new: row.event == "sched_wakeup_new", on: target(fields) })
        },
        "irq_handler_entry" => |fields, _| Some(Event::Enter(Section::Interrupt(name_of(value(fields, "name")?)))),
        "irq_handler_exit" => |_, _| Some(Event::Leave(Section::Interrupt(Name::default()))),
        "softirq_entry" => |fields, _| Some(Event::Enter(Section::Softirq(number(fields, "vec")?))),
        "softirq_exit" => |fields, _| Some(Event::Leave(Section::Softirq(number(fields, "vec")?))),
        "function" => |_, _| None,
        _ => |fields, row| other(row.event, fields),
    }
}

fn other(name: &str, fields: &str) -> Option<Event> {
    Some(match name {
        "sched_migrate_task" => Event::Migrate { thread: number(fields, "pid")?, to: number(fields, "dest_cpu")? },
        "sched_pi_setprio" => Event::Inherit {
            thread: number(fields, "pid")?,
            from: number(fields, "oldprio")?,
            to: number(fields, "newprio")?,
        },
        "hrtimer_start" => {
            let (soft, hard): (Option<u64>, Option<u64>) = (number(fields, "softexpires"), number(fields, "expires"));
            let expiry_ns = soft.or(hard)?;
            let slack_ns = hard.unwrap_or(expiry_ns).saturating_sub(expiry_ns);
            Event::TimerStart { timer: address(value(fields, "hrtimer")?)?, expiry_ns, slack_ns }
        }
        "hrtimer_expire_entry" => Event::TimerExpire {
            timer: address(value(fields, "hrtimer")?)?,
            function: value(fields, "function").and_then(function),
        },
        "signal_generate" => {
            Event::Signalled { thread: number(fields, "pid")?, signal: Signal::numbered(number(fields, "sig")?) }
        }
        "cgroup_freeze" | "cgroup_unfreeze" => {
            Event::Freezes { group: Group::named(fields.split_once("path=")?.1), on: name == "cgroup_freeze" }
        }
        "cpu_frequency" => Event::Frequency { khz: number(fields, "state")?, cpu: number(fields, "cpu_id")? },
        "cpu_frequency_limits" => Event::FrequencyLimit { khz: number(fields, "max")?, cpu: number(fields, "cpu_id")? },
        "cdev_update" => {
            let what = between(fields, "type=", " target=")?;
            Event::Cools { what: Function::named(what), on: slows(what, number(fields, "target")?) }
        }
        "thermal_temperature" => Event::Cools { what: zone(fields)?, on: false },
        "thermal_zone_trip" => Event::Cools { what: zone(fields)?, on: value(fields, "trip_type")? != "ACTIVE" },
        "cpuhp_enter" | "cpuhp_multi_enter" => {
            let target: u32 = said(fields, "target:")?.parse().ok()?;
            Event::Plugs { cpu: said(fields, "cpu:")?.parse().ok()?, down: Some(target == 0) }
        }
        "cpuhp_exit" => Event::Plugs { cpu: said(fields, "cpu:")?.parse().ok()?, down: None },
        "timer_expire_entry" => Event::CoarseTimer { function: value(fields, "function").and_then(function) },
        "workqueue_execute_start" => Event::Work { function: said(fields, "function").and_then(function) },
        "workqueue_execute_end" => Event::WorkEnd,
        "ipi_entry" => Event::Enter(Section::Interrupt(CALL)),
        "ipi_exit" => Event::Leave(Section::Interrupt(CALL)),
        "netif_receive_skb" | "net_dev_queue" => {
            Event::Packet { device: name_of(value(fields, "dev")?), sent: name == "net_dev_queue" }
        }
        call if call.starts_with("sys_enter_") && CALLS.contains(&&call["sys_enter_".len()..]) => {
            Event::Call { name: name_of(&call["sys_enter_".len()..]) }
        }
        "sys_exit_clock_nanosleep" => Event::SleepEnd,
        "sys_clock_nanosleep" if fields == "->" => Event::SleepEnd,
        "sys_enter_futex" => {
            let hexadecimal = |key: &str| {
                let text =
                    value(&fields.replace(": ", "="), key)?.trim_end_matches(',').trim_start_matches("0x").to_string();
                u64::from_str_radix(&text, 16).ok()
            };
            Event::Futex { locks: waits_for_a_lock(hexadecimal("op")? as i32, hexadecimal("val")? as i32) }
        }
        "sys_exit_futex" => Event::FutexEnd,
        "page_fault_user" | "page_fault_kernel" => Event::PageFault,
        "preempt_disable" | "preempt_enable" => Event::Masks { preemption: true, on: name == "preempt_disable" },
        "irq_disable" | "irq_enable" => Event::Masks { preemption: false, on: name == "irq_disable" },
        // Events of interrupt vectors have only a number.
        vector if fields.starts_with("vector=") => {
            match (vector.strip_suffix("_entry"), vector.strip_suffix("_exit")) {
                (Some(name), _) => Event::Enter(Section::Interrupt(name_of(name))),
                (_, Some(name)) => Event::Leave(Section::Interrupt(name_of(name))),
                _ => return None,
            }
        }
        "tracing_mark_write" | "print" => return Some(mark(name, fields)),
        _ => return measured(name, fields).map(Event::Measured),
    })
}

/// Whether the event is a switch or wakeup. Without its fields, such an event counts as a loss.
pub(super) fn must_be_read(name: &str) -> bool {
    const ALL: [&str; 7] =
        ["sched_switch", "sched_waking", "sched_wakeup", "sched_wakeup_new", "context_switch", "wakeup", "timerlat"];
    ALL.contains(&name)
}

fn zone(fields: &str) -> Option<Function> {
    between(fields, "thermal_zone=", " id=").map(Function::named)
}

fn mark(name: &str, fields: &str) -> Event {
    let text = fields.split_once("tracing_mark_write: ").map_or(fields, |(_, text)| text);
    let text = || Event::Mark { text: MarkText::new(text.as_bytes()) };
    measured(name, fields).map_or_else(text, Event::Measured)
}

/// The function's name without its offset; `None` if there is only an address.
fn function(text: &str) -> Option<Function> {
    let name = text.split(['+', '/']).next().unwrap_or_default();
    let is_name = name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
    is_name.then(|| Function::named(name))
}

fn address(text: &str) -> Option<u64> {
    u64::from_str_radix(text.trim_start_matches("0x"), 16).ok()
}

/// `key=value` up to the next blank. The last match counts, because a thread's name before it may look like a field.
fn value<'a>(fields: &'a str, key: &str) -> Option<&'a str> {
    let bytes = fields.as_bytes();
    memchr::memrchr_iter(b'=', bytes).find_map(|at| {
        let before = bytes[..at].strip_suffix(key.as_bytes())?;
        let begins = before.last().is_none_or(u8::is_ascii_whitespace);
        let value = &fields[at + 1..];
        let end = value.bytes().position(|byte| byte.is_ascii_whitespace()).unwrap_or(value.len());
        begins.then(|| &value[..end])
    })
}

fn said<'a>(fields: &'a str, key: &str) -> Option<&'a str> {
    let mut words = fields.split_ascii_whitespace();
    words.find(|word| *word == key).and_then(|_| words.next())
}

fn number<T: std::str::FromStr>(fields: &str, key: &str) -> Option<T> {
    value(fields, key)?.trim_end_matches(',').parse().ok()
}

/// A name may contain blanks, so it lasts until the next key.
fn between<'a>(fields: &'a str, begin: &str, end: &str) -> Option<&'a str> {
    let (_, rest) = fields.split_once(begin)?;
    rest.split_once(end).map(|(name, _)| name)
}

/// A switch with all fields in the kernel's order, with or without an arrow between the threads, or in trace-cmd's format.
fn switch(fields: &str) -> Option<Event> {
    let Some(rest) = fields.strip_prefix("prev_comm=") else { return short_switch(fields) };
    let (from_name, rest) = up_to(rest, " prev_pid=")?;
    let (from_id, rest) = before(rest, " prev_prio=")?;
    let (from_priority, rest) = before(rest, " prev_state=")?;
    let (state, rest) = up_to(rest, " ")?;
    let rest = rest.strip_prefix("==> ").unwrap_or(rest).strip_prefix("next_comm=")?;
    let (to_name, rest) = up_to(rest, " next_pid=")?;
    let (to_id, rest) = before(rest, " next_prio=")?;
    let to_priority = integer(first_word(rest))?;
    Some(Event::Switch {
        from: Thread { id: from_id, priority: from_priority, name: name_of(from_name) },
        preempted: is_ready(state),
        to: Thread { id: to_id, priority: to_priority, name: name_of(to_name) },
    })
}

/// The number at the beginning, and the text after the key that follows it.
#[inline]
fn before<'a>(text: &'a str, key: &str) -> Option<(i32, &'a str)> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let (number, length) = leading_digits(digits.as_bytes())?;
    let number = i32::try_from(number).ok()?;
    Some((if negative { -number } else { number }, digits[length..].strip_prefix(key)?))
}

/// The text before and after the first key, which begins with a blank.
#[inline]
fn up_to<'a>(text: &'a str, key: &str) -> Option<(&'a str, &'a str)> {
    let bytes = text.as_bytes();
    let at = memchr::memchr_iter(b' ', bytes).find(|at| bytes[*at..].starts_with(key.as_bytes()))?;
    Some((&text[..at], &text[at + key.len()..]))
}

#[inline]
fn up_to_last<'a>(text: &'a str, key: &str) -> Option<(&'a str, &'a str)> {
    let bytes = text.as_bytes();
    let at = memchr::memrchr_iter(b' ', bytes).find(|at| bytes[*at..].starts_with(key.as_bytes()))?;
    Some((&text[..at], &text[at + key.len()..]))
}

#[inline]
fn first_word(text: &str) -> &str {
    &text[..text.bytes().position(|byte| byte == b' ').unwrap_or(text.len())]
}

#[inline]
fn integer(text: &str) -> Option<i32> {
    match text.strip_prefix('-') {
        Some(below) => i32::try_from(-i64::try_from(digits(below.as_bytes())?).ok()?).ok(),
        None => i32::try_from(digits(text.as_bytes())?).ok(),
    }
}

/// `232:120:R ==> [000]     217:  0:R cyclictest`; the row itself has the name of the thread that leaves.
fn switch_of_tracer(fields: &str, row: &Row<'_>) -> Option<Event> {
    let (from, to) = fields.split_once(" ==> [")?;
    let name = if row.who == "<idle>" { "swapper" } else { row.who };
    let (from, state) = thread_of_tracer(from, Some(name))?;
    let (to, _) = thread_of_tracer(to.split_once(']')?.1, None)?;
    Some(Event::Switch { from, preempted: is_ready(state), to })
}

/// `232:120:R   + [000]     217:  0:R cyclictest`: the thread after the plus is made ready.
fn waking_of_tracer(fields: &str) -> Option<Event> {
    let (cpu, woken) = fields.split_once(" + [")?.1.split_once(']')?;
    let (woken, _) = thread_of_tracer(woken, None)?;
    Some(Event::Woken { thread: woken.id, new: false, on: cpu.parse().ok() })
}

/// The thread in `217:  0:R cyclictest` (number, priority, state, and the name unless `name` gives it), and its state.
fn thread_of_tracer<'a>(text: &'a str, name: Option<&'a str>) -> Option<(Thread, &'a str)> {
    let mut parts = text.splitn(3, ':').map(str::trim);
    let (id, priority, rest) = (parts.next()?, parts.next()?, parts.next()?);
    let (state, own_name) = rest.split_once(' ').unwrap_or((rest, ""));
    let name = name_of(name.unwrap_or(own_name.trim()));
    Some((Thread { id: integer(id)?, priority: integer(priority)?, name }, state)).filter(|_| !state.is_empty())
}

/// `swapper/1:0 [120] R ==> sshd:1639 [120]`, as trace-cmd prints it.
fn short_switch(fields: &str) -> Option<Event> {
    let (from, to) = up_to(fields, " ==> ")?;
    let (from, state) = up_to_last(from, " ")?;
    Some(Event::Switch { from: short_thread(from)?, preempted: is_ready(state), to: short_thread(to)? })
}

/// `sshd:1639 [120]`.
fn short_thread(text: &str) -> Option<Thread> {
    let (who, priority) = trailing_integer(text.trim_ascii().strip_suffix(']')?)?;
    let (name, id) = trailing_integer(who.strip_suffix('[')?.trim_ascii_end())?;
    Some(Thread { id, priority, name: name_of(name.strip_suffix(':')?) })
}

/// The number at the end, with its sign, and the text before it.
fn trailing_integer(text: &str) -> Option<(&str, i32)> {
    let (before, number) = trailing_digits(text)?;
    Some(before.strip_suffix('-').map_or((before, number), |before| (before, -number)))
}

/// `comm=sshd pid=1639 prio=120`, or `sshd:1639 [120] CPU:001`. A name may look like a field.
fn woken(fields: &str) -> Option<i32> {
    let Some(rest) = fields.strip_prefix("comm=") else { return woken_short(fields) };
    integer(first_word(up_to_last(rest, " pid=")?.1))
}

fn woken_short(fields: &str) -> Option<i32> {
    number(fields, "pid").or_else(|| {
        let (who, _) = fields.split_once(" [")?;
        who.rsplit_once(':')?.1.parse().ok()
    })
}

/// The CPU whose runqueue the thread joined: `target_cpu=001`, or `CPU:001`.
fn target(fields: &str) -> Option<u32> {
    let short = || fields.rsplit_once("CPU:")?.1.trim().parse().ok();
    number(fields, "target_cpu").or_else(short)
}

/// States other than ready are in the lowest byte of the number, or are letters other than R.
fn is_ready(state: &str) -> bool {
    match state.as_bytes().first() {
        Some(digit) if digit.is_ascii_digit() => state.parse::<u64>().is_ok_and(|bits| bits & 0xff == 0),
        first => first == Some(&b'R'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(name: &str, fields: &str) -> Option<Event> {
        let row = Row { who: "a", thread: 1, cpu: 0, flags: None, at_ns: 1, event: name, fields };
        reading(name)(fields, &row)
    }

    #[test]
    fn both_ways_of_printing_a_switch_are_the_same_event() {
        let long = "prev_comm=a b=c prev_pid=7 prev_prio=120 prev_state=R+ ==> next_comm=x next_pid=9 next_prio=49";
        let bits = "prev_comm=a b=c prev_pid=7 prev_prio=120 prev_state=4096 next_comm=x next_pid=9 next_prio=49";
        let short = "a b=c:7 [120] R ==> x:9 [49]";
        let found = [long, bits, short].map(|fields| event("sched_switch", fields).unwrap());
        assert_eq!((found[0], found[1]), (found[1], found[2]));
        let Event::Switch { from, preempted, to } = found[0] else { panic!("{found:?}") };
        assert_eq!((from.id, from.name.to_string().as_str(), preempted), (7, "a b=c", true));
        assert_eq!((to.id, to.priority), (9, 49));
        assert_eq!(event("sched_switch", "prev_comm=a prev_pid=7"), None);
    }

    #[test]
    fn a_name_that_looks_like_a_field_is_a_name() {
        let waking = event("sched_waking", "comm=x pid=3 y pid=9 prio=1 target_cpu=001");
        assert_eq!(waking, Some(Event::Waking { thread: 9 }));
        let deadline =
            "prev_comm=a [1] prev_pid=7 prev_prio=-1 prev_state=S ==> next_comm=b=c 1 next_pid=9 next_prio=49";
        let Some(Event::Switch { from, to, .. }) = event("sched_switch", deadline) else { panic!() };
        assert_eq!((from.priority, from.name.to_string(), to.name.to_string()), (-1, "a [1]".into(), "b=c 1".into()));
    }

    #[test]
    fn rows_of_the_tracer_wakeup_are_the_same_events() {
        let switch = event("context_switch", "   1:120:S ==> [003]     217:  0:R a b");
        let Some(Event::Switch { from, preempted, to }) = switch else { panic!() };
        assert_eq!((from.id, from.name.to_string().as_str(), preempted), (1, "a", false));
        assert_eq!((to.id, to.priority, to.name.to_string().as_str()), (217, 0, "a b"));
        let three = event("context_switch", "   1:120:R ==> [003]     217:120:R x");
        assert!(matches!(
            three,
            Some(Event::Switch { preempted: true, to: Thread { id: 217, priority: 120, .. }, .. })
        ));
        assert_eq!(
            event("wakeup", "1:120:R   + [003]   5: -1:R x"),
            Some(Event::Woken { thread: 5, new: false, on: Some(3) })
        );
        assert_eq!(event("wakeup", "1:120:R   + [003"), None);
        assert_eq!(event("context_switch", "1:120:R ==> [000] 5:"), None);
    }

    #[test]
    fn fields_are_taken_by_their_names() {
        let timer = "hrtimer=0xffff00 function=hrtimer_wakeup expires=12 softexpires=11 mode=ABS";
        assert_eq!(
            event("hrtimer_start", timer),
            Some(Event::TimerStart { timer: 0xffff00, expiry_ns: 11, slack_ns: 1 })
        );
        let soft_only = event("hrtimer_start", "hrtimer=ffff00 function=hrtimer_wakeup softexpires=11");
        assert_eq!(soft_only, Some(Event::TimerStart { timer: 0xffff00, expiry_ns: 11, slack_ns: 0 }));
        assert_eq!(
            event("sched_wakeup", "sshd:1639 [120] CPU:001"),
            Some(Event::Woken { thread: 1639, new: false, on: Some(1) })
        );
        let boost = "comm=a pid=5 oldprio=120 newprio=39";
        assert_eq!(event("sched_pi_setprio", boost), Some(Event::Inherit { thread: 5, from: 120, to: 39 }));
        let fault = "address=__per_cpu_end ip=__per_cpu_end error_code=0x6";
        assert_eq!(event("page_fault_user", fault), Some(Event::PageFault));
        let enter = Event::Enter(Section::Interrupt(Name::new(b"local_timer")));
        assert_eq!(event("local_timer_entry", "vector=236"), Some(enter));
        let call = Event::Enter(Section::Interrupt(Name::new(b"IPI")));
        assert_eq!(event("ipi_entry", "(Rescheduling interrupts)"), Some(call));
        assert_eq!(event("irq_handler_entry", "irq=1 name=IPI"), Some(call));
        assert_eq!(event("bprint", "vector"), None);
        let stop = event("signal_generate", "sig=19 errno=0 code=0 comm=servo pid=7 grp=1 res=0");
        assert_eq!(stop, Some(Event::Signalled { thread: 7, signal: Signal::Stops }));
        let thaw = event("cgroup_unfreeze", "root=0 id=12 level=1 path=/jobs/a b");
        assert_eq!(thaw, Some(Event::Freezes { group: Group::named("/jobs/a b"), on: false }));
        let told = |what: &str, on| Some(Event::Cools { what: Function::named(what), on });
        assert_eq!(event("cpu_frequency", "state=800000 cpu_id=3"), Some(Event::Frequency { cpu: 3, khz: 800_000 }));
        let limit = event("cpu_frequency_limits", "min=400000 max=1200000 cpu_id=3");
        assert_eq!(limit, Some(Event::FrequencyLimit { cpu: 3, khz: 1_200_000 }));
        assert_eq!(event("cdev_update", "type=Processor target=2"), told("Processor", true));
        assert_eq!(event("cdev_update", "type=Fan target=2"), told("Fan", false));
        assert_eq!(
            event("thermal_temperature", "thermal_zone=x86_pkg_temp id=1 temp_prev=1 temp=2"),
            told("x86_pkg_temp", false)
        );
        let trip = "thermal_zone=x86_pkg_temp id=1 trip=0 trip_type=";
        assert_eq!(event("thermal_zone_trip", &format!("{trip}PASSIVE")), told("x86_pkg_temp", true));
        assert_eq!(event("thermal_zone_trip", &format!("{trip}ACTIVE")), told("x86_pkg_temp", false));
        let goes = event("cpuhp_enter", "cpu: 0001 target:   0 step: 181 (sched_cpu_deactivate)");
        assert_eq!(goes, Some(Event::Plugs { cpu: 1, down: Some(true) }));
        assert_eq!(
            event("cpuhp_exit", " cpu: 0001  state: 180 step: 181 ret: 0"),
            Some(Event::Plugs { cpu: 1, down: None })
        );
        let work = event("workqueue_execute_start", "work struct 00000000abc: function vmstat_update");
        assert_eq!(work, Some(Event::Work { function: Some(Function::named("vmstat_update")) }));
        let timer = event("timer_expire_entry", "timer=0xff function=delayed_work_timer_fn now=7 baseclk=7");
        assert_eq!(timer, Some(Event::CoarseTimer { function: Some(Function::named("delayed_work_timer_fn")) }));
    }
}
