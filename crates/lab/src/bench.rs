// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs one scenario: prepares the guest, runs QEMU, reads the recorded edges, reports failures.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "reads and writes files, reads the clock")]
use super::emulate::{Beginning, Start};
use super::emulator::Emulator;
use super::guest::{self, BadGuest, GuestMachine, Names, Preparing};
use super::instrument::Files;
use super::saved_state::{self, StartFate};
use super::scenario::Scenario;
pub use super::settings::{Settings, Window};
use super::shelf::{CONSOLE, Shelf};
use super::state_key::{self, Key};
use super::work_folder::WorkFolder;
use backwall_capture::connector::PORTS;
use backwall_capture::edges::Line;
use backwall_capture::lines::Lines;
use backwall_capture::recording::{self, BadRecording, Recording, RecordingEnd};
use backwall_capture::symbols::{BadSymbols, Symbols};
use backwall_capture::tick::Tick;
use backwall_model::units::grouped;
use backwall_os::refusal::{Refusal, unable, usage};
use backwall_os::{process, regular_file};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const TAIL_LINES: usize = 15;

/// Prefix of the name of a user's own image.
const OWN_IMAGE: &str = "image:";

#[derive(Debug)]
pub struct BenchRun {
    pub recording: Recording,
    pub console: String,
    /// Wall-clock time without the time spent waiting for another run that prepared the guest's state.
    pub seconds: f64,
    pub interrupted: bool,
    /// The guest did not boot; it continued from a saved state.
    pub restored: bool,
    machine: GuestMachine,
    folder: WorkFolder,
}

impl BenchRun {
    /// Refuses a partial result, for callers that need the whole run, such as a search.
    ///
    /// # Errors
    /// If the user stopped the run.
    pub fn whole(self) -> Result<Self, BenchFault> {
        if self.interrupted { Err(BenchFault::Interrupted) } else { Ok(self) }
    }

    pub fn edges_path(&self) -> PathBuf {
        Files::below(self.folder.path()).edges
    }

    pub fn channel_path(&self) -> PathBuf {
        Files::below(self.folder.path()).channel
    }

    pub fn trail_path(&self) -> PathBuf {
        Files::below(self.folder.path()).trail
    }

    /// Path of the recorded irqs-off sections, if requested. The file exists as long as this value.
    pub fn stretches_path(&self) -> PathBuf {
        Files::below(self.folder.path()).stretches
    }

    /// Digest of the guest's image: kernel and initial file system.
    pub fn image_digest(&self) -> std::io::Result<String> {
        let initrd = self.machine.initrd.as_deref().map_or(Ok("none".to_string()), state_key::file)?;
        Ok(Key::of(&[state_key::file(&self.machine.kernel)?, initrd]).name())
    }

    /// Whether the image itself contains the [`symbols`](Self::symbols), so that they are available however it ran.
    pub fn has_names(&self) -> bool {
        self.machine.names == Names::Image
    }

    pub fn description(&self) -> &str {
        &self.machine.description
    }

    pub fn tick(&self) -> Option<Tick> {
        self.machine.tick_instructions.map(Tick)
    }

    /// Source lines of its image, if it is an ELF file with debug information.
    pub fn lines(&self) -> Option<Lines> {
        Lines::from_elf(&regular_file::read(&self.machine.kernel, guest::MOST_BYTES).ok()?)
    }

    pub fn symbols(&self) -> Result<Symbols, BenchFault> {
        let path = match self.machine.names {
            Names::Image => self.machine.kernel.clone(),
            Names::Channel => self.channel_path(),
        };
        let bytes =
            regular_file::read(&path, guest::MOST_BYTES).map_err(system("the names of the guest's functions"))?;
        Ok(match self.machine.names {
            Names::Image => Symbols::from_elf(&bytes)?,
            Names::Channel => Symbols::from_map(&String::from_utf8_lossy(&bytes))?,
        })
    }
}

