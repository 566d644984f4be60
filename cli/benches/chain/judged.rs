// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fates, latencies, sums and culprits against the program's own stamps.
use super::figure;
use super::program::{Instance, Written};
use backwall_ftrace::recording_file;
use backwall_trace::blame::{Cause, More};
use backwall_trace::chain::instance::Fate;
use backwall_trace::chain::tally::DividedInstance;
use backwall_trace::chain::{Chains, Part, Spec, Step};
use backwall_trace::event::{Name, Thread};
use backwall_trace::processor::Holder;
use std::collections::{BTreeMap, HashMap};
use std::io::{Error, Result};
use std::path::Path;

// An injected culprit is found where its time differs by no more than this, and one part of it.
const WITHIN_NS: u64 = 10_000;
const WITHIN_PART: f64 = 0.05;
// Shorter delays need no cause.
const WORTH_NS: u64 = 100_000;
// The program's own work in the worker, and its uncertainty: wall time includes interrupts.
const RUN: u32 = 8;
const IRQ: u32 = 128;
const FAULT: u32 = 2_048;
const QUOTA: u32 = 8_192;
const BACKLOG: u32 = 16_384;

#[derive(Default)]
pub struct Agreement {
    due: u64,
    right: u64,
    mispaired: u64,
    inferred: u64,
    edges: u64,
    unequal: u64,
    agree: Option<bool>,
    errors_ns: Vec<i64>,
    culprits: BTreeMap<String, (u64, u64)>,
    lost: u64,
}

impl Agreement {
    pub fn of(spec: &str, folder: &Path, written: &Written) -> Result<Self> {
        let failed = |error: backwall_os::refusal::Refusal| Error::other(error.to_string());
        let spec = Spec::parse(spec).map_err(|error| Error::other(error.to_string()))?;
        let (file, mut stored) = recording_file::open(&folder.join(recording_file::FILE)).map_err(failed)?;
        let chains = Chains::telling(vec![spec], true).with_quotas(stored.about().quotas.clone());
        let (told, chains) = recording_file::told(&file, &mut stored, chains).map_err(failed)?;
        let mut judged = Self { lost: told.lost.unwrap_or(0), ..Self::default() };
        let by_start: HashMap<u64, (&Fate, &DividedInstance)> =
            chains.told().iter().map(|one| (one.divided.instance.start_ns, (&one.fate, &one.divided))).collect();
        for (number, own) in written.instances.iter().enumerate() {
            judged.instance(number, own, by_start.get(&own.release_ns).copied(), written);
        }
        for (_, tally) in chains.tallies() {
            (judged.unequal, judged.agree) = (tally.unequal, tally.ages.agree());
        }
        for counts in chains.counts(0) {
            judged.edges += counts.edges;
            judged.inferred += counts.inferred;
        }
        Ok(judged)
    }

    fn instance(&mut self, number: usize, own: &Instance, told: Option<(&Fate, &DividedInstance)>, written: &Written) {
        let last = number + 2 >= written.instances.len();
        if last || own.fate == "unfinished" {
            return;
        }
        self.due += 1;
        let Some((fate, divided)) = told.filter(|(fate, _)| fate.word() == own.fate) else {
            return self.tell(number, own, told);
        };
        self.right += 1;
        if *fate != Fate::Done {
            return;
        }
        let until_ns = divided.instance.until_ns();
        let error_ns = until_ns as i64 - own.written_ns as i64;
        self.errors_ns.push(error_ns);
        let others = written.instances[number.saturating_sub(8)..].iter().take(17);
        let nearest = others.filter(|one| one.written_ns > 0).min_by_key(|one| until_ns.abs_diff(one.written_ns));
        let other = nearest.is_some_and(|one| one.release_ns != own.release_ns);
        let mispaired = other && error_ns.unsigned_abs() > 100_000;
        self.mispaired += u64::from(mispaired);
        if mispaired {
            self.tell(number, own, Some((fate, divided)));
        }
        if !written.joins {
            self.culprits_of(own, divided, written);
            self.waits_of(number, own, divided, written);
        }
    }

