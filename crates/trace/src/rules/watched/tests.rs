// SPDX-License-Identifier: MIT OR Apache-2.0
//! The breaches agree with a search through all runs of an automaton, and every breach has its cause.
use super::super::automaton::Automaton;
use super::super::monitors::{MONITORS, monitor};
use super::*;
use backwall_stats::random::SplitMix;

/// Whether the automaton has a run that takes these symbols in this order, from any state, with hidden symbols in between.
fn has_run(automaton: &Automaton, heard: &[Symbol], hidden: &[Symbol]) -> bool {
    fn from(automaton: &Automaton, state: u8, heard: &[Symbol], hidden: &[Symbol], seen: &mut Vec<u8>) -> bool {
        let Some((first, rest)) = heard.split_first() else { return true };
        let arcs = || automaton.arcs.iter().filter(move |(before, ..)| *before == state);
        let takes = arcs().filter(|(_, by, _)| by == first);
        if takes.into_iter().any(|(_, _, to)| from(automaton, *to, rest, hidden, &mut Vec::new())) {
            return true;
        }
        seen.push(state);
        let silent: Vec<u8> = arcs().filter(|(_, by, _)| hidden.contains(by)).map(|(_, _, to)| *to).collect();
        silent.into_iter().any(|to| !seen.contains(&to) && from(automaton, to, heard, hidden, seen))
    }
    (0..automaton.states.len()).any(|state| from(automaton, state as u8, heard, hidden, &mut Vec::new()))
}

/// The places of breaches. At each, no run is left, and every state is possible again.
fn searched(automaton: &Automaton, word: &[Symbol], hidden: &[Symbol]) -> Vec<usize> {
    let (mut begin, mut found) = (0, Vec::new());
    for end in 1..=word.len() {
        if !has_run(automaton, &word[begin..end], hidden) {
            found.push(end - 1);
            begin = end;
        }
    }
    found
}

#[test]
fn breaches_are_those_of_a_search_of_all_runs() {
    let mut random = SplitMix(3);
    let (mut breaches, mut words) = (0, 0);
    for automaton in MONITORS {
        for _ in 0..60 {
            let (hidden, heard): (Vec<Symbol>, Vec<Symbol>) =
                automaton.alphabet().into_iter().partition(|_| random.below(3) == 0);
            if heard.is_empty() {
                continue;
            }
            let word: Vec<Symbol> = (0..14).map(|_| heard[random.below(heard.len() as u64) as usize]).collect();
            let found = Monitored {
                monitor: Monitor { automaton, within_ns: u64::MAX },
                taken: 0,
                broken: 0,
                gaps: 0,
                missing: Vec::new(),
                examples: Vec::new(),
            };
            let mut one = One { found, hidden: hidden.clone(), heard: heard.clone(), objects: HashMap::new() };
            let take = |place: &usize| one.take(1, word[*place], 0, *place as u64).is_some();
            let places: Vec<usize> = (0..word.len()).filter(take).collect();
            assert_eq!(places, searched(automaton, &word, &hidden), "{}: {word:?}, hidden {hidden:?}", automaton.name);
            (breaches, words) = (breaches + places.len(), words + 1);
        }
    }
    assert!(words > 700 && breaches > 1_000, "{words} {breaches}");
}

fn thread(id: i32, priority: i32) -> Thread {
    Thread { id, priority, name: Name::new([&b"idle"[..], b"loop", b"kworker"][id as usize]) }
}

fn watched(names: &[&str], rows: &[(u64, i32, Event)]) -> Vec<Monitored> {
    let stamped = |(at_ns, thread, event): &(u64, i32, Event)| Stamped {
        at_ns: *at_ns,
        thread: *thread,
        in_thread: true,
        to_switch: false,
        event: *event,
    };
    let mut present = Present::default();
    rows.iter().for_each(|row| present.event(0, &stamped(row)));
    let monitors = names.iter().map(|name| {
        let automaton = monitor(name).unwrap();
        Monitor { automaton, within_ns: automaton.limit.map_or(u64::MAX, |_| 1_000) }
    });
    let mut watched = Watched::new(monitors.collect(), &present);
    rows.iter().for_each(|row| watched.event(0, &stamped(row)));
    watched.finish()
}

