// SPDX-License-Identifier: MIT OR Apache-2.0
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Becomes set when the user asks to stop: by Ctrl-C, SIGTERM, or by closing the terminal.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    asked: Arc<AtomicBool>,
    at_once: Arc<AtomicBool>,
}

impl Stop {
    pub fn on_signals() -> std::io::Result<Self> {
        Self::on(&[SIGINT, SIGTERM, SIGHUP])
    }

    /// Ignores Ctrl-C, which the terminal also sends to the measured program. Only SIGTERM and SIGHUP stop.
    pub fn on_signals_to_us() -> std::io::Result<Self> {
        Self::on(&[SIGINT])?;
        Self::on(&[SIGTERM, SIGHUP])
    }

    fn on(signals: &[i32]) -> std::io::Result<Self> {
        let stop = Self::default();
        for signal in signals {
            signal_hook::flag::register(*signal, stop.asked.clone())?;
            if *signal != SIGINT {
                signal_hook::flag::register(*signal, stop.at_once.clone())?;
            }
        }
        Ok(stop)
    }

    pub fn asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// Whether to skip work that can be done later. True after SIGTERM, which SIGKILL may follow, and after the terminal was
    /// closed.
    pub fn at_once(&self) -> bool {
        self.at_once.load(Ordering::Relaxed)
    }
}
