// SPDX-License-Identifier: MIT OR Apache-2.0
//! Causes of late responses, as a self-contained text for a ticket.
use super::accused;
use super::cause::{self, phrase};
use super::remedy::Machine;
use super::words::{priority, share, time};
use crate::advice;
use crate::printable::printable_lines;
use crate::table::{Align, Table};
use crate::wrap::narrow;
use backwall_model::units::{Unit, counted, grouped};
use backwall_model::{CauseTotal, Extension, Key, Run, Series, Stages};
use backwall_trace::late::lates::{Late, Lates, StillReady};
use backwall_trace::late::whose::Whose;
use serde_json::{Value, json};

const CAUSES: usize = 8;
/// Maximum number of measured responses per phase that the text explains one by one.
const MEASURED: usize = 3;
/// The text of an advice begins at this column at the latest.
const CHANGE: usize = 12;

pub const WAKING: &str = "from the timer or the wakeup to the switch to the thread";
pub const WHOLE: &str = "from the timer or the wakeup to the thread's next sleep";
pub const WINDOW: &str = "from the edge of the stimulus to the edge of the answer, as the scope saw them";

pub const WHOLE_WINDOW: &str = "from the edge of the stimulus to the end of the answer's pulse, as the scope saw them";

pub struct LateResponses<'a> {
    pub about: &'a str,
    pub lates: &'a Lates,
    pub ranked: &'a [CauseTotal],
    pub begin_ns: u64,
    pub unit: Unit,
    pub span: &'a str,
}

pub fn text(blamed: &LateResponses<'_>) -> String {
    let lates = blamed.lates;
    let question = lates.question();
    let (late, all) = (grouped(lates.late), grouped(lates.responses));
    let mut text = match lates.responses {
        0 => {
            format!(
                "{}\nthe recording has no response to count ({}), {}\n",
                blamed.about,
                whose(&question.whose),
                blamed.span
            )
        }
        _ => format!(
            "{}\n{late} of {all} responses of {}{}, {}\n",
            blamed.about,
            whose(&question.whose),
            over(blamed),
            blamed.span
        ),
    };
    if lates.late == 0 && question.whose == Whose::RealTime {
        text += "other threads' responses: --thread all\n";
    }
    text += &not_seen(blamed);
    text += &unexplained(lates);
    text += &causes(blamed);
    let worst = lates.worst.as_ref();
    worst.map_or(text.clone(), |worst| text + "\n" + &partition(worst, blamed))
}

/// The limit above which responses are late, ` over 100.0 us`. Empty if all responses count.
fn over(blamed: &LateResponses<'_>) -> String {
    match blamed.lates.question().above_ns {
        0 => String::new(),
        above_ns => format!(" over {}", time(above_ns, blamed.unit)),
    }
}

/// Responses without a recorded end, including threads that wait forever.
fn not_seen(blamed: &LateResponses<'_>) -> String {
    let Lates { unseen, unnamed, still_ready, longest_ready, .. } = blamed.lates;
    let mut text = String::new();
    if *unseen > 0 {
        let were = counted(*unseen, "more began but has no recorded end", "more began but have no recorded end");
        text += &format!("{were}\n");
    }
    if let Some(StillReady { thread, since_ns }) = longest_ready {
        text += &format!(
            "{} still ready when the recording ended; {} ({}, {}) was ready longest, since {} after the first event\n",
            counted(*still_ready, "of these was", "of these were"),
            thread.name,
            thread.id,
            priority(thread.priority),
            time(since_ns.saturating_sub(blamed.begin_ns), blamed.unit)
        );
    }
    if *unnamed > 0 {
        text += &format!(
            "{} that no switch event names; --thread may not find these threads\n",
            counted(*unnamed, "wakeup is of a thread", "wakeups are of threads")
        );
    }
    text
}

