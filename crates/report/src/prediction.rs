// SPDX-License-Identifier: MIT OR Apache-2.0
//! Analysis of a task set, as text and JSON.
use super::printable::printable_lines;
use super::table::{Align, Table};
use super::wrap::{cut, wrapped};
use backwall_model::units::{grouped, tenths};
use backwall_tasks::predict::answer::{Bound, NoBound, Source, Term, Verdict};
use backwall_tasks::predict::arrival::Arrival;
use backwall_tasks::predict::chains::ChainBound;
use backwall_tasks::predict::constant::Constant;
use backwall_tasks::predict::prediction::{Analysed, verdict};
use backwall_tasks::predict::processor::Answer;
use backwall_tasks::predict::sensitivity::{Growth, SCALE_MOST};
use backwall_tasks::sources;
use serde::Serialize;

const NAME_COLUMNS: usize = 18;

pub fn text(processors: &[Analysed], constants: &[Constant], columns: usize) -> String {
    let mut said = wrapped(&headline(processors), columns);
    for analysed in processors {
        said += &wrapped(&utilization(analysed), columns);
        said += &table(analysed, columns);
        said += &reasons(analysed, columns);
        said += &growth(analysed, constants, columns);
    }
    said += &tightest(processors).map(|(analysed, task)| breakdown(analysed, task, columns)).unwrap_or_default();
    // Replace control characters one by one, so that names keep their length and columns stay aligned.
    printable_lines(&(said + &chance(processors, columns) + &origins(constants, columns)))
}

fn growth(analysed: &Analysed, constants: &[Constant], columns: usize) -> String {
    let Some(growth) = &analysed.growth else { return String::new() };
    let mut parts: Vec<String> = Vec::new();
    if let Some(scale) = growth.scale_thousandths {
        let more = if scale == SCALE_MOST { ", or more" } else { "" };
        parts.push(format!("all computations {}.{:03} times{more}", scale / 1_000, scale % 1_000));
    }
    let costs = constants.iter().zip(&growth.costs_ns);
    parts.extend(costs.filter_map(|(constant, most)| Some(format!("{} {}", constant.name, exact((*most)?)))));
    let mut said = String::new();
    if !parts.is_empty() {
        said += &wrapped(&format!("all deadlines are still met with: {}", parts.join(", ")), columns);
    }
    if growth.given_up {
        said += &wrapped(
            "the search for the largest growth stopped early, because this set takes too long; a larger growth may be \
                possible",
            columns,
        );
    }
    said
}

fn chance(processors: &[Analysed], columns: usize) -> String {
    let tasks = processors.iter().flat_map(|analysed| &analysed.processor.tasks);
    let exceeded = tasks.filter_map(|task| match task.arrival {
        Arrival::Poisson { exceeded, .. } => Some(exceeded),
        _ => None,
    });
    let Some(exceeded) = exceeded.reduce(f64::max) else { return String::new() };
    let said = format!(
        "Poisson series have no worst case: each busy period exceeds its assumed bound with probability {exceeded:e}"
    );
    wrapped(&said, columns)
}

pub(super) fn origins(constants: &[Constant], columns: usize) -> String {
    let one = |constant: &Constant| {
        let lost = if constant.lost > 0 { format!(" ({} more lost)", grouped(constant.lost)) } else { String::new() };
        let samples = if constant.count > 0 { format!(" of {}{lost}", grouped(constant.count)) } else { String::new() };
        wrapped(
            &format!(
                "{} {}: {}{samples}, {}",
                constant.name,
                exact(constant.value_ns),
                constant.statistic,
                constant.from
            ),
            columns,
        )
    };
    constants.iter().map(one).collect()
}

fn headline(processors: &[Analysed]) -> String {
    let answers = || processors.iter().flat_map(|analysed| analysed.processor.tasks.iter().zip(&analysed.answers));
    let names = |wanted: Verdict| {
        let names = answers().filter(|(_, answer)| answer.verdict == wanted).map(|(task, _)| task.name.as_str());
        names.collect::<Vec<_>>().join(", ")
    };
    let plural = |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    let all =
        format!("{} on {}", plural(answers().count(), "series", "series"), plural(processors.len(), "CPU", "CPUs"));
    match verdict(processors) {
        Verdict::Met => format!("every deadline is met: {all}"),
        Verdict::Missed => format!("a deadline can be missed: {} (of {all})", names(Verdict::Missed)),
        Verdict::Unknown => format!("not decided: {} (of {all})", names(Verdict::Unknown)),
    }
}

fn utilization(analysed: &Analysed) -> String {
    let used = tenths(analysed.share().percent());
    let mut said = format!("CPU {}: utilization {used} %", analysed.number);
    let pass = |passes: bool| if passes { "passes" } else { "says nothing" };
    if let Some(tests) = analysed.sufficient() {
        said += &format!(
            "; Liu and Layland's test {} ({} %), the hyperbolic one {} ({:.3} of 2)",
            pass(tests.liu_layland),
            tenths(tests.liu_layland_bound * 100.0),
            pass(tests.hyperbolic),
            tests.hyperbolic_product
        );
    }
    said
}

