// SPDX-License-Identifier: MIT OR Apache-2.0
//! The places to write to: mounted file systems, file systems that backwall can mount for this process alone, and loopback.
//!
//! Such a private mount has no path and ends with the process; its loop file has no name. backwall loads no kernel module and
//! creates no device.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "reads and writes files, starts programs, reads the environment"
)]
use super::loop_device::LoopDevice;
use backwall_os::private_mount::PrivateMount;
use rustix::fs::statfs;
use std::fs::File;
use std::io::{Error, Result};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Minimum size of a loop file. Its usual size is a multiple ([`ROOM`]) of the data stored at once.
const LEAST_BYTES: u64 = 256 << 20;
/// Room for the files of both kinds of data at once and for the file system's metadata.
const ROOM: u64 = 6;

pub struct Place {
    word: &'static str,
    title: String,
    folder: Option<PathBuf>,
    note: String,
    _mount: Option<PrivateMount>,
    _device: Option<LoopDevice>,
}

type Opening = Box<dyn Fn() -> Result<Place>>;

impl Place {
    /// The names of all places, in the order of the table. `bytes`: how much data each must hold.
    pub fn all(bytes: u64) -> Vec<(&'static str, Opening)> {
        let on_loop =
            move |word, kind, options| -> Opening { Box::new(move || on_loop_file(word, kind, options, bytes)) };
        vec![
            ("here", Box::new(here) as Opening),
            ("tmpfs", Box::new(tmpfs)),
            ("ext4", on_loop("ext4", "ext4", &[])),
            ("btrfs", on_loop("btrfs", "btrfs", &[])),
            ("btrfs-zstd", on_loop("btrfs-zstd", "btrfs", &[("compress", "zstd")])),
            ("zram", Box::new(zram)),
            ("loopback", Box::new(|| Ok(Place::new("loopback", "loopback TCP".into(), None, String::new())))),
        ]
    }

    fn new(word: &'static str, title: String, folder: Option<PathBuf>, note: String) -> Self {
        Self { word, title, folder, note, _mount: None, _device: None }
    }

    pub fn word(&self) -> &'static str {
        self.word
    }

    pub fn title(&self) -> &str {
        &self.title
    }

    pub fn folder(&self) -> Option<PathBuf> {
        self.folder.clone()
    }

    pub fn stores(&self) -> bool {
        self.folder.is_some()
    }

    pub fn conditions(&self, into: bool) -> String {
        let what = match (self.stores(), into) {
            (false, true) => "a backwall thread sends; timed until the last byte was read",
            (false, false) => "a backwall thread reads; timed until the last byte",
            (true, true) => "written and fsync",
            (true, false) => "read, after fsync and asking the kernel to drop the file's pages",
        };
        if self.note.is_empty() { what.to_string() } else { format!("{what}; {}", self.note) }
    }
}

fn here() -> Result<Place> {
    Ok(Place::new("here", format!("this folder ({})", kind_of(Path::new("."))?), Some(".".into()), String::new()))
}

fn tmpfs() -> Result<Place> {
    const NOTE: &str = "the data stays in memory: fsync writes nothing, and no pages are dropped";
    const SHARED: &str = "/dev/shm";
    match PrivateMount::of("tmpfs") {
        Ok(mount) => {
            let place = Place::new("tmpfs", "tmpfs".into(), Some(mount.root()), NOTE.into());
            Ok(Place { _mount: Some(mount), ..place })
        }
        Err(_) if kind_of(Path::new(SHARED)).is_ok_and(|kind| kind == "tmpfs") => {
            Ok(Place::new("tmpfs", format!("tmpfs ({SHARED})"), Some(SHARED.into()), NOTE.into()))
        }
        Err(error) => Err(Error::other(format!("cannot mount a tmpfs ({error}), and {SHARED} is not a tmpfs"))),
    }
}

fn on_loop_file(word: &'static str, kind: &str, options: &[(&str, &str)], bytes: u64) -> Result<Place> {
    known(kind)?;
    let file = tempfile::tempfile_in(".")?;
    file.set_len(LEAST_BYTES.max(bytes.saturating_mul(ROOM)))?;
    make(kind, &file)?;
    let device = LoopDevice::over(&file).map_err(|error| Error::other(format!("loop device: {error}")))?;
    let mount = PrivateMount::from_device(kind, &device.path, options)
        .map_err(|error| Error::other(format!("cannot mount it: {error}")))?;
    let how: String = options.iter().map(|(name, value)| format!(", {name}={value}")).collect();
    let place = Place::new(
        word,
        format!("{kind} on a loop file{how}"),
        Some(mount.root()),
        format!("the loop file is in this folder ({}); pages of the loop file stay cached", kind_of(Path::new("."))?),
    );
    Ok(Place { _mount: Some(mount), _device: Some(device), ..place })
}

/// Refuses a file system that the kernel has not loaded: mounting it would load its module for the whole machine.
fn known(kind: &str) -> Result<()> {
    let known = std::fs::read_to_string("/proc/filesystems")?;
    match known.lines().any(|line| line.split_whitespace().last() == Some(kind)) {
        true => Ok(()),
        false => Err(Error::other(format!("this kernel has not loaded {kind}; run modprobe {kind} as root"))),
    }
}

fn package(kind: &str) -> &str {
    if kind == "btrfs" { "btrfs-progs" } else { "e2fsprogs" }
}

/// Creates the file system in the file, through a path that only this process has.
fn make(kind: &str, file: &File) -> Result<()> {
    let program = format!("mkfs.{kind}");
    let path = format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd());
    let search = format!("{}:/usr/sbin:/sbin", std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new(&program);
    command.args(["-q", &path]).env("PATH", search).stdin(Stdio::null());
    let output = command.output().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Error::other(format!("install {program} (Debian package {})", package(kind))),
        _ => Error::other(format!("{program}: {error}")),
    })?;
    let said = String::from_utf8_lossy(&output.stderr);
    match output.status.success() {
        true => Ok(()),
        false => Err(Error::other(format!("{program}: {}", said.lines().last().unwrap_or("it failed")))),
    }
}

/// A writable file system on zram that is already mounted. Creating one would change the machine for everybody.
fn zram() -> Result<Place> {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo")?;
    let on_zram = mounts.lines().filter_map(|line| {
        let (place, kind) = line.split_once(" - ")?;
        let mut kind = kind.split_whitespace();
        let (name, device) = (kind.next()?, kind.next()?);
        device.starts_with("/dev/zram").then(|| (name.to_string(), place.split_whitespace().nth(4)))
    });
    for (kind, folder) in on_zram {
        let folder = PathBuf::from(folder.unwrap_or_default());
        if tempfile::tempfile_in(&folder).is_ok() {
            let title = format!("{kind} on zram ({})", folder.display());
            return Ok(Place::new("zram", title, Some(folder), String::new()));
        }
    }
    Err(Error::other(
        "no zram device has a writable file system; backwall does not set up a zram device, because all users would \
            share it",
    ))
}

/// The file system of a folder, by the kernel's magic numbers.
fn kind_of(folder: &Path) -> Result<String> {
    let kind = match statfs(folder)?.f_type as u64 & 0xFFFF_FFFF {
        0xEF53 => "ext4, ext3 or ext2",
        0x0102_1994 => "tmpfs",
        0x9123_683E => "btrfs",
        0x5846_5342 => "xfs",
        0xF2F5_2010 => "f2fs",
        0x794C_7630 => "overlayfs",
        0x2FC1_2FC1 => "zfs",
        0x6969 => "nfs",
        other => return Ok(format!("file system {other:#x}")),
    };
    Ok(kind.into())
}