fn whose(whose: &Whose) -> String {
    match whose {
        Whose::RealTime => "real-time threads".to_string(),
        Whose::All => "all threads".to_string(),
        Whose::Number(id) => format!("thread {id}"),
        Whose::Numbers(ids) => counted(ids.len() as u64, "thread", "threads"),
        Whose::Name(name) => format!("threads named {name}"),
    }
}

/// If many threads wait long at once, explaining all of them would take longer than reading the recording. backwall only counts
/// the rest.
fn unexplained(lates: &Lates) -> String {
    let text = |count| {
        format!(
            "{} of them have no cause: too many threads waited too long at once; narrow the choice with --above or --thread\n",
            grouped(count)
        )
    };
    Some(lates.unexplained()).filter(|count| *count > 0).map(text).unwrap_or_default()
}

fn causes(blamed: &LateResponses<'_>) -> String {
    let lates = blamed.lates;
    let explained = lates.late.saturating_sub(lates.unexplained());
    let of = format!("{}{}", grouped(explained), over(blamed));
    let machine = Machine::recorded(&lates.lates);
    let change = |total: &CauseTotal| cause::remedy(total.accused.cause, total.accused.culprit.as_ref(), &machine);
    causes_of(&blamed.ranked.iter().collect::<Vec<_>>(), &of, blamed.unit, &change)
}

/// The causes that made at least one response late, the most frequent first, each with what to change about it.
fn causes_of(ranked: &[&CauseTotal], of: &str, unit: Unit, change: &dyn Fn(&CauseTotal) -> String) -> String {
    let ranked = accused::without_bystanders(ranked);
    let main = ranked.iter().filter(|(ranked, _)| ranked.largest_in > 0);
    let each = main.clone().take(CAUSES).map(|(ranked, meanwhile)| {
        let at_most = ranked.longest_ns.map_or(String::new(), |longest| format!(", {} at most", time(longest, unit)));
        let change = change(ranked).replace('\n', "\n        ");
        let change = format!("    fix: {change}\n");
        format!(
            "{} of {of}: {}{meanwhile} ({} together{at_most})\n{change}",
            grouped(ranked.largest_in),
            accused::total(ranked),
            time(ranked.ns, unit),
        )
    });
    each.collect::<String>() + &others(main.count())
}

fn others(causes: usize) -> String {
    match causes.saturating_sub(CAUSES) {
        0 => String::new(),
        more => format!("and {} (--json)\n", counted(more as u64, "more cause", "more causes")),
    }
}

/// The worst response in whole nanoseconds, or in instructions.
fn partition(late: &Late, blamed: &LateResponses<'_>) -> String {
    let total = late.latency_ns;
    let head = if blamed.unit == Unit::Ns { "ns" } else { "instructions" };
    let mut table = Table::new(&[(head, Align::Right), ("share", Align::Right), ("who used it", Align::Left)]);
    for one in &late.blame.shares {
        table.row(vec![grouped(one.ns), share(one.ns, total), phrase(one.cause, one.told_culprit().as_ref())]);
    }
    table.row(vec![grouped(total), share(total, total), "the whole response".to_string()]);
    let from = match (late.timed, late.locked, [WINDOW, WHOLE_WINDOW].contains(&blamed.span)) {
        (_, _, true) => "the stimulus",
        (_, true, _) => "its request for a lock",
        (true, ..) => "its timer",
        _ => "its waking",
    };
    format!(
        "the worst: {} ({}, {}) on CPU {}, from {from} at {} after the first event\n{}",
        late.thread.name,
        late.thread.id,
        priority(late.thread.priority),
        late.cpu,
        time(late.at_ns.saturating_sub(blamed.begin_ns), blamed.unit),
        table.text() + &accused::wakers(&late.blame.told()).map_or(String::new(), |wakers| format!("{wakers}\n"))
    )
}

