// SPDX-License-Identifier: MIT OR Apache-2.0
//! A chain as text and as data: its worst latency, the fate of every instance, each hop, and the worst instance hop by hop.
use super::cause::culprit::{name, who};
use super::cause::{self, phrase};
use super::words::time;
use crate::table::{Align, Table};
use backwall_model::units::{Unit, counted, grouped};
use backwall_model::{Cause, Culprit, Holder, HolderDetail};
use backwall_trace::chain::find::Proposal;
use backwall_trace::chain::follow::{QuietThread, RenamedThread};
use backwall_trace::chain::instance::{Fate, Instance};
use backwall_trace::chain::spec::{By, Spec};
use backwall_trace::chain::tally::{Accused, DividedInstance, Tally, Total};
use backwall_trace::chain::{ChainSoFar, Chains, HopFacts, HopThreads, Part, Step};
use serde_json::{Value, json};

const CAUSES: usize = 3;
// If at most one in this many wakeups of a hop comes from the hop before it, the hop does not belong to the chain.
const SELDOM: u64 = 100;
const ROWS: usize = 12;
const PROPOSALS: usize = 12;
const WORST: usize = 20;

pub struct ChainReport<'a> {
    pub spec: &'a Spec,
    pub tally: &'a Tally,
    pub facts: HopFacts,
    pub begin_ns: u64,
    pub unit: Unit,
}

impl<'a> ChainReport<'a> {
    pub fn all(chains: &'a Chains, begin_ns: u64, unit: Unit) -> Vec<Self> {
        let each = chains.tallies().enumerate();
        let one = |(number, (spec, tally))| Self { spec, tally, facts: chains.facts(number), begin_ns, unit };
        each.map(one).collect()
    }

    /// A report of a chain that is still being followed; times count from the chain's first start.
    pub fn of(so_far: &'a ChainSoFar) -> Self {
        let ChainSoFar { spec, tally, facts } = so_far;
        let begin_ns = tally.begin_ns().unwrap_or(0);
        Self { spec, tally, facts: facts.clone(), begin_ns, unit: Unit::Ns }
    }

    pub(super) fn time(&self, value: u64) -> String {
        time(value, self.unit)
    }

    /// The name of a hop. Hop 0 is the part of an instance before the first hop.
    pub(super) fn hop(&self, hop: usize) -> String {
        match hop.checked_sub(1) {
            None => self.spec.start.to_string(),
            Some(hop) => self.spec.hops[hop].to_string(),
        }
    }

    // The hop's name; for a join, the name of the thread that arrived last.
    fn hop_of(&self, instance: &Instance, hop: usize) -> String {
        let visit = hop.checked_sub(1).filter(|place| matches!(self.spec.hops[*place].by, By::All(_)));
        let visit = visit.and_then(|place| instance.visits.get(place));
        let mut threads = self.facts.fitting.iter().flat_map(|hop| &hop.threads);
        let last = visit.and_then(|visit| threads.find(|thread| thread.id == visit.thread));
        last.map_or_else(|| self.hop(hop), |thread| thread.name.to_string())
    }

    fn edges(&self) -> (u64, u64) {
        let counts = &self.facts.counts;
        (counts.iter().map(|hop| hop.inferred).sum(), counts.iter().map(|hop| hop.edges).sum())
    }
}

pub fn text(chained: &ChainReport<'_>) -> String {
    let mut text = head(chained);
    text += &account(chained);
    if chained.tally.count(Fate::Done) > 0 {
        text += &format!("\n{}", hops(chained));
        text += &format!("\n{}", causes(chained));
        text += &chained.tally.worst().next().map_or(String::new(), |worst| format!("\n{}", partition(worst, chained)));
    }
    text + &notes(chained).iter().map(|note| format!("{note}\n")).collect::<String>()
}

/// The worst latency, its main hop, and the cause there.
fn head(chained: &ChainReport<'_>) -> String {
    let ChainReport { tally, spec, .. } = chained;
    let Some(worst) = tally.worst().next() else {
        return format!("{}: no instance reached the end ({spec})\n", spec.name);
    };
    format!("{}\n", worst_words(worst, chained))
}

/// `worst 190.0 us, mostly at act: its own run time, 120.0 us`.
pub fn worst_words(worst: &DividedInstance, chained: &ChainReport<'_>) -> String {
    let most = largest(worst);
    let hop = most.as_ref().map_or(0, |(accused, _)| accused.hop);
    let who = most
        .map_or(String::new(), |(accused, ns)| format!(": {}, {}", words(&accused, chained.spec), chained.time(ns)));
    format!("worst {}, mostly at {}{who}", chained.time(worst.instance.latency_ns()), chained.hop(hop))
}