fn switch(from: Thread, preempted: bool, to: Thread) -> Event {
    Event::Switch { from, preempted, to }
}

const fn masks(preemption: bool, on: bool) -> Event {
    Event::Masks { preemption, on }
}

#[test]
fn a_breach_names_its_thread_and_who_had_the_processor() {
    let (idle, own, other) = (thread(0, 120), thread(1, 10), thread(2, 120));
    let rows = [
        (10, 0, switch(idle, true, own)),
        (20, 1, switch(own, false, other)),
        (30, 2, Event::Waking { thread: 1 }),
        (2_000, 2, switch(other, true, own)),
        (2_100, 1, switch(own, false, idle)),
        (2_200, 0, switch(idle, true, own)),
    ];
    let [wakeup, stall, sssw, wwnr] = &watched(&["wakeup", "rtapp:stall", "sssw", "wwnr"], &rows)[..] else { panic!() };
    let breach = Breach {
        at_ns: 30,
        cpu: 0,
        thread: Some((1, own.name)),
        event: Some(Symbol::UnsafeWakeup),
        states: vec!["any"],
        by: (2, other.name),
        within: None,
    };
    assert_eq!((wakeup.broken, &wakeup.examples[..]), (1, &[breach][..]), "woken by an ordinary thread");
    assert_eq!(stall.broken, 2, "ready from 30 to 2,000, with 1,000 allowed; and in at 2,200 without a wakeup");
    assert_eq!((stall.examples[1].at_ns, stall.examples[1].event), (2_200, Some(Symbol::SwitchIn)));
    assert_eq!((stall.examples[0].at_ns, stall.examples[0].event), (30, None));
    assert_eq!((sssw.broken, sssw.examples[0].at_ns), (1, 2_200), "it runs again without a wakeup");
    assert_eq!(sssw.missing, ["sched_set_state_tp", "signal_deliver"]);
    assert_eq!((wwnr.broken, wwnr.missing.len()), (0, 0));
}

#[test]
fn masks_decide_and_their_absence_is_named() {
    let own = thread(1, 10);
    let woken = Event::Waking { thread: 1 };
    let rows = [
        (10, 2, masks(true, true)),
        (20, 2, woken),
        (30, 2, masks(true, false)),
        (40, 2, woken),
        (50, 2, switch(thread(2, 120), true, own)),
    ];
    let [wip, opid] = &watched(&["wip", "opid"], &rows)[..] else { panic!() };
    assert_eq!((wip.broken, wip.examples[0].at_ns), (1, 40));
    assert_eq!(wip.examples[0].states, ["preemptive"]);
    assert_eq!(opid.missing, ["preemptirq:irq_disable", "sched_set_need_resched_tp"]);
    let [wip, sco] = &watched(&["wip", "sco"], &rows[3..])[..] else { panic!() };
    assert_eq!((wip.broken, &wip.missing[..]), (0, &["preemptirq:preempt_disable"][..]));
    assert_eq!(sco.missing, ["sched_entry_tp", "sched_set_state_tp"], "no recording has these");
}

#[test]
fn a_gap_makes_every_state_possible() {
    let (idle, own) = (thread(0, 120), thread(1, 10));
    let automaton = monitor("wwnr").unwrap();
    let mut present = Present::default();
    let stamped = |at_ns, event| Stamped { at_ns, thread: 0, in_thread: true, to_switch: false, event };
    let (comes, woken) = (stamped(10, switch(idle, true, own)), stamped(30, Event::Waking { thread: 1 }));
    [comes, woken].iter().for_each(|one| present.event(0, one));
    let broken = |gap: bool| {
        let mut watched = Watched::new(vec![Monitor { automaton, within_ns: u64::MAX }], &present);
        watched.event(0, &comes);
        if gap {
            watched.gap(0, 20);
        }
        watched.event(0, &woken);
        let found = watched.finish().remove(0);
        (found.broken, found.gaps)
    };
    assert_eq!((broken(false), broken(true)), ((1, 0), (0, 1)));
}
