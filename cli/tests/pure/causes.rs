// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of causes is complete: its rows are those of the document, and name code and a test that are there.
use crate::documents::Tree;
use backwall_model::Cause;
use backwall_report::trace::cause::{CAUSES, CauseRow};

// The table of causes; `BLESS=1` writes it anew.
#[test]
fn the_document_of_causes_has_the_rows_of_the_table() {
    const HEAD: &str = "| cause | in run.json | when |\n|---|---|---|\n";
    let tree = Tree::read();
    let text = tree.text("docs/reference/causes.md");
    let row = |row: &CauseRow| {
        let name = serde_json::to_value(row.cause).unwrap();
        let name = name.as_str().unwrap();
        format!("| {} | `{name}` | {} |\n", name.replace('-', " "), row.when)
    };
    let rows: String = CAUSES.iter().map(row).collect();
    let (before, behind) = text.split_once(HEAD).unwrap();
    let after = &behind[behind.find("\n\n").unwrap() + 1..];
    let written = format!("{before}{HEAD}{rows}{after}");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reference/causes.md"), &written).unwrap();
    }
    assert!(text == written, "docs/reference/causes.md has other rows than crates/report/src/trace/cause/table.rs");
}

fn function<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let begins = &text[text.find(&format!("fn {name}("))?..];
    Some(&begins[..begins.find("\n}\n").or(begins.find("\n    }\n")).unwrap_or(begins.len())])
}

#[test]
fn each_cause_is_decided_and_tested_where_its_row_says() {
    let tree = Tree::read();
    for CauseRow { cause, decided_in, known_answer, .. } in &CAUSES {
        let (file, name) = *decided_in;
        let text = tree.text(&format!("crates/trace/src/{file}"));
        let is_there = function(&text, name).is_some() && text.contains(&format!("Cause::{cause:?}"));
        assert!(is_there, "{cause:?} is not decided in {file}, {name}()");
        let (file, name) = *known_answer;
        let test = function(&tree.text(file), name).map(str::to_string);
        let knows = |text: String| text.contains(&format!("Cause::{cause:?}")) || *cause == Cause::Others;
        assert!(test.is_some_and(knows), "{cause:?} is no known answer in {file}, {name}()");
    }
}
