// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of guests, one line each: the meaning of a scenario's `guest = "KIND:REST"`.
#![expect(clippy::disallowed_methods, reason = "reads and writes files")]
mod bare;
pub mod debian;
mod detent;
#[cfg(test)]
mod fitted;
mod image;
mod kernel;
pub mod kernel_image;
mod last_named;
mod linux;
mod lists;
pub mod programs;

use super::machine::{Bios, Machine};
use super::scenario::Scenario;
use backwall_capture::symbols::Symbols;
use backwall_os::Stop;
use backwall_os::regular_file;
use std::io::Read;
use std::path::{Path, PathBuf};

pub const MOST_BYTES: u64 = 1 << 30;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuestMachine {
    pub kernel: PathBuf,
    pub initrd: Option<PathBuf>,
    pub command_line: String,
    pub bios: Option<&'static Bios>,
    pub memory_mib: u32,
    pub boot_instructions: u64,
    pub description: String,
    pub names: Names,
    pub tick_instructions: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    Image,
    Channel,
}

pub struct Kind {
    pub name: &'static str,
    pub wants: &'static str,
    pub answers: &'static [&'static str],
    pub machines: &'static [&'static Machine],
    /// Prepares the machine, or refuses. The text is what follows the colon. If the scenario has a `load`, the guest
    /// must get it as an argument that it understands, so that the report names the load that really ran.
    pub prepare: fn(&str, &Scenario, &Preparing<'_>) -> Result<GuestMachine, BadGuest>,
}

#[derive(Clone, Copy, Debug)]
pub struct Preparing<'a> {
    pub folder: &'a Path,
    /// The user's request to stop. Downloading a kernel takes minutes.
    pub stop: &'a Stop,
}

pub const KINDS: &[Kind] = &[
    bare::KIND,
    image::KIND,
    linux::KIND,
    detent::KIND,
    detent::PROBE_KIND,
    detent::PROCESS_KIND,
    #[cfg(test)]
    fitted::KIND,
];

#[derive(Debug, thiserror::Error)]
pub enum BadGuest {
    #[error("guest {name:?}: {fault}")]
    Name { name: String, fault: String },
    #[error("guest: {0}")]
    Unable(String),
    #[error("interrupted; kept nothing")]
    Interrupted,
    #[error("guest: {path}: {source}")]
    File { path: PathBuf, source: std::io::Error },
}

impl BadGuest {
    fn name(name: &str, fault: impl Into<String>) -> BadGuest {
        BadGuest::Name { name: name.to_string(), fault: fault.into() }
    }

    fn scenario(scenario: &Scenario, fault: impl Into<String>) -> BadGuest {
        BadGuest::name(&scenario.guest, fault)
    }
}

/// The function names of the programs that backwall puts into a Linux guest. Empty for other guests: their images contain
/// these names.
pub fn program_names(scenario: &Scenario) -> Symbols {
    let is_linux = name_of_kind(&scenario.guest) == linux::KIND.name;
    let bench = scenario.machine.linux.bench(scenario.input).filter(|_| is_linux);
    bench.map_or(Symbols::default(), linux::program_names)
}

/// The text before the colon of `guest`, whether or not this kind of guest exists.
pub fn name_of_kind(guest: &str) -> &str {
    guest.split_once(':').map_or(guest, |(name, _)| name)
}

/// The kind of `guest`, and the text after its colon.
pub fn kind_of(guest: &str) -> Result<(&'static Kind, &str), BadGuest> {
    let (name, rest) = guest.split_once(':').unwrap_or((guest, ""));
    let kind = KINDS.iter().find(|kind| kind.name == name).ok_or_else(|| {
        let known: Vec<String> = KINDS.iter().map(Kind::usage).collect();
        BadGuest::name(guest, format!("unknown guest; expected {}", known.join(", ")))
    })?;
    if kind.wants.is_empty() != rest.is_empty() {
        return Err(BadGuest::name(guest, format!("expected {}", kind.usage())));
    }
    Ok((kind, rest))
}

pub fn kind_for(scenario: &Scenario) -> Result<(&'static Kind, &str), BadGuest> {
    let (kind, rest) = kind_of(&scenario.guest)?;
    if kind.machines.contains(&scenario.machine) {
        return Ok((kind, rest));
    }
    let wanted: Vec<&str> = kind.machines.iter().map(|machine| machine.name).collect();
    let fault = format!("does not run on machine {:?}; expected {}", scenario.machine.name, wanted.join(" or "));
    Err(BadGuest::scenario(scenario, fault))
}

