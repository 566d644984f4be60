// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall tasks predict --from RUN|TRACE`: responses predicted from the interference of a recording.
use super::predict::{exit, with_chains, worst};
use crate::exit::{Exit, undecided, usage};
use crate::options::Printing;
use backwall_ftrace::recording_file::{self, RecordingSummary};
use backwall_model::picture::{TaskRow, TaskSet};
use backwall_model::units::{Unit, counted};
use backwall_model::{Picture, Run};
use backwall_os::console::columns;
use backwall_os::console::progress::Activity;
use backwall_report::prediction;
use backwall_report::recorded_prediction::RecordedPrediction;
use backwall_runner::device::processors::Processors;
use backwall_runner::tasks::recorded::{COMM_MOST, beside, own_tasks};
use backwall_store::RUN_FILE;
use backwall_tasks::predict::chains;
use backwall_tasks::predict::constant::Constant;
use backwall_tasks::predict::curves::{Measured, PredictedCpu};
use backwall_tasks::predict::prediction::Analysed;
use backwall_tasks::predict::task::Processor;
use backwall_tasks::predict::work::Effort;
use backwall_tasks::set::Set;
use backwall_trace::event::Name;
use backwall_trace::interference::{CpuInterference, Follower, Interference};
use serde_json::json;
use std::path::Path;

/// The interference in a recording, and the run that contains the recording, if any.
pub(super) struct Recorded {
    file: String,
    unit: Unit,
    found: Interference,
    run: Option<Run>,
    notes: Vec<String>,
}

impl Recorded {
    pub(super) fn read(place: &Path, printing: Printing) -> anyhow::Result<Self> {
        let place = backwall_store::meant(place)?;
        let run = place.join(RUN_FILE).exists().then(|| backwall_store::read(&place)).transpose()?;
        let shown = Activity::begin(!printing.is_text(), || "reading the recording".to_string());
        let (file, mut stored) = recording_file::open(&place).map_err(|error| match run {
            Some(_) => usage(format!(
                "{}: this run has no recording; run with --trace --keep-samples, or name a trace",
                place.display()
            )),
            None => error.into(),
        })?;
        let set = run.as_ref().and_then(set_of);
        let span = set.and_then(|set| set.recorded);
        let follower = span.map_or_else(Follower::default, |span| Follower::within(span.begin, span.end));
        let (told, follower) = recording_file::told(&file, &mut stored, follower)?;
        drop(shown);
        if let Some(missing) = &told.missing {
            return Err(undecided(format!("{}: {missing}", file.display())));
        }
        let mut found = follower.finish();
        set.into_iter().for_each(|set| name_threads(&mut found, set));
        let notes = notes(&told, &found);
        Ok(Self { file: told.file, unit: told.unit, found, run, notes })
    }

    /// Predicts the responses of the recording's own real-time threads.
    pub(super) fn predict(&self, printing: Printing) -> anyhow::Result<Exit> {
        let mut effort = Effort::of_set();
        let one = |found: &CpuInterference| {
            let (processor, measured) = own_tasks(found);
            let analysed = Analysed::within(found.cpu, processor, &mut effort);
            PredictedCpu { cpu: found.cpu, observed_ns: found.observed_ns, analysed, measured }
        };
        let cpus: Vec<PredictedCpu> = self.found.cpus.iter().map(one).filter(|cpu| !cpu.measured.is_empty()).collect();
        if cpus.is_empty() {
            return Err(undecided(format!(
                "{}: no real-time thread woke up and slept again; name a task set, or record while such a thread runs",
                self.file
            )));
        }
        let shown = self.shown(&cpus, false);
        printing.show(|| shown.record(), || shown.text(columns()))?;
        Ok(if cpus.iter().flat_map(PredictedCpu::tasks).all(|(_, answer, _)| answer.bound.is_ok()) {
            Exit::Done
        } else {
            Exit::Undecided
        })
    }

