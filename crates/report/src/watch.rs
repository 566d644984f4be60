// SPDX-License-Identifier: MIT OR Apache-2.0
//! The output of `backwall watch`: recipes, watched threads, and one report a minute.
pub mod chains;
pub mod live;
pub mod own;
pub mod run_delay;

use crate::advice;
use crate::brief::short_figure;
use crate::printable::printable;
use crate::trace::remedy::{self, Machine};
use crate::trace::{accused, cause};
use crate::wrap::narrow;
use backwall_model::units::{DisplayedValue, Unit, grouped};
use backwall_model::{Blame, Cause, Warning};
use backwall_watch::{Minute, Recipe, TheWorst};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

pub fn list(recipes: &[Recipe]) -> String {
    let widest = recipes.iter().map(|recipe| recipe.name.len()).max().unwrap_or(0);
    recipes.iter().map(|recipe| format!("{:<widest$}  {}\n", recipe.name, printable(&recipe.about))).collect()
}

pub fn beginning(recipe: &Recipe, threads: &[String], ordinary: bool) -> Vec<String> {
    let watched =
        format!("{}: {}: {}", printable(&recipe.name), counted(recipe, threads.len()), printable(&threads.join(", ")));
    let refused = ordinary.then(|| {
        format!(
            "{}: no thread has real-time priority, so every other program on their CPUs delays them",
            printable(&recipe.name)
        )
    });
    std::iter::once(watched).chain(refused).collect()
}

pub fn unseen_before(recipe: &Recipe, age: Duration) -> String {
    let age = DisplayedValue(u64::try_from(age.as_nanos()).unwrap_or(u64::MAX), Unit::Ns);
    format!(
        "{}: backwall follows the new threads from now on; they ran unmeasured for up to {age}",
        printable(&recipe.name)
    )
}

fn counted(recipe: &Recipe, threads: usize) -> String {
    format!("{threads} {}{} watched", printable(&recipe.called), if threads == 1 { " is" } else { "s are" })
}

const COUNTED: usize = 3;
const COMMAND: &str = "    ";

/// Facts about an application other than its responses.
#[derive(Clone, Debug, Default)]
pub struct Beside {
    pub deadline_ns: Option<u64>,
    /// The application's own count of late responses.
    pub own: Option<u64>,
    /// The real-time priority of the thread with the worst response.
    pub priority: Option<u32>,
    /// The quota that kept its threads off the CPUs.
    pub throttled: Option<Warning>,
    pub is_virtual: bool,
    /// The recording lost events in this minute, or too many before, so the culprit of a response is not certain.
    pub is_incomplete: bool,
}

/// One minute: how many responses were late and what delayed them; then the worst response, its cause and the fix, with
/// commands on their own lines. `late` are the late responses that backwall examined.
pub fn sentence(
    at: &str,
    recipe: &Recipe,
    minute: &Minute,
    beside: &Beside,
    late: &[TheWorst],
    columns: usize,
) -> Vec<String> {
    let deadline_ns = beside.deadline_ns;
    let name = printable(&recipe.name);
    if minute.due == 0 {
        return vec![format!("{at} {name}: no response was due")];
    }
    let mut said = format!("{at} {name}: ");
    said += &match (minute.late, deadline_ns) {
        (Some(count), Some(limit)) => {
            let (limit, due) = (short_figure(limit, Unit::Ns), grouped(minute.due));
            match count {
                0 => format!("none of {due} wakeups later than {limit}"),
                _ => format!(
                    "{} of {due} later than {limit}{}{}",
                    grouped(count),
                    called_late(recipe),
                    culprits(count, late, beside)
                ),
            }
        }
        _ => format!("{} wakeups", grouped(minute.due)),
    };
    if let Some(own) = beside.own {
        said += &format!("; {name} itself counted {}", grouped(own));
    }
    if minute.unseen > 0 {
        said += &format!("; {} not seen to their end", grouped(minute.unseen));
    }
    let fine = minute.late == Some(0) && deadline_ns.is_some();
    let worst = minute.worst.as_ref().map(|the| worst(recipe, the, (most(late, beside).unwrap_or(the), beside), fine));
    let (sentence, commands) = worst.unwrap_or_default();
    let said = narrow(&format!("{said}\n{sentence}"), columns);
    let commands = commands.iter().flat_map(|line| advice::command(line, columns.saturating_sub(COMMAND.len())));
    said.lines().map(String::from).chain(commands.map(|line| format!("{COMMAND}{line}"))).collect()
}