#[derive(Debug, thiserror::Error)]
pub enum BenchFault {
    #[error(transparent)]
    Guest(BadGuest),
    #[error("{what}: {source}")]
    System { what: &'static str, source: std::io::Error },
    #[error("QEMU ended with {status}: {message}")]
    Emulator { status: String, message: String },
    #[error("the guest {what}{tail}")]
    Device { what: String, tail: String },
    /// The user stopped before there was anything to keep, or only a whole run would be useful.
    #[error("interrupted; kept nothing")]
    Interrupted,
    #[error(transparent)]
    Recording(#[from] BadRecording),
    #[error("the names of the guest's functions: {0}")]
    Names(#[from] BadSymbols),
}

impl From<BadGuest> for BenchFault {
    fn from(fault: BadGuest) -> Self {
        match fault {
            BadGuest::Interrupted => Self::Interrupted,
            fault => Self::Guest(fault),
        }
    }
}

impl BenchFault {
    pub fn short(&self) -> String {
        match self {
            BenchFault::Device { what, .. } => format!("the guest {what}"),
            other => other.to_string(),
        }
    }

    /// Whether the guest caused the failure, so that it would fail again. QEMU's messages about an image name the kernel file.
    pub fn is_of_guest(&self) -> bool {
        match self {
            BenchFault::Device { .. } => true,
            BenchFault::Emulator { message, .. } => message.contains("kernel"),
            _ => false,
        }
    }

    /// The error for the scenario of this name: wrong input, or something that the machine or the guest could not do.
    pub fn refusal(self, name: &str) -> Refusal {
        let text = format!("lab: {name}: {self}");
        if matches!(self, BenchFault::Guest(BadGuest::Name { .. })) { usage(text) } else { unable(text) }
    }
}

/// Runs `scenario` once. A guest that answers nothing at all has failed.
pub fn run(scenario: &Scenario, emulator: &Emulator, settings: &Settings) -> Result<BenchRun, BenchFault> {
    let run = record(scenario, emulator, settings)?;
    match silence(&run.recording) {
        Some(what) => Err(BenchFault::Device { what, tail: tail_of(&run.console) }),
        None => Ok(run),
    }
}

pub fn record(scenario: &Scenario, emulator: &Emulator, settings: &Settings) -> Result<BenchRun, BenchFault> {
    if settings.stop.asked() {
        return Err(BenchFault::Interrupted);
    }
    let folder = WorkFolder::create().map_err(system("a folder for the run"))?;
    let (kind, rest) = guest::kind_for(scenario)?;
    let machine = (kind.prepare)(rest, scenario, &Preparing { folder: folder.path(), stop: &settings.stop })?;
    prepared(scenario, emulator, settings, machine, folder)
}

pub fn prepared(
    scenario: &Scenario,
    emulator: &Emulator,
    settings: &Settings,
    machine: GuestMachine,
    folder: WorkFolder,
) -> Result<BenchRun, BenchFault> {
    if let Some(bios) = machine.bios.filter(|bios| !emulator.has_firmware(bios.file)) {
        let (file, package) = (bios.file, bios.package);
        let fault = format!("{} lacks the firmware {file}: apt-get install {package}", scenario.machine.program);
        return Err(BadGuest::Unable(fault).into());
    }
    let wall_limit = settings.wall_limit.unwrap_or(Duration::from_secs(scenario.limits.wall_seconds));
    let (of, place, begun) = (&machine, folder.path(), Instant::now());
    let mut start = Start { scenario, emulator, settings, machine: of, folder: place, begun, wall_limit };
    let (ended, restored) = emulate(&mut start)?;
    let seconds = start.begun.elapsed().as_secs_f64();
    let console = read_text(&place.join(CONSOLE));
    let recording = recorded(&start, ended, &console)?;
    let interrupted = ended == process::ChildEnd::Stopped;
    Ok(BenchRun { recording, console, seconds, interrupted, restored, machine, folder })
}

fn recorded(start: &Start, ended: process::ChildEnd, console: &str) -> Result<Recording, BenchFault> {
    let failed = |what| BenchFault::Device { what, tail: tail_of(console) };
    if start.console_is_full() {
        let limit = grouped(start.scenario.limits.console_bytes);
        return Err(failed(format!("wrote more than {limit} bytes to its console (limits.console-bytes)")));
    }
    if let process::ChildEnd::Itself(status) = ended
        && !status.success()
    {
        let message = start.last_error().unwrap_or("no message".to_string());
        return Err(BenchFault::Emulator { status: status.to_string(), message });
    }
    let path = Files::below(start.folder).edges;
    if !path.exists() {
        return Err(unstarted(ended, start.wall_limit));
    }
    let recording = recording::read_unbuffered(std::fs::File::open(path).map_err(system("the edge file"))?);
    let recording = match recording {
        // If backwall ended QEMU while it started, a damaged recording is not the guest's fault.
        Err(_) if ended == process::ChildEnd::Stopped => return Err(BenchFault::Interrupted),
        recording => recording?,
    };
    if ended == process::ChildEnd::Stopped && recording.edges.stimuli().next().is_none() {
        return Err(BenchFault::Interrupted);
    }
    if start.settings.window.is_some() && recording.ended == RecordingEnd::Limit {
        return Ok(recording); // the run ends at its window's end, as requested
    }
    if start.settings.debugger.is_some() {
        return Ok(recording); // the debugger's user decides when the run ends
    }
    match device_fault(start.scenario, &recording, ended, start.wall_limit) {
        Some(what) => Err(failed(what)),
        None => Ok(recording),
    }
}

fn unstarted(ended: process::ChildEnd, limit: Duration) -> BenchFault {
    match ended {
        process::ChildEnd::Stopped => BenchFault::Interrupted,
        process::ChildEnd::Limit => {
            let what = format!("did not start within {} s", limit.as_secs_f64());
            BenchFault::Device { what, tail: String::new() }
        }
        process::ChildEnd::Itself(_) => {
            let message = "left no edge file: QEMU did not load the instrument".to_string();
            BenchFault::Emulator { status: "success".to_string(), message }
        }
    }
}

const TEXT_MAX: u64 = 1 << 30;

pub(crate) fn system(what: &'static str) -> impl FnOnce(std::io::Error) -> BenchFault {
    move |source| BenchFault::System { what, source }
}

/// Runs the machine: from its saved state if the settings allow that, otherwise from reset.
///
/// Returns how it ended, and whether it began from a saved state.
fn emulate(start: &mut Start) -> Result<(process::ChildEnd, bool), BenchFault> {
    let shelf = start.settings.states.as_ref().filter(|shelf| is_kept(start, shelf));
    match shelf.map(|shelf| saved_state::run(start, shelf)) {
        Some(Ok(StartFate::Over(ended))) => return Ok((ended, false)),
        Some(Ok(StartFate::Restored(ended))) => return Ok((ended, true)),
        Some(Err(why)) if !start.stops() => {
            backwall_os::console::complain(&format!(
                "lab: {}: cannot use a saved state ({why}); booting the guest",
                start.scenario.name
            ));
        }
        Some(Err(_)) | None => {}
    }
    start.run(Beginning::Reset).map(|ended| (ended, false)).map_err(system("starting QEMU"))
}

/// Whether the guest's state can be saved: it arms the port itself, and the instrument neither counts nor generates anything
/// before.
fn is_kept(start: &Start, shelf: &Shelf) -> bool {
    let Start { scenario, machine, .. } = start;
    let mut generators = scenario.generator.used().peekable();
    let armed = generators.peek().is_some() && generators.all(|(_, generator)| generator.start.is_none());
    armed && !scenario.stream && shelf.keeps(machine.boot_instructions)
}

fn device_fault(
    scenario: &Scenario,
    recording: &Recording,
    ended: process::ChildEnd,
    limit: Duration,
) -> Option<String> {
    let end = recording.edges.end_at.0;
    let progress = progress(scenario, recording);
    if ended == process::ChildEnd::Limit {
        return Some(format!("was stopped after {} s, {progress}", limit.as_secs()));
    }
    if ended == process::ChildEnd::Stopped {
        return None;
    }
    match recording.ended {
        RecordingEnd::Guest(0) | RecordingEnd::Complete => None,
        RecordingEnd::Guest(code) => Some(format!("ended the run with code {code}, {progress}")),
        RecordingEnd::Limit => Some(format!("was stopped at instruction {}, {progress}", grouped(end))),
        RecordingEnd::Channel => {
            let bytes = grouped(recording.channel_bytes);
            Some(format!("wrote {bytes} bytes to the channel, more than limits.channel-bytes allows, {progress}"))
        }
        RecordingEnd::Emulator => Some(format!("reset or switched off at instruction {}, {progress}", grouped(end))),
        RecordingEnd::Truncated => Some(format!("left a truncated edge file, {progress}")),
    }
}

fn progress(scenario: &Scenario, recording: &Recording) -> String {
    let given: u64 = recording.edges.stimuli().map(|line| line.rises().count() as u64).sum();
    let asked: u64 = scenario.generator.used().map(|(_, generator)| generator.pulses()).sum();
    let armed = PORTS.iter().find_map(|port| recording.edges.line(port.armed));
    match (given, armed) {
        (0, None) if scenario.guest.starts_with(OWN_IMAGE) => {
            "before it armed the port, as answer_arm of wire/answer.h does".to_string()
        }
        (0, None) => "before it armed the port".to_string(),
        _ => format!("after {given} of {asked} pulses"),
    }
}

/// Whether the guest answered no pulse at all. Such a guest hangs, whatever it printed.
fn silence(recording: &Recording) -> Option<String> {
    let first = recording.edges.stimuli().filter_map(|line| line.rises().next()).min()?;
    let answers = PORTS.iter().flat_map(|port| port.lines).filter_map(|name| recording.edges.line(name));
    let answered = answers.flat_map(Line::rises).any(|at| at >= first);
    (!answered).then(|| "armed the port but answered no pulse".to_string())
}

/// The printable part of another program's output. If the output is endless, only its beginning.
fn read_text(path: &Path) -> String {
    let mut bytes = Vec::new();
    // After a read error, keep what was read until then.
    let _ = std::fs::File::open(path).and_then(|file| file.take(TEXT_MAX).read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

fn tail_of(console: &str) -> String {
    let lines: Vec<&str> = console.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.is_empty() {
        return "; its console is empty".to_string();
    }
    let last = &lines[lines.len().saturating_sub(TAIL_LINES)..];
    format!("; the end of its console: {}", last.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_is_the_last_lines_without_empty_ones() {
        let console: String = (0..100).map(|n| format!("line {n}\r\n\r\n")).collect();
        let tail = tail_of(&console);
        assert_eq!((tail.lines().count(), tail.split(" | ").count()), (1, TAIL_LINES));
        assert!(tail.ends_with(" | line 99"));
        assert_eq!(tail_of("\n"), "; its console is empty");
    }
}
