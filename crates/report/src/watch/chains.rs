// SPDX-License-Identifier: MIT OR Apache-2.0
//! The chains of a recipe: a line each in every report and in the live view.
use crate::printable::printable;
use crate::trace::chained::{ChainReport, worst_words};
use backwall_model::units::{DisplayedValue, Unit, counted, grouped};
use backwall_trace::chain::HopThreads;
use backwall_trace::chain::instance::Fate;
use backwall_trace::chain::tally::{DividedInstance, Tally};
use backwall_watch::Recipe;

/// Counts of instances up to a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InstanceCounts {
    due: u64,
    missed: u64,
    unseen: u64,
    late: u64,
}

impl InstanceCounts {
    pub fn of(tally: &Tally) -> Self {
        let unseen = tally.count(Fate::Unseen);
        Self { due: tally.due(), missed: tally.missed_count(), unseen, late: tally.late }
    }

    fn since(self, before: Self) -> Self {
        Self {
            due: self.due.saturating_sub(before.due),
            missed: self.missed.saturating_sub(before.missed),
            unseen: self.unseen.saturating_sub(before.unseen),
            late: self.late.saturating_sub(before.late),
        }
    }
}

/// A thread of the chain that has not run yet; `None` if all have.
pub fn absent(recipe: &Recipe, chain: &ChainReport<'_>) -> Option<String> {
    let HopThreads { wanted, .. } = chain.facts.fitting.iter().find(|hop| hop.threads.is_empty())?;
    Some(format!(
        "{}: chain {}: no thread '{}' has run so far, so the chain is not measured",
        printable(&recipe.name),
        printable(&chain.spec.name),
        printable(&wanted.to_string())
    ))
}

/// The instances since the previous report, and the slowest of them.
pub fn line(at: &str, recipe: &Recipe, chain: &ChainReport<'_>, before: InstanceCounts) -> String {
    let new = InstanceCounts::of(chain.tally).since(before);
    let said = said(new, chain, chain.tally.recent.as_ref());
    format!("{at} {}: chain {}: {said}", printable(&recipe.name), printable(&chain.spec.name))
}

pub fn so_far(recipe: &Recipe, chain: &ChainReport<'_>) -> String {
    absent(recipe, chain).unwrap_or_else(|| {
        let said = said(InstanceCounts::of(chain.tally), chain, chain.tally.worst().next());
        format!("chain {}: {said}", printable(&chain.spec.name))
    })
}

fn said(new: InstanceCounts, chain: &ChainReport<'_>, worst: Option<&DividedInstance>) -> String {
    if new.due == 0 {
        return format!("its start '{}' did not occur", printable(&chain.spec.start.to_string()));
    }
    let mut counts = vec![counted(new.due, "instance", "instances")];
    if let Some(deadline_ns) = chain.spec.deadline_ns {
        counts.push(format!("{} later than {}", grouped(new.late), DisplayedValue(deadline_ns, Unit::Ns)));
    }
    counts.extend((new.missed > 0).then(|| format!("{} missed", grouped(new.missed))));
    counts.extend((new.unseen > 0).then(|| format!("{} unseen", grouped(new.unseen))));
    let worst = worst.map(|worst| format!("; {}", printable(&worst_words(worst, chain))));
    counts.join(", ") + &worst.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_trace::chain::instance::{How, Instance, Origin, Visit};
    use backwall_trace::chain::{HopFacts, Part, Spec, Step};
    use backwall_watch::shipped;

    fn instance(number: u64, visits: Vec<Visit>) -> Instance {
        Instance { number, start_ns: 0, origin: Origin::default(), visits }
    }

    #[test]
    fn a_report_has_what_is_new_and_its_slowest_instance() {
        let spec = Spec::parse("wake jackd > jackd").unwrap().named("driver");
        let mut tally = Tally::new(&spec);
        let visit = Visit { thread: 7, how: How::Woken, arrived_ns: 0, taken_ns: 0, handed_ns: 812_000 };
        let part =
            Part { hop: 1, step: Step::Own, cause: None, culprit: None, from_ns: 0, to_ns: 812_000, cpu: Some(0) };
        tally.done(instance(0, vec![visit]), Some(vec![part]));
        tally.missed(&instance(1, Vec::new()), Fate::Merged);
        let recipe = shipped().into_iter().find(|recipe| recipe.name == "jack").unwrap();
        let report = |tally: &Tally, before| {
            let chain = ChainReport { spec: &spec, tally, facts: HopFacts::default(), begin_ns: 0, unit: Unit::Ns };
            line("18:04:00Z", &recipe, &chain, before)
        };
        let first = report(&tally, InstanceCounts::default());
        let begins = "18:04:00Z jack: chain driver: 2 instances, 1 missed; worst 812.0 us, mostly at jackd: ";
        assert!(first.starts_with(begins), "{first}");
        let chain = ChainReport { spec: &spec, tally: &tally, facts: HopFacts::default(), begin_ns: 0, unit: Unit::Ns };
        assert_eq!(so_far(&recipe, &chain), first.replace("18:04:00Z jack: ", ""));
        let before = InstanceCounts::of(&tally);
        tally.was_told();
        assert_eq!(report(&tally, before), "18:04:00Z jack: chain driver: its start 'wake jackd' did not occur");
        tally.missed(&instance(2, Vec::new()), Fate::Unseen);
        assert_eq!(report(&tally, before), "18:04:00Z jack: chain driver: 1 instance, 1 unseen");
    }
}
