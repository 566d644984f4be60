// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every reader of outside data has a target: each format of a table, and each function that reads bytes, a text or a file.
use crate::targets::TARGETS;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

#[test]
fn every_format_of_every_table_has_a_target() {
    let tables = backwall_capture::capture::names()
        .chain(backwall_formats::import::ALL.iter().map(|importer| importer.name))
        .chain(backwall_tasks::read::FORMATS.iter().map(|format| format.name));
    let known: BTreeSet<&str> = TARGETS.iter().filter_map(|target| target.format).collect();
    assert_eq!(tables.collect::<BTreeSet<_>>(), known, "fuzz/targets/mod.rs has a line for each format, and none else");
}

#[test]
fn targets_have_names_of_their_own() {
    let names: BTreeSet<&str> = TARGETS.iter().map(|target| target.name.as_str()).collect();
    assert_eq!(names.len(), TARGETS.len());
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

const VERBS: [&str; 9] =
    ["read", "parse", "listen", "from_", "head", "version", "recognised", "waveform", "samplerate"];
const SOURCES: [&str; 7] = ["&[u8]", "Read", "&str", "File", "Source", "&Path", "&File"];

fn reader(signature: &str) -> Option<&str> {
    let rest = signature.trim_start();
    let rest = ["pub(crate)", "pub(super)", "pub"].iter().find_map(|begin| rest.strip_prefix(begin)).unwrap_or(rest);
    let (name, arguments) = rest.trim_start().strip_prefix("fn ")?.split_once(['(', '<'])?;
    let arguments = arguments.split("->").next()?;
    let (reads, given) =
        (VERBS.iter().any(|verb| name.starts_with(verb)), SOURCES.iter().any(|s| arguments.contains(s)));
    let methods = arguments.starts_with("&self");
    (reads && given && !methods).then_some(name)
}

// Named by file name without folder, so that files may move: `capture.rs read`.
fn readers() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    sources(&root.join("cli/src"), &mut files);
    for entry in std::fs::read_dir(root.join("crates")).unwrap().flatten() {
        if entry.path().join("src").is_dir() {
            sources(&entry.path().join("src"), &mut files);
        }
    }
    let mut found = BTreeSet::new();
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        if name != "tests.rs" {
            // Joins a signature of several lines.
            let code = code.replace("(\n        ", "(").replace("(\n    ", "(").replace(",\n    ", ", ");
            // An importer's `read` needs no row here: the table of importers makes a target for each format.
            let tabled = code.contains(": Importer = Importer {");
            let readers = code.lines().filter_map(reader).filter(|reader| !tabled || *reader != "read");
            found.extend(readers.map(|reader| format!("{name} {reader}")));
        }
    }
    found
}

// Each row of `readers.txt` has a file, a function, and a target or `-` with the reason.
#[test]
fn every_function_that_reads_outside_data_has_a_target_or_a_reason() {
    let text = include_str!("../../readers.txt");
    let rows = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let listed: BTreeMap<String, &str> = rows
        .map(|row| {
            let mut words = row.splitn(3, ' ');
            let (file, function) = (words.next().unwrap(), words.next().expect("a function"));
            (format!("{file} {function}"), words.next().expect("a target, or - and a reason"))
        })
        .collect();
    for (reader, by) in &listed {
        let reason = by.strip_prefix("- ").is_some_and(|reason| reason.len() > 10);
        assert!(
            reason || TARGETS.iter().any(|target| target.name == *by),
            "{reader}: {by:?} is no target and no reason"
        );
    }
    let (found, listed) = (readers(), listed.into_keys().collect::<BTreeSet<_>>());
    let unlisted: Vec<_> = found.difference(&listed).collect();
    assert!(unlisted.is_empty(), "no line in fuzz/readers.txt: {unlisted:#?}");
    let gone: Vec<_> = listed.difference(&found).collect();
    assert!(gone.is_empty(), "fuzz/readers.txt names what is not there: {gone:?}");
}
