// SPDX-License-Identifier: MIT OR Apache-2.0
//! From ring pages to stages: decodes events, follows the probe's thread, matches its samples to wakeups, counts what was lost.
use crate::blame::causes::totals;
use crate::blame::worst::DividedResponse;
use crate::blame::{Cause, Culprit, More};
use crate::event::{Section, Stamped, Thread};
use crate::processor::away::Away;
use crate::processor::elsewhere::Elsewhere;
use crate::processor::usual::Usual;
use crate::processor::{Holder, Processor};
use crate::responses::Responses;
use crate::ring::decoder::{Decoder, Sink};
use crate::ring::page::{Page, PageLayout};
use crate::stages::{Joined, Sample, StampedSample};
use crate::thread::loans::Loans;
use crate::thread::wakeup::Follower;
use backwall_model::units::{DisplayedValue, Unit};
use backwall_model::{Key, Stages, TracingCost, Warning};
use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

/// At most this many pages are kept until the thread is named: 0.1 s of the busiest CPU. Naming takes much less time.
const PUT_ASIDE: usize = 512;
/// Number of worst responses that a run stores with their causes.
pub const STORED: usize = 20;
/// If more than one response in 100 has no wakeup in the trace, the stages cover only a selection; a warning says so.
const UNMATCHED_ONE_IN: u64 = 100;

/// Settings of a digest.
#[derive(Clone, Copy, Debug, Default)]
pub struct TraceConfig {
    /// The CPU to which the probe's thread is pinned.
    pub cpu: u32,
    /// How many matched wakeups to keep individually, from the first one on.
    pub keep: usize,
    /// Whether the machine is virtual, so that a hypervisor may pause it at any time.
    pub virtual_machine: bool,
    /// After this time the events are switched off and on in turn, to measure their cost. `None`: never.
    pub steady: Option<Duration>,
}

/// The results of a recording for one phase.
#[derive(Clone, Debug)]
pub struct TraceReport {
    /// The stages of all matched responses.
    pub joined: Joined,
    /// Number of events that the kernel's ring buffer overwrote.
    pub events_lost: u64,
    /// What tracing cost a response, if measured.
    pub tracing_cost: Option<TracingCost>,
    /// The largest responses with their causes, largest first.
    pub worst: Vec<backwall_model::Worst>,
    /// Causes of the worst responses, largest first.
    pub blamed: Vec<DividedResponse>,
    /// The first matched wakeups, at most [`TraceConfig::keep`].
    pub kept: Vec<StampedSample>,
    /// Number of events read.
    pub events: u64,
    /// Notes for the user, one sentence each.
    pub warnings: Vec<Warning>,
}

impl TraceReport {
    /// The stages as a run stores them, for the series with this key.
    pub fn stages(&self, key: Key) -> Stages {
        Stages {
            key,
            matched: self.joined.matched,
            inferred: self.joined.inferred,
            unmatched: self.joined.unmatched,
            events_lost: self.events_lost,
            tracing_cost: self.tracing_cost.clone(),
            parts: self.joined.stage.clone(),
            of_worst: self.joined.of_worst.clone(),
            worst: self.worst.clone(),
            blamed: self.blamed.len() as u64,
            causes: totals(&self.blamed),
        }
    }

    /// The divided latency of response `seq`, if it is among the worst.
    pub fn blame(&self, seq: u64) -> Option<backwall_model::Blame> {
        self.blamed.iter().find(|blamed| blamed.sample.seq == seq).map(|blamed| blamed.blame.told())
    }
}

/// Digests the ring pages of one CPU.
#[derive(Clone, Debug)]
pub struct Digest {
    decoder: Decoder,
    layout: PageLayout,
    config: TraceConfig,
    processor: Processor,
    loans: Loans,
    usual: Usual,
    followed: Option<ProbeThread>,
    elsewhere: Elsewhere,
    /// Threads of this run. Other threads with backwall's prefix belong to another run.
    ours: BTreeSet<i32>,
    /// Pages that came before the thread was named.
    before: VecDeque<Box<[u8]>>,
    responses: Responses,
    first_ns: Option<u64>,
    events: u64,
    undecoded: u64,
    bad_pages: u64,
    first_bad: Option<String>,
}

#[derive(Clone, Debug)]
struct ProbeThread {
    follower: Follower,
    away: Away,
}

impl Digest {
    /// A digest for the pages of one CPU.
    pub fn new(decoder: Decoder, layout: PageLayout, config: TraceConfig) -> Self {
        Self {
            decoder,
            layout,
            config,
            processor: Processor::default(),
            loans: Loans::default(),
            usual: Usual::default(),
            followed: None,
            elsewhere: Elsewhere::default(),
            ours: BTreeSet::new(),
            before: VecDeque::new(),
            responses: Responses::keeping(config.keep),
            first_ns: None,
            events: 0,
            undecoded: 0,
            bad_pages: 0,
            first_bad: None,
        }
    }

