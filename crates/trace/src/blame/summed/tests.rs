// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compares with the definition: explains each stretch completely, determines its cause and searches its share, one by one.
use super::*;
use crate::blame::behind::{Untold, Verdict};
use crate::blame::window::Absence;
use crate::blame::{Blame, sorted};
use crate::event::function::Function;
use crate::event::{Event, Group, Name, Stamped, Unpreempted};
use crate::thread::holds::LetGo;
use crate::thread::limits::UsedUp;
use crate::thread::raise::Loan;
use crate::thread::signals::Storm;
use proptest::prelude::*;
use std::cmp::Reverse;

fn thread(id: i32, priority: i32) -> Thread {
    Thread { id, priority, name: Name::new(format!("t{id}").as_bytes()) }
}

// One step of a CPU: delay, kind, thread, and bits that choose the rest.
type Step = (u64, u8, i32, u8);

fn any_step() -> impl Strategy<Value = Step> {
    // Some delays are long enough to separate interrupts that one pause delayed from others.
    (prop_oneof![4 => 0u64..4_000, 1 => 15_000u64..40_000], 0u8..24, 0i32..5, any::<u8>())
}

fn function(bits: u8) -> Function {
    Function::named(if bits & 1 == 0 { "one" } else { "other" })
}

// A CPU after these steps. Most events are in the time of its own thread.
fn played(steps: &[Step]) -> (Processor, u64) {
    let (mut processor, mut now, mut on) = (Processor::default(), 1, 0);
    for (later, kind, other, bits) in steps.iter().copied() {
        now += later;
        let bit = |number: u8| bits >> number & 1 == 1;
        let priority =
            |id: i32| if bit(6) { [120, 49, 120, 10, 130][id as usize] } else { [120, 120, 60, 49, 10][id as usize] };
        let named = |id| if bit(7) && id == 3 { Thread::numbered(3) } else { thread(id, priority(id)) };
        let line = Section::Interrupt(Name::new(if bit(2) { b"timer" } else { b"disk\0" }));
        let event = match kind {
            0..=4 => Event::Switch { from: named(on), preempted: bit(3), to: named(other) },
            5..=7 => Event::Enter(line),
            8 | 9 => Event::Enter(Section::Softirq(bits & 3)),
            10..=12 => Event::Leave(line),
            13 | 14 => Event::Leave(Section::Softirq(bits & 3)),
            15 => Event::PageFault,
            16 => Event::SleepEnd,
            17 => Event::Work { function: bit(2).then(|| function(bits)) },
            18 => Event::WorkEnd,
            19 => Event::Unpreempted(Unpreempted { function: function(bits), caller: None }),
            20 => Event::Stack(match bits >> 2 & 3 {
                0 => Verdict::Below,
                1 => Verdict::Masked { function: function(bits), caller: None },
                2 => Verdict::Untold(Untold::Cut),
                _ => Verdict::Untold(Untold::NoStack),
            }),
            21 if bits < 10 => {
                processor.change(
                    0,
                    &Stamped {
                        at_ns: now,
                        thread: on,
                        in_thread: true,
                        to_switch: false,
                        event: Event::Frequency { cpu: 0, khz: if bit(0) { 1_000_000 } else { 3_000_000 } },
                    },
                );
                continue;
            }
            22 if bits < 30 => {
                processor.lend(Loan { own: 120, to: 5, lender: None });
                continue;
            }
            23 if bits < 3 => {
                processor.forget();
                continue;
            }
            _ => {
                // A few timers, or many.
                for _ in 0..if bit(5) { 18 } else { 1 } {
                    processor.push(&Stamped {
                        at_ns: now,
                        thread: on,
                        in_thread: false,
                        to_switch: false,
                        event: Event::TimerExpire { timer: 1, function: bit(4).then(|| function(bits)) },
                    });
                }
                continue;
            }
        };
        // In some cases, a switch was not recorded.
        let own = if bits == 77 { other } else { on };
        let in_thread = matches!(kind, 0..=4 | 15 | 16);
        processor.push(&Stamped { at_ns: now, thread: own, in_thread, to_switch: bit(1), event });
        on = if let Event::Switch { to, .. } = event { to.id } else { own };
    }
    (processor, now)
}

