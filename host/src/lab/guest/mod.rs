// SPDX-License-Identifier: MIT OR Apache-2.0
//! The guests, one line each: what a scenario's `guest = "KIND:REST"` becomes.
pub mod bare;
pub mod bzimage;
pub mod debian;
pub mod detent;
pub mod image;
pub mod kernel;
pub mod linux;

use super::scenario::Scenario;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A machine ready to be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Linux or multiboot image.
    pub kernel: PathBuf,
    /// Its initial file system.
    pub initrd: Option<PathBuf>,
    /// Its command line.
    pub command_line: String,
    /// In MiB.
    pub memory_mib: u32,
    /// Instructions within which it has armed the port, generously.
    pub boot_instructions: u64,
    /// What the result says of it.
    pub description: String,
    /// Where the names of its functions are.
    pub names: Names,
}

/// Where the names of a guest's functions are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// In its image, an ELF file.
    Image,
    /// The guest says them on the channel, as lines of `address type name`.
    Channel,
}

/// One kind of guest.
pub struct Kind {
    /// What stands before the colon.
    pub name: &'static str,
    /// What may stand after it.
    pub wants: &'static str,
    /// The lines it usually answers on.
    pub answers: &'static [&'static str],
    /// Makes the machine; files of its own go below the folder. The text is what stands after the colon.
    pub prepare: fn(&str, &Scenario, &Path) -> Result<Machine, BadGuest>,
}

/// The kinds.
pub const KINDS: &[Kind] = &[
    Kind { name: "bare", wants: "NAME", answers: &["isr"], prepare: bare::prepare },
    Kind { name: "image", wants: "PATH", answers: &["isr"], prepare: image::prepare },
    Kind { name: "linux", wants: "stock|rt|PATH", answers: &["ist", "app"], prepare: linux::prepare },
    Kind { name: "detent", wants: "", answers: &["isr", "ist", "app"], prepare: detent::prepare },
    Kind { name: "detent-probe", wants: "", answers: &["isr", "ist", "app"], prepare: detent::prepare_probe },
];

/// Why a guest cannot be had; one line with the fix.
#[derive(Debug, thiserror::Error)]
pub enum BadGuest {
    /// The scenario names something that does not exist.
    #[error("guest {name:?}: {fault}")]
    Name {
        /// As in the scenario.
        name: String,
        /// What is wrong and what is wanted.
        fault: String,
    },
    /// This machine lacks something.
    #[error("guest: {0}")]
    Unable(String),
    /// A file of the run cannot be written.
    #[error("guest: {path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl BadGuest {
    fn name(name: &str, fault: impl Into<String>) -> BadGuest {
        BadGuest::Name { name: name.to_string(), fault: fault.into() }
    }
}

/// The kind of `guest`, and what stands after its colon.
pub fn kind_of(guest: &str) -> Result<(&'static Kind, &str), BadGuest> {
    let (name, rest) = guest.split_once(':').unwrap_or((guest, ""));
    let kind = KINDS.iter().find(|kind| kind.name == name).ok_or_else(|| {
        let known: Vec<String> = KINDS.iter().map(Kind::usage).collect();
        BadGuest::name(guest, format!("unknown kind; want {}", known.join(", ")))
    })?;
    if kind.wants.is_empty() != rest.is_empty() {
        return Err(BadGuest::name(guest, format!("want {}", kind.usage())));
    }
    Ok((kind, rest))
}

impl Kind {
    fn usage(&self) -> String {
        if self.wants.is_empty() { self.name.to_string() } else { format!("{}:{}", self.name, self.wants) }
    }
}

/// Writes a file that the tool carries below `folder`.
fn unpack(folder: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf, BadGuest> {
    let path = folder.join(name);
    std::fs::write(&path, bytes).map_err(|source| BadGuest::File { path: path.clone(), source })?;
    Ok(path)
}

/// An absolute form of a path given by the user, if there is a file.
fn existing(guest: &str, path: &str) -> Result<PathBuf, BadGuest> {
    let found = std::fs::canonicalize(path).map_err(|error| BadGuest::name(guest, format!("{path}: {error}")))?;
    if found.is_file() { Ok(found) } else { Err(BadGuest::name(guest, format!("{path}: not a file"))) }
}

/// The first `most` bytes of a file, or fewer where it is shorter.
fn head(path: &Path, most: u64) -> Result<Vec<u8>, BadGuest> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)
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

    #[test]
    fn a_kind_that_wants_a_name_is_refused_without_one() {
        assert!(kind_of("bare").is_err());
        assert!(kind_of("bare:").is_err());
    }
}
