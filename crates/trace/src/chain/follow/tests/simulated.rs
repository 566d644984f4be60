// SPDX-License-Identifier: MIT OR Apache-2.0
//! A simulator of threads, queues, a lock and CPUs that makes events and the truth.
//!
//! Three threads: `a` is woken by its timer, `b` on another CPU takes what `a` puts, may wait for a lock, and gives to `c`, which writes.
//! A hog preempts `b`. All choices follow from a seed.
use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, VecDeque};

// Pseudorandom numbers from a seed: xorshift.
pub(in crate::chain) struct Random(pub(in crate::chain) u64);

impl Random {
    pub(in crate::chain) fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most.max(1)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Does {
    // Works for `left_ns`, then continues with step `then`.
    Works { left_ns: u64, then: usize },
    Sleeps { then: usize },
}

struct Actor {
    id: i32,
    cpu: u32,
    does: Does,
    // When the actor may run at the earliest: some time after its wakeup.
    ready_ns: u64,
    at: Vec<u64>,
    queue: VecDeque<u64>,
}

pub(in crate::chain) struct Load {
    pub(in crate::chain) period_ns: u64,
    pub(in crate::chain) work_ns: u64,
    pub(in crate::chain) hog_each: u64,
    pub(in crate::chain) lock_each: u64,
    pub(in crate::chain) drop_each: u64,
    pub(in crate::chain) each: bool,
}

pub(in crate::chain) struct Machine {
    random: Random,
    load: Load,
    pub(in crate::chain) stream: Stream,
    actors: Vec<Actor>,
    now: u64,
    released: u64,
    timer: u64,
    unlocks: Vec<u64>,
    hogs: Vec<u64>,
    pub(in crate::chain) truth: BTreeMap<u64, (Fate, u64)>,
}

const FIRST_NS: u64 = 100_000;

impl Machine {
    pub(in crate::chain) fn new(seed: u64, load: Load) -> Self {
        let actor = |id: i32, cpu: u32| Actor {
            id,
            cpu,
            does: Does::Sleeps { then: 0 },
            ready_ns: u64::MAX,
            at: Vec::new(),
            queue: VecDeque::new(),
        };
        let mut stream = begun();
        stream.on = HashMap::new();
        // a sets its first timer.
        stream.comes(0, 1_000, 1);
        let timer = stream.sets(0, 1_010, FIRST_NS);
        stream.sleeps(0, 1_020);
        let actors = vec![actor(1, 0), actor(2, 1), actor(3, 2), actor(4, 3), actor(5, 1)];
        Self {
            random: Random(seed | 1),
            load,
            stream,
            actors,
            now: 2_000,
            released: 0,
            timer,
            unlocks: Vec::new(),
            hogs: Vec::new(),
            truth: BTreeMap::new(),
        }
    }

    fn release_ns(&self, number: u64) -> u64 {
        FIRST_NS + number * self.load.period_ns
    }

    fn on(&self, cpu: u32) -> i32 {
        self.stream.on.get(&cpu).copied().unwrap_or(0)
    }

    // The thread that should have a CPU. The hog goes before b.
    fn chosen(&self, cpu: u32) -> Option<usize> {
        let ready =
            |actor: &&Actor| actor.cpu == cpu && actor.ready_ns <= self.now && matches!(actor.does, Does::Works { .. });
        let best = self.actors.iter().filter(ready).max_by_key(|actor| actor.id)?;
        self.actors.iter().position(|actor| actor.id == best.id)
    }

    fn wake(&mut self, by: usize, who: usize) {
        if let Does::Sleeps { then } = self.actors[who].does {
            let cpu = self.actors[by].cpu;
            let id = self.actors[who].id;
            self.stream.wakes(cpu, self.now, id);
            self.ready(who, then);
        }
    }

    fn ready(&mut self, who: usize, then: usize) {
        self.actors[who].does = Does::Works { left_ns: 20, then };
        self.actors[who].ready_ns = self.now + 5 + self.random.below(2_000);
    }

