// SPDX-License-Identifier: MIT OR Apache-2.0
//! The causes of all late responses together, the one that made the most of them late first.
use super::advice::advice;
use super::lates::Late;
use crate::trace::blame_line::phrase_by_name;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A cause over all late responses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ranked {
    /// Who or what; threads of one name are one.
    pub what: String,
    /// Late responses in which it was the largest.
    pub largest_in: u64,
    /// Late responses in which it had any part.
    pub part_of: u64,
    /// Its time in all of them.
    pub ns: u64,
    /// The longest in one of them.
    pub longest_ns: u64,
    /// What to change.
    pub advice: &'static str,
}

/// Every cause; `ns` of all together is the time of all these responses.
pub fn ranking(lates: &[Late]) -> Vec<Ranked> {
    let mut by_name: BTreeMap<String, Ranked> = BTreeMap::new();
    for late in lates {
        let mut of_one: BTreeMap<String, u64> = BTreeMap::new();
        // The shares of one response come largest first.
        for (place, share) in late.blame.shares.iter().enumerate() {
            let what = phrase_by_name(share);
            let new = || Ranked {
                what: what.clone(),
                largest_in: 0,
                part_of: 0,
                ns: 0,
                longest_ns: 0,
                advice: advice(share.cause, share.culprit),
            };
            let ranked = by_name.entry(what.clone()).or_insert_with(new);
            ranked.largest_in += u64::from(place == 0);
            ranked.ns += share.ns;
            *of_one.entry(what).or_insert(0) += share.ns;
        }
        for (what, ns) in of_one {
            if let Some(ranked) = by_name.get_mut(&what) {
                ranked.part_of += 1;
                ranked.longest_ns = ranked.longest_ns.max(ns);
            }
        }
    }
    let mut ranked: Vec<Ranked> = by_name.into_values().collect();
    ranked.sort_by_key(|ranked| (Reverse(ranked.largest_in), Reverse(ranked.ns)));
    ranked
}
