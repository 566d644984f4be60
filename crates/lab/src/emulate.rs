// SPDX-License-Identifier: MIT OR Apache-2.0
//! The QEMU process of a scenario: its command line, and the state from which its machine begins.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "reads and writes files, starts programs")]
use super::emulator::{self, Emulator};
use super::guest::GuestMachine;
use super::instrument::{self, Files, HELD};
use super::scenario::Scenario;
use super::settings::{Settings, Window};
use super::shelf::{CONSOLE, RestoredMachine};
use backwall_os::complaint;
use backwall_os::process;
use rustix::fs::Mode;
use std::fs::File;
use std::io::Result;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ERRORS: &str = "errors.txt";

/// umask for the emulator's socket. A process that connects to it could write any file of the user.
const OTHERS: Mode = Mode::from_raw_mode(0o177);

#[derive(Debug)]
pub(super) enum Beginning {
    Reset,
    /// The machine begins at reset, and stops when it arms the port. This socket leads to QEMU's monitor.
    Held(OwnedFd),
    Restored(RestoredMachine),
}

pub(super) struct Start<'a> {
    pub scenario: &'a Scenario,
    pub emulator: &'a Emulator,
    pub settings: &'a Settings,
    pub machine: &'a GuestMachine,
    pub folder: &'a Path,
    /// When the run began. Time spent waiting for another run that prepares the same state does not count.
    pub begun: Instant,
    pub wall_limit: Duration,
}

impl Start<'_> {
    pub fn run(&self, beginning: Beginning) -> Result<process::ChildEnd> {
        process::run(&mut self.command(beginning)?, self.left(), &|| self.stops())
    }

    pub fn left(&self) -> Duration {
        self.wall_limit.saturating_sub(self.begun.elapsed())
    }

    /// Whether the user asked to stop, or the guest writes so much to its console that the disk would fill up.
    pub fn stops(&self) -> bool {
        self.settings.stop.asked() || self.console_is_full()
    }

    pub fn console_is_full(&self) -> bool {
        let written = std::fs::metadata(self.folder.join(CONSOLE)).map_or(0, |found| found.len());
        written > self.scenario.limits.console_bytes
    }

    pub fn last_error(&self) -> Option<String> {
        complaint_in(&std::fs::read(self.folder.join(ERRORS)).ok()?)
    }

    pub fn command(&self, beginning: Beginning) -> Result<Command> {
        let Start { scenario, emulator, settings, machine, folder, .. } = self;
        let object = instrument::write(emulator, folder)?;
        let errors = File::create(folder.join(ERRORS))?;
        let (boot, addresses) = (machine.boot_instructions, settings.addresses);
        let mut arguments = instrument::arguments(scenario, &Files::below(folder), settings.seed, boot, addresses);
        arguments.extend(scenario.input().arguments());
        arguments.extend(settings.modes.then(|| "modes=1".to_string()));
        let goes_on = matches!(beginning, Beginning::Restored(_));
        let mut command: Command = emulator.command();
        command
            .args(emulator::memory(machine.memory_mib))
            .args(scenario.input().words())
            .args(machine.bios.map_or(&[][..], |bios| bios.words))
            .args(emulator::screen(scenario.screen))
            .args(emulator::console(&folder.join(CONSOLE), goes_on))
            .args(emulator::kernel(&machine.kernel, machine.initrd.as_deref(), &machine.command_line))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(errors);
        match beginning {
            Beginning::Reset => arguments.extend(self.closer()),
            Beginning::Held(monitor) => {
                command.args(emulator::MONITOR).stdin(monitor);
                arguments.push(format!("hold={}", self.held().display()));
            }
            Beginning::Restored(restored) => {
                command.args(emulator::INCOMING).stdin(restored.state);
                arguments.push("resume=1".to_string());
                arguments.extend(self.closer());
                arguments.extend(restored.arguments);
            }
        }
        if settings.debugger.is_some() {
            // SAFETY: between fork and exec only umask is called.
            unsafe {
                command.pre_exec(|| {
                    rustix::process::umask(OTHERS);
                    Ok(())
                });
            }
        }
        command.args(emulator::instrument(&object, &arguments));
        Ok(command)
    }

    /// Arguments for recording more than edges. They have no effect on a machine that stops to be saved.
    fn closer(&self) -> Vec<String> {
        let (files, settings) = (Files::below(self.folder), self.settings);
        let mut arguments = Vec::new();
        if let Some(least) = settings.stretches {
            arguments.push(format!("stretches={}", files.stretches.display()));
            arguments.push(format!("stretches-least={least}"));
        }
        match (settings.window, &settings.debugger) {
            (Some(Window { from, .. }), Some(socket)) => {
                arguments.extend([format!("pause={}", socket.display()), format!("trail-from={from}")]);
            }
            (Some(Window { from, to }), None) => {
                let window = [format!("trail-from={from}"), format!("trail-to={to}"), format!("limit={to}")];
                arguments.push(format!("trail={}", files.trail.display()));
                arguments.extend(window);
            }
            (None, _) => {}
        }
        arguments
    }

    fn held(&self) -> PathBuf {
        self.folder.join(HELD)
    }
}

/// The instrument's own message, if there is one. QEMU only adds that it could not load the instrument.
fn complaint_in(errors: &[u8]) -> Option<String> {
    let own = errors.split(|byte| *byte == b'\n').rfind(|line| line.starts_with(b"instrument: "));
    complaint::last_line(own.unwrap_or(errors))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_instrument_misses_is_told_and_not_that_it_was_not_loaded() {
        let own = "instrument: this QEMU does not export pci_set_irq; use a QEMU built with modules, such as Debian's";
        let errors = format!("{own}\nqemu: Could not load plugin i.so: error code 1\n");
        assert_eq!(complaint_in(errors.as_bytes()).as_deref(), Some(own));
        assert_eq!(complaint_in(b"one\nqemu: two\n").as_deref(), Some("qemu: two"));
    }
}