    pub(in crate::chain) fn run(mut self, instances: u64) -> Self {
        for _ in 0..400_000 {
            self.dispatch();
            let Some(next) = self.next_ns(instances) else { break };
            let passed = next - self.now;
            for cpu in 0..4 {
                let id = self.on(cpu);
                let actor = self.actors.iter_mut().find(|actor| actor.id == id);
                if let Some(Does::Works { left_ns, .. }) = actor.map(|actor| &mut actor.does) {
                    *left_ns -= passed.min(*left_ns);
                }
            }
            self.now = next;
            self.happen(instances);
        }
        self
    }

    fn dispatch(&mut self) {
        for cpu in 0..4 {
            let (has, chosen) = (self.on(cpu), self.chosen(cpu).map_or(0, |place| self.actors[place].id));
            if has != chosen {
                let sleeps =
                    self.actors.iter().any(|actor| actor.id == has && matches!(actor.does, Does::Sleeps { .. }));
                self.stream.switch(cpu, self.now, chosen, !sleeps);
            }
        }
    }

    fn next_ns(&self, instances: u64) -> Option<u64> {
        let running = (0..4).filter_map(|cpu| {
            let actor = self.actors.iter().find(|actor| actor.id == self.on(cpu))?;
            if let Does::Works { left_ns, .. } = actor.does { Some(self.now + left_ns) } else { None }
        });
        let coming = self.actors.iter().filter(|actor| matches!(actor.does, Does::Works { .. }));
        let coming = coming.map(|actor| actor.ready_ns).filter(|ready_ns| *ready_ns > self.now);
        let timer = (self.released < instances && matches!(self.actors[0].does, Does::Sleeps { .. }))
            .then(|| self.release_ns(self.released).max(self.now) + 50);
        let others = self.unlocks.iter().chain(&self.hogs).copied();
        running.chain(coming).chain(timer).chain(others).min()
    }

    fn happen(&mut self, instances: u64) {
        let now = self.now;
        if self.released < instances
            && matches!(self.actors[0].does, Does::Sleeps { .. })
            && now >= self.release_ns(self.released).max(FIRST_NS) + 50
        {
            let timer = self.timer;
            self.stream.fires(0, now, timer, Some(1));
            let number = self.released;
            self.released += 1;
            self.actors[0].at = vec![number];
            self.ready(0, 1);
        }
        for at in std::mem::take(&mut self.unlocks) {
            if at <= now { self.unlock() } else { self.unlocks.push(at) }
        }
        for at in std::mem::take(&mut self.hogs) {
            if at <= now { self.hog() } else { self.hogs.push(at) }
        }
        for place in 0..self.actors.len() {
            let (cpu, id) = (self.actors[place].cpu, self.actors[place].id);
            if let Does::Works { left_ns: 0, then } = self.actors[place].does
                && self.on(cpu) == id
            {
                self.step(place, then);
            }
        }
    }

    fn unlock(&mut self) {
        // The holder of the lock runs for a short time and gives the lock to b.
        self.actors[3].does = Does::Works { left_ns: 30, then: 1 };
        self.actors[3].ready_ns = self.now;
    }

    fn hog(&mut self) {
        self.stream.push(1, self.now, false, Event::Waking { thread: 5 });
        self.actors[4].does = Does::Works { left_ns: 500 + self.random.below(5_000), then: 1 };
        self.actors[4].ready_ns = self.now;
    }

    fn step(&mut self, place: usize, step: usize) {
        match place {
            0 => self.step_of_a(step),
            1 => self.step_of_b(step),
            2 => self.step_of_c(step),
            3 => {
                self.actors[3].does = Does::Sleeps { then: 0 };
                self.wake(3, 1);
            }
            _ => self.actors[4].does = Does::Sleeps { then: 0 },
        }
    }

    fn works(&mut self, place: usize, then: usize) {
        let left_ns = 100 + self.random.below(self.load.work_ns);
        self.actors[place].does = Does::Works { left_ns, then };
    }

