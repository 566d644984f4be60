// SPDX-License-Identifier: MIT OR Apache-2.0
//! A thread that is moved while it is ready.
use super::*;
use crate::blame::Blame;

// The threads after which the victim waits on each CPU, both of higher priority, and an unrelated one of lower priority.
const HOGS: [fn() -> Thread; 2] = [|| thread(9, 10), || thread(8, 12)];
const VICTIM: fn() -> Thread = || thread(7, 19);
const INNOCENT: fn() -> Thread = || thread(5, 120);

fn moves(at_ns: u64, by_thread: i32, to: u32) -> Stamped {
    by(at_ns, by_thread, Event::Migrate { thread: 7, to })
}

fn taken(blame: &Blame) -> Vec<(Cause, Option<i32>, u64)> {
    let id = |holder| if let Holder::Thread(thread) = holder { Some(thread.id) } else { None };
    let told =
        |share: &crate::blame::Share| (share.cause, share.culprit.and_then(|culprit| id(culprit.holder)), share.ns);
    blame.shares.iter().map(told).collect()
}

// The victim sleeps on CPU 0 until 100 us, waits for a thread of higher priority, and moves to CPU 1 at 3.5 ms.
fn moved_once(told: bool) -> Vec<(u32, Stamped)> {
    let mut events = vec![(1, switch(900, IDLE(), true, INNOCENT()))];
    events.extend(late_waker(VICTIM(), HOGS[0]()));
    events.pop();
    events.extend(told.then_some((1, moves(3_500_000, 5, 1))));
    events.push((1, switch(3_600_000, INNOCENT(), true, VICTIM())));
    events.push((1, switch(3_700_000, VICTIM(), false, IDLE())));
    events
}

#[test]
fn a_ready_thread_that_is_moved_is_explained_where_it_waited() {
    let lates = looked_at_on(Whose::RealTime, 300_000, &moved_once(true));
    let late = &lates.lates[0];
    assert_eq!((late.at_ns, late.latency_ns, late.timed, late.cpu), (100_000, 3_500_000, true, 1));
    assert_eq!(taken(&late.blame)[0], (Cause::Interference, Some(9), 3_400_000), "{late:?}");
    assert_eq!((late.blame.total(), taken(&late.blame)[1].2), (late.latency_ns, 100_000));
}

// Some kernels record no switch from an idle thread. Then the thread that got the CPU has no name until it leaves the CPU.
#[test]
fn who_came_unrecorded_and_still_runs_when_the_thread_is_moved_is_called_as_it_was_before() {
    let hog = HOGS[0]();
    let timer = Section::Interrupt(Name::new(b"timer"));
    let on_time_of = |at_ns, id, event| (0, Stamped { in_thread: false, ..by(at_ns, id, event) });
    let events = [
        (1, switch(900, IDLE(), true, INNOCENT())),
        (0, switch(950, hog, false, VICTIM())),
        (0, by(2_000, 7, Event::TimerStart { timer: 0xabc0, expiry_ns: 100_000, slack_ns: 0 })),
        (0, switch(3_000, VICTIM(), false, IDLE())),
        on_time_of(50_000, 0, Event::Enter(timer)),
        (0, Stamped { to_switch: true, in_thread: false, ..by(51_000, 0, Event::Leave(timer)) }),
        on_time_of(100_000, hog.id, Event::Enter(timer)),
        on_time_of(100_010, hog.id, Event::TimerExpire { timer: 0xabc0, function: None }),
        on_time_of(100_020, hog.id, Event::Waking { thread: 7 }),
        on_time_of(101_000, hog.id, Event::Leave(timer)),
        (0, moves(3_500_000, hog.id, 1)),
        (1, switch(3_600_000, INNOCENT(), true, VICTIM())),
    ];
    let lates = looked_at_on(Whose::RealTime, 300_000, &events);
    let share = lates.lates[0].blame.shares[0];
    assert_eq!((share.cause, share.culprit), (Cause::Interference, Some(Holder::Thread(hog).into())), "{lates:?}");
}

#[test]
fn where_no_move_is_recorded_nobody_is_accused_of_the_wait() {
    let lates = looked_at_on(Whose::RealTime, 300_000, &moved_once(false));
    let late = &lates.lates[0];
    assert_eq!((taken(&late.blame), late.latency_ns), (vec![(Cause::Moved, None, 3_499_990)], 3_499_990));
    // If the end of the wakeup shows on whose runqueue the thread was put, and the thread got that CPU, it waited there.
    let mut placed = moved_once(false);
    placed.insert(6, (1, by(100_020, 5, Event::Placed { thread: 7, on: 1 })));
    let lates = looked_at_on(Whose::RealTime, 300_000, &placed);
    let shares = taken(&lates.lates[0].blame);
    assert_eq!((shares[0].0, shares[0].1), (Cause::Blocking, Some(5)), "{shares:?}");
    assert!(shares.iter().all(|(cause, ..)| *cause != Cause::Moved), "{shares:?}");
}

