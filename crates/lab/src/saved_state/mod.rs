// SPDX-License-Identifier: MIT OR Apache-2.0
//! Saved states of booted guests, so that they need not boot again.
//!
//! A guest is saved at the instruction that arms the port, before the first pulse. From there a restored guest behaves as after a
//! boot, byte for byte, with any period, count and shape (`lab/cli/tests/emulated/lab_states.rs`).
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "reads and writes files, reads the clock")]
mod monitor;

pub use super::shelf::Shelf;

use super::emulate::{Beginning, Start};
use super::instrument::Files;
use super::shelf::{RestoredMachine, STATE, UnfinishedState};
use super::state_key::{self, Among, Key};
use backwall_os::process::{self, Leash};
use monitor::Monitor;
use std::fs::File;
use std::io::{Error, Result};
use std::time::Instant;

/// Every recording ends with four records (`lab/instrument/FORMAT.md`).
const END_BYTES: u64 = 4 * 16;

#[derive(Debug)]
pub(super) enum StartFate {
    Restored(process::ChildEnd),
    /// QEMU ended before the guest armed a port. Its files belong to the run.
    Over(process::ChildEnd),
}

enum SavedStates {
    State(RestoredMachine),
    Over(process::ChildEnd),
}

/// Runs the machine to its end, from the saved state. If there is none, it saves one first.
///
/// # Errors
/// If the saved states are not accessible, the state cannot be saved, or QEMU rejects it. In these cases the guest must
/// boot.
pub(super) fn run(start: &mut Start, shelf: &Shelf) -> Result<StartFate> {
    let key = key(start)?;
    let restored = match found(start, shelf, &key)? {
        SavedStates::State(restored) => restored,
        SavedStates::Over(ended) => return Ok(StartFate::Over(ended)),
    };
    let edge_bytes = restored.edge_bytes;
    let ended = start.run(Beginning::Restored(restored))?;
    if !matches!(ended, process::ChildEnd::Itself(status) if !status.success()) || went_on(start, edge_bytes) {
        return Ok(StartFate::Restored(ended));
    }
    let why = start.last_error().unwrap_or_default();
    let _lock = shelf.lock(&key, &|| start.stops())?;
    shelf.remove(&key);
    Err(Error::other(format!("QEMU rejected the state: {why}")))
}

/// Whether the recording grew by more than the records with which the instrument ends every recording.
fn went_on(start: &Start, edge_bytes: u64) -> bool {
    let edges = Files::below(start.folder).edges;
    std::fs::metadata(edges).is_ok_and(|edges| edges.len() > edge_bytes + END_BYTES)
}

fn found(start: &mut Start, shelf: &Shelf, key: &Key) -> Result<SavedStates> {
    let _lock = locked(start, shelf, key)?;
    if let Some(restored) = shelf.take(key, start.folder)? {
        return Ok(SavedStates::State(restored));
    }
    let growing = shelf.begin(key)?;
    if let Some(ended) = hold(start, &growing)? {
        return Ok(SavedStates::Over(ended));
    }
    growing.finish(key, start.folder)?;
    shelf.trim(key)?;
    let taken = shelf.take(key, start.folder)?;
    taken.map(SavedStates::State).ok_or_else(|| Error::other("the state no longer exists"))
}

/// The lock of the key. Waiting for another run that saves the same state does not count as run time, but has the same
/// time limit.
fn locked(start: &mut Start, shelf: &Shelf, key: &Key) -> Result<File> {
    let waiting = Instant::now();
    let lock = shelf.lock(key, &|| start.stops() || waiting.elapsed() >= start.wall_limit);
    start.begun += waiting.elapsed();
    lock
}

fn hold(start: &Start, growing: &UnfinishedState) -> Result<Option<process::ChildEnd>> {
    let (mut monitor, end) = Monitor::pair()?;
    // The temporary command owns QEMU's end of the socket. It must be dropped here, otherwise backwall cannot see that QEMU has
    // ended.
    let mut leash = Leash::start(&mut start.command(Beginning::Held(end))?)?;
    let give_up = || start.stops() || start.left().is_zero();
    if !monitor.until_stopped(&give_up)? {
        return process::finish(&mut leash, start.left(), &|| start.stops()).map(Some);
    }
    let state = File::create_new(growing.path().join(STATE))?;
    monitor.save(&state, &give_up)?;
    // If QEMU did not end normally, the state that it wrote may be truncated.
    match leash.wait(start.left(), &give_up)? {
        Some(status) if status.success() => state.sync_all().map(|()| None),
        Some(status) => Err(Error::other(format!("QEMU ended with {status} while saving the state"))),
        None => Err(Error::other("the time limit passed before the state was saved")),
    }
}

fn key(start: &Start) -> Result<Key> {
    let generators: String = start.scenario.generator.used().map(|(letter, _)| letter).collect();
    let mut decisive = state_key::of_machine(start.emulator, start.machine, Among::ThisMachine)?;
    decisive.extend([
        format!("screen: {}", start.scenario.screen),
        format!("generators: {generators}"),
        format!("channel limit: {}", start.scenario.limits.channel_bytes),
    ]);
    Ok(Key::of(&decisive))
}
