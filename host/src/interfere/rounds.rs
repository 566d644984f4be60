// SPDX-License-Identifier: MIT OR Apache-2.0
//! Measures computing alone, displaying alone and both, in an order that changes from round to round.
use super::outlet::{Outlet, processor_ns};
use super::ratio::Round;
use super::sieve::sieve;
use crate::stats::random::SplitMix;
use serde::Serialize;
use std::io::{Result, sink};
use std::time::Instant;

/// Processor time of the program and of who reads its messages, while both went on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Split {
    /// The program's own thread, its writing included.
    pub program_ns: u64,
    /// Those who read.
    pub readers_ns: u64,
}

/// All rounds of one outlet.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    /// Where the messages went.
    pub outlet: Outlet,
    /// One after the other.
    pub rounds: Vec<Round>,
    /// Over all rounds together.
    pub split: Split,
    /// Primes that were found, the same each time.
    pub primes: u64,
    /// Bytes of the messages.
    pub bytes: u64,
}

/// Measures so many rounds; `stop` ends after the present one.
pub fn measure(outlet: Outlet, limit: usize, rounds: usize, seed: u64, stop: &dyn Fn() -> bool) -> Result<Measured> {
    let mut text = Vec::new();
    let primes = sieve(limit, &mut text)?;
    let shown: &[u8] = match outlet {
        Outlet::Count => b"1\n",
        Outlet::Nothing => &[],
        _ => &text,
    };
    let mut measured =
        Measured { outlet, rounds: Vec::new(), split: Split::default(), primes, bytes: shown.len() as u64 };
    let mut random = SplitMix(seed);
    for _ in 0..rounds {
        let mut round = Round::default();
        let first = random.below(3);
        for turn in 0..3 {
            match (first + turn) % 3 {
                0 => round.compute_ns = compute(limit)?,
                1 => round.display_ns = display(outlet, shown)?,
                _ => round.both_ns = both(outlet, limit, &mut measured.split)?,
            }
        }
        measured.rounds.push(round);
        if stop() {
            break;
        }
    }
    Ok(measured)
}

fn compute(limit: usize) -> Result<u64> {
    let begun = Instant::now();
    sieve(limit, &mut sink())?;
    Ok(begun.elapsed().as_nanos() as u64)
}

/// The whole text in one go, until it was read.
fn display(outlet: Outlet, text: &[u8]) -> Result<u64> {
    let mut opened = outlet.open()?;
    let begun = Instant::now();
    opened.writer().write_all(text)?;
    opened.writer().flush()?;
    opened.finish();
    Ok(begun.elapsed().as_nanos() as u64)
}

fn both(outlet: Outlet, limit: usize, split: &mut Split) -> Result<u64> {
    let mut opened = outlet.open()?;
    let (begun, before) = (Instant::now(), processor_ns());
    match outlet {
        Outlet::Count | Outlet::Nothing => {
            let primes = sieve(limit, &mut sink())?;
            if outlet == Outlet::Count {
                writeln!(opened.writer(), "{primes}")?;
            }
        }
        _ => {
            sieve(limit, opened.writer())?;
        }
    }
    split.program_ns += processor_ns() - before;
    split.readers_ns += opened.finish();
    Ok(begun.elapsed().as_nanos() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_round_measures_all_three_and_the_primes_are_right() {
        let measured = measure(Outlet::Pipe, 100_000, 3, 7, &|| false).unwrap();
        assert_eq!((measured.rounds.len(), measured.primes, measured.bytes), (3, 9_592, 4 * 25));
        assert!(measured.rounds.iter().all(|round| round.compute_ns > 0 && round.display_ns > 0 && round.both_ns > 0));
        assert!(measured.split.program_ns > 0 && measured.split.readers_ns > 0);
        assert_eq!(measure(Outlet::Nothing, 1_000, 9, 7, &|| true).unwrap().rounds.len(), 1);
    }
}
