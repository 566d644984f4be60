// SPDX-License-Identifier: MIT OR Apache-2.0
//! The recorded command: on the user's terminal, never outliving this tool, and informed of a stop request.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "starts programs, sleeps")]
use backwall_ftrace::tracker::Tracker;
use backwall_os::Stop;
use backwall_os::process::{ChildEnd, Leash, finish};
use backwall_os::refusal::{Result, usage};
use std::ffi::{OsStr, OsString};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Between two looks whether it is over: seldom, for each look is recorded too.
const LOOK: Duration = Duration::from_millis(20);

#[derive(Debug)]
pub struct Traced {
    leash: Leash,
    to_us: Stop,
}

impl Traced {
    /// Starts it. If our result needs standard output, the command's output goes elsewhere.
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

    /// Waits for its end, even if the recording stops, which `cut` hears once; returns how it ended, unless well.
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
