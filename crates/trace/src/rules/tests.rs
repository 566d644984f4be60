// SPDX-License-Identifier: MIT OR Apache-2.0
//! The verdicts agree with those of a search through all events for each obligation.
use super::pattern::Names;
use super::*;
use crate::event::{Event, Name, Section, Stamped, Thread};
use crate::read::receiver::Receiver;
use backwall_stats::random::SplitMix;

const RULES: &str = "after wakes 1 within 40us runs 1, unless irq eth0\nafter timer within 15us softirq NET_RX\n\
                     after page-fault within 90us leaves loop, unless wakes loop\nafter runs loop within 30us runs loop";

fn thread(id: i32) -> Thread {
    let names = [&b"idle"[..], b"loop", b"other"];
    Thread { id, priority: 120, name: Name::new(names[id as usize]) }
}

fn stamped(at_ns: u64, event: Event) -> Stamped {
    Stamped { at_ns, thread: 0, in_thread: true, to_switch: false, event }
}

fn random_events(count: usize, seed: u64) -> Vec<Stamped> {
    let mut random = SplitMix(seed);
    let mut at_ns = 0;
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
        stamped(at_ns, event)
    };
    (0..count).map(|_| one()).collect()
}

// Numbers of kept, excused, violated and undecided obligations, from a search through all later events for each.
fn searched(rule: &Rule, events: &[Stamped]) -> [u64; 4] {
    let (mut verdicts, mut names) = ([0; 4], Names::default());
    // An evaluation learns names from the switches up to each event. Here all threads are named early.
    events.iter().for_each(|one| names.learn(one));
    let last = events.last().map_or(0, |one| one.at_ns);
    for (index, one) in events.iter().enumerate() {
        if !rule.after.is(&one.event, &names) {
            continue;
        }
        let end = one.at_ns + rule.within_ns;
        let in_time = events[index + 1..].iter().take_while(|later| later.at_ns <= end);
        let decided = in_time.filter_map(|later| match () {
            () if rule.then.is(&later.event, &names) => Some(0),
            () if rule.unless.as_ref().is_some_and(|unless| unless.is(&later.event, &names)) => Some(1),
            () => None,
        });
        let verdict = decided.into_iter().next().unwrap_or(if end < last { 2 } else { 3 });
        verdicts[verdict] += 1;
    }
    verdicts
}

fn evaluated(rules: &[Rule], events: &[Stamped]) -> Vec<Account> {
    let mut evaluation = Evaluation::new(rules.to_vec());
    events.iter().for_each(|one| evaluation.event(0, one));
    evaluation.finish().into_iter().map(|(_, account)| account).collect()
}

#[test]
fn a_million_events_have_the_verdicts_of_a_search() {
    let rules = parse(RULES).unwrap().rules;
    let mut events: Vec<Stamped> =
        (0..3).map(|id| stamped(0, Event::Switch { from: thread(id), preempted: false, to: thread(id) })).collect();
    events.extend(random_events(1_000_000, 5));
    for (rule, account) in rules.iter().zip(evaluated(&rules, &events)) {
        let Account { due, kept, excused, violated, undecided, .. } = account;
        assert_eq!([kept, excused, violated, undecided], searched(rule, &events), "{}", rule.text);
        assert_eq!(due, kept + excused + violated + undecided, "{}", rule.text);
        assert!(kept > 1_000 && violated > 1_000, "{}: {kept} {violated}", rule.text);
    }
}

#[test]
fn a_violation_names_who_had_the_processor_and_a_gap_or_an_end_decides_nothing() {
    let rules = parse("after wakes 1 within 100us runs 1").unwrap().rules;
    let switch = |at, to| stamped(at, Event::Switch { from: thread(0), preempted: false, to: thread(to) });
    let waking = |at| stamped(at, Event::Waking { thread: 1 });
    let late = [switch(0, 2), waking(10_000), switch(300_000, 1)];
    let [account] = &evaluated(&rules, &late)[..] else { panic!("one rule") };
    let cause = Holder { thread: 2, name: Name::new(b"other"), ns: 100_000 };
    assert_eq!(account.examples, [Example { at_ns: 10_000, cpu: 0, cause: Some(cause) }]);
    assert_eq!((account.due, account.violated), (1, 1));
    let [account] = &evaluated(&rules, &[switch(0, 2), waking(10_000), switch(50_000, 0)])[..] else { panic!("one") };
    assert_eq!((account.undecided, account.violated), (1, 0), "the recording ends before the time is over");
    let mut evaluation = Evaluation::new(rules);
    evaluation.event(0, &waking(10_000));
    evaluation.gap_begins(1, 20_000);
    evaluation.gap(1, 30_000);
    evaluation.event(0, &switch(300_000, 1));
    let (_, account) = evaluation.finish().remove(0);
    assert_eq!((account.undecided, account.violated), (1, 0), "B may be among the missing events");
}