fn table(analysed: &Analysed, width: usize) -> String {
    let differ =
        |answer: &Answer| answer.bound.as_ref().is_ok_and(|bound| bound.from_nominal_ns != bound.from_arrival_ns);
    let arrivals = analysed.answers.iter().any(differ);
    let mut columns = vec![("series", Align::Left), ("computes", Align::Right), ("deadline", Align::Right)];
    columns.extend([("response", Align::Right), ("", Align::Left)]);
    columns.extend(analysed.growth.is_some().then_some(("may compute", Align::Right)));
    columns.extend(arrivals.then_some(("from arrival", Align::Right)));
    let mut table = Table::new(&columns);
    for (index, (task, answer)) in analysed.processor.tasks.iter().zip(&analysed.answers).enumerate() {
        let grown = |growth: &Growth| growth.computation_ns[index].map_or("-".into(), exact);
        let response = |value: fn(&Bound) -> u64| answer.bound.as_ref().map_or("-".into(), |bound| exact(value(bound)));
        let mut row = vec![cut(&task.name, NAME_COLUMNS), exact(task.computation_ns), exact(task.deadline_ns)];
        row.extend([response(|bound| bound.from_nominal_ns), word(answer.verdict).into()]);
        row.extend(analysed.growth.as_ref().map(grown));
        row.push(response(|bound| bound.from_arrival_ns));
        table.row(row);
    }
    table.within(width, &["from arrival", "may compute"])
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Met => "met",
        Verdict::Missed => "MISSED",
        Verdict::Unknown => "unknown",
    }
}

fn reasons(analysed: &Analysed, columns: usize) -> String {
    let mut found: Vec<(&NoBound, Vec<&str>)> = Vec::new();
    for (task, answer) in analysed.processor.tasks.iter().zip(&analysed.answers) {
        let Err(reason) = &answer.bound else { continue };
        match found.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(&task.name),
            None => found.push((reason, vec![&task.name])),
        }
    }
    found.iter().map(|(reason, names)| wrapped(&format!("{}: {reason}", names.join(", ")), columns)).collect()
}

fn tightest(processors: &[Analysed]) -> Option<(&Analysed, usize)> {
    let used = |analysed: &Analysed, index: usize| {
        let bound = analysed.answers[index].bound.as_ref().ok()?;
        Some(u128::from(bound.from_nominal_ns) * (1 << 60) / u128::from(analysed.processor.tasks[index].deadline_ns))
    };
    let all = processors.iter().flat_map(|analysed| (0..analysed.answers.len()).map(move |index| (analysed, index)));
    all.filter(|(analysed, index)| used(analysed, *index).is_some())
        .max_by_key(|(analysed, index)| used(analysed, *index))
}

fn breakdown(analysed: &Analysed, index: usize, columns: usize) -> String {
    let Ok(bound) = &analysed.answers[index].bound else { return String::new() };
    let task = &analysed.processor.tasks[index];
    let title = format!(
        "nearest to its deadline is {}: {} of {}, reached by job {} of its busy period:",
        cut(&task.name, NAME_COLUMNS),
        exact(bound.from_nominal_ns),
        exact(task.deadline_ns),
        bound.worst_job
    );
    let mut terms = bound.terms.clone();
    // The sum of the remaining terms comes last, however large it is.
    terms.sort_by_key(|term| (of_terms(term) > 1, std::cmp::Reverse(term.total_ns)));
    let mut table = Table::new(&[("", Align::Right), ("", Align::Right), ("", Align::Left)]);
    const SHOWN: usize = 12;
    for term in terms.iter().take(SHOWN) {
        let count = if term.count == 1 { String::new() } else { format!("{} x", grouped(term.count)) };
        table.row(vec![exact(term.total_ns), count, sources::name(&analysed.processor, term.source)]);
    }
    if terms.len() > SHOWN {
        let rest: u64 = terms[SHOWN..].iter().map(|term| term.total_ns).sum();
        let hidden: usize = terms.iter().skip(SHOWN).map(of_terms).sum();
        table.row(vec![exact(rest), String::new(), format!("{} more", grouped(hidden as u64))]);
    }
    if bound.earlier_ns > 0 {
        table.row(vec![format!("-{}", exact(bound.earlier_ns)), String::new(), "before its release".into()]);
    }
    wrapped(&title, columns)
        + &table.within(columns, &[]).lines().skip(1).map(|line| line.to_string() + "\n").collect::<String>()
}

fn of_terms(term: &Term) -> usize {
    if let Source::Rest(count) = term.source { count } else { 1 }
}

