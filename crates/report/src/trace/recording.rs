// SPDX-License-Identifier: MIT OR Apache-2.0
//! A recording as text: its kind, its losses and its summary.
use super::told::told;
use super::words::time;
use crate::wrap::narrow;
use backwall_model::units::{Unit, counted, grouped};
use backwall_trace::account::summary::Summary;

#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    pub form: &'a str,
    pub events: u64,
    pub missing: Missing,
    pub silent: u64,
    pub notes: &'a [String],
}

/// All of a recording, or as much as fits on a screen, in lines no longer than `columns`.
pub fn text(head: &Head<'_>, summary: &Summary, unit: Unit, all: bool, columns: usize) -> String {
    let silent = match head.silent {
        0 => String::new(),
        silent => format!(" ({silent} without an event that backwall uses)"),
    };
    // Without two events that backwall uses, the length of the recording is unknown.
    let extent = match summary.span_ns {
        0 => String::new(),
        span_ns => {
            let cpus = counted(summary.cpus.len() as u64, "CPU", "CPUs");
            format!(" of {} on {cpus}{silent}", time(span_ns, unit))
        }
    };
    let form = head.form;
    let first = format!("{form}{extent}: {} events, {}\n", grouped(head.events), head.missing.sentence());
    let notes: String = head.notes.iter().map(|note| format!("note: {note}\n")).collect();
    let account = told(summary, unit, all, columns);
    let incomplete = head.missing.incomplete();
    format!("{}{}{account}\n{}", narrow(&incomplete, columns), narrow(&first, columns), narrow(&notes, columns))
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Missing {
    pub lost: Option<u64>,
    pub gaps: u64,
    /// How many of the losses come before a CPU's first record, because its ring buffer overwrote older events.
    pub wrapped: u64,
}

impl Missing {
    /// The first line, if events are missing. Empty if none are known to be missing, or if the ring buffer only overwrote the
    /// oldest events, so that the recording starts later.
    pub fn incomplete(self) -> String {
        match (self.lost, self.gaps) {
            (None | Some(0), 0) => String::new(),
            _ if self.begins_later() => String::new(),
            _ => format!("TRACE INCOMPLETE: {}\n", self.sentence()),
        }
    }

    fn begins_later(self) -> bool {
        self.gaps > 0 && self.gaps == self.wrapped
    }

    /// The number of lost events that the ring buffers counted, and the number of gaps in the recording.
    fn sentence(self) -> String {
        let places = || counted(self.gaps, "place", "places");
        let rings = || counted(self.wrapped, "CPU begins", "CPUs begin");
        match (self.lost, self.gaps) {
            (None | Some(0), _) if self.begins_later() => {
                format!("{} later, because older events were overwritten", rings())
            }
            (Some(lost), _) if self.begins_later() => {
                format!("{} later, because {} older events were overwritten", rings(), grouped(lost))
            }
            (None, 0) => "losses were not counted".to_string(),
            (None, _) => format!("events are missing in {}; their number is unknown", places()),
            (Some(0), 0) => "none lost".to_string(),
            (Some(0), _) => format!("events are missing in {}; the rings counted none of them", places()),
            (Some(lost), 0) => format!("{} lost; their places are unknown", grouped(lost)),
            (Some(lost), _) => format!("{} lost, in {}", grouped(lost), places()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(lost: Option<u64>, gaps: u64, wrapped: u64) -> Missing {
        Missing { lost, gaps, wrapped }
    }

    #[test]
    fn a_recording_that_lost_events_says_so_first() {
        assert_eq!(missing(Some(0), 0, 0).incomplete() + &missing(None, 0, 0).incomplete(), "");
        assert_eq!(missing(Some(123), 2, 0).incomplete(), "TRACE INCOMPLETE: 123 lost, in 2 places\n");
        assert!(missing(None, 1, 0).incomplete().starts_with("TRACE INCOMPLETE: events are missing"));
        assert!(missing(Some(9), 2, 1).incomplete().starts_with("TRACE INCOMPLETE: 9 lost"), "one in the middle");
    }

    #[test]
    fn a_ring_that_wrapped_makes_a_recording_begin_later() {
        assert_eq!(missing(Some(9), 2, 2).incomplete() + &missing(None, 1, 1).incomplete(), "");
        assert_eq!(
            missing(Some(9_000), 2, 2).sentence(),
            "2 CPUs begin later, because 9,000 older events were overwritten"
        );
        assert_eq!(missing(None, 1, 1).sentence(), "1 CPU begins later, because older events were overwritten");
    }

    #[test]
    fn what_is_missing_never_contradicts_itself() {
        for (lost, gaps, said) in [
            (None, 0, "losses were not counted"),
            (None, 1, "events are missing in 1 place; their number is unknown"),
            (Some(0), 0, "none lost"),
            (Some(0), 3, "events are missing in 3 places; the rings counted none of them"),
            (Some(4), 0, "4 lost; their places are unknown"),
            (Some(4_000), 2, "4,000 lost, in 2 places"),
        ] {
            assert_eq!(missing(lost, gaps, 0).sentence(), said);
        }
    }
}
