// SPDX-License-Identifier: MIT OR Apache-2.0
//! The result of each followed thread so far, and the report of it.
#![cfg_attr(test, expect(clippy::disallowed_methods, reason = "its tests read and write files"))]
use super::reader::Item;
use super::{AttachReport, AttachedThread, FROM, RECENT, Recent, key_of};
use backwall_model::units::{DisplayedValue, Unit, grouped};
use backwall_model::{Key, Series, Span, Stages, Warning};
use backwall_stats::SeriesBuilder;
use backwall_trace::blame::causes::totals;
use backwall_trace::blame::worst::DividedResponse;
use backwall_trace::collection::largest::Largest;
use backwall_trace::collection::spread::Spread;
use backwall_trace::event::Group;
use backwall_trace::stages::Sample;
use backwall_trace::thread::activation::{Activations, Late, ResponseFate};
use backwall_trace::thread::departures::Departures;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A response that began within this time before the end, and did not end, does not count.
const CUT_NS: u64 = 10_000_000;

const KEPT: usize = 100;

#[derive(Clone)]
pub(super) struct AttachedResult {
    activations: Activations,
    pub(super) threads: BTreeMap<i32, Of>,
    first_ns: Option<u64>,
    last_ns: u64,
    events: u64,
    /// Events that came too late to be put in order.
    late_events: u64,
    worst_ns: Arc<AtomicU64>,
}

#[derive(Clone)]
pub(super) struct Of {
    thread: AttachedThread,
    key: Key,
    builder: SeriesBuilder,
    spread: Spread,
    worst: Largest<KEPT, (u64, Reverse<u64>), DividedResponse>,
    pub(super) recent: Largest<RECENT, (u64, Reverse<u64>), DividedResponse>,
    deadline_ns: Option<u64>,
    seq: u64,
    inferred: u64,
    of_worst: u64,
    processors: BTreeMap<u32, u64>,
    unrecorded: Departures,
}

impl AttachedResult {
    pub(super) fn new(threads: &[AttachedThread], deadline_ns: Option<u64>, worst_ns: Arc<AtomicU64>) -> Self {
        let of = |thread: &AttachedThread| {
            let key = key_of(thread, threads.len() > 1);
            (thread.id, Of::new(thread.clone(), key, deadline_ns))
        };
        Self {
            activations: Activations::new(threads.iter().map(|thread| thread.id).collect())
                .with_quotas(quotas(threads)),
            threads: threads.iter().map(of).collect(),
            first_ns: None,
            last_ns: 0,
            events: 0,
            late_events: 0,
            worst_ns,
        }
    }

    pub(super) fn take(&mut self, at_ns: u64, cpu: u32, item: Item) {
        self.last_ns = self.last_ns.max(at_ns);
        let told = match item {
            Item::Event(stamped) => {
                self.events += 1;
                self.activations.push(cpu, &stamped)
            }
            Item::LossBegins => self.activations.begins_to_lose(cpu, at_ns),
            Item::LossEnds => self.activations.has_lost(cpu, at_ns),
        };
        told.into_iter().for_each(|told| self.told(told));
    }

    /// An event that comes after later ones were processed counts as a loss.
    pub(super) fn is_late(&mut self, at_ns: u64, cpu: u32) {
        self.late_events += 1;
        self.take(at_ns, cpu, Item::LossBegins);
        self.take(at_ns, cpu, Item::LossEnds);
    }

    fn told(&mut self, told: ResponseFate) {
        let (thread, since) = match &told {
            ResponseFate::Came { response, .. } => (response.thread.id, response.at_ns),
            ResponseFate::Unseen { thread } => (*thread, self.last_ns),
        };
        let at = since.saturating_sub(*self.first_ns.get_or_insert(since));
        if let Some(of) = self.threads.get_mut(&thread) {
            if std::mem::take(&mut of.thread.held) {
                return;
            }
            of.take(told, at);
            self.activations.explains_from(thread, of.explained_from_ns());
            self.worst_ns.fetch_max(of.of_worst, Ordering::Relaxed);
        }
    }

    pub(super) fn was_told(&mut self) {
        for (thread, of) in &mut self.threads {
            of.recent = Largest::default();
            self.activations.explains_from(*thread, of.explained_from_ns());
        }
    }

