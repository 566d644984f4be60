// SPDX-License-Identifier: MIT OR Apache-2.0
//! The trace that a guest of the lab took of itself, beside what the scope saw of the same run: both count instructions.
use super::track::read::{self, Told};
use crate::connector::{A, IST};
use crate::exit::usage;
use crate::lab::instrument::EDGES;
use crate::regular_file;
use crate::run::{IDLE_AS_IS, NO_LOAD};
use crate::scope::pairing::{Pairing, PairingRule};
use crate::scope::recording;
use crate::scope::wiring::{Watched, Wiring};
use crate::trace::late::answered::{Answer, Answered};
use crate::trace::late::lates::Lates;
use std::path::Path;

/// The text of the guest's ftrace in the folder of its run.
pub const TRACE: &str = "trace.txt";

/// Whether the folder has it beside the edges.
pub fn has_trace(run: &Path) -> bool {
    run.join(TRACE).exists() && run.join(EDGES).exists()
}

/// Every answer of the interrupt's thread that took longer, with who used its time.
pub fn answered(run: &Path, above: u64) -> anyhow::Result<(Told, Lates)> {
    let pairing = paired(&run.join(EDGES))?;
    let answers = pairing.answered().map(|(from, to)| Answer { from: from.0, to: to.0 }).collect();
    let (file, mut stored) = read::open(&run.join(TRACE))?;
    let (mut told, listener) = read::told(&file, &mut stored, Answered::new(answers, above))?;
    let lost = pairing.nearest.counts.lost;
    if lost > 0 {
        told.notes.push(format!("{lost} pulses were not answered"));
    }
    Ok((told, listener.finish()))
}

/// The thread's answers to the stimuli, as the scope pairs them.
fn paired(edges: &Path) -> anyhow::Result<Pairing> {
    let bad = |error: &dyn std::fmt::Display| usage(format!("{}: {error}", edges.display()));
    let file = regular_file::open(edges).map_err(|error| bad(&error))?;
    let recording = recording::read(file).map_err(|error| bad(&error))?;
    let responses = [Watched::line(A.lines[IST])];
    let wiring = Wiring {
        stimulus: A.stimulus,
        responses: &responses,
        rule: PairingRule::default(),
        load: NO_LOAD,
        idle: IDLE_AS_IS,
    };
    let mut answered = wiring.judge(&recording.edges).map_err(|error| bad(&error))?;
    Ok(answered.remove(0).pairing)
}
