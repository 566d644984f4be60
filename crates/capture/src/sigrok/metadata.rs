// SPDX-License-Identifier: MIT OR Apache-2.0
//! The `metadata` of a session: lines, channels and sample rate.
use backwall_model::units::{ClockRate, decimal_times};
use std::collections::BTreeMap;

/// Maximum number of lines in a capture: 64 bytes per sample.
const LINES_MAX: usize = 512;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Metadata {
    /// Prefix of the files that contain its lines' samples.
    pub file: Option<String>,
    pub samplerate: Option<ClockRate>,
    pub unit_bytes: usize,
    pub lines: Vec<(usize, String)>,
    pub analog: BTreeMap<usize, String>,
}

impl Metadata {
    /// Reads `[device 1]`. A second device is an error, because it has its own clock.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut found = Self::default();
        let (mut inside, mut total) = (false, 0);
        for line in text.lines().map(str::trim) {
            if line.starts_with('[') {
                inside = line == "[device 1]";
                if line.starts_with("[device ") && !inside {
                    return Err(format!("{line}: the session has several devices; save each separately"));
                }
                continue;
            }
            let Some((key, value)) = line.split_once('=').filter(|_| inside) else { continue };
            found.take(key.trim(), value.trim(), &mut total)?;
        }
        found.complete(total)
    }

    fn take(&mut self, key: &str, value: &str, total: &mut usize) -> Result<(), String> {
        let number = || value.parse::<usize>().ok().filter(|number| *number <= LINES_MAX);
        let wrong = || format!("{key} is {value:?}");
        match key {
            "capturefile" => self.file = Some(value.to_string()),
            "samplerate" => self.samplerate = Some(samplerate(value).ok_or_else(wrong)?),
            "unitsize" => self.unit_bytes = number().filter(|bytes| (1..=64).contains(bytes)).ok_or_else(wrong)?,
            "total probes" => *total = number().ok_or_else(wrong)?,
            _ => {
                let channel = |prefix: &str| key.strip_prefix(prefix).and_then(|rest| rest.parse::<usize>().ok());
                if let Some(bit) = channel("probe").filter(|bit| (1..=LINES_MAX).contains(bit)) {
                    self.lines.push((bit - 1, name(value)));
                } else if let Some(number) = channel("analog").filter(|number| *number <= LINES_MAX) {
                    self.analog.insert(number, name(value));
                }
            }
        }
        Ok(())
    }

    /// Fills in implied values: the sample width follows from the number of lines, and lines without names get numbers.
    fn complete(mut self, total: usize) -> Result<Self, String> {
        if self.lines.is_empty() && self.analog.is_empty() {
            self.lines = (0..total).map(|bit| (bit, bit.to_string())).collect();
        }
        let highest = self.lines.iter().map(|(bit, _)| bit + 1).max().unwrap_or(0);
        if self.unit_bytes == 0 {
            self.unit_bytes = total.max(highest).div_ceil(8).max(1);
        }
        if highest > self.unit_bytes * 8 {
            return Err(format!("line {highest} does not fit into samples of {} bytes", self.unit_bytes));
        }
        Ok(self)
    }
}

pub(super) fn name(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join("_")
}

/// Parses `12 MHz`, `12.5MHz`, `16 kHz`, or a bare number of samples per second.
pub fn samplerate(text: &str) -> Option<ClockRate> {
    const UNITS: [(&str, u64); 5] = [("ghz", 1_000_000_000), ("mhz", 1_000_000), ("khz", 1_000), ("hz", 1), ("", 1)];
    let lower = text.trim().to_ascii_lowercase();
    let (number, factor) =
        UNITS.iter().find_map(|(unit, factor)| Some((lower.strip_suffix(unit)?.trim_end(), *factor)))?;
    ClockRate::new(decimal_times(number, factor)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_text_with_a_unit() {
        let hz = |text: &str| samplerate(text).map(ClockRate::hz);
        assert_eq!(hz("12.5 MHz"), Some(12_500_000));
        assert_eq!(
            (hz("16 kHz"), hz("1GHz"), hz("24000000"), hz("10 Hz")),
            (Some(16_000), Some(1_000_000_000), Some(24_000_000), Some(10))
        );
        assert_eq!((hz("0 Hz"), hz("fast"), hz(""), hz("-1 MHz"), hz("1.5 Hz")), (None, None, None, None, None));
    }

    #[test]
    fn a_missing_width_follows_from_the_number_of_lines() {
        let found = Metadata::read("[device 1]\ntotal probes=34\nprobe1=CLK\nprobe33=D 6\n").unwrap();
        assert_eq!((found.unit_bytes, found.lines), (5, vec![(0, "CLK".to_string()), (32, "D_6".to_string())]));
        assert!(Metadata::read("[device 1]\nunitsize=1\nprobe9=x\n").unwrap_err().contains("does not fit"));
        assert!(Metadata::read("[device 2]\n").unwrap_err().contains("several devices"));
        assert!(Metadata::read("[device 1]\nunitsize=0\n").unwrap_err().contains("unitsize"));
    }
}
