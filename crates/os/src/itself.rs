// SPDX-License-Identifier: MIT OR Apache-2.0
//! Starts backwall as a separate process from another command.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "reads and writes files, starts programs")]
use crate::complaint::last_line;
use crate::process::{self, ChildEnd, Leash};
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Exit codes of a command that stored its run: done, a requirement failed, undecided.
const ON_DISK: [i32; 3] = [0, 1, 3];

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Became {
    OnDisk,
    Stopped,
    Failed(String),
}

/// Runs the command to its end, for at most `limit`, or until `stop`. Its error output goes to the file `log`.
///
/// # Errors
/// If the file cannot be written, or the program cannot be started.
pub fn run(command: &mut Command, log: &Path, limit: Duration, stop: &dyn Fn() -> bool) -> std::io::Result<Became> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(log)?);
    Ok(match process::finish(&mut Leash::start(command)?, limit, stop)? {
        ChildEnd::Stopped => Became::Stopped,
        ChildEnd::Itself(status) if status.code().is_some_and(|code| ON_DISK.contains(&code)) => Became::OnDisk,
        _ => {
            let said = last_line(&fs::read(log).unwrap_or_default());
            Became::Failed(said.unwrap_or_else(|| "no error message".to_string()))
        }
    })
}
