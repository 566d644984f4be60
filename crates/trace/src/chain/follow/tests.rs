// SPDX-License-Identifier: MIT OR Apache-2.0
//! Made streams for each pitfall, with fates worked out by hand.
mod damaged;
mod forms;
pub(in crate::chain) mod simulated;

use super::*;
use crate::account::analysis::Analysis;
use crate::blame::Cause;
use crate::chain::context::NET_RX;
use crate::chain::{Part, Step};
use crate::event::Name;
use crate::event::function::Function;
use crate::processor::Holder;
use crate::read::receiver::Receiver;

#[derive(Default)]
pub(in crate::chain) struct Stream {
    pub(in crate::chain) events: Vec<(u32, Stamped)>,
    on: HashMap<u32, i32>,
    timers: u64,
}

pub(super) fn thread(id: i32) -> Thread {
    let names = [(1, "a"), (2, "b"), (3, "c"), (4, "lock"), (5, "hog")];
    let name = names.iter().find(|(of, _)| *of == id).map_or("swapper", |(_, name)| name);
    let priority = match id {
        0 => 120,
        5 => 5,
        _ => 30,
    };
    Thread { id, priority, name: Name::new(name.as_bytes()) }
}

impl Stream {
    pub(in crate::chain) fn push(&mut self, cpu: u32, at_ns: u64, in_thread: bool, event: Event) {
        let thread = self.on.get(&cpu).copied().unwrap_or(0);
        self.events.push((cpu, Stamped { at_ns, thread, in_thread, to_switch: false, event }));
    }

    // The CPU switches to this thread; the previous one sleeps, or is preempted.
    pub(in crate::chain) fn switch(&mut self, cpu: u32, at_ns: u64, to: i32, preempted: bool) {
        let from = self.on.get(&cpu).copied().unwrap_or(0);
        self.push(cpu, at_ns, true, Event::Switch { from: thread(from), preempted, to: thread(to) });
        self.on.insert(cpu, to);
    }

    pub(in crate::chain) fn comes(&mut self, cpu: u32, at_ns: u64, to: i32) {
        self.switch(cpu, at_ns, to, true);
    }

    pub(in crate::chain) fn sleeps(&mut self, cpu: u32, at_ns: u64) {
        self.switch(cpu, at_ns, 0, false);
    }

    pub(in crate::chain) fn wakes(&mut self, cpu: u32, at_ns: u64, thread: i32) {
        self.push(cpu, at_ns, true, Event::Waking { thread });
    }

    pub(in crate::chain) fn sets(&mut self, cpu: u32, at_ns: u64, expiry_ns: u64) -> u64 {
        self.timers += 1;
        self.push(cpu, at_ns, true, Event::TimerStart { timer: self.timers, expiry_ns, slack_ns: 0 });
        self.timers
    }

    pub(in crate::chain) fn fires(&mut self, cpu: u32, at_ns: u64, timer: u64, wakes: Option<i32>) {
        let line = Section::Interrupt(Name::new(b"local_timer"));
        self.push(cpu, at_ns, false, Event::Enter(line));
        let function = Some(Function::named("hrtimer_wakeup"));
        self.push(cpu, at_ns + 1, false, Event::TimerExpire { timer, function });
        if let Some(thread) = wakes {
            self.push(cpu, at_ns + 2, false, Event::Waking { thread });
        }
        self.push(cpu, at_ns + 3, false, Event::Leave(line));
    }

    pub(super) fn followed(&self, spec: &str) -> Chains {
        self.followed_all(&[spec])
    }

    pub(super) fn followed_all(&self, specs: &[&str]) -> Chains {
        let specs = specs.iter().map(|spec| Spec::parse(spec).unwrap()).collect();
        let mut analysis = Analysis::new(Chains::new(specs, true));
        let mut events = self.events.clone();
        events.sort_by_key(|(_, stamped)| stamped.at_ns);
        events.iter().for_each(|(cpu, stamped)| analysis.event(*cpu, stamped));
        analysis.finish().1
    }
}