fn any_window() -> impl Strategy<Value = (Option<i32>, Vec<u64>, u32)> {
    (proptest::option::weighted(0.9, 0i32..5), proptest::collection::vec(0u64..1_000, 12), any::<u32>())
}

fn window((id, at, bits): (Option<i32>, Vec<u64>, u32), processor: &Processor, end_ns: u64) -> (Window, u64) {
    let bit = |number: u32| bits >> number & 1 == 1;
    let mut at: Vec<u64> = at.into_iter().map(|part| part * (end_ns + 100) / 1_000).collect();
    at[..6].sort_unstable();
    let [from_ns, due_ns, interrupt_ns, ready_ns, came_ns, until_ns] = at[..6] else { unreachable!("twelve") };
    // In half of the cases, only the wakeup is known.
    let (due_ns, interrupt_ns) = if bit(0) { (due_ns, interrupt_ns) } else { (ready_ns, ready_ns) };
    let from_ns = if bit(0) { from_ns } else { ready_ns };
    let (first, last) = (at[6].min(at[7]), at[6].max(at[7]));
    let absence = |faulted| Absence { from_ns: first, to_ns: bit(1).then_some(last), faulted };
    let used_up = UsedUp {
        from_ns: first,
        until_ns: last,
        lost_processor: bit(2),
        limit: backwall_model::Limit::Quota,
        group: Some(Group::named("/a")),
    };
    let window = Window {
        from_ns,
        due_ns,
        interrupt_ns,
        busy_until: bit(3).then_some(at[8]),
        after_ns: bit(4).then_some(77),
        ran_ns: bit(17).then_some(55),
        waits_from: bit(5).then_some(at[9]),
        let_go: bit(6).then(|| LetGo { by: thread(2, 60), held: None }),
        fault: bit(7).then(|| absence(true)),
        storm: bit(8).then(|| Storm { by: thread(4, 10), count: 40 }),
        used_up: bit(9).then_some(used_up),
        line: bit(10).then(|| Name::new(b"timer")),
        asked: [None, Some(true), Some(false), None][(bits >> 11 & 3) as usize],
        stay: processor.stay_at(ready_ns),
        moved_ns: bit(13).then_some(at[10]),
        away: bit(14).then(|| absence(bit(15))),
        works_from: bit(16).then_some(at[11]),
        ..Window::ready(id.map(|id| thread(id, [120, 49, 60, 120, 10][id as usize])), ready_ns, came_ns)
    };
    (window, until_ns.max(from_ns))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]
    #[test]
    fn a_window_is_summed_as_if_each_of_its_stretches_were_told_whole(
        steps in proptest::collection::vec(any_step(), 0..160),
        asked in any_window(),
    ) {
        let (processor, end_ns) = played(&steps);
        let (window, until_ns) = window(asked, &processor, end_ns);
        let named = |known: Thread| if known.is_number() { thread(known.id, 33) } else { known };

        let mut stretches = processor.window(window.from_ns, until_ns);
        stretches.iter_mut().for_each(|stretch| stretch.thread = stretch.thread.map(named));
        let (mut parts, mut blame) = (Vec::new(), Blame::default());
        divide_each(&window, stretches, |part| {
            parts.push(part);
            blame.add(part.cause, part.culprit, part.ns());
        });

        let mut parted = Parted::default();
        let span = (window.from_ns, until_ns);
        divide_past((&mut parted.division, &mut parted.parts), &window, &processor, span, named);
        prop_assert_eq!(parted.parts(), parts);
        prop_assert_eq!(parted.division.all(), &blame.shares[..]);

        let mut alone = Division::default();
        divide_past((&mut alone, &mut ()), &window, &processor, span, named);
        blame.shares.sort_by_key(|share| Reverse(share.ns));
        prop_assert_eq!(alone.sorted(), blame.shares.clone());
        prop_assert_eq!(sorted(&blame.shares), blame.shares);
    }
}
