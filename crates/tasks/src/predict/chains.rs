// SPDX-License-Identifier: MIT OR Apache-2.0
//! End-to-end bounds of cause-effect chains. Each series reads, when its job starts, what the previous series wrote last, and
//! writes when its job ends.
//!
//! ```text
//! late(i) = R_i, or 0 where series i and i+1 share a CPU, i has the higher priority, and a release of i+1 cannot overtake one of
//! i
//! reaction <= T_1 + R_n + sum of max(R_i, T_i+1 + late(i))       Dürr, von der Brüggen, Chen and Chen 2019
//! age      <= R_n + sum of T_i + late(i)                         the same
//! known offsets, over every job of the common multiple of the periods:
//! reaction <= T_1 + (release of the last job - release of the first) + R_n, each the first release at or after
//! the one before + late(i)                           Kloda, Bertout and Sorel 2018
//! age      <= the same difference + R_n, each the last release before the next one of the series before + late(i)
//! Becker, Dasari, Mubeen, Behnam and Nolte 2017
//! ```
//!
//! The reaction counts from the stimulus that the first series just missed, the age from the first series' release to the output.
//! Until the next output the age is at most the reaction (Günzel, Chen, Ueter and Chen 2023).
use super::answer::Verdict;
use super::arrival::Arrival;
use super::prediction::Analysed;
use super::task::{Preemption, Task, Urgency};
use crate::set::Chain;
use serde::Serialize;

/// Maximum number of jobs to examine with known offsets. If there are more jobs, the sums give the bound.
const JOBS_MAX: u64 = 1 << 20;

/// A chain's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChainBound {
    /// Name of the chain.
    pub name: String,
    /// From a stimulus that was just missed to the first output that depends on it, in nanoseconds.
    pub reaction_ns: Option<u64>,
    /// From the release of the first series to the last output from its data, in nanoseconds.
    pub age_ns: Option<u64>,
    /// Deadline of the reaction.
    pub deadline_ns: Option<u64>,
    /// Whether the reaction meets the deadline.
    pub verdict: Verdict,
    /// Whether the bounds use the offsets of the series.
    pub offsets: bool,
    /// Why there is no bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_bound: Option<String>,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    period_ns: u64,
    phase_ns: Option<u64>,
    response_ns: u64,
    /// How long after a release of this series a job of the next series can still start and miss the output of this release.
    late_ns: u64,
}

/// The bounds of the chains, computed from the answers of their series.
pub fn bounds(chains: &[Chain], processors: &[Analysed]) -> Vec<ChainBound> {
    chains.iter().map(|chain| bound(chain, processors)).collect()
}

fn bound(chain: &Chain, processors: &[Analysed]) -> ChainBound {
    let deadline_ns = chain.deadline.map(|deadline| deadline.0);
    let name = chain.name.clone();
    match links(chain, processors) {
        Ok(links) => {
            let known = by_offsets(&links);
            let (reaction_ns, age_ns) = known.unwrap_or_else(|| by_sums(&links));
            let met = deadline_ns.is_none_or(|deadline_ns| reaction_ns <= deadline_ns);
            let verdict = if met { Verdict::Met } else { Verdict::Missed };
            let (reaction_ns, age_ns) = (Some(reaction_ns), Some(age_ns));
            ChainBound { name, reaction_ns, age_ns, deadline_ns, verdict, offsets: known.is_some(), no_bound: None }
        }
        Err(why) => ChainBound {
            name,
            reaction_ns: None,
            age_ns: None,
            deadline_ns,
            verdict: if deadline_ns.is_some() { Verdict::Unknown } else { Verdict::Met },
            offsets: false,
            no_bound: Some(why),
        },
    }
}

fn links(chain: &Chain, processors: &[Analysed]) -> Result<Vec<Link>, String> {
    let places: Vec<(&Analysed, usize)> =
        chain.series.iter().map(|name| place(name, processors)).collect::<Result<_, _>>()?;
    let one = |(index, (analysed, task)): (usize, &(&Analysed, usize))| {
        let next = places.get(index + 1);
        link(analysed, *task, next.copied())
    };
    places.iter().enumerate().map(one).collect()
}

