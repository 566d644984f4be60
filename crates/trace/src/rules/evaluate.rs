// SPDX-License-Identifier: MIT OR Apache-2.0
//! Takes the events of a recording and keeps an account for each rule.
use super::Rule;
use super::pattern::{Names, kind};
use crate::event::{Event, Name, Stamped};
use crate::read::receiver::Receiver;
use std::collections::VecDeque;

const EXAMPLES: usize = 10;
const SWITCHES: usize = 256;

/// How the obligations of a rule ended: `due = kept + excused + violated + undecided`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Number of obligations: how often A came.
    pub due: u64,
    /// B came in time.
    pub kept: u64,
    /// Excused because C came first.
    pub excused: u64,
    /// Neither B nor C came in time.
    pub violated: u64,
    /// Events are missing before B, or the recording ends too early.
    pub undecided: u64,
    /// The longest time from A to a B that came in time.
    pub longest_ns: Option<u64>,
    /// The first violations.
    pub examples: Vec<Example>,
}

/// One violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// When A came, on the recording's clock.
    pub at_ns: u64,
    /// The CPU on which A came.
    pub cpu: u32,
    /// The thread that held this CPU longest in the allowed time after A; `None` if no switch shows it.
    pub cause: Option<Holder>,
}

/// A thread that held a CPU, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The thread's number; 0 is the idle thread.
    pub thread: i32,
    /// Name of the thread.
    pub name: Name,
    /// How long the thread held the CPU, in nanoseconds.
    pub ns: u64,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    at_ns: u64,
    cpu: u32,
    gap: bool,
}

// Most events need only this: their kind matches no pattern of the rule, and no obligation is overdue.
#[derive(Clone, Copy, Debug)]
struct Glance {
    kinds: u16,
    // The first open obligation is violated after this time.
    expires_ns: u64,
}

/// Evaluates rules while a recording is read.
#[derive(Debug)]
pub struct Evaluation {
    rules: Vec<Rule>,
    open: Vec<VecDeque<Open>>,
    glances: Vec<Glance>,
    accounts: Vec<Account>,
    names: Names,
    /// Whether a rule needs the names of threads, which take time at each switch.
    asks_for_names: bool,
    came: Vec<VecDeque<(u64, i32, Name)>>,
    last_ns: u64,
    gaps: u32,
}

impl Evaluation {
    /// Starts before the first event.
    pub fn new(rules: Vec<Rule>) -> Self {
        let count = rules.len();
        let patterns = rules.iter().flat_map(|rule| [&rule.after, &rule.then].into_iter().chain(&rule.unless));
        let asks_for_names = patterns.into_iter().any(super::Pattern::asks_for_names);
        Self {
            asks_for_names,
            glances: rules.iter().map(|rule| Glance { kinds: kinds(rule), expires_ns: u64::MAX }).collect(),
            rules,
            open: vec![VecDeque::new(); count],
            accounts: vec![Account::default(); count],
            names: Names::default(),
            came: Vec::new(),
            last_ns: 0,
            gaps: 0,
        }
    }

    /// Ends after the last event; returns each rule with its account.
    pub fn finish(mut self) -> Vec<(Rule, Account)> {
        for index in 0..self.rules.len() {
            self.expire(index, self.last_ns);
            let left = self.open[index].len() as u64;
            self.accounts[index].undecided += left;
        }
        self.rules.into_iter().zip(self.accounts).collect()
    }

    fn expire(&mut self, index: usize, now_ns: u64) {
        let within = self.rules[index].within_ns;
        while let Some(open) = self.open[index].front().copied() {
            self.glances[index].expires_ns = open.at_ns.saturating_add(within);
            if self.glances[index].expires_ns >= now_ns {
                return;
            }
            self.open[index].pop_front();
            if open.gap {
                self.accounts[index].undecided += 1;
                continue;
            }
            self.accounts[index].violated += 1;
            if self.accounts[index].examples.len() < EXAMPLES {
                let cause = self.holder(open.cpu, open.at_ns, open.at_ns + within);
                self.accounts[index].examples.push(Example { at_ns: open.at_ns, cpu: open.cpu, cause });
            }
        }
        self.glances[index].expires_ns = u64::MAX;
    }

