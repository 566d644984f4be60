// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run from a file: of this schema, of others, and edited by hand in every field.
use crate::sample;
use backwall_model::{Key, Run, Series, Span};
use backwall_report::{page, text};
use backwall_stats::SeriesBuilder;

use backwall_model::units::Unit;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const OTHERS: [&str; 2] =
    [include_str!("../../../fuzz/seeds/run_iltiming.json"), include_str!("../../../fuzz/seeds/run_lab.json")];

fn read(run: &Value) -> Result<Run, String> {
    read_text(&run.to_string())
}

fn read_text(text: &str) -> Result<Run, String> {
    backwall_model::read(text).map_err(|error| error.to_string())
}

fn written(run: &Run) -> Value {
    serde_json::to_value(run).unwrap()
}

#[test]
fn another_schema_is_refused_with_the_version_that_wrote_it() {
    let mut run = written(&sample::tour());
    run["version"] = "9.1\u{1b}[2J".into();
    for (schema, said) in [
        ("backwall/run/3", "written by backwall 9.1?[2J (schema 3); this version reads schema 4: measure again"),
        ("backwall/run/1", "(schema 1); this version reads schema 4: measure again"),
        ("backwall/run/5", "(schema 5); this version reads schema 4: install a newer backwall"),
        ("backwall/run/99", "(schema 99); this version reads schema 4: install a newer backwall"),
        ("backwall/run/0", "not a run: unknown schema"),
        ("backwall/run/+4", "not a run: unknown schema"),
        ("backwall/run/two", "not a run: unknown schema"),
        ("backwall/run/04", "not a run: unknown schema"),
        ("someone/else", "not a run: unknown schema"),
    ] {
        run["schema"] = schema.into();
        let error = read(&run).unwrap_err();
        assert!(error.contains(said), "{schema}: {error}");
    }
}

fn places(value: &Value, at: String, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(name, value)| places(value, format!("{at}/{}", name.replace('/', "~1")), found));
        }
        Value::Array(items) => items.first().into_iter().for_each(|value| places(value, format!("{at}/0"), found)),
        _ => {}
    }
    found.push(at);
}

#[test]
fn members_that_this_version_does_not_know_are_left_out() {
    let run = sample::tour();
    let mut all = Vec::new();
    places(&written(&run), String::new(), &mut all);
    let mut added = 0;
    // In these any name is a value.
    let is_map = |place: &str| ["/values", "/device", "/environment"].contains(&place);
    // The one member of these is which of several they are.
    let is_choice = |place: &str| ["/holder", "/priority", "/more"].iter().any(|end| place.ends_with(end));
    for place in all.iter().filter(|place| !is_map(place) && !is_choice(place)) {
        let mut more = written(&run);
        let Some(members) = more.pointer_mut(place).and_then(Value::as_object_mut) else { continue };
        members.insert("later".into(), json!({ "deep": [1, "two"] }));
        assert_eq!(read(&more).as_ref(), Ok(&run), "{place}");
        added += 1;
    }
    assert!(added >= 8, "{added}");
}

fn small(mut run: Run) -> Run {
    run.series.truncate(2);
    run.loads.truncate(1);
    run.stages.truncate(1);
    for series in &mut run.series {
        let mut builder = SeriesBuilder::new(series.key.clone(), Span::new("expiry", "thread", Unit::Ns));
        (0..40u64).for_each(|seq| builder.sample(seq, seq * 1_000, 5_000 + seq * seq * 97 % 1_000, seq % 9 == 0));
        builder.missed(40_000, 2);
        *series = builder.build();
    }
    run
}

const EVIL: &str = "<script>alert(1)</script>\u{1b}[2J\n";

fn hostile() -> Vec<Value> {
    vec![
        Value::Null,
        json!(true),
        json!(0),
        json!(1),
        json!(-1),
        json!(u64::MAX),
        json!(1.5),
        json!(1e308),
        json!(""),
        json!(EVIL),
        json!("18446744073709551616"),
        json!([]),
        json!([[], {}]),
        json!({}),
        json!({ "kind": EVIL, "counts": [1] }),
    ]
}

