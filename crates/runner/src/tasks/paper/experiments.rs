// SPDX-License-Identifier: MIT OR Apache-2.0
//! The experiments of the paper on event series, each as a task set for the probe.
use backwall_model::event_series::{
    CLASS, CLASSES, CPUS, CREATION, EVENTS, MIX, ORGANISATION, RESPONSE, SERIES, SWITCH, TOGETHER,
};
use backwall_model::{IDLE_AS_IS, Key, NO_LOAD};
use backwall_stats::random::SplitMix;
use backwall_tasks::arrivals::{Release, releases};
use backwall_tasks::handed::{RELEASES_MOST, RunnableSet, Scheduling, Task, Work};
use backwall_tasks::published::{DEADLINE_NS, TABLE_3};
use backwall_tasks::set::{Organisation, Overrun, Series};
use backwall_tasks::span::Span;

/// Time between events in all experiments except the mixes: the shortest sleep that the paper's systems supported.
const PERIOD_NS: u64 = 10_000_000;
const COMPUTATION_US: u64 = 150;
/// Number of series and computation time in microseconds, for each column of Table II.
const SWITCHES: [(u64, u64); 3] = [(1, 300), (4, 150), (20, 14)];
/// Numbers of simultaneous events in Figures 2 and 3.
const TOGETHER_EVENTS: [u64; 7] = [1, 2, 4, 8, 12, 16, 20];
pub const LOAD: &str = "spin";
const PRIORITY: u32 = 50;