fn account(chained: &ChainReport<'_>) -> String {
    let ChainReport { tally, spec, .. } = chained;
    let [due, done] = [tally.due(), tally.count(Fate::Done)].map(grouped);
    let (missed, unseen) = (grouped(tally.missed_count()), grouped(tally.count(Fate::Unseen)));
    let fates = Fate::MISSED.iter().map(|fate| (fate, tally.count(*fate))).filter(|(_, count)| *count > 0);
    let fates: Vec<String> = fates.map(|(fate, count)| format!("{} {}", grouped(count), fate.name())).collect();
    let fates = if fates.is_empty() { String::new() } else { format!(" ({})", fates.join(", ")) };
    let late = spec.deadline_ns.map_or(String::new(), |deadline_ns| {
        format!("; {} later than {}", grouped(tally.late), chained.time(deadline_ns))
    });
    format!("{due} due = {done} done + {missed} missed{fates} + {unseen} unseen{late}\n")
}

fn hops(chained: &ChainReport<'_>) -> String {
    let tally = chained.tally;
    let slow = match chained.spec.deadline_ns {
        Some(_) => "of late",
        None => "of worst 1%",
    };
    let heads = ["p50", "p99", "max", slow, "of variance"].map(|head| (head, Align::Right));
    let columns: Vec<(&str, Align)> = [("hop", Align::Left)].into_iter().chain(heads).collect();
    let mut table = Table::new(&columns);
    let percent = |share: Option<f64>| share.map_or("-".to_string(), |share| format!("{:.0} %", 100.0 * share));
    for (number, hop) in tally.hops.iter().enumerate() {
        let row = hop.spread.row("");
        let times = [row.p50, row.p99, row.max].map(|ns| chained.time(ns));
        let shares = [tally.slow_share(number), tally.variance_share(number)].map(percent);
        table.row([chained.hop(number)].into_iter().chain(times).chain(shares).collect());
    }
    let series = tally.series();
    let quantile = |q| {
        let value = series.quantile(q).and_then(|quantile| quantile.value);
        value.map_or("-".to_string(), |ns| chained.time(ns))
    };
    let max = series.max.map_or("-".to_string(), |ns| chained.time(ns));
    table.row(vec!["whole".to_string(), quantile(0.5), quantile(0.99), max]);
    table.text()
}

fn causes(chained: &ChainReport<'_>) -> String {
    let ranked = chained.tally.ranked();
    let main: Vec<&(Accused, Total)> = ranked.iter().filter(|(_, total)| total.largest_in > 0).collect();
    let slow = grouped(chained.tally.slow());
    let each = main.iter().take(CAUSES).map(|(accused, total)| {
        let change = advice(accused).map_or(String::new(), |advice| format!("    fix: {advice}\n"));
        format!(
            "{} of {slow}: {}: {} ({} together)\n{change}",
            grouped(total.largest_in),
            chained.hop(accused.hop),
            words(accused, chained.spec),
            chained.time(total.ns)
        )
    });
    let more = main.len().saturating_sub(CAUSES);
    let more = if more > 0 {
        format!("and {} (--json)\n", counted(more as u64, "more cause", "more causes"))
    } else {
        String::new()
    };
    each.collect::<String>() + &more
}

fn advice(accused: &Accused) -> Option<&'static str> {
    match (accused.step, accused.cause) {
        (Step::Polls, _) => Some("let the previous hop wake this one, or let this hop poll more often"),
        (Step::Busy, _) => Some("shorten the hop's work, or give it a thread for each instance"),
        (_, Some(Cause::Unexplained)) | (_, None) => None,
        (_, Some(cause)) => Some(cause::advice(cause, accused.culprit.as_ref())),
    }
}

/// The parts of an instance, merged if hop, step, cause and culprit are equal, in the order of their start.
fn summed(divided: &DividedInstance) -> Vec<(Accused, u64)> {
    let mut all: Vec<(Accused, u64)> = Vec::new();
    for part in &divided.parts {
        let accused = accused(part);
        match all.iter_mut().find(|(known, _)| *known == accused) {
            Some((_, ns)) => *ns += part.ns(),
            None => all.push((accused, part.ns())),
        }
    }
    all
}

