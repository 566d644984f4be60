// SPDX-License-Identifier: MIT OR Apache-2.0
//! Converts volts to logic levels: a threshold with hysteresis, and the time at which the signal crosses it between two samples.
use super::edges::{Edge, Edges, Line};
use super::seconds;
use super::tick::Tick;
use std::io::{self, Read};

/// Hysteresis on each side, as a share of the voltage swing.
const HYSTERESIS: f64 = 0.1;
/// Share of samples to ignore at the bottom and at the top, so that ringing and glitches do not decide the levels.
const OUTSIDE: f64 = 0.02;
/// If the swing without the ignored samples is less than this share of the whole swing, pulses are so rare that all their samples
/// were ignored.
const RARE: f64 = 0.25;
/// Maximum number of samples in a waveform: enough for an oscilloscope, not for a continuous recorder.
const SAMPLES_MAX: usize = 1 << 28;

/// Why a waveform cannot be converted to levels.
#[derive(Debug, thiserror::Error)]
pub enum BadAnalog {
    /// No samples.
    #[error("channel {0} has no samples")]
    Empty(String),
    /// A sample that is not a finite number of volts.
    #[error("channel {0}: sample {1} is not a number")]
    NoNumber(String, usize),
    /// The level never changes, so there is no threshold between low and high.
    #[error("channel {0} stays between {1} V and {2} V; set a threshold with --threshold VOLTS")]
    Flat(String, f64, f64),
}

/// One analog channel.
#[derive(Clone, Debug)]
pub struct Waveform {
    /// Name of the channel.
    pub name: String,
    /// Time of the first sample, in ticks.
    pub first: f64,
    /// Time between two samples, in ticks.
    pub step: f64,
    /// The samples.
    pub volts: Vec<f32>,
}

/// Above `high` a line is high, below `low` it is low. In between it keeps its level.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Levels {
    low: f64,
    middle: f64,
    high: f64,
}

impl Waveform {
    /// Converts the channel to a digital line, with a threshold in volts or half-way between its two levels. Also returns the
    /// time of its last sample.
    pub fn line(&self, threshold: Option<f64>) -> Result<(Line, Tick), BadAnalog> {
        let levels = self.levels(threshold)?;
        let mut line = Line::new(self.name.clone());
        let mut level = None;
        for (index, &volts) in self.volts.iter().enumerate() {
            let now = if f64::from(volts) >= levels.high {
                true
            } else if f64::from(volts) <= levels.low {
                false
            } else {
                continue;
            };
            if level.is_some_and(|before| before != now) {
                line.edges.push(Edge::new(self.crossing(index, now, levels.middle), now));
            }
            level = Some(now);
        }
        Ok((line, self.at(self.volts.len() - 1, 0.0)))
    }

    fn at(&self, index: usize, part: f64) -> Tick {
        Tick((self.first + (index as f64 + part) * self.step).round().max(0.0) as u64).min(Tick::MAX)
    }

    /// The time at which the signal crosses the threshold, by interpolation between two samples. The search goes backwards from
    /// the first sample beyond the hysteresis.
    fn crossing(&self, index: usize, rising: bool, middle: f64) -> Tick {
        let beyond = |index: usize| (f64::from(self.volts[index]) >= middle) == rising;
        let mut after = index;
        while after > 0 && beyond(after - 1) {
            after -= 1;
        }
        let Some(before) = after.checked_sub(1) else { return self.at(after, 0.0) };
        let (from, to) = (f64::from(self.volts[before]), f64::from(self.volts[after]));
        let part = if to == from { 1.0 } else { ((middle - from) / (to - from)).clamp(0.0, 1.0) };
        self.at(before, part)
    }

    fn levels(&self, threshold: Option<f64>) -> Result<Levels, BadAnalog> {
        let name = || self.name.clone();
        if let Some(index) = self.volts.iter().position(|volts| !volts.is_finite()) {
            return Err(BadAnalog::NoNumber(name(), index));
        }
        let mut sorted = self.volts.clone();
        sorted.sort_by(f32::total_cmp);
        let last = sorted.len().checked_sub(1).ok_or_else(|| BadAnalog::Empty(name()))?;
        let of = |share: f64| f64::from(sorted[(share * last as f64) as usize]);
        let (usual, whole) = ((of(OUTSIDE), of(1.0 - OUTSIDE)), (of(0.0), of(1.0)));
        // A capture may contain few pulses, so that nearly all samples are at one level. Then use the whole swing.
        let rare = usual.1 - usual.0 < RARE * (whole.1 - whole.0);
        let (low, high) = if rare { whole } else { usual };
        let swing = high - low;
        if swing <= 0.0 && threshold.is_none() {
            return Err(BadAnalog::Flat(name(), low, high));
        }
        let middle = threshold.unwrap_or(0.5 * (low + high));
        Ok(Levels { low: middle - HYSTERESIS * swing, middle, high: middle + HYSTERESIS * swing })
    }
}

