// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs of the first version drawn by this one: no figure that was shown then is missing or another now.
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::process::Command;

const RUNS: [&str; 7] = ["run", "iltiming", "bare", "detent", "saturate", "sweep", "scope"];

/// Cells that begin so are names with digits in them, which the two versions put in different places.
const NAMES: [&str; 2] = ["paper, Figure", "bare guest"];

/// A fixture's file, which is kept compressed.
fn unpacked(run: &str, name: &str) -> Option<Vec<u8>> {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/runs_v1").join(run).join(format!("{name}.gz"));
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(std::fs::File::open(place).ok()?).read_to_end(&mut bytes).unwrap();
    Some(bytes)
}

/// Every number in the tables of a page, with how often it stands there; without the commas that group its digits.
fn figures(page: &str) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for table in page.split("<table").skip(1).filter_map(|rest| rest.split("</table>").next()) {
        let cells = table.split('<').filter_map(|piece| Some(piece.split_once('>')?.1));
        let text = cells.filter(|cell| !NAMES.iter().any(|name| cell.starts_with(name))).collect::<Vec<_>>().join(" ");
        let text = without_old_cost(&text.replace("&#39;", "'").replace(',', ""));
        for word in text.split(|letter: char| !letter.is_ascii_digit() && letter != '.') {
            if word.starts_with(|letter: char| letter.is_ascii_digit()) {
                *found.entry(word.trim_end_matches('.').to_string()).or_insert(0) += 1;
            }
        }
    }
    found
}

/// The first version gave the difference of two phases as the cost of tracing, which is noise and is not shown any more.
fn without_old_cost(text: &str) -> String {
    let kept = |piece: &str| piece.split_once("against the untraced phase").map_or(piece, |(_, rest)| rest).to_string();
    let mut pieces = text.split(" median ");
    let first = pieces.next().unwrap_or_default().to_string();
    pieces.fold(first, |text, piece| format!("{text} {}", kept(piece)))
}

/// The page without its rows of a paper: the first version had them below bare guests, too, which are no system.
fn without_the_papers(page: &str) -> String {
    page.split("<tr").filter(|row| !row.contains("paper, Figure")).collect::<Vec<_>>().join("<tr")
}

/// The page that this version draws of a run of the first.
fn redrawn(run: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    for name in ["run.json", "edges.bin", "edges.vcd"] {
        if let Some(bytes) = unpacked(run, name) {
            std::fs::write(folder.path().join(name), bytes).unwrap();
        }
    }
    // The first version kept its pictures there, as markup that is no longer read.
    std::fs::write(folder.path().join("pictures.json"), "[]").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_backwall")).arg("report").arg(folder.path()).output().unwrap();
    assert!(output.status.success(), "{run}: {}", String::from_utf8_lossy(&output.stderr));
    std::fs::read_to_string(folder.path().join("report.html")).unwrap()
}

#[test]
fn the_same_runs_drawn_before_and_after_have_the_same_figures() {
    let mut compared = 0;
    for run in RUNS {
        let page = String::from_utf8(unpacked(run, "report.html").unwrap()).unwrap();
        let before = figures(&if run == "bare" { without_the_papers(&page) } else { page });
        let after = figures(&redrawn(run));
        let missing: Vec<_> =
            before.iter().filter(|(figure, count)| after.get(*figure).unwrap_or(&0) < count).collect();
        assert!(missing.is_empty(), "{run}: {missing:?}");
        compared += before.values().sum::<usize>();
    }
    println!("{compared} figures of {} runs compared", RUNS.len());
    assert!(compared > 500, "{compared} figures are too few to have been all tables");
}
