// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the bench is told beside the scenario.
use super::shelf::Shelf;
use backwall_os::Stop;
use std::path::PathBuf;
use std::time::Duration;

/// The part of a run that is looked at to the instruction. The run ends with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    pub from: u64,
    pub to: u64,
}

#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Of everything random, where the scenario has none of its own.
    pub seed: u64,
    pub addresses: bool,
    /// Count instructions by mode: until each edge, and for a guest that asks.
    pub modes: bool,
    pub window: Option<Window>,
    /// Tell the masked stretches of at least so many instructions.
    pub stretches: Option<u64>,
    /// Stand where the window begins, leave no trail, and let a debugger come by this socket.
    pub debugger: Option<PathBuf>,
    pub wall_limit: Option<Duration>,
    /// Where the states of guests are kept that are up; without it every run boots its guest.
    pub states: Option<Shelf>,
    pub stop: Stop,
}
