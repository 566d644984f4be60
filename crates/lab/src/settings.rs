// SPDX-License-Identifier: MIT OR Apache-2.0
//! Settings of a lab run that are not part of the scenario.
use super::shelf::Shelf;
use backwall_os::Stop;
use std::path::PathBuf;
use std::time::Duration;

/// The part of a run to record instruction by instruction. The run ends at `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    pub from: u64,
    pub to: u64,
}

#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Seed of everything random, if the scenario has none.
    pub seed: u64,
    pub addresses: bool,
    /// Count instructions by CPU mode, at each edge and when the guest asks for it.
    pub modes: bool,
    pub window: Option<Window>,
    /// Record irqs-off sections of at least this many instructions.
    pub stretches: Option<u64>,
    /// Stop at the beginning of the window and accept a debugger on this socket, instead of recording a trail.
    pub debugger: Option<PathBuf>,
    pub wall_limit: Option<Duration>,
    /// Store of saved states of booted guests; without it, every run boots its guest.
    pub states: Option<Shelf>,
    pub stop: Stop,
}