#[derive(Clone, Copy, Debug)]
pub struct Scale {
    pub instants: u64,
    /// Length of each mix. The paper's mixes last 10 s.
    pub mix_ns: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cpus {
    One(u32),
    Any(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    Creation(bool),
    Switch(u64, u64),
    /// Figures 2 and 3, with the number of simultaneous events.
    Together(Organisation, u64),
    Mix(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Experiment {
    pub figure: Figure,
    class: usize,
    pub cpus: Cpus,
}

pub fn all(cpu: u32, machine: usize) -> Vec<Experiment> {
    let several = (machine > 1).then_some(Cpus::Any(machine));
    let places: Vec<Cpus> = [Cpus::One(cpu)].into_iter().chain(several).collect();
    let with = |figures: Vec<Figure>| {
        let places = places.clone();
        places.into_iter().flat_map(move |cpus| {
            let figures = figures.clone();
            (0..CLASSES.len()).flat_map(move |class| {
                figures.clone().into_iter().map(move |figure| Experiment { figure, class, cpus })
            })
        })
    };
    let creation = with(vec![Figure::Creation(false), Figure::Creation(true)]);
    let switches = with(SWITCHES.map(|(series, computation_us)| Figure::Switch(series, computation_us)).to_vec());
    let organisations = [Organisation::ThreadPerEvent, Organisation::Pool];
    let together =
        organisations.into_iter().flat_map(|how| TOGETHER_EVENTS.map(|events| Figure::Together(how, events)));
    let most_urgent = |figure| Experiment { figure, class: CLASSES.len() - 1, cpus: Cpus::One(cpu) };
    let mixes = (0..TABLE_3.len()).map(Figure::Mix);
    creation.chain(switches).chain(mixes.chain(together).map(most_urgent)).collect()
}

impl Experiment {
    pub fn name(&self) -> String {
        let key = self.key();
        if key.load == NO_LOAD { key.label() } else { format!("{}, load {}", key.label(), key.load) }
    }

    pub fn load(&self) -> &'static str {
        if self.figure == Figure::Creation(true) { LOAD } else { NO_LOAD }
    }

    pub fn key(&self) -> Key {
        let class = || (CLASS, CLASSES[self.class].to_string());
        let cpus = || (CPUS, if let Cpus::Any(count) = self.cpus { count.to_string() } else { "1".into() });
        let (name, variant) = match self.figure {
            Figure::Creation(_) => (CREATION, vec![class(), cpus()]),
            Figure::Switch(series, _) => (SWITCH, vec![class(), cpus(), (SERIES, series.to_string())]),
            Figure::Together(how, events) => {
                (TOGETHER, vec![(ORGANISATION, how.name().to_string()), (EVENTS, events.to_string())])
            }
            Figure::Mix(row) => (RESPONSE, vec![(MIX, (row + 1).to_string())]),
        };
        let variant = variant.into_iter().map(|(key, value)| (key.to_string(), value)).collect();
        Key { variant, ..Key::new(name, self.load(), IDLE_AS_IS) }
    }

    pub fn length_ns(&self, scale: Scale) -> u64 {
        if let Figure::Mix(_) = self.figure { scale.mix_ns } else { scale.instants * PERIOD_NS }
    }

    /// The experiment as a task set. Computation counts CPU time, so that no figure depends on the CPU's frequency during
    /// calibration.
    pub fn set(&self, scale: Scale, seed: u64) -> RunnableSet {
        let length_ns = self.length_ns(scale);
        let organisation = match self.figure {
            Figure::Creation(_) => Organisation::ThreadPerEvent,
            Figure::Together(how, _) => how,
            Figure::Switch(..) | Figure::Mix(_) => Organisation::Pool,
        };
        RunnableSet {
            tasks: self.tasks(length_ns, seed),
            locks: Vec::new(),
            // Late jobs get this time to finish. The run ends earlier if all jobs are done.
            end_ns: length_ns + 100 * PERIOD_NS,
            overrun: Overrun::Queue,
            organisation,
            work: Work::CpuTime,
            idle_off: false,
            best_effort: false,
            generator_priority: if self.class == 0 { 0 } else { PRIORITY + 2 },
        }
    }

    fn tasks(&self, length_ns: u64, seed: u64) -> Vec<Task> {
        let alike = |count, computation_us| {
            (0..count).map(|number| self.periodic(number, computation_us, PERIOD_NS, length_ns)).collect()
        };
        match self.figure {
            Figure::Creation(_) => alike(1, COMPUTATION_US),
            Figure::Switch(series, computation_us) => alike(series, computation_us),
            Figure::Together(_, events) => alike(events, COMPUTATION_US),
            Figure::Mix(row) => self.mix(row, length_ns, seed),
        }
    }

    fn mix(&self, row: usize, length_ns: u64, seed: u64) -> Vec<Task> {
        let mix = TABLE_3[row];
        let periodic =
            (0..mix.periodic).map(|number| self.periodic(number, mix.computation_us, mix.period_us * 1_000, length_ns));
        let sporadic = (0..mix.sporadic).map(|number| {
            let series = Series { mean: Some(Span(mix.mean_ns())), ..Series::default() };
            let mut random = SplitMix(seed.wrapping_add(number << 32));
            let found = releases(&series, &mut random, length_ns, RELEASES_MOST).unwrap_or_default();
            self.task(format!("sporadic {}", number + 1), mix.computation_us, PRIORITY + 1, found)
        });
        periodic.chain(sporadic).collect()
    }

    fn periodic(&self, number: u64, computation_us: u64, period_ns: u64, length_ns: u64) -> Task {
        let at = |instant: u64| Release { nominal_ns: instant * period_ns, arrival_ns: instant * period_ns };
        let found = (0..length_ns / period_ns).map(at).collect();
        self.task(format!("series {}", number + 1), computation_us, PRIORITY, found)
    }

    fn task(&self, name: String, computation_us: u64, priority: u32, releases: Vec<Release>) -> Task {
        let scheduling = [Scheduling::Ordinary, Scheduling::Rr(priority), Scheduling::Fifo(priority)][self.class];
        let cpu = if let Cpus::One(cpu) = self.cpus { Some(cpu) } else { None };
        let (deadline_ns, computation_ns, sections) = (self.deadline_ns(), computation_us * 1_000, Vec::new());
        Task { name, computation_ns, deadline_ns, scheduling, cpu, sections, releases }
    }

    fn deadline_ns(&self) -> u64 {
        if let Figure::Mix(_) = self.figure { DEADLINE_NS } else { PERIOD_NS }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCALE: Scale = Scale { instants: 100, mix_ns: 10_000_000_000 };

    #[test]
    fn every_experiment_of_the_paper_is_there_once_with_a_key_of_its_own() {
        let all = all(0, 2);
        assert_eq!(all.len(), 2 * 3 * 2 + 2 * 3 * 3 + 9 + 14);
        let mut keys: Vec<Key> = all.iter().map(Experiment::key).collect();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), all.len());
        assert_eq!(super::all(0, 1).len(), 3 * 2 + 3 * 3 + 9 + 14, "with one processor there is no row of several");
    }

    #[test]
    fn the_mixes_have_the_papers_events() {
        for experiment in all(0, 1) {
            let set = experiment.set(SCALE, 1);
            let events: usize = set.tasks.iter().map(|task| task.releases.len()).sum();
            if let Figure::Mix(row) = experiment.figure {
                let mix = TABLE_3[row];
                // Poisson arrivals reach the number only on average, so allow four standard deviations.
                let spread = 4 * (mix.sporadic * 75).isqrt() + 4 * mix.sporadic;
                assert!((events as u64).abs_diff(mix.events) <= spread, "{}: {events}", mix.name());
                assert_eq!(set.tasks.len() as u64, mix.periodic + mix.sporadic);
            }
            assert!(set.tasks.iter().all(|task| task.cpu == Some(0)));
        }
    }

    #[test]
    fn an_ordinary_set_asks_for_no_real_time_priority() {
        for experiment in all(0, 2).into_iter().filter(|experiment| experiment.class == 0) {
            let set = experiment.set(SCALE, 1);
            assert_eq!(set.generator_priority, 0);
            assert!(set.tasks.iter().all(|task| task.scheduling == Scheduling::Ordinary));
        }
    }
}
