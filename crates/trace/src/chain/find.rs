// SPDX-License-Identifier: MIT OR Apache-2.0
//! Proposes chains from a recording.
//!
//! A thread's turn lasts from the wakeup that ends its sleep to its next sleep. A path starts with a thread's timer or with an
//! interrupt. It goes on from its last thread to the thread that this one wakes in at least half of its turns. A path is
//! unstable if the two halves of the recording differ.
use super::context::Contexts;
use super::pattern::Pattern;
use super::spec::{End, HOPS_MAX, Hop, Spec, Start};
use super::states::Waker;
use crate::account::analysis::Listener;
use crate::collection::by_number::ByNumber;
use crate::event::{Event, Name, Section, Stamped, Thread};
use crate::late::timers::Timers;
use crate::processor::Processor;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

const THREADS_MAX: usize = 8_192;
const WAKES_MAX: usize = 32;
// At most this many wakers of one thread are distinguished.
const WAKERS_MAX: usize = 32;
const TURNS_MIN: u64 = 20;
const SHARE_MIN: f64 = 0.5;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum TurnStart {
    Timer,
    /// An interrupt, by its index, or a softirq that follows the interrupt.
    Interrupt(usize),
    Thread(i32),
    Else,
}

type Halves = [u64; 2];

#[derive(Clone, Debug)]
struct Turns {
    thread: Thread,
    asleep: bool,
    begun: TurnStart,
    woke: Vec<i32>,
    turns: BTreeMap<TurnStart, Halves>,
    wakes: BTreeMap<(TurnStart, i32), Halves>,
}

/// Counts which thread wakes which.
#[derive(Clone, Debug)]
pub struct Finder {
    all: ByNumber<Turns>,
    timers: Timers,
    timed: bool,
    contexts: Contexts,
    lines: Vec<Name>,
    /// The interrupts that run timers.
    of_timers: BTreeSet<usize>,
    /// The latest interrupt of each CPU. A softirq after this interrupt belongs to it.
    last_line: BTreeMap<u32, usize>,
    middle_ns: u64,
    seconds: f64,
    /// Only chains through one of these threads are proposed. If this is empty, all chains are proposed.
    only: BTreeSet<i32>,
}

/// A chain that a recording shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The chain, in the form that `Chains` follows.
    pub spec: Spec,
    /// Instances per second.
    pub rate: f64,
    /// For each hop, the share of its turns in which it wakes the next hop.
    pub shares: Vec<f64>,
    /// Whether both halves of the recording show the same chain.
    pub stable: bool,
    rank: f64,
}

impl Finder {
    /// For a recording from `begin_ns` to `end_ns`. `timed`: its timestamps use the clock of the timers. If `only` is not empty,
    /// each chain must contain one of these threads.
    pub fn new((begin_ns, end_ns): (u64, u64), timed: bool, only: BTreeSet<i32>) -> Self {
        Self {
            all: ByNumber::new(THREADS_MAX),
            timers: Timers::default(),
            timed,
            contexts: Contexts::default(),
            lines: Vec::new(),
            of_timers: BTreeSet::new(),
            last_line: BTreeMap::new(),
            middle_ns: begin_ns + (end_ns - begin_ns) / 2,
            seconds: (end_ns - begin_ns) as f64 / 1e9,
            only,
        }
    }

    fn of(&mut self, id: i32) -> Option<&mut Turns> {
        if id == 0 {
            return None;
        }
        let new = || Turns {
            thread: Thread::numbered(id),
            asleep: true,
            begun: TurnStart::Else,
            woke: Vec::new(),
            turns: BTreeMap::new(),
            wakes: BTreeMap::new(),
        };
        self.all.of(id, new)
    }

    fn line(&mut self, name: Name) -> usize {
        match self.lines.iter().position(|known| *known == name) {
            Some(place) => place,
            None => {
                self.lines.push(name);
                self.lines.len() - 1
            }
        }
    }

    fn waking(&mut self, id: i32, cpu: u32, stamped: &Stamped, processor: &Processor) {
        let half = usize::from(stamped.at_ns >= self.middle_ns);
        let (waker, softirq) = self.contexts.waker(cpu, stamped, processor);
        let by_own_timer = self.timed && self.timers.of(cpu, id).is_some();
        let begun = match waker {
            _ if by_own_timer => TurnStart::Timer,
            Waker::Section(Section::Interrupt(name)) => TurnStart::Interrupt(self.line(name)),
            Waker::Thread(by) => TurnStart::Thread(by),
            Waker::Section(_) if softirq.is_some() => {
                self.last_line.get(&cpu).map_or(TurnStart::Else, |line| TurnStart::Interrupt(*line))
            }
            _ => TurnStart::Else,
        };
        if let Waker::Thread(by) = waker
            && by != id
            && let Some(turns) = self.of(by)
            && !turns.woke.contains(&id)
            && turns.woke.len() < WAKES_MAX
        {
            turns.woke.push(id);
        }
        let Some(turns) = self.of(id) else { return };
        if turns.asleep {
            let known = turns.turns.len() < WAKERS_MAX || turns.turns.contains_key(&begun);
            let begun = if known { begun } else { TurnStart::Else };
            (turns.asleep, turns.begun) = (false, begun);
            turns.turns.entry(begun).or_default()[half] += 1;
        }
    }

