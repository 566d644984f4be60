// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kinds of causes, and what names each rightly.
use super::cause::Group;

#[derive(Clone, Copy, PartialEq)]
pub enum Counts {
    // Responses of which the culprit, by its own clock, took more than half.
    Injected,
    // Late responses of a thread that was hardly ever ready without a CPU, by the kernel's own account.
    Unhindered,
    Late,
}

pub struct Kind {
    // As `probe/bench/causes/` calls it.
    pub name: &'static str,
    // Named rightly: the words of the largest share have all words of one of these lists.
    pub right: &'static [&'static [&'static str]],
    pub wrong: &'static [&'static str],
    pub late_us: i64,
    pub counts: Counts,
    pub group: Group,
    pub times: usize,
    // Each way gets its own injections: a second recorder lengthens this cause.
    pub alone: bool,
}

const USUAL: Kind = Kind {
    name: "",
    right: &[&["culprit"]],
    wrong: &[],
    late_us: 1_000,
    counts: Counts::Injected,
    group: Group::None,
    times: 100,
    alone: false,
};

pub const KINDS: &[Kind] = &[
    Kind { name: "stop", right: &[&["stopped", "culprit"]], ..USUAL },
    Kind { name: "freeze", right: &[&["frozen", "culprit"]], group: Group::Unified, ..USUAL },
    // No event tells who froze it; the thread that thawed it is named.
    Kind {
        name: "freezer",
        right: &[&["frozen", "culprit"], &["not waiting", "until", "culprit"]],
        group: Group::Freezer,
        ..USUAL
    },
    Kind { name: "above", ..USUAL },
    Kind { name: "interrupt", right: &[&["local_timer"], &["arch_timer"], &["riscv-timer"]], alone: true, ..USUAL },
    Kind { name: "sigtimedwait@1000", right: &[&["masked", "sigtimedwait"]], late_us: 500, ..USUAL },
    Kind { name: "fault", right: &[&["page fault"], &["after fault"]], ..USUAL },
    Kind { name: "fault-skip", right: &[&["page fault"], &["after fault"]], ..USUAL },
    Kind { name: "waker", ..USUAL },
    Kind { name: "ordinary", ..USUAL },
    Kind { name: "quota", right: &[&["quota"]], wrong: &["culprit"], group: Group::Cpu, late_us: 20_000, ..USUAL },
    Kind { name: "share", right: &[&["share"], &["quota"]], group: Group::Cpu, late_us: 20_000, ..USUAL },
    Kind { name: "deadline", right: &[&["budget"]], ..USUAL },
    Kind { name: "softirq", right: &[&["softirq", "net_rx"], &["\"softirq\":3"]], ..USUAL },
    Kind { name: "chain", right: &[&["culprit", "inherited"]], ..USUAL },
    Kind { name: "lowered", ..USUAL },
    Kind { name: "forks", ..USUAL },
    Kind { name: "unpinned", ..USUAL },
    Kind { name: "moved", ..USUAL },
    Kind { name: "moved-on", ..USUAL },
    Kind { name: "nice", ..USUAL },
    Kind { name: "slack", right: &[&["slack"]], counts: Counts::Unhindered, times: 250, ..USUAL },
    Kind { name: "ppoll", right: &[&["slack"]], counts: Counts::Unhindered, late_us: 300, ..USUAL },
    Kind {
        name: "catch-up",
        right: &[&[]],
        wrong: &["not waiting", "earlier release (or", "own earlier activation", "unexplained", "\"backlog\""],
        counts: Counts::Late,
        times: 5_000,
        ..USUAL
    },
    Kind { name: "signals", ..USUAL },
    Kind { name: "ptrace", ..USUAL },
];

impl Kind {
    pub fn is_named(&self, words: &str) -> bool {
        let words = words.to_lowercase().replace('-', " ");
        let has = |word: &&str| words.contains(&word.replace('-', " "));
        self.right.iter().any(|list| list.iter().all(has)) && !self.wrong.iter().any(has)
    }
}