pub(super) fn accused(part: &Part) -> Accused {
    Accused { hop: part.hop, step: part.step, cause: part.cause, culprit: part.told_culprit() }
}

fn largest(divided: &DividedInstance) -> Option<(Accused, u64)> {
    summed(divided).into_iter().max_by_key(|(_, ns)| *ns)
}

pub(super) fn words(accused: &Accused, spec: &Spec) -> String {
    let Accused { step, cause, culprit, hop } = accused;
    let by = || culprit.as_ref().map_or("somebody".to_string(), who);
    let why = || cause.map_or_else(by, |cause| phrase(cause, culprit.as_ref()));
    match step {
        Step::Start | Step::Own => why(),
        Step::Ready if *cause == Some(Cause::Dispatch) => "wakeup to running: the kernel's own path".to_string(),
        Step::Ready => format!("waited for a CPU: {}", why()),
        Step::Waits => waits(culprit.as_ref()),
        Step::Busy if *cause == Some(Cause::OwnRun) => "busy with an earlier instance".to_string(),
        Step::Busy => format!("busy with an earlier instance: {}", why()),
        Step::Polls => "waited for its next poll".to_string(),
        Step::Outside => "waited for an answer from outside".to_string(),
        Step::Section => match hop.checked_sub(1).map(|hop| &spec.hops[hop].by) {
            Some(By::Thread(_) | By::All(_)) | None => "its own run time".to_string(),
            Some(_) => "until it woke the next hop".to_string(),
        },
        Step::Unseen => "the recording does not show what happened".to_string(),
    }
}

pub fn part_words(spec: &Spec, part: &Part) -> String {
    words(&accused(part), spec)
}

fn waits(culprit: Option<&Culprit>) -> String {
    match culprit {
        Some(Culprit { holder, more: Some(HolderDetail::WhileHeldBy(waker)) }) => {
            let holder = who(&Culprit { holder: holder.clone(), more: None });
            format!("waited for {}, while {holder} had its CPU", name(waker))
        }
        Some(Culprit { holder: Holder::Thread(thread), .. }) => format!("waited for {}", name(thread)),
        Some(culprit) => format!("slept until {}", who(culprit)),
        None => "slept; the recording does not show who woke it".to_string(),
    }
}

fn partition(divided: &DividedInstance, chained: &ChainReport<'_>) -> String {
    let instance = &divided.instance;
    let mut table = Table::new(&[("time", Align::Right), ("hop", Align::Left), ("who used it", Align::Left)]);
    let mut all = summed(divided);
    let mut hidden = 0;
    if all.len() > ROWS {
        let mut by_time: Vec<u64> = all.iter().map(|(_, ns)| *ns).collect();
        by_time.sort_unstable_by(|a, b| b.cmp(a));
        let least = by_time[ROWS - 1];
        let before = all.len();
        all.retain(|(_, ns)| *ns >= least);
        hidden = before - all.len();
    }
    let shown: u64 = all.iter().map(|(_, ns)| ns).sum();
    for (accused, ns) in &all {
        table.row(vec![chained.time(*ns), chained.hop_of(instance, accused.hop), words(accused, chained.spec)]);
    }
    if hidden > 0 {
        let rest = instance.latency_ns() - shown;
        table.row(vec![chained.time(rest), String::new(), counted(hidden as u64, "smaller part", "smaller parts")]);
    }
    format!(
        "the worst: instance {} from {} after the first event, {} in all\n{}",
        grouped(instance.number),
        chained.time(instance.start_ns.saturating_sub(chained.begin_ns)),
        chained.time(instance.latency_ns()),
        table.text()
    )
}

fn notes(chained: &ChainReport<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    let (inferred, edges) = chained.edges();
    if inferred > 0 {
        notes.push(format!(
            "{} of {} hand-overs are inferred, because the next thread was already awake",
            grouped(inferred),
            grouped(edges)
        ));
    }
    notes.extend(polls(chained));
    notes.extend(changes(chained));
    notes.extend(chained.facts.waits.iter().map(|wait| {
        let (done, last) = (grouped(chained.tally.count(Fate::Done)), grouped(wait.last_in));
        let most = chained.time(wait.most_ns);
        format!(
            "{} was the last thread to arrive at {} in {last} of {done} instances, by at most {most}",
            wait.thread,
            chained.hop(wait.place + 1)
        )
    }));
    let ages = &chained.tally.ages;
    if ages.compared > 0 && (ages.button_max_ns > 0) {
        let agree = if ages.agree() == Some(false) { "; but backwall's two ways to compute it disagree" } else { "" };
        notes.push(format!(
            "button to action at most {} (equal to the oldest data age){agree}",
            chained.time(ages.button_max_ns)
        ));
    }
    if chained.tally.unequal > 0 {
        notes.push(format!("{} have parts whose sum is not their latency", grouped(chained.tally.unequal)));
    }
    notes
}

