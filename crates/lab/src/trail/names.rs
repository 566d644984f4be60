// SPDX-License-Identifier: MIT OR Apache-2.0
//! The names of a guest's functions, in its kernel and its programs.
//!
//! If no file contains the names of a kernel, the kernel prints them itself: it boots once more with a parameter that requests
//! them. The output is stored next to the saved states, under the digest of its image and its kernel command line. Its addresses
//! are the same in every boot (`nokaslr`).
#![expect(clippy::disallowed_methods, reason = "reads and writes files")]
use crate::bench::{self, BenchFault, BenchRun, Settings};
use crate::emulator::Emulator;
use crate::guest;
use crate::scenario::Scenario;
use crate::state_key::Key;
use backwall_capture::symbols::Symbols;
use backwall_capture::trail::Names;
use backwall_os::cache;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Kernel command line parameter with which a Linux guest sends the names of its functions to the channel.
const TELL: &str = "bench-names";

const ONE_ANSWER: &str = "about = 'names'\nguest = 'x'\n[generator.a]\nshape = 'one-shot'\nperiod = 200_000\n";

/// The function names of the guest that ran.
///
/// # Errors
/// If the guest must boot to print the names, and does not print them.
pub fn of(run: &BenchRun, scenario: &Scenario, emulator: &Emulator, settings: &Settings) -> Result<Names, BenchFault> {
    let programs = guest::program_names(scenario);
    if run.has_names() {
        return Ok(Names { kernel: run.symbols()?, programs, lines: run.lines() });
    }
    let kept = run.image_digest().ok().and_then(|digest| Some(place()?.join(file(digest, &scenario.boot))));
    if let Some(kernel) = kept.as_deref().and_then(kept_whole) {
        return Ok(Names { kernel, programs, lines: None });
    }
    let told = bench::run(
        &telling(scenario),
        emulator,
        &Settings { states: None, window: None, stretches: None, debugger: None, ..settings.clone() },
    )?
    .whole()?;
    let kernel = told.symbols()?;
    if let (Some(kept), Ok(text)) = (kept, std::fs::read(told.channel_path())) {
        // If this fails, the next call boots the guest again.
        let _ = keep(&kept, &text);
    }
    Ok(Names { kernel, programs, lines: None })
}

/// The stored names of a guest. A truncated or empty file is ignored, and the guest sends them again.
fn kept_whole(file: &Path) -> Option<Symbols> {
    let text = std::fs::read_to_string(file).ok()?;
    Symbols::from_map(&text).ok().filter(|_| text.ends_with('\n'))
}

/// The name of the stored file. It depends on the kernel command line, because the addresses of modules do.
fn file(digest: String, boot: &str) -> String {
    let name = if boot.is_empty() { digest } else { Key::of(&[digest, boot.to_string()]).name() };
    format!("{name}.map")
}

fn place() -> Option<PathBuf> {
    cache::own_folder("names").ok()
}

fn keep(place: &Path, text: &[u8]) -> std::io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(place.parent().unwrap_or(Path::new(".")))?;
    file.write_all(text)?;
    file.persist(place)?;
    Ok(())
}

fn telling(scenario: &Scenario) -> Scenario {
    Scenario {
        guest: scenario.guest.clone(),
        machine: scenario.machine,
        options: format!("{} {TELL}", scenario.options),
        limits: scenario.limits,
        boot: scenario.boot.clone(),
        ..Scenario::parse(&scenario.name, ONE_ANSWER).expect("a sound scenario")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_map_that_was_cut_or_is_empty_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let kept = folder.path().join("one.map");
        let cut = "100 T schedule\n200 T yie";
        for (text, whole) in [("100 T schedule\n", true), (cut, false), ("100 T schedule\n20", false), ("", false)] {
            std::fs::write(&kept, text).unwrap();
            assert_eq!(kept_whole(&kept).is_some(), whole, "{text:?}");
        }
        assert!(kept_whole(&folder.path().join("none")).is_none());
    }
}
