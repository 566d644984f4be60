// SPDX-License-Identifier: MIT OR Apache-2.0
//! A lab guest's own trace, next to the scope's view of the same run: both count instructions.
use crate::exit::usage;
use backwall_capture::completion;
use backwall_capture::connector::{A, IST};
use backwall_capture::edges::Edges;
use backwall_capture::pairing::{Pairing, PairingRule};
use backwall_capture::recording;
use backwall_capture::tick::Tick;
use backwall_capture::wiring::{NoSuchLine, Watched, Wiring};
use backwall_ftrace::recording_file::{self, RecordingSummary};
use backwall_model::units::counted;
use backwall_model::{IDLE_AS_IS, NO_LOAD};
use backwall_os::regular_file;
use backwall_store::{EDGES_FILE, GUEST_TRACE_FILE};
use backwall_trace::late::answered::{Answer, Answered};
use backwall_trace::late::lates::Lates;
use std::path::Path;

pub fn has_trace(run: &Path) -> bool {
    run.join(GUEST_TRACE_FILE).exists() && run.join(EDGES_FILE).exists()
}

/// Every answer of the interrupt's thread that took longer than `above`, with the threads that used its time. With `to_end`,
/// an answer lasts to the end of its pulse.
pub fn answered(run: &Path, above: u64, to_end: bool) -> anyhow::Result<(RecordingSummary, Lates)> {
    let bad = |error: &dyn std::fmt::Display| usage(format!("{}: {error}", run.join(EDGES_FILE).display()));
    let file = regular_file::open(&run.join(EDGES_FILE)).map_err(|error| bad(&error))?;
    let edges = recording::read_unbuffered(file).map_err(|error| bad(&error))?.edges;
    let pairing = paired(&edges).map_err(|error| bad(&error))?;
    let (answers, endless) = answers(&edges, &pairing, to_end);
    let (file, mut stored) = recording_file::open(&run.join(GUEST_TRACE_FILE))?;
    let (mut told, listener) = recording_file::told(&file, &mut stored, Answered::new(answers, above))?;
    let lost = pairing.nearest.counts.lost;
    if lost > 0 {
        told.notes.push(format!("{} not answered", counted(lost, "pulse was", "pulses were")));
    }
    if endless > 0 {
        told.notes.push(format!("{} no end in the recording", counted(endless, "answer has", "answers have")));
    }
    Ok((told, listener.finish()))
}

fn answers(edges: &Edges, pairing: &Pairing, to_end: bool) -> (Vec<Answer>, u64) {
    let starts = || pairing.answered().map(|(from, start)| Answer { from: from.0, start: start.0, to: start.0 });
    let line = edges.line(A.lines[IST]).filter(|_| to_end);
    let Some(line) = line else { return (starts().collect(), 0) };
    let spans = completion::spans(edges, pairing, line, &PairingRule::default());
    let endless = starts().count() - spans.len();
    let whole = |[from, start, to]: [Tick; 3]| Answer { from: from.0, start: start.0, to: to.0 };
    (spans.into_iter().map(whole).collect(), endless as u64)
}

fn paired(edges: &Edges) -> Result<Pairing, NoSuchLine> {
    let responses = [Watched::line(A.lines[IST])];
    let wiring = Wiring {
        stimulus: A.stimulus,
        responses: &responses,
        rule: PairingRule::default(),
        load: NO_LOAD,
        idle: IDLE_AS_IS,
    };
    Ok(wiring.judge(edges)?.remove(0).pairing)
}
