// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether the interval of a forecast contains the maximum of a longer run, and whether runs that break the method's assumptions
//! are refused.
//!
//! `benches/forecast.rs` does the same with thousands of runs; the seeds here are always the same.
#[allow(dead_code, reason = "the bench prints the table")]
mod simulated;

use simulated::{KINDS, Study, UNSEEN};

// The rules were made without these machines. A test checks that none of them changes from held or refused to misled.
#[test]
fn kinds_that_no_rule_was_made_with_are_held_or_refused() {
    for kind in &UNSEEN {
        let study = Study::of(kind, 20, 7);
        assert_ne!(study.met(13.0), Some(false), "{}", study.line());
    }
}

#[test]
fn intervals_hold_and_misfits_are_refused() {
    for kind in &KINDS {
        let study = Study::of(kind, 25, 7);
        // One of 25 runs is 4 %, and the number may by chance be off by two runs.
        assert_ne!(study.met(10.0), Some(false), "{}", study.line());
    }
}
