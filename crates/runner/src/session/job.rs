// SPDX-License-Identifier: MIT OR Apache-2.0
//! The phases and measures of a run, measured one after the other.
use crate::device::probe::{Catalogue, Figure, Probe};
use crate::phase::{self, Glance, Phase, Session, Setup};
use crate::session::assemble::{Assembly, Going};
use crate::session::checkpoint::Checkpoints;
use crate::session::door::Door;
use crate::session::part::Part;
use crate::session::progress::Bar;
use crate::session::watch::Watch;
use crate::stream::keep::Keeper;
use backwall_ftrace::flight::{FlightPlan, Words};
use backwall_model::units::{Nanoseconds, Unit};
use backwall_model::{Key, PlannedSeries, Warning};
use backwall_os::Stop;
use backwall_os::affinity;
use backwall_os::refusal::Result;
use std::sync::Arc;
use std::time::Duration;

/// A phase, and whether the run continues if the machine refuses it.
#[derive(Debug)]
pub struct Step {
    pub phase: Phase,
    pub optional: bool,
}

pub struct Aids {
    pub keeper: Option<Keeper>,
    pub flight: Option<FlightPlan>,
    pub words: Words,
    pub checkpoints: Checkpoints,
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

#[derive(Debug)]
pub struct Job {
    pub probe: Probe,
    pub catalogue: Catalogue,
    pub because: Option<String>,
    pub setups: Vec<Setup>,
    pub load_cpus: Option<Vec<u32>>,
    pub steps: Vec<Step>,
}

impl Job {
    pub fn length(&self) -> Nanoseconds {
        let one_pass: u64 = self.steps.iter().map(|step| step.phase.length.0).sum();
        Nanoseconds(one_pass.saturating_mul(self.setups.len() as u64))
    }

    /// All series that the run will have: each measured thread in every untraced phase of every measure.
    pub fn planned(&self) -> Vec<PlannedSeries> {
        let phases = self.setups.iter().flat_map(|setup| self.untraced().map(move |phase| (setup, phase)));
        let keys = phases.flat_map(|(setup, phase)| {
            let threads = setup.keys(&phase.load, phase.idle);
            threads.into_iter().flat_map(|thread| self.keys_of(&setup.measure, thread))
        });
        keys.map(|key| PlannedSeries { key, unit: Unit::Ns }).collect()
    }

    fn keys_of(&self, measure: &str, thread: Key) -> Vec<Key> {
        let of_thread = |Figure { name, mut fields }: Figure| {
            fields.extend(thread.variant.clone());
            Key { name, variant: fields, ..thread.clone() }
        };
        self.catalogue.figures_of(measure).into_iter().map(of_thread).collect()
    }

    /// Runs every step of every measure until a failure, a refusal, or `stop`. Fails if nothing was measured.
    pub fn measure(&self, stop: &Stop, aids: &mut Aids, quiet: bool, assembly: &mut Assembly) -> Result<()> {
        let _kept_off = affinity::KeptOff::all_threads(&self.setups[0].cpus);
        let bar = Bar::new(Duration::from_nanos(self.length().0), quiet);
        let (keeper, flight) = (aids.keeper.clone(), aids.flight.clone());
        let watch = Arc::new(Watch::telling(aids.words));
        let door = Door::open("run");
        let mut session = Session { probe: &self.probe, stop, bar, watch, keeper, flight, door };
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
            let (several, setup) = (setup.cpus.len() > 1, traced_on_one(setup, &phase, assembly));
            let measured =
                phase::run(&mut session, &setup, &phase, &mut |glance| aids.in_phase(&phase, glance, assembly));
            match measured {
                Ok(measured) => {
                    Part::of_phase(&phase, several, measured).into_iter().for_each(|part| assembly.take(part))
                }
                Err(error) if step.optional => {
                    assembly.warn(Warning::new("not-measured", format!("{}: {error:#}", without(&phase))));
                }
                Err(error) if assembly.has_figures() => assembly.refused(&phase, &error),
                Err(error) => return Err(error),
            }
        }
        if session.watch.ended() {
            assembly.cross();
        }
        Ok(())
    }

    pub fn untraced(&self) -> impl Iterator<Item = &Phase> {
        self.steps.iter().map(|step| &step.phase).filter(|phase| !phase.traced)
    }
}

/// A trace covers one CPU. If several CPUs are measured, take the CPU with the largest response under this load.
fn traced_on_one(setup: &Setup, phase: &Phase, assembly: &mut Assembly) -> Setup {
    if !phase.traced || setup.cpus.len() < 2 {
        return setup.clone();
    }
    let worst = assembly.worst_processor(&setup.measure, &phase.load).unwrap_or(setup.cpus[0]);
    let said = format!("the stages shown are those of CPU {worst}, which had the largest response");
    assembly.warn(Warning::new("stages-of", said).of(format!("load {}", phase.load)));
    Setup { cpus: vec![worst], ..setup.clone() }
}

fn without(phase: &Phase) -> String {
    if phase.traced {
        return format!("no stages for load {}", phase.load);
    }
    format!("{} was not measured", phase.title())
}
