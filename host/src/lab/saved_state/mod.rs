// SPDX-License-Identifier: MIT OR Apache-2.0
//! Guests that are up, kept so that they need not boot again.
//!
//! A guest is held at the instruction that arms the port, before the first pulse: from there on every period, count and
//! shape goes on alike, and what follows is byte for byte what follows a boot (`host/tests/all/lab_states.rs`).
mod monitor;

pub use super::shelf::Shelf;

use super::emulate::{Beginning, Start};
use super::instrument;
use super::shelf::{Growing, Restored, STATE};
use super::state_key::{self, Key};
use crate::process::{self, Leash};
use monitor::Monitor;
use std::fs::File;
use std::io::Result;

/// How a run can begin.
#[derive(Debug)]
pub(super) enum Begun {
    /// From a state.
    Restored(Restored),
    /// It ended before the guest armed a port; its files are those of a run.
    Over(process::Ended),
}

/// Takes the state from the shelf, or boots the guest and puts it there.
///
/// # Errors
/// When the shelf cannot be used, or the state not be saved: then the guest has to be booted.
pub(super) fn begin(start: &Start, shelf: &Shelf) -> Result<Begun> {
    let key = key(start)?;
    let _lock = shelf.lock(&key)?;
    if let Some(restored) = shelf.take(&key, start.folder)? {
        return Ok(Begun::Restored(restored));
    }
    let growing = shelf.begin(&key)?;
    if let Some(ended) = hold(start, &growing)? {
        return Ok(Begun::Over(ended));
    }
    growing.finish(&key, start.folder)?;
    shelf.trim(&key)?;
    let taken = shelf.take(&key, start.folder)?;
    taken.map(Begun::Restored).ok_or_else(|| std::io::Error::other("the state is gone already"))
}

/// Runs the machine to its end. `None`: QEMU did not take the state, which is no more.
pub(super) fn run(start: &Start, restored: Restored) -> Result<Option<process::Ended>> {
    let place = restored.place.clone();
    let ended = start.run(Beginning::Restored(restored))?;
    if !matches!(ended, process::Ended::Itself(status) if !status.success()) {
        return Ok(Some(ended));
    }
    let _ = std::fs::remove_dir_all(place);
    Ok(None)
}

/// Boots the guest until it is held, and saves it; or says how it ended instead.
fn hold(start: &Start, growing: &Growing) -> Result<Option<process::Ended>> {
    let (mut monitor, end) = Monitor::pair()?;
    // The command owns the other end and must be gone, or the end of QEMU is not seen.
    let mut leash = Leash::start(&mut start.command(Beginning::Held(end))?)?;
    let give_up = || start.stops() || start.left().is_zero();
    if !monitor.until_stopped(&give_up)? {
        return process::finish(&mut leash, start.left(), &|| start.stops()).map(Some);
    }
    let state = File::create_new(growing.path().join(STATE))?;
    monitor.save(&state, &give_up)?;
    leash.wait(start.left(), &give_up)?;
    state.sync_all()?;
    Ok(None)
}

/// The key of the machine that is to be started.
fn key(start: &Start) -> Result<Key> {
    let machine = start.machine;
    let initrd = machine.initrd.as_deref().map_or(Ok("none".to_string()), state_key::file)?;
    let generators: String = start.scenario.generator.used().map(|(letter, _)| letter).collect();
    Ok(Key::of(&[
        format!("tool: backwall {}", env!("CARGO_PKG_VERSION")),
        format!("instrument: {}", state_key::digest(instrument::bytes(start.emulator))),
        format!("emulator: {}", start.emulator.identity()),
        format!("memory: {} MiB", machine.memory_mib),
        format!("kernel: {}", state_key::file(&machine.kernel)?),
        format!("initrd: {initrd}"),
        format!("command line: {}", machine.command_line),
        format!("generators: {generators}"),
        format!("channel limit: {}", start.scenario.limits.channel_bytes),
    ]))
}
