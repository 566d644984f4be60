// SPDX-License-Identifier: MIT OR Apache-2.0
//! Times the sieve in three variants: it only computes, it only prints its messages, or it does both.
#![expect(clippy::disallowed_methods, reason = "reads the clock")]
use super::outlet::Outlet;
use super::processor_time::Account;
use super::published;
use super::ratio::ratio;
use super::sieve::sieve;
use super::turns::Turns;
use backwall_model::picture::Case;
use std::io::{Result, Write, sink};
use std::time::Instant;

pub const NAME: &str = "sieve";
pub const FORMS: [&str; 3] = ["compute", "display", "both"];
pub const COMPARED: &str = "the whole compared with the sum of its parts";

#[derive(Clone, Copy, Debug)]
pub struct Work {
    pub limit: usize,
    pub message_every: u64,
}

impl Work {
    fn sieve(self, out: &mut dyn Write) -> Result<u64> {
        sieve(self.limit, self.message_every, out)
    }
}

pub fn measure(outlet: Outlet, work: Work, turns: &Turns<'_>) -> Result<Case> {
    let mut text = Vec::new();
    let primes = work.sieve(&mut text)?;
    let shown: &[u8] = match outlet {
        Outlet::Count => b"1\n",
        Outlet::Nothing => &[],
        _ => &text,
    };
    let (program, readers) = (Account::default(), Account::default());
    let forms = turns.take(&FORMS, |form| match form {
        0 => compute(work),
        1 => display(outlet, shown),
        _ => both(outlet, work, &program, &readers),
    })?;
    Ok(whole_beside_parts(Case {
        experiment: NAME.into(),
        name: outlet.word().into(),
        title: outlet.name().into(),
        conditions: format!("{primes} primes up to {}, a message every {} primes", work.limit, work.message_every),
        bytes: Some(shown.len() as u64),
        processor: vec![program.of("program"), readers.of("readers")],
        published: published::sieve(outlet),
        forms,
        ..Case::default()
    }))
}

pub fn whole_beside_parts(mut case: Case) -> Case {
    case.compared = COMPARED.into();
    case.above = vec![FORMS[2].into()];
    case.below = vec![FORMS[0].into(), FORMS[1].into()];
    case.ratio = ratio(&case.forms, &case.above, &case.below);
    case
}

fn compute(work: Work) -> Result<u64> {
    let begun = Instant::now();
    work.sieve(&mut sink())?;
    Ok(begun.elapsed().as_nanos() as u64)
}

fn display(outlet: Outlet, text: &[u8]) -> Result<u64> {
    let mut opened = outlet.open()?;
    let begun = Instant::now();
    opened.writer().write_all(text)?;
    opened.writer().flush()?;
    opened.finish();
    Ok(begun.elapsed().as_nanos() as u64)
}

fn both(outlet: Outlet, work: Work, program: &Account, readers: &Account) -> Result<u64> {
    let mut opened = outlet.open()?;
    let begun = Instant::now();
    program.charge(|| match outlet {
        Outlet::Count => work.sieve(&mut sink()).and_then(|primes| writeln!(opened.writer(), "{primes}")),
        Outlet::Nothing => work.sieve(&mut sink()).map(|_| ()),
        _ => work.sieve(opened.writer()).map(|_| ()),
    })?;
    readers.add(opened.finish());
    Ok(begun.elapsed().as_nanos() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_round_measures_all_three_and_the_primes_are_right() {
        let turns = Turns { rounds: 3, seed: 7, stop: &|| false };
        let case = measure(Outlet::Pipe, Work { limit: 100_000, message_every: 2_000 }, &turns).unwrap();
        assert_eq!((case.rounds(), case.bytes), (3, Some(4 * 25)));
        assert!(case.conditions.starts_with("9592 primes"), "{}", case.conditions);
        assert!(case.forms.iter().all(|form| form.times.iter().all(|ns| *ns > 0)), "{case:?}");
        assert!(case.processor.iter().all(|used| used.time > 0), "{:?}", case.processor);
        assert!(case.ratio.is_some_and(|ratio| ratio.median > 0.0 && ratio.limits.is_none()));
    }
}