/// The causes of each traced phase, in lines of at most `columns`, each with its fix and the commands for it.
pub fn of_run(run: &Run, columns: usize) -> String {
    let head = format!("{} · {} · {}\n", crate::phrase::typed(run), run.started, crate::phrase::short_system(run));
    let whose = match run.plan.extension {
        Extension::Tasks(_) => ["job that missed its deadline", "jobs that missed their deadlines"],
        _ => ["worst traced response", "worst traced responses"],
    };
    let traced = |stages: &Stages| {
        let machine = Machine::of_phase(run, &stages.key);
        let change = |total: &CauseTotal| {
            let text = cause::remedy(total.accused.cause, total.accused.culprit.as_ref(), &machine);
            advice::lines(&printable_lines(&text), columns.saturating_sub(CHANGE)).join("\n")
        };
        phase(&named(run, &stages.key), stages, whose, &change)
    };
    let of_key = |key: &Key| run.stages.iter().filter(|stages| stages.key == *key).map(traced).collect::<String>();
    let each = run.series.iter().map(|series| measured(run, series) + &of_key(&series.key));
    let other = run.stages.iter().filter(|stages| run.series.iter().all(|series| series.key != stages.key));
    narrow(&(head + &each.collect::<String>() + &other.map(traced).collect::<String>()), columns)
}

// The name of the phase as on the first screen, after the name of what was measured. `wakeup` is usual, so it is not named.
fn named(run: &Run, key: &Key) -> String {
    let phase = crate::brief::phase_name(run, key);
    if key.name == "wakeup" { phase } else { format!("{}, {phase}", key.name) }
}

/// The largest measured responses of a phase that have a recorded cause, and always the maximum.
fn measured(run: &Run, series: &Series) -> String {
    let recorded = series.worst.iter().filter(|worst| worst.blame.is_some()).count();
    let Some(max) = series.worst.first().filter(|_| recorded > 0) else { return String::new() };
    let mut text = format!("\n{}: the worst measured responses\n", named(run, &series.key));
    if max.blame.is_none() {
        text += &format!("{}: its cause was not recorded\n", time(max.value, series.unit));
    }
    for (worst, blame) in series.worst.iter().filter_map(|worst| Some((worst, worst.blame.as_ref()?))).take(MEASURED) {
        text += &format!("{}\n", accused::line(blame, worst.value));
    }
    text
}

pub fn has_causes(run: &Run) -> bool {
    !run.stages.is_empty() || run.series.iter().flat_map(|series| &series.worst).any(|worst| worst.blame.is_some())
}

fn phase(name: &str, stages: &Stages, [one, many]: [&str; 2], change: &dyn Fn(&CauseTotal) -> String) -> String {
    let whose = counted(stages.blamed, one, many);
    let mut text = format!("\n{name}: where the time of the {whose} went\n");
    text += &causes_of(&stages.ranked(), &grouped(stages.blamed), Unit::Ns, change);
    if let Some(worst) = stages.worst.first() {
        let line = worst.blame.as_ref().map(|blame| accused::line(blame, worst.value));
        text += &format!("the worst of these: {}\n", line.unwrap_or_else(|| "incompletely recorded".to_string()));
    }
    text
}

pub fn beyond(lates: &Lates) -> Option<String> {
    (lates.beyond() > 0).then(|| {
        format!(
            "{} of threads beyond the first 65,536, whose responses are not counted",
            counted(lates.beyond(), "event is", "events are")
        )
    })
}

pub fn json(blamed: &LateResponses<'_>, mut named: Value) -> Value {
    let LateResponses { lates, ranked, begin_ns, .. } = blamed;
    let late: Vec<Value> = lates.lates.iter().map(|late| record(late, *begin_ns)).collect();
    let own = json!({
        "above_ns": lates.question().above_ns, "due": lates.responses + lates.unseen, "responses": lates.responses,
        "unseen": lates.unseen, "unnamed": lates.unnamed, "still_ready": lates.still_ready, "late": lates.late,
        "unexplained": lates.unexplained(),
        "causes": ranked.iter().map(ranked_cause).collect::<Vec<_>>(), "responses_late": late,
    });
    if let (Value::Object(named), Value::Object(own)) = (&mut named, own) {
        named.extend(own);
    }
    named
}

