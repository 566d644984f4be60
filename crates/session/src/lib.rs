// SPDX-License-Identifier: MIT OR Apache-2.0
//! A session: the probe and the loads as processes, from their start to what was heard of them.
//!
//! [`phase`] runs one phase; a [`Stop`] and the [`Watch`] it is given make it
//! end early and show how far it is. No process outlives its [`child::Child`].
pub mod assemble;
pub mod attachee;
pub mod checkpoint;
pub mod child;
mod clocks;
pub mod collected;
pub mod growing;
pub mod heard;
pub mod heat;
mod identity;
pub mod iltiming;
pub mod job;
pub mod jobs;
pub mod keep;
pub mod lengths;
pub mod load;
pub mod loads;
pub mod named;
pub mod notes;
pub mod occupied;
pub mod operation;
pub mod own_load;
pub mod pace;
pub mod peers;
pub mod phase;
pub mod pinned;
pub mod placing;
pub mod progress;
pub mod resumable;
mod resumed;
pub mod rivals;
pub mod rows;
#[cfg(test)]
mod short_series;
mod split;
pub mod steal;
pub mod task_set;
pub mod traced;
pub mod watch;
pub mod window;

pub use watch::Watch;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set once the user has asked to stop: Ctrl-C, SIGTERM, or a closed terminal.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Catches the signals from now on, in every thread.
    pub fn on_signals() -> std::io::Result<Self> {
        Self::on(&[SIGINT, SIGTERM, SIGHUP])
    }

    /// Catches all of them and is set by those that a terminal does not send to everybody on it: who shares the terminal with
    /// us hears Ctrl-C, but nothing of these.
    pub fn on_signals_to_us() -> std::io::Result<Self> {
        Self::on(&[SIGINT])?;
        Self::on(&[SIGTERM, SIGHUP])
    }

    fn on(signals: &[i32]) -> std::io::Result<Self> {
        let stop = Self::default();
        signals.iter().try_for_each(|signal| signal_hook::flag::register(*signal, stop.0.clone()).map(|_| ()))?;
        Ok(stop)
    }

    /// Whether to stop.
    pub fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
