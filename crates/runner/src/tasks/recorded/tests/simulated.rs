// SPDX-License-Identifier: MIT OR Apache-2.0
//! One processor under fixed priorities that writes its own recording, and the responses of the simulation.
use backwall_stats::random::SplitMix;
use backwall_trace::account::analysis::Analysis;
use backwall_trace::event::{Event, Name, Section, Stamped, Thread};
use backwall_trace::interference::{CpuInterference, Follower};
use backwall_trace::read::receiver::Receiver;
use std::collections::VecDeque;

const START_NS: u64 = 1_000;
const IDLE: usize = usize::MAX;

/// Periodic work of a thread, or of a device's interrupt.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    pub priority: u32,
    pub period_ns: u64,
    pub cost_ns: u64,
    /// The cost of a job varies between this share of the largest cost and the largest cost.
    pub least_percent: u64,
    pub offset_ns: u64,
}

#[derive(Clone, Debug)]
pub struct Machine {
    /// In order of priority, the most urgent first.
    pub tasks: Vec<Work>,
    pub devices: Vec<Work>,
    /// Length of the timer's interrupt; half of it comes before the thread is woken.
    pub timer_ns: u64,
    /// Longest time that the scheduler needs to take the processor from a less urgent thread.
    pub dispatch_ns: u64,
    pub length_ns: u64,
    pub seed: u64,
}

pub struct Seen {
    pub found: CpuInterference,
    /// The priority of each task and its longest response, from wake-up to sleep.
    pub responses: Vec<(u32, Option<u64>)>,
}

#[derive(Clone, Copy)]
enum Interrupt {
    Timer(usize),
    Device(usize),
}

struct Simulation {
    machine: Machine,
    random: SplitMix,
    analysis: Analysis<Follower>,
    now: u64,
    running: usize,
    /// For each task: when its current turn began, and how much computation is left.
    turns: Vec<Option<(u64, u64)>>,
    longest: Vec<Option<u64>>,
    pending: VecDeque<Interrupt>,
    next: Vec<(u64, Interrupt)>,
    /// How much of the scheduler's time is left.
    dispatch: Option<u64>,
}

impl Machine {
    pub fn run(self) -> Seen {
        let timers = self.tasks.iter().enumerate().map(|(place, work)| (work.offset_ns, Interrupt::Timer(place)));
        let devices = self.devices.iter().enumerate().map(|(place, work)| (work.offset_ns, Interrupt::Device(place)));
        let next = timers.chain(devices).map(|(at, what)| (START_NS + 10_000_000 + at, what)).collect();
        let count = self.tasks.len();
        let mut simulation = Simulation {
            random: SplitMix(self.seed),
            analysis: Analysis::new(Follower::default()),
            now: START_NS,
            running: IDLE,
            turns: vec![None; count],
            longest: vec![None; count],
            pending: VecDeque::new(),
            next,
            dispatch: None,
            machine: self,
        };
        simulation.introduce();
        while simulation.now < simulation.machine.length_ns {
            simulation.step();
        }
        simulation.finish()
    }
}

impl Simulation {
    /// Records each thread once before the first release, so that its priority is known.
    fn introduce(&mut self) {
        for place in (0..self.machine.tasks.len()).chain([IDLE]) {
            self.now += 10;
            self.switch(place);
        }
    }

    fn finish(self) -> Seen {
        let priorities = self.machine.tasks.iter().map(|work| work.priority);
        let found = self.analysis.finish().1.finish().cpus.remove(0);
        Seen { found, responses: priorities.zip(self.longest).collect() }
    }

    fn thread(&self, place: usize) -> Thread {
        match self.machine.tasks.get(place) {
            None => Thread { id: 0, priority: 120, name: Name::new(b"swapper/0") },
            Some(work) => Thread {
                id: place as i32 + 1,
                priority: 99 - work.priority as i32,
                name: Name::new(format!("bw-t{}", work.priority).as_bytes()),
            },
        }
    }

