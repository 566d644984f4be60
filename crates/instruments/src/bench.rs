// SPDX-License-Identifier: MIT OR Apache-2.0
//! The instruments of a test bench: fires a burst of the generator and returns the edges that the oscilloscope or the Pico
//! recorded.
use super::generator::Generator;
use super::link::Fault;
use super::oscilloscope::Oscilloscope;
use super::pico::{self, Pico};
use backwall_capture::analog::{self, Waveform};
use backwall_capture::edges::Edges;
use backwall_capture::stamps::LINES;
use backwall_capture::tick::Tick;
use std::time::Duration;

pub struct Pair {
    pub generator: Generator,
    pub scope: Oscilloscope,
    pub channels: Vec<String>,
    pub threshold: f64,
}

pub enum Bench {
    Pair(Pair),
    Pico(Pico),
}

pub struct BurstResult {
    pub edges: Edges,
    pub interrupted: bool,
    pub lost: u64,
}

impl Bench {
    pub fn shot(&mut self, period: Tick, pulses: u64, duty: u8, stimulus: &str) -> Result<BurstResult, Fault> {
        let seen = match self {
            Self::Pair(pair) => pair.shot(period, pulses)?,
            Self::Pico(pico) => stamped(pico, period, pulses, duty)?,
        };
        let rises = seen.edges.line(stimulus).map_or(0, |line| line.rises().count() as u64);
        let (who, whole) = match self {
            Self::Pair(_) => ("the oscilloscope", true),
            Self::Pico(_) => ("the Pico", stimulus == LINES[0] && !seen.interrupted && seen.lost == 0),
        };
        let hint = match self {
            Self::Pair(_) => "check the probe and --threshold, or use fewer --pulses",
            Self::Pico(_) => "does another device drive that pin?",
        };
        let channel = stimulus.to_string();
        let fault = Fault::Pulses { who, seen: rises, given: pulses, channel, hint };
        if whole && rises != pulses { Err(fault) } else { Ok(seen) }
    }

    /// Fires a burst and returns its edges. All edges must have been recorded.
    pub fn trial(&mut self, period: Tick, pulses: u64, duty: u8, stimulus: &str) -> Result<Edges, Fault> {
        let seen = self.shot(period, pulses, duty, stimulus)?;
        match (self, seen) {
            (_, BurstResult { interrupted: true, .. }) => Err(Fault::Stopped),
            (Self::Pico(pico), BurstResult { lost, .. }) if lost > 0 => {
                Err(Fault::Lost { who: pico.who().to_string(), lost, pulses, hint: losing(pulses) })
            }
            (_, seen) => Ok(seen.edges),
        }
    }
}

/// Why a Pico lost edges: too many pulses, or additional edges.
fn losing(pulses: u64) -> String {
    match pulses {
        ..=pico::KEPT => "a line changes more often than the pulses require; look for ringing on its wire".to_string(),
        _ => format!("give at most {} --pulses, the Pico's limit", pico::KEPT),
    }
}

fn stamped(pico: &mut Pico, period: Tick, pulses: u64, duty: u8) -> Result<BurstResult, Fault> {
    let shot = pico.shot(period, pulses, duty)?;
    let lost = shot.stamps.lost().iter().sum();
    let edges = shot.stamps.finish().ok_or(Fault::Stopped)?;
    Ok(BurstResult { edges, interrupted: shot.interrupted, lost })
}

impl Pair {
    fn shot(&mut self, period: Tick, pulses: u64) -> Result<BurstResult, Fault> {
        let length = Tick(period.0.saturating_mul(pulses + 1)); // leaves a period for the answer to the last pulse
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
        let edges = edges.map_err(|error| Fault::Answer {
            who: "oscilloscope".to_string(),
            query: "CURVE?".to_string(),
            text: error.to_string(),
            wanted: "waveform",
        })?;
        Ok(BurstResult { edges, interrupted: false, lost: 0 })
    }
}
