// SPDX-License-Identifier: MIT OR Apache-2.0
//! Any file that a user names for the lab is read up to a limit only, and pipes and devices are refused: one line, exit code 2.
use crate::common::endless::refused_by_all;
use std::path::Path;

const READERS: &[&str] = &[
    "lab batch plan FILE --output planned",
    "lab batch plan matrix.toml --output planned",
    "lab batch status campaign",
    "lab batch merge campaign",
    "lab batch run campaign",
    "lab batch submit campaign",
    "lab run FILE",
    "lab sweep FILE",
    "lab saturate FILE",
    "lab explain FILE",
    "lab run image.toml",
    "lab run kernel.toml",
];

#[test]
fn a_file_without_an_end_is_refused_at_once_by_whoever_reads_it() {
    refused_by_all(READERS, furnish);
}

// Writes files that refer to the unreadable file, `file.toml`.
fn furnish(home: &Path) {
    let write = |name: &str, text: &str| std::fs::write(home.join(name), text).unwrap();
    write("matrix.toml", "[matrix]\nscenario = ['file.toml']\n");
    write("image.toml", "about = 'x'\nguest = 'image:file.toml'\nstream = true\n");
    write("kernel.toml", "about = 'x'\nguest = 'linux:file.toml'\nstream = true\n");
    std::fs::create_dir_all(home.join("campaign")).unwrap();
    std::os::unix::fs::symlink(home.join("file.toml"), home.join("campaign/units.jsonl")).unwrap();
}
