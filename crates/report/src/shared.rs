// SPDX-License-Identifier: MIT OR Apache-2.0
//! Analysis of tasks that share several CPUs, as text and JSON.
use super::printable::printable_lines;
use super::wrap::wrapped;
use crate::prediction::{exact, origins};
use backwall_model::units::tenths;
use backwall_tasks::predict::answer::Verdict;
use backwall_tasks::predict::constant::Constant;
use backwall_tasks::predict::global::{Answer, Says, Test};
use backwall_tasks::shared::Shared;
use serde::Serialize;

struct Words<'a>(&'a Shared);

impl Words<'_> {
    fn headline(&self) -> String {
        let all = format!("{} series on {} CPUs", self.0.series.len() + self.0.below.len(), self.0.processors);
        match (self.0.verdict(), &self.0.answer) {
            (Verdict::Met, _) => format!("every deadline is met: {all}"),
            (Verdict::Missed, _) => format!("a deadline can be missed: {all}"),
            (Verdict::Unknown, Err(why)) => format!("not analysable: {why} ({all}; --assign gives each series a CPU)"),
            (Verdict::Unknown, Ok(answer)) if answer.verdict == Verdict::Met => {
                format!("not decided: {} (of {all})", self.0.below.join(", "))
            }
            (Verdict::Unknown, Ok(_)) => {
                format!("not decided: no test passes, which does not prove that a deadline is missed ({all})")
            }
        }
    }

    fn lines(&self) -> Vec<String> {
        let capacity = tenths(f64::from(self.0.processors) * 100.0);
        let mut lines = vec![
            self.headline(),
            format!(
                "earliest deadline first, all CPUs shared: utilization {} % of {capacity} %",
                tenths(self.0.utilization_percent)
            ),
        ];
        if let Ok(answer) = &self.0.answer {
            lines.extend(answer.tests.iter().map(said));
            lines.extend(latest(answer));
        }
        if !self.0.below.is_empty() {
            let names = self.0.below.join(", ");
            lines.push(format!(
                "{names}: not analysable: SCHED_DEADLINE series run before series of any real-time priority"
            ));
        }
        lines
    }
}

fn said(test: &Test) -> String {
    let says = match test.says {
        Says::Passes => "passes",
        Says::Nothing => "says nothing",
        Says::DoesNotApply => "does not apply: a deadline is longer than its period",
        Says::NotTried => "not tried: too many series to compare in pairs",
    };
    format!("{}: {says}", test.by)
}

fn latest(answer: &Answer) -> Option<String> {
    let late = answer.latest_ns.filter(|late| *late > 0)?;
    Some(format!("no job finishes more than {} after its deadline (Devi and Anderson)", exact(late)))
}

pub fn text(shared: &Shared, constants: &[Constant], columns: usize) -> String {
    printable_lines(
        &(Words(shared).lines().iter().map(|line| wrapped(line, columns)).collect::<String>()
            + &origins(constants, columns)),
    )
}

#[derive(Debug, Serialize)]
pub struct Record {
    verdict: Verdict,
    shared: SharedRecord,
    constants: Vec<Constant>,
}

#[derive(Debug, Serialize)]
struct SharedRecord {
    processors: u32,
    utilization_percent: f64,
    series: Vec<String>,
    below: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_analysable: Option<&'static str>,
    tests: Vec<Test>,
    latest_ns: Option<u64>,
}

pub fn record(shared: &Shared, constants: &[Constant]) -> Record {
    let answer = shared.answer.as_ref().ok();
    let record = SharedRecord {
        processors: shared.processors,
        utilization_percent: shared.utilization_percent,
        series: shared.series.clone(),
        below: shared.below.clone(),
        not_analysable: shared.answer.as_ref().err().copied(),
        tests: answer.map_or(Vec::new(), |answer| answer.tests.clone()),
        latest_ns: answer.and_then(|answer| answer.latest_ns),
    };
    Record { verdict: shared.verdict(), shared: record, constants: constants.to_vec() }
}
