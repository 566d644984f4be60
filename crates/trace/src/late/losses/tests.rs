// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random schedules of threads that move between processors, with what each response truly took, and random losses in them.
use crate::account::analysis::Analysis;
use crate::event::{Event, Name, Section, Stamped, Thread};
use crate::late::lates::{Lates, Question};
use crate::late::whose::Whose;
use crate::read::receiver::Receiver;
use crate::thread::activation::{Activations, ResponseFate};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

const CPUS: u32 = 3;
const THREADS: i32 = 4;

#[derive(Clone, Copy, Debug)]
enum Heard {
    Event(u32, Stamped),
    Begins(u32, u64),
    Ends(u32, u64),
}

#[derive(Clone, Copy, Debug)]
struct Truth {
    // Numbers of the first and the last event of the response.
    events: (usize, usize),
    from_ns: u64,
    ready_ns: u64,
    came_ns: u64,
    thread: i32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    // Number of the event at which the thread went to sleep, and the expiry of its timer if it set one.
    Sleeps(usize, Option<u64>),
    Ready(Option<(usize, u64, u64)>),
    Runs(u32),
}

struct World {
    now: u64,
    states: Vec<State>,
    // How late each thread's last response was. A response of a thread that it wakes starts earlier by this time.
    late_ns: [u64; THREADS as usize + 1],
    on: [i32; CPUS as usize],
    events: Vec<(u32, Stamped)>,
    truths: Vec<Truth>,
}

fn thread(id: i32) -> Thread {
    Thread { id, priority: if id == 0 { 120 } else { 49 }, name: Name::new(format!("t{id}").as_bytes()) }
}

fn timer() -> Section {
    Section::Interrupt(Name::new(b"timer"))
}

impl World {
    fn new() -> Self {
        let states = vec![State::Ready(None); THREADS as usize + 1];
        Self {
            now: 1_000,
            states,
            late_ns: [0; THREADS as usize + 1],
            on: [0; CPUS as usize],
            events: Vec::new(),
            truths: Vec::new(),
        }
    }

    fn push(&mut self, cpu: u32, in_thread: bool, event: Event) {
        self.now += 10;
        let stamped = Stamped { at_ns: self.now, thread: self.on[cpu as usize], in_thread, to_switch: false, event };
        self.events.push((cpu, stamped));
    }

    // A thread is made ready: by its own timer if that has expired, otherwise by the code that runs on the CPU.
    fn wakes(&mut self, id: i32, cpu: u32) {
        let State::Sleeps(since, expiry) = self.states[id as usize] else { return };
        let expired = expiry.filter(|expiry| *expiry <= self.now);
        if expired.is_some() {
            self.push(cpu, false, Event::Enter(timer()));
            self.push(cpu, false, Event::TimerExpire { timer: id as u64, function: None });
        }
        self.push(cpu, expired.is_none(), Event::Waking { thread: id });
        let ready_ns = self.now;
        let from_ns = expired.unwrap_or(ready_ns - self.late_ns[self.on[cpu as usize] as usize]);
        self.states[id as usize] = State::Ready(Some((since, from_ns, ready_ns)));
        if expired.is_some() {
            self.push(cpu, false, Event::Leave(timer()));
        }
    }

    // A CPU switches to this thread, or to the idle thread. The previous thread sleeps or is preempted.
    fn switches(&mut self, cpu: u32, to: i32, preempted: bool, timer_ns: Option<u64>) {
        let from = self.on[cpu as usize];
        let to = if matches!(self.states[to as usize], State::Ready(_)) { to } else { 0 };
        if from == to {
            return;
        }
        let set = timer_ns.filter(|_| from != 0 && !preempted).map(|later| self.now + later);
        if let Some(expiry_ns) = set {
            self.push(cpu, true, Event::TimerStart { timer: from as u64, expiry_ns, slack_ns: 0 });
        }
        self.push(cpu, true, Event::Switch { from: thread(from), preempted, to: thread(to) });
        let number = self.events.len() - 1;
        if from != 0 {
            self.states[from as usize] = if preempted { State::Ready(None) } else { State::Sleeps(number, set) };
        }
        self.on[cpu as usize] = to;
        if to != 0 {
            let before = std::mem::replace(&mut self.states[to as usize], State::Runs(cpu));
            if let State::Ready(Some((since, from_ns, ready_ns))) = before {
                let events = (since, number);
                self.late_ns[to as usize] = self.now - from_ns;
                self.truths.push(Truth { events, from_ns, ready_ns, came_ns: self.now, thread: to });
            }
        }
    }
}