    /// Predicts the responses of a set's series. Each CPU of the set has the interference that the recording shows.
    pub(super) fn predict_set(
        &self,
        set: &Set,
        placed: Vec<(u32, Processor)>,
        chosen: Option<&Processors>,
        constants: &[Constant],
        printing: Printing,
    ) -> anyhow::Result<Exit> {
        let mut effort = Effort::of_set();
        let mut cpus = Vec::new();
        for (number, processor) in placed {
            let found = self.cpu(number, chosen)?;
            let (processor, measured) = beside(processor, found);
            let measured =
                processor.tasks.iter().zip(measured).map(|(task, own)| self.of_run(&task.name).unwrap_or(own));
            let measured = measured.collect();
            let analysed = Analysed::within(number, processor, &mut effort);
            cpus.push(PredictedCpu { cpu: found.cpu, observed_ns: found.observed_ns, analysed, measured });
        }
        let analysed: Vec<Analysed> = cpus.iter().map(|cpu| cpu.analysed.clone()).collect();
        let shown = self.shown(&cpus, true);
        let chains = chains::bounds(&set.chain, &analysed);
        printing.show(
            || json!({ "recording": shown.record(), "prediction": prediction::record(&analysed, &chains, constants) }),
            || shown.text(columns()) + &with_chains(&analysed, &chains, constants),
        )?;
        Ok(exit(worst(&analysed, &chains)))
    }

    fn shown<'a>(&'a self, cpus: &'a [PredictedCpu], of_set: bool) -> RecordedPrediction<'a> {
        RecordedPrediction { file: &self.file, unit: self.unit, cpus, notes: &self.notes, of_set }
    }

    /// The recording's CPU to use for CPU `number` of the set: the CPU that the user chose, else the run's CPU, else the CPU
    /// with that number. If the user chose none, a recording of a single CPU serves for any.
    fn cpu(&self, number: u32, chosen: Option<&Processors>) -> anyhow::Result<&CpuInterference> {
        let of_run = self.run.as_ref().map(|run| match run.plan.cpus.is_empty() {
            true => run.plan.cpu.into_iter().collect(),
            false => run.plan.cpus.clone(),
        });
        let chosen = chosen.and_then(|chosen| match chosen {
            Processors::These(cpus) => Some(cpus.clone()),
            Processors::All | Processors::Isolated => None,
        });
        let listed = chosen.clone().or(of_run);
        let own = listed.and_then(|listed| listed.get(number as usize).copied()).unwrap_or(number);
        let known: Vec<u32> = self.found.cpus.iter().map(|found| found.cpu).collect();
        let found = self.found.cpus.iter().find(|found| found.cpu == own);
        found.or(self.found.cpus.first().filter(|_| known.len() == 1 && chosen.is_none())).ok_or_else(|| {
            let known = known.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            usage(format!("{}: no events of CPU {own}; name a CPU of the recording with --cpu: {known}", self.file))
        })
    }

    /// The responses that the run itself measured. They count from the nominal release.
    fn of_run(&self, task: &str) -> Option<Measured> {
        let is_of = |variant: &std::collections::BTreeMap<String, String>| {
            variant.get(TaskRow::TASK).is_some_and(|name| name == task)
        };
        let all = self.run.as_ref()?.series.iter();
        let series = all.filter(|series| series.key.name == TaskRow::RESPONSE && is_of(&series.key.variant));
        let series = series.max_by_key(|series| series.max)?;
        Some(Measured { longest_ns: series.max, responses: series.counted(), windows: 0 })
    }
}

fn set_of(run: &Run) -> Option<&TaskSet> {
    run.pictures.iter().find_map(|picture| match picture {
        Picture::TaskSet(set) => Some(set),
        _ => None,
    })
}

/// Names each thread of the probe after its series, because in the recording all of them have the same name.
fn name_threads(found: &mut Interference, set: &TaskSet) {
    for work in found.cpus.iter_mut().flat_map(|cpu| &mut cpu.threads) {
        if let Some(row) = set.tasks.iter().find(|row| row.thread == Some(work.thread.id)) {
            work.thread.name = Name::new(row.name.as_bytes().chunks(COMM_MOST).next().unwrap_or_default());
        }
    }
}

fn notes(told: &RecordingSummary, found: &Interference) -> Vec<String> {
    let mut notes = told.notes.clone();
    if let Some(lost) = told.lost.filter(|lost| *lost > 0) {
        notes.push(format!(
            "the recording lost {}; the curves leave out the intervals with losses",
            counted(lost, "event", "events")
        ));
    }
    if let Some(at_ns) = found.full_at_ns {
        let seen = backwall_report::phrase::value(at_ns.saturating_sub(told.summary.begin_ns), told.unit);
        notes.push(format!("memory limit: backwall used only the first {seen} of the recording"));
    }
    notes
}
