// SPDX-License-Identifier: MIT OR Apache-2.0
//! A chain as its user writes it, in one line or in a table.
use super::parse;
use super::pattern::Pattern;
use crate::event::softirq;
use backwall_model::units::near::near;
use std::fmt;

/// Most hops of one chain.
pub const HOPS_MAX: usize = 16;

/// A chain: start of an instance, its threads, and its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// What it is called.
    pub name: String,
    /// What starts an instance.
    pub start: Start,
    /// Its hops; at least one.
    pub hops: Vec<Hop>,
    /// What ends it.
    pub end: End,
    /// Time between starts, if known: then a missing start counts as missed.
    pub period_ns: Option<u64>,
    /// An instance that takes longer is late.
    pub deadline_ns: Option<u64>,
}

/// What starts an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// This thread's timer expires; counted from its set time.
    Timer(Pattern),
    /// An interrupt handler begins.
    Interrupt(Pattern),
    /// A packet is received from this network device.
    Packet(Pattern),
    /// This thread is made ready.
    Wake(Pattern),
    /// This thread enters a system call.
    Call {
        /// The thread.
        thread: Pattern,
        /// The system call.
        call: String,
    },
}

/// One step of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hop {
    /// Who.
    pub by: By,
    /// Which of several waiting instances it takes.
    pub takes: Takes,
    /// It polls at its own times; the previous hop does not wake it.
    pub polls: bool,
}

/// Who does a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum By {
    /// A thread.
    Thread(Pattern),
    /// A softirq, by its number.
    Softirq(u8),
    /// A kernel worker while it runs this function.
    Work(String),
}

/// Which of several waiting instances a thread takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Takes {
    /// The newest; its output answers the older ones too: an eventfd, a condition variable, shared state.
    #[default]
    Newest,
    /// One after the other: datagrams, records of a pipe, a queue.
    Each,
}

/// What ends an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The last thread's next sleep.
    Sleep,
    /// The last thread gets a CPU.
    Runs,
    /// The last thread enters this system call.
    Call(String),
    /// The last thread hands a packet to this network device.
    Packet(Pattern),
    /// The last thread makes this one ready.
    Wakes(Pattern),
}

/// Why a text is not a chain.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("chain, column {column}: {what}")]
pub struct BadSpec {
    /// From 1, in letters.
    pub column: usize,
    /// What is wrong, and how to mend it.
    pub what: String,
}

pub(super) const STARTS: [&str; 5] = ["timer", "irq", "packet", "wake", "call"];

impl Spec {
    /// Reads the one-line form: `timer servo > servo > worker > act > call write`.
    ///
    /// # Errors
    /// The first mistake, with its column.
    pub fn parse(text: &str) -> Result<Self, BadSpec> {
        parse::spec(text)
    }

    /// The same with this name.
    pub fn named(self, name: &str) -> Self {
        Self { name: name.to_string(), ..self }
    }

    /// The system calls that it names: their events cost every system call of the machine.
    pub fn calls(&self) -> Vec<&str> {
        let start = if let Start::Call { call, .. } = &self.start { Some(call.as_str()) } else { None };
        let end = if let End::Call(call) = &self.end { Some(call.as_str()) } else { None };
        start.into_iter().chain(end).collect()
    }

    /// Whether a packet starts it, and whether one ends it.
    pub fn packets(&self) -> (bool, bool) {
        (matches!(self.start, Start::Packet(_)), matches!(self.end, End::Packet(_)))
    }

    /// Whether a timer starts it.
    pub fn is_timed(&self) -> bool {
        matches!(self.start, Start::Timer(_))
    }

    /// Whether a hop is queued work of a kernel worker.
    pub fn has_work(&self) -> bool {
        self.hops.iter().any(|hop| matches!(hop.by, By::Work(_)))
    }

    /// Its start, for a series.
    pub fn from(&self) -> String {
        self.start.to_string()
    }

    /// Its end, for a series.
    pub fn to(&self) -> String {
        match (&self.end, self.hops.last()) {
            (End::Sleep | End::Runs, Some(last)) => format!("{last} {}", self.end),
            _ => self.end.to_string(),
        }
    }
}

impl Hop {
    /// A thread that its predecessor wakes.
    pub fn thread(pattern: Pattern) -> Self {
        Self { by: By::Thread(pattern), takes: Takes::default(), polls: false }
    }
}