    fn sleeps(&mut self, id: i32, half: usize) {
        let Some(turns) = self.of(id) else { return };
        let begun = turns.begun;
        turns.asleep = true;
        for id in std::mem::take(&mut turns.woke) {
            if turns.wakes.len() < WAKES_MAX * WAKERS_MAX || turns.wakes.contains_key(&(begun, id)) {
                turns.wakes.entry((begun, id)).or_default()[half] += 1;
            }
        }
    }

    /// The proposed chains. First come frequent ones whose last thread has a high priority.
    pub fn proposals(&self) -> Vec<Proposal> {
        let mut all = Vec::new();
        for turns in self.all.all().iter().filter(|turns| !turns.thread.is_number()) {
            for (begun, halves) in &turns.turns {
                let count: u64 = halves.iter().sum();
                let is_start = matches!(begun, TurnStart::Timer | TurnStart::Interrupt(_));
                if is_start && count >= TURNS_MIN && !self.is_minor(turns, *begun, count) {
                    self.paths(turns, *begun, count, &mut all);
                }
            }
        }
        all.sort_by(|one, other| {
            other.rank.total_cmp(&one.rank).then_with(|| one.spec.to_string().cmp(&other.spec.to_string()))
        });
        all
    }

    // The timer interrupt also wakes threads whose turns mostly begin otherwise. It is a start of the thread's chains only if
    // it begins most of the thread's turns.
    fn is_minor(&self, turns: &Turns, begun: TurnStart, count: u64) -> bool {
        let all: u64 = turns.turns.values().flatten().sum();
        matches!(begun, TurnStart::Interrupt(line) if self.of_timers.contains(&line)) && 2 * count <= all
    }

    fn paths(&self, first: &Turns, begun: TurnStart, count: u64, all: &mut Vec<Proposal>) {
        // A path may come back to a thread: the server of a graph wakes each client, and each client wakes the server.
        let mut hops = vec![first.thread];
        let mut passed = vec![(first.thread.id, begun)];
        let (mut shares, mut stable, mut from, mut begun) = (Vec::new(), true, first, begun);
        let root = begun;
        while hops.len() < HOPS_MAX
            && let Some((next, share, both)) = self.next(from, begun, &passed)
        {
            hops.push(next.thread);
            shares.push(share);
            stable &= both;
            begun = TurnStart::Thread(from.thread.id);
            from = next;
            passed.push((next.thread.id, begun));
        }
        let wanted = self.only.is_empty() || hops.iter().any(|thread| self.only.contains(&thread.id));
        // A user who names a process also wants its threads that work alone, each woken by its own timer.
        let is_loop = !self.only.is_empty() && root == TurnStart::Timer;
        if (hops.len() < 2 && !is_loop) || !wanted {
            return;
        }
        let start = match root {
            // A CPU's timer interrupt serves all threads, so the chain starts with the wakeup of its first thread.
            TurnStart::Interrupt(line) if self.of_timers.contains(&line) => Start::Wake(self.named(&hops[0])),
            TurnStart::Interrupt(line) => Start::Interrupt(Pattern::Name(self.lines[line].to_string())),
            _ => Start::Timer(self.named(&hops[0])),
        };
        let urgency = hops.last().map_or(20.0, urgency);
        let spec = Spec {
            name: "chain".to_string(),
            start,
            hops: hops.iter().map(|thread| Hop::thread(self.named(thread))).collect(),
            end: End::Sleep,
            period_ns: None,
            deadline_ns: None,
        };
        let rate = if self.seconds > 0.0 { count as f64 / self.seconds } else { 0.0 };
        all.push(Proposal { spec, rate, shares, stable, rank: count as f64 * urgency * urgency });
    }