fn changes(chained: &ChainReport<'_>) -> Vec<String> {
    let renamed = chained.facts.renamed.iter().map(|RenamedThread { place, thread, .. }| {
        let (hop, id) = (chained.hop(place + 1), thread.id);
        format!("{hop} ({id}) was renamed to {}, and backwall has not followed it since; name the thread by its number, {id}", thread.name)
    });
    let quiet = chained.facts.quiet.iter().map(|QuietThread { thread, ns, .. }| {
        let (name, id, time) = (thread.name, thread.id, chained.time(*ns));
        format!(
            "{name} ({id}) did nothing in the last {time} before the last start: it ended, or waits for another thread"
        )
    });
    // A thread may be two hops.
    renamed.chain(quiet).fold(Vec::new(), |mut all, note| {
        all.extend((!all.contains(&note)).then_some(note));
        all
    })
}

fn polls(chained: &ChainReport<'_>) -> Vec<String> {
    let (counts, hops) = (&chained.facts.counts, &chained.spec.hops);
    let never = |place: &usize| {
        let hop = &counts[*place];
        *place > 0
            && !hops[*place].polls
            && hop.by_previous * SELDOM <= hop.wakeups
            && hop.edges - hop.inferred <= hop.by_previous
            && hop.wakeups > 0
            && !matches!(hops[*place - 1].by, By::Softirq(_) | By::Work(_))
    };
    let say = |place: usize| {
        let own = counts[place].by_own_timer;
        let how = if own * 2 > counts[place].wakeups {
            format!("it wakes by its own timer, {} times; if it polls, write 'polls {}'", grouped(own), hops[place])
        } else {
            format!(
                "{} wakeups came from other threads; backwall chain --find shows which",
                grouped(counts[place].wakeups - counts[place].by_previous)
            )
        };
        let (hop, before) = (&hops[place], &hops[place - 1]);
        match counts[place].by_previous {
            0 => format!("{hop} is never woken by {before}: {how}"),
            some => format!(
                "{hop} is woken by {before} in {} of {} wakeups: {how}",
                grouped(some),
                grouped(counts[place].wakeups)
            ),
        }
    };
    (0..counts.len()).filter(never).map(say).collect()
}

/// Why a chain has no result; `None` if all its threads appeared and at least one instance started.
pub fn missing(chained: &ChainReport<'_>, known: &[String]) -> Option<String> {
    let renamed = |place: usize| chained.facts.renamed.iter().any(|one| one.place == place);
    for HopThreads { wanted, threads, place } in &chained.facts.fitting {
        if threads.is_empty() && !renamed(*place) {
            let near = backwall_model::units::near::near(&wanted.to_string(), known.iter().map(String::as_str));
            let near = near.map_or(String::new(), |near| format!("; did you mean '{near}'?"));
            return Some(format!("no thread '{wanted}' in this recording{near}"));
        }
        if threads.len() > 1 && !wanted.has_star() {
            let ids: Vec<String> = threads.iter().take(8).map(|thread| thread.id.to_string()).collect();
            return Some(format!(
                "'{wanted}' is the name of {} threads: {}; name one by its number",
                threads.len(),
                ids.join(", ")
            ));
        }
    }
    (chained.tally.due() == 0).then(|| format!("'{}' never occurred: no instance started", chained.spec.start))
}

pub fn json(chained: &ChainReport<'_>) -> Value {
    let ChainReport { tally, spec, .. } = chained;
    let (inferred, edges) = chained.edges();
    let fates: serde_json::Map<String, Value> =
        Fate::MISSED.iter().map(|fate| (fate.word().to_string(), json!(tally.count(*fate)))).collect();
    let ages = &tally.ages;
    json!({
        "name": spec.name,
        "chain": spec.to_string(),
        "due": tally.due(),
        "done": tally.count(Fate::Done),
        "missed": tally.missed_count(),
        "unseen": tally.count(Fate::Unseen),
        "fates": fates,
        "late": spec.deadline_ns.map(|_| tally.late),
        "deadline_ns": spec.deadline_ns,
        "edges": edges,
        "inferred": inferred,
        "latency": tally.series(),
        "others": tally.others(),
        "check": {
            "max_button_to_action_ns": ages.button_max_ns,
            "max_age_ns": ages.replaced_max_ns,
            "compared": ages.compared,
            "agree": ages.agree(),
            "unequal_sums": tally.unequal,
        },
        "hops": hops_json(chained),
        "slow": tally.slow(),
        "causes": tally.ranked().iter().map(|ranked| cause_json(ranked, chained)).collect::<Vec<Value>>(),
        "worst": tally.worst().take(WORST).map(|one| worst_json(one, chained)).collect::<Vec<Value>>(),
        "notes": notes(chained),
    })
}