    /// Sets the probe's thread, whose wakeups are followed.
    pub fn watch(&mut self, thread: i32) {
        self.elsewhere.follow(thread, self.config.cpu);
        self.followed = Some(ProbeThread { follower: Follower::new(thread), away: Away::new(thread, self.config.cpu) });
        for page in std::mem::take(&mut self.before) {
            self.page(&page);
        }
    }

    /// Whether the probe's thread is set.
    pub fn watches(&self) -> bool {
        self.followed.is_some()
    }

    /// Adds threads of this run, which are not counted as another run's.
    pub fn ours(&mut self, threads: impl IntoIterator<Item = i32>) {
        self.ours.extend(threads);
    }

    /// Adds events of other CPUs. They must come before the page of this CPU that covers their time.
    pub fn elsewhere(&mut self, events: impl IntoIterator<Item = Stamped>) {
        self.elsewhere.add(events);
    }

    /// Events of other CPUs were lost.
    pub fn elsewhere_lost(&mut self) {
        self.elsewhere.forget();
    }

    /// A thread's current name.
    pub fn name(&mut self, thread: Thread) {
        self.elsewhere.name(thread);
    }

    /// Threads without a name yet that stopped, froze or woke the followed thread. The caller looks up their names and passes
    /// them to [`Digest::name`] soon, because a thread may end.
    pub fn unnamed(&mut self) -> BTreeSet<i32> {
        self.elsewhere.unnamed()
    }

    /// Adds the next response.
    pub fn sample(&mut self, sample: Sample) {
        self.first_ns.get_or_insert(sample.stimulus_ns);
        self.responses.sample(sample);
    }

    /// Decodes the next page. Pages that come before the thread is named are kept until then.
    pub fn page(&mut self, bytes: &[u8]) {
        if self.followed.is_none() {
            return self.put_aside(bytes);
        }
        if let Err(error) = self.walk(bytes) {
            self.bad_pages += 1;
            self.first_bad.get_or_insert_with(|| error.to_string());
            self.forget();
        }
        self.responses.join();
    }

    fn put_aside(&mut self, bytes: &[u8]) {
        if self.before.len() == PUT_ASIDE {
            self.before.pop_front();
        }
        self.before.push_back(bytes.into());
    }

    /// The largest response so far with its cause, if it is longer than `above_ns`.
    pub fn worst_so_far(&self, above_ns: u64) -> Option<DividedResponse> {
        self.responses.worst.largest(above_ns).map(|worst| self.judge(worst))
    }

    /// Returns the result. `events_lost` is the ring buffer's own count; `tracing_cost` was measured separately.
    pub fn finish(mut self, events_lost: u64, tracing_cost: Option<TracingCost>) -> TraceReport {
        let last = self.followed.as_mut().and_then(|followed| followed.follower.finish(&self.processor));
        if let Some(last) = last {
            let last = self.elsewhere.told(&last).unwrap_or(last);
            self.responses.wake_up(&last, &self.processor);
        }
        self.responses.join();
        let unseen = self.responses.joiner.close();
        let blamed: Vec<DividedResponse> =
            self.responses.worst.blamed().into_iter().map(|blamed| self.judge(blamed)).collect();
        let worst = self.worst_of(&blamed, &unseen);
        let mut warnings = self.warnings();
        let joined = self.responses.joiner.finish();
        warnings.extend(warnings_of(&joined, events_lost, &worst));
        let (kept, events) = (self.responses.kept, self.events);
        TraceReport { joined, events_lost, tracing_cost, worst, blamed, kept, events, warnings }
    }

    fn judge(&self, mut blamed: DividedResponse) -> DividedResponse {
        for share in &mut blamed.blame.shares {
            share.culprit = share.culprit.map(|culprit| self.judged(share.cause, culprit, share.longest_ns));
        }
        blamed
    }

    /// The culprit with thread names that became known only later.
    fn called(&self, culprit: Culprit) -> Culprit {
        let holder = match culprit.holder {
            Holder::Thread(thread) => Holder::Thread(self.elsewhere.called(thread)),
            other => other,
        };
        let more = match culprit.more {
            More::Until { thread, group } => More::Until { thread: self.elsewhere.called(thread), group },
            other => other,
        };
        Culprit { holder, more }
    }

    /// Adds to a culprit what is known only at the end of the phase: a later name, an unusually long interrupt, another run's
    /// thread.
    fn judged(&self, cause: Cause, culprit: Culprit, longest_ns: u64) -> Culprit {
        let culprit = self.called(culprit);
        let more = match culprit.holder {
            Holder::Section(Section::Interrupt(name))
                if self.config.virtual_machine
                    && matches!(culprit.more, More::Nothing | More::Timers { at_least: 1, .. }) =>
            {
                self.usual.far_above(name, longest_ns).map(More::FarAbove)
            }
            Holder::Thread(thread) if culprit.more == More::Nothing && !cause.is_of_held_back_interrupt() => {
                let foreign = thread.name.starts_with(backwall_model::THREAD_PREFIX) && !self.ours.contains(&thread.id);
                foreign.then_some(More::OtherRun)
            }
            _ => None,
        };
        Culprit { more: more.unwrap_or(culprit.more), ..culprit }
    }