const OWN_SCRIPTS: usize = 1;

fn draws_clean(run: &Run) -> bool {
    let page = page::page(run);
    let _ = text::text(run, 80);
    page.matches("<script").count() == OWN_SCRIPTS && !page.contains('\u{1b}')
}

fn read_or_refused(text: &str) -> Option<Run> {
    read_text(text).inspect_err(|error| assert!(!error.contains('\n'), "more than one line: {error}")).ok()
}

const AT_EVERY_PLACE: usize = 4;

// Edits that were read, drawn some at a time: drawing a page costs many times what reading it does.
struct Drawing<'a> {
    whole: &'a Value,
    edited: Value,
    places: Vec<String>,
    drawn: (usize, usize),
}

impl<'a> Drawing<'a> {
    const AT_ONCE: usize = 16;

    fn of(whole: &'a Value) -> Self {
        Self { whole, edited: whole.clone(), places: Vec::new(), drawn: (0, 0) }
    }

    // Applies an edit that is valid alone; conflicting edits are tried alone.
    fn take(&mut self, place: &str, value: &Value) {
        let hides = |other: &String| other.starts_with(place) || place.starts_with(other.as_str());
        if self.places.len() == Self::AT_ONCE || self.places.iter().any(hides) {
            self.draw();
        }
        let before = self.edited.clone();
        *self.edited.pointer_mut(place).unwrap() = value.clone();
        if read(&self.edited).is_err() {
            self.edited = before;
            self.draw();
            *self.edited.pointer_mut(place).unwrap() = value.clone();
        }
        self.places.push(place.to_string());
    }

    fn draw(&mut self) {
        let run = read(&self.edited).unwrap();
        let clean = std::panic::catch_unwind(|| draws_clean(&run));
        assert_eq!(clean.ok(), Some(true), "{:?} in {}", self.places, self.edited);
        self.drawn = (self.drawn.0 + 1, self.drawn.1 + self.places.len());
        self.places.clear();
        self.edited = self.whole.clone();
    }
}

#[test]
fn every_field_edited_by_hand_is_read_or_refused_in_one_line() {
    let (mut read, mut refused, mut pages, mut drawn) = (0, 0, 0, 0);
    let others = OTHERS.map(|text| serde_json::from_str::<Value>(text).unwrap());
    for whole in [vec![written(&small(sample::tour()))], others.to_vec()].concat() {
        let mut all = Vec::new();
        places(&whole, String::new(), &mut all);
        // Values of one place hide each other: each has a page of its own.
        let mut drawings = [(); AT_EVERY_PLACE].map(|()| Drawing::of(&whole));
        for (index, place) in all.iter().filter(|place| !place.is_empty()).enumerate() {
            // Every value at some place of each kind, some of them at every place.
            let values = hostile().into_iter().cycle().skip(index * AT_EVERY_PLACE);
            for (drawing, value) in drawings.iter_mut().zip(values) {
                let mut edited = whole.clone();
                *edited.pointer_mut(place).unwrap() = value.clone();
                match read_or_refused(&edited.to_string()) {
                    Some(_) => {
                        drawing.take(place, &value);
                        read += 1;
                    }
                    None => refused += 1,
                }
            }
        }
        for mut drawing in drawings {
            drawing.draw();
            pages += drawing.drawn.0;
            drawn += drawing.drawn.1;
        }
    }
    println!("{read} read, each on one of {pages} pages, {refused} refused");
    assert!(read > 100 && refused > 300, "read {read}, refused {refused}");
    assert_eq!(drawn, read);
}