    /// The thread that `from` wakes in at least half of those turns of `from` that began with `begun`; real-time threads come
    /// first. Also the share of those turns, and whether both halves of the recording show the wakeups.
    fn next(&self, from: &Turns, begun: TurnStart, passed: &[(i32, TurnStart)]) -> Option<(&Turns, f64, bool)> {
        let turns = from.turns.get(&begun).copied().unwrap_or_default();
        let all: u64 = turns.iter().sum();
        let by = TurnStart::Thread(from.thread.id);
        let woken = from.wakes.iter().filter(|((of, _), _)| *of == begun).filter_map(|((_, id), halves)| {
            let count: u64 = halves.iter().sum();
            let fits = count >= TURNS_MIN && count as f64 >= SHARE_MIN * all as f64 && !passed.contains(&(*id, by));
            let next = self.all.get(*id).filter(|next| fits && !next.thread.is_number())?;
            Some((next, *halves, count as f64 * urgency(&next.thread).powi(2)))
        });
        let best = woken.max_by(|one, other| {
            one.2.total_cmp(&other.2).then_with(|| Reverse(one.0.thread.id).cmp(&Reverse(other.0.thread.id)))
        });
        let (next, halves, _) = best?;
        let of_half = |half: usize| halves[half] as f64 >= SHARE_MIN * turns[half] as f64 && turns[half] > 0;
        Some((next, halves.iter().sum::<u64>() as f64 / all as f64, of_half(0) && of_half(1)))
    }

    /// Names the thread by its name if that is unique, otherwise by its number.
    fn named(&self, thread: &Thread) -> Pattern {
        let name = thread.name.to_string();
        let alike = self.all.all().iter().filter(|turns| turns.thread.name == thread.name).count();
        // A name that the parser of chains would read as something else cannot be used.
        let is_word = !name.contains(['>', '"', '*']) && name.parse::<i32>().is_err() && !name.is_empty();
        if alike == 1 && is_word { Pattern::Name(name) } else { Pattern::Number(thread.id) }
    }
}

fn urgency(thread: &Thread) -> f64 {
    f64::from((140 - thread.priority).clamp(1, 240))
}

impl Listener for Finder {
    fn event(&mut self, cpu: u32, stamped: &Stamped, processor: &Processor) {
        self.contexts.push(cpu, stamped);
        if self.timed {
            self.timers.push(cpu, stamped, processor);
        }
        match &stamped.event {
            Event::Switch { from, preempted, to } => {
                for thread in [from, to] {
                    self.of(thread.id).into_iter().for_each(|turns| turns.thread = *thread);
                }
                if !preempted {
                    self.sleeps(from.id, usize::from(stamped.at_ns >= self.middle_ns));
                }
                self.of(to.id).into_iter().for_each(|turns| turns.asleep = false);
            }
            Event::Waking { thread } => self.waking(*thread, cpu, stamped, processor),
            Event::Enter(Section::Interrupt(name)) => {
                let line = self.line(*name);
                self.last_line.insert(cpu, line);
            }
            Event::TimerExpire { .. } => {
                if let Some(Section::Interrupt(name)) = processor.section() {
                    let line = self.line(name);
                    self.of_timers.insert(line);
                }
            }
            _ => {}
        }
    }

