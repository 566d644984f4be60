// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whatever file a user names is read up to a limit, and is no pipe and no device, which may have no end: one line, exit code 2.
use std::path::Path;
use std::process::{Command, Output};

/// Each way to name a file that is read; `FILE` stands for it, and ends in `.toml` where only such a file is taken for one.
const READERS: &[&str] = &[
    "report FILE",
    "compare FILE -- whole",
    "blame FILE",
    "export csv FILE",
    "import FILE",
    "scope FILE --list",
    "scope FILE --stimulus D0 --response app=D1",
    "track report FILE",
    "track export csv FILE --file out",
    "tasks predict FILE",
    "tasks run FILE",
    "tasks predict set.toml --constants FILE",
    "campaign plan FILE --out planned",
    "campaign plan matrix.toml --out planned",
    "campaign status campaign",
    "campaign merge campaign",
    "campaign run campaign",
    "campaign submit campaign",
    "lab run FILE",
    "lab sweep FILE",
    "lab saturate FILE",
    "lab explain FILE",
    "lab run image.toml",
    "lab run kernel.toml",
    "watch --list",
    "watch jack",
    "fleet run FILE",
];

#[test]
fn a_pipe_is_refused_at_once_by_whoever_reads_a_file() {
    let home = tempfile::tempdir().unwrap();
    let made = Command::new("mkfifo").arg(home.path().join("file.toml")).status().unwrap();
    assert!(made.success());
    refused_by_all(home.path());
}

#[test]
fn a_device_without_an_end_is_refused_at_once_by_whoever_reads_a_file() {
    let home = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/dev/zero", home.path().join("file.toml")).unwrap();
    refused_by_all(home.path());
}

/// Such a file has no blocks on the disk and would fill all memory.
#[test]
fn an_endless_file_is_refused_by_whoever_reads_a_file() {
    let home = tempfile::tempdir().unwrap();
    std::fs::File::create(home.path().join("file.toml")).unwrap().set_len(1 << 40).unwrap();
    refused_by_all(home.path());
}

fn refused_by_all(home: &Path) {
    furnish(home);
    let before = names_below(home);
    for reader in READERS {
        let output = tool(home, reader);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{reader}: {error}");
        assert!(error.starts_with("backwall: ") && error.lines().count() == 1, "{reader}: {error}");
        assert!(output.stdout.is_empty(), "{reader}");
        assert_eq!(names_below(home), before, "{reader} left something");
    }
}

/// Files that lead to the one that cannot be read, which is `file.toml`.
fn furnish(home: &Path) {
    let write = |name: &str, text: &str| std::fs::write(home.join(name), text).unwrap();
    write("whole", "no run");
    write("set.toml", "[[series]]\nname = 'a'\nperiod = '1ms'\ncomputation = '1us'\npriority = 50\n");
    write("matrix.toml", "[matrix]\nscenario = ['file.toml']\n");
    write("image.toml", "about = 'x'\nguest = 'image:file.toml'\nstream = true\n");
    write("kernel.toml", "about = 'x'\nguest = 'linux:file.toml'\nstream = true\n");
    std::fs::create_dir_all(home.join("campaign")).unwrap();
    std::os::unix::fs::symlink(home.join("file.toml"), home.join("campaign/units.jsonl")).unwrap();
    std::fs::create_dir_all(home.join("config/backwall/recipes")).unwrap();
    std::os::unix::fs::symlink(home.join("file.toml"), home.join("config/backwall/recipes/own.toml")).unwrap();
}

/// One that would wait for ever is ended, with a code that no reader has.
fn tool(home: &Path, words: &str) -> Output {
    let mut command = Command::new("timeout");
    command.args(["60", env!("CARGO_BIN_EXE_backwall")]);
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