type Lost = Vec<(usize, usize)>;

type Step = (u64, u32, i32, u8, Option<u64>);

fn schedules() -> impl Strategy<Value = (Vec<Step>, Vec<(u32, usize, usize)>)> {
    let step = (0u64..2_000, 0..CPUS, 1..=THREADS, 0u8..8, prop::option::of(0u64..3_000));
    let gap = (0..CPUS, 0usize..30, 1usize..15);
    (prop::collection::vec(step, 1..150), prop::collection::vec(gap, 0..4))
}

fn drawn(steps: &[Step]) -> World {
    let mut world = World::new();
    for (later, cpu, id, kind, timer) in steps {
        world.now += later;
        match kind {
            0..3 => world.wakes(*id, *cpu),
            kind => world.switches(*cpu, if kind % 4 == 0 { 0 } else { *id }, kind % 3 == 0, *timer),
        }
    }
    world
}

// The events, with losses. Each loss begins after an event of its CPU and ends before the next one.
fn with_losses(world: &World, gaps: &[(u32, usize, usize)]) -> (Vec<Heard>, Lost) {
    let mut lost = BTreeSet::new();
    for (cpu, from, count) in gaps {
        let of_cpu = world.events.iter().enumerate().filter(|(_, (on, _))| on == cpu).map(|(number, _)| number);
        lost.extend(of_cpu.skip(*from).take(*count));
    }
    // For each processor, the event from which its events are lost.
    let mut dark: BTreeMap<u32, usize> = BTreeMap::new();
    let (mut heard, mut ranges): (Vec<Heard>, Lost) = (Vec::new(), Lost::new());
    // The first loss of a processor may begin when the recording begins.
    let next_is_lost = |cpu: u32, from: usize| {
        let next = world.events.iter().enumerate().skip(from).find(|(_, (on, _))| *on == cpu);
        next.is_some_and(|(number, _)| lost.contains(&number))
    };
    for cpu in (0..CPUS).filter(|cpu| next_is_lost(*cpu, 0)) {
        heard.push(Heard::Begins(cpu, 0));
        dark.insert(cpu, 0);
    }
    for (number, (cpu, stamped)) in world.events.iter().enumerate() {
        if lost.contains(&number) {
            continue;
        }
        if let Some(since) = dark.remove(cpu) {
            heard.push(Heard::Ends(*cpu, stamped.at_ns));
            ranges.push((since, number));
        }
        heard.push(Heard::Event(*cpu, *stamped));
        if next_is_lost(*cpu, number + 1) {
            heard.push(Heard::Begins(*cpu, stamped.at_ns));
            dark.insert(*cpu, number);
        }
    }
    heard.extend(dark.keys().map(|cpu| Heard::Ends(*cpu, world.now)));
    ranges.extend(dark.values().map(|since| (*since, world.events.len())));
    (heard, ranges)
}

fn hold(cases: u32, property: impl Fn(World, Vec<Heard>, Lost) -> Result<(), TestCaseError>) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let held = runner.run(&schedules(), |(steps, gaps)| {
        let world = drawn(&steps);
        let (heard, lost) = with_losses(&world, &gaps);
        property(world, heard, lost)
    });
    if let Err(error) = held {
        panic!("{error}");
    }
}

fn is_whole(truth: &Truth, lost: &Lost) -> bool {
    lost.iter().all(|(from, to)| *to < truth.events.0 || truth.events.1 < *from)
}

