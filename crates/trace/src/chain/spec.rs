// SPDX-License-Identifier: MIT OR Apache-2.0
//! A chain as the user writes it, in one line or as a table.
use super::parse;
use super::pattern::Pattern;
use crate::event::softirq;
use std::collections::BTreeMap;
use std::fmt;

/// A chain has at most this many hops.
pub const HOPS_MAX: usize = 16;
/// A chain has at most this many paths through its joins.
pub const PATHS_MAX: usize = 8;

/// A chain: the start of an instance, the threads that it passes, and its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// The user's name for the chain.
    pub name: String,
    /// What starts an instance.
    pub start: Start,
    /// The steps of the chain; at least one.
    pub hops: Vec<Hop>,
    /// What ends an instance.
    pub end: End,
    /// Time between two starts, if known. If it is given, a start that does not come counts as missed.
    pub period_ns: Option<u64>,
    /// An instance with a longer latency is late.
    pub deadline_ns: Option<u64>,
}

/// What starts an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// This thread's timer expires. The latency counts from the time for which the timer was set.
    Timer(Pattern),
    /// The handler of this interrupt begins.
    Interrupt(Pattern),
    /// The kernel receives a packet from this network device.
    Packet(Pattern),
    /// This thread is woken.
    Wake(Pattern),
    /// This thread enters a system call.
    Call {
        /// The thread that calls.
        thread: Pattern,
        /// Name of the system call.
        call: String,
    },
    /// A program writes this text to `trace_marker`.
    Mark(Pattern),
}

/// One step of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The thread, softirq or work function.
    pub by: By,
    /// Which instance the hop takes if several wait.
    pub takes: Takes,
    /// The hop polls at its own times, so the previous hop does not wake it.
    pub polls: bool,
}

/// What does a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum By {
    /// A thread.
    Thread(Pattern),
    /// A join: all of these threads, and the next hop waits for all of them.
    All(Vec<Pattern>),
    /// A softirq, by its number.
    Softirq(u8),
    /// A kworker while it runs this function.
    Work(String),
}

/// Which instance a thread takes if several wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Takes {
    /// The newest instance; its output also answers the older ones. Fits an eventfd, a condition variable or shared memory.
    #[default]
    Newest,
    /// Every instance, one after the other. Fits datagrams, records in a pipe, or a queue.
    Each,
}

/// What ends an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The last thread goes to sleep: it sets the timer of its sleep, or leaves its CPU.
    Sleep,
    /// The last thread gets a CPU.
    Runs,
    /// The last thread enters this system call.
    Call(String),
    /// The last thread hands a packet to this network device.
    Packet(Pattern),
    /// The last thread wakes this one.
    Wakes(Pattern),
    /// The last thread writes this text to `trace_marker`.
    Mark(Pattern),
}

/// Why the text of a chain is wrong.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("chain, column {column}: {what}")]
pub struct BadSpec {
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong, and how to fix it.
    pub what: String,
}

impl Spec {
    /// Reads the one-line form, as `timer servo > servo > worker > act > call write`.
    ///
    /// # Errors
    /// The first mistake, with its column.
    pub fn parse(text: &str) -> Result<Self, BadSpec> {
        parse::spec(text)
    }

    /// The same chain with another name.
    pub fn named(self, name: &str) -> Self {
        Self { name: name.to_string(), ..self }
    }

    /// The system calls that the chain names. Their events have a cost: the kernel records them for every thread.
    pub fn calls(&self) -> Vec<&str> {
        let start = if let Start::Call { call, .. } = &self.start { Some(call.as_str()) } else { None };
        let end = if let End::Call(call) = &self.end { Some(call.as_str()) } else { None };
        start.into_iter().chain(end).collect()
    }

    /// Whether the chain starts with a packet, and whether it ends with one.
    pub fn packets(&self) -> (bool, bool) {
        (matches!(self.start, Start::Packet(_)), matches!(self.end, End::Packet(_)))
    }

    /// Whether the chain starts or ends with a text in `trace_marker`.
    pub fn has_mark(&self) -> bool {
        matches!(self.start, Start::Mark(_)) || matches!(self.end, End::Mark(_))
    }

    /// Whether the chain starts with a timer.
    pub fn is_timed(&self) -> bool {
        matches!(self.start, Start::Timer(_))
    }

