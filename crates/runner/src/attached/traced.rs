// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command that `backwall` starts and records. It uses the user's terminal, ends at the latest when backwall ends, and gets a
//! stop request when backwall gets one.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "starts programs, sleeps")]
use backwall_ftrace::tracker::Tracker;
use backwall_os::Stop;
use backwall_os::process::{ChildEnd, Leash, finish};
use backwall_os::refusal::{Result, usage};
use std::ffi::{OsStr, OsString};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Interval between checks whether the command has ended. The recording contains these checks too, so they are rare.
const LOOK: Duration = Duration::from_millis(20);

#[derive(Debug)]
pub struct Traced {
    leash: Leash,
    to_us: Stop,
}

impl Traced {
    /// Starts the command. If backwall writes its own result to standard output, `aside` takes the command's output.
    pub fn start(program: &OsStr, words: &[OsString], aside: Option<Stdio>) -> Result<Self> {
        let to_us = Stop::on_signals_to_us()?;
        let mut command = Command::new(program);
        command.args(words);
        if let Some(aside) = aside {
            command.stdout(aside);
        }
        let started = Leash::share_terminal(&mut command);
        let leash = started.map_err(|error| usage(format!("{}: {error}", program.to_string_lossy())))?;
        Ok(Self { leash, to_us })
    }

    /// Waits until the command ends. If the recording stops earlier, calls `cut` once and continues to wait. Returns how the
    /// command ended if it failed.
    pub fn wait(&mut self, tracker: &Tracker, cut: impl Fn()) -> Result<Option<String>> {
        let mut told = false;
        while self.leash.wait(Duration::ZERO, &|| false)?.is_none() && !self.to_us.asked() {
            if !told && !tracker.lives() {
                cut();
                told = true;
            }
            std::thread::sleep(LOOK);
        }
        Ok(match finish(&mut self.leash, Duration::MAX, &|| self.to_us.asked())? {
            ChildEnd::Itself(status) if status.success() => None,
            ChildEnd::Itself(status) => Some(format!("the command ended with {status}")),
            ChildEnd::Stopped | ChildEnd::Limit => {
                Some("the command received the signal that stopped backwall".to_string())
            }
        })
    }
}
