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
pub mod jobs;
pub mod keep;
pub mod load;
pub mod notes;
pub mod occupied;
pub mod operation;
pub mod own_load;
pub mod pace;
pub mod peers;
pub mod phase;
pub mod pinned;
pub mod progress;
mod resumed;
pub mod rivals;
pub mod steal;
pub mod task_set;
mod watch;
pub mod window;

pub use watch::Watch;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set once the user has asked to stop: Ctrl-C, SIGTERM, or a closed terminal.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Catches the signals from now on, in every thread.
    pub fn on_signals() -> std::io::Result<Self> {
        let stop = Self::default();
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP] {
            signal_hook::flag::register(signal, stop.0.clone())?;
        }
        Ok(stop)
    }

    /// Whether to stop.
    pub fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
