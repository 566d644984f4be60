// SPDX-License-Identifier: MIT OR Apache-2.0
//! Debian's package lists for an architecture: the system's own, or for a foreign architecture separate ones in the cache. The
//! system's configuration stays unchanged.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "reads and writes files, starts programs")]
use super::BadGuest;
use super::debian::{file_fault, unable};
use crate::machine::LinuxOn;
use backwall_os::Stop;
use backwall_os::process;
use std::ffi::OsString;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

const FRESH: Duration = Duration::from_secs(7 * 24 * 3600);

const OWN: &str = "/var/lib/apt/lists";

pub struct Lists<'a> {
    options: Vec<OsString>,
    folder: PathBuf,
    pub(super) stop: &'a Stop,
}

impl<'a> Lists<'a> {
    /// The lists for Linux's architecture. Foreign ones are refreshed if missing or a week old; if that fails, the old ones are
    /// used.
    pub fn of(linux: &LinuxOn, cache: &Path, stop: &'a Stop) -> Result<Self, BadGuest> {
        let architecture = linux.debian;
        let native = said("dpkg", Command::new("dpkg").arg("--print-architecture"), stop)?;
        if String::from_utf8_lossy(&native.stdout).trim() == architecture {
            return Ok(Self { options: Vec::new(), folder: OWN.into(), stop });
        }
        let folder = cache.join(format!("lists-{architecture}"));
        for part in ["lists/partial", "archives/partial"] {
            fs::create_dir_all(folder.join(part)).map_err(file_fault(&folder))?;
        }
        let mut lists = Self { options: options(architecture, &folder), folder: folder.join("lists"), stop };
        let stamp = folder.join("read");
        let age = fs::metadata(&stamp).and_then(|file| file.modified()).ok().and_then(|at| at.elapsed().ok());
        let is_fresh = age.is_some_and(|age| age <= FRESH);
        if let Some(release) = linux.since {
            lists.options.extend(source_of(release, (&folder, is_fresh), stop)?);
        }
        if !is_fresh {
            backwall_os::console::complain(&format!(
                "lab: reading Debian's package lists for {architecture} (15 MB, once a week)"
            ));
            let read = lists.run("apt-get", &["update", "-q"], Path::new("/"))?;
            if read.status.success() {
                fs::write(&stamp, "").map_err(file_fault(&stamp))?;
            }
        }
        Ok(lists)
    }

    pub fn changed(&self) -> Option<SystemTime> {
        fs::metadata(&self.folder).and_then(|folder| folder.modified()).ok()
    }

    pub fn depends(&self, package: &str) -> Result<String, BadGuest> {
        let told = self.run("apt-cache", &["depends", "--no-recommends", "--no-suggests", package], Path::new("/"))?;
        Ok(String::from_utf8_lossy(&told.stdout).into_owned())
    }

    pub fn download(&self, package: &str, place: &Path) -> Result<Output, BadGuest> {
        self.run("apt-get", &["download", "-q", package], place)
    }

    fn run(&self, program: &str, words: &[&str], place: &Path) -> Result<Output, BadGuest> {
        let mut command = Command::new(program);
        command.args(&self.options).args(words).env("LC_ALL", "C").current_dir(place);
        said(program, &mut command, self.stop)
    }
}

/// A program's output. Output of a killed program does not count.
fn said(program: &str, command: &mut Command, stop: &Stop) -> Result<Output, BadGuest> {
    let output = process::output(command.stdin(Stdio::null()), &|| stop.asked());
    let output = output.map_err(|error| missing(program, &error))?.ok_or(BadGuest::Interrupted)?;
    match output.status.signal() {
        Some(signal) => Err(unable(format!("{program} was ended by signal {signal}; try again"))),
        None => Ok(output),
    }
}

fn missing(program: &str, error: &std::io::Error) -> BadGuest {
    unable(format!(
        "cannot start {program} ({error}): Debian's kernels need its package manager; or name a kernel file as linux:PATH"
    ))
}

fn options(architecture: &str, folder: &Path) -> Vec<OsString> {
    let below = |name: &str, part: &str| {
        let mut option = OsString::from(format!("{name}="));
        option.push(folder.join(part));
        option
    };
    let all = [
        format!("APT::Architecture={architecture}").into(),
        format!("APT::Architectures={architecture}").into(),
        below("Dir::State::lists", "lists"),
        below("Dir::Cache", ""),
        "Dir::State::status=/dev/null".into(),
    ];
    all.into_iter().flat_map(|option| ["-o".into(), option]).collect()
}

const KEYS: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// apt options to read only this release from the system's Debian mirror. Finding the mirror takes half a second of CPU time, so
/// it is stored with the lists.
fn source_of(release: &str, (folder, is_fresh): (&Path, bool), stop: &Stop) -> Result<Vec<OsString>, BadGuest> {
    let list = folder.join("sources.list");
    if !is_fresh || !list.is_file() {
        let keys = if Path::new(KEYS).is_file() { format!("[signed-by={KEYS}] ") } else { String::new() };
        let line = format!("deb {keys}{} {release} main\n", site(release, stop)?);
        fs::write(&list, line).map_err(file_fault(&list))?;
    }
    let mut option = OsString::from("Dir::Etc::sourcelist=");
    option.push(list);
    Ok(["-o".into(), option, "-o".into(), "Dir::Etc::sourceparts=/dev/null".into()].into())
}

fn site(release: &str, stop: &Stop) -> Result<String, BadGuest> {
    let mut targets = Command::new("apt-get");
    targets.args(["indextargets", "--format", "$(REPO_URI) $(COMPONENT)", "Created-By: Packages"]);
    let told = said("apt-get", &mut targets, stop)?;
    let site = site_in(&String::from_utf8_lossy(&told.stdout)).map(str::to_string);
    site.ok_or_else(|| {
        unable(format!("this system has no package source for Debian {release}; name a kernel file as linux:PATH"))
    })
}

/// The first address of Debian's own packages in lines of the form `ADDRESS COMPONENT`.
fn site_in(told: &str) -> Option<&str> {
    let places = told.lines().filter_map(|line| line.strip_suffix(" main"));
    places.into_iter().find(|place| place.trim_end_matches('/').ends_with("/debian"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debians_own_place_is_told_from_its_security_updates_and_from_others() {
        let told =
            "http://a/debian-security/ main\nhttp://b/apt main\nhttp://c/debian/ contrib\nhttp://d/debian/ main\n";
        assert_eq!(site_in(told), Some("http://d/debian/"));
        assert_eq!(site_in("http://d/ubuntu/ main\n"), None);
    }
}