pub(super) fn start(words: &[&str]) -> Result<Start, String> {
    let Some((kind, rest)) = words.split_first() else {
        return Err(format!("no start; a chain must begin with {}", listed(&STARTS)));
    };
    let one = |what: &str| match rest {
        [] => Err(format!("'{kind}' needs {what} after it")),
        words => Ok(Pattern::new(&words.join(" "))),
    };
    match *kind {
        "timer" => Ok(Start::Timer(one("the name of the thread that sets the timer")?)),
        "irq" => Ok(Start::Interrupt(one("the name of an interrupt")?)),
        "packet" => Ok(Start::Packet(one("the name of a network device")?)),
        "wake" => Ok(Start::Wake(one("the name of a thread")?)),
        "call" => match rest {
            [thread @ .., call] if !thread.is_empty() => {
                Ok(Start::Call { thread: Pattern::new(&thread.join(" ")), call: call.to_string() })
            }
            _ => Err("'call' needs a thread and a system call after it: call servo read".to_string()),
        },
        other => Err(format!("unknown start '{other}'{}; expected {}", meant(other, &STARTS), listed(&STARTS))),
    }
}

pub(super) fn hop(words: &[&str]) -> Result<Hop, String> {
    match words {
        ["softirq", name] => {
            let names: Vec<String> =
                (0..=u8::MAX).map(softirq::name).take_while(|name| name.parse::<u8>().is_err()).collect();
            let number = names.iter().position(|known| known == name);
            let number = number.ok_or_else(|| {
                let known: Vec<&str> = names.iter().map(String::as_str).collect();
                format!("unknown softirq '{name}'{}; expected {}", meant(name, &known), listed(&known))
            })?;
            Ok(Hop { by: By::Softirq(number as u8), takes: Takes::default(), polls: false })
        }
        ["work", function] => Ok(Hop { by: By::Work(function.to_string()), takes: Takes::default(), polls: false }),
        ["polls", rest @ ..] if !rest.is_empty() => {
            Ok(Hop { polls: true, ..Hop::thread(Pattern::new(&rest.join(" "))) })
        }
        ["each", rest @ ..] if !rest.is_empty() => Ok(Hop { takes: Takes::Each, ..hop(rest)? }),
        [] => Err("expected a thread between two '>'".to_string()),
        words => Ok(Hop::thread(Pattern::new(&words.join(" ")))),
    }
}

pub(super) fn end(words: &[&str]) -> Result<Option<End>, String> {
    Ok(Some(match words {
        ["sleep"] => End::Sleep,
        ["runs"] => End::Runs,
        ["call", call] => End::Call(call.to_string()),
        ["packet", device] => End::Packet(Pattern::new(device)),
        ["wakes", thread @ ..] if !thread.is_empty() => End::Wakes(Pattern::new(&thread.join(" "))),
        ["call"] => return Err("'call' needs a system call after it: call write".to_string()),
        ["packet"] => return Err("'packet' needs a network device after it: packet eth0".to_string()),
        ["wakes"] => return Err("'wakes' needs the name of a thread after it".to_string()),
        _ => return Ok(None),
    }))
}

pub(super) fn checked(spec: Spec) -> Result<Spec, String> {
    if spec.hops.is_empty() {
        return Err("no thread after the start: expected START > THREAD > …".to_string());
    }
    if spec.hops.len() > HOPS_MAX {
        return Err(format!("{} hops exceed the limit of {HOPS_MAX}", spec.hops.len()));
    }
    if let Some(hop) = spec.hops.first().filter(|hop| hop.polls) {
        return Err(format!("the first hop cannot poll: {hop}; start the chain with 'timer'"));
    }
    let twice = spec.hops.windows(2).find(|pair| pair[0].by == pair[1].by);
    if let Some(pair) = twice {
        return Err(format!("{} cannot hand on to itself; name it once", pair[0]));
    }
    if !matches!(spec.hops.last(), Some(Hop { by: By::Thread(_), .. })) {
        return Err("the last hop must be a thread".to_string());
    }
    match (&spec.start, &spec.hops[0].by) {
        (Start::Timer(own) | Start::Wake(own) | Start::Call { thread: own, .. }, By::Thread(first)) if own != first => {
            Err(format!("the start is of {own}, but the first thread is {first}; write '> {own} > {first}'"))
        }
        _ => Ok(spec),
    }
}

fn meant(word: &str, known: &[&str]) -> String {
    near(word, known.iter().copied()).map(|near| format!("; did you mean '{near}'?")).unwrap_or_default()
}

fn listed(words: &[&str]) -> String {
    match words {
        [begin @ .., last] => format!("{} or {last}", begin.join(", ")),
        [] => String::new(),
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
        }
    }
}

impl fmt::Display for Hop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.by {
            By::Thread(thread) => write!(f, "{thread}"),
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