#[test]
fn a_wakers_choice_of_the_processor_is_no_wait() {
    let hog = HOGS[1]();
    let events = [
        (1, switch(800, IDLE(), true, hog)),
        (0, switch(1_000, IDLE(), true, VICTIM())),
        (0, switch(3_000, VICTIM(), false, INNOCENT())),
        (0, by(100_000, 5, Event::Waking { thread: 7 })),
        (0, moves(101_000, 5, 1)),
        (1, switch(900_000, hog, false, VICTIM())),
    ];
    let lates = looked_at_on(Whose::RealTime, 300_000, &events);
    assert_eq!(taken(&lates.lates[0].blame), [(Cause::Interference, Some(8), 800_000)]);
}

#[test]
fn a_response_that_is_looked_at_to_its_end_has_the_waits_before_its_moves() {
    let question = Question { above_ns: 300_000, whose: Whose::RealTime, timers: true, marks: true, to_end: true };
    let mut analysis = Analysis::new(Lates::new(question));
    moved_once(true).iter().for_each(|(cpu, event)| analysis.event(*cpu, event));
    let lates = analysis.finish().1;
    let late = &lates.lates[0];
    assert_eq!((late.at_ns, late.latency_ns, late.timed, late.blame.total()), (100_000, 3_600_000, true, 3_600_000));
    let shares = taken(&late.blame);
    assert!(
        shares.contains(&(Cause::Interference, Some(9), 3_400_000)) && shares.contains(&(Cause::OwnRun, None, 100_000))
    );
}

proptest! {
    #[test]
    fn each_thread_gets_the_time_for_which_the_victim_waited_behind_it(
        steps in proptest::collection::vec((1u64..50_000, 0u8..3, 0u32..2), 0..40),
    ) {
        let hog = |cpu: u32, number: i32| thread(20 + 10 * cpu as i32 + number % 3, 10);
        let mut on = [0, 0];
        let mut events = vec![
            (1, switch(800, IDLE(), true, hog(1, 0))),
            (0, switch(1_000, IDLE(), true, VICTIM())),
            (0, by(2_000, 7, Event::TimerStart { timer: 0xabc0, expiry_ns: 100_000, slack_ns: 0 })),
            (0, switch(3_000, VICTIM(), false, hog(0, 0))),
            (0, by(100_000, 20, Event::TimerExpire { timer: 0xabc0, function: None })),
            (0, by(100_000, 20, Event::Waking { thread: 7 })),
        ];
        let (mut at_ns, mut place, mut expected) = (100_000, 0u32, std::collections::BTreeMap::new());
        let all = steps.into_iter().chain([(1_000_000, 3, 0)]);
        for (later, kind, cpu) in all {
            *expected.entry(hog(place, on[place as usize]).id).or_insert(0) += later;
            at_ns += later;
            match kind {
                0 => {
                    let (from, to) = (hog(cpu, on[cpu as usize]), hog(cpu, on[cpu as usize] + 1));
                    on[cpu as usize] += 1;
                    events.push((cpu, switch(at_ns, from, false, to)));
                }
                1 | 2 => {
                    // The thread that runs on `cpu` moves the victim, so that hardly any move looks like a waker's choice.
                    events.push((cpu, by(at_ns, hog(cpu, on[cpu as usize]).id, Event::Migrate { thread: 7, to: 1 - place })));
                    place = 1 - place;
                }
                _ => events.push((place, switch(at_ns, hog(place, on[place as usize]), false, VICTIM()))),
            }
        }
        let lates = looked_at_on(Whose::RealTime, 50_000, &events);
        let late = &lates.lates[0];
        prop_assert_eq!((late.latency_ns, late.blame.total()), (at_ns - 100_000, at_ns - 100_000));
        // A move soon after the wakeup, by the thread that ran when the timer fired, is the waker's choice. The wait then
        // counts on the new CPU.
        let found: std::collections::BTreeMap<i32, u64> = taken(&late.blame).into_iter().map(|(_, id, ns)| (id.unwrap(), ns)).collect();
        let off: u64 = expected.iter().map(|(id, ns)| ns.abs_diff(found.get(id).copied().unwrap_or(0))).sum();
        prop_assert!(off <= 2 * crate::late::moved::CHOOSES_NS, "{:?} {:?}", expected, found);
    }
}
