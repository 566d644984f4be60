// SPDX-License-Identifier: MIT OR Apache-2.0
//! The phases of a run: the requested ones, or the default tour (no load, C-states off, all loads), then the traced ones.
use super::RunRequest;
use super::lengths;
use crate::device::probe::{ALL, Catalogue, NONE};
use crate::loads::own_load::{OwnCommand, WITH};
use crate::loads::placing::place;
use crate::phase::{Idle, Phase};
use crate::session::job::Step;
use backwall_model::units::Nanoseconds;
use backwall_os::refusal::{Result, usage};

/// All phases. One copy of each load runs on every CPU in `cpus`.
pub(super) fn steps(asked: &RunRequest, catalogue: &Catalogue, cpus: &[u32], traceable: bool) -> Result<Vec<Step>> {
    let phases = headline(asked)?;
    let idle = asked.idle();
    let stages = phases.iter().filter(|(_, own, _)| *own == idle && traceable).count();
    let length = lengths::untraced(asked, phases.len() as u64, stages as u64)?;
    let step = |(load, idle, optional): &(String, Idle, bool)| -> Result<Step> {
        let own = asked.own.as_ref().filter(|_| load == WITH);
        let own = own.map(|text| OwnCommand { text: text.clone(), cpus: cpus.to_vec() });
        let placed = if own.is_some() { Vec::new() } else { place(catalogue, load, cpus)? };
        let phase =
            Phase { load: load.clone(), placed, own, idle: *idle, length, traced: false, toggled: false, keep: 0 };
        Ok(Step { phase, optional: *optional })
    };
    let mut steps: Vec<Step> = phases.iter().map(step).collect::<Result<_>>()?;
    if traceable {
        steps.extend(traced(&steps, idle));
    }
    Ok(steps)
}

fn headline(asked: &RunRequest) -> Result<Vec<(String, Idle, bool)>> {
    let idle = asked.idle();
    let twice = asked.load.iter().enumerate().find(|(at, load)| asked.load[..*at].contains(load));
    if let Some((_, load)) = twice {
        return Err(usage(format!(
            "duplicate --load {load}: a run has one phase per load; use --for to make the phase longer"
        )));
    }
    if asked.own.as_ref().is_some_and(|command| command.trim().is_empty()) {
        return Err(usage("--load-cmd must not be empty"));
    }
    let own = asked.own.as_ref().map(|_| (WITH.to_string(), idle, false));
    if !asked.load.is_empty() {
        let loads = asked.load.iter().filter(|load| asked.own.is_none() || *load != WITH);
        return Ok(loads.map(|load| (load.clone(), idle, false)).chain(own).collect());
    }
    let mut steps = vec![(NONE.to_string(), idle, false)];
    if asked.idle.is_none() && !asked.goes_without_idle_off() {
        steps.push((NONE.to_string(), Idle::Off, true));
    }
    steps.push(own.unwrap_or((ALL.to_string(), idle, false)));
    Ok(steps)
}

/// A shorter traced phase for each untraced phase with this C-state setting. If the machine cannot trace, the run continues
/// without it.
fn traced(steps: &[Step], idle: Idle) -> Vec<Step> {
    let own = steps.iter().map(|step| &step.phase).filter(|phase| phase.idle == idle);
    let of = |phase: &Phase| {
        let (length, toggled) = crate::session::lengths::traced(phase.length.0);
        let phase = Phase { length: Nanoseconds(length), traced: true, toggled, ..phase.clone() };
        Step { phase, optional: true }
    };
    own.map(of).collect()
}