    /// The worst responses as a run stores them, including those without a wakeup in the trace.
    fn worst_of(&self, blamed: &[DividedResponse], unseen: &[Sample]) -> Vec<backwall_model::Worst> {
        let away = self.followed.as_ref().map(|followed| &followed.away);
        let seen = blamed.iter().map(|blamed| (blamed.sample, blamed.blame.total(), blamed.blame.told()));
        let unseen = unseen.iter().map(|sample| {
            let moved = away.and_then(|away| away.moved(sample.stimulus_ns, sample.response_ns));
            (*sample, sample.latency(), backwall_model::Blame::Unseen { moved })
        });
        let first_ns = self.first_ns.unwrap_or(0);
        let row = |(sample, value, blame): (Sample, u64, backwall_model::Blame)| backwall_model::Worst {
            seq: sample.seq,
            at: Some(sample.stimulus_ns.saturating_sub(first_ns)),
            value,
            blame: Some(blame),
        };
        let mut worst: Vec<backwall_model::Worst> = seen.chain(unseen).map(row).collect();
        worst.sort_by_key(|worst| std::cmp::Reverse(worst.value));
        worst.truncate(STORED);
        worst
    }

    fn warnings(&self) -> Vec<Warning> {
        let bad = self.first_bad.as_ref().map(|error| {
            let said =
                format!("{} sub-buffers of the kernel's trace buffer are damaged; the first: {error}", self.bad_pages);
            Warning::new("trace-unreadable", said)
        });
        let undecoded = (self.undecoded > 0).then(|| {
            let said =
                format!("{} records in the kernel's trace buffer have an unknown type or length", self.undecoded);
            Warning::new("trace-unknown-records", said)
        });
        let moved = self.followed.as_ref().and_then(|followed| followed.away.warning());
        [bad, undecoded, moved].into_iter().flatten().collect()
    }

    fn walk(&mut self, bytes: &[u8]) -> Result<(), crate::ring::page::PageError> {
        let page = Page::new(bytes, &self.layout)?;
        if page.missed().is_some() {
            self.forget();
        }
        let Self { decoder, processor, loans, usual, followed, elsewhere, responses, events, undecoded, .. } = self;
        let Some(followed) = followed else { return Ok(()) };
        let mut through = Through { processor, loans, usual, followed, elsewhere, responses };
        for record in page.records() {
            let record = record?;
            let taken = decoder.give(record.at_ns, record.data, record.ahead, &mut through);
            *(if taken { &mut *events } else { &mut *undecoded }) += 1;
        }
        Ok(())
    }

    fn forget(&mut self) {
        self.processor.forget();
        self.loans.forget();
        self.elsewhere.forget();
        if let Some(followed) = &mut self.followed {
            followed.follower.forget();
        }
    }
}

struct Through<'a> {
    processor: &'a mut Processor,
    loans: &'a mut Loans,
    usual: &'a mut Usual,
    followed: &'a mut ProbeThread,
    elsewhere: &'a mut Elsewhere,
    responses: &'a mut Responses,
}

impl Sink for Through<'_> {
    #[inline(always)]
    fn take(&mut self, stamped: &Stamped) {
        self.usual.push(stamped, self.processor);
        self.processor.push(stamped);
        self.loans.push(stamped, self.processor);
        self.followed.away.push(stamped);
        self.elsewhere.push(stamped, self.processor);
        if let Some(wake_up) = self.followed.follower.push(stamped, self.processor) {
            match self.elsewhere.told(wake_up) {
                Some(told) => self.responses.wake_up(&told, self.processor),
                None => self.responses.wake_up(wake_up, self.processor),
            }
        }
    }
}

fn warnings_of(joined: &Joined, events_lost: u64, worst: &[backwall_model::Worst]) -> Vec<Warning> {
    let Joined { matched, unmatched, .. } = joined;
    let all = matched + unmatched;
    if *matched == 0 && *unmatched > 0 && events_lost == 0 {
        let said =
            "the kernel's trace shows no wakeup of the probe by a timer on the probe's CPU, so there are no stages";
        return vec![Warning::new("no-stages", said)];
    }
    let lost = (events_lost > 0).then(|| Warning::trace_lost(events_lost));
    let many = (unmatched * UNMATCHED_ONE_IN > all).then(|| {
        let share = 100.0 * *unmatched as f64 / all as f64;
        let said = format!(
            "{unmatched} of {all} responses ({share:.1} %) were not fully recorded; stages, causes and self-check \
                cover the others only"
        );
        Warning::new("many-unseen", said)
    });
    let missed = |worst: &&backwall_model::Worst| matches!(worst.blame, Some(backwall_model::Blame::Unseen { .. }));
    let largest = worst.iter().find(missed).map(|first| {
        let count = worst.iter().filter(missed).count();
        let value = DisplayedValue(first.value, Unit::Ns);
        let said = format!(
            "{count} of the {} largest responses were not fully recorded; the largest of them took {value}",
            worst.len()
        );
        Warning::new("worst-unseen", said)
    });
    [lost, many, largest].into_iter().flatten().collect()
}