    fn tell(&self, number: usize, own: &Instance, told: Option<(&Fate, &DividedInstance)>) {
        if std::env::var_os("BACKWALL_WRONG").is_some() {
            println!("# {number} {own:?}\n#   {:?}", told.map(|(fate, one)| (fate, &one.instance.visits)));
        }
    }

    /// Times that the program's own stamps tell: waits for an earlier instance, a poll or an interrupt, and page faults.
    fn waits_of(&mut self, number: usize, own: &Instance, divided: &DividedInstance, written: &Written) {
        let sum =
            |fits: &dyn Fn(&Part) -> bool| divided.parts.iter().filter(|part| fits(part)).map(Part::ns).sum::<u64>();
        let before = number.checked_sub(1).map(|before| &written.instances[before]);
        let was_busy = before.is_some_and(|before| before.worked_ns > own.handed_ns + WORTH_NS);
        let busy = if was_busy { own.got_ns.saturating_sub(own.handed_ns) } else { 0 };
        let polls = sum(&|part| part.step == Step::Polls);
        let polled = if polls > 0 { own.taken_ns.saturating_sub(own.worked_ns) } else { 0 };
        let gap = if own.injected == IRQ { own.gap_ns } else { 0 };
        let faults = if own.injected & FAULT != 0 { own.gap_ns } else { 0 };
        let quota = if own.injected & QUOTA != 0 { own.gap_ns } else { 0 };
        let backlog = if own.injected & BACKLOG != 0 { own.got_ns.saturating_sub(own.handed_ns) } else { 0 };
        let is_fault = |part: &Part| matches!(part.cause, Some(Cause::PageFault | Cause::AfterFault));
        let cases = [
            ("the worker's quota is used up", quota, with_interrupts_ns(&divided.parts, is_of_quota)),
            ("ksoftirqd before the worker", backlog, with_interrupts_ns(&divided.parts, is_of_ksoftirqd)),
            ("busy predecessor of the worker", busy, sum(&|part| part.hop == 2 && part.step == Step::Busy)),
            ("page faults of the worker", faults, sum(&|part| part.hop == 2 && is_fault(part))),
            ("actuator polls", polled, sum(&|part| part.hop == 3 && matches!(part.step, Step::Polls | Step::Ready))),
            (
                "long interrupt on the worker",
                gap,
                sum(&|part| part.hop == 2 && part.step == Step::Own && is_interrupt(part)),
            ),
        ];
        for (kind, wanted_ns, found_ns) in cases {
            if wanted_ns > WORTH_NS && !self.culprit(kind, wanted_ns, found_ns, WITHIN_NS, WITHIN_PART) {
                self.off(kind, (wanted_ns, found_ns), own, divided);
            }
        }
    }

    fn off(&self, kind: &str, (wanted_ns, found_ns): (u64, u64), own: &Instance, divided: &DividedInstance) {
        if std::env::var_os("BACKWALL_WRONG").is_some() {
            println!("# {kind}: {wanted_ns} wanted, {found_ns} found {own:?}");
            divided.parts.iter().for_each(|part| {
                println!(
                    "#   {} {:?} {} {:?} {:?} {:?}",
                    part.hop,
                    part.step,
                    part.ns(),
                    part.cause,
                    part.culprit,
                    part.from_ns
                )
            });
        }
    }

