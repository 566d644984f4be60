// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether chains are followed rightly: programs that stamp each hop themselves, against what the kernel's events tell.
//!
//! `BACKWALL_INSTANCES`: instances of each recording (default 3,000). `BACKWALL_SEED`: the seed of all injections. A word after `--` keeps
//! the recordings whose name has it; `live` is what it costs while it runs. With `BACKWALL_WRONG` it prints what is wrong and keeps the recordings. Each figure is one tab-separated line: name value unit goal met peer peer_value conditions.
mod judged;
mod live;
mod program;

use judged::Agreement;
use program::{Program, Written};
use std::io::Result;
use std::path::Path;

struct Row {
    name: &'static str,
    first: &'static str,
    second: &'static str,
    spec: &'static str,
    period_us: u64,
    inject: &'static str,
    // The chain of the other end, if the program forks.
    other: Option<&'static str>,
    // Required share of right fates, in percent.
    goal: f64,
    // The largest 99 % quantile of the difference between latencies, in microseconds.
    error_us: f64,
}

const ALL: &str = "hog0,hog1,lock,run,drop";
const CALM: u64 = 5_000;
const BURSTS: u64 = 2_000;
// Time for delays of 10 ms, and for a group to be idle.
const SLOW: u64 = 40_000;

const USUAL: Row = Row {
    name: "",
    first: "",
    second: "",
    spec: "",
    period_us: CALM,
    inject: ALL,
    other: None,
    goal: 99.9,
    error_us: 15.0,
};

const ROWS: [Row; 22] = [
    Row {
        name: "eventfd > futex",
        first: "eventfd",
        second: "futex",
        spec: "timer ch-timer > ch-timer > ch-worker > ch-act",
        ..USUAL
    },
    Row {
        name: "eventfd > pipe",
        first: "eventfd",
        second: "pipe",
        spec: "timer ch-timer > ch-timer > ch-worker > each ch-act",
        ..USUAL
    },
    Row {
        name: "udp > pipe",
        first: "udp",
        second: "pipe",
        spec: "timer ch-timer > ch-timer > each ch-worker > each ch-act",
        ..USUAL
    },
    Row {
        name: "unix > unix",
        first: "unix",
        second: "unix",
        spec: "timer ch-timer > ch-timer > each ch-worker > each ch-act",
        ..USUAL
    },
    Row {
        name: "condvar > condvar",
        first: "condvar",
        second: "condvar",
        spec: "timer ch-timer > ch-timer > ch-worker > ch-act",
        ..USUAL
    },
    Row {
        name: "epoll > eventfd",
        first: "epoll",
        second: "eventfd",
        spec: "timer ch-timer > ch-timer > ch-worker > ch-act",
        ..USUAL
    },
    Row {
        name: "pipe > pipe",
        first: "pipe",
        second: "pipe",
        spec: "timer ch-timer > ch-timer > each ch-worker > each ch-act",
        ..USUAL
    },
    Row {
        name: "end at a call",
        first: "pipe",
        second: "udp",
        spec: "timer ch-timer > ch-timer > each ch-worker > each ch-act > call write",
        error_us: 2.0,
        ..USUAL
    },
    Row {
        name: "end at a packet",
        first: "eventfd",
        second: "pipe",
        spec: "timer ch-timer > ch-timer > ch-worker > each ch-act > packet lo",
        inject: "hog0,hog1,lock,run,drop,packet",
        ..USUAL
    },
    Row {
        name: "polling",
        first: "eventfd",
        second: "poll",
        spec: "timer ch-timer > ch-timer > ch-worker > polls ch-act",
        inject: "drop",
        ..USUAL
    },
    Row {
        name: "uring > pipe",
        first: "uring",
        second: "pipe",
        spec: "timer ch-timer > ch-timer > each ch-worker > each ch-act",
        ..USUAL
    },
    Row {
        name: "veth > pipe",
        first: "veth",
        second: "pipe",
        spec: "timer ch-timer > ch-timer > each ch-worker > each ch-act",
        ..USUAL
    },
    Row {
        name: "join of two",
        first: "pipe",
        second: "pipe",
        spec: "timer ch-timer > ch-timer > each ch-worker + ch-right > each ch-act",
        inject: "drop,join",
        ..USUAL
    },
    Row {
        name: "fork to two",
        first: "pipe",
        second: "pipe",
        spec: "timer ch-timer > ch-timer > each ch-worker > each ch-act",
        inject: "hog0,hog1,lock,run,drop,fork",
        other: Some("timer ch-timer > ch-timer > each ch-right"),
        ..USUAL
    },
    Row {
        name: "quota used up",
        first: "eventfd",
        second: "futex",
        spec: "timer ch-timer > ch-timer > ch-worker > ch-act",
        period_us: SLOW,
        inject: "quota",
        ..USUAL
    },
    Row {
        name: "ksoftirqd",
        first: "eventfd",
        second: "futex",
        spec: "timer ch-timer > ch-timer > ch-worker > ch-act",
        period_us: SLOW,
        inject: "backlog",
        ..USUAL
    },
    Row {
        name: "long interrupts",
        first: "eventfd",
        second: "futex",
        spec: "timer ch-timer > ch-timer > ch-worker > ch-act",
        inject: "irq",
        ..USUAL
    },
    Row {
        name: "long softirqs",
        first: "eventfd",
        second: "futex",
        spec: "timer ch-timer > ch-timer > ch-worker > ch-act",
        inject: "soft",
        ..USUAL
    },
    Row {
        name: "interrupts disabled",
        first: "eventfd",
        second: "futex",
        spec: "timer ch-timer > ch-timer > ch-worker > ch-act",
        inject: "mask",
        ..USUAL
    },
    Row {
        name: "page faults",
        first: "eventfd",
        second: "futex",
        spec: "timer ch-timer > ch-timer > ch-worker > ch-act",
        inject: "fault",
        ..USUAL
    },
    Row {
        name: "bursts, wakeups alone",
        first: "eventfd",
        second: "futex",
        spec: "timer ch-timer > ch-timer > ch-worker > ch-act",
        period_us: BURSTS,
        inject: "hog1,burst",
        goal: 99.0,
        error_us: f64::NAN,
        ..USUAL
    },
    Row {
        name: "bursts, end at a call",
        first: "udp",
        second: "pipe",
        spec: "timer ch-timer > ch-timer > each ch-worker > each ch-act > call write",
        period_us: BURSTS,
        inject: "hog1,burst",
        error_us: f64::NAN,
        ..USUAL
    },
];

