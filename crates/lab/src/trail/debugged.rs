// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stops a guest at the edge of an answer until a debugger continues it.
#![expect(clippy::disallowed_methods, reason = "reads and writes files, sleeps")]
use super::answer::Answer;
use super::entered_answer::{BadEntry, Subject};
use crate::bench::Settings;
use crate::emulator::Emulator;
use backwall_os::refusal::unable;
use backwall_os::temporary;
use std::path::Path;
use std::time::Duration;

const WITH_DEBUGGER: Duration = Duration::from_secs(7 * 24 * 3600);

/// Replays the guest up to the answer and stops at its edge. Passes the path of the debugger's socket to `stands` as soon as that exists.
///
/// # Errors
/// If the socket cannot be created, or the emulator's thread fails.
pub fn stand(
    subject: &Subject,
    answer: &Answer,
    emulator: &Emulator,
    settings: &Settings,
    stands: impl Fn(&Path),
) -> backwall_os::refusal::Result<Result<(), BadEntry>> {
    let folder = temporary::folder("backwall-gdb-", &std::env::temp_dir())?;
    let socket = folder.path().join("gdb");
    let settings = Settings { debugger: Some(socket.clone()), wall_limit: Some(WITH_DEBUGGER), ..settings.clone() };
    std::thread::scope(|scope| {
        let started = std::thread::Builder::new().spawn_scoped(scope, || subject.debug(answer, emulator, &settings));
        let going = started.map_err(|error| {
            unable(format!(
                "lab: replay: cannot start a thread for the emulator: \
            {error}"
            ))
        })?;
        while !going.is_finished() && !socket.exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        if socket.exists() {
            stands(&socket);
        }
        going.join().map_err(|_| unable("lab: replay: the emulator's thread failed"))
    })
}