pub(in crate::chain) fn begun() -> Stream {
    let mut stream = Stream::default();
    for (at, id) in [(10, 1), (20, 2), (30, 3), (40, 4), (50, 5)] {
        stream.comes((id % 2) as u32, at, id);
        stream.sleeps((id % 2) as u32, at + 5);
    }
    stream
}

fn tally(chains: &Chains) -> &Tally {
    chains.tallies().next().unwrap().1
}

fn fates(chains: &Chains) -> [u64; 5] {
    [Fate::Done, Fate::Merged, Fate::NotHandedOn, Fate::Unfinished, Fate::Unseen].map(|fate| tally(chains).count(fate))
}

fn parts(chains: &Chains) -> Vec<(usize, Step, u64)> {
    let worst = tally(chains).worst().next().unwrap();
    assert_eq!(worst.parts.iter().map(Part::ns).sum::<u64>(), worst.instance.latency_ns());
    let mut sums: Vec<(usize, Step, u64)> = Vec::new();
    for part in &worst.parts {
        match sums.last_mut().filter(|last| (last.0, last.1) == (part.hop, part.step)) {
            Some(last) => last.2 += part.ns(),
            None => sums.push((part.hop, part.step, part.ns())),
        }
    }
    sums
}

const CHAIN: &str = "timer a > a > b > c";

// One period: a on CPU 0 by its timer, b on CPU 1, c on CPU 0.
pub(in crate::chain) fn period(stream: &mut Stream, at_ns: u64) {
    stream.comes(0, at_ns - 60, 1);
    let timer = stream.sets(0, at_ns - 50, at_ns);
    stream.sleeps(0, at_ns - 40);
    stream.fires(0, at_ns + 10, timer, Some(1));
    stream.comes(0, at_ns + 20, 1);
    stream.wakes(0, at_ns + 30, 2);
    stream.sleeps(0, at_ns + 35);
    stream.comes(1, at_ns + 45, 2);
    stream.wakes(1, at_ns + 80, 3);
    stream.sleeps(1, at_ns + 85);
    stream.comes(0, at_ns + 90, 3);
    stream.sleeps(0, at_ns + 100);
}

#[test]
fn an_instance_goes_from_the_timer_through_three_threads_to_a_sleep() {
    let mut stream = begun();
    period(&mut stream, 1_000);
    let chains = stream.followed(CHAIN);
    assert_eq!(fates(&chains), [1, 0, 0, 0, 0]);
    let expected = [
        (0, Step::Start, 12),
        (1, Step::Ready, 8),
        (1, Step::Own, 10),
        (2, Step::Ready, 15),
        (2, Step::Own, 35),
        (3, Step::Ready, 10),
        (3, Step::Own, 10),
    ];
    assert_eq!(parts(&chains), expected);
    assert_eq!(tally(&chains).worst().next().unwrap().instance.latency_ns(), 100);
}

#[test]
fn an_output_before_the_sleep_ends_an_instance_where_it_is_the_end() {
    let mut stream = begun();
    period(&mut stream, 1_000);
    let at = stream.events.iter().position(|(cpu, one)| *cpu == 0 && one.at_ns == 1_100).unwrap();
    let call = Event::Call { name: Name::new(b"write") };
    stream.events.insert(at, (0, Stamped { at_ns: 1_094, thread: 3, in_thread: true, to_switch: false, event: call }));
    let latency = |spec: &str| tally(&stream.followed(spec)).worst().next().unwrap().instance.latency_ns();
    assert_eq!(latency("timer a > a > b > c > call write"), 94);
    assert_eq!(latency("timer a > a > b > c > runs"), 90);
    assert_eq!(latency("timer a > a > b > wakes c"), 80);
    assert_eq!(latency("wake a > a > b > c"), 88);
}