    fn step_of_a(&mut self, step: usize) {
        match step {
            1 => self.works(0, 2),
            2 => {
                let number = self.actors[0].at[0];
                if self.load.drop_each > 0 && self.random.below(self.load.drop_each) == 0 {
                    self.truth.insert(number, (Fate::NotHandedOn, 0));
                } else {
                    self.actors[1].queue.push_back(number);
                    self.wake(0, 1);
                }
                self.actors[0].does = Does::Works { left_ns: 100, then: 3 };
            }
            _ => {
                let expiry_ns = self.release_ns(self.released);
                self.timer = self.stream.sets(0, self.now, expiry_ns);
                self.actors[0].does = Does::Sleeps { then: 1 };
                // A timer that is already overdue expires at once, before its thread has left the CPU.
                self.now += 1;
            }
        }
    }

    // Takes the waiting instances: all, or only the first. Returns `false` if none waits.
    fn takes(&mut self, place: usize) -> bool {
        let actor = &mut self.actors[place];
        actor.at = if self.load.each {
            actor.queue.pop_front().into_iter().collect()
        } else {
            actor.queue.drain(..).collect()
        };
        let newest = actor.at.pop();
        for merged in std::mem::take(&mut actor.at) {
            self.truth.insert(merged, (Fate::Merged, 0));
        }
        self.actors[place].at = newest.into_iter().collect();
        newest.is_some()
    }

    fn step_of_b(&mut self, step: usize) {
        match step {
            0 if self.takes(1) => self.works(1, 1),
            0 => self.actors[1].does = Does::Sleeps { then: 0 },
            1 if self.load.lock_each > 0 && self.random.below(self.load.lock_each) == 0 => {
                self.unlocks.push(self.now + 300 + self.random.below(5_000));
                self.actors[1].does = Does::Sleeps { then: 2 };
            }
            1 => self.works(1, 2),
            _ => {
                if self.load.hog_each > 0 && self.random.below(self.load.hog_each) == 0 {
                    self.hogs.push(self.now + 10 + self.random.below(3_000));
                }
                let numbers = std::mem::take(&mut self.actors[1].at);
                self.actors[2].queue.extend(numbers);
                self.wake(1, 2);
                self.actors[1].does = Does::Works { left_ns: 60, then: 0 };
            }
        }
    }