    fn gap(&mut self, _: u32, _: u64) {
        self.timers.gap(false);
        self.contexts.forget();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::analysis::Analysis;
    use crate::chain::follow::tests::simulated::{Load, Machine, Random};
    use crate::chain::follow::tests::{Stream, begun, period};
    use crate::read::receiver::Receiver;

    fn found(stream: &Stream, only: &[i32]) -> Vec<String> {
        let end_ns = stream.events.iter().map(|(_, one)| one.at_ns).max().unwrap();
        let mut analysis = Analysis::new(Finder::new((0, end_ns), true, only.iter().copied().collect()));
        let mut events = stream.events.clone();
        events.sort_by_key(|(_, one)| one.at_ns);
        events.iter().for_each(|(cpu, stamped)| analysis.event(*cpu, stamped));
        let proposals = analysis.finish().1.proposals();
        proposals.iter().map(|one| format!("{}{}", one.spec, if one.stable { "" } else { " (not stable)" })).collect()
    }

    #[test]
    fn a_planted_chain_is_the_first_proposal() {
        let mut stream = begun();
        (1..60).for_each(|number| period(&mut stream, number * 1_000));
        assert_eq!(found(&stream, &[]), ["timer a > a > b > c"]);
        assert_eq!(found(&stream, &[3]), ["timer a > a > b > c"]);
        assert!(found(&stream, &[4]).is_empty());
        stream.events.retain(|(_, one)| !matches!(one.event, Event::Waking { thread: 2 }));
        assert!(found(&stream, &[]).is_empty());
        assert_eq!(found(&stream, &[1]), ["timer a > a"]);
    }

    // A server wakes each of two clients, and each of them wakes the server.
    #[test]
    fn a_path_may_come_back_to_a_thread() {
        let mut stream = begun();
        for number in 1..60 {
            let at = number * 1_000;
            stream.comes(0, at - 60, 1);
            let timer = stream.sets(0, at - 50, at);
            stream.sleeps(0, at - 40);
            stream.fires(0, at + 10, timer, Some(1));
            stream.comes(0, at + 20, 1);
            for (client, at) in [(2, at + 30), (3, at + 80)] {
                stream.wakes(0, at, client);
                stream.sleeps(0, at + 5);
                stream.comes(1, at + 10, client);
                stream.wakes(1, at + 20, 1);
                stream.sleeps(1, at + 25);
                stream.comes(0, at + 30, 1);
            }
            stream.sleeps(0, at + 120);
        }
        assert_eq!(found(&stream, &[]), ["timer a > a > b > a > c > a"]);
    }

    #[test]
    fn without_the_clock_of_timers_a_chain_starts_with_the_wakeup() {
        let mut stream = begun();
        (1..60).for_each(|number| period(&mut stream, number * 1_000));
        let mut analysis = Analysis::new(Finder::new((0, 60_000), false, BTreeSet::new()));
        stream.events.sort_by_key(|(_, one)| one.at_ns);
        stream.events.iter().for_each(|(cpu, stamped)| analysis.event(*cpu, stamped));
        let proposals = analysis.finish().1.proposals();
        assert_eq!(proposals.iter().map(|one| one.spec.to_string()).collect::<Vec<_>>(), ["wake a > a > b > c"]);
    }

    #[test]
    fn of_independent_timers_nothing_is_proposed() {
        let mut stream = begun();
        for number in 1..60 {
            for (id, cpu) in [(1, 0), (2, 1)] {
                let at = number * 1_000;
                stream.comes(cpu, at, id);
                let timer = stream.sets(cpu, at + 10, at + 100);
                stream.sleeps(cpu, at + 20);
                stream.fires(cpu, at + 101, timer, Some(id));
            }
        }
        assert!(found(&stream, &[]).is_empty());
    }

    // Simulated machines of 20 seeds, each with a CPU hog, a lock and dropped instances.
    #[test]
    fn a_planted_chain_is_proposed_first_in_20_of_20() {
        for seed in 1..=20u64 {
            let load = Load { period_ns: 60_000, work_ns: 3_000, hog_each: 5, lock_each: 7, drop_each: 9, each: false };
            let machine = Machine::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15), load).run(200);
            assert_eq!(found(&machine.stream, &[]).first().map(String::as_str), Some("timer a > a > b > c"), "{seed}");
        }
    }

    // Threads with their own timers on two CPUs. Sometimes one wakes a thread that writes a log.
    #[test]
    fn for_20_sets_of_independent_timers_nothing_is_proposed() {
        for seed in 1..=20u64 {
            let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            let mut stream = begun();
            let threads = [1, 2, 3].map(|id| (id, 2_000 + random.below(6_000), random.below(2)));
            let mut due: Vec<(u64, usize)> = (0..3).map(|place| (100_000 + random.below(9_000), place)).collect();
            let mut free = [0u64; 2];
            for _ in 0..300 {
                due.sort_unstable();
                let (expiry_ns, place) = due[0];
                let (id, period_ns, logs) = threads[place];
                let cpu = (id % 2) as u32;
                let set_ns = free[cpu as usize].max(expiry_ns - 900);
                stream.comes(cpu, set_ns, id);
                let timer = stream.sets(cpu, set_ns + 1, expiry_ns.max(set_ns + 20));
                stream.sleeps(cpu, set_ns + 5);
                let fires_ns = expiry_ns.max(set_ns + 20);
                stream.fires(cpu, fires_ns, timer, Some(id));
                stream.comes(cpu, fires_ns + 20 + random.below(500), id);
                if random.below(5) < logs {
                    stream.wakes(cpu, fires_ns + 600, 4);
                    stream.comes(3, fires_ns + 620, 4);
                    stream.sleeps(3, fires_ns + 660);
                }
                let ends_ns = fires_ns + 700 + random.below(200);
                stream.sleeps(cpu, ends_ns);
                free[cpu as usize] = ends_ns + 1;
                due[0].0 = (expiry_ns + period_ns).max(ends_ns + 1_000);
            }
            assert!(found(&stream, &[]).is_empty(), "{seed}: {:?}", found(&stream, &[]));
        }
    }

    #[test]
    fn a_path_of_one_half_alone_is_not_stable() {
        let mut stream = begun();
        (1..60).for_each(|number| period(&mut stream, number * 1_000));
        // In the second half of the recording, b never wakes c.
        stream.events.retain(|(_, one)| one.event != Event::Waking { thread: 3 } || one.at_ns < 33_000);
        assert_eq!(found(&stream, &[]), ["timer a > a > b > c (not stable)"]);
    }
}
