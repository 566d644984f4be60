// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the analysis says of each task of a set, to stand beside what was measured.
use crate::predict::answer::{Term, Verdict};
use crate::predict::constant::Constant;
use crate::predict::prediction::Analysed;
use crate::predict::processor::Answer;
use crate::predict::task::Processor;
use crate::report::prediction;
use crate::run::picture::{Predicted, PredictedTerm};
use crate::tasks::constants;
use crate::tasks::fault::Fault;
use crate::tasks::set::Set;
use std::collections::BTreeMap;

/// By the name of the series. A set that the analysis cannot place is a fault.
pub(super) fn predicted(set: &Set, known: &[Constant]) -> Result<BTreeMap<String, Predicted>, Fault> {
    let costs = constants::costs(known)?;
    if set.moves() {
        return Ok(set.series.iter().map(|series| (series.name.clone(), moved())).collect());
    }
    let placed = set.placed(costs)?;
    let analysed = placed.into_iter().map(|(number, processor)| Analysed::of(number, processor));
    Ok(analysed.flat_map(|analysed| of_processor(&analysed)).collect())
}

/// Nothing is known of the others either: a thread of SCHED_DEADLINE comes before every priority, wherever it is.
fn moved() -> Predicted {
    let why = "not analysable: the kernel moves the threads of SCHED_DEADLINE among the processors";
    Predicted { verdict: "unknown".to_string(), no_bound: Some(why.to_string()), ..Predicted::default() }
}

fn of_processor(analysed: &Analysed) -> Vec<(String, Predicted)> {
    let tasks = analysed.processor.tasks.iter().zip(&analysed.answers);
    tasks.map(|(task, answer)| (task.name.clone(), of_task(&analysed.processor, answer))).collect()
}

fn of_task(processor: &Processor, answer: &Answer) -> Predicted {
    let term = |term: &Term| PredictedTerm {
        source: prediction::source(processor, term.source),
        count: term.count,
        total: term.total_ns,
    };
    let mut terms: Vec<PredictedTerm> =
        answer.bound.as_ref().map_or(Vec::new(), |bound| bound.terms.iter().map(term).collect());
    terms.sort_by_key(|term| std::cmp::Reverse(term.total));
    let verdict = match answer.verdict {
        Verdict::Met => "met",
        Verdict::Missed => "missed",
        Verdict::Unknown => "unknown",
    };
    Predicted {
        verdict: verdict.to_string(),
        bound: answer.bound.as_ref().ok().map(|bound| bound.from_nominal_ns),
        no_bound: answer.bound.as_ref().err().map(ToString::to_string),
        terms,
    }
}
