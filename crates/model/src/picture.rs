// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pictures as data; only the report draws them.
mod arrivals;
mod chain;
mod interference;
mod operations;
mod saturation;
mod screens;
mod tasks;

pub use arrivals::{Arrivals, Owner};
pub use chain::{Chain, ChainBand, ChainInstance, ChainPart, ChainVisit};
pub use interference::{Case, Form, Interference, PostFigures, ProcessorUse, Ratio, round_ratios};
pub use operations::{Equal, Operation, Operations, Peer};
pub use saturation::{Band, Saturation, Sought, TriedPeriod};
pub use screens::{AVERAGED, COLUMNS, Channel, Overlay, Screen, Screens};
pub use tasks::{Fates, Predicted, PredictedTerm, RecordedSpan, TaskRow, TaskSet, TaskWindow, Turns, WindowJob};

use serde::{Deserialize, Serialize};

/// A picture; `kind` selects the variant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Picture {
    /// Oscilloscope screens of one stimulus line and its responses.
    Screens(Screens),
    /// Latency over arrival time.
    Arrivals(Arrivals),
    /// The highest frequencies that the device answers.
    Saturation(Saturation),
    /// What each operation of the kernel costs.
    Operations(Operations),
    /// The fate of a task set's jobs.
    TaskSet(TaskSet),
    /// The parts of a program, timed alone and together, in turns.
    Interference(Interference),
    /// A chain's worst instance, and its latencies by hop.
    Chain(Chain),
    /// A kind that this version cannot draw.
    #[serde(other)]
    Unknown,
}