    fn emit(&mut self, event: Event) {
        let thread = self.thread(self.running).id;
        let stamped = Stamped { at_ns: self.now, thread, in_thread: true, to_switch: false, event };
        self.analysis.event(0, &stamped);
    }

    fn switch(&mut self, to: usize) {
        let preempted = self.turns.get(self.running).is_none_or(Option::is_some);
        self.emit(Event::Switch { from: self.thread(self.running), preempted, to: self.thread(to) });
        (self.running, self.dispatch) = (to, None);
    }

    fn most_urgent(&self) -> usize {
        self.turns.iter().position(Option::is_some).unwrap_or(IDLE)
    }

    fn cost(&mut self, work: Work) -> u64 {
        let percent = work.least_percent + self.random.below(101 - work.least_percent);
        (work.cost_ns * percent / 100).max(1)
    }

    /// The running thread has the processor until `until`.
    fn pass(&mut self, until: u64) {
        let ns = until - self.now;
        if let Some(Some((_, left))) = self.turns.get_mut(self.running) {
            *left -= (*left - 1).min(ns);
        }
        self.now = until;
    }

    fn arrive(&mut self) {
        let machine = &self.machine;
        for (at, what) in self.next.iter_mut().filter(|(at, _)| *at <= self.now) {
            self.pending.push_back(*what);
            *at += match what {
                Interrupt::Timer(place) => machine.tasks[*place].period_ns,
                Interrupt::Device(place) => machine.devices[*place].period_ns,
            };
        }
    }

    fn step(&mut self) {
        self.arrive();
        if let Some(interrupt) = self.pending.pop_front() {
            return self.interrupt(interrupt);
        }
        let arrival = self.next.iter().map(|(at, _)| *at).min().unwrap_or(u64::MAX);
        let best = self.most_urgent();
        if best != self.running {
            let most = self.machine.dispatch_ns;
            let left = self.dispatch.unwrap_or_else(|| self.random.below(most + 1));
            let until = arrival.min(self.now + left);
            self.dispatch = Some(left - (until - self.now));
            self.pass(until);
            if self.dispatch == Some(0) {
                self.switch(best);
            }
            return;
        }
        let Some(Some((since, left))) = self.turns.get(self.running).copied() else { return self.pass(arrival) };
        if self.now + left > arrival {
            return self.pass(arrival);
        }
        let place = self.running;
        self.pass(self.now + left);
        self.turns[place] = None;
        self.longest[place] = self.longest[place].max(Some(self.now - since));
        self.switch(self.most_urgent());
    }

    fn interrupt(&mut self, interrupt: Interrupt) {
        let (name, ns, softirq_ns): (&[u8], u64, u64) = match interrupt {
            Interrupt::Timer(_) => (b"local_timer", self.machine.timer_ns, 0),
            Interrupt::Device(place) => {
                let ns = self.cost(self.machine.devices[place]);
                (b"eth0", ns / 2, ns - ns / 2)
            }
        };
        let section = Section::Interrupt(Name::new(name));
        self.emit(Event::Enter(section));
        self.now += ns / 2;
        if let Interrupt::Timer(place) = interrupt {
            self.release(place);
        }
        self.now += ns - ns / 2;
        self.emit(Event::Leave(section));
        if softirq_ns > 0 {
            self.emit(Event::Enter(Section::Softirq(3)));
            self.now += softirq_ns;
            self.emit(Event::Leave(Section::Softirq(3)));
        }
    }

    /// A thread that is still working begins the next job without sleeping in between.
    fn release(&mut self, place: usize) {
        let cost = self.cost(self.machine.tasks[place]);
        match &mut self.turns[place] {
            Some((_, left)) => *left += cost,
            none => {
                *none = Some((self.now, cost));
                self.emit(Event::Waking { thread: place as i32 + 1 });
            }
        }
    }
}
