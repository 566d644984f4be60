// SPDX-License-Identifier: MIT OR Apache-2.0
//! Times several variants in turn: each once per round, in a new random order per round.
use backwall_model::picture::Form;
use backwall_stats::random::SplitMix;
use std::io::Result;

pub struct Turns<'a> {
    pub rounds: usize,
    pub seed: u64,
    /// Called before each variant. If it returns true, the unfinished round is discarded.
    pub stop: &'a dyn Fn() -> bool,
}

impl Turns<'_> {
    /// Times the variants with these names. `time` gets the index of a variant and returns nanoseconds.
    pub fn take(&self, names: &[&str], mut time: impl FnMut(usize) -> Result<u64>) -> Result<Vec<Form>> {
        let mut forms: Vec<Form> =
            names.iter().map(|name| Form { name: name.to_string(), times: Vec::new() }).collect();
        let mut random = SplitMix(self.seed);
        for _ in 0..self.rounds {
            let mut round = vec![0; names.len()];
            for form in order(names.len(), &mut random) {
                if (self.stop)() {
                    return Ok(forms);
                }
                round[form] = time(form)?;
            }
            forms.iter_mut().zip(round).for_each(|(form, ns)| form.times.push(ns));
        }
        Ok(forms)
    }
}

fn order(count: usize, random: &mut SplitMix) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    (1..count).rev().for_each(|last| order.swap(last, random.below(last as u64 + 1) as usize));
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn each_form_is_timed_once_a_round_and_none_is_always_first() {
        let mut seen = Vec::new();
        let turns = Turns { rounds: 40, seed: 7, stop: &|| false };
        let forms = turns
            .take(&["a", "b", "c"], |form| {
                seen.push(form);
                Ok(form as u64 + 1)
            })
            .unwrap();
        for (form, ns) in forms.iter().zip(1..) {
            assert_eq!(form.times, vec![ns; 40]);
        }
        for round in seen.chunks(3) {
            let mut round = round.to_vec();
            round.sort_unstable();
            assert_eq!(round, [0, 1, 2]);
        }
        let first = |form| seen.chunks(3).filter(|round| round[0] == form).count();
        assert!((0..3).all(|form| (4..30).contains(&first(form))), "{seen:?}");
    }

    #[test]
    fn a_round_that_is_cut_is_in_no_figure() {
        let asked = Cell::new(0);
        let stop = || asked.replace(asked.get() + 1) == 5;
        let forms = Turns { rounds: 9, seed: 1, stop: &stop }.take(&["a", "b", "c"], |_| Ok(1)).unwrap();
        assert!(forms.iter().all(|form| form.times.len() == 1));
    }
}