/// The application's own word for a late response, such as ` (xrun)`; empty if the recipe has none.
fn called_late(recipe: &Recipe) -> String {
    const USUAL: &str = "late response";
    if recipe.late == USUAL { String::new() } else { format!(" ({})", printable(&recipe.late)) }
}

/// Late responses by main cause, such as `: 127 camera (real-time 85), 9 hypervisor or SMI, 3 other`. Responses that backwall
/// did not examine have their own count.
fn culprits(count: u64, late: &[TheWorst], beside: &Beside) -> String {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let label = |one: &TheWorst| match throttled(one, beside) {
        Some(_) => "quota of its control group".to_string(),
        None => accused::label(&one.blame),
    };
    late.iter().for_each(|one| *counts.entry(label(one)).or_default() += 1);
    let mut ranked: Vec<(String, u64)> = counts.into_iter().collect();
    ranked.sort_by_key(|(_, count)| Reverse(*count));
    let named = ranked.len().min(COUNTED);
    let other: u64 = ranked[named..].iter().map(|(_, count)| count).sum();
    let unseen = count.saturating_sub(late.len() as u64);
    let other = (other > 0).then(|| format!("{} other", grouped(other)));
    let unseen = (unseen > 0).then(|| format!("{} not examined", grouped(unseen)));
    let told = ranked[..named].iter().map(|(label, count)| format!("{} {}", grouped(*count), printable(label)));
    let told: Vec<String> = told.chain(other).chain(unseen).collect();
    if told.is_empty() { String::new() } else { format!(": {}", told.join(", ")) }
}

/// One of the late responses whose fix mends at least half of them.
fn most<'a>(late: &'a [TheWorst], beside: &Beside) -> Option<&'a TheWorst> {
    let mut kinds: BTreeMap<String, (&TheWorst, Option<String>, usize)> = BTreeMap::new();
    late.iter().for_each(|one| {
        let kind = kinds.entry(accused::label(&one.blame)).or_insert_with(|| (one, advice_of(one, beside), 0));
        kind.2 += 1;
    });
    let is_same = |one: &Option<String>, other: &Option<String>| {
        one == other || one.as_ref().zip(other.as_ref()).is_some_and(|(one, other)| remedy::is_same(one, other))
    };
    let mended = |fix: &Option<String>| {
        kinds.values().filter(|(_, other, _)| is_same(fix, other)).map(|(.., count)| count).sum::<usize>()
    };
    let (one, fix, _) = kinds.values().max_by_key(|(.., count)| count)?;
    (mended(fix) * 2 >= late.len()).then_some(one)
}

/// The worst response with its cause, its fix unless nothing was late, and the commands for the fix.
fn worst(
    recipe: &Recipe,
    the: &TheWorst,
    (to_mend, beside): (&TheWorst, &Beside),
    fine: bool,
) -> (String, Vec<String>) {
    let TheWorst { thread, ns, blame } = the;
    let of = format!("{} of {} {}", short_figure(*ns, Unit::Ns), printable(&recipe.called), printable(thread));
    if beside.is_incomplete {
        return (format!("  worst recorded response {of}: no culprit is named, because events were lost"), Vec::new());
    }
    let cause = throttled(the, beside).map_or_else(|| accused::short(blame, *ns), |throttled| throttled.text.clone());
    let cause = printable(&cause);
    let fix = match throttled(to_mend, beside) {
        _ if fine => "nothing to change".to_string(),
        Some(throttled) => remedy::counted(throttled, &Machine::default()),
        None => advice_of(to_mend, beside).unwrap_or_default(),
    };
    let is_own = advice_of(the, beside).is_some_and(|own| remedy::is_same(&own, &fix));
    let is_other =
        accused::label(&to_mend.blame) != accused::label(blame) && !is_own && throttled(the, beside).is_none();
    let mut lines = fix.lines().map(printable);
    let whose = if is_other { " for most late responses" } else { "" };
    let fix = lines.next().map_or(String::new(), |fix| format!("; fix{whose}: {fix}"));
    (format!("  worst {of}: {cause}{fix}"), lines.collect())
}

