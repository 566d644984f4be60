// SPDX-License-Identifier: MIT OR Apache-2.0
//! The access pattern of a browser: twelve threads fetch images over loopback HTTP, decode them and draw them. The page is always
//! the same.
mod frame;
mod images;
mod page;
mod server;

use super::compute_display::whole_beside_parts;
use super::published;
use super::ratio::ratio;
use super::turns::Turns;
use backwall_model::picture::{Case, Form};
use images::{HEIGHT, WIDTH, drawing, noise};
use page::{Page, Parts};
use std::io::Result;

pub const NAME: &str = "browser";
pub const THREADS: usize = 12;
const KINDS: [&str; 2] = ["compressible", "incompressible"];
const PARTS: [Parts; 3] = [Parts::FetchDecode, Parts::Draw, Parts::All];
pub const WINDOW: [&str; 2] = ["not drawn", "drawn"];

pub fn measure(count: usize, turns: &Turns<'_>) -> Result<Vec<Case>> {
    let pages = [
        Page::of((0..count).map(drawing).collect())?,
        Page::of((0..count).map(|number| noise(number, turns.seed)).collect())?,
    ];
    let times = turns.take(&[""; 6], |form| pages[form / 3].load(PARTS[form % 3]))?;
    let times: Vec<Vec<u64>> = times.into_iter().map(|form| form.times).collect();
    let mut cases: Vec<Case> = (0..2).map(|kind| of_kind(kind, &pages[kind], &times[kind * 3..], count)).collect();
    let conditions = format!("{count} images of each kind, all parts");
    cases.push(beside(
        "images",
        KINDS,
        [&times[2], &times[5]],
        "incompressible images beside compressible",
        &conditions,
    ));
    let sum =
        |one: usize, other: usize| -> Vec<u64> { times[one].iter().zip(&times[other]).map(|(a, b)| a + b).collect() };
    cases.push(beside("window", WINDOW, [&sum(0, 3), &sum(2, 5)], "drawn beside not drawn", "both kinds together"));
    Ok(cases)
}

fn of_kind(kind: usize, page: &Page, times: &[Vec<u64>], count: usize) -> Case {
    let forms = super::compute_display::FORMS.iter().zip(times);
    let forms = forms.map(|(name, times)| Form { name: name.to_string(), times: times.clone() });
    whole_beside_parts(Case {
        experiment: NAME.into(),
        name: KINDS[kind].into(),
        title: format!("{} images", KINDS[kind]),
        conditions: format!(
            "{count} images of {WIDTH} by {HEIGHT}, {THREADS} threads, each with one connection; compute fetches and decodes \
             the images, display draws them into memory under one lock"
        ),
        bytes: Some(page.bytes()),
        processor: page.used(),
        published: published::browser(),
        forms: forms.collect(),
        ..Case::default()
    })
}

fn beside(name: &str, forms: [&str; 2], times: [&[u64]; 2], compared: &str, conditions: &str) -> Case {
    let (above, below) = (vec![forms[1].to_string()], vec![forms[0].to_string()]);
    let forms: Vec<Form> =
        forms.iter().zip(times).map(|(name, times)| Form { name: name.to_string(), times: times.to_vec() }).collect();
    Case {
        experiment: NAME.into(),
        name: name.into(),
        title: "whole page".into(),
        compared: compared.into(),
        conditions: conditions.into(),
        ratio: ratio(&forms, &above, &below),
        published: published::no_difference(),
        forms,
        above,
        below,
        ..Case::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_comparison_is_of_the_rounds_of_the_same_loads() {
        let turns = Turns { rounds: 2, seed: 3, stop: &|| false };
        let cases = measure(5, &turns).unwrap();
        let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(names, ["compressible", "incompressible", "images", "window"]);
        assert!(cases.iter().all(|case| case.rounds() == 2 && case.ratio.is_some()));
        let both = |case: &Case| case.forms[2].times.clone();
        assert_eq!(cases[2].forms[0].times, both(&cases[0]));
        assert_eq!(cases[2].forms[1].times, both(&cases[1]));
        assert_eq!(cases[3].forms[1].times[1], both(&cases[0])[1] + both(&cases[1])[1]);
        assert!(cases[1].bytes > cases[0].bytes.map(|bytes| bytes * 20));
    }
}