    pub(super) fn finish(mut self, events_lost: u64) -> AttachReport {
        let several = self.threads.len() > 1;
        let waits: Vec<(i32, u64)> = self.wait_at_the_end();
        let lost = (events_lost > 0).then(|| Warning::trace_lost(events_lost));
        let late = (self.late_events > 0).then(|| {
            let said = format!("{} events came too late to be put in time order", self.late_events);
            Warning::new("trace-disordered", said)
        });
        let unexplained = self.activations.unexplained();
        let unexplained = (unexplained > 0).then(|| {
            let said = format!(
                "{} of the longest responses were not explained: explaining them would have delayed the recording",
                grouped(unexplained)
            );
            Warning::new("not-explained", said)
        });
        let warnings = [lost, late, unexplained].into_iter().flatten().collect();
        let mut report = AttachReport { warnings, events: self.events, events_lost, ..AttachReport::default() };
        for (id, of) in self.threads {
            let waited = waits.iter().find(|(waiting, _)| *waiting == id).map(|(_, waited)| *waited);
            let who = if several { of.thread.label() } else { "the thread".to_string() };
            report.unrecorded += of.unrecorded.count();
            report.recent.extend(of.recents());
            report.warnings.extend(of.warnings(&who, waited));
            let (series, stages) = of.finish(self.first_ns.unwrap_or(0), events_lost);
            report.series.push(series);
            report.stages.push(stages);
        }
        report.recent.sort_by_key(|recent| Reverse(recent.ns));
        report
    }

    /// Threads that were still ready at the end, with how long they had waited. A shorter wait than `CUT_NS` was just cut by the
    /// end; a longer one counts as unseen.
    fn wait_at_the_end(&mut self) -> Vec<(i32, u64)> {
        let ids: Vec<i32> = self.threads.keys().copied().collect();
        let mut waits = Vec::new();
        for thread in ids {
            let Some(ready_at) = self.activations.ready_at(thread) else { continue };
            let waited = self.last_ns.saturating_sub(ready_at);
            if waited >= CUT_NS {
                self.told(ResponseFate::Unseen { thread });
                waits.push((thread, waited));
            }
        }
        waits
    }
}

impl Of {
    fn new(thread: AttachedThread, key: Key, deadline_ns: Option<u64>) -> Self {
        let span = Span::new(FROM, "running", Unit::Ns);
        Self {
            thread,
            builder: SeriesBuilder::new(key.clone(), span),
            key,
            spread: Spread::default(),
            worst: Largest::default(),
            recent: Largest::default(),
            deadline_ns,
            seq: 0,
            inferred: 0,
            of_worst: 0,
            processors: BTreeMap::new(),
            unrecorded: Departures::default(),
        }
    }

    fn take(&mut self, told: ResponseFate, at: u64) {
        let seq = self.seq;
        self.seq += 1;
        let ResponseFate::Came { response, inferred, behind, .. } = told else { return self.builder.unseen(at, 1) };
        let Late { cpu, at_ns, latency_ns, blame, .. } = response;
        let late = self.deadline_ns.is_some_and(|deadline| latency_ns > deadline);
        self.builder.sample(seq, at, latency_ns, late);
        self.spread.record(latency_ns);
        self.inferred += u64::from(inferred);
        behind.into_iter().for_each(|thread| self.unrecorded.add(thread));
        *self.processors.entry(cpu).or_default() += 1;
        self.of_worst = self.of_worst.max(latency_ns);
        let key = (latency_ns, Reverse(seq));
        let sample = Sample { seq, stimulus_ns: at_ns, response_ns: at_ns + latency_ns };
        if self.recent.admits(&key) {
            self.recent.push(key, DividedResponse { sample, blame: blame.clone() });
        }
        if self.worst.admits(&key) {
            self.worst.push(key, DividedResponse { sample, blame });
        }
    }

    fn explained_from_ns(&self) -> u64 {
        let kept_from = |floor: Option<&(u64, Reverse<u64>)>| floor.map_or(0, |(latency_ns, _)| *latency_ns);
        let late_from = self.deadline_ns.map_or(u64::MAX, |deadline| deadline.saturating_add(1));
        kept_from(self.worst.floor()).min(kept_from(self.recent.floor())).min(late_from)
    }