fn hops_json(chained: &ChainReport<'_>) -> Vec<Value> {
    let counts = &chained.facts.counts;
    let each = chained.tally.hops.iter().enumerate();
    each.map(|(number, hop)| {
        let row = hop.spread.row(&chained.hop(number));
        let count = number.checked_sub(1).map(|place| counts[place]);
        json!({
            "hop": number, "name": chained.hop(number), "count": hop.spread.count(),
            "min_ns": row.min, "p50_ns": row.p50, "p99_ns": row.p99, "max_ns": row.max,
            "share_of_slow": chained.tally.slow_share(number),
            "share_of_variance": chained.tally.variance_share(number),
            "edges": count.map(|count| count.edges), "inferred": count.map(|count| count.inferred),
            "wakeups": count.map(|count| count.wakeups), "by_previous": count.map(|count| count.by_previous),
            "by_own_timer": count.map(|count| count.by_own_timer),
        })
    })
    .collect()
}

fn cause_json((accused, total): &(Accused, Total), chained: &ChainReport<'_>) -> Value {
    json!({
        "hop": accused.hop, "name": chained.hop(accused.hop), "step": accused.step.word(), "cause": accused.cause,
        "culprit": accused.culprit, "what": words(accused, chained.spec),
        "largest_in": total.largest_in, "ns": total.ns,
    })
}

fn worst_json(divided: &DividedInstance, chained: &ChainReport<'_>) -> Value {
    let instance = &divided.instance;
    let visits = instance.visits.iter().map(|visit| {
        json!({
            "thread": visit.thread, "how": visit.how.word(), "arrived_ns": visit.arrived_ns,
            "taken_ns": visit.taken_ns, "handed_ns": visit.handed_ns,
        })
    });
    let parts = divided.parts.iter().map(|part| {
        let accused = accused(part);
        json!({
            "hop": part.hop, "step": part.step.word(), "cause": part.cause, "culprit": accused.culprit,
            "what": words(&accused, chained.spec), "cpu": part.cpu, "from_ns": part.from_ns, "ns": part.ns(),
        })
    });
    json!({
        "number": instance.number, "start_ns": instance.start_ns, "latency_ns": instance.latency_ns(),
        "visits": visits.collect::<Vec<Value>>(), "parts": parts.collect::<Vec<Value>>(),
    })
}

pub fn proposals(proposals: &[Proposal]) -> String {
    if proposals.is_empty() {
        return "no chain: in a chain a timer or an interrupt starts a thread, and this thread wakes another one in at \
            least half of its turns\n"
            .to_string();
    }
    let columns = [("rate", Align::Right), ("goes on", Align::Right), ("chain", Align::Left)];
    let mut table = Table::new(&columns);
    for one in proposals.iter().take(PROPOSALS) {
        let shares: Vec<String> = one.shares.iter().map(|share| format!("{:.1} %", 100.0 * share)).collect();
        let unstable = if one.stable { "" } else { "  (not stable)" };
        table.row(vec![format!("{:.1}/s", one.rate), shares.join(" "), format!("'{}'{unstable}", one.spec)]);
    }
    let more = proposals.len().saturating_sub(PROPOSALS);
    let more = if more > 0 {
        format!("and {} (--json)\n", counted(more as u64, "more chain", "more chains"))
    } else {
        String::new()
    };
    table.text()
        + &more
        + "goes on: the share of a hop's turns that wake the next hop; to follow a chain: backwall chain '…' TRACE\n"
}

pub fn proposals_json(proposals: &[Proposal]) -> Value {
    let each = proposals.iter().map(|one| {
        json!({"chain": one.spec.to_string(), "per_second": one.rate, "shares": one.shares, "stable": one.stable})
    });
    Value::Array(each.collect())
}