fn place<'a>(name: &str, processors: &'a [Analysed]) -> Result<(&'a Analysed, usize), String> {
    let of = |analysed: &'a Analysed| {
        let task = analysed.processor.tasks.iter().position(|task| task.name == name)?;
        Some((analysed, task))
    };
    processors.iter().find_map(of).ok_or_else(|| format!("{name} is not in the set"))
}

fn link(analysed: &Analysed, index: usize, next: Option<(&Analysed, usize)>) -> Result<Link, String> {
    let task = &analysed.processor.tasks[index];
    let Arrival::Periodic { period_ns, jitter_ns, .. } = task.arrival else {
        return Err(format!("the time between releases of {} has no upper limit; give it a period", task.name));
    };
    let response_ns = match &analysed.answers[index].bound {
        Ok(bound) => bound.from_nominal_ns,
        Err(reason) => return Err(format!("{}: {reason}", task.name)),
    };
    if response_ns > period_ns {
        return Err(format!("{} can still run at its next release", task.name));
    }
    let first = next.is_some_and(|(other, after)| {
        let punctual = jitter_ns == 0 && analysed.processor.costs.wakeup_ns == 0 && task.sections.is_empty();
        punctual && other.number == analysed.number && comes_first(task, &other.processor.tasks[after])
    });
    let late_ns = if first { 0 } else { response_ns };
    let phase_ns = task.phase_ns.filter(|_| jitter_ns == 0);
    Ok(Link { period_ns, phase_ns, response_ns, late_ns })
}

/// Whether a job of `task` always ends before a job of `other`, released at the same time or later, starts.
fn comes_first(task: &Task, other: &Task) -> bool {
    match (task.urgency, other.urgency) {
        (Urgency::Priority(own), Urgency::Priority(others)) => own > others && task.preemption == Preemption::Full,
        _ => false,
    }
}

fn by_sums(links: &[Link]) -> (u64, u64) {
    let last = links.last().map_or(0, |link| link.response_ns);
    let first = links.first().map_or(0, |link| link.period_ns);
    let steps = links.windows(2).map(|pair| pair[0].response_ns.max(pair[1].period_ns + pair[0].late_ns));
    let ages = links.iter().take(links.len().saturating_sub(1)).map(|link| link.period_ns + link.late_ns);
    (first + last + steps.sum::<u64>(), last + ages.sum::<u64>())
}

/// The bounds from fixed offsets; `None` if some are unknown, or the common multiple of the periods has too many jobs.
fn by_offsets(links: &[Link]) -> Option<(u64, u64)> {
    let phases: Vec<u64> = links.iter().map(|link| link.phase_ns).collect::<Option<_>>()?;
    let (first, last) = (links.first()?, links.last()?);
    let multiple =
        links.iter().try_fold(1, |multiple, link| super::phases::least_common_multiple(multiple, link.period_ns))?;
    let jobs = multiple / first.period_ns;
    if jobs > JOBS_MAX {
        return None;
    }
    // From here on, every series has a job before and after each instant examined.
    let begin = phases.iter().max()?.checked_add(multiple)?;
    let from = begin + (first.period_ns - (begin - phases[0]) % first.period_ns) % first.period_ns;
    let (mut reaction_ns, mut age_ns) = (0, 0);
    for job in 0..jobs {
        let release = from.checked_add(job * first.period_ns)?;
        let (mut sure, mut latest) = (release, release);
        for (place, link) in links.iter().enumerate().skip(1) {
            let before = &links[place - 1];
            sure = at_or_after(sure.checked_add(before.late_ns)?, phases[place], link.period_ns);
            let replaced = latest.checked_add(before.period_ns)?.checked_add(before.late_ns)?;
            latest = at_or_after(replaced, phases[place], link.period_ns) - link.period_ns;
        }
        reaction_ns = reaction_ns.max(first.period_ns + (sure - release) + last.response_ns);
        age_ns = age_ns.max((latest + last.response_ns).saturating_sub(release));
    }
    Some((reaction_ns, age_ns))
}

fn at_or_after(instant: u64, phase: u64, period: u64) -> u64 {
    phase + instant.saturating_sub(phase).div_ceil(period) * period
}

#[cfg(test)]
mod tests;
