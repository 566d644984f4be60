// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall report`: the page of a stored run, and one line for anything else.
use crate::sample;
use std::path::Path;
use std::process::Command;

fn report(words: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_backwall")).arg("report").args(words).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn folder_with(run: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("run.json"), run).unwrap();
    folder
}

fn shown(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_folder_or_its_file_gives_the_page_beside_the_run_or_where_it_is_wanted() {
    let folder = folder_with(&serde_json::to_string(&sample::tour()).unwrap());
    let elsewhere = folder.path().join("new/place");
    let page = folder.path().join("report.html");
    let (code, out, error) = report(&[shown(folder.path())]);
    assert_eq!((code, error.as_str()), (0, ""));
    assert!(out.starts_with("maximum ") && out.ends_with(&format!("page  {}\n", page.display())), "{out}");
    assert!(out.lines().count() < 40 && out.lines().count() > 3, "{out}");
    let whole = report(&[shown(folder.path()), "-v"]).1;
    assert!(whole.contains("verdict: ") && whole.len() > out.len(), "{whole}");
    let first = std::fs::read_to_string(&page).unwrap();
    assert!(first.contains("id=\"tail-picture\""));
    let file = folder.path().join("run.json");
    assert_eq!(report(&[shown(&file), "--output", shown(&elsewhere), "--quiet"]), (0, String::new(), String::new()));
    assert_eq!(std::fs::read_to_string(elsewhere.join("report.html")).unwrap(), first);
    assert!(backwall_store::read(&elsewhere).is_ok(), "the page leads to its run");
}

#[test]
fn a_page_of_somebody_else_is_never_written_over() {
    let folder = folder_with(&serde_json::to_string(&sample::tour()).unwrap());
    let foreign = tempfile::tempdir().unwrap();
    std::fs::write(foreign.path().join("report.html"), "mine").unwrap();
    let (code, _, error) = report(&[shown(folder.path()), "--output", shown(foreign.path())]);
    assert_eq!((code, error.lines().count()), (2, 1), "{error}");
    assert!(error.contains("it already contains report.html; name another folder"), "{error}");
    assert_eq!(std::fs::read(foreign.path().join("report.html")).unwrap(), b"mine");
}

#[test]
fn pictures_are_drawn_from_the_run_and_become_files_where_they_are_wanted() {
    let folder = folder_with(&serde_json::to_string(&sample::tour()).unwrap());
    assert_eq!(report(&[shown(folder.path()), "--png"]).0, 0);
    let page = std::fs::read_to_string(folder.path().join("report.html")).unwrap();
    for id in ["screens-single", "screens-overall", "sweep-picture", "figure-8"] {
        assert!(page.contains(&format!("id=\"{id}\"")), "{id}");
    }
    for name in ["single", "average", "montage", "overall", "sweep"] {
        let file = std::fs::read(folder.path().join(format!("{name}.png"))).unwrap();
        assert!(file.starts_with(b"\x89PNG"), "{name}");
    }
}

#[test]
fn several_runs_are_told_side_by_side_each_with_its_own_page() {
    let (tour, empty) = (sample::tour(), sample::empty());
    let first = folder_with(&serde_json::to_string(&tour).unwrap());
    let second = folder_with(&serde_json::to_string(&empty).unwrap());
    let both = first.path().join("both");
    let words = [shown(first.path()), shown(second.path()), "--output", shown(&both)];
    let (code, out, _) = report(&words);
    assert_eq!(code, 0);
    let name = first.path().file_name().unwrap().to_str().unwrap().trim_start_matches('.');
    let rows = out.lines().filter(|row| row.split(' ').next().is_some_and(|first| first.ends_with(name))).count();
    assert_eq!(rows, tour.series.len(), "{out}");
    assert!(out.contains("Runs side by side") && out.ends_with(&format!("page  {}/report.html\n", both.display())));
    let page = std::fs::read_to_string(both.join("report.html")).unwrap();
    for needle in ["2 runs side by side", "id=\"run-2\"", "href=\"1/report.html\"", "href=\"2/report.html\""] {
        assert!(page.contains(needle), "{needle}");
    }
    for number in ["1", "2"] {
        let own = both.join(number);
        assert!(own.join("report.html").exists() && backwall_store::read(&own).is_ok(), "{number}");
    }
    assert!(!first.path().join("report.html").exists(), "nothing is written beside the runs");
    let (code, out, error) = report(&words);
    assert_eq!((code, out.as_str(), error.lines().count()), (2, "", 1), "what is there is not written over: {error}");
    let other = first.path().join("json");
    let (code, out, _) = report(&[shown(first.path()), shown(second.path()), "--json", "--output", shown(&other)]);
    let runs: Vec<backwall_model::Run> = serde_json::from_str(&out).unwrap();
    assert_eq!((code, runs), (0, vec![tour, empty]));
    let (code, _, error) =
        report(&[shown(first.path()), "/no/such/run", "--output", shown(&first.path().join("none"))]);
    assert_eq!((code, error.lines().count(), first.path().join("none").exists()), (2, 1, false), "{error}");
}

fn folder_of_runs(seconds: &[u32]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (number, second) in seconds.iter().enumerate() {
        let mut run = sample::tour();
        run.started = format!("2026-01-02T03:04:{second:02}Z");
        let place = folder.path().join(format!("run-{number}"));
        std::fs::create_dir(&place).unwrap();
        std::fs::write(place.join("run.json"), serde_json::to_string(&run).unwrap()).unwrap();
    }
    folder
}

#[test]
fn a_folder_of_runs_shows_their_tails_over_each_other_and_their_trend_in_time() {
    let folder = folder_of_runs(&[30, 10, 20]);
    std::fs::create_dir(folder.path().join("no-run")).unwrap();
    let out = folder.path().join("no-run/all");
    let (code, said, error) = report(&[shown(folder.path()), "--output", shown(&out)]);
    assert_eq!(code, 0, "{said}{error}");
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    for needle in ["3 runs side by side", "id=\"overlaid-picture\"", "id=\"trend-picture\"", "run-2</b>"] {
        assert!(page.contains(needle), "{needle}");
    }
    let trend = &page[page.find("id=\"trend-picture\"").unwrap()..];
    let places: Vec<usize> =
        ["run-1</text>", "run-2</text>", "run-0</text>"].map(|name| trend.find(name).unwrap()).to_vec();
    assert!(places.is_sorted(), "the earliest stands on the left: {places:?}");
    // Two runs have tails, and no trend yet.
    let two = folder_of_runs(&[1, 2]);
    let out = two.path().join("run-0/all");
    assert_eq!(report(&[shown(two.path()), "--output", shown(&out)]).0, 0);
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("id=\"overlaid-picture\"") && !page.contains("id=\"trend-picture\""));
}

