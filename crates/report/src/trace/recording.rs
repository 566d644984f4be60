// SPDX-License-Identifier: MIT OR Apache-2.0
//! A recording as text: what it is, what is missing in it, and its account.
use super::told::told;
use super::words::time;
use crate::wrap::narrow;
use backwall_model::units::{Unit, counted, grouped};
use backwall_trace::account::summary::Summary;

/// What is told of a recording beside its account.
#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    /// Its form.
    pub form: &'a str,
    /// Records.
    pub events: u64,
    /// Events that the rings overwrote or refused, where that was counted.
    pub lost: Option<u64>,
    /// Places at which records are missing.
    pub gaps: u64,
    /// Processors of the recording of which it has no event.
    pub silent: u64,
    /// Sentences for the user.
    pub notes: &'a [String],
}

/// All of a recording, or as much of it as fits a screen, in lines no longer than `columns`.
pub fn text(head: &Head<'_>, summary: &Summary, unit: Unit, all: bool, columns: usize) -> String {
    let silent = match head.silent {
        0 => String::new(),
        silent => format!(" ({silent} without an event)"),
    };
    let first = format!(
        "{} of {} on {}{silent}: {} events, {}\n",
        head.form,
        time(summary.span_ns, unit),
        counted(summary.cpus.len() as u64, "processor", "processors"),
        grouped(head.events),
        missing(head.lost, head.gaps)
    );
    let notes: String = head.notes.iter().map(|note| format!("note: {note}\n")).collect();
    let account = told(summary, unit, all, columns);
    let incomplete = incomplete(head.lost, head.gaps);
    format!("{}{}{account}\n{}", narrow(&incomplete, columns), narrow(&first, columns), narrow(&notes, columns))
}

/// What must be known before anything else: events are missing; empty where none are known to be.
pub fn incomplete(lost: Option<u64>, gaps: u64) -> String {
    match (lost, gaps) {
        (None | Some(0), 0) => String::new(),
        _ => format!("TRACE INCOMPLETE: {}\n", missing(lost, gaps)),
    }
}

/// What is not there: events that the rings counted as lost, and places that the recording marks.
fn missing(lost: Option<u64>, gaps: u64) -> String {
    let places = || counted(gaps, "place", "places");
    match (lost, gaps) {
        (None, 0) => "losses were not counted".to_string(),
        (None, _) => format!("events are missing in {}, how many was not counted", places()),
        (Some(0), 0) => "none lost".to_string(),
        (Some(0), _) => format!("events are missing in {}, of which the rings counted none", places()),
        (Some(lost), 0) => format!("{} lost, where is not marked", grouped(lost)),
        (Some(lost), _) => format!("{} lost, in {}", grouped(lost), places()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_that_lost_events_says_so_first() {
        assert_eq!(incomplete(Some(0), 0) + &incomplete(None, 0), "");
        assert_eq!(incomplete(Some(123), 2), "TRACE INCOMPLETE: 123 lost, in 2 places\n");
        assert!(incomplete(None, 1).starts_with("TRACE INCOMPLETE: events are missing"));
    }

    #[test]
    fn what_is_missing_never_contradicts_itself() {
        for (lost, gaps, said) in [
            (None, 0, "losses were not counted"),
            (None, 1, "events are missing in 1 place, how many was not counted"),
            (Some(0), 0, "none lost"),
            (Some(0), 3, "events are missing in 3 places, of which the rings counted none"),
            (Some(4), 0, "4 lost, where is not marked"),
            (Some(4_000), 2, "4,000 lost, in 2 places"),
        ] {
            assert_eq!(missing(lost, gaps), said);
        }
    }
}
