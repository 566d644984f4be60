// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads a dump's declarations: timescale, variables, and comments that state the real unit.
use super::BadDump;
use super::tokens::Tokens;
use crate::tick::{Tick, TickRate};
use crate::vcd_write::{INSTRUCTIONS_COMMENT, UNITS};
use backwall_model::units::{ClockRate, decimal_times};
use std::io::Read;

#[derive(Default)]
pub(super) struct Header {
    pub lines: Vec<(Vec<u8>, String)>,
    pub others: Vec<Vec<u8>>,
    pub skipped: Vec<String>,
    timescale: String,
    comments: String,
}

/// Converts the dump's times to ticks: `ticks` for every `units`, rounded to the nearest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scale {
    pub rate: TickRate,
    ticks: u64,
    units: u64,
}

impl Scale {
    /// `None` beyond the last time that a capture can hold.
    #[inline]
    pub(super) fn tick(self, instant: u64) -> Option<Tick> {
        if self.ticks == self.units {
            return (instant <= Tick::MAX.0).then_some(Tick(instant));
        }
        if let Some(product) = instant.checked_mul(self.ticks).and_then(|ticks| ticks.checked_add(self.units / 2)) {
            // Dividing 64 bits is several times faster than 128. There are fewer ticks than units, so the result does not exceed
            // Tick::MAX.
            return Some(Tick(product / self.units));
        }
        let ticks = (instant as u128 * self.ticks as u128 + self.units as u128 / 2) / self.units as u128;
        (ticks <= Tick::MAX.0 as u128).then_some(Tick(ticks as u64))
    }
}

pub(super) fn read(tokens: &mut Tokens<impl Read>) -> Result<Header, BadDump> {
    let mut header = Header::default();
    let mut scopes: Vec<String> = Vec::new();
    while let Some(token) = tokens.next()? {
        // `META samplerate: 1000000`.
        if token.bytes == b"META" && header.lines.is_empty() {
            tokens.next()?;
            tokens.next()?;
            continue;
        }
        if token.bytes[0] != b'$' {
            return Err(token.wrong("is not a declaration"));
        }
        let keyword = token.text();
        let words = declaration(tokens)?;
        match (keyword.as_str(), &words[..]) {
            ("$enddefinitions", _) => return Ok(header),
            ("$timescale", words) => header.timescale = words.concat(),
            ("$comment", words) => header.comments.push_str(&format!(" {} ", words.join(" "))),
            ("$scope", [.., name]) => scopes.push(name.clone()),
            ("$upscope", _) => drop(scopes.pop()),
            ("$var", [kind, width, identifier, name, ..]) => {
                header.declare(kind, width, identifier.as_bytes(), unambiguous(&header.lines, &scopes, name));
            }
            ("$var", _) => return Err(BadDump::Header),
            _ => {}
        }
    }
    Err(BadDump::Header)
}

/// The words up to `$end`.
fn declaration(tokens: &mut Tokens<impl Read>) -> Result<Vec<String>, BadDump> {
    let mut words = Vec::new();
    while let Some(token) = tokens.next()? {
        if token.bytes == b"$end" {
            return Ok(words);
        }
        words.push(token.text());
    }
    Err(BadDump::Header)
}

/// The name, with its scopes in front if another line has the same name.
fn unambiguous(lines: &[(Vec<u8>, String)], scopes: &[String], name: &str) -> String {
    let is_taken = lines.iter().any(|(_, other)| other == name);
    if is_taken { format!("{}.{name}", scopes.join(".")) } else { name.to_string() }
}

impl Header {
    fn declare(&mut self, kind: &str, width: &str, identifier: &[u8], name: String) {
        let is_line = width == "1" && !["real", "realtime", "string", "event"].contains(&kind);
        if is_line && !self.lines.iter().any(|(known, _)| known == identifier) {
            self.lines.push((identifier.to_vec(), name));
        } else if !is_line {
            self.others.push(identifier.to_vec());
            self.skipped.push(name);
        }
    }

    /// The capture's tick rate: instructions or a sample rate if a comment states them, otherwise the timescale.
    pub(super) fn scale(&self) -> Result<Scale, BadDump> {
        let bad = || BadDump::Timescale(self.timescale.clone());
        let units = units_per_second(&self.timescale).ok_or_else(bad)?;
        if self.comments.contains(INSTRUCTIONS_COMMENT) {
            return Ok(Scale { rate: TickRate::Instructions, ticks: 1, units: 1 });
        }
        let sampled = sampling_rate(&self.comments).filter(|hz| *hz <= units).unwrap_or(units);
        let rate = ClockRate::new(sampled).ok_or_else(bad)?;
        Ok(Scale { rate: TickRate::Clock(rate), ticks: sampled, units })
    }
}

/// Units per second; `10 ns` gives a hundred million.
fn units_per_second(timescale: &str) -> Option<u64> {
    let digits = timescale.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = timescale.split_at(digits);
    let step: u64 = number.parse().ok().filter(|step| [1, 10, 100].contains(step))?;
    let per_second = 10u64.pow(UNITS.iter().find(|(name, _)| *name == unit)?.1);
    (per_second >= step).then_some(per_second / step)
}

/// The rate in `… at 24 MHz` or `… at 24000000 Hz`, as sigrok and backwall write it.
fn sampling_rate(comments: &str) -> Option<u64> {
    let words: Vec<&str> = comments.split_ascii_whitespace().map(|word| word.trim_end_matches(';')).collect();
    words.windows(3).find_map(|window| {
        let [at, number, unit] = window else { return None };
        let factor = match *unit {
            "Hz" => 1,
            "kHz" => 1_000,
            "MHz" => 1_000_000,
            "GHz" => 1_000_000_000,
            _ => return None,
        };
        (*at == "at").then(|| decimal_times(number, factor))?.filter(|hz| *hz > 0)
    })
}
