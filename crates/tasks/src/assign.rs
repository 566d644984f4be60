// SPDX-License-Identifier: MIT OR Apache-2.0
//! Assigns series to CPUs so that the analysis finds every deadline met on each.
use super::fault::Fault;
use super::set::{Policy, Series, Set};
use crate::predict::answer::Verdict;
use crate::predict::prediction::{Analysed, verdict};
use crate::predict::task::{Costs, Processor};
use crate::predict::work::Effort;

/// Which of the CPUs with room gets a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Assign {
    /// The first CPU with room
    FirstFit,
    /// The CPU with the least to do
    WorstFit,
}

/// Which series are assigned to a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placing {
    /// All series, to check each CPU.
    All,
    /// Series with a fixed priority only, because the kernel itself places SCHED_DEADLINE threads.
    Priorities,
}

impl Set {
    /// The set with a CPU for every series of that kind. Series that name a CPU keep it. The heaviest series are assigned first.
    pub fn assigned(&self, how: Assign, what: Placing, costs: Costs) -> Result<Set, Fault> {
        let count = self.processor_count();
        let mut found = self.clone();
        let mut processors: Vec<Processor> = (0..count).map(|cpu| self.empty(cpu, costs)).collect();
        for series in self.series.iter().filter(|series| series.cpu.is_some()) {
            let place = series.cpu.unwrap_or(0) as usize;
            processors[place].tasks.push(self.task(series));
        }
        let is_open =
            |series: &Series| series.cpu.is_none() && (what == Placing::All || series.policy != Policy::Deadline);
        let mut open: Vec<usize> = (0..self.series.len()).filter(|place| is_open(&self.series[*place])).collect();
        open.sort_by(|one, other| load_of(&self.series[*other]).cmp(&load_of(&self.series[*one])).then(one.cmp(other)));
        let mut effort = Effort::of_set();
        for place in open {
            let cpu = self.home(&self.series[place], how, &processors, &mut effort)?;
            processors[cpu].tasks.push(self.task(&self.series[place]));
            found.series[place].cpu = Some(cpu as u32);
        }
        Ok(found)
    }

    fn home(
        &self,
        series: &Series,
        how: Assign,
        processors: &[Processor],
        effort: &mut Effort,
    ) -> Result<usize, Fault> {
        let mut candidates: Vec<usize> = (0..processors.len()).collect();
        if how == Assign::WorstFit {
            candidates.sort_by_cached_key(|cpu| (busy(&processors[*cpu]), *cpu));
        }
        let home = candidates.into_iter().find(|cpu| can_serve(&processors[*cpu], self, series, effort));
        home.ok_or_else(|| {
            let text = match effort.is_spent() {
                true => "the analysis takes too long to find a CPU for each series; set cpu in each".to_string(),
                false => format!("none of {} CPUs has room for this series next to the heavier ones", processors.len()),
            };
            Fault::of(format!("series {}: cpu", series.name), text)
        })
    }
}

fn can_serve(processor: &Processor, set: &Set, series: &Series, effort: &mut Effort) -> bool {
    if effort.is_spent() {
        return false;
    }
    let mut with = processor.clone();
    with.tasks.push(set.task(series));
    verdict(&[Analysed::within(0, with, effort)]) == Verdict::Met
}

fn share(computation_ns: u64, distance_ns: u64) -> u128 {
    (u128::from(computation_ns) << 60) / u128::from(distance_ns.max(1))
}

fn load_of(series: &Series) -> u128 {
    share(series.computation.0, series.period.or(series.mean).map_or(1, |interval| interval.0))
}

fn busy(processor: &Processor) -> u128 {
    let shares = processor.tasks.iter().map(|task| share(task.computation_ns, task.arrival.distance_ns()));
    shares.fold(0, u128::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::super::read::parse;
    use super::*;

    // Each with a period of 10 ms; the computation times are in milliseconds.
    fn set(computations: &[u32], processors: u32) -> Set {
        let series = computations.iter().enumerate().map(|(place, computation)| {
            let priority = place + 1;
            format!("[[series]]\nname = \"{place}\"\nperiod = \"10ms\"\ncomputation = \"{computation}ms\"\npriority = {priority}\n")
        });
        parse(&format!("processors = {processors}\n{}", series.collect::<String>())).unwrap()
    }

    fn cpus(computations: &[u32], processors: u32, how: Assign) -> Result<Vec<u32>, Fault> {
        let found = set(computations, processors).assigned(how, Placing::Priorities, Costs::default())?;
        Ok(found.series.iter().map(|series| series.cpu.unwrap()).collect())
    }

    #[test]
    fn first_fit_fills_one_after_the_other_and_worst_fit_spreads() {
        assert_eq!(cpus(&[4, 3, 2, 1], 2, Assign::FirstFit).unwrap(), [0, 0, 0, 0]);
        assert_eq!(cpus(&[4, 3, 2, 1], 2, Assign::WorstFit).unwrap(), [0, 1, 1, 0]);
        assert_eq!(cpus(&[6, 6, 4, 4], 2, Assign::FirstFit).unwrap(), [0, 1, 0, 1]);
    }

    #[test]
    fn what_fits_nowhere_is_refused_by_name() {
        let fault = cpus(&[6, 6, 6], 2, Assign::FirstFit).unwrap_err().to_string();
        assert_eq!(fault, "series 2: cpu: none of 2 CPUs has room for this series next to the heavier ones");
    }

    #[test]
    fn a_series_that_names_its_processor_keeps_it() {
        let mut set = set(&[6, 3], 2);
        set.series[0].cpu = Some(1);
        let found = set.assigned(Assign::FirstFit, Placing::Priorities, Costs::default()).unwrap();
        assert_eq!(found.series.iter().map(|series| series.cpu).collect::<Vec<_>>(), [Some(1), Some(0)]);
        let found = set.assigned(Assign::WorstFit, Placing::Priorities, Costs::default()).unwrap();
        assert_eq!(found.series[1].cpu, Some(0));
    }

    // Each needs 60 % of a CPU, so under EDF no two fit on one.
    #[test]
    fn series_by_deadline_are_placed_where_that_is_asked() {
        let mut set = set(&[6, 6, 4], 2);
        set.series.iter_mut().for_each(|series| (series.policy, series.priority) = (Policy::Deadline, None));
        let left = set.assigned(Assign::FirstFit, Placing::Priorities, Costs::default()).unwrap();
        assert!(left.moves() && left.series.iter().all(|series| series.cpu.is_none()));
        let placed = set.assigned(Assign::FirstFit, Placing::All, Costs::default()).unwrap();
        assert_eq!(placed.series.iter().map(|series| series.cpu).collect::<Vec<_>>(), [Some(0), Some(1), Some(0)]);
        assert!(!placed.moves());
        set.processors = Some(1);
        let fault = set.assigned(Assign::WorstFit, Placing::All, Costs::default()).unwrap_err().to_string();
        assert!(fault.contains("none of 1 CPUs has room for this series"), "{fault}");
    }
}
