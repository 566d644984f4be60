// SPDX-License-Identifier: MIT OR Apache-2.0
//! Speed of rules on a recording: events that are in memory already, so that no reader's time is in it.
//!
//! One line for each figure, tab-separated: name, value, unit, goal, met, peer, its value, conditions.
use backwall_stats::random::SplitMix;
use backwall_trace::event::{Event, Name, Section, Stamped, Thread};
use backwall_trace::read::receiver::Receiver;
use backwall_trace::rules::{Evaluation, parse};
use std::time::Instant;

const EVENTS: usize = 1 << 20;
const ROUNDS: u64 = 16;
const RULES: [(&str, &str); 2] = [
    ("one rule", "after wakes 1 within 40us runs 1, unless irq eth0"),
    (
        "four rules",
        "after wakes 1 within 40us runs 1, unless irq eth0\nafter timer within 15us softirq NET_RX\n\
         after page-fault within 90us leaves loop, unless wakes loop\nafter runs loop within 30us runs loop",
    ),
];

fn main() {
    let events = events();
    for (name, text) in RULES {
        let mut evaluation = Evaluation::new(parse(text).expect("rules of ours").rules);
        let started = Instant::now();
        for round in 0..ROUNDS {
            let later = round * (events[EVENTS - 1].at_ns + 1);
            for event in &events {
                evaluation.event(0, &Stamped { at_ns: event.at_ns + later, ..*event });
            }
        }
        let accounts = evaluation.finish();
        let rate = (EVENTS as u64 * ROUNDS) as f64 / 1e6 / started.elapsed().as_secs_f64();
        assert!(accounts.iter().all(|(_, account)| account.kept > 0), "events that the rules are about");
        let (goal, met) =
            if accounts.len() == 1 { ("30", if rate >= 30.0 { "yes" } else { "no" }) } else { ("-", "-") };
        println!(
            "rules: {name}\t{rate:.1}\tmillion events/s\t{goal}\t{met}\t-\t-\t{EVENTS} random events, {ROUNDS} times, in memory, one core"
        );
    }
}

fn events() -> Vec<Stamped> {
    let mut random = SplitMix(5);
    let mut at_ns = 0;
    let thread =
        |id: i32| Thread { id, priority: 120, name: Name::new([&b"idle"[..], b"loop", b"other"][id as usize]) };
    let mut one = || {
        at_ns += random.below(9_000);
        let number = random.below(3) as i32;
        let event = match random.below(7) {
            0 | 1 => Event::Switch { from: thread((number + 1) % 3), preempted: false, to: thread(number) },
            2 => Event::Waking { thread: number },
            3 => Event::TimerExpire { timer: 1, function: None },
            4 => Event::Enter(Section::Softirq(random.below(4) as u8)),
            5 => Event::PageFault,
            _ => Event::Enter(Section::Interrupt(Name::new([&b"eth0"[..], b"eth1"][random.below(2) as usize]))),
        };
        Stamped { at_ns, thread: 0, in_thread: true, to_switch: false, event }
    };
    (0..EVENTS).map(|_| one()).collect()
}