    fn holder(&self, cpu: u32, from_ns: u64, to_ns: u64) -> Option<Holder> {
        let came = self.came.get(cpu as usize)?;
        let ends = came.iter().skip(1).map(|(at, ..)| *at).chain([u64::MAX]);
        let mut held: Vec<Holder> = Vec::new();
        for ((at, thread, name), end) in came.iter().zip(ends) {
            let ns = end.min(to_ns).saturating_sub((*at).max(from_ns));
            match held.iter_mut().find(|holder| holder.thread == *thread) {
                Some(holder) => holder.ns += ns,
                None => held.push(Holder { thread: *thread, name: *name, ns }),
            }
        }
        held.into_iter().filter(|holder| holder.ns > 0).max_by_key(|holder| holder.ns)
    }

    fn switched(&mut self, cpu: u32, stamped: &Stamped) {
        let Event::Switch { to, .. } = &stamped.event else { return };
        let cpu = cpu as usize;
        if self.came.len() <= cpu {
            self.came.resize_with(cpu + 1, VecDeque::new);
        }
        if self.came[cpu].len() == SWITCHES {
            self.came[cpu].pop_front();
        }
        self.came[cpu].push_back((stamped.at_ns, to.id, to.name));
    }

    fn missing(&mut self) {
        self.open.iter_mut().flatten().for_each(|open| open.gap = true);
    }
}

fn kinds(rule: &Rule) -> u16 {
    rule.after.kind() | rule.then.kind() | rule.unless.as_ref().map_or(0, super::Pattern::kind)
}

impl Receiver for Evaluation {
    fn event(&mut self, cpu: u32, stamped: &Stamped) {
        self.last_ns = self.last_ns.max(stamped.at_ns);
        if self.asks_for_names {
            self.names.learn(stamped);
        }
        let kind = kind(&stamped.event);
        for index in 0..self.rules.len() {
            if self.glances[index].expires_ns < stamped.at_ns {
                self.expire(index, stamped.at_ns);
            }
            if self.glances[index].kinds & kind == 0 {
                continue;
            }
            let rule = &self.rules[index];
            let is = |pattern: &super::Pattern| pattern.is(&stamped.event, &self.names);
            let account = &mut self.accounts[index];
            if !self.open[index].is_empty() {
                let open = &mut self.open[index];
                if is(&rule.then) {
                    account.kept += open.len() as u64;
                    // Obligations are in order of time, so the first one waited longest.
                    let longest_ns = open.front().map(|open| stamped.at_ns.saturating_sub(open.at_ns));
                    account.longest_ns = account.longest_ns.max(longest_ns);
                    open.clear();
                } else if rule.unless.as_ref().is_some_and(is) {
                    account.excused += open.len() as u64;
                    open.clear();
                }
            }
            if is(&rule.after) {
                account.due += 1;
                if self.open[index].is_empty() {
                    self.glances[index].expires_ns = stamped.at_ns.saturating_add(rule.within_ns);
                }
                self.open[index].push_back(Open { at_ns: stamped.at_ns, cpu, gap: self.gaps > 0 });
            }
        }
        self.switched(cpu, stamped);
    }

    fn gap_begins(&mut self, _cpu: u32, at_ns: u64) {
        (0..self.rules.len()).for_each(|index| self.expire(index, at_ns));
        self.gaps += 1;
        self.missing();
    }

    fn gap(&mut self, _cpu: u32, at_ns: u64) {
        if self.gaps == 0 {
            // A gap of a single event has no start of its own.
            self.missing();
        }
        self.gaps = self.gaps.saturating_sub(1);
        self.last_ns = self.last_ns.max(at_ns);
    }
}