/// The CPU quota, if it is the cause of a response that lasts longer than the recording.
fn throttled<'a>(of: &TheWorst, beside: &'a Beside) -> Option<&'a Warning> {
    let is_unexplained = accused::main_cause(&of.blame) == Some(Cause::Unexplained);
    beside.throttled.as_ref().filter(|_| is_unexplained)
}

fn advice_of(the: &TheWorst, beside: &Beside) -> Option<String> {
    let Blame::Shares { shares, .. } = &the.blame else { return None };
    let first = shares.first()?;
    let (late_thread, late_priority) = (numbered(&the.thread), beside.priority);
    let machine = Machine { late_thread, late_priority, is_virtual: beside.is_virtual, ..Machine::default() };
    Some(cause::remedy(first.cause, first.culprit.as_ref(), &machine))
}

/// Splits a thread's name and number, as a followed thread's series writes them: `jackd-203`.
pub fn numbered(thread: &str) -> Option<(String, i32)> {
    let (name, number) = thread.rsplit_once('-')?;
    Some((name.to_string(), number.parse().ok()?))
}

/// The warning that precedes the report: the kernel's trace lost events since the last report, so more wakeups may have been
/// due or late.
pub fn incomplete(at: &str, recipe: &Recipe, events_lost: u64) -> Option<String> {
    let name = printable(&recipe.name);
    (events_lost > 0).then(|| format!("{at} {name}: TRACE INCOMPLETE: {} events lost", grouped(events_lost)))
}

pub fn own_advice(recipe: &Recipe, minute: &Minute, deadline_ns: Option<u64>) -> Vec<String> {
    let wanted = minute.due > 0 && (deadline_ns.is_none() || minute.late.is_some_and(|late| late > 0));
    let line = |advice: &String| format!("{}: {}", printable(&recipe.name), printable(advice));
    recipe.advice.iter().filter(|_| wanted).map(line).collect()
}

/// A late response as a log line: when it began, its thread, how long it took, and who used that time.
pub fn late(began: &str, late: &TheWorst) -> String {
    let TheWorst { thread, ns, blame } = late;
    format!(
        "{began} {} {}: {}\n",
        printable(thread),
        DisplayedValue(*ns, Unit::Ns),
        printable(&accused::line(blame, *ns))
    )
}

pub fn not_logged(at: &str, count: u64) -> String {
    format!(
        "{at} {} more were late; between two reports the log has only each thread's 100 longest responses\n",
        grouped(count)
    )
}

