// SPDX-License-Identifier: MIT OR Apache-2.0
//! Joins, shared parts of chains, marks and threads of a process.
use super::*;
use crate::chain::follow::JoinWait;
use crate::event::MarkText;

fn mark(stream: &mut Stream, cpu: u32, at_ns: u64, text: &str) {
    stream.push(cpu, at_ns, true, Event::Mark { text: MarkText::new(text.as_bytes()) });
}

// a's timer is due at this instant, and a gets its CPU 20 ns later.
pub(super) fn comes_by_its_timer(stream: &mut Stream, at_ns: u64) {
    stream.comes(0, at_ns - 60, 1);
    let timer = stream.sets(0, at_ns - 50, at_ns);
    stream.sleeps(0, at_ns - 40);
    stream.fires(0, at_ns + 10, timer, Some(1));
    stream.comes(0, at_ns + 20, 1);
}

// a wakes b and c, and `lock` needs both of them; c takes 60 ns longer than b.
fn joined(stream: &mut Stream, at_ns: u64, c_hands: bool) {
    comes_by_its_timer(stream, at_ns);
    stream.wakes(0, at_ns + 30, 2);
    stream.wakes(0, at_ns + 32, 3);
    stream.sleeps(0, at_ns + 35);
    stream.comes(1, at_ns + 45, 2);
    stream.wakes(1, at_ns + 60, 4);
    stream.sleeps(1, at_ns + 65);
    stream.comes(2, at_ns + 70, 4);
    stream.sleeps(2, at_ns + 75);
    // c runs only now. If c ran while `lock` is awake, it could hand on without a wakeup.
    stream.comes(3, at_ns + 80, 3);
    if c_hands {
        stream.wakes(3, at_ns + 120, 4);
    }
    stream.sleeps(3, at_ns + 125);
    if c_hands {
        stream.comes(2, at_ns + 130, 4);
        stream.sleeps(2, at_ns + 150);
    }
}

#[test]
fn a_join_is_done_when_each_thread_handed_on_and_divides_the_last_path() {
    let mut stream = begun();
    joined(&mut stream, 1_000, true);
    let chains = stream.followed("timer a > a > b + c > lock");
    assert_eq!(fates(&chains), [1, 0, 0, 0, 0]);
    let worst = &tally(&chains).worst().next().unwrap().instance;
    assert_eq!((worst.latency_ns(), worst.visits[1].thread, worst.visits[1].handed_ns), (150, 3, 1_120));
    let expected = [
        (0, Step::Start, 12),
        (1, Step::Ready, 8),
        (1, Step::Own, 12),
        (2, Step::Ready, 48),
        (2, Step::Own, 40),
        (3, Step::Ready, 10),
        (3, Step::Own, 20),
    ];
    assert_eq!(parts(&chains), expected);
    let wait = JoinWait { place: 1, thread: "c".to_string(), last_in: 1, most_ns: 60 };
    assert_eq!(chains.join_waits(0), [wait]);
    assert_eq!(chains.counts(0).iter().map(|count| count.edges).collect::<Vec<_>>(), [1, 2, 2]);
}

#[test]
fn an_instance_that_one_thread_of_a_join_drops_is_missed() {
    let mut stream = begun();
    joined(&mut stream, 1_000, false);
    joined(&mut stream, 2_000, true);
    assert_eq!(fates(&stream.followed("timer a > a > b + c > lock")), [1, 0, 1, 0, 0]);
    assert_eq!(fates(&stream.followed("timer a > a > b > lock")), [2, 0, 0, 0, 0]);
}

// Two sensors, each with its own timer, are two chains. The thread after them keeps an instance until it hands the instance on.
#[test]
fn two_chains_may_share_their_end_and_their_beginning() {
    let mut stream = begun();
    comes_by_its_timer(&mut stream, 1_000);
    stream.comes(1, 1_005, 2);
    let timer = stream.sets(1, 1_006, 1_050);
    stream.sleeps(1, 1_007);
    stream.wakes(0, 1_030, 4);
    stream.sleeps(0, 1_035);
    stream.comes(2, 1_040, 4);
    stream.sleeps(2, 1_045);
    stream.fires(1, 1_060, timer, Some(2));
    stream.comes(1, 1_070, 2);
    stream.wakes(1, 1_080, 4);
    stream.sleeps(1, 1_085);
    stream.comes(2, 1_090, 4);
    stream.wakes(2, 1_100, 3);
    stream.sleeps(2, 1_105);
    stream.comes(3, 1_110, 3);
    stream.sleeps(3, 1_120);
    let chains = stream.followed_all(&["timer a > a > lock > c", "timer b > b > lock > c", "timer b > b > lock"]);
    let latencies =
        |(_, tally): (&Spec, &Tally)| tally.worst().map(|one| one.instance.latency_ns()).collect::<Vec<u64>>();
    assert_eq!(chains.tallies().map(latencies).collect::<Vec<_>>(), [[120], [70], [55]]);
}

