// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every input file is read up to a limit and must not be a pipe or device: one error line, exit code 2.
use crate::common::endless::refused_by_all;
use std::path::Path;

// Each way to name an input file; `FILE` stands for it, and ends in `.toml` where only TOML is accepted.
const READERS: &[&str] = &[
    "report FILE",
    "compare FILE -- whole",
    "blame FILE",
    "export csv FILE",
    "import --format cyclictest-json FILE",
    "scope FILE --list",
    "scope FILE --stimulus D0 --response app=D1",
    "trace report FILE",
    "trace export csv FILE -o out",
    "tasks predict FILE",
    "tasks run FILE",
    "tasks predict set.toml --constants FILE",
    "watch --list",
    "watch jack",
    "fleet run FILE",
];

#[test]
fn a_file_without_an_end_is_refused_at_once_by_whoever_reads_it() {
    refused_by_all(READERS, furnish);
}

fn furnish(home: &Path) {
    let write = |name: &str, text: &str| std::fs::write(home.join(name), text).unwrap();
    write("whole", "no run");
    write("set.toml", "[[series]]\nname = 'a'\nperiod = '1ms'\ncomputation = '1us'\npriority = 50\n");
    std::fs::create_dir_all(home.join("config/backwall/recipes")).unwrap();
    std::os::unix::fs::symlink(home.join("file.toml"), home.join("config/backwall/recipes/own.toml")).unwrap();
}
