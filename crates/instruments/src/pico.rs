// SPDX-License-Identifier: MIT OR Apache-2.0
//! A Raspberry Pi Pico with the firmware of `pico/`: it sends pulses on one pin and records the times of all edges on three.
//!
//! `wire/PICO.md` describes the protocol. When its serial line is closed, the Pico stops and its output is off, whatever
//! happened.
#![expect(clippy::disallowed_methods, reason = "reads the clock, sleeps")]
use super::link::{Address, Fault, Link, PATIENCE};
use backwall_capture::stamps::Stamps;
use backwall_capture::tick::Tick;
use backwall_os::Stop;
use std::path::Path;
use std::time::{Duration, Instant};

pub const TICKS_PER_S: u64 = 100_000_000;
/// The shortest period, in the Pico's ticks: 1 MHz.
pub const SHORTEST: Tick = Tick(100);
/// Number of pulses whose edges the Pico can always store, two per pulse.
pub const KEPT: u64 = 4_000;
const WANTED: &str = "expected a Raspberry Pi Pico with backwall's firmware (backwall-pico.uf2)";
const IDENTITY: &str = "backwall,pico,";
const VERSION: &str = "1";
/// `#5` and five digits precede the bytes of a block.
const BLOCK_HEAD: usize = 7;
const GLANCE: Duration = Duration::from_millis(5);
const LITTLE: u64 = 512;
const FLOODED: &str = "a line changes too fast to fetch its edges; look for ringing on its wire";

pub struct Pico {
    link: Link,
    stop: Stop,
}

pub struct Shot {
    pub stamps: Stamps,
    pub interrupted: bool,
}

impl Pico {
    pub fn open(path: &Path, stop: &Stop) -> Result<Self, Fault> {
        let mut link = Link::open("Pico", &Address::Serial(path.to_path_buf()), stop)?;
        let found = link.ask("*IDN?", PATIENCE)?;
        let version = found.strip_prefix(IDENTITY).and_then(|rest| rest.rsplit(',').next());
        if version != Some(VERSION) {
            return Err(Fault::Identity { who: link.who().to_string(), found, wanted: WANTED });
        }
        Ok(Self { link, stop: stop.clone() })
    }

    pub fn who(&self) -> &str {
        self.link.who()
    }

    /// Fires this many pulses with this period and duty cycle, and waits one more period for the last answer.
    pub fn shot(&mut self, period: Tick, pulses: u64, duty: u8) -> Result<Shot, Fault> {
        let high = period.0 * u64::from(duty) / 100;
        let end = Tick(period.0.saturating_mul(pulses + 1));
        self.tell(&format!("RUN {high},{},{pulses}", period.0 - high))?;
        let mut stamps = Stamps::default();
        let interrupted = match self.follow(&mut stamps, end) {
            Err(Fault::Stopped) => true,
            otherwise => otherwise.map(|()| false)?,
        };
        Ok(Shot { stamps, interrupted })
    }

    /// Reads blocks until the pulses are over and all edges up to `end` have arrived. Each block must bring progress.
    fn follow(&mut self, stamps: &mut Stamps, end: Tick) -> Result<(), Fault> {
        let (mut went_on, mut seen, mut age) = (Instant::now(), Tick(0), Tick(0));
        while stamps.running() || stamps.end() < end {
            let block = self.link.ask_block("EDGES?", PATIENCE)?;
            let bytes = block.get(BLOCK_HEAD..).unwrap_or_default();
            let new = stamps.take(bytes).map_err(|source| Fault::Stamps { who: self.who().to_string(), source })?;
            if stamps.end() > seen {
                (went_on, seen, age) = (Instant::now(), stamps.end(), stamps.age());
            } else if went_on.elapsed() > PATIENCE {
                let why = if stamps.age() > age { FLOODED } else { "the Pico's clock does not advance" };
                return Err(self.refuses("EDGES?", why.to_string()));
            }
            if self.stop.asked() {
                return Err(Fault::Stopped);
            }
            if new < LITTLE {
                std::thread::sleep(GLANCE);
            }
        }
        self.tell("STOP")
    }

    fn tell(&mut self, command: &str) -> Result<(), Fault> {
        let answer = self.link.ask(command, PATIENCE)?;
        if answer == "ok" { Ok(()) } else { Err(self.refuses(command, answer)) }
    }

    fn refuses(&self, command: &str, text: String) -> Fault {
        Fault::Refuses { who: self.who().to_string(), command: command.to_string(), text }
    }
}

impl Drop for Pico {
    fn drop(&mut self) {
        // A Pico that is disconnected stops by itself.
        let _ = self.link.say("STOP");
    }
}