    fn recents(&self) -> impl Iterator<Item = Recent> {
        self.recent.values().map(|DividedResponse { sample, blame }| Recent {
            thread: self.thread.label(),
            ns: sample.latency(),
            blame: blame.told(),
            began_ns: sample.stimulus_ns,
        })
    }

    /// Warnings about what the thread's figures do not show. `who`: the thread's name; `waited`: how long the thread was ready
    /// at the end, if it was.
    fn warnings(&self, who: &str, waited: Option<u64>) -> Vec<Warning> {
        let (due, done, unrecorded) = (self.seq, self.spread.count(), self.unrecorded.count());
        let waits = waited.map(|waited| {
            let said = format!(
                "{who} was still ready to run at the end; it had waited for {}",
                DisplayedValue(waited, Unit::Ns)
            );
            Warning::new("waits-at-end", said)
        });
        let unseen = (due > done).then(|| {
            let said = format!(
                "backwall did not see the end of {} of {} wakeups of {who}: events were lost, or it was waiting at the end",
                grouped(due - done),
                grouped(due)
            );
            Warning::new("wakes-unseen", said)
        });
        let next = (unrecorded > 0).then(|| {
            let ends = &self.unrecorded;
            let said = format!(
                "{} of {} wakeups of {who} may be shorter than shown: no record of the switch from {ends}",
                grouped(unrecorded),
                grouped(due)
            );
            Warning::new("switch-unrecorded", said)
        });
        let several = (self.processors.len() > 1)
            .then(|| Warning::new("ran-on", format!("{who} ran on {}", places(&self.processors))));
        let never = (due == 0).then(|| {
            let said = format!(
                "{who} never woke up: it slept or ran the whole time (if it is in another PID namespace, its number \
                    differs)"
            );
            Warning::new("never-woken", said)
        });
        [waits, unseen, next, several, never].into_iter().flatten().collect()
    }

    fn finish(self, first_ns: u64, events_lost: u64) -> (Series, Stages) {
        let blamed: Vec<DividedResponse> = self.worst.values().cloned().collect();
        let (seen, inferred, key) = (self.spread.count(), self.inferred, self.key);
        let mut series = self.builder.build();
        // Without a deadline nobody knows which responses are late.
        series.late = series.late.filter(|_| self.deadline_ns.is_some());
        for worst in &mut series.worst {
            let of = blamed.iter().find(|blamed| blamed.sample.seq == worst.seq);
            worst.blame = of.map(|blamed| blamed.blame.told());
        }
        let row = |blamed: &DividedResponse| backwall_model::Worst {
            seq: blamed.sample.seq,
            at: Some(blamed.sample.stimulus_ns.saturating_sub(first_ns)),
            value: blamed.sample.latency(),
            blame: Some(blamed.blame.told()),
        };
        let stages = Stages {
            key,
            matched: seen,
            inferred,
            unmatched: series.known_missed(),
            events_lost,
            tracing_cost: None,
            parts: if seen > 0 { vec![self.spread.row(&format!("{FROM} to running"))] } else { Vec::new() },
            of_worst: if seen > 0 { vec![self.of_worst] } else { Vec::new() },
            worst: blamed.iter().map(row).collect(),
            blamed: blamed.len() as u64,
            causes: totals(&blamed),
        };
        (series, stages)
    }
}

fn quotas(threads: &[AttachedThread]) -> BTreeMap<i32, Group> {
    threads.iter().filter_map(|thread| Some((thread.id, Group::named(thread.quota.as_deref()?)))).collect()
}

