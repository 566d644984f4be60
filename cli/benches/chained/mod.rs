// SPDX-License-Identifier: MIT OR Apache-2.0
//! Speed of following chains beside that of `blame`, on the same events, and memory over a simulated day.
use super::{Question, STARVED, STARVED_ROUNDS, Whose, played, starved};
use backwall_trace::account::analysis::Analysis;
use backwall_trace::chain::{Chains, Spec};
use backwall_trace::event::{Event, Name, Stamped, Thread};
use backwall_trace::late::lates::Lates;
use backwall_trace::read::receiver::Receiver;
use std::hint::black_box;

const CHAIN: &str = "wake starved9 > starved9 > starved8 > starved7 > starved6 > starved5";
const GOAL: f64 = 20.0;
const SHARE: f64 = 0.9;
const DAY_S: u64 = 86_400;
const HZ: u64 = 20;
const HOPS: i32 = 5;
const CHAINS: u64 = 32;
const CHAIN_KIB_MAX: f64 = 4_096.0;
/// Memory that may be added from the first hour to the last.
const GROWTH_KIB_MAX: f64 = 256.0;

pub fn show() {
    show_speed();
    show_memory();
}

/// In turns, so that both see the same machine.
fn show_speed() {
    let events = starved(false);
    let question = || Question { above_ns: 100_000, whose: Whose::All, timers: true, marks: true, to_end: false };
    let (mut blame_s, mut chain_s, mut instances) = (f64::INFINITY, f64::INFINITY, 0);
    for _ in 0..3 {
        blame_s = blame_s.min(played(&events, Lates::new(question())).0);
        let (chain, chains) = played(&events, Chains::new(vec![Spec::parse(CHAIN).expect("a good chain")], true));
        chain_s = chain_s.min(chain);
        instances = chains.tallies().map(|(_, tally)| tally.due()).sum();
    }
    let count = (events.len() as u64 * STARVED_ROUNDS) as f64;
    let (chain, blame) = (count / chain_s / 1e6, count / blame_s / 1e6);
    let met = if chain >= GOAL && chain >= SHARE * blame { "yes" } else { "no" };
    println!(
        "track chains of a busy machine\t{chain:.1}\tmillion events/s\t{GOAL:.0} and {SHARE} of blame\t{met}\tblame\t{blame:.1}\t\
         {count:.0} events, {STARVED} threads a processor, a chain of {HOPS} hops with {instances} instances; decoded in memory, \
         processor time of one thread, in turns, best of 3"
    );
}

/// A day of 32 chains over the same five threads; times vary, so that every statistic is fed.
fn show_memory() {
    let names: Vec<String> = (1..=HOPS).map(|id| format!("hop{id}")).collect();
    let chain = format!("wake hop1 > {}", names.join(" > "));
    let spec = |number: u64| Spec::parse(&chain).expect("a good chain").named(&format!("c{number}"));
    let before = resident_kib();
    let mut analysis = Analysis::new(Chains::new((0..CHAINS).map(spec).collect(), true));
    let mut hours = Vec::new();
    for number in 0..DAY_S * HZ {
        period(&mut analysis, number);
        if number % (3_600 * HZ) == 3_600 * HZ - 1 {
            hours.push(resident_kib() - before);
        }
    }
    let due: u64 = black_box(analysis.finish().1).tallies().map(|(_, tally)| tally.due()).sum();
    let (first, last) = (hours[0], hours[hours.len() - 1]);
    let each = last / CHAINS as f64;
    let met = if each <= CHAIN_KIB_MAX && last - first <= GROWTH_KIB_MAX { "yes" } else { "no" };
    println!(
        "track chains memory\t{each:.0}\tKiB a chain\t<= {CHAIN_KIB_MAX:.0}, flat\t{met}\t-\t-\t24 simulated hours, {CHAINS} chains of \
         {HOPS} hops, {due} instances; resident memory after hour 1 {first:.0} KiB, after hour 24 {last:.0} KiB"
    );
}

fn period(analysis: &mut Analysis<Chains>, number: u64) {
    let thread = |id: i32| match id {
        0 => Thread { id, priority: 120, name: Name::new(b"swapper") },
        _ => Thread { id, priority: 50, name: Name::new(format!("hop{id}").as_bytes()) },
    };
    let mut at_ns = 1_000_000 + number * (1_000_000_000 / HZ);
    let mut push = |after_ns: u64, on: i32, event: Event| {
        at_ns += after_ns;
        let stamped = Stamped { at_ns, thread: on, in_thread: on != 0, to_switch: false, event };
        analysis.event(0, &stamped);
    };
    push(0, 0, Event::Waking { thread: 1 });
    for id in 1..=HOPS {
        let late_ns = number.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(id as u32 * 7) % 200_000;
        push(2_000 + late_ns, 0, Event::Switch { from: thread(0), preempted: false, to: thread(id) });
        if id < HOPS {
            push(10_000, id, Event::Waking { thread: id + 1 });
        }
        push(3_000, id, Event::Switch { from: thread(id), preempted: false, to: thread(0) });
    }
}

fn resident_kib() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let row = text.lines().find_map(|row| row.strip_prefix("VmRSS:"));
    row.and_then(|row| row.split_whitespace().next()?.parse().ok()).unwrap_or(0.0)
}
