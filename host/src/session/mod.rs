// SPDX-License-Identifier: MIT OR Apache-2.0
//! A session: the probe and the loads as processes, from their start to what was heard of them.
//!
//! [`phase`] runs one phase; a [`Stop`] and the [`Watch`] it is given make it
//! end early and show how far it is. No process outlives its [`child::Child`].
pub mod assemble;
pub mod child;
pub mod collected;
pub mod growing;
pub mod heard;
pub mod keep;
pub mod load;
pub mod occupied;
pub mod own_load;
pub mod pace;
pub mod phase;
pub mod pinned;
pub mod progress;
pub mod rivals;
pub mod steal;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

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

/// What can be seen of a measurement while it runs.
#[derive(Debug, Default)]
pub struct Watch {
    worst: AtomicU64,
    ended: AtomicBool,
    records: AtomicU64,
    /// Its number; 0 before it is known.
    thread: AtomicU32,
}

impl Watch {
    /// Takes the largest value so far.
    pub fn saw(&self, worst: u64) {
        self.worst.fetch_max(worst, Ordering::Relaxed);
    }

    /// What was waited for has come: the measurement ends here.
    pub fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// Whether it ends here.
    pub fn ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// A record has come.
    pub fn heard(&self) {
        self.records.fetch_add(1, Ordering::Relaxed);
    }

    /// How many records have come.
    pub fn records(&self) -> u64 {
        self.records.load(Ordering::Relaxed)
    }

    /// The measured thread is `thread`.
    pub fn measures(&self, thread: u32) {
        self.thread.store(thread, Ordering::Relaxed);
    }

    /// The measured thread, once it is known.
    pub fn thread(&self) -> Option<u32> {
        Some(self.thread.load(Ordering::Relaxed)).filter(|thread| *thread != 0)
    }

    /// The largest value so far, in the unit of the measure; 0 before the first.
    pub fn worst(&self) -> u64 {
        self.worst.load(Ordering::Relaxed)
    }
}