/// A time to the nanosecond: `52 ns`, `1,277.003 us`, `12 ms`.
pub fn exact(ns: u64) -> String {
    let (unit, name) = match ns {
        0..10_000 => (1, "ns"),
        10_000..10_000_000 => (1_000, "us"),
        10_000_000..10_000_000_000 => (1_000_000, "ms"),
        _ => (1_000_000_000, "s"),
    };
    let fraction = format!("{:09}", (ns % unit) * (1_000_000_000 / unit));
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{}{point}{fraction} {name}", grouped(ns / unit))
}

pub fn chains(bounds: &[ChainBound], columns: usize) -> String {
    let one = |chain: &ChainBound| {
        let deadline = chain.deadline_ns.map(|ns| format!(", deadline {}: {}", exact(ns), word(chain.verdict)));
        let said = match (chain.reaction_ns, chain.age_ns, &chain.no_bound) {
            (Some(reaction), Some(age), _) => {
                let by = if chain.offsets { "; these bounds use the set's offsets" } else { "" };
                format!("button to action within {}, data age within {}{by}", exact(reaction), exact(age))
            }
            (_, _, reason) => format!("not analysable: {}", reason.as_deref().unwrap_or("no bound")),
        };
        wrapped(&format!("chain {}: {said}{}", chain.name, deadline.unwrap_or_default()), columns)
    };
    printable_lines(&bounds.iter().map(one).collect::<String>())
}

#[derive(Debug, Serialize)]
pub struct Record {
    verdict: Verdict,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    chains: Vec<ChainBound>,
    processors: Vec<ProcessorRecord>,
    constants: Vec<Constant>,
}

#[derive(Debug, Serialize)]
struct ProcessorRecord {
    processor: u32,
    utilization_percent: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    sufficient: Option<backwall_tasks::predict::utilization::Sufficient>,
    #[serde(skip_serializing_if = "Option::is_none")]
    largest_scale: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    largest_constants_ns: Vec<Option<u64>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    growth_given_up: bool,
    series: Vec<SeriesRecord>,
}

#[derive(Debug, Serialize)]
struct SeriesRecord {
    name: String,
    verdict: Verdict,
    computation_ns: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    largest_computation_ns: Option<u64>,
    deadline_ns: u64,
    from_nominal_ns: Option<u64>,
    from_arrival_ns: Option<u64>,
    worst_job: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    no_bound: Option<String>,
    terms: Vec<TermRecord>,
    before_release_ns: u64,
}

#[derive(Debug, Serialize)]
struct TermRecord {
    source: String,
    count: u64,
    total_ns: u64,
}

pub fn record(processors: &[Analysed], chains: &[ChainBound], constants: &[Constant]) -> Record {
    let records = processors.iter().map(processor_record).collect();
    let verdict = chains.iter().map(|chain| chain.verdict).fold(verdict(processors), Ord::max);
    Record { verdict, chains: chains.to_vec(), processors: records, constants: constants.to_vec() }
}

fn processor_record(analysed: &Analysed) -> ProcessorRecord {
    let scale = analysed.growth.as_ref().and_then(|growth| growth.scale_thousandths);
    ProcessorRecord {
        processor: analysed.number,
        utilization_percent: analysed.share().percent(),
        sufficient: analysed.sufficient(),
        largest_scale: scale.map(|scale| scale as f64 / 1_000.0),
        largest_constants_ns: analysed.growth.as_ref().map_or(Vec::new(), |growth| growth.costs_ns.clone()),
        growth_given_up: analysed.growth.as_ref().is_some_and(|growth| growth.given_up),
        series: (0..analysed.answers.len()).map(|index| series_record(analysed, index)).collect(),
    }
}

fn series_record(analysed: &Analysed, index: usize) -> SeriesRecord {
    let (task, answer) = (&analysed.processor.tasks[index], &analysed.answers[index]);
    let bound = answer.bound.as_ref().ok();
    let term = |term: &Term| TermRecord {
        source: sources::name(&analysed.processor, term.source),
        count: term.count,
        total_ns: term.total_ns,
    };
    SeriesRecord {
        name: task.name.clone(),
        verdict: answer.verdict,
        computation_ns: task.computation_ns,
        largest_computation_ns: analysed.growth.as_ref().and_then(|growth| growth.computation_ns[index]),
        deadline_ns: task.deadline_ns,
        from_nominal_ns: bound.map(|bound| bound.from_nominal_ns),
        from_arrival_ns: bound.map(|bound| bound.from_arrival_ns),
        worst_job: bound.map(|bound| bound.worst_job),
        no_bound: answer.bound.as_ref().err().map(ToString::to_string),
        terms: bound.map_or(Vec::new(), |bound| bound.terms.iter().map(term).collect()),
        before_release_ns: bound.map_or(0, |bound| bound.earlier_ns),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_keeps_its_last_nanosecond() {
        let shown = [52, 9_999, 10_000, 1_277_003, 12_000_000, 12_000_000_001].map(exact);
        assert_eq!(shown, ["52 ns", "9,999 ns", "10 us", "1,277.003 us", "12 ms", "12.000000001 s"]);
    }
}