impl Kind {
    fn usage(&self) -> String {
        if self.wants.is_empty() { self.name.to_string() } else { format!("{}:{}", self.name, self.wants) }
    }
}

fn words_with_loads(scenario: &Scenario) -> Result<String, BadGuest> {
    let loads = backwall_runner::loads::words(&scenario.load).map_err(|fault| BadGuest::scenario(scenario, fault))?;
    let words = scenario.options.split_whitespace().map(str::to_string).chain(loads);
    Ok(words.collect::<Vec<_>>().join(" "))
}

fn built_without(machine: &Machine) -> BadGuest {
    let (name, compiler) = (machine.name, machine.compiler);
    BadGuest::Unable(format!("this backwall was built without {compiler}, so it contains no guests for {name}"))
}

fn unpack(folder: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf, BadGuest> {
    let path = folder.join(name);
    std::fs::write(&path, bytes).map_err(|source| BadGuest::File { path: path.clone(), source })?;
    Ok(path)
}

fn existing(guest: &str, path: &str) -> Result<PathBuf, BadGuest> {
    let found = std::fs::canonicalize(path).map_err(|error| BadGuest::name(guest, format!("{path}: {error}")))?;
    if found.is_file() { Ok(found) } else { Err(BadGuest::name(guest, format!("{path}: not a file"))) }
}

fn head(path: &Path, most: u64) -> Result<Vec<u8>, BadGuest> {
    let mut bytes = Vec::new();
    regular_file::open(path)
        .and_then(|file| file.take(most).read_to_end(&mut bytes))
        .map(|_| bytes)
        .map_err(|source| BadGuest::File { path: path.to_path_buf(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_kind_is_refused_with_those_there_are() {
        let fault = kind_of("windows:ce").err().unwrap().to_string();
        assert!(fault.contains("bare:NAME") && fault.contains("image:PATH"), "{fault}");
    }

    fn machine(guest: &str, load: &str, options: &str) -> Result<GuestMachine, BadGuest> {
        let text = format!("about = 'x'\nguest = '{guest}'\nload = '{load}'\noptions = '{options}'\nstream = true\n");
        let scenario = Scenario::parse("test", &text).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let (kind, rest) = kind_of(&scenario.guest)?;
        (kind.prepare)(rest, &scenario, &Preparing { folder: folder.path(), stop: &Stop::default() })
    }

    #[test]
    fn a_guest_is_one_file_and_one_line_of_the_table() {
        let machine = machine("fitted:7", "spin@3", "quiet").unwrap();
        assert_eq!((machine.command_line.as_str(), machine.memory_mib), ("quiet load=spin@3", 7));
        assert_eq!(kind_of("fitted:7").unwrap().0.answers, ["isr"]);
        assert!(kind_of("nothing").err().unwrap().to_string().contains("fitted:MEBIBYTES"), "the refusal names it");
    }

    #[test]
    fn the_load_becomes_words_that_the_guest_knows() {
        let line = |guest, load, options| machine(guest, load, options).unwrap().command_line;
        assert_eq!(line("detent", "none", "app_test"), "app_test");
        assert_eq!(line("detent", "calls+polygons@7", "app_test"), "app_test load=calls load=polygons@7");
        assert_eq!(line("detent-probe", "spin@40", "tick=1 bench"), "tick=1 bench bench-load=spin@40");
        assert_eq!(line("detent-probe", "none", "probe measure"), "probe bench-load=none measure");
        assert_eq!(line("bare:service-irq7-1000", "loop", ""), "");
    }

    #[test]
    fn a_load_that_a_bare_guest_does_not_have_or_always_has_is_said_in_one_line() {
        let fault = |guest, load| machine(guest, load, "").unwrap_err().to_string();
        assert!(fault("bare:answer-irq7-5", "spin").contains("this guest runs no load; leave out load"));
        assert!(fault("bare:service-irq7-1000", "none").contains("expected load = \"loop\""));
        assert!(fault("bare:service-irq7-1000", "loop@3").contains("expected load = \"loop\""));
    }

    #[test]
    fn a_kind_that_wants_a_name_is_refused_without_one() {
        assert!(kind_of("bare").is_err());
        assert!(kind_of("bare:").is_err());
    }
}