#[test]
fn a_contradiction_is_refused_with_the_name_of_its_field() {
    let run = written(&small(sample::tour()));
    for (place, value, named) in [
        ("/series/1/due", json!(7), "series[1].due"),
        ("/series/0/missed", json!(u64::MAX), "series[0].due"),
        ("/valid", json!(false), "valid"),
        ("/series/0/warmup", json!(41), "series[0].warmup"),
        ("/series/0/late", json!(99), "series[0].late"),
        ("/series/0/histogram/counts/0", json!(1_000), "series[0].histogram.counts"),
        ("/series/0/histogram/bounds/0", json!(u64::MAX), "series[0].histogram.bounds"),
        ("/series/0/histogram/bounds", json!([]), "series[0].histogram.counts"),
        ("/series/0/overflow", json!(u64::MAX), "series[0].histogram.counts"),
        ("/series/0/min", Value::Null, "series[0].min"),
        ("/series/0/max", json!(1), "series[0].jitter"),
        ("/series/0/mean", json!(1e9), "series[0].mean"),
        ("/series/0/sum", json!("12"), "series[0].sum"),
        ("/series/0/worst/0/value", json!(1), "series[0].worst[0].value"),
        ("/series/1/load", run["series"][0]["load"].clone(), ""),
        ("/seconds", json!(-1.0), "seconds"),
    ] {
        let mut edited = run.clone();
        *edited.pointer_mut(place).unwrap() = value;
        if place == "/series/1/load" {
            edited["series"][1] = run["series"][0].clone();
        }
        let error = read(&edited).expect_err(place);
        assert!(error.contains(named) && !error.contains('\n'), "{place}: {error}");
    }
    // A series without gaps doesn't write it.
    let mut edited = run;
    edited["series"][0]["unseen"] = json!(1);
    assert!(read(&edited).unwrap_err().contains("series[0].due"));
}

#[test]
fn what_is_no_file_is_refused_without_waiting_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let endless = folder.path().join("endless.json");
    std::fs::File::create(&endless).unwrap().set_len(1 << 40).unwrap();
    let refusal = |place: &std::path::Path| format!("{:#}", backwall_store::read(place).unwrap_err());
    for place in [std::path::Path::new("/dev/zero"), &pipe] {
        assert!(refusal(place).ends_with("neither the folder of a run nor its run.json"), "{}", refusal(place));
    }
    assert!(refusal(&endless).contains("longer than 64 MiB: no run"), "{}", refusal(&endless));
    assert!(refusal(&folder.path().join("none")).contains("no such file or folder"));
}

prop_compose! {
    fn measured()(
        key in sample::any::key(),
        stimuli in prop::collection::vec((0u8..10, any::<u32>(), any::<u64>()), 0..40),
        unit in prop_oneof![Just(Unit::Ns), Just(Unit::Instructions)],
    ) -> Series {
        let mut builder = SeriesBuilder::new(key, Span::new("a", "b", unit));
        for (seq, (kind, at, value)) in (0..).zip(stimuli) {
            match kind {
                0 if value % 2 == 0 => builder.missed(at.into(), value % 9),
                0 => builder.unseen(at.into(), value % 9),
                1 => builder.warmup(1),
                _ => builder.sample(seq, at.into(), value >> (value % 64), kind == 2),
            }
        }
        builder.build()
    }
}

prop_compose! {
    fn consistent()(run in sample::any::run(), series in prop::collection::vec(measured(), 0..4)) -> Run {
        let mut keys = BTreeSet::<Key>::new();
        let series = series.into_iter().filter(|one| keys.insert(one.key.clone())).collect();
        Run { series, ..run }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn what_is_written_comes_back_equal(run in consistent()) {
        let text = backwall_store::json(&run).unwrap();
        prop_assert_eq!(read_text(&text), Ok(run));
    }

    #[test]
    fn a_damaged_text_is_read_or_refused(at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>()) {
        let mut bytes = OTHERS[0].as_bytes().to_vec();
        let at = at.index(bytes.len());
        if cut { bytes.truncate(at) } else { bytes[at] = byte }
        if let Ok(text) = String::from_utf8(bytes) {
            prop_assert!(read_or_refused(&text).is_none_or(|run| draws_clean(&run)));
        }
    }
}
