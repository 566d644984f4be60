// SPDX-License-Identifier: MIT OR Apache-2.0
//! The request as a job, checked against this machine and the probe.
use super::RunRequest;
use super::{phases, setup};
use crate::device::probe::Probe;
use crate::device::processors;
use crate::session::job::Job;
use backwall_model::Policy;
use backwall_os::affinity;
use backwall_os::refusal::Result;

pub fn job(asked: &RunRequest) -> Result<Job> {
    let probe = Probe::behind(asked.probe.as_deref())?;
    let catalogue = probe.catalogue()?;
    let chosen = setup::processors(asked)?;
    let setups = setup::setups(asked, &catalogue, &chosen.cpus)?;
    let load_cpus = asked.load_cpu.as_ref().map(|asked| processors::choose(Some(asked))).transpose()?;
    let load_cpus = load_cpus.map(|chosen| chosen.cpus);
    // A probe that the user names may use another clock than the kernel's trace.
    let traceable = asked.probe.is_none() && asked.policy() != Policy::Deadline;
    let loaded = load_cpus.clone().unwrap_or_else(affinity::allowed);
    let steps = phases::steps(asked, &catalogue, &loaded, traceable)?;
    Ok(Job { probe, catalogue, because: chosen.because, setups, load_cpus, steps })
}
