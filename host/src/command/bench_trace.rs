// SPDX-License-Identifier: MIT OR Apache-2.0
//! The trace that a guest of the lab took of itself, beside what the scope saw of the same run: both count instructions.
use super::track::read::{self, Told};
use crate::connector::{A, IST};
use crate::exit::usage;
use crate::scope::edges::Edges;
use crate::scope::recording;
use crate::trace::late::answered::{self, Answered};
use crate::trace::late::lates::Lates;
use std::fs::File;
use std::path::Path;

/// The text of the guest's ftrace in the folder of its run.
pub const TRACE: &str = "trace.txt";
const EDGES: &str = "edges.bin";

/// Whether the folder has both.
pub fn has_trace(run: &Path) -> bool {
    run.join(TRACE).exists() && run.join(EDGES).exists()
}

/// Every answer of the interrupt's thread that took longer, with who used its time.
pub fn answered(run: &Path, above: u64) -> anyhow::Result<(Told, Lates)> {
    let edges = run.join(EDGES);
    let bad = |error: &dyn std::fmt::Display| usage(format!("{}: {error}", edges.display()));
    let file = File::open(&edges).map_err(|error| bad(&error))?;
    let recording = recording::read(file).map_err(|error| bad(&error))?;
    let stimuli = rises(&recording.edges, A.stimulus);
    let answers = answered::pairs(&stimuli, &rises(&recording.edges, A.lines[IST]));
    let lost = stimuli.len() - answers.len();
    let (file, mut stored) = read::open(&run.join(TRACE))?;
    let (mut told, listener) = read::told(&file, &mut stored, Answered::new(answers, above))?;
    if lost > 0 {
        told.notes.push(format!("{lost} pulses were not answered"));
    }
    Ok((told, listener.finish()))
}

fn rises(edges: &Edges, line: &str) -> Vec<u64> {
    edges.line(line).map_or(Vec::new(), |line| line.rises().map(|tick| tick.0).collect())
}
