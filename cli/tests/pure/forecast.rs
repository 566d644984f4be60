// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall forecast`: its first screen, its refusals and its exit codes.
use backwall_model::units::Unit;
use backwall_model::{Key, Origin, Plan, Run, Series, Span};
use backwall_stats::SeriesBuilder;
use backwall_stats::random::SplitMix;
use jiff::Timestamp;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SAMPLES: u64 = 30_000;

// Independent latencies with an exponential tail, one each 100 ms, those of every `timer`-th stimulus 200 us later.
fn series(load: &str, timer: u64) -> Series {
    let mut random = SplitMix(11);
    let mut builder = SeriesBuilder::new(Key::new("wakeup", load, "as-is"), Span::new("expiry", "thread", Unit::Ns));
    for seq in 0..SAMPLES {
        let part = ((random.number() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
        let value = 20_000.0 - 4_000.0 * part.ln() + if timer > 0 && seq % timer == 0 { 200_000.0 } else { 0.0 };
        builder.sample(seq, seq * 100_000_000, value as u64, false);
    }
    builder.build()
}

fn stored(folder: &Path, series: Vec<Series>) -> PathBuf {
    let mut run = Run::begin(Origin::Simulated, Plan::default(), vec!["test".into()], Timestamp::UNIX_EPOCH);
    run.series = series;
    std::fs::write(folder.join("run.json"), serde_json::to_string(&run).unwrap()).unwrap();
    folder.to_path_buf()
}

fn forecast(run: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_backwall")).arg("forecast").arg(run).args(words).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn one_screen_says_the_answer_first_and_calls_it_no_bound() {
    let home = tempfile::tempdir().unwrap();
    let run = stored(home.path(), vec![series("none", 0)]);
    let output = forecast(&run, &[]);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.starts_with("maximum in 24 h: probably ") && said.contains("not a bound"), "{said}");
    assert!(said.lines().count() <= 18 && said.lines().all(|line| line.chars().count() <= 80), "{said}");
    let more = text(&forecast(&run, &["-v"]));
    assert!(more.starts_with(&said) && more.contains("parts of ") && more.contains("block maxima"), "{more}");
    let json: Value = serde_json::from_slice(&forecast(&run, &["--json"]).stdout).unwrap();
    let maximum = &json["series"][0]["forecast"]["maximum"];
    // The maximum of 864,000 such latencies has the median 20 us + 4 us ln(864,000 / ln 2).
    let median = 20_000.0 + 4_000.0 * (864_000.0 / 2.0_f64.ln()).ln();
    assert!(maximum["low"].as_f64().unwrap() < median && maximum["high"].as_f64().unwrap() > median, "{json}");
}

#[test]
fn a_refused_series_is_named_with_its_reason_and_exits_with_3() {
    let home = tempfile::tempdir().unwrap();
    let run = stored(home.path(), vec![series("none", 0), series("timer", 300)]);
    let output = forecast(&run, &[]);
    let said = text(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("1 of 2 series cannot be forecast"), "{said}");
    assert!(said.contains("why timer: a periodic disturbance: large samples come every 30.0"), "{said}");
    let json: Value = serde_json::from_slice(&forecast(&run, &["--json"]).stdout).unwrap();
    assert_eq!(json["series"][1]["refused"]["kind"], "periodic", "{json}");
}

#[test]
fn a_histogram_is_refused_with_what_to_keep_and_too_far_with_how_long_to_measure() {
    let home = tempfile::tempdir().unwrap();
    let run = stored(home.path(), vec![Series { worst: Vec::new(), ..series("none", 0) }]);
    let output = forecast(&run, &[]);
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output).contains("--keep-samples"), "{}", text(&output));
    let run = stored(home.path(), vec![series("none", 0)]);
    let output = forecast(&run, &["--horizon", "365d"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(
        text(&output).contains("the limit is 100") && text(&output).contains("measure 105.1 times as long"),
        "{}",
        text(&output)
    );
    let output = forecast(&run, &["--horizon", "1s"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--horizon must be longer than the run (3000 s)"));
}

#[test]
fn the_page_draws_the_forecast_against_the_length_of_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let run = stored(folder.path(), vec![series("none", 0), series("spin", 150)]);
    let report = Command::new(env!("CARGO_BIN_EXE_backwall")).arg("report").arg(&run).output().unwrap();
    assert!(report.status.success(), "{}", String::from_utf8_lossy(&report.stderr));
    let page = std::fs::read_to_string(run.join("report.html")).unwrap();
    assert_eq!(
        page.matches("id=\"forecast-picture\"").count(),
        1,
        "the periodic series has no forecast and no picture"
    );
    assert!(page.contains("not a bound") && page.contains("observed maxima of parts of this run"));
    assert!(text(&forecast(&run, &["-v"])).contains("  in 100 min: "), "twice the length");
}
