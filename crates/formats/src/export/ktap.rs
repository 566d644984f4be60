// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes the requirements of a run as KTAP, version 1, the output format of the kernel's tests: one test per requirement. The
//! format has no figures, so the figures of each series become diagnostic lines before the first test.
use super::cyclictest::one_line;
use super::junit::cases;
use super::junit_suite::{Case, Wrong};
use super::said;
use backwall_model::Run;
use backwall_model::units::{DisplayedValue, grouped};

pub fn ktap(run: &Run) -> String {
    let cases = cases(run);
    let mut text = format!("KTAP version 1\n1..{}\n", cases.len());
    for series in &run.series {
        let largest =
            series.max.map_or("no sample".to_string(), |max| format!("largest {}", DisplayedValue(max, series.unit)));
        let (key, done) = (plain(&series.key.to_string()), grouped(series.done));
        text += &format!("# {key}: {done} done, {largest}; {}\n", said::beside(series, run));
    }
    (1..).zip(&cases).for_each(|(number, case)| text += &line(number, case));
    text
}

fn line(number: usize, case: &Case) -> String {
    let name = plain(&case.name);
    match &case.wrong {
        None => format!("ok {number} {name}\n"),
        Some(Wrong::Failure(why)) => format!("# {}\nnot ok {number} {name}\n", plain(why)),
        Some(Wrong::Error(why)) => format!("not ok {number} {name} # ERROR {}\n", plain(why)),
    }
}

fn plain(text: &str) -> String {
    one_line(text).replace('#', "?")
}
