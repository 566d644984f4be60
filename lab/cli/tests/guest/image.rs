// SPDX-License-Identifier: MIT OR Apache-2.0
//! The guest's file system instead of a disk: this program, the tool, the programs that the tool starts, and their
//! libraries. The programs have no debug symbols, which would be most of the file system, because emulated memory is
//! slow.
use crate::program::program;
use backwall_lab::cpio::Archive;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

// The tool starts a shell beside its trace; the shell uses these.
const PROGRAMS: [&str; 4] = ["sh", "cat", "rmdir", "sleep"];
const FOLDERS: [&str; 8] = ["/proc", "/sys", "/dev", "/tmp", "/bin", "/out", "/run", "/root"];

pub fn archive() -> Vec<u8> {
    let own = std::env::current_exe().unwrap();
    let tool = program();
    let beside: Vec<PathBuf> = PROGRAMS.iter().map(|name| Path::new("/bin").join(name)).collect();
    let libraries: BTreeSet<PathBuf> =
        [&own, &tool].into_iter().chain(&beside).flat_map(|program| libraries(program)).collect();
    let mut archive = Archive::default();
    FOLDERS.iter().for_each(|folder| archive.directory(folder));
    let mut made: BTreeSet<PathBuf> = FOLDERS.iter().map(PathBuf::from).collect();
    for library in &libraries {
        let parents: Vec<&Path> = library.ancestors().skip(1).filter(|parent| parent.parent().is_some()).collect();
        for parent in parents.into_iter().rev().filter(|parent| made.insert(parent.to_path_buf())) {
            archive.directory(parent.to_str().unwrap());
        }
        archive.program(library.to_str().unwrap(), &std::fs::read(library).unwrap());
    }
    for (path, program) in [("/init".into(), own), ("/bin/backwall".into(), tool)]
        .into_iter()
        .chain(beside.iter().map(|path| (path.to_str().unwrap().to_string(), path.clone())))
    {
        archive.program(&path, &stripped(&program));
    }
    archive.finish()
}

fn stripped(program: &Path) -> Vec<u8> {
    let copy = tempfile::NamedTempFile::new().unwrap();
    let strip = Command::new("strip").args(["--strip-all", "-o"]).arg(copy.path()).arg(program).status();
    assert!(strip.unwrap().success(), "strip: {}", program.display());
    std::fs::read(copy.path()).unwrap()
}

fn libraries(program: &Path) -> Vec<PathBuf> {
    let output = Command::new("ldd").arg(program).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.split_whitespace().filter(|word| word.starts_with('/')).map(PathBuf::from).collect()
}
