// SPDX-License-Identifier: MIT OR Apache-2.0
//! The basis of a prediction from a recording: the curve of each source of interference, and the measured responses of the tasks.
use super::arrival::Arrival;
use super::prediction::Analysed;
use super::processor::Answer;
use super::recorded::Confidence;
use super::task::{Processor, Task};
use serde::Serialize;

/// Window length for a CPU without a predicted response.
const WINDOW_NS: u64 = 1_000_000;

/// A source of interference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceCurve {
    /// Name of the source.
    pub name: String,
    /// Number of arrivals.
    pub arrivals: u64,
    /// The longest work of one arrival, in nanoseconds.
    pub longest_ns: u64,
    /// Most arrivals in a window as long as the longest predicted response on its CPU.
    pub most: u64,
    /// The most CPU time in a window of the same length, in nanoseconds.
    pub work_ns: u64,
    /// How much evidence `most` and `work_ns` have.
    pub rests_on: Confidence,
}

/// The responses of a task, as seen in a recording or a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Measured {
    /// The longest response, in nanoseconds.
    pub longest_ns: Option<u64>,
    /// Number of responses seen.
    pub responses: u64,
    /// Number of busy windows with a measured delay by lower-priority work. The longest of these delays is used.
    pub windows: u64,
}

impl Measured {
    /// Predicted response divided by measured response.
    pub fn pessimism(&self, predicted_ns: u64) -> Option<f64> {
        let longest_ns = self.longest_ns.filter(|longest_ns| *longest_ns > 0)?;
        Some(predicted_ns as f64 / longest_ns as f64)
    }
}

/// A CPU whose prediction comes from a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictedCpu {
    /// The CPU's number in the recording.
    pub cpu: u32,
    /// Length of the recording on this CPU, in nanoseconds.
    pub observed_ns: u64,
    /// The answers.
    pub analysed: Analysed,
    /// One entry per task.
    pub measured: Vec<Measured>,
}

impl PredictedCpu {
    /// Each task with its prediction and its measurements.
    pub fn tasks(&self) -> impl Iterator<Item = (&Task, &Answer, &Measured)> {
        let Analysed { processor, answers, .. } = &self.analysed;
        processor
            .tasks
            .iter()
            .zip(answers)
            .zip(&self.measured)
            .map(|((task, answer), measured)| (task, answer, measured))
    }
}

/// The median of predicted divided by measured response; with an even number, the upper of the two.
pub fn median_pessimism(cpus: &[PredictedCpu]) -> Option<f64> {
    let tasks = cpus.iter().flat_map(PredictedCpu::tasks);
    let ratio = |(_, answer, measured): (&Task, &Answer, &Measured)| {
        measured.pessimism(answer.bound.as_ref().ok()?.from_nominal_ns)
    };
    let mut ratios: Vec<f64> = tasks.filter_map(ratio).collect();
    ratios.sort_by(f64::total_cmp);
    ratios.get(ratios.len() / 2).copied()
}

/// The sources of interference of a CPU, the one with the most work first.
pub fn curves(analysed: &Analysed) -> Vec<SourceCurve> {
    let bounds = analysed.answers.iter().filter_map(|answer| answer.bound.as_ref().ok());
    let window_ns = bounds.map(|bound| bound.from_nominal_ns).max().unwrap_or(WINDOW_NS).max(1);
    let Processor { tasks, interrupts, recorded, .. } = &analysed.processor;
    let interrupts = interrupts.iter().map(|one| (&one.name, &one.arrival));
    let threads = recorded.iter().map(|one| (&one.name, &one.arrival));
    let all = interrupts.chain(threads).chain(tasks.iter().map(|one| (&one.name, &one.arrival)));
    let mut curves: Vec<SourceCurve> = all.filter_map(|(name, arrival)| curve(name, arrival, window_ns)).collect();
    curves.sort_by_key(|curve| std::cmp::Reverse(curve.work_ns));
    curves
}

fn curve(name: &str, arrival: &Arrival, window_ns: u64) -> Option<SourceCurve> {
    let Arrival::Recorded { seen, .. } = arrival else { return None };
    Some(SourceCurve {
        name: name.to_string(),
        arrivals: seen.count(),
        longest_ns: seen.largest_ns(),
        most: seen.most(window_ns),
        work_ns: seen.work_ns(window_ns),
        rests_on: seen.confidence(window_ns),
    })
}
