// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bench's settings besides the scenario.
use super::shelf::Shelf;
use backwall_os::Stop;
use std::path::PathBuf;
use std::time::Duration;

/// The part of a run to examine by instruction. The run ends with it.
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
    /// Count instructions by mode: until each edge, and for a guest that asks.
    pub modes: bool,
    pub window: Option<Window>,
    /// Lists irqs-off sections of at least this many instructions.
    pub stretches: Option<u64>,
    /// Stop where the window begins, leave no trail, and accept a debugger on this socket.
    pub debugger: Option<PathBuf>,
    pub wall_limit: Option<Duration>,
    /// Store of booted guests; without it every run boots its guest.
    pub states: Option<Shelf>,
    pub stop: Stop,
}