    fn step_of_c(&mut self, step: usize) {
        match step {
            0 if self.takes(2) => self.works(2, 1),
            0 => self.actors[2].does = Does::Sleeps { then: 0 },
            _ => {
                let number = self.actors[2].at[0];
                self.stream.push(2, self.now, true, Event::Call { name: Name::new(b"write") });
                self.truth.insert(number, (Fate::Done, self.now));
                self.actors[2].does = Does::Works { left_ns: 40, then: 0 };
            }
        }
    }
}

// Fate and end of each instance, derived from the events; and the chains with their totals.
pub(super) fn seen(machine: &Machine) -> (BTreeMap<u64, (Fate, u64)>, Chains) {
    seen_with_gap(machine, None)
}

// Like `seen`, but with a CPU's events lost in this span.
pub(super) fn seen_with_gap(machine: &Machine, gap: Option<(u32, u64, u64)>) -> (BTreeMap<u64, (Fate, u64)>, Chains) {
    let each = if machine.load.each { "each " } else { "" };
    let spec = Spec::parse(&format!("timer a > a > {each}b > {each}c > call write")).unwrap();
    let mut analysis = Analysis::new(Chains::telling(vec![spec], true));
    let mut events = machine.stream.events.clone();
    events.sort_by_key(|(_, stamped)| stamped.at_ns);
    let mut all = BTreeMap::new();
    let mut gap = gap.map(|(of, from_ns, to_ns)| (of, from_ns, to_ns, false));
    for (cpu, stamped) in &events {
        if let Some((of, from_ns, to_ns, begun)) = &mut gap {
            if stamped.at_ns >= *from_ns && !*begun {
                analysis.gap_begins(*of, *from_ns);
                *begun = true;
            }
            if stamped.at_ns >= *to_ns {
                analysis.gap(*of, *to_ns);
                gap = None;
            } else if *begun && *cpu == *of {
                continue;
            }
        }
        analysis.event(*cpu, stamped);
    }
    let chains = analysis.finish().1;
    for EndedInstance { fate, divided, .. } in chains.told() {
        let until_ns = divided.instance.until_ns();
        all.insert(divided.instance.number, (*fate, if *fate == Fate::Done { until_ns } else { 0 }));
    }
    (all, chains)
}

fn right(machine: &Machine, all: &BTreeMap<u64, (Fate, u64)>) -> (usize, Vec<String>) {
    // An instance that the end of the recording cuts off has no fate yet.
    let known: Vec<_> = machine.truth.iter().filter(|(number, _)| **number + 2 < machine.released).collect();
    let wrong: Vec<_> = known.iter().filter(|(number, truth)| all.get(number) != Some(truth)).collect();
    let told = wrong.iter().map(|(number, truth)| format!("{number}: {truth:?}, told {:?}", all.get(number))).collect();
    (machine.truth.len() - wrong.len(), told)
}

fn holds(machine: &Machine, chains: &Chains) {
    let tally = tally(chains);
    assert_eq!(tally.unequal, 0);
    assert!(tally.ages.agree() != Some(false), "{:?}", tally.ages);
    assert_eq!(tally.due(), tally.count(Fate::Done) + tally.missed_count() + tally.count(Fate::Unseen));
    assert_eq!(tally.due(), machine.released);
    let series = tally.series();
    assert_eq!(series.due, Some(series.done + series.missed.unwrap() + series.unseen));
    for one in tally.worst() {
        assert_eq!(one.parts.iter().map(Part::ns).sum::<u64>(), one.instance.latency_ns());
        let cuts = one.instance.visits.iter().flat_map(|visit| [visit.arrived_ns, visit.taken_ns, visit.handed_ns]);
        let cuts: Vec<u64> = std::iter::once(one.instance.start_ns).chain(cuts).collect();
        assert!(cuts.is_sorted(), "{one:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    // With at most one instance in flight, every fate is right, and every end is right to the nanosecond.
    #[test]
    fn with_one_instance_in_flight_every_fate_is_right(seed in 1u64.., each in any::<bool>()) {
        let load = Load { period_ns: 60_000, work_ns: 3_000, hog_each: 5, lock_each: 7, drop_each: 9, each };
        let machine = Machine::new(seed, load).run(300);
        let (all, chains) = seen(&machine);
        holds(&machine, &chains);
        let (right, wrong) = right(&machine, &all);
        prop_assert_eq!(right, machine.truth.len(), "{:?}", wrong);
    }

    // In bursts all counts add up and all sums are exact. Nearly all fates are right, although only wakeups are known.
    #[test]
    fn in_bursts_the_accounts_close_and_few_fates_are_wrong(seed in 1u64.., each in any::<bool>()) {
        let load = Load { period_ns: 9_000, work_ns: 4_000, hog_each: 9, lock_each: 0, drop_each: 0, each };
        let machine = Machine::new(seed, load).run(500);
        let (all, chains) = seen(&machine);
        holds(&machine, &chains);
        let (right, wrong) = right(&machine, &all);
        prop_assert!(right * 100 >= machine.truth.len() * 90, "{} of {}: {:?}", right, machine.truth.len(), wrong);
    }

    #[test]
    fn with_events_missing_the_sums_hold(seed in 1u64.., each in 2u64..40) {
        let load = Load { period_ns: 12_000, work_ns: 4_000, hog_each: 5, lock_each: 9, drop_each: 20, each: false };
        let mut machine = Machine::new(seed, load).run(200);
        let mut random = Random(seed | 1);
        machine.stream.events.retain(|_| random.below(each) > 0);
        let (_, chains) = seen(&machine);
        let tally = tally(&chains);
        prop_assert_eq!(tally.unequal, 0);
        prop_assert_eq!(tally.due(), tally.count(Fate::Done) + tally.missed_count());
    }
}
