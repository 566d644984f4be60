// SPDX-License-Identifier: MIT OR Apache-2.0
//! QEMU's command line, one function per concern, and the search for the installed QEMU.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "reads and writes files, starts programs, reads the environment"
)]
use super::machine::Machine;
use super::scenario::Scenario;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::SystemTime;

const FIRMWARE_ENDINGS: [&str; 3] = ["bin", "rom", "fd"];

const OLDEST: (u32, u32) = (7, 2);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emulator {
    pub version: (u32, u32),
    pub text: String,
    firmware: Vec<PathBuf>,
    pub machine: &'static Machine,
}

#[derive(Debug, thiserror::Error)]
pub enum NoEmulator {
    #[error("cannot start {program} ({source}): apt-get install {package}", program = .machine.program, package = .machine.package)]
    Missing { machine: &'static Machine, source: std::io::Error },
    /// The program exists but ended before it printed its version.
    #[error("{0} --version: {1}, with the message {2:?}; QEMU needs about 300 MiB of memory (ulimit -v)")]
    Failed(&'static str, ExitStatus, String),
    #[error("{0} --version printed {1:?}; the lab needs QEMU {major}.{minor} or newer", major = OLDEST.0, minor = OLDEST.1)]
    Version(&'static str, String),
}

impl Emulator {
    pub fn find(machine: &'static Machine) -> Result<Emulator, NoEmulator> {
        let program = machine.program;
        let output = Command::new(program).arg("--version").output();
        let output = output.map_err(|source| NoEmulator::Missing { machine, source })?;
        let line = |bytes: &[u8]| String::from_utf8_lossy(bytes).lines().next().unwrap_or_default().to_string();
        let text = line(&output.stdout);
        if !output.status.success() {
            return Err(NoEmulator::Failed(program, output.status, line(&output.stderr)));
        }
        match parse_version(&text) {
            Some(version) if version >= OLDEST => {
                Ok(Emulator { version, text, firmware: firmware_folders(program), machine })
            }
            _ => Err(NoEmulator::Version(program, text)),
        }
    }

    pub fn said(&self) -> &str {
        &self.text
    }

    pub fn identity(&self) -> String {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        let found = backwall_os::program::find(OsStr::new(self.machine.program), &folders);
        let file = found.ok().and_then(|path| Some((std::fs::metadata(&path).ok()?, path)));
        let file = file.map_or(String::new(), |(file, path)| {
            format!(", {}, {} bytes, {:?}", path.display(), file.len(), file.modified().ok())
        });
        format!("{}{file}", self.text)
    }

    pub fn fixed_arguments(&self) -> String {
        self.command().get_args().map(|argument| argument.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
    }

    /// The firmware files that QEMU can load, sorted by path: a saved state contains BIOS and option ROMs.
    pub fn firmware(&self) -> Vec<Firmware> {
        let files = self.firmware.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
        let mut found: Vec<Firmware> = files.filter_map(|file| Firmware::at(file.path())).collect();
        found.sort_by(|one, other| one.path.cmp(&other.path));
        found
    }

    pub fn has_firmware(&self, file: &str) -> bool {
        self.firmware.iter().any(|folder| folder.join(file).is_file())
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new(self.machine.program);
        command.args(self.machine.arguments).args(NOTHING_ELSE).args(TIME).args(SANDBOX);
        command
    }
}

fn firmware_folders(program: &str) -> Vec<PathBuf> {
    let told = Command::new(program).args(["-L", "help"]).output().map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&told).lines().map(PathBuf::from).collect()
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Firmware {
    path: PathBuf,
    bytes: u64,
    changed: Option<SystemTime>,
}

impl Firmware {
    fn at(path: PathBuf) -> Option<Self> {
        let ending = path.extension()?.to_str()?;
        let file = std::fs::metadata(&path).ok().filter(|_| FIRMWARE_ENDINGS.contains(&ending))?;
        Some(Self { bytes: file.len(), changed: file.modified().ok(), path })
    }

    pub fn identity(&self) -> String {
        format!("{} {} bytes {:?}", self.path.display(), self.bytes, self.changed)
    }

    /// Identifies the firmware. The text is the same wherever this version is installed.
    pub fn said(&self) -> String {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        format!("{name} {} bytes", self.bytes)
    }
}

/// Reads the version from `QEMU emulator version 7.2.22 (Debian …)`: 7.2.
fn parse_version(text: &str) -> Option<(u32, u32)> {
    let numbers = text.strip_prefix("QEMU emulator version ")?;
    let mut parts = numbers.split(|c: char| !c.is_ascii_digit());
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

const NOTHING_ELSE: [&str; 7] = ["-nodefaults", "-nic", "none", "-parallel", "none", "-display", "none"];

/// A reset ends the run; one instruction is one virtual nanosecond; an idle guest jumps to its next timer; the guest cannot see
/// the host's clock.
const TIME: [&str; 7] =
    ["-no-reboot", "-accel", "tcg", "-icount", "shift=0,sleep=off,align=off", "-rtc", "clock=vm,base=2026-01-01"];

/// A guest's image may come from a stranger, so QEMU drops the permissions that it does not need before the guest runs (qemu(1),
/// -sandbox).
const SANDBOX: [&str; 2] = ["-sandbox", "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny"];

pub fn screen(wanted: bool) -> &'static [&'static str] {
    if wanted { &["-vga", "std"] } else { &[] }
}

pub fn memory(mib: u32) -> [String; 2] {
    ["-m".to_string(), mib.to_string()]
}

/// Writes the guest's first serial line to a file of its own. A continued run appends to the file.
pub fn console(path: &Path, goes_on: bool) -> [OsString; 4] {
    let mut file = prefixed("file,id=console,path=", path);
    file.push(if goes_on { ",append=on" } else { ",append=off" });
    ["-chardev".into(), file, "-serial".into(), "chardev:console".into()]
}

/// The monitor, on the socket that is QEMU's standard input. A saved state does not record whether the machine was
/// running ([`STATELESS`]).
pub const MONITOR: [&str; 6] =
    ["-chardev", "socket,id=monitor,fd=0", "-mon", "chardev=monitor,mode=control", STATELESS[0], STATELESS[1]];

/// The machine continues from the state on QEMU's standard input.
pub const INCOMING: [&str; 4] = ["-incoming", "fd:0", STATELESS[0], STATELESS[1]];

/// The machine is stopped when its state is saved, but it must run when restored.
const STATELESS: [&str; 2] = ["-global", "migration.store-global-state=off"];

pub fn kernel(image: &Path, initrd: Option<&Path>, command_line: &str) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = vec!["-kernel".into(), image.into()];
    if let Some(initrd) = initrd {
        arguments.extend(["-initrd".into(), initrd.into()]);
    }
    if !command_line.is_empty() {
        arguments.extend(["-append".into(), command_line.into()]);
    }
    arguments
}

pub fn instrument(object: &Path, arguments: &[String]) -> [OsString; 2] {
    let mut text = escaped(object);
    for argument in arguments {
        text.push(",");
        text.push(argument.replace(',', ",,"));
    }
    ["-plugin".into(), text]
}

fn prefixed(prefix: &str, path: &Path) -> OsString {
    let mut text = OsString::from(prefix);
    text.push(escaped(path));
    text
}

/// QEMU splits options at commas; a doubled comma is literal.
fn escaped(path: &Path) -> OsString {
    path.to_string_lossy().replace(',', ",,").into()
}

#[derive(Debug)]
pub struct Emulators(Vec<Emulator>);

impl Emulators {
    pub fn find(scenarios: &[Scenario]) -> Result<Self, NoEmulator> {
        let mut found: Vec<Emulator> = Vec::new();
        for scenario in scenarios {
            if !found.iter().any(|emulator| emulator.machine == scenario.machine) {
                found.push(Emulator::find(scenario.machine)?);
            }
        }
        Ok(Self(found))
    }

    pub fn of(&self, scenario: &Scenario) -> &Emulator {
        self.0.iter().find(|emulator| emulator.machine == scenario.machine).expect("found for each scenario")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_read_from_the_first_line() {
        assert_eq!(parse_version("QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7)"), Some((7, 2)));
        assert_eq!(parse_version("QEMU emulator version 10.0.2"), Some((10, 0)));
        assert_eq!(parse_version("something else"), None);
    }

    #[test]
    fn firmware_is_told_by_name_and_size_and_on_this_machine_by_place_and_age() {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in [("bios.bin", 3), ("net.rom", 2), ("keymap.txt", 9)] {
            std::fs::write(folder.path().join(name), vec![0; bytes]).unwrap();
        }
        let told = || {
            let firmware = vec![folder.path().to_path_buf(), "/none".into()];
            Emulator { version: (7, 2), text: String::new(), firmware, machine: Machine::usual() }.firmware()
        };
        let before = told();
        let said: Vec<String> = before.iter().map(Firmware::said).collect();
        assert_eq!(said, ["bios.bin 3 bytes", "net.rom 2 bytes"]);
        let place = folder.path().display().to_string();
        assert!(before.iter().all(|file| file.identity().starts_with(&place)), "{before:?}");
        std::fs::write(folder.path().join("net.rom"), [0; 5]).unwrap();
        assert_ne!(told(), before);
    }

    #[test]
    fn a_comma_in_a_path_is_doubled() {
        let [_, text] = instrument(Path::new("/a,b/i.so"), &["edges=/a,b/e".to_string()]);
        assert_eq!(text, "/a,,b/i.so,edges=/a,,b/e");
    }
}
