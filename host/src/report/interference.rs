// SPDX-License-Identifier: MIT OR Apache-2.0
//! What computing and displaying cost together and apart, as text; the post's figures beside ours, marked as the post's.
use super::table::{Align, Table};
use crate::interfere::published::{CE_COMPUTE_S, published};
use crate::interfere::ratio::{CONFIDENCE, Round, ratio};
use crate::interfere::rounds::Measured;
use crate::stats::median::median;
use crate::units::{Shown, Unit, grouped};

/// The table and what to read from it.
pub fn text(all: &[Measured], skipped: &[String]) -> String {
    let mut table = Table::new(&[
        ("output", Align::Left),
        ("rounds", Align::Right),
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
    let primes = all.first().map_or(0, |measured| measured.primes);
    let what = format!(
        "{} primes, medians of the rounds; limits at {:.0} % of the median ratio; program and readers: processor time of both\n",
        grouped(primes),
        CONFIDENCE * 100.0
    );
    let post = format!(
        "The post's are of a 266 MHz machine in 2002: compute {CE_COMPUTE_S:.0} s, display below 2 s; it gives no limits.\n"
    );
    let skipped: String = skipped.iter().map(|reason| format!("not measured: {reason}\n")).collect();
    what + &table.text() + &post + &verdict(all) + &skipped
}

fn row(measured: &Measured) -> Vec<String> {
    let time = |of: fn(&Round) -> u64| of_median(&measured.rounds, of);
    let ratio = ratio(&measured.rounds);
    let rounds = measured.rounds.len().max(1) as u64;
    let limits = ratio.and_then(|ratio| ratio.limits);
    let post = published(measured.outlet).map(|post| match post.ce_display_below_s {
        Some(display) => {
            format!("{:.0} s, ratio above {:.2}", post.ce_both_s, post.ce_both_s / (CE_COMPUTE_S + display))
        }
        None => format!("{:.0} s", post.ce_both_s),
    });
    vec![
        measured.outlet.name().to_string(),
        grouped(measured.rounds.len() as u64),
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

/// Only of a form whose limits lie wholly on one side of one anything is said; the others are named as undecided.
fn verdict(all: &[Measured]) -> String {
    let side = |wanted: Side| {
        let of = all.iter().filter(|measured| side_of(measured) == wanted);
        of.map(|measured| measured.outlet.name()).collect::<Vec<_>>().join(", ")
    };
    let told = [
        (Side::More, "The whole costs more than the sum of its parts"),
        (Side::Less, "The whole costs less than the sum of its parts"),
        (Side::Undecided, "Cannot tell, the limits hold 1"),
        (Side::TooFew, "Cannot tell, fewer than six rounds"),
    ];
    let told = told.map(|(wanted, words)| (words, side(wanted)));
    told.iter().filter(|(_, names)| !names.is_empty()).map(|(words, names)| format!("{words}: {names}.\n")).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    More,
    Less,
    Undecided,
    TooFew,
}

fn side_of(measured: &Measured) -> Side {
    match ratio(&measured.rounds).and_then(|ratio| ratio.limits) {
        None => Side::TooFew,
        Some((low, _)) if low > 1.0 => Side::More,
        Some((_, high)) if high < 1.0 => Side::Less,
        Some(_) => Side::Undecided,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interfere::outlet::Outlet;
    use crate::interfere::rounds::Split;

    fn measured(outlet: Outlet, both: &[u64]) -> Measured {
        let round = |both_ns: &u64| Round { compute_ns: 60, display_ns: 40, both_ns: *both_ns };
        let rounds = both.iter().map(round).collect();
        Measured { outlet, rounds, split: Split::default(), primes: 25, bytes: 0 }
    }

    #[test]
    fn only_decided_forms_are_named_and_the_others_are_said_to_be_undecided() {
        let all = [
            measured(Outlet::File, &[90, 91, 92, 93, 94, 95]),
            measured(Outlet::Pipe, &[90, 91, 100, 103, 104, 105]),
            measured(Outlet::Telnet, &[110, 111, 112, 113, 114, 115, 116]),
            measured(Outlet::Count, &[110, 111]),
        ];
        assert_eq!(
            verdict(&all),
            "The whole costs more than the sum of its parts: pseudo-terminal over loopback.\n\
             The whole costs less than the sum of its parts: file.\n\
             Cannot tell, the limits hold 1: pipe.\nCannot tell, fewer than six rounds: only the final count.\n"
        );
        let text = text(&all, &[]);
        assert!(
            text.lines().any(|row| row.starts_with("pseudo-terminal over loopback") && row.contains("  7  ")),
            "{text}"
        );
    }
}
