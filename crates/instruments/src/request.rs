// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks the period and the number of pulses that the user requested for these instruments.
use crate::burst::{Instruments, Means};
use crate::{generator, pico};
use backwall_capture::saturation::Trial;
use backwall_capture::tick::Tick;
use backwall_model::units::{ClockRate, Nanoseconds};

const USUAL_NS: u64 = 1_000_000;
const USUAL_PULSES: u64 = 10;
const PS_PER_S: u64 = 1_000_000_000_000;
const NS_PER_S: u64 = 1_000_000_000;
const SCREEN_PULSES_MAX: u64 = 1_000;

pub fn period(text: &str) -> Result<Nanoseconds, String> {
    let found = backwall_model::units::period(text).map_err(|error| error.to_string())?;
    let possible = generator::SHORTEST.0 / (PS_PER_S / NS_PER_S)..=NS_PER_S;
    if possible.contains(&found.0) {
        Ok(found)
    } else {
        Err("expected 100ns to 1s (100ns: shortest period of a 33210A)".to_string())
    }
}

impl<'a> Instruments<'a> {
    /// The instruments with the requested period and number of pulses.
    ///
    /// # Errors
    /// What these instruments do not support.
    pub fn asked(means: Means<'a>, period_ns: Option<u64>, pulses: Option<u64>) -> Result<Self, String> {
        let (hz, shortest) = match means {
            Means::Pair { .. } => (PS_PER_S, generator::SHORTEST),
            Means::Pico(_) => (pico::TICKS_PER_S, pico::SHORTEST),
        };
        let rate = ClockRate::new(hz).expect("not zero");
        let (period, pulses) = (period_ns.unwrap_or(USUAL_NS), pulses.unwrap_or(USUAL_PULSES));
        possible(&means, period, pulses)?;
        let ticks = |ns: u64| Tick((u128::from(ns) * u128::from(hz) / u128::from(NS_PER_S)) as u64);
        let trial = Trial { period: ticks(period), pulses };
        Ok(Self { means, trial, rate, shortest, longest: ticks(NS_PER_S) })
    }
}

fn possible(means: &Means<'_>, period_ns: u64, pulses: u64) -> Result<(), String> {
    let tick_ns = NS_PER_S / pico::TICKS_PER_S;
    match means {
        Means::Pair { .. } if pulses > SCREEN_PULSES_MAX => {
            Err(format!("--pulses must be at most 1000, got {pulses}: they must fit on the oscilloscope's screen"))
        }
        Means::Pico(_) if period_ns % tick_ns != 0 || period_ns / tick_ns < pico::SHORTEST.0 => {
            Err("--period must be a multiple of 10 ns from 1us to 1s for a Pico".to_string())
        }
        _ => Ok(()),
    }
}
