// SPDX-License-Identifier: MIT OR Apache-2.0
//! The folder of a fleet: its runs by device, kernel and day.
//!
//! ```text
//! runs/DEVICE/KERNEL/DAY/KEY/    a run, renamed to here when complete; history.json holds what a history shows of it
//! recordings/DEVICE/DAY/TIME-PROCESS/trace.dat    a device's recent recording, by our clock; also renamed when complete
//! part/PID-NUMBER/               a folder being written, locked meanwhile; unlocked ones are removed
//! ```
#![expect(clippy::disallowed_methods, reason = "reads and writes files")]
use crate::history::slim;
use crate::plan::is_name;
use backwall_model::{Run, identity};
use backwall_os::folder::Folder;
use backwall_os::parts::{Part, Parts};
use jiff::Timestamp;
use std::fs;
use std::io::{Error, ErrorKind, Result, Write};
use std::path::{Path, PathBuf};

const PARTS: &str = "part";
const RUN_FILE: &str = "run.json";
const RECORDING_FILE: &str = "trace.dat";
/// The part of a run that a history shows. The fleet report reads only these files.
pub const HISTORY: &str = "history.json";

/// A fleet on disk. Inside its folder, backwall follows no symbolic links when it writes.
#[derive(Clone, Debug)]
pub struct Place(PathBuf);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunFate {
    New(PathBuf),
    Same(PathBuf),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FleetRun {
    pub device: String,
    pub kernel: String,
    pub day: String,
    pub key: String,
    pub path: PathBuf,
}

impl Place {
    pub fn create(folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder)?;
        let home = Folder::open(folder)?;
        home.make("runs")?;
        Parts::create(&home, PARTS)?.sweep()?;
        Ok(Self(folder.to_path_buf()))
    }

    pub fn open(folder: &Path) -> Result<Self> {
        match folder.join("runs").is_dir() {
            true => Ok(Self(folder.to_path_buf())),
            false => Err(Error::new(ErrorKind::NotFound, "no fleet here")),
        }
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Stores a device's run with its files; a run that arrives again is not stored twice. `text` is the `run.json` to store.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn keep(&self, device: &str, run: &Run, text: &str, others: &[(&str, &[u8])]) -> Result<RunFate> {
        if !is_name(device) {
            return Err(Error::new(ErrorKind::InvalidInput, "the device's name is not valid as the name of a folder"));
        }
        let (home, key) = (self.made(&["runs", device, &kernel(run), &day(run)])?, identity::of(run));
        let result = home.path().join(&key);
        if home.inside(&key).is_ok() {
            return Ok(RunFate::Same(result));
        }
        let part = self.part()?;
        write(part.folder(), run, text, others)?;
        match part.finish(&home, &key) {
            Ok(()) => Ok(RunFate::New(result)),
            Err(_) if home.inside(&key).is_ok() => Ok(RunFate::Same(result)),
            Err(error) => Err(error),
        }
    }

    fn made(&self, names: &[&str]) -> Result<Folder> {
        names.iter().try_fold(Folder::open(&self.0)?, |folder, name| folder.make(name))
    }

    fn part(&self) -> Result<Part> {
        Parts::create(&Folder::open(&self.0)?, PARTS)?.begin()
    }

    /// Stores a process's recent recording, received at `at`. `check` describes it, or refuses other data.
    ///
    /// # Errors
    /// One line if it is not a recording, or if the folder cannot be written.
    pub fn keep_recording<T>(
        &self,
        device: &str,
        (process, at): (u32, Timestamp),
        bytes: &[u8],
        check: impl FnOnce(&Path) -> std::result::Result<T, String>,
    ) -> std::result::Result<(PathBuf, T), String> {
        let failed = |error: Error| format!("cannot store it: {error}");
        if !is_name(device) {
            return Err("the device's name is not valid as the name of a folder".to_string());
        }
        let name = format!("{}-{process}", at.strftime("%H%M%S.%3fZ"));
        let part = self.part().map_err(failed)?;
        part.folder().write(RECORDING_FILE, bytes).map_err(failed)?;
        let checked = check(part.path())?;
        let home = self.made(&["recordings", device, &at.strftime("%Y-%m-%d").to_string()]).map_err(failed)?;
        let result = home.path().join(&name);
        part.finish(&home, &name).map_err(failed)?;
        Ok((result, checked))
    }

    /// All runs, ordered by device, kernel, day and time; and the folders whose names no fleet uses.
    ///
    /// # Errors
    /// If a folder cannot be read.
    pub fn runs(&self) -> Result<Vec<FleetRun>> {
        let mut found = Vec::new();
        for (device, folder) in folders(&self.0.join("runs"))? {
            for (kernel, folder) in folders(&folder)? {
                for (day, folder) in folders(&folder)? {
                    for (key, path) in folders(&folder)? {
                        let (device, kernel, day) = (device.clone(), kernel.clone(), day.clone());
                        found.push(FleetRun { device, kernel, day, key, path });
                    }
                }
            }
        }
        found.sort();
        Ok(found)
    }
}

