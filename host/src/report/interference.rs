// SPDX-License-Identifier: MIT OR Apache-2.0
//! What computing and displaying cost together and apart, as text; the post's figures beside ours, marked as the post's.
use super::table::{Align, Table};
use crate::interfere::published::published;
use crate::interfere::ratio::{CONFIDENCE, Round, ratio};
use crate::interfere::rounds::Measured;
use crate::stats::median::median;
use crate::units::{Shown, Unit, grouped};

/// The table and what to read from it.
pub fn text(all: &[Measured], skipped: &[String]) -> String {
    let mut table = Table::new(&[
        ("output", Align::Left),
        ("compute", Align::Right),
        ("display", Align::Right),
        ("both", Align::Right),
        ("whole / parts", Align::Right),
        ("limits", Align::Right),
        ("program", Align::Right),
        ("readers", Align::Right),
        ("the post (CE .NET)", Align::Right),
    ]);
    all.iter().for_each(|measured| table.row(row(measured)));
    let first = &all[0];
    let what = format!(
        "{} primes, medians of {} rounds; limits at {:.0} % of the median ratio; program and readers: processor time of both\n",
        grouped(first.primes),
        first.rounds.len(),
        CONFIDENCE * 100.0
    );
    let post = "The post's are of a 266 MHz machine in 2002: compute 9 s, display below 2 s; it gives no limits.\n";
    let skipped: String = skipped.iter().map(|reason| format!("not measured: {reason}\n")).collect();
    what + &table.text() + post + &verdict(all) + &skipped
}

fn row(measured: &Measured) -> Vec<String> {
    let time = |of: fn(&Round) -> u64| of_median(&measured.rounds, of);
    let ratio = ratio(&measured.rounds);
    let rounds = measured.rounds.len().max(1) as u64;
    let limits = ratio.and_then(|ratio| ratio.limits);
    let post = published(measured.outlet).map(|post| match post.ce_display_below_s {
        Some(display) => format!("{:.0} s, ratio above {:.2}", post.ce_both_s, post.ce_both_s / (9.0 + display)),
        None => format!("{:.0} s", post.ce_both_s),
    });
    vec![
        measured.outlet.name().to_string(),
        time(|round| round.compute_ns),
        time(|round| round.display_ns),
        time(|round| round.both_ns),
        ratio.map_or("-".to_string(), |ratio| format!("{:.3}", ratio.median)),
        limits.map_or("-".to_string(), |(low, high)| format!("{low:.3} to {high:.3}")),
        shown(measured.split.program_ns / rounds),
        shown(measured.split.readers_ns / rounds),
        post.unwrap_or_else(|| "-".to_string()),
    ]
}

fn of_median(rounds: &[Round], of: fn(&Round) -> u64) -> String {
    let mut values: Vec<f64> = rounds.iter().map(|round| of(round) as f64).collect();
    values.sort_by(f64::total_cmp);
    shown(if values.is_empty() { 0 } else { median(&values) as u64 })
}

fn shown(ns: u64) -> String {
    Shown(ns, Unit::Ns).to_string()
}

/// Only what lies wholly on one side of one is said to be more or less.
fn verdict(all: &[Measured]) -> String {
    let each = all.iter().filter_map(|measured| Some((measured, ratio(&measured.rounds)?.limits?)));
    let more: Vec<&str> = each.clone().filter(|(_, (low, _))| *low > 1.0).map(|(one, _)| one.outlet.name()).collect();
    let less = each.clone().filter(|(_, (_, high))| *high < 1.0).count();
    match (more.as_slice(), each.count()) {
        (_, 0) => "Too few rounds to say whether the whole costs more than its parts: six at least.\n".to_string(),
        ([], _) if less > 0 => {
            format!("The whole costs no more than its parts; in {less} of the forms it costs less.\n")
        }
        ([], _) => "No form in which the whole is seen to cost more than its parts.\n".to_string(),
        (more, _) => format!("The whole costs more than the sum of its parts: {}.\n", more.join(", ")),
    }
}