// A chain may name a thread twice: a asks b, b asks a, and a asks b once more.
#[test]
fn a_chain_may_go_round_a_loop() {
    let mut stream = begun();
    for at_ns in [1_000, 2_000] {
        comes_by_its_timer(&mut stream, at_ns);
        stream.wakes(0, at_ns + 30, 2);
        stream.sleeps(0, at_ns + 35);
        stream.comes(1, at_ns + 40, 2);
        stream.wakes(1, at_ns + 50, 1);
        stream.sleeps(1, at_ns + 55);
        stream.comes(0, at_ns + 60, 1);
        stream.wakes(0, at_ns + 70, 2);
        stream.sleeps(0, at_ns + 75);
        stream.comes(1, at_ns + 80, 2);
        stream.sleeps(1, at_ns + 90);
    }
    let chains = stream.followed("timer a > a > b > a > b");
    assert_eq!(fates(&chains), [2, 0, 0, 0, 0]);
    let handed: Vec<u64> =
        tally(&chains).worst().last().unwrap().instance.visits.iter().map(|visit| visit.handed_ns % 1_000).collect();
    assert_eq!(handed, [30, 50, 70, 90]);
}

#[test]
fn a_mark_of_the_first_thread_or_of_its_waker_starts_an_instance_and_one_of_the_last_ends_it() {
    let mut stream = begun();
    for at_ns in [1_000, 2_000] {
        // The hog (thread 5) is no hop of the chain: it marks the frame and wakes a.
        stream.comes(0, at_ns, 5);
        mark(&mut stream, 0, at_ns + 5, "frame 1\n");
        stream.wakes(0, at_ns + 10, 1);
        stream.sleeps(0, at_ns + 15);
        stream.comes(0, at_ns + 20, 1);
        mark(&mut stream, 0, at_ns + 22, "seen");
        stream.wakes(0, at_ns + 30, 2);
        stream.sleeps(0, at_ns + 35);
        stream.comes(1, at_ns + 45, 2);
        mark(&mut stream, 1, at_ns + 50, "shown 1");
        stream.sleeps(1, at_ns + 60);
    }
    let latencies = |spec: &str| {
        let chains = stream.followed(spec);
        assert_eq!(fates(&chains), [2, 0, 0, 0, 0], "{spec}");
        tally(&chains).worst().next().unwrap().instance.latency_ns()
    };
    assert_eq!(latencies("mark frame* > a > b > mark shown*"), 45);
    assert_eq!(latencies("mark seen > a > b"), 38);
    assert_eq!(tally(&stream.followed("mark frame > a > b")).due(), 0);
}

#[test]
fn a_thread_of_a_process_is_the_one_that_was_looked_up() {
    let mut stream = begun();
    period(&mut stream, 1_000);
    let spec = Spec::parse("timer a > a > 812/b > c").unwrap();
    assert_eq!(spec.clone().with_processes(&std::collections::BTreeMap::from([(2, 813)])), Err(812));
    let spec = spec.with_processes(&std::collections::BTreeMap::from([(2, 812), (3, 812)])).unwrap();
    assert_eq!(spec.to_string(), "timer a > a > 812/b > c");
    let mut analysis = Analysis::new(Chains::new(vec![spec], true));
    let mut events = stream.events.clone();
    events.sort_by_key(|(_, stamped)| stamped.at_ns);
    events.iter().for_each(|(cpu, stamped)| analysis.event(*cpu, stamped));
    assert_eq!(fates(&analysis.finish().1), [1, 0, 0, 0, 0]);
}

// Two instances wait for b. b gives the first one to c while c is awake, and wakes c for the second one.
#[test]
fn of_a_queue_that_is_worked_off_without_a_sleep_each_output_is_of_its_own_instance() {
    let mut stream = begun();
    comes_by_its_timer(&mut stream, 1_000);
    stream.wakes(0, 1_030, 2);
    stream.sleeps(0, 1_035);
    stream.comes(1, 1_040, 2);
    for at_ns in [2_000, 3_000] {
        comes_by_its_timer(&mut stream, at_ns);
        stream.sleeps(0, at_ns + 35);
    }
    let write = |stream: &mut Stream, at_ns| stream.push(2, at_ns, true, Event::Call { name: Name::new(b"write") });
    stream.wakes(1, 3_100, 3);
    stream.comes(2, 3_110, 3);
    write(&mut stream, 3_120);
    // This write belongs to the second instance, which came without a wakeup.
    write(&mut stream, 3_160);
    stream.sleeps(2, 3_170);
    stream.wakes(1, 3_200, 3);
    stream.sleeps(1, 3_205);
    stream.comes(2, 3_210, 3);
    write(&mut stream, 3_220);
    stream.sleeps(2, 3_230);
    let chains = stream.followed("timer a > a > each b > each c > call write");
    assert_eq!(fates(&chains), [3, 0, 0, 0, 0]);
    let mut ends: Vec<(u64, u64)> =
        tally(&chains).worst().map(|one| (one.instance.number, one.instance.until_ns())).collect();
    ends.sort_unstable();
    assert_eq!(ends, [(0, 3_120), (1, 3_160), (2, 3_220)]);
}

