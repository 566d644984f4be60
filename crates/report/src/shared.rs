// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the analysis says of tasks that share several processors, as text of 80 columns and as JSON.
use super::printable::printable_lines;
use super::wrap::{COLUMNS, wrapped};
use crate::prediction::{exact, origins};
use predict::answer::Verdict;
use predict::constant::Constant;
use predict::global::{Answer, Says, Test};
use serde::Serialize;
use units::tenths;

/// Series that share several processors, with what is said of them.
#[derive(Debug)]
pub struct Shared {
    /// How many processors.
    pub processors: u32,
    /// What the series take together, in percent of one processor.
    pub utilization_percent: f64,
    /// Their names.
    pub series: Vec<String>,
    /// Those of a fixed priority, which come after all of them.
    pub below: Vec<String>,
    /// What the tests say, or why they are not about such series.
    pub answer: Result<Answer, &'static str>,
}

impl Shared {
    /// Of all deadlines.
    pub fn verdict(&self) -> Verdict {
        let shared = self.answer.as_ref().map_or(Verdict::Unknown, |answer| answer.verdict);
        if self.below.is_empty() { shared } else { shared.max(Verdict::Unknown) }
    }

    fn headline(&self) -> String {
        let all = format!("{} series on {} processors", self.series.len() + self.below.len(), self.processors);
        match (self.verdict(), &self.answer) {
            (Verdict::Met, _) => format!("every deadline is met: {all}"),
            (Verdict::Missed, _) => format!("a deadline can be missed: {all}"),
            (Verdict::Unknown, Err(why)) => format!("not analysable: {why} ({all}; --assign gives each a processor)"),
            (Verdict::Unknown, Ok(answer)) if answer.verdict == Verdict::Met => {
                format!("not decided: {} (of {all})", self.below.join(", "))
            }
            (Verdict::Unknown, Ok(_)) => format!("not decided: no test passes, which says nothing ({all})"),
        }
    }

    fn lines(&self) -> Vec<String> {
        let capacity = tenths(f64::from(self.processors) * 100.0);
        let mut lines = vec![
            self.headline(),
            format!(
                "earliest deadline first, every processor for all: utilization {} % of {capacity} %",
                tenths(self.utilization_percent)
            ),
        ];
        if let Ok(answer) = &self.answer {
            lines.extend(answer.tests.iter().map(said));
            lines.extend(latest(answer));
        }
        if !self.below.is_empty() {
            let names = self.below.join(", ");
            lines.push(format!("{names}: not analysable: the series of SCHED_DEADLINE come before every priority"));
        }
        lines
    }
}

fn said(test: &Test) -> String {
    let says = match test.says {
        Says::Passes => "passes",
        Says::Nothing => "says nothing",
        Says::DoesNotApply => "does not apply: a deadline is beyond its period",
        Says::NotTried => "not tried: it holds each series against each, and there are too many",
    };
    format!("{}: {says}", test.by)
}

fn latest(answer: &Answer) -> Option<String> {
    let late = answer.latest_ns.filter(|late| *late > 0)?;
    Some(format!("no job ends more than {} after its deadline (Devi and Anderson)", exact(late)))
}

/// The verdict, the tests, and the constants.
pub fn text(shared: &Shared, constants: &[Constant]) -> String {
    printable_lines(
        &(shared.lines().iter().map(|line| wrapped(line, COLUMNS)).collect::<String>() + &origins(constants)),
    )
}

/// What `--json` prints.
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
    /// Most that a job can end after its deadline.
    latest_ns: Option<u64>,
}

/// The same as [`text`], whole.
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
