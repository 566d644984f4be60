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

/// One picture of a run, by `kind`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Picture {
    /// Oscilloscope screens of one stimulus line and its responses.
    Screens(Screens),
    /// Latency against the instant of arrival.
    Arrivals(Arrivals),
    /// The highest frequencies that the device answers.
    Saturation(Saturation),
    /// What each operation of the kernel costs.
    Operations(Operations),
    /// The fate of a task set's jobs.
    TaskSet(TaskSet),
    /// Parts alone and together, by turns.
    Interference(Interference),
    /// A chain's worst instance, and its latencies by hop.
    Chain(Chain),
    /// Of a kind that this version cannot draw.
    #[serde(other)]
    Unknown,
}