#[test]
fn a_run_that_is_not_there_is_told_with_what_to_name() {
    let folder = tempfile::tempdir().unwrap();
    let (code, _, error) = report(&["/no/such/run"]);
    assert_eq!((code, error.lines().count()), (2, 1));
    assert!(error.contains("/no/such/run: no such file or folder; name the folder of a run"), "{error}");
    let (code, _, error) = report(&[shown(folder.path())]);
    assert_eq!((code, error.lines().count()), (2, 1));
    assert!(error.contains("run.json is missing") && !error.contains("os error"), "{error}");
}

#[test]
fn what_is_no_run_gets_one_line_exit_2_and_no_page() {
    let other = serde_json::to_string(&sample::empty()).unwrap().replace("backwall/run/4", "backwall/run/9");
    for (text, said) in [
        ("", "not a run (expected JSON)"),
        ("{}", "schema"),
        ("[1]", "run.json"),
        (other.as_str(), "(schema 9); this version reads schema 4: install a newer backwall"),
        ("\u{0}\u{1}", "run.json"),
    ] {
        let folder = folder_with(text);
        let (code, out, error) = report(&[shown(folder.path())]);
        assert_eq!((code, out.as_str(), error.lines().count()), (2, "", 1), "{text:?}: {error}");
        assert!(error.contains(said), "{error}");
        assert!(!folder.path().join("report.html").exists());
    }
}

#[test]
fn links_and_pipes_in_a_stranger_s_folder_lead_nowhere_and_hang_nothing() {
    let folder = folder_with(&serde_json::to_string(&sample::tour()).unwrap());
    let victim = folder.path().join("victim");
    std::fs::write(&victim, "mine").unwrap();
    for name in ["report.html", "report.html.part"] {
        std::os::unix::fs::symlink(&victim, folder.path().join(name)).unwrap();
    }
    assert_eq!(report(&[shown(folder.path())]).0, 0);
    assert_eq!(std::fs::read(&victim).unwrap(), b"mine");
    assert!(!folder.path().join("report.html").is_symlink());
    let pipe = folder.path().join("samples.parquet");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let (code, _, line) = report(&[shown(folder.path())]);
    assert_eq!((code, line.lines().count()), (2, 1), "{line}");
    assert!(line.contains("cannot read the samples: not a regular file"), "{line}");
}

// A folder in the page's place refuses it to everybody, root as well.
#[test]
fn where_no_page_can_be_written_the_figures_are_printed_and_one_line_says_so() {
    let folder = folder_with(&serde_json::to_string(&sample::tour()).unwrap());
    let (_, figures, _) = report(&[shown(folder.path())]);
    let page = folder.path().join("report.html");
    std::fs::remove_file(&page).unwrap();
    std::fs::create_dir(&page).unwrap();
    let (code, out, line) = report(&[shown(folder.path())]);
    assert_eq!((code, line.lines().count()), (4, 1), "{line}");
    assert!(
        line.starts_with("backwall: cannot write the page: ") && line.contains("name another folder with --output"),
        "{line}"
    );
    assert!(!out.is_empty() && figures.starts_with(&out) && !out.contains("page  "), "{out}");
    // For several runs the page goes into the folder if one exists; here a file has that name.
    std::fs::write(folder.path().join("backwall-runs"), "").unwrap();
    let mut both = Command::new(env!("CARGO_BIN_EXE_backwall"));
    let both = both.args(["report", "run.json", "run.json"]).current_dir(folder.path()).output().unwrap();
    let (out, line) = (String::from_utf8_lossy(&both.stdout), String::from_utf8_lossy(&both.stderr));
    assert_eq!((both.status.code(), line.lines().count()), (Some(4), 1), "{line}");
    assert!(line.starts_with("backwall: cannot write the page: ") && out.contains("wakeup"), "{out}{line}");
}