fn cause(worst: &TheWorst) -> String {
    let blame = &worst.blame;
    let largest = match blame {
        Blame::Shares { shares, .. } => shares.first(),
        _ => None,
    };
    let advice =
        largest.map(|share| cause::advice(share.cause, share.culprit.as_ref())).filter(|said| !said.is_empty());
    let advice = advice.map(|said| format!("; fix: {}", printable(said))).unwrap_or_default();
    format!(": {}{advice}", printable(&accused::line(blame, worst.ns)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_model::{Culprit, Holder, Priority, Share, Shares, Thread, Wakers};
    use backwall_watch::shipped;

    fn jack() -> Recipe {
        shipped().into_iter().find(|recipe| recipe.name == "jack").unwrap()
    }

    fn due_in(deadline_ns: u64) -> Beside {
        Beside { deadline_ns: Some(deadline_ns), ..Beside::default() }
    }

    // A response that lasts longer than the recording has no recorded cause. The kernel's counter of its group shows the
    // cause.
    #[test]
    fn a_quota_that_is_known_is_the_cause_of_what_the_recording_does_not_explain() {
        let share = Share { cause: Cause::Unexplained, culprit: None, ns: 4_000_000_000 };
        let blame = Blame::Shares { shares: Shares::of([share]).unwrap(), wakers: Wakers::default() };
        let worst = TheWorst { thread: "loop-7".to_string(), ns: 4_000_000_000, blame };
        let minute = Minute { due: 9, late: Some(9), worst: Some(worst), ..Minute::default() };
        let throttled = Warning::new(Warning::THROTTLED, "a quota stopped it 80 times: /sys/fs/cgroup/cpu/bwq");
        let beside = Beside { throttled: Some(throttled), ..due_in(1_000_000) };
        let late = vec![minute.worst.clone().unwrap(); 9];
        let said = sentence("t", &jack(), &minute, &beside, &late, usize::MAX);
        assert!(said[0].ends_with(": 9 quota of its control group"), "{said:?}");
        assert!(said[1].contains("4.0 s of audio driver loop-7: a quota stopped it 80 times"), "{said:?}");
        assert!(said[1].ends_with("; fix: raise the CPU quota of its control group"), "{said:?}");
        assert!(said[2].contains("echo -1 > /sys/fs/cgroup/cpu/bwq/cpu.cfs_quota_us"), "{said:?}");
    }

    #[test]
    fn a_minute_is_one_sentence_in_the_words_of_its_users() {
        let share = |cause, ns| Share { cause, culprit: None, ns };
        let shares = vec![share(Cause::Backlog, 700_000), share(Cause::IdleExit, 112_000)];
        let blame = Blame::Shares { shares: Shares::of(shares).unwrap(), wakers: Wakers::default() };
        let worst = TheWorst { thread: "jackd-203".to_string(), ns: 812_000, blame };
        let line = late("2026-11-25T18:03:12.500Z", &worst);
        assert!(
            line.starts_with("2026-11-25T18:03:12.500Z jackd-203 812.0 us: of 812.0 us: 700.0 us the thread"),
            "{line}"
        );
        assert!(line.ends_with('\n') && line.matches('\n').count() == 1, "{line}");
        let minute = Minute { due: 45_000, unseen: 1, late: Some(2), worst: Some(worst.clone()) };
        let both = [worst.clone(), worst];
        assert_eq!(
            sentence("18:04:00Z", &jack(), &minute, &Beside { own: Some(1), ..due_in(500_000) }, &both, usize::MAX),
            [
                "18:04:00Z jack: 2 of 45,000 later than 500 us (xrun): 2 its own backlog; jack itself counted 1; 1 not seen to \
                 their end",
                "  worst 812 us of audio driver jackd-203: the thread was still working on an earlier release (or the \
                hypervisor or firmware paused it); fix: the thread needs longer than its period: choose a longer period, or \
                give it less work"
            ]
        );
        let unseen = Minute { due: 3, unseen: 3, late: Some(0), worst: None };
        let alone = |minute: &Minute| sentence("t", &jack(), minute, &Beside::default(), &[], usize::MAX);
        assert_eq!(alone(&unseen), ["t jack: 3 wakeups; 3 not seen to their end"]);
        assert_eq!(alone(&Minute::default()), ["t jack: no response was due"]);
    }

    // The culprit of most late responses comes first, not the culprit of the worst response.
    #[test]
    fn the_late_ones_are_counted_by_who_made_them_late() {
        let by = |cause, name: Option<(&str, u8)>, ns| {
            let culprit = name.map(|(name, priority)| Culprit {
                holder: Holder::Thread(Thread {
                    name: Some(name.to_string()),
                    id: Some(7),
                    priority: Some(Priority::RealTime(priority)),
                    series: false,
                }),
                more: None,
            });
            let blame = Blame::Shares {
                shares: Shares::of([Share { cause, culprit, ns }]).unwrap(),
                wakers: Wakers::default(),
            };
            TheWorst { thread: "servo-14".to_string(), ns, blame }
        };
        let stall = by(Cause::Below, None, 1_369_700);
        let late: Vec<TheWorst> = (0..127)
            .map(|_| by(Cause::Interference, Some(("camera", 85)), 700_000))
            .chain((0..9).map(|_| stall.clone()))
            .chain([by(Cause::Dispatch, None, 400_000), by(Cause::TimerSlack, None, 400_000)])
            .chain([by(Cause::Dispatch, None, 400_000)])
            .collect();
        let minute = Minute { due: 10_000, unseen: 0, late: Some(141), worst: Some(stall) };
        let above = Beside { priority: Some(80), ..due_in(300_000) };
        let said = sentence("t", &jack(), &minute, &above, &late, usize::MAX);
        let told = "141 of 10,000 later than 300 us (xrun): 127 camera (real-time 85), 9 hypervisor or SMI, \
             2 kernel wakeup path, 1 other, 2 not examined";
        assert_eq!(said[0], format!("t jack: {told}"));
        assert!(said[1].starts_with("  worst 1.4 ms of audio driver servo-14: the hypervisor or firmware"), "{said:?}");
        // The fix is for the cause of most late responses.
        assert!(
            said[1].ends_with("; fix for most late responses: run camera (7) below servo (real-time 80)"),
            "{said:?}"
        );
        assert_eq!(said[2..], ["    chrt -f -p 79 7   # undo: chrt -f -p 85 7"]);
        // Nobody is accused on a recording with gaps.
        let gaps = sentence("t", &jack(), &minute, &Beside { is_incomplete: true, ..above.clone() }, &late, usize::MAX);
        assert!(gaps[1].ends_with("servo-14: no culprit is named, because events were lost"), "{gaps:?}");
        assert_eq!(gaps.len(), 2, "{gaps:?}");
        let narrow = sentence("t", &jack(), &minute, &above, &late, 40);
        assert!(narrow.iter().all(|line| line.chars().count() <= 40), "{narrow:?}");
        assert_eq!(narrow[narrow.len() - 2..], ["    chrt -f -p 79 7", "    # undo: chrt -f -p 85 7"]);
        let fine =
            Minute { due: 10_000, late: Some(0), worst: Some(by(Cause::Dispatch, None, 9_000)), ..Minute::default() };
        let said = sentence("t", &jack(), &fine, &due_in(300_000), &[], usize::MAX);
        assert!(said[0].ends_with("none of 10,000 wakeups later than 300 us"), "{said:?}");
        assert!(said[1].ends_with("; fix: nothing to change"), "{said:?}");
    }

    #[test]
    fn what_to_change_about_the_application_is_said_where_a_response_may_be_late() {
        let minute = |due, late| Minute { due, late: Some(late), ..Minute::default() };
        let said = |due, late, deadline| own_advice(&jack(), &minute(due, late), deadline).len();
        assert_eq!((said(3, 1, Some(500_000)), said(3, 0, None)), (2, 2));
        assert_eq!((said(3, 0, Some(500_000)), said(0, 0, None)), (0, 0));
        assert!(own_advice(&jack(), &minute(1, 1), None)[0].starts_with("jack: a longer period (-p)"));
    }

    #[test]
    fn who_has_no_real_time_priority_is_told() {
        let said = beginning(&jack(), &["jackd (200, ordinary)".to_string()], true);
        assert_eq!(said[0], "jack: 1 audio driver is watched: jackd (200, ordinary)");
        assert!(said[1].contains("no thread has real-time priority"));
    }
}
