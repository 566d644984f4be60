// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is to be done, checked against what this machine and the probe offer; and doing it.
use super::options::Args;
use super::phases::{self, Step};
use super::setup;
use crate::affinity;
use crate::probe::{Catalogue, Figure, Probe};
use crate::processors;
use crate::record::flight::FlightPlan;
use crate::run::{Key, Planned, Policy};
use crate::session::Stop;
use crate::session::assemble::{Assembly, Going};
use crate::session::checkpoint::Checkpoints;
use crate::session::keep::Keeper;
use crate::session::phase::{self, Glance, Phase, Session, Setup};
use crate::session::progress::Bar;
use crate::units::{Nanoseconds, Unit};
use std::time::Duration;

/// What goes on beside the measuring.
pub(super) struct Aids {
    pub(super) keeper: Option<Keeper>,
    pub(super) flight: Option<FlightPlan>,
    pub(super) checkpoints: Checkpoints,
}

impl Aids {
    fn between_phases(&mut self, assembly: &Assembly) {
        if assembly.has_figures() {
            self.checkpoints.hurry();
            self.checkpoints.look(|| Some(assembly.so_far(None)));
        }
    }

    fn in_phase(&mut self, phase: &Phase, glance: Glance<'_>, assembly: &Assembly) {
        self.checkpoints.look(|| {
            let (heard, loads) = glance.so_far()?;
            Some(assembly.so_far(Some(Going { phase, heard, loads, elapsed: glance.elapsed })))
        });
    }
}

/// Phases and measures, in order.
pub(super) struct Job {
    probe: Probe,
    catalogue: Catalogue,
    /// Why this processor is measured, where the user named none.
    pub(super) because: Option<String>,
    pub(super) setups: Vec<Setup>,
    /// Where the loads run, where the user named that.
    pub(super) load_cpus: Option<Vec<u32>>,
    pub(super) steps: Vec<Step>,
}

impl Job {
    pub(super) fn new(args: &Args) -> anyhow::Result<Self> {
        let probe = args.probe.as_deref().map_or_else(Probe::carried, |file| Ok(Probe::file(file)))?;
        let catalogue = probe.catalogue()?;
        let chosen = setup::processors(args)?;
        let setups = setup::setups(args, &catalogue, &chosen.cpus)?;
        let load_cpus = args.load_cpu.as_ref().map(|asked| processors::choose(Some(asked))).transpose()?;
        let load_cpus = load_cpus.map(|chosen| chosen.cpus);
        // The clock of another probe need not be the kernel's.
        let traceable = args.probe.is_none() && args.policy() != Policy::Deadline;
        let loaded = load_cpus.clone().unwrap_or_else(affinity::allowed);
        let steps = phases::steps(args, &catalogue, &loaded, traceable)?;
        Ok(Self { probe, catalogue, because: chosen.because, setups, load_cpus, steps })
    }

    /// Of all phases of all measures.
    pub(super) fn length(&self) -> Nanoseconds {
        let one_pass: u64 = self.steps.iter().map(|step| step.phase.length.0).sum();
        Nanoseconds(one_pass.saturating_mul(self.setups.len() as u64))
    }

    /// The figures of every untraced phase of every measure, in each measured thread.
    pub(super) fn planned(&self) -> Vec<Planned> {
        let phases = self.setups.iter().flat_map(|setup| self.untraced().map(move |phase| (setup, phase)));
        let keys = phases.flat_map(|(setup, phase)| {
            let threads = setup.keys(&phase.load, phase.idle);
            threads.into_iter().flat_map(|thread| self.keys_of(&setup.measure, thread))
        });
        keys.map(|key| Planned { key, unit: Unit::Ns }).collect()
    }

    /// A measured thread's key, once for each figure that the measure gives.
    fn keys_of(&self, measure: &str, thread: Key) -> Vec<Key> {
        let of_thread = |Figure { name, mut fields }: Figure| {
            fields.extend(thread.variant.clone());
            Key { name, variant: fields, ..thread.clone() }
        };
        self.catalogue.figures_of(measure).into_iter().map(of_thread).collect()
    }

    /// Every step of every measure, until something dies or is refused; it is an error when nothing was measured.
    pub(super) fn measure(&self, aids: &mut Aids, quiet: bool, assembly: &mut Assembly) -> anyhow::Result<()> {
        let stop = Stop::on_signals()?;
        let _kept_off = affinity::KeptOff::processors(&self.setups[0].cpus);
        let bar = Bar::new(Duration::from_nanos(self.length().0), quiet);
        let (keeper, flight) = (aids.keeper.clone(), aids.flight.clone());
        let mut session = Session { probe: &self.probe, stop: &stop, bar, watch: Default::default(), keeper, flight };
        for (setup, step) in self.setups.iter().flat_map(|setup| self.steps.iter().map(move |step| (setup, step))) {
            let Some(phase) = assembly.left_of(&setup.measure, &step.phase) else {
                session.bar.passed(Duration::from_nanos(step.phase.length.0));
                continue;
            };
            if stop.asked() {
                assembly.interrupt();
            }
            if stop.asked() || session.watch.ended() || assembly.failure().is_some() {
                break;
            }
            session.bar.passed(Duration::from_nanos(step.phase.length.0 - phase.length.0));
            aids.between_phases(assembly);
            let setup = traced_on_one(setup, &phase, assembly);
            let measured =
                phase::run(&mut session, &setup, &phase, &mut |glance| aids.in_phase(&phase, glance, assembly));
            match measured {
                Ok(measured) => assembly.take(&phase, measured),
                Err(error) if step.optional => assembly.warn(format!("{}: {error:#}", without(&phase))),
                Err(error) if assembly.has_figures() => assembly.refused(&phase, &error),
                Err(error) => return Err(error),
            }
        }
        if session.watch.ended() {
            assembly.cross();
        }
        Ok(())
    }

    /// The phases whose figures the run shows.
    pub(super) fn untraced(&self) -> impl Iterator<Item = &Phase> {
        self.steps.iter().map(|step| &step.phase).filter(|phase| !phase.traced)
    }
}

/// A trace is one processor's: of several, the one whose response was the largest under this load.
fn traced_on_one(setup: &Setup, phase: &Phase, assembly: &mut Assembly) -> Setup {
    if !phase.traced || setup.cpus.len() < 2 {
        return setup.clone();
    }
    let worst = assembly.worst_processor(&setup.measure, &phase.load).unwrap_or(setup.cpus[0]);
    assembly.warn(format!("load {}: the stages are those of CPU {worst}, which had the largest response", phase.load));
    Setup { cpus: vec![worst], ..setup.clone() }
}

fn without(phase: &Phase) -> String {
    if phase.traced {
        return format!("no stages for load {}", phase.load);
    }
    format!("load {}, idle {} was not measured", phase.load, phase.idle.name())
}