// Pitfall 1: b works on an earlier instance when a hands it the next one.
#[test]
fn a_hand_over_to_a_busy_thread_is_inferred_and_not_lost() {
    let mut stream = begun();
    period(&mut stream, 1_000);
    let cut = stream.events.iter().position(|(_, one)| one.at_ns == 1_080).unwrap();
    stream.events.truncate(cut);
    stream.on = HashMap::from([(0, 0), (1, 2)]);
    // The next period begins while b works.
    stream.comes(0, 1_940, 1);
    let timer = stream.sets(0, 1_950, 2_000);
    stream.sleeps(0, 1_960);
    stream.fires(0, 2_010, timer, Some(1));
    stream.comes(0, 2_020, 1);
    stream.sleeps(0, 2_030);
    stream.wakes(1, 2_100, 3);
    stream.comes(0, 2_110, 3);
    stream.sleeps(0, 2_120);
    stream.wakes(1, 2_200, 3);
    stream.sleeps(1, 2_205);
    stream.comes(0, 2_210, 3);
    stream.sleeps(0, 2_220);
    let chains = stream.followed(CHAIN);
    assert_eq!(fates(&chains), [2, 0, 0, 0, 0]);
    assert_eq!(chains.counts(0)[1], Counts { edges: 2, inferred: 1, wakeups: 1, by_previous: 1, by_own_timer: 0 });
    let second = tally(&chains).worst().find(|one| one.instance.number == 1).unwrap();
    let busy: u64 = second.parts.iter().filter(|part| part.step == Step::Busy).map(Part::ns).sum();
    assert_eq!((second.instance.latency_ns(), busy), (220, 70));
}

// No thread was awake, so the instance waits for its thread. It is lost only when the next instance comes.
#[test]
fn an_instance_that_is_never_handed_on_is_missed() {
    let mut stream = begun();
    for at_ns in [1_000, 2_000, 3_000] {
        period(&mut stream, at_ns);
    }
    stream.events.retain(|(_, one)| !(2_030..=2_100).contains(&one.at_ns) || one.at_ns == 2_035);
    let chains = stream.followed(CHAIN);
    assert_eq!(fates(&chains), [2, 0, 1, 0, 0]);
    assert_eq!(tally(&chains).due(), 3);
}

// Pitfall 3: one wakeup for two instances, both before the woken thread gets its CPU.
#[test]
fn what_arrives_before_the_thread_comes_is_taken_together() {
    let mut stream = begun();
    let (mut at, chain) = (1_000, "timer a > a > b");
    stream.comes(0, at, 1);
    for second in [false, true] {
        let timer = stream.sets(0, at + 10, at + 100);
        stream.sleeps(0, at + 20);
        stream.fires(0, at + 101, timer, Some(1));
        stream.comes(0, at + 110, 1);
        if !second {
            stream.wakes(0, at + 120, 2);
        }
        at += 200;
    }
    stream.sleeps(0, at);
    // Only now b gets its CPU.
    stream.comes(1, at + 10, 2);
    stream.sleeps(1, at + 50);
    let chains = stream.followed(chain);
    assert_eq!(fates(&chains), [1, 1, 0, 0, 0]);
    let done = &tally(&chains).worst().next().unwrap().instance;
    assert_eq!((done.number, done.start_ns, done.until_ns()), (1, 1_300, 1_450));
    let each = stream.followed("timer a > a > each b");
    assert_eq!(fates(&each), [2, 0, 0, 0, 0]);
}

// Pitfall 2: a timer is already overdue when its thread sets it. It expires on the thread's own time, and the thread never
// sleeps.
#[test]
fn the_next_start_ends_a_turn_without_a_sleep() {
    let mut stream = begun();
    stream.comes(0, 1_000, 1);
    let timer = stream.sets(0, 1_010, 1_100);
    stream.sleeps(0, 1_020);
    stream.fires(0, 1_101, timer, Some(1));
    // a gets its CPU only after its next release.
    stream.comes(0, 1_400, 1);
    stream.wakes(0, 1_410, 2);
    stream.comes(1, 1_415, 2);
    let overdue = stream.sets(0, 1_420, 1_300);
    stream.fires(0, 1_425, overdue, Some(1));
    stream.sleeps(1, 1_440);
    stream.wakes(0, 1_450, 2);
    stream.sleeps(0, 1_460);
    stream.comes(1, 1_470, 2);
    stream.sleeps(1, 1_480);
    let chains = stream.followed("timer a > a > b");
    assert_eq!(fates(&chains), [2, 0, 0, 0, 0]);
    let mut latencies: Vec<u64> = tally(&chains).worst().map(|one| one.instance.latency_ns()).collect();
    latencies.sort_unstable();
    assert_eq!(latencies, [180, 340]);
}