/// `CPU 0 (120 times), CPU 1 (3 times)`.
fn places(processors: &BTreeMap<u32, u64>) -> String {
    let each: Vec<String> = processors.iter().map(|(cpu, times)| format!("CPU {cpu} ({times} times)")).collect();
    each.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_trace::event::{Event, Name, Section, Stamped, Thread};

    const FOLLOWED: i32 = 7;
    const SECOND_NS: u64 = 1_000_000_000;
    const DAY_S: u64 = 24 * 3_600;
    const RATE: u64 = 10;
    // This allows far less than one byte for each response of the day.
    const MARGIN_BYTES: u64 = 24 << 20;

    fn resident() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let row = status.lines().find(|row| row.starts_with("VmRSS:")).unwrap();
        row.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
    }

    fn thread(id: i32) -> Thread {
        Thread { id, priority: 120, name: Name::new(b"t") }
    }

    fn response(found: &mut AttachedResult, number: u64) {
        let at = number * SECOND_NS / RATE;
        let (other, took) = (100 + (number % 30_000) as i32, 1_000 + number.wrapping_mul(2_654_435_761) % 500_000);
        let event = |by: i32, at_ns: u64, event| {
            Item::Event(Stamped { at_ns, thread: by, in_thread: true, to_switch: true, event })
        };
        let switch =
            |from: i32, to: i32| Event::Switch { from: thread(from), preempted: from == other, to: thread(to) };
        let timer = Section::Interrupt(Name::new(b"timer"));
        found.take(at, 0, event(0, at, switch(0, other)));
        found.take(at + 100, 0, event(other, at + 100, Event::Enter(timer)));
        found.take(at + 200, 0, event(other, at + 200, Event::Waking { thread: FOLLOWED }));
        found.take(at + 300, 0, event(other, at + 300, Event::Leave(timer)));
        found.take(at + took, 0, event(other, at + took, switch(other, FOLLOWED)));
        found.take(at + took + 50, 0, event(FOLLOWED, at + took + 50, switch(FOLLOWED, 0)));
    }

    // The first response of a thread that backwall held is its release by backwall, and does not count.
    #[test]
    fn letting_a_thread_go_is_no_waking_of_its_own() {
        let due = |held| {
            let threads = [AttachedThread { id: FOLLOWED, name: "loop".to_string(), held, quota: None }];
            let mut found = AttachedResult::new(&threads, None, Arc::new(AtomicU64::new(0)));
            (0..3).for_each(|number| response(&mut found, number));
            found.finish(0).due()
        };
        assert_eq!((due(false), due(true)), (3, 2));
    }

    // The 100 longest are kept. After these, a response is explained only if it is longer than the shortest of them.
    #[test]
    fn what_is_neither_late_nor_among_the_longest_is_not_explained() {
        let explained = |deadline_ns| {
            let threads = [AttachedThread { id: FOLLOWED, name: "loop".to_string(), held: false, quota: None }];
            let mut found = AttachedResult::new(&threads, deadline_ns, Arc::new(AtomicU64::new(0)));
            (0..2_000).for_each(|number| response(&mut found, number));
            let of = &found.threads[&FOLLOWED];
            let all: Vec<&DividedResponse> = of.worst.values().chain(of.recent.values()).collect();
            assert!(all.iter().all(|blamed| blamed.blame.total() == blamed.sample.latency()));
            assert_eq!(all.len(), KEPT + RECENT);
            of.explained_from_ns()
        };
        let from_ns = explained(None);
        assert!(from_ns > 400_000, "of 1,000 to 501,000 the longest hundred of 2,000: {from_ns}");
        assert_eq!(explained(Some(200_000)), 200_001);
    }

    #[test]
    fn a_recording_that_lost_more_than_one_in_a_thousand_events_is_no_evidence() {
        let doubt = |events, events_lost| AttachReport { events, events_lost, ..AttachReport::default() }.doubt();
        assert_eq!((doubt(0, 0), doubt(999_000, 1_000)), (None, None));
        assert_eq!(doubt(1_000, 12_339).unwrap(), "the kernel's trace lost 12,339 of 13,339 events");
    }

    #[test]
    fn over_a_day_memory_is_flat() {
        let threads = [AttachedThread { id: FOLLOWED, name: "loop".to_string(), held: false, quota: None }];
        let mut found = AttachedResult::new(&threads, Some(400_000), Arc::new(AtomicU64::new(0)));
        let mut after_an_hour = 0;
        for number in 0..DAY_S * RATE {
            response(&mut found, number);
            if number % (60 * RATE) == 0 {
                // Every report calls this.
                found.was_told();
            }
            if number == 3_600 * RATE {
                after_an_hour = resident();
            }
        }
        let grown = resident().saturating_sub(after_an_hour);
        assert!(grown < MARGIN_BYTES, "{grown} bytes");
        let report = found.finish(0);
        assert_eq!(report.due(), DAY_S * RATE);
        assert!(report.series[0].late.is_some_and(|late| late > 0) && report.recent.len() <= RECENT);
    }
}
