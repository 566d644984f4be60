// SPDX-License-Identifier: MIT OR Apache-2.0
//! Event streams of damaged recordings for tests: lost events, unrecorded switches, renamed threads, impossible events.
use crate::event::{Event, Name, Section, Stamped, Thread};
use crate::read::receiver::Receiver;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

const CPUS: u32 = 2;
const THREADS: i32 = 5;

/// What a reader passes on: CPU, time and event. `None` in place of the event stands for a loss.
pub(crate) type Told = (u32, u64, Option<Stamped>);

pub(crate) fn play(stream: &[Told], receiver: &mut impl Receiver) {
    for (cpu, at_ns, told) in stream {
        match told {
            Some(stamped) => receiver.event(*cpu, stamped),
            None => receiver.gap(*cpu, *at_ns),
        }
    }
}

pub(crate) fn hold(cases: u32, property: impl Fn(Vec<Told>) -> Result<(), TestCaseError>) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    if let Err(error) = runner.run(&streams(), property) {
        panic!("{error}");
    }
}

fn streams() -> impl Strategy<Value = Vec<Told>> {
    let step = (0u64..3_000, 0..CPUS, 0u8..18, 0..THREADS, any::<u8>());
    proptest::collection::vec(step, 1..300).prop_map(|steps| {
        let (mut at_ns, mut on) = (1_000, [0; CPUS as usize]);
        let told = |(later, cpu, kind, other, bits): (u64, u32, u8, i32, u8)| -> Told {
            at_ns += later;
            (cpu, at_ns, told(at_ns, &mut on[cpu as usize], kind, other, bits))
        };
        steps.into_iter().map(told).collect()
    })
}

fn thread(id: i32, other_name: bool) -> Thread {
    let (letter, priority) = if other_name { ("x", [120, 49]) } else { ("t", [49, 120]) };
    Thread { id, priority: priority[id as usize % 2], name: Name::new(format!("{letter}{id}").as_bytes()) }
}

/// Makes one event. Three of four are on the thread of the CPU's last switch.
fn told(at_ns: u64, on: &mut i32, kind: u8, other: i32, bits: u8) -> Option<Stamped> {
    let bit = |number: u8| bits >> number & 1 == 1;
    let own = if bits & 3 == 0 { other } else { *on };
    let timer = other as u64 % 2;
    let event = match kind {
        0..=3 => {
            *on = other;
            Event::Switch { from: thread(own, bits >> 5 == 0), preempted: bit(2), to: thread(other, bits >> 5 == 1) }
        }
        4..=6 => Event::Waking { thread: other },
        7 => Event::Enter(Section::Interrupt(Name::new(b"timer"))),
        8 => Event::Enter(Section::Softirq(3)),
        9 => Event::Leave(if bit(2) { Section::Interrupt(Name::new(b"timer")) } else { Section::Softirq(3) }),
        10 => Event::TimerStart { timer, expiry_ns: at_ns + 500, slack_ns: u64::from(bits >> 5) * 200 },
        11 => Event::TimerExpire { timer, function: None },
        12 => Event::Futex { locks: bit(2) },
        13 => Event::FutexEnd,
        14 => Event::Inherit { thread: other, from: 120, to: if bit(2) { 49 } else { 130 } },
        15 => Event::PageFault,
        16 => Event::Migrate { thread: other, to: u32::from(bit(2)) },
        _ => return None,
    };
    Some(Stamped { at_ns, thread: own, in_thread: bit(3), to_switch: bit(4), event })
}