    fn culprits_of(&mut self, own: &Instance, divided: &DividedInstance, written: &Written) {
        let within = |name: &str, from_ns: u64, to_ns: u64| {
            let of = written.held.iter().filter(|(known, ..)| known == name);
            of.map(|(_, from, to)| (*to).min(to_ns).saturating_sub((*from).max(from_ns))).sum::<u64>()
        };
        let found = |name: &str, hops: &[usize], from_ns: u64, to_ns: u64| {
            let of_hops = divided.parts.iter().filter(|part| hops.contains(&part.hop));
            let cut =
                of_hops.map(|part| Part { from_ns: part.from_ns.max(from_ns), to_ns: part.to_ns.min(to_ns), ..*part });
            let inside = cut.filter(|part| part.from_ns < part.to_ns);
            inside
                .map(|part| if is_of(&part, name) { part.ns() } else { on_time_of(&part, name, &written.held) })
                .sum::<u64>()
        };
        // A delay of the worker after it woke the actuator delays no instance.
        let until_ns = own.worked_ns.min(own.taken_ns);
        let (before, after) = ((own.release_ns, own.handed_ns), (own.worked_ns, own.written_ns));
        let cases = [
            ("ch-hog1 preempts the worker", "ch-hog1", vec![(own.handed_ns, until_ns)], vec![2]),
            ("ch-hog0 preempts the timer or the actuator", "ch-hog0", vec![before, after], vec![0, 1, 3]),
            ("ch-mask disables interrupts", "ch-mask", vec![(own.handed_ns, until_ns)], vec![2]),
            ("softirq on the time of ch-soft", "ch-soft", vec![(own.handed_ns, until_ns)], vec![2]),
            ("ch-locker holds the lock", "ch-locker", vec![(own.asked_ns, own.worked_ns)], vec![2]),
        ];
        for (kind, name, spans, hops) in cases {
            let wanted_ns = spans.iter().map(|(from_ns, to_ns)| within(name, *from_ns, *to_ns)).sum();
            if wanted_ns > WORTH_NS {
                let found_ns: u64 = spans.iter().map(|(from_ns, to_ns)| found(name, &hops, *from_ns, *to_ns)).sum();
                if !self.culprit(kind, wanted_ns, found_ns, WITHIN_NS, WITHIN_PART) {
                    self.off(kind, (wanted_ns, found_ns), own, divided);
                }
            }
        }
        if own.injected & RUN != 0 {
            let run = divided.parts.iter().filter(|part| part.hop == 2 && part.step == Step::Own);
            let others = ["ch-hog1", "ch-locker"].map(|name| within(name, own.got_ns, own.worked_ns)).iter().sum();
            let wanted_ns = own.worked_ns.saturating_sub(own.got_ns).saturating_sub(others);
            self.culprit("own run of the worker", wanted_ns, run.map(Part::ns).sum(), 60_000, 0.10);
        }
    }

    fn culprit(&mut self, kind: &str, wanted_ns: u64, found_ns: u64, within_ns: u64, part: f64) -> bool {
        let most = within_ns + (wanted_ns as f64 * part) as u64;
        let counts = self.culprits.entry(kind.to_string()).or_default();
        let found = wanted_ns.abs_diff(found_ns) <= most;
        counts.0 += u64::from(found);
        counts.1 += 1;
        found
    }

    pub fn print(&self, name: &str, goal: f64, error_us: f64) {
        let percent = 100.0 * self.right as f64 / self.due.max(1) as f64;
        let lost = if self.lost > 0 { format!(", {} events lost", self.lost) } else { String::new() };
        let of = format!("{} of {}{lost}; {} of {} inferred", self.right, self.due, self.inferred, self.edges);
        figure(
            &format!("{name}: right fates"),
            &format!("{percent:.2}"),
            "%",
            &format!(">= {goal}"),
            Some(percent >= goal),
            &of,
        );
        let most = self.due / 10_000;
        let met = Some(self.mispaired <= most);
        figure(&format!("{name}: another's output"), &self.mispaired.to_string(), "", "<= 1 in 10,000", met, &of);
        let mut errors = self.errors_ns.clone();
        errors.sort_unstable();
        let at = |q: f64| errors.get(((errors.len() as f64 * q) as usize).min(errors.len().saturating_sub(1)));
        let us = |ns: Option<&i64>| ns.map_or("-".to_string(), |ns| format!("{:.1}", *ns as f64 / 1e3));
        let p99 = at(0.99).map_or(f64::INFINITY, |ns| *ns as f64 / 1e3);
        let (goal, met) = match error_us.is_nan() {
            true => ("-".to_string(), None),
            false => (format!("<= {error_us}"), Some(p99 <= error_us)),
        };
        let conditions = format!("median {}, max {}", us(at(0.5)), us(errors.last()));
        figure(&format!("{name}: latency less stamps, p99"), &us(at(0.99)), "us", &goal, met, &conditions);
        let unequal = Some(self.unequal == 0);
        figure(
            &format!("{name}: sums that differ"),
            &self.unequal.to_string(),
            "",
            "0",
            unequal,
            "every instance that is done",
        );
        let agree = self.agree.map_or("-", |agree| if agree { "equal" } else { "differ" });
        figure(&format!("{name}: max button to action and age"), agree, "", "equal", self.agree, "two loops");
        self.print_culprits(name);
    }

