// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is to be done, checked against what this machine and the probe offer.
use super::options::Args;
use super::{phases, setup};
use crate::affinity;
use crate::probe::Probe;
use crate::processors;
use crate::run::Policy;
use crate::session::job::Job;

/// Everything that was asked.
pub(super) fn job(args: &Args) -> anyhow::Result<Job> {
    let probe = Probe::behind(args.probe.as_deref())?;
    let catalogue = probe.catalogue()?;
    let chosen = setup::processors(args)?;
    let setups = setup::setups(args, &catalogue, &chosen.cpus)?;
    let load_cpus = args.load_cpu.as_ref().map(|asked| processors::choose(Some(asked))).transpose()?;
    let load_cpus = load_cpus.map(|chosen| chosen.cpus);
    // The clock of another probe need not be the kernel's.
    let traceable = args.probe.is_none() && args.policy() != Policy::Deadline;
    let loaded = load_cpus.clone().unwrap_or_else(affinity::allowed);
    let steps = phases::steps(args, &catalogue, &loaded, traceable)?;
    Ok(Job { probe, catalogue, because: chosen.because, setups, load_cpus, steps })
}