// Pitfall 4: b takes what a wrote and wakes c, and only then a goes to sleep.
#[test]
fn an_output_that_is_seen_before_its_hand_over_is_attached_backwards() {
    let mut stream = begun();
    stream.comes(0, 1_000, 1);
    let timer = stream.sets(0, 1_010, 1_100);
    stream.sleeps(0, 1_020);
    // b is awake for another reason.
    stream.wakes(0, 1_050, 2);
    stream.comes(1, 1_060, 2);
    stream.fires(0, 1_101, timer, Some(1));
    stream.comes(0, 1_110, 1);
    stream.wakes(1, 1_150, 3);
    stream.sleeps(1, 1_160);
    stream.sleeps(0, 1_200);
    stream.comes(0, 1_210, 3);
    stream.sleeps(0, 1_230);
    let chains = stream.followed(CHAIN);
    assert_eq!(fates(&chains), [1, 0, 0, 0, 0]);
    let done = &tally(&chains).worst().next().unwrap().instance;
    assert_eq!((done.latency_ns(), done.visits[1].handed_ns), (130, 1_150));
}

// Pitfall 6: a waits for a lock while b happens to be awake.
#[test]
fn a_sleep_in_the_work_is_no_hand_over() {
    let mut stream = begun();
    stream.comes(0, 1_000, 1);
    let timer = stream.sets(0, 1_010, 1_100);
    stream.sleeps(0, 1_020);
    stream.wakes(0, 1_050, 2);
    stream.comes(1, 1_060, 2);
    stream.fires(0, 1_101, timer, Some(1));
    stream.comes(0, 1_110, 1);
    stream.sleeps(0, 1_130);
    // The lock's holder (thread 4) runs on CPU 2 and wakes a.
    stream.comes(2, 1_125, 4);
    stream.sleeps(1, 1_140);
    stream.wakes(2, 1_300, 1);
    stream.sleeps(2, 1_310);
    stream.comes(0, 1_320, 1);
    stream.wakes(0, 1_330, 2);
    stream.sleeps(0, 1_340);
    stream.comes(1, 1_345, 2);
    stream.wakes(1, 1_360, 3);
    stream.sleeps(1, 1_365);
    stream.comes(0, 1_370, 3);
    stream.sleeps(0, 1_380);
    let chains = stream.followed(CHAIN);
    assert_eq!(fates(&chains), [1, 0, 0, 0, 0]);
    assert_eq!(chains.counts(0)[1].inferred, 0);
    let worst = tally(&chains).worst().next().unwrap();
    let wait = worst.parts.iter().find(|part| part.step == Step::Waits).unwrap();
    assert_eq!((worst.instance.latency_ns(), wait.ns(), wait.hop), (280, 170, 1));
    assert_eq!(wait.culprit.map(|culprit| culprit.holder), Some(Holder::Thread(thread(4))));
}

#[test]
fn a_wakeup_by_another_thread_moves_nothing() {
    let mut stream = begun();
    period(&mut stream, 1_000);
    stream.wakes(0, 1_500, 3);
    stream.comes(0, 1_510, 3);
    stream.sleeps(0, 1_520);
    period(&mut stream, 2_000);
    let chains = stream.followed(CHAIN);
    assert_eq!(fates(&chains), [2, 0, 0, 0, 0]);
    let counts = chains.counts(0)[2];
    assert_eq!((counts.wakeups, counts.by_previous, counts.edges), (3, 2, 2));
}

