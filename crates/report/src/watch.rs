// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `backwall watch` says: the recipes, who is watched, and one sentence a minute.
//!
//! - `live`: the view that a terminal is drawn anew with
//! - `own`: what an application itself says of late responses
pub mod live;
pub mod own;

use crate::printable::printable;
use crate::trace::{accused, cause};
use backwall_model::Blame;
use backwall_model::units::{DisplayedValue, Unit, grouped};
use backwall_watch::{Minute, Recipe, TheWorst};
use std::time::Duration;

/// The recipes, one a line.
pub fn list(recipes: &[Recipe]) -> String {
    let widest = recipes.iter().map(|recipe| recipe.name.len()).max().unwrap_or(0);
    recipes.iter().map(|recipe| format!("{:<widest$}  {}\n", recipe.name, printable(&recipe.about))).collect()
}

/// Who is watched, and that it has no real-time priority where it has none.
pub fn beginning(recipe: &Recipe, threads: &[String], ordinary: bool) -> Vec<String> {
    let watched =
        format!("{}: {}: {}", printable(&recipe.name), counted(recipe, threads.len()), printable(&threads.join(", ")));
    let refused = ordinary.then(|| {
        format!(
            "{}: none of them has real-time priority: every program on its processor delays it",
            printable(&recipe.name)
        )
    });
    std::iter::once(watched).chain(refused).collect()
}

/// Threads are followed that the application had made before, the oldest so long ago.
pub fn unseen_before(recipe: &Recipe, age: Duration) -> String {
    let age = DisplayedValue(u64::try_from(age.as_nanos()).unwrap_or(u64::MAX), Unit::Ns);
    format!(
        "{}: the new ones are followed from now on; what they did before, for {age} at most, was not seen",
        printable(&recipe.name)
    )
}

fn counted(recipe: &Recipe, threads: usize) -> String {
    format!("{threads} {}{} watched", printable(&recipe.called), if threads == 1 { " is" } else { "s are" })
}

/// One minute: the worst, how many were late, who delayed it, what to change.
///
/// `own` is how many the application itself counted.
pub fn sentence(at: &str, recipe: &Recipe, minute: &Minute, deadline_ns: Option<u64>, own: Option<u64>) -> String {
    let name = printable(&recipe.name);
    if minute.due == 0 {
        return format!("{at} {name}: no response was due");
    }
    let mut said = format!("{at} {name}: {} responses", grouped(minute.due));
    said += &worst(recipe, minute);
    if let (Some(late), Some(limit)) = (minute.late, deadline_ns) {
        said += &format!("; {} later than {}", grouped(late), DisplayedValue(limit, Unit::Ns));
        if late > 0 {
            said += &format!(" ({})", printable(&recipe.late));
        }
    }
    if let Some(own) = own {
        said += &format!("; {name} itself counted {}", grouped(own));
    }
    if minute.unseen > 0 {
        said += &format!("; {} not seen to their end", grouped(minute.unseen));
    }
    said + &minute.worst.as_ref().map(cause).unwrap_or_default()
}

/// Before the sentence: the kernel's trace lost events since the last one, so that more may have been due and late than it says.
pub fn incomplete(at: &str, recipe: &Recipe, events_lost: u64) -> Option<String> {
    let name = printable(&recipe.name);
    (events_lost > 0).then(|| format!("{at} {name}: TRACE INCOMPLETE: {} events lost", grouped(events_lost)))
}

/// What its users can change about the application itself, a line each: wanted as soon as a response was late, or there was one and
/// no deadline says which is late.
pub fn own_advice(recipe: &Recipe, minute: &Minute, deadline_ns: Option<u64>) -> Vec<String> {
    let wanted = minute.due > 0 && (deadline_ns.is_none() || minute.late.is_some_and(|late| late > 0));
    let line = |advice: &String| format!("{}: {}", printable(&recipe.name), printable(advice));
    recipe.advice.iter().filter(|_| wanted).map(line).collect()
}

fn worst(recipe: &Recipe, minute: &Minute) -> String {
    let Some(TheWorst { thread, ns, .. }) = &minute.worst else { return String::new() };
    format!(", worst {} of {} {}", DisplayedValue(*ns, Unit::Ns), printable(&recipe.called), printable(thread))
}

/// A late response as a line of the log: when it began, which thread, how long it took, who used that.
pub fn late(began: &str, late: &TheWorst) -> String {
    let TheWorst { thread, ns, blame } = late;
    format!(
        "{began} {} {}: {}\n",
        printable(thread),
        DisplayedValue(*ns, Unit::Ns),
        printable(&accused::line(blame, *ns))
    )
}

/// Late responses that the log has no line of.
pub fn not_logged(at: &str, count: u64) -> String {
    format!("{at} {} more were late; of each thread the 100 longest between two looks have a line\n", grouped(count))
}

fn cause(worst: &TheWorst) -> String {
    let blame = &worst.blame;
    let largest = match blame {
        Blame::Shares { shares, .. } => shares.first(),
        _ => None,
    };
    let advice =
        largest.map(|share| cause::advice(share.cause, share.culprit.as_ref())).filter(|said| !said.is_empty());
    let advice = advice.map(|said| format!("; to change: {}", printable(said))).unwrap_or_default();
    format!(": {}{advice}", printable(&accused::line(blame, worst.ns)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_model::{Cause, Share, Shares, Wakers};
    use backwall_watch::shipped;

    fn jack() -> Recipe {
        shipped().into_iter().find(|recipe| recipe.name == "jack").unwrap()
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
        let minute = Minute { due: 45_000, unseen: 1, late: Some(2), worst: Some(worst) };
        assert_eq!(
            sentence("18:04:00Z", &jack(), &minute, Some(500_000), Some(1)),
            "18:04:00Z jack: 45,000 responses, worst 812.0 us of audio driver jackd-203; 2 later than 500.0 us (xrun); \
             jack itself counted 1; 1 not seen to their end: of 812.0 us: 700.0 us the thread ran on from an earlier release (or the machine below \
             stood still); 112.0 us idle until the interrupt came (idle exit, or late below the kernel); to change: the \
             thread needs longer than its period: a longer period, or less work"
        );
        let unseen = Minute { due: 3, unseen: 3, late: Some(0), worst: None };
        assert_eq!(sentence("t", &jack(), &unseen, None, None), "t jack: 3 responses; 3 not seen to their end");
        assert_eq!(sentence("t", &jack(), &Minute::default(), None, None), "t jack: no response was due");
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
        assert!(said[1].contains("none of them has real-time priority"));
    }
}