#[test]
fn a_hop_whose_quota_is_used_up_waits_for_that() {
    let mut stream = begun();
    comes_by_its_timer(&mut stream, 1_000);
    stream.wakes(0, 1_030, 2);
    stream.sleeps(0, 1_035);
    stream.comes(1, 1_045, 2);
    stream.switch(1, 1_100, 0, true);
    let line = Section::Interrupt(Name::new(b"local_timer"));
    stream.push(1, 9_000_000, false, Event::Enter(line));
    let function = Some(Function::named("sched_cfs_period_timer"));
    stream.push(1, 9_000_001, false, Event::TimerExpire { timer: 99, function });
    stream.push(1, 9_000_010, false, Event::Leave(line));
    stream.comes(1, 9_000_050, 2);
    stream.wakes(1, 9_000_100, 3);
    stream.sleeps(1, 9_000_105);
    stream.comes(0, 9_000_110, 3);
    stream.sleeps(0, 9_000_120);
    for (_, stamped) in &mut stream.events {
        if let Event::Switch { from, to, .. } = &mut stamped.event {
            [from, to].into_iter().filter(|one| one.id == 2).for_each(|one| one.priority = 120);
        }
    }
    let group = crate::event::Group::named("/capped");
    let chains = Chains::new(vec![Spec::parse(CHAIN).unwrap()], true);
    let mut analysis = Analysis::new(chains.with_quotas(std::collections::BTreeMap::from([(2, group)])));
    let mut events = stream.events.clone();
    events.sort_by_key(|(_, stamped)| stamped.at_ns);
    events.iter().for_each(|(cpu, stamped)| analysis.event(*cpu, stamped));
    let chains = analysis.finish().1;
    let worst = tally(&chains).worst().next().unwrap();
    let quota = worst.parts.iter().filter(|part| part.cause == Some(Cause::Quota));
    assert_eq!(quota.map(|part| (part.hop, part.step, part.ns())).collect::<Vec<_>>(), [(2, Step::Ready, 8_998_900)]);
}

#[test]
fn a_wait_of_thousands_of_stretches_has_the_parts_that_each_stretch_alone_gives() {
    let mut stream = begun();
    comes_by_its_timer(&mut stream, 1_000);
    stream.wakes(0, 1_030, 2);
    stream.sleeps(0, 1_035);
    let line = Section::Interrupt(Name::new(b"disk"));
    for number in 0..1_000 {
        let at_ns = 2_000 + number * 100;
        stream.comes(1, at_ns, 10 + (number % 90) as i32);
        stream.push(1, at_ns + 20, false, Event::Enter(line));
        stream.push(1, at_ns + 20 + number % 7, false, Event::Leave(line));
    }
    stream.comes(1, 200_000, 2);
    stream.wakes(1, 200_100, 3);
    stream.sleeps(1, 200_105);
    stream.comes(0, 200_110, 3);
    stream.sleeps(0, 200_120);
    let sums = |parts: &[Part]| {
        let mut sums: std::collections::HashMap<_, u64> = std::collections::HashMap::new();
        for part in parts {
            // After the 64 largest culprits, the parts have only a cause. So this sums by cause.
            *sums.entry((part.hop, part.step, part.cause)).or_default() += part.ns();
        }
        sums
    };
    let mut each = Analysis::new(Chains::telling(vec![Spec::parse(CHAIN).unwrap()], true));
    let mut events = stream.events.clone();
    events.sort_by_key(|(_, stamped)| stamped.at_ns);
    events.iter().for_each(|(cpu, stamped)| each.event(*cpu, stamped));
    let each = each.finish().1;
    let whole = stream.followed(CHAIN);
    let (each, whole) = (&each.told()[0].divided, tally(&whole).worst().next().unwrap());
    assert!(each.parts.len() > 2_000 && whole.parts.len() < 100, "{} and {}", each.parts.len(), whole.parts.len());
    assert_eq!(sums(&each.parts), sums(&whole.parts));
}