// Pitfall 7: a softirq that runs within a send belongs to the sender; a softirq after an interrupt does not.
#[test]
fn a_softirq_on_the_senders_time_is_the_sender_and_one_behind_an_interrupt_is_not() {
    let play = |behind: bool| {
        let mut stream = begun();
        period(&mut stream, 1_000);
        let at = stream.events.iter().position(|(_, one)| one.at_ns == 1_030).unwrap();
        let wake = stream.events.remove(at);
        let stamped = |at_ns, event| (0, Stamped { at_ns, in_thread: false, event, ..wake.1 });
        let line = Section::Interrupt(Name::new(b"eth0"));
        let mut events = vec![];
        if behind {
            events.push(stamped(1_026, Event::Enter(line)));
            events.push(stamped(1_028, Event::Leave(line)));
        }
        events.push(stamped(1_029, Event::Enter(Section::Softirq(NET_RX))));
        events.push(stamped(1_030, Event::Waking { thread: 2 }));
        events.push(stamped(1_032, Event::Leave(Section::Softirq(NET_RX))));
        stream.events.extend(events);
        // Times 1,000: then the timer's own interrupt is too long ago to explain the softirq.
        stream.events.iter_mut().for_each(|(_, one)| one.at_ns *= 1_000);
        stream
    };
    assert_eq!(fates(&play(false).followed(CHAIN))[0], 1);
    assert_eq!(fates(&play(true).followed(CHAIN))[0], 1);
}

// As in LinuxCNC: the thread sends, a softirq after the network card's interrupt wakes the thread, and it continues.
#[test]
fn a_thread_may_be_two_hops_with_an_answer_from_outside_in_between() {
    let mut stream = begun();
    let softirq = Section::Softirq(NET_RX);
    let line = Section::Interrupt(Name::new(b"eth1"));
    for at in [1_000, 2_000] {
        stream.comes(0, at - 60, 1);
        let timer = stream.sets(0, at - 50, at);
        stream.sleeps(0, at - 40);
        stream.fires(0, at + 10, timer, Some(1));
        stream.comes(0, at + 20, 1);
        stream.sleeps(0, at + 50);
        stream.push(0, at + 100, false, Event::Enter(line));
        stream.push(0, at + 101, false, Event::Leave(line));
        stream.push(0, at + 102, false, Event::Enter(softirq));
        stream.push(0, at + 110, false, Event::Waking { thread: 1 });
        stream.push(0, at + 112, false, Event::Leave(softirq));
        stream.comes(0, at + 120, 1);
        stream.push(0, at + 150, true, Event::Packet { device: Name::new(b"eth1"), sent: true });
        stream.sleeps(0, at + 160);
    }
    let chains = stream.followed("timer a > a > softirq NET_RX > a > packet eth1");
    assert_eq!(fates(&chains), [2, 0, 0, 0, 0]);
    let expected = [
        (0, Step::Start, 12),
        (1, Step::Ready, 8),
        (1, Step::Own, 30),
        (2, Step::Outside, 52),
        (2, Step::Section, 8),
        (3, Step::Ready, 10),
        (3, Step::Own, 30),
    ];
    assert_eq!(parts(&chains), expected);
}

#[test]
fn a_hop_that_polls_is_told_from_one_that_is_woken() {
    let mut stream = begun();
    for at in [1_000, 2_000, 3_000] {
        stream.comes(0, at - 60, 1);
        let timer = stream.sets(0, at - 50, at);
        stream.sleeps(0, at - 40);
        stream.fires(0, at + 10, timer, Some(1));
        stream.comes(0, at + 20, 1);
        stream.sleeps(0, at + 50);
        // b polls: it looks at its own times.
        stream.comes(1, at + 60, 2);
        let own = stream.sets(1, at + 70, at + 200);
        stream.sleeps(1, at + 80);
        stream.fires(1, at + 201, own, Some(2));
        stream.comes(1, at + 210, 2);
        stream.sleeps(1, at + 250);
    }
    let woken = stream.followed("timer a > a > b");
    let counts = woken.counts(0)[1];
    assert_eq!((fates(&woken)[0], counts.by_previous, counts.by_own_timer), (0, 0, 3));
    let polls = stream.followed("timer a > a > polls b");
    assert_eq!(fates(&polls), [3, 0, 0, 0, 0]);
    assert_eq!(parts(&polls)[2..], [(1, Step::Own, 30), (2, Step::Polls, 10), (2, Step::Own, 20)]);
}

