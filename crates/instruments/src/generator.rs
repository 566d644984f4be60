// SPDX-License-Identifier: MIT OR Apache-2.0
//! A function generator of the Keysight 33210A family: bursts of a given number of pulses at a given frequency.
//!
//! Commands: Agilent 33210A user's guide, chapter 4, "Remote interface reference". When this value is dropped, the generator's
//! output is switched off, whatever happened.
use super::link::{Address, Fault, Link, PATIENCE};
use backwall_capture::tick::Tick;
use backwall_os::Stop;
use std::time::Duration;

const FAMILY: [&str; 5] = ["332", "335", "336", "EDU33", "FG33"];
const WANTED: &str = "expected an Agilent or Keysight generator of series 332xx, 335xx or 336xx";
/// Maximum number of queued errors to read, so that reading always ends.
const QUEUE: usize = 32;
/// The shortest period of the generator's square wave: 10 MHz, in picoseconds.
pub const SHORTEST: Tick = Tick(100_000);
const PS_PER_S: f64 = 1e12;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pulse {
    /// Share of the period with a high level, in percent.
    pub duty: u8,
    /// Voltage of the high level; the low level is 0 V.
    pub volts: f64,
}

pub struct Generator {
    link: Link,
}

impl Generator {
    /// Connects, checks the identity of the instrument, and sets it up with its output off.
    pub fn open(address: &Address, pulse: Pulse, stop: &Stop) -> Result<Self, Fault> {
        let mut link = Link::open("generator", address, stop)?;
        let found = link.ask("*IDN?", PATIENCE)?;
        let model = found.split(',').nth(1).unwrap_or_default().trim();
        if !FAMILY.iter().any(|family| model.starts_with(family)) {
            return Err(Fault::Identity { who: link.who().to_string(), found, wanted: WANTED });
        }
        let mut generator = Self { link };
        let (duty, volts) = (pulse.duty, pulse.volts);
        generator.link.say("*CLS")?;
        for command in [
            "OUTP OFF",
            "FUNC SQU",
            &format!("VOLT:HIGH {volts}"),
            "VOLT:LOW 0",
            &format!("FUNC:SQU:DCYC {duty}"),
            "TRIG:SOUR BUS",
            "BURS:MODE TRIG",
            "BURS:PHAS 0",
        ] {
            generator.tell(command)?;
        }
        Ok(generator)
    }

    /// Prepares this many pulses with this period in picoseconds. [`Generator::fire`] starts them.
    pub fn set(&mut self, period: Tick, pulses: u64) -> Result<(), Fault> {
        self.tell("BURS:STAT OFF")?;
        self.tell(&format!("FREQ {:.6}", PS_PER_S / period.0 as f64))?;
        self.tell(&format!("BURS:NCYC {pulses}"))?;
        self.tell("BURS:STAT ON")?;
        self.tell("OUTP ON")
    }

    pub fn fire(&mut self, lasts: Duration) -> Result<(), Fault> {
        self.link.say("*TRG")?;
        self.link.ask("*OPC?", PATIENCE + lasts).map(drop)
    }

    fn tell(&mut self, command: &str) -> Result<(), Fault> {
        self.link.say(command)?;
        let mut first = None;
        for _ in 0..QUEUE {
            let text = self.link.ask("SYST:ERR?", PATIENCE)?;
            if text.trim_start_matches('+').split(',').next() == Some("0") {
                break;
            }
            first.get_or_insert(text);
        }
        let refuses = |text| Fault::Refuses { who: self.link.who().to_string(), command: command.to_string(), text };
        first.map_or(Ok(()), |text| Err(refuses(text)))
    }
}

impl Drop for Generator {
    fn drop(&mut self) {
        // If the connection is lost, the output cannot be switched off any more.
        let _ = self.link.say("OUTP OFF");
    }
}