#[test]
fn no_response_is_told_longer_than_it_was_whatever_was_lost_and_what_no_loss_touches_is_told() {
    let (seen, unseen, whole, touched) = (Cell::new(0u64), Cell::new(0u64), Cell::new(0u64), Cell::new(0u64));
    let add = |cell: &Cell<u64>, count: u64| cell.set(cell.get() + count);
    hold(1_500, |world, heard, lost| {
        let mut activations = Activations::new((1..=THREADS).collect());
        let told = |heard: &Heard| match heard {
            Heard::Event(cpu, stamped) => activations.push(*cpu, stamped),
            Heard::Begins(cpu, at_ns) => activations.begins_to_lose(*cpu, *at_ns),
            Heard::Ends(cpu, at_ns) => activations.has_lost(*cpu, *at_ns),
        };
        let told: Vec<ResponseFate> = heard.iter().flat_map(told).collect();
        let mut came: BTreeMap<(i32, u64), u64> = BTreeMap::new();
        for one in &told {
            let ResponseFate::Came { response, .. } = one else {
                add(&unseen, 1);
                continue;
            };
            let came_ns = response.at_ns + response.latency_ns;
            let truth =
                world.truths.iter().find(|truth| (truth.thread, truth.came_ns) == (response.thread.id, came_ns));
            prop_assert!(truth.is_some(), "nothing came then: {response:?}");
            let latency_ns = truth.map_or(0, |truth| truth.came_ns - truth.from_ns);
            prop_assert!(response.latency_ns <= latency_ns, "{latency_ns} {response:?}");
            prop_assert_eq!(response.blame.total(), response.latency_ns);
            came.insert((response.thread.id, came_ns), response.latency_ns);
            add(&seen, 1);
        }
        prop_assert!(told.len() <= world.truths.len() + THREADS as usize, "{} of {}", told.len(), world.truths.len());
        for truth in &world.truths {
            let is_whole = is_whole(truth, &lost);
            add(if is_whole { &whole } else { &touched }, 1);
            let latency_ns = came.get(&(truth.thread, truth.came_ns)).copied();
            if is_whole {
                prop_assert!(latency_ns.is_some_and(|ns| ns >= truth.came_ns - truth.ready_ns), "{truth:?}");
            }
        }
        Ok(())
    });
    let covered = [&seen, &unseen, &whole, &touched].map(Cell::get);
    assert!(covered.iter().all(|count| *count > 500), "seen, unseen, whole, touched: {covered:?}");
}

#[test]
fn the_worst_of_a_recording_is_no_longer_than_the_worst_that_was() {
    let losses = Cell::new(0);
    hold(600, |world, heard, lost| {
        let question = Question { above_ns: 0, whose: Whose::All, timers: true, marks: true, to_end: false };
        let mut analysis = Analysis::new(Lates::new(question));
        for one in &heard {
            match one {
                Heard::Event(cpu, stamped) => analysis.event(*cpu, stamped),
                Heard::Begins(cpu, at_ns) => analysis.gap_begins(*cpu, *at_ns),
                Heard::Ends(cpu, at_ns) => analysis.gap(*cpu, *at_ns),
            }
        }
        let lates = analysis.finish().1;
        let worst_ns = world.truths.iter().map(|truth| truth.came_ns - truth.from_ns).max().unwrap_or(0);
        prop_assert!(lates.worst.as_ref().is_none_or(|worst| worst.latency_ns <= worst_ns), "{:?}", lates.worst);
        let begun = lates.responses + lates.unseen + lates.unnamed;
        prop_assert!(begun <= world.truths.len() as u64 + THREADS as u64);
        losses.set(losses.get() + lost.len());
        Ok(())
    });
    assert!(losses.get() > 400, "{losses:?}");
}

// As in a real trace: a thread wakes on one CPU, runs on another CPU whose events are lost, and returns to the first one much
// later.
#[test]
fn who_came_where_events_were_lost_did_not_wait_until_it_was_seen_again() {
    let event =
        |at_ns: u64, by: i32, event: Event| Stamped { at_ns, thread: by, in_thread: true, to_switch: true, event };
    let switch = |at_ns: u64, from: i32, preempted: bool, to: i32| {
        event(at_ns, from, Event::Switch { from: thread(from), preempted, to: thread(to) })
    };
    let mut lates = Activations::new(vec![1]);
    let mut told = Vec::new();
    told.extend(lates.push(1, &switch(500, 1, false, 0)));
    told.extend(lates.begins_to_lose(1, 500));
    told.extend(lates.push(0, &event(1_000, 2, Event::Waking { thread: 1 })));
    // During the loss the thread runs on processor 1, sleeps, and is made ready there again.
    told.extend(lates.push(0, &switch(54_000_000, 2, true, 1)));
    told.extend(lates.has_lost(1, 60_000_000));
    assert!(matches!(told.as_slice(), [ResponseFate::Unseen { thread: 1 }]), "{told:?}");
    // During the loss the thread was made ready; now it gets its CPU.
    told.clear();
    told.extend(lates.push(0, &switch(61_000_000, 1, false, 2)));
    told.extend(lates.begins_to_lose(1, 61_000_000));
    told.extend(lates.has_lost(1, 62_000_000));
    told.extend(lates.push(0, &switch(63_000_000, 2, true, 1)));
    told.extend(lates.push(0, &switch(64_000_000, 1, false, 2)));
    assert!(matches!(told.as_slice(), [ResponseFate::Unseen { thread: 1 }]), "{told:?}");
}