fn write(part: &Folder, run: &Run, text: &str, others: &[(&str, &[u8])]) -> Result<()> {
    for (name, bytes) in others {
        part.create_file(name)?.write_all(bytes)?;
    }
    part.create_file(HISTORY)?.write_all(serde_json::to_string(&slim(run.clone()))?.as_bytes())?;
    // Sync before the rename: after a power failure, the folder could otherwise have its final name but no contents.
    part.write(RUN_FILE, text.as_bytes())
}

fn folders(folder: &Path) -> Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() && !name.starts_with('.') {
            found.push((name, entry.path()));
        }
    }
    Ok(found)
}

pub fn kernel(run: &Run) -> String {
    let named = run.device.linux_release().unwrap_or(&run.device.kernel);
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "-_.+~".contains(letter);
    let name: String = named.chars().take(80).map(|letter| if fits(letter) { letter } else { '_' }).collect();
    let name = name.trim_start_matches('.');
    if name.is_empty() { "unknown".to_string() } else { name.to_string() }
}

fn day(run: &Run) -> String {
    let day: String = run.started.chars().take(10).collect();
    let is_day = |at: usize, letter: char| if at == 4 || at == 7 { letter == '-' } else { letter.is_ascii_digit() };
    let sound = day.len() == 10 && day.chars().enumerate().all(|(at, letter)| is_day(at, letter));
    if sound { day } else { "unknown".to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_model::{Origin, Plan};

    fn run(kernel: &str) -> Run {
        let mut run = Run::begin(Origin::Measured, Plan::default(), vec![], Timestamp::UNIX_EPOCH);
        (run.device.kind, run.device.kernel) = ("linux".into(), kernel.into());
        run
    }

    #[test]
    fn a_run_is_kept_once_by_device_kernel_and_day() {
        let top = tempfile::tempdir().unwrap();
        let place = Place::create(top.path()).unwrap();
        let one = run("Linux 6.1.0-rt #1 SMP");
        let keep = |run: &Run| place.keep("a", run, "{}", &[("edges.vcd", b"x")]).unwrap();
        let RunFate::New(path) = keep(&one) else { panic!("it was not there") };
        assert_eq!(keep(&one), RunFate::Same(path.clone()));
        assert_eq!(fs::read(path.join("edges.vcd")).unwrap(), b"x");
        let RunFate::New(_) = keep(&run("Linux 6.2.0")) else { panic!("another kernel is another run") };
        let found = place.runs().unwrap();
        let told: Vec<(&str, &str)> = found.iter().map(|one| (one.kernel.as_str(), one.day.as_str())).collect();
        assert_eq!(told, [("6.1.0-rt", "1970-01-01"), ("6.2.0", "1970-01-01")]);
        assert_eq!(fs::read_dir(top.path().join("part")).unwrap().count(), 0, "nothing half-written is left");
    }

    #[test]
    fn a_recording_is_kept_by_device_and_time_and_what_is_none_is_not() {
        let top = tempfile::tempdir().unwrap();
        let place = Place::create(top.path()).unwrap();
        let when = (7, Timestamp::UNIX_EPOCH);
        let (path, said) =
            place.keep_recording("a", when, b"x", |folder| Ok(folder.join("trace.dat").is_file())).unwrap();
        assert_eq!(path.strip_prefix(top.path()).unwrap(), Path::new("recordings/a/1970-01-01/000000.000Z-7"));
        assert!(said && fs::read(path.join("trace.dat")).unwrap() == b"x");
        let refused = place.keep_recording::<()>("b", when, b"x", |_| Err("no recording".to_string()));
        assert_eq!(refused.unwrap_err(), "no recording");
        assert!(place.keep_recording("../a", when, b"x", |_| Ok(())).is_err());
        assert_eq!(fs::read_dir(top.path().join("recordings")).unwrap().count(), 1);
        assert_eq!(fs::read_dir(top.path().join("part")).unwrap().count(), 0, "nothing half-written is left");
        assert!(place.runs().unwrap().is_empty());
    }

    #[test]
    fn no_text_of_a_device_leads_out_of_the_folder() {
        let top = tempfile::tempdir().unwrap();
        let place = Place::create(&top.path().join("fleet")).unwrap();
        let mut hostile = run("../../../../x");
        (hostile.device.kind, hostile.started) = ("other".into(), "../../../..".into());
        assert!(place.keep("../a", &hostile, "{}", &[]).is_err());
        let RunFate::New(path) = place.keep("a", &hostile, "{}", &[]).unwrap() else { panic!() };
        assert!(path.canonicalize().unwrap().starts_with(top.path().canonicalize().unwrap().join("fleet/runs/a")));
    }
}
