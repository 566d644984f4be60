// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files without an end: a pipe, a device, and a file that has no blocks on the disk. Every reader of a file refuses each in one line, with
//! exit code 2.
use crate::common::program::program;
use std::path::Path;
use std::process::{Command, Output};

// Tries each reader (a command line with `FILE` for the file) on each kind; `furnish` makes the files that lead to `file.toml`.
pub fn refused_by_all(readers: &[&str], furnish: fn(&Path)) {
    for endless in [pipe, device, sparse] {
        let home = tempfile::tempdir().unwrap();
        endless(&home.path().join("file.toml"));
        furnish(home.path());
        let before = names_below(home.path());
        for reader in readers {
            let output = tool(home.path(), reader);
            let error = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{reader}: {error}");
            assert!(error.starts_with("backwall: ") && error.lines().count() == 1, "{reader}: {error}");
            assert!(output.stdout.is_empty(), "{reader}");
            assert_eq!(names_below(home.path()), before, "{reader} left something");
        }
    }
}

fn pipe(file: &Path) {
    assert!(Command::new("mkfifo").arg(file).status().unwrap().success());
}

fn device(file: &Path) {
    std::os::unix::fs::symlink("/dev/zero", file).unwrap();
}

fn sparse(file: &Path) {
    std::fs::File::create(file).unwrap().set_len(1 << 40).unwrap();
}

// One that would wait for ever is ended, with a code that no reader has.
fn tool(home: &Path, words: &str) -> Output {
    let mut command = Command::new("timeout");
    command.arg("60").arg(program());
    command.args(words.split(' ').map(|word| if word == "FILE" { "file.toml" } else { word }));
    command.current_dir(home).env("XDG_CONFIG_HOME", home.join("config")).output().unwrap()
}

fn names_below(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}