/// The lines of an oscilloscope's channels, in picoseconds, for the time that all channels cover.
pub fn edges(waveforms: &[Waveform], threshold: Option<f64>) -> Result<Edges, BadAnalog> {
    let lines: Result<Vec<_>, BadAnalog> = waveforms.iter().map(|waveform| waveform.line(threshold)).collect();
    let (lines, ends): (Vec<_>, Vec<Tick>) = lines?.into_iter().unzip();
    let end_at = ends.into_iter().min().unwrap_or(Tick(0));
    Ok(Edges { rate: seconds::rate(), lines, end_at, gaps: Vec::new() })
}

pub(super) fn floats(reader: &mut dyn Read, into: &mut Vec<f32>) -> io::Result<()> {
    let mut bytes = Vec::new();
    let room = (SAMPLES_MAX - into.len()) as u64 * 4;
    reader.take(room + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > room || bytes.len() % 4 != 0 {
        let text = format!("expected a whole number of 32-bit floats, at most {SAMPLES_MAX}");
        return Err(io::Error::new(io::ErrorKind::InvalidData, text));
    }
    into.extend(bytes.chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]])));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(volts: &[f32], threshold: Option<f64>) -> Vec<(u64, bool)> {
        let waveform = Waveform { name: "a".into(), first: 0.0, step: 100.0, volts: volts.to_vec() };
        let (line, _) = waveform.line(threshold).unwrap();
        line.edges.iter().map(|edge| (edge.at().0, edge.level())).collect()
    }

    #[test]
    fn a_crossing_lies_between_two_samples() {
        // From 0 to 4 V between the samples at 200 and 300: 2 V at 250. From 4 to 0 V between 500 and 600.
        assert_eq!(edges(&[0.0, 0.0, 0.0, 4.0, 4.0, 4.0, 0.0, 0.0], None), [(250, true), (550, false)]);
        assert_eq!(edges(&[0.0, 0.0, 0.0, 4.0, 4.0, 4.0, 0.0, 0.0], Some(1.0)), [(225, true), (575, false)]);
    }

    #[test]
    fn noise_within_the_hysteresis_makes_no_edge() {
        let noisy = [0.0, 0.1, 2.1, 1.9, 2.1, 1.9, 4.0, 3.9, 2.1, 1.9, 2.1, 0.0, 0.1];
        assert_eq!(edges(&noisy, None).len(), 2);
    }

    #[test]
    fn a_flat_channel_asks_for_a_threshold_and_a_hostile_one_is_refused() {
        let waveform = |volts: &[f32]| Waveform { name: "a".into(), first: 0.0, step: 1.0, volts: volts.to_vec() };
        assert!(waveform(&[1.0; 9]).line(None).unwrap_err().to_string().contains("--threshold"));
        assert_eq!(waveform(&[1.0; 9]).line(Some(2.0)).unwrap().0.edges.len(), 0);
        assert!(matches!(waveform(&[]).line(None), Err(BadAnalog::Empty(_))));
        assert!(matches!(waveform(&[1.0, f32::NAN]).line(None), Err(BadAnalog::NoNumber(_, 1))));
    }

    #[test]
    fn channels_of_different_lengths_end_with_the_shortest() {
        let waveform = |name: &str, samples: usize| {
            let volts = (0..samples).map(|index| if index % 4 > 1 { 4.0 } else { 0.0 }).collect();
            Waveform { name: name.into(), first: 0.0, step: 100.0, volts }
        };
        let found = super::edges(&[waveform("a", 100), waveform("b", 10)], None).unwrap();
        assert_eq!(found.end_at, Tick(900));
    }

    #[test]
    fn one_short_pulse_in_a_long_record_is_seen() {
        let mut volts = vec![0.0; 10_000];
        volts[5_000..5_003].fill(3.3);
        assert_eq!(edges(&volts, None).len(), 2);
    }
}