    /// All paths through the joins: each takes one thread of each join. A chain without a join has one path.
    pub fn paths(&self) -> Vec<Self> {
        let mut all = vec![Self { hops: Vec::new(), ..self.clone() }];
        for hop in &self.hops {
            let ways: Vec<By> = match &hop.by {
                By::All(threads) => threads.iter().cloned().map(By::Thread).collect(),
                by => vec![by.clone()],
            };
            let longer = |path: &Self| {
                let hops =
                    ways.iter().map(|by| [path.hops.as_slice(), &[Hop { by: by.clone(), ..hop.clone() }]].concat());
                hops.map(|hops| Self { hops, ..path.clone() }).collect::<Vec<Self>>()
            };
            all = all.iter().flat_map(longer).collect();
        }
        all
    }

    /// Looks up the threads of each process written as `PID/NAME`. `processes` gives the process of each thread.
    ///
    /// # Errors
    /// The first process that has no thread.
    pub fn with_processes(mut self, processes: &BTreeMap<i32, i32>) -> Result<Self, i32> {
        for pattern in self.threads() {
            let Pattern::Of { process, threads, .. } = pattern else { continue };
            *threads = processes.iter().filter(|(_, of)| *of == process).map(|(id, _)| *id).collect();
            if threads.is_empty() {
                return Err(*process);
            }
        }
        Ok(self)
    }

    fn threads(&mut self) -> impl Iterator<Item = &mut Pattern> {
        let start = match &mut self.start {
            Start::Timer(thread) | Start::Wake(thread) | Start::Call { thread, .. } => Some(thread),
            Start::Interrupt(_) | Start::Packet(_) | Start::Mark(_) => None,
        };
        let end = if let End::Wakes(thread) = &mut self.end { Some(thread) } else { None };
        let hops = self.hops.iter_mut().flat_map(|hop| match &mut hop.by {
            By::Thread(thread) => std::slice::from_mut(thread),
            By::All(threads) => threads.as_mut_slice(),
            By::Softirq(_) | By::Work(_) => &mut [],
        });
        start.into_iter().chain(hops).chain(end)
    }

    /// The start, in the form for the key of a series.
    pub fn from(&self) -> String {
        self.start.to_string()
    }

    /// The end, in the form for the key of a series.
    pub fn to(&self) -> String {
        match (&self.end, self.hops.last()) {
            (End::Sleep | End::Runs, Some(last)) => format!("{last} {}", self.end),
            _ => self.end.to_string(),
        }
    }
}

impl Hop {
    /// A hop that is a thread woken by the previous hop.
    pub fn thread(pattern: Pattern) -> Self {
        Self { by: By::Thread(pattern), takes: Takes::default(), polls: false }
    }

    fn patterns(&self) -> &[Pattern] {
        match &self.by {
            By::Thread(thread) => std::slice::from_ref(thread),
            By::All(threads) => threads,
            By::Softirq(_) | By::Work(_) => &[],
        }
    }

    pub(super) fn shares(&self, other: &Self) -> bool {
        self.by == other.by || self.patterns().iter().any(|thread| other.patterns().contains(thread))
    }

    pub(super) fn threads_differ(&self) -> bool {
        let all = self.patterns();
        all.iter().enumerate().all(|(place, thread)| !all[..place].contains(thread))
    }
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timer(thread) => write!(f, "timer {thread}"),
            Self::Interrupt(line) => write!(f, "irq {line}"),
            Self::Packet(device) => write!(f, "packet {device}"),
            Self::Wake(thread) => write!(f, "wake {thread}"),
            Self::Call { thread, call } => write!(f, "call {thread} {call}"),
            Self::Mark(text) => write!(f, "mark {text}"),
        }
    }
}

impl fmt::Display for Hop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.by {
            By::Thread(thread) => write!(f, "{thread}"),
            By::All(threads) => {
                let names: Vec<String> = threads.iter().map(ToString::to_string).collect();
                f.write_str(&names.join(" + "))
            }
            By::Softirq(number) => write!(f, "softirq {}", softirq::name(*number)),
            By::Work(function) => write!(f, "work {function}"),
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sleep => f.write_str("sleep"),
            Self::Runs => f.write_str("runs"),
            Self::Call(call) => write!(f, "call {call}"),
            Self::Packet(device) => write!(f, "packet {device}"),
            Self::Wakes(thread) => write!(f, "wakes {thread}"),
            Self::Mark(text) => write!(f, "mark {text}"),
        }
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.start)?;
        for hop in &self.hops {
            let polls = if hop.polls { "polls " } else { "" };
            let each = if hop.takes == Takes::Each { "each " } else { "" };
            write!(f, " > {each}{polls}{hop}")?;
        }
        if self.end == End::Sleep { Ok(()) } else { write!(f, " > {}", self.end) }
    }
}
