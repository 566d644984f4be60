// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bench: a burst of the generator, and the edges that the oscilloscope saw of it.
use super::generator::Generator;
use super::link::Fault;
use super::oscilloscope::Oscilloscope;
use crate::scope::analog::{self, Waveform};
use crate::scope::edges::Edges;
use crate::scope::tick::Tick;
use std::time::Duration;

/// Both instruments, and what hangs on the oscilloscope.
pub struct Bench {
    /// It makes the pulses.
    pub generator: Generator,
    /// It sees them, and the answers.
    pub scope: Oscilloscope,
    /// The channels: first the one with the pulses.
    pub channels: Vec<String>,
    /// Above so many volts a channel is high.
    pub threshold: f64,
}

impl Bench {
    /// So many pulses at a period in picoseconds, as lines named by their channels.
    pub fn shot(&mut self, period: Tick, pulses: u64) -> Result<Edges, Fault> {
        let length = Tick(period.0.saturating_mul(pulses + 1)); // the last one has a period to be answered
        let lasts = Duration::from_nanos(length.0 / 1_000);
        self.generator.set(period, pulses)?;
        self.scope.arm(length)?;
        self.generator.fire(lasts)?;
        self.scope.wait(lasts)?;
        let mut waveforms: Vec<Waveform> = Vec::new();
        for channel in &self.channels {
            waveforms.push(self.scope.waveform(channel)?);
        }
        let edges = analog::edges(&waveforms, Some(self.threshold));
        edges.map_err(|error| Fault::Answer {
            who: "oscilloscope".to_string(),
            query: "CURVE?".to_string(),
            text: error.to_string(),
            wanted: "waveform",
        })
    }
}
