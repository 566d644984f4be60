// SPDX-License-Identifier: MIT OR Apache-2.0
//! What stays the same over all phases: measure, processors, scheduling.
use super::options::Args;
use crate::exit::usage;
use crate::probe::Catalogue;
use crate::processors::{self, Chosen, Processors};
use crate::run::Policy;
use crate::session::phase::Setup;
use crate::session::placing::unknown;

/// What the probe measures at once.
const THREADS_MAX: usize = 256;

/// A processor for each measured thread.
pub(super) fn processors(args: &Args) -> anyhow::Result<Chosen> {
    if args.policy() == Policy::Deadline {
        return deadline(args);
    }
    // As many threads as there are processors, or more than one: not all on the usual one.
    let several = args.threads.is_some_and(|threads| threads != 1).then_some(Processors::All);
    let Chosen { cpus, because } = processors::choose(args.cpu.as_ref().or(several.as_ref()))?;
    let count = args.threads.filter(|threads| *threads > 0).map_or(cpus.len(), |threads| threads as usize);
    if count > THREADS_MAX {
        return Err(usage(format!("--cpu: {count} processors: at most {THREADS_MAX} are measured at once")));
    }
    Ok(Chosen { cpus: cpus.iter().copied().cycle().take(count).collect(), because })
}

/// The kernel places such a thread itself.
fn deadline(args: &Args) -> anyhow::Result<Chosen> {
    let wrong = [
        ("--cpu", args.cpu.is_some()),
        ("--threads", args.threads.is_some_and(|threads| threads != 1)),
        ("--priority", args.priority.is_some()),
    ];
    match wrong.iter().find(|(_, typed)| *typed) {
        Some((option, _)) => Err(usage(format!(
            "{option} with --policy deadline: the kernel places one such thread itself, above every priority; leave it out"
        ))),
        None => Ok(Chosen { cpus: Vec::new(), because: None }),
    }
}

pub(super) fn setups(args: &Args, catalogue: &Catalogue, cpus: &[u32]) -> anyhow::Result<Vec<Setup>> {
    check_priority(args)?;
    let setup = |measure: String| {
        if !catalogue.measures.contains(&measure) {
            let known: Vec<&str> = catalogue.measures.iter().map(String::as_str).collect();
            return Err(unknown("--measure", &measure, &known));
        }
        let Args { period, deadline, overrun, best_effort, .. } = *args;
        let policy = args.policy();
        let periodic = !catalogue.counted.contains(&measure);
        if policy == Policy::Deadline && !periodic {
            return Err(usage(format!("--policy deadline: {measure} has no period; choose another policy")));
        }
        let (cpus, priority) = (cpus.to_vec(), args.priority());
        Ok(Setup { measure, periodic, cpus, policy, priority, period, deadline, overrun, best_effort })
    };
    measures(args).into_iter().map(setup).collect()
}

fn check_priority(args: &Args) -> anyhow::Result<()> {
    match (args.policy(), args.priority) {
        (Policy::Other, Some(1..)) => Err(usage("--priority with --policy other: it has none; leave one of them out")),
        (Policy::Rr, Some(0)) => Err(usage("--priority 0 with --policy rr: it needs a priority from 1 to 99")),
        _ => Ok(()),
    }
}

pub(super) fn measures(args: &Args) -> Vec<String> {
    if args.measure.is_empty() { vec!["wakeup".to_string()] } else { args.measure.clone() }
}
