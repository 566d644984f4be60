// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall fleet`: devices over real SSH servers of the tests, in containers, and through labgrid. A fault of one costs a line,
//! the others continue, and nothing is half-written.
mod broken;
mod fetched;
mod labgrid;
mod measured;
mod pushed;
mod separate;
mod server;

use crate::copied::script;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

const FAKE: &str = backwall_runner::device::built::FAKE;

fn device(folder: &Path, name: &str, port: u16, more: &str) -> String {
    device_at(folder, name, ("127.0.0.1", port), more)
}

fn device_at(folder: &Path, name: &str, (address, port): (&str, u16), more: &str) -> String {
    let place = folder.display();
    format!(
        "[[device]]\nname = \"{name}\"\naddress = \"{}@{address}\"\nport = {port}\nfolder = \"{place}/disks/{name}\"\n\
         options = [\"-F\", \"none\", \"-i\", \"{place}/user\", \"-oStrictHostKeyChecking=no\", \"-oUserKnownHostsFile=/dev/null\", \"-oLogLevel=ERROR\"]\n{more}\n",
        user()
    )
}

fn words() -> String {
    format!("run = [\"run\", \"--probe\", \"{FAKE}\", \"--load\", \"none\", \"--for\", \"1s\"]\n")
}

fn place() -> TempDir {
    let top = tempfile::tempdir().unwrap();
    fs::create_dir(top.path().join("disks")).unwrap();
    top
}

fn runs(folder: &Path, device: &str) -> Vec<PathBuf> {
    let mut level = vec![folder.join("fleet/runs").join(device)];
    for _ in 0..3 {
        level = level.iter().flat_map(|folder| crate::tool::files(folder)).collect();
    }
    level
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = crate::tool::files(folder)
        .iter()
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn user() -> String {
    let user = Command::new("id").arg("-nu").output().unwrap().stdout;
    String::from_utf8(user).unwrap().trim().to_string()
}

// A program that replaces the tool on a device: its first line of words is done before the tool itself, if that comes then. `$last`
// is the folder in which a run is made. The line of the device's table that names it.
fn tool(folder: &Path, name: &str, does: &str) -> String {
    let text = format!("#!/bin/sh\n[ \"$1\" = --version ] && exit 0\nfor last; do :; done\n{does}\n");
    script(&text, &folder.join(name));
    format!("tool = \"{}/{name}\"", folder.display())
}

fn itself() -> String {
    format!("exec {} \"$@\"", env!("CARGO_BIN_EXE_backwall"))
}