// b is delayed. It sets two timers that are already overdue, so it never leaves its CPU. After the first of them it finds what
// a gave.
#[test]
fn a_hop_that_polls_looks_again_when_an_overdue_timer_expires() {
    let mut stream = begun();
    for at in [1_000, 2_000] {
        stream.comes(0, at - 60, 1);
        let timer = stream.sets(0, at - 50, at);
        stream.sleeps(0, at - 40);
        stream.fires(0, at + 10, timer, Some(1));
        stream.comes(0, at + 20, 1);
        stream.comes(1, at + 25, 2);
        let first = stream.sets(1, at + 30, at - 200);
        stream.fires(1, at + 31, first, Some(2));
        stream.sleeps(0, at + 50);
        let second = stream.sets(1, at + 40, at - 100);
        stream.fires(1, at + 61, second, Some(2));
        let own = stream.sets(1, at + 80, at + 500);
        stream.sleeps(1, at + 90);
        stream.fires(1, at + 501, own, Some(2));
        stream.comes(1, at + 510, 2);
        stream.sets(1, at + 520, at + 700);
        stream.sleeps(1, at + 530);
    }
    let chains = stream.followed("timer a > a > polls b");
    assert_eq!(fates(&chains), [2, 0, 0, 0, 0]);
    let found: Vec<(u64, u64)> = tally(&chains)
        .worst()
        .map(|one| (one.instance.visits[1].taken_ns % 1_000, one.instance.until_ns() % 1_000))
        .collect();
    assert_eq!(found, [(63, 80), (63, 80)]);
}

// A look of b takes 10 ns if it finds nothing, and 40 ns if it finds something. a goes to sleep only some time after its write.
#[test]
fn a_look_as_long_as_one_that_finds_something_found_what_came_during_it() {
    let mut stream = begun();
    for (at, sleeps_ns, looks) in [
        (1_000, 50, [(30, 10), (100, 40)]),
        (2_000, 50, [(30, 10), (100, 40)]),
        (3_000, 90, [(30, 40), (200, 10)]),
        (4_000, 60, [(30, 40), (200, 10)]),
        (5_000, 60, [(55, 10), (200, 40)]),
    ] {
        stream.comes(0, at - 60, 1);
        let timer = stream.sets(0, at - 50, at);
        stream.sleeps(0, at - 40);
        stream.fires(0, at + 10, timer, Some(1));
        stream.comes(0, at + 20, 1);
        stream.sleeps(0, at + sleeps_ns);
        for (from_ns, ns) in looks {
            stream.comes(1, at + from_ns, 2);
            stream.sleeps(1, at + from_ns + ns);
        }
    }
    let chains = stream.followed("timer a > a > polls b");
    assert_eq!(fates(&chains), [5, 0, 0, 0, 0]);
    let mut ends: Vec<u64> = tally(&chains).worst().map(|one| one.instance.until_ns()).collect();
    ends.sort_unstable();
    assert_eq!(ends, [1_140, 2_140, 3_070, 4_070, 5_240]);
    assert_eq!(chains.counts(0)[1].inferred, 2);
}

// b polls at its own times. It sets the timer of its next sleep `before_ns` before its switch. If `wakes` is set, it wakes
// thread 4 in between.
fn end_of_a_timed_sleep(before_ns: u64, function: &str, wakes: bool) -> u64 {
    let mut stream = begun();
    for at in [100_000, 300_000] {
        stream.comes(1, at - 90, 2);
        let own = stream.sets(1, at - 80, at + 200);
        stream.sleeps(1, at - 70);
        stream.comes(0, at - 60, 1);
        let timer = stream.sets(0, at - 50, at);
        stream.sleeps(0, at - 40);
        stream.fires(0, at + 10, timer, Some(1));
        stream.comes(0, at + 20, 1);
        stream.sleeps(0, at + 50);
        stream.fires(1, at + 201, own, Some(2));
        let expires = stream.events.iter_mut().rev().find(|(_, one)| one.at_ns == at + 202).unwrap();
        expires.1.event = Event::TimerExpire { timer: own, function: Some(Function::named(function)) };
        stream.comes(1, at + 210, 2);
        stream.sets(1, at + 220, at + 180_000);
        if wakes {
            stream.wakes(1, at + 221, 4);
        }
        stream.sleeps(1, at + 220 + before_ns);
    }
    let chains = stream.followed("timer a > a > polls b");
    assert_eq!(fates(&chains), [2, 0, 0, 0, 0]);
    parts(&chains);
    tally(&chains).worst().next().unwrap().instance.latency_ns()
}

