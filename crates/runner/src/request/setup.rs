// SPDX-License-Identifier: MIT OR Apache-2.0
//! Settings of all phases: measure, CPUs, scheduling.
use super::RunRequest;
use crate::device::probe::Catalogue;
use crate::device::processors::{self, CpuChoice, Processors};
use crate::loads::placing::unknown;
use crate::phase::Setup;
use backwall_model::Policy;
use backwall_os::refusal::{Result, usage};

const THREADS_MAX: usize = 256;

pub(super) fn processors(asked: &RunRequest) -> Result<CpuChoice> {
    if asked.policy() == Policy::Deadline {
        return deadline(asked);
    }
    // More than one thread without a list of CPUs: use all CPUs instead of the default one.
    let several = asked.threads.is_some_and(|threads| threads != 1).then_some(Processors::All);
    let CpuChoice { cpus, because } = processors::choose(asked.cpu.as_ref().or(several.as_ref()))?;
    let count = asked.threads.filter(|threads| *threads > 0).map_or(cpus.len(), |threads| threads as usize);
    if count > THREADS_MAX {
        return Err(usage(format!("--cpu names {count} CPUs; the limit is {THREADS_MAX}")));
    }
    Ok(CpuChoice { cpus: cpus.iter().copied().cycle().take(count).collect(), because })
}

fn deadline(asked: &RunRequest) -> Result<CpuChoice> {
    let wrong = [
        ("--cpu", asked.cpu.is_some()),
        ("--threads", asked.threads.is_some_and(|threads| threads != 1)),
        ("--priority", asked.priority.is_some()),
    ];
    match wrong.iter().find(|(_, typed)| *typed) {
        Some((option, _)) => Err(usage(format!(
            "leave out {option} with --policy deadline: the kernel places the thread itself, above every priority"
        ))),
        None => Ok(CpuChoice { cpus: Vec::new(), because: None }),
    }
}

pub(super) fn setups(asked: &RunRequest, catalogue: &Catalogue, cpus: &[u32]) -> Result<Vec<Setup>> {
    check_priority(asked)?;
    let setup = |measure: String| {
        if !catalogue.measures.contains(&measure) {
            let known: Vec<&str> = catalogue.measures.iter().map(String::as_str).collect();
            return Err(unknown("--measure", &measure, &known));
        }
        let RunRequest { schedule, best_effort, .. } = *asked;
        let policy = asked.policy();
        let periodic = !catalogue.counted.contains(&measure);
        if policy == Policy::Deadline && !periodic {
            return Err(usage(format!(
                "--policy deadline needs a period, which {measure} lacks; choose another policy"
            )));
        }
        let (cpus, priority) = (cpus.to_vec(), asked.priority());
        Ok(Setup { measure, periodic, cpus, policy, priority, schedule, best_effort })
    };
    measures(asked).into_iter().map(setup).collect()
}

fn check_priority(asked: &RunRequest) -> Result<()> {
    match (asked.policy(), asked.priority) {
        (Policy::Other, Some(1..)) => Err(usage("--policy other does not take a --priority; leave out one of them")),
        (Policy::Rr, Some(0)) => Err(usage("--policy rr needs --priority 1 to 99, got 0")),
        _ => Ok(()),
    }
}

pub(super) fn measures(asked: &RunRequest) -> Vec<String> {
    if asked.measure.is_empty() { vec!["wakeup".to_string()] } else { asked.measure.clone() }
}
