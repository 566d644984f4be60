// SPDX-License-Identifier: MIT OR Apache-2.0
//! Effect of boot parameters on a Linux guest's answers: without and with them, and the difference by function.
use super::answer::Which;
use super::entered_answer::{BadEntry, Explained, Subject};
use crate::bench::{BenchFault, Settings};
use crate::emulator::Emulator;
use crate::scenario::Scenario;
use backwall_capture::trail::tuned::{Answers, Tuned};
use backwall_os::parallel;

/// The parameters to try by default. Parameters that isolate CPUs are missing, because they need a second CPU, which the lab
/// lacks.
pub const USUAL: [&str; 20] = [
    "threadirqs",
    "preempt=none",
    "preempt=voluntary",
    "preempt=full",
    "mitigations=off",
    "nopti",
    "randomize_kstack_offset=off",
    "rcu_nocbs=0",
    "rcupdate.rcu_expedited=1",
    "nohz=off",
    "highres=off",
    "skew_tick=1",
    "idle=poll",
    "isolcpus=0 nohz_full=0",
    "psi=0",
    "noautogroup",
    "audit=0",
    "nowatchdog",
    "transparent_hugepage=never",
    "sysctl.kernel.timer_migration=0",
];

/// A parameter that the kernel ignores. The difference that it makes comes only from the longer command line, which
/// shifts the timing of answers.
const NO_WORD: &str = "backwall.nothing";

pub struct GuestWithAnswers {
    pub guest: String,
    pub median: Explained,
    worst: u64,
}

pub struct Trials {
    pub without: GuestWithAnswers,
    pub with: Vec<Tuned>,
    pub untried: Vec<(String, BadEntry)>,
}

impl GuestWithAnswers {
    pub fn answers(&self) -> Answers {
        Answers { median: self.median.entered.answer.latency(), worst: self.worst }
    }

    fn of(scenario: &Scenario, line: Option<&str>, emulator: &Emulator, settings: &Settings) -> Result<Self, BadEntry> {
        let subject = Subject::of_scenario(scenario.clone(), emulator, settings)?;
        let median = subject.explain(subject.find(line, Which::Median)?, emulator, settings)?;
        let worst = subject.find(line, Which::Worst(1))?.latency();
        Ok(Self { guest: median.entered.guest.clone(), median, worst })
    }
}

/// The scenario with each of these parameters, and first with one that no kernel knows.
///
/// # Errors
/// One sentence if a parameter is not valid on the kernel command line.
pub fn scenarios(scenario: &Scenario, asked: &[&str]) -> Result<Vec<(String, Scenario)>, String> {
    let one = |words: &&str| {
        if words.trim().is_empty() {
            return Err("boot: \"\": expected a boot parameter".to_string());
        }
        let boot = [scenario.boot.as_str(), words].join(" ").trim().to_string();
        let with = Scenario { boot, ..scenario.clone() };
        with.fault_of_boot().map_or(Ok((words.to_string(), with)), Err)
    };
    std::iter::once(&NO_WORD).chain(asked).map(one).collect()
}

/// Runs the guest without and with each parameter, several at a time, and divides each difference by function. If a guest does
/// not reach its answers with some parameter, the other results are kept.
///
/// # Errors
/// If the guest does not reach its answers without any parameter, or the user stops it.
pub fn tried(
    scenario: &Scenario,
    with: &[(String, Scenario)],
    line: Option<&str>,
    jobs: usize,
    (emulator, settings): (&Emulator, &Settings),
) -> Result<Trials, BadEntry> {
    let one = |scenario: &Scenario| GuestWithAnswers::of(scenario, line, emulator, settings);
    let all: Vec<&Scenario> = std::iter::once(scenario).chain(with.iter().map(|(_, scenario)| scenario)).collect();
    let mut results = parallel::map(&all, jobs, |scenario| one(scenario)).into_iter();
    let without = results.next().unwrap_or_else(|| one(scenario))?;
    let (mut came, mut untried) = (Vec::new(), Vec::new());
    for ((words, _), result) in with.iter().zip(results) {
        match result {
            Ok(with) => came.push(Tuned::of(words, with.answers(), [&without.median.visits, &with.median.visits])),
            Err(fault @ BadEntry::Bench(BenchFault::Interrupted)) => return Err(fault),
            Err(fault) => untried.push((words.clone(), fault)),
        }
    }
    Ok(Trials { without, with: came, untried })
}