#[test]
fn a_thread_that_sleeps_until_a_time_ends_an_instance_when_it_sets_the_timer() {
    assert_eq!(end_of_a_timed_sleep(13, "hrtimer_wakeup", false), 220);
    // After setting the timer of a file descriptor, the thread may work on.
    assert_eq!(end_of_a_timed_sleep(13, "timerfd_tmrproc", false), 233);
    assert_eq!(end_of_a_timed_sleep(13, "hrtimer_wakeup", true), 233);
    assert_eq!(end_of_a_timed_sleep(50_001, "hrtimer_wakeup", false), 50_221);
}

#[test]
fn an_interrupt_starts_an_instance_and_a_threaded_handler_is_a_hop() {
    let mut stream = begun();
    let line = Section::Interrupt(Name::new(b"can0"));
    for at in [1_000, 2_000] {
        stream.push(0, at, false, Event::Enter(line));
        stream.push(0, at + 5, false, Event::Waking { thread: 1 });
        stream.push(0, at + 6, false, Event::Leave(line));
        stream.comes(0, at + 10, 1);
        stream.wakes(0, at + 20, 2);
        stream.sleeps(0, at + 30);
        stream.comes(1, at + 40, 2);
        stream.sleeps(1, at + 60);
    }
    // An interrupt that wakes no thread.
    stream.push(0, 3_000, false, Event::Enter(line));
    stream.push(0, 3_006, false, Event::Leave(line));
    stream.push(0, 4_000, false, Event::Enter(line));
    let chains = stream.followed("irq can* > a > b");
    assert_eq!(fates(&chains), [2, 0, 1, 1, 0]);
    assert_eq!(parts(&chains)[0], (0, Step::Start, 5));
}

#[test]
fn a_period_counts_the_starts_that_never_came() {
    let mut stream = begun();
    for at_ns in [1_000, 2_000, 5_000] {
        period(&mut stream, at_ns);
    }
    let spec = Spec { period_ns: Some(1_000), ..Spec::parse(CHAIN).unwrap() };
    let mut analysis = Analysis::new(Chains::new(vec![spec], true));
    stream.events.iter().for_each(|(cpu, stamped)| analysis.event(*cpu, stamped));
    let chains = analysis.finish().1;
    let tally = tally(&chains);
    assert_eq!((tally.due(), tally.count(Fate::Done), tally.count(Fate::NoStart)), (5, 3, 2));
    let series = tally.series();
    assert_eq!((series.due, series.done, series.missed), (Some(5), 3, Some(2)));
}

#[test]
fn a_preempting_thread_is_named_in_its_hop() {
    let mut stream = begun();
    period(&mut stream, 1_000);
    // A hog takes CPU 1 from b between 1,050 and 1,070.
    let at = stream.events.iter().position(|(_, one)| one.at_ns == 1_080).unwrap();
    let tail = stream.events.split_off(at);
    stream.on.insert(1, 2);
    stream.switch(1, 1_050, 5, true);
    stream.switch(1, 1_070, 2, false);
    stream.events.extend(tail);
    let chains = stream.followed(CHAIN);
    let worst = tally(&chains).worst().next().unwrap();
    let hog = worst
        .parts
        .iter()
        .find(|part| part.culprit.is_some_and(|one| one.holder == Holder::Thread(thread(5))))
        .unwrap();
    assert_eq!((hog.hop, hog.step, hog.ns(), hog.cause), (2, Step::Ready, 20, Some(Cause::Interference)));
}
