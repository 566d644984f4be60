// SPDX-License-Identifier: MIT OR Apache-2.0
//! An oscilloscope of the Tektronix TDS, DPO and MDO families: one record of some channels, triggered by the first pulse.
//!
//! Commands: Tektronix TDS2000 series programmer manual, chapter 2. Waveforms have the format of the files that the oscilloscope
//! saves (ISF).
#![expect(clippy::disallowed_methods, reason = "reads the clock, sleeps")]
use super::link::{Address, Fault, Link, PATIENCE};
use backwall_capture::analog::Waveform;
use backwall_capture::oscilloscope_binary::waveform;
use backwall_capture::tick::Tick;
use backwall_capture::timebase::DIVISIONS;
use backwall_model::units::step;
use backwall_os::Stop;
use std::time::{Duration, Instant};

const WANTED: &str = "expected a Tektronix oscilloscope (TDS, DPO, MDO)";
pub const CHANNELS: [&str; 4] = ["CH1", "CH2", "CH3", "CH4"];
/// Command error, execution error and device error in the standard event register (IEEE 488.2, 11.5.1.1).
const COMPLAINTS: u8 = 0b0011_1000;
const GLANCE: Duration = Duration::from_millis(20);
const PS_PER_S: f64 = 1e12;

pub struct Oscilloscope {
    link: Link,
    stop: Stop,
}

impl Oscilloscope {
    /// Connects, checks the identity of the instrument, and sets it up to trigger when `channel` rises through `volts`.
    pub fn open(address: &Address, channel: &str, volts: f64, stop: &Stop) -> Result<Self, Fault> {
        let mut link = Link::open("oscilloscope", address, stop)?;
        let found = link.ask("*IDN?", PATIENCE)?;
        if !found.to_ascii_uppercase().starts_with("TEKTRONIX,") {
            return Err(Fault::Identity { who: link.who().to_string(), found, wanted: WANTED });
        }
        let mut scope = Self { link, stop: stop.clone() };
        scope.link.say("*CLS")?;
        for command in [
            "HEAD ON",
            "DATA:ENC RIB;WID 2",
            "TRIG:MAI:TYPE EDGE",
            "TRIG:MAI:MOD NORM",
            &format!("TRIG:MAI:EDGE:SOU {channel};SLO RIS"),
            &format!("TRIG:MAI:LEV {volts}"),
            "ACQ:STOPA SEQ",
        ] {
            scope.tell(command)?;
        }
        Ok(scope)
    }

    /// Prepares for the next pulse, with `length` picoseconds on the screen after it.
    pub fn arm(&mut self, length: Tick) -> Result<(), Fault> {
        let after = DIVISIONS - 1; // the screen shows one division before the trigger
        let division = step::at_least(length.0.div_ceil(after)) as f64 / PS_PER_S;
        self.tell(&format!("HOR:MAI:SCA {division:e}"))?;
        self.tell(&format!("HOR:MAI:POS {:e}", division * (DIVISIONS / 2 - 1) as f64))?;
        self.tell("ACQ:STATE RUN")?;
        // The oscilloscope would miss a pulse that comes before it is ready.
        self.poll(
            "TRIG:STATE?",
            Duration::ZERO,
            |state| state.to_ascii_uppercase().contains("REA"),
            "the oscilloscope does not become ready",
        )
    }

    pub fn wait(&mut self, lasts: Duration) -> Result<(), Fault> {
        let nothing = "the oscilloscope saw no pulse; connect the generator to the channel of --stimulus";
        self.poll("ACQ:STATE?", lasts, |state| state.ends_with('0'), nothing)
    }

    fn poll(
        &mut self,
        query: &str,
        lasts: Duration,
        done: impl Fn(&str) -> bool,
        otherwise: &str,
    ) -> Result<(), Fault> {
        let begin = Instant::now();
        while !done(&self.link.ask(query, PATIENCE)?) {
            if self.stop.asked() {
                return Err(Fault::Stopped);
            }
            if begin.elapsed() > PATIENCE + lasts {
                return Err(self.refuses(query, otherwise.to_string()));
            }
            std::thread::sleep(GLANCE);
        }
        Ok(())
    }

    pub fn waveform(&mut self, channel: &str) -> Result<Waveform, Fault> {
        self.tell(&format!("DATA:SOU {channel}"))?;
        let preamble = self.link.ask("WFMPRE?", PATIENCE)?;
        let curve = self.link.ask_block("CURVE?", PATIENCE)?;
        let file = [preamble.as_bytes(), b";", &curve].concat();
        let found = waveform(&file).map_err(|error| self.refuses("CURVE?", error.to_string()))?;
        Ok(Waveform { name: channel.to_string(), ..found })
    }

    fn tell(&mut self, command: &str) -> Result<(), Fault> {
        self.link.say(command)?;
        let register = self.link.ask("*ESR?", PATIENCE)?;
        let digits = register.rsplit(' ').next().unwrap_or_default();
        let bits: u8 = digits.parse().map_err(|_| Fault::Answer {
            who: self.link.who().to_string(),
            query: "*ESR?".to_string(),
            text: register.clone(),
            wanted: "number",
        })?;
        if bits & COMPLAINTS == 0 {
            return Ok(());
        }
        let text = self.link.ask("ALLEV?", PATIENCE)?;
        Err(self.refuses(command, text))
    }

    fn refuses(&self, command: &str, text: String) -> Fault {
        Fault::Refuses { who: self.link.who().to_string(), command: command.to_string(), text }
    }
}
