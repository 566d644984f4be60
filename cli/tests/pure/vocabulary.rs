// SPDX-License-Identifier: MIT OR Apache-2.0
//! The vocabulary's column "use in code": what stands there between back quotes is a name that the code has.
use crate::documents::Tree;
use std::collections::BTreeSet;

const VOCABULARY: &str = "docs/vocabulary.md";
const PARTS: [&str; 7] = ["crates/", "cli/src/", "kernel/", "lab/", "pico/", "probe/", "wire/"];
const SOURCES: [&str; 4] = [".rs", ".c", ".h", ".S"];

/// The names in a source, without those that stand in comments and strings alone.
fn names(text: &str) -> impl Iterator<Item = String> {
    let mut code = String::new();
    let text = text.replace("'\"'", "").replace("\\\\", "").replace("\\\"", "");
    for row in text.lines() {
        let row = row.split("//").next().unwrap_or_default();
        code.extend(row.split('"').step_by(2).flat_map(|piece| [piece, " "]));
        code.push('\n');
    }
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let words: Vec<String> = code.split(|letter| !is_part(letter)).map(String::from).collect();
    words.into_iter()
}

/// The spellings of the table's last column, with the term they belong to.
fn spellings(text: &str) -> Vec<(&str, &str)> {
    let rows = text.lines().filter(|row| row.starts_with("| **"));
    let ends = rows.filter_map(|row| {
        let row = row.trim_end_matches(['|', ' ']);
        Some((row.split_once(" | ")?.0, row.rsplit_once(" | ")?.1))
    });
    ends.flat_map(|(term, last)| last.split('`').skip(1).step_by(2).map(move |name| (term, name))).collect()
}

/// A path is there when each of its parts is; a name that begins with `_` is the end of others.
fn is_there(spelling: &str, names: &BTreeSet<String>) -> bool {
    if spelling.starts_with('_') {
        return names.iter().any(|name| name.ends_with(spelling));
    }
    spelling.split("::").all(|part| names.contains(part))
}

#[test]
fn every_spelling_of_the_vocabulary_is_a_name_in_the_code() {
    let tree = Tree::read();
    let text = tree.text(VOCABULARY);
    let is_code = |path: &&String| {
        PARTS.iter().any(|part| path.starts_with(part)) && SOURCES.iter().any(|ending| path.ends_with(ending))
    };
    let sources = tree.paths.iter().filter(is_code);
    let names: BTreeSet<String> = sources.flat_map(|path| names(&tree.text(path)).collect::<Vec<_>>()).collect();
    let all = spellings(&text);
    let missing: Vec<_> = all.iter().filter(|(_, spelling)| !is_there(spelling, &names)).collect();
    assert!(missing.is_empty(), "no code has these names: {missing:#?}");
    assert!(all.len() > 100, "{all:?}");
}

#[test]
fn a_name_in_a_comment_or_a_string_is_none_and_a_path_needs_all_its_parts() {
    let text = "let real_ns = \"in_a_string\"; // in_a_comment\nenum Cause { Late('\"', \"a \\\" in_a_string\") }\n";
    let names: BTreeSet<String> = names(text).collect();
    for (spelling, there) in [
        ("real_ns", true),
        ("_ns", true),
        ("Cause::Late", true),
        ("Cause::Gone", false),
        ("in_a_string", false),
        ("in_a_comment", false),
        ("_hz", false),
    ] {
        assert_eq!(is_there(spelling, &names), there, "{spelling}: {names:?}");
    }
    let row = "| **a** | what | `not this` | `one`, *prose*, `Two::Three` |\n| head | `no` |\n";
    assert_eq!(spellings(row), [("| **a**", "one"), ("| **a**", "Two::Three")]);
}

/// A cause whose name in run.json nobody explains would be read by nobody.
#[test]
fn every_cause_that_a_run_may_name_has_its_row_in_the_document_of_tracing() {
    let text = Tree::read().text("docs/tracing.md");
    let rows: Vec<&str> = text.lines().filter(|row| row.starts_with("| ") && row.contains("` | ")).collect();
    for cause in backwall_model::Cause::ALL {
        let name = serde_json::to_value(cause).unwrap();
        let cell = format!("`{}`", name.as_str().unwrap());
        assert!(rows.iter().any(|row| row.split(" | ").nth(1).is_some_and(|named| named.contains(&cell))), "{cell}");
    }
}