    pub fn print_culprits(&self, name: &str) {
        for (kind, (found, of)) in &self.culprits {
            let percent = 100.0 * *found as f64 / (*of).max(1) as f64;
            let conditions = format!("{found} of {of} within 10 us + 5 % (own run: 60 us + 10 %)");
            figure(
                &format!("{name}: {kind}"),
                &format!("{percent:.1}"),
                "%",
                ">= 95",
                Some(percent >= 95.0),
                &conditions,
            );
        }
    }

    pub fn add(&mut self, other: Self) {
        for (kind, (found, of)) in other.culprits {
            let counts = self.culprits.entry(kind).or_default();
            *counts = (counts.0 + found, counts.1 + of);
        }
    }
}

// The worker's waits for this cause, with the interrupts between the first of them and the last: the program cannot tell these apart.
fn with_interrupts_ns(parts: &[Part], is_cause: impl Fn(&Part) -> bool) -> u64 {
    let waits: Vec<&Part> = parts.iter().filter(|part| part.hop == 2 && part.step == Step::Ready).collect();
    let (first, last) = (waits.iter().position(|part| is_cause(part)), waits.iter().rposition(|part| is_cause(part)));
    let (Some(first), Some(last)) = (first, last) else { return 0 };
    waits[first..=last].iter().filter(|part| is_cause(part) || is_interrupt(part)).map(|part| part.ns()).sum()
}

fn is_interrupt(part: &Part) -> bool {
    part.culprit.is_some_and(|culprit| matches!(culprit.holder, Holder::Section(_)))
}

fn is_of_quota(part: &Part) -> bool {
    part.cause == Some(Cause::Quota)
}

// Its own time, or the softirq that it runs.
fn is_of_ksoftirqd(part: &Part) -> bool {
    let known = |thread: &Thread| thread.name == Name::new(b"ksoftirqd/1");
    part.culprit.is_some_and(|culprit| {
        matches!(&culprit.holder, Holder::Thread(thread) if known(thread))
            || matches!(&culprit.more, More::OnTimeOf(thread) if known(thread))
    })
}

fn is_of(part: &Part, name: &str) -> bool {
    let known = |thread: &Thread| thread.name == Name::new(name.as_bytes());
    part.culprit.is_some_and(|culprit| {
        matches!(&culprit.holder, Holder::Thread(thread) if known(thread))
            || matches!(&culprit.more, More::WhileHeldBy(thread) if known(thread))
    })
}

// What interrupts took of the time in which a thread kept others out: the program cannot tell these from the thread's own time.
fn on_time_of(part: &Part, name: &str, held: &[(String, u64, u64)]) -> u64 {
    if !is_interrupt(part) || !matches!(part.step, Step::Ready | Step::Start) {
        return 0;
    }
    let of = held.iter().filter(|(known, ..)| known == name);
    of.map(|(_, from, to)| part.to_ns.min(*to).saturating_sub(part.from_ns.max(*from))).sum()
}