fn ranked_cause(total: &CauseTotal) -> Value {
    let CauseTotal { largest_in, part_of, ns, longest_ns, .. } = total;
    json!({
        "what": accused::total(total), "largest_in": largest_in, "part_of": part_of, "ns": ns, "longest_ns": longest_ns,
        "advice": cause::advice_of(total),
    })
}

fn record(late: &Late, begin_ns: u64) -> Value {
    let shares = late
        .blame
        .shares
        .iter()
        .map(|share| json!({ "what": phrase(share.cause, share.told_culprit().as_ref()), "ns": share.ns }));
    json!({
        "thread": late.thread.name.to_string(), "id": late.thread.id, "priority": late.thread.priority, "cpu": late.cpu,
        "at_ns": late.at_ns.saturating_sub(begin_ns), "latency_ns": late.latency_ns, "timed": late.timed, "locked": late.locked,
        "shares": shares.collect::<Vec<_>>(), "wakers": accused::wakers(&late.blame.told()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_model::{
        Accusation, Blame, Cause, Culprit, Holder, Key, Origin, Plan, Share, Shares, Span, Thread, Wakers,
    };
    use backwall_stats::SeriesBuilder;

    fn culprit(name: &str) -> Option<Culprit> {
        let thread = Thread { name: Some(name.into()), id: None, priority: None, series: false };
        Some(Culprit { holder: Holder::Thread(thread), more: None })
    }

    fn total(cause: Cause, name: &str, ns: u64, largest_in: u64) -> CauseTotal {
        let accused = Accusation { cause, culprit: culprit(name) };
        CauseTotal { accused, ns, largest_in, part_of: None, longest_ns: Some(ns) }
    }

    #[test]
    fn pauses_of_the_machine_below_are_one_cause_whoever_ran() {
        let all = [
            total(Cause::Blocking, "cc1", 90_000, 3),
            total(Cause::Below, "rustc", 40_000, 2),
            total(Cause::Below, "qemu", 70_000, 2),
        ];
        let change = |total: &CauseTotal| cause::advice_of(total).to_string();
        let text = causes_of(&all.iter().collect::<Vec<_>>(), "7", Unit::Ns, &change);
        let first = text.lines().next().unwrap();
        assert!(first.starts_with("4 of 7: the hypervisor") && first.contains("while rustc"), "{text}");
        assert!(first.contains("or another thread ran (110.0 us together, 70.0 us at most)"), "{text}");
        assert!(text.contains("3 of 7: cc1"), "{text}");
    }

    #[test]
    fn a_run_tells_the_cause_of_its_maximum_first_and_where_none_was_recorded() {
        let mut run = Run::begin(Origin::Measured, Plan::default(), Vec::new(), jiff::Timestamp::UNIX_EPOCH);
        let mut builder = SeriesBuilder::new(Key::new("wakeup", "none", "as-is"), Span::new("a", "b", Unit::Ns));
        [20_000, 7_300_000, 90_000].iter().zip(0..).for_each(|(value, seq)| builder.sample(seq, seq, *value, false));
        run.series.push(builder.build());
        assert!(!has_causes(&run));
        let shares = Shares::of([Share { cause: Cause::Below, culprit: culprit("qemu"), ns: 90_000 }]).unwrap();
        run.series[0].worst[1].blame = Some(Blame::Shares { shares: shares.clone(), wakers: Wakers::default() });
        let text = of_run(&run, usize::MAX);
        assert!(has_causes(&run) && text.contains("7,300.0 us: its cause was not recorded\nof 90.0 us: "), "{text}");
        run.series[0].worst[0].blame = Some(Blame::Shares { shares, wakers: Wakers::default() });
        assert!(!of_run(&run, usize::MAX).contains("not recorded"));
    }
}