fn main() -> Result<()> {
    let number = |name: &str, usual: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let (instances, seed) = (number("BACKWALL_INSTANCES", 3_000), number("BACKWALL_SEED", 1));
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let out = std::env::temp_dir().join(format!("backwall-chain-{}", std::process::id()));
    std::fs::create_dir_all(&out)?;
    let program = Program::build(&out)?;
    let mut all = Agreement::default();
    for row in ROWS.iter().filter(|row| words.is_empty() || words.iter().any(|word| row.name.contains(word))) {
        one(row, &program, &out, (instances, seed), &mut all)?;
    }
    all.print_culprits("all recordings");
    if words.is_empty() || words.iter().any(|word| word == "live") {
        live::show(&out)?;
    }
    // To look at what is wrong.
    if std::env::var_os("BACKWALL_WRONG").is_some() {
        println!("# recordings: {}", out.display());
        return Ok(());
    }
    std::fs::remove_dir_all(&out)
}

fn one(row: &Row, program: &Program, out: &Path, (instances, seed): (u64, u64), all: &mut Agreement) -> Result<()> {
    let folder = out.join(row.name.replace([' ', '>', ','], "_"));
    let words =
        [row.first, row.second, &instances.to_string(), &row.period_us.to_string(), &seed.to_string(), row.inject];
    let written: Written = program.record(row.spec, &words, &folder)?;
    let judged = Agreement::of(row.spec, &folder, &written)?;
    judged.print(row.name, row.goal, row.error_us);
    all.add(judged);
    if let Some(other) = row.other {
        let judged = Agreement::of(other, &folder, &written.right())?;
        judged.print(&format!("{}, other end", row.name), row.goal, row.error_us);
    }
    Ok(())
}

fn figure(name: &str, value: &str, unit: &str, goal: &str, met: Option<bool>, conditions: &str) {
    let met = met.map_or("-", |met| if met { "yes" } else { "no" });
    println!("chain.{name}\t{value}\t{unit}\t{goal}\t{met}\t-\t-\t{conditions}");
}
