// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every cause has words, and known shares give known sentences.
use super::*;
use crate::trace::cause::advice;
use backwall_model::{Culprit, Holder, HolderDetail, Limit, Priority, Shares, Thread, Untold};

fn cc1() -> Thread {
    Thread { name: Some("cc1".into()), id: Some(9), priority: Some(Priority::Ordinary), series: false }
}

fn by(more: Option<HolderDetail>) -> Culprit {
    Culprit { holder: Holder::Thread(cc1()), more }
}

fn interrupt(more: Option<HolderDetail>) -> Culprit {
    Culprit { holder: Holder::Interrupt("eth0".into()), more }
}

fn share(cause: Cause, culprit: Option<Culprit>, us: u64) -> Share {
    Share { cause, culprit, ns: us * 1_000 }
}

fn blamed(shares: impl IntoIterator<Item = Share>, wakers: Wakers) -> Blame {
    Blame::Shares { shares: Shares::of(shares).unwrap(), wakers }
}

#[test]
fn a_response_is_one_sentence() {
    let shares = [
        share(Cause::Blocking, Some(by(None)), 1_976),
        share(Cause::Late, Some(by(Some(HolderDetail::Untold(Untold::NoStack)))), 20),
        share(Cause::Dispatch, None, 7),
        share(Cause::Interference, Some(interrupt(None)), 2),
    ];
    assert_eq!(
        line(&blamed(shares, Wakers::default()), 2_005_000),
        "of 2,005.0 us: 1,976.0 us cc1 (9, ordinary) ran kernel code that cannot be preempted; 20.0 us the interrupt was late while \
         cc1 (9, ordinary) ran (interrupts disabled, or hypervisor or firmware; no kernel stack was recorded); 7.0 us the kernel's own wakeup path (scheduler and switch); 2.0 us other"
    );
}

#[test]
fn what_no_event_tells_is_shown_as_unexplained_even_when_it_is_small() {
    let softirq = |us| Some(Culprit { holder: Holder::Softirq(us as u8), more: None });
    let shares = [900, 800, 700, 600].map(|us| share(Cause::Interference, softirq(us), us));
    let shares = shares.into_iter().chain([share(Cause::Unexplained, None, 1)]);
    assert!(line(&blamed(shares, Wakers::default()), 0).ends_with("; 1.0 us unexplained; 600.0 us other"));
}

#[test]
fn wakers_that_were_late_are_told_behind_the_shares_and_where_following_them_ended() {
    let of = |late, end| wakers(&blamed([share(Cause::Dispatch, None, 7)], Wakers { late, end }));
    let cc1_is_late = "including the lateness of its waker cc1 (9, ordinary)";
    let told = [
        (of(Vec::new(), WakersEnd::First), None),
        (of(vec![cc1()], WakersEnd::First), Some(cc1_is_late.to_string())),
        (
            of(vec![cc1(), cc1()], WakersEnd::TooMany),
            Some(format!(
                "{cc1_is_late}, and before that cc1 (9, ordinary); backwall does not follow the wakers before that"
            )),
        ),
        (
            of(vec![cc1()], WakersEnd::Circle(cc1())),
            Some(format!("{cc1_is_late}; before that cc1 (9, ordinary) again: they wake each other in turn")),
        ),
        (
            of(Vec::new(), WakersEnd::Missing(cc1())),
            Some("the recording does not show how late cc1 (9, ordinary) came".to_string()),
        ),
    ];
    told.into_iter().for_each(|(told, known)| assert_eq!(told, known));
    let wakers = Wakers { late: vec![cc1()], end: WakersEnd::First };
    assert_eq!(
        line(&blamed([share(Cause::Dispatch, None, 7)], wakers), 7_000),
        format!("of 7.0 us: 7.0 us the kernel's own wakeup path (scheduler and switch) ({cc1_is_late})")
    );
}

#[test]
fn the_first_line_leaves_no_large_part_unnamed() {
    let thread = |name: &str| {
        let thread = Thread { name: Some(name.into()), id: None, priority: Some(Priority::Ordinary), series: false };
        Some(Culprit { holder: Holder::Thread(thread), more: None })
    };
    let parts = |parts: &[u64]| {
        let names = ["a", "b", "c", "d", "e"];
        let shares = parts.iter().zip(names).map(|(us, name)| share(Cause::Interference, thread(name), *us));
        short(&blamed(shares, Wakers::default()), parts.iter().sum::<u64>() * 1_000)
    };
    let a = "a (ordinary)";
    assert_eq!(parts(&[90, 10]), a);
    assert_eq!(parts(&[60, 37, 3]), format!("60.0 us of it {a}, 37.0 us b (ordinary)"));
    assert_eq!(parts(&[50, 30, 20]), format!("50.0 us of it {a}, 30.0 us b (ordinary), 20.0 us c (ordinary)"));
    assert_eq!(parts(&[70, 18, 12]), format!("70.0 us of it {a}, 30.0 us 2 other causes"));
    assert_eq!(parts(&[40, 30, 18, 12]), format!("40.0 us of it {a}, 30.0 us b (ordinary), 30.0 us 2 other causes"));
    assert_eq!(parts(&[70, 18]), format!("70.0 us of it {a}, 18.0 us b (ordinary)"));
    assert_eq!(parts(&[79, 6, 15]), format!("79.0 us of it {a}, 21.0 us 2 other causes"));
}

#[test]
fn what_cannot_be_divided_says_why() {
    let moved = Some(Moved { from: 1, to: 0 });
    let told = [
        (Blame::Unseen { moved: None }, "of 5.0 us: incomplete in the trace"),
        (Blame::Unseen { moved }, "of 5.0 us: incomplete in the trace: the probe had been moved from CPU 1 to CPU 0"),
        (
            Blame::Unfitting,
            "of 5.0 us: 5.0 us unexplained (the wakeup in the trace does not fit the thread's own clock readings)",
        ),
        (Blame::Modes(Division { user: 4_000, kernel: 20, waited: 1 }), "4,000 user + 20 kernel + 1 waiting"),
        (Blame::Modes(Division { user: 40, kernel: 20, waited: 0 }), "40 user + 20 kernel"),
    ];
    for (blame, known) in told {
        assert_eq!(line(&blame, 5_000), known);
    }
}

#[test]
fn a_culprit_is_named_with_what_else_is_known_of_it() {
    let masking = |caller: Option<&str>| {
        Some(HolderDetail::Masking { function: "slow_path".into(), caller: caller.map(str::to_string) })
    };
    let nobody = |more| Culprit { holder: Holder::Unknown, more };
    let inherited = HolderDetail::Inherited { to: Some(Priority::RealTime(98)), lender: Some(cc1()) };
    let used_up =
        |limit, group: Option<&str>| nobody(Some(HolderDetail::UsedUp { limit, group: group.map(str::to_string) }));
    let softirq = Culprit { holder: Holder::Softirq(3), more: Some(HolderDetail::OnTimeOf(cc1())) };
    let told = [
        (
            Cause::Masked,
            by(masking(Some("worker_thread"))),
            "interrupts disabled in slow_path (called by worker_thread) while cc1 (9, ordinary) ran",
        ),
        (Cause::Masked, nobody(masking(None)), "interrupts disabled in slow_path"),
        (Cause::Below, nobody(None), "the hypervisor or firmware (SMI) paused this CPU"),
        (
            Cause::Interference,
            interrupt(Some(HolderDetail::Timers(200))),
            "interrupt eth0, in which at least 200 timers expired",
        ),
        (Cause::Interference, softirq, "softirq NET_RX in the context of cc1 (9, ordinary)"),
        (
            Cause::Interference,
            by(Some(HolderDetail::Raised(None))),
            "cc1 (9, ordinary) ran at a raised priority (the recording does not show who raised it)",
        ),
        (
            Cause::Interference,
            by(Some(HolderDetail::Raised(Some(Priority::RealTime(98))))),
            "cc1 (9, ordinary) ran at a raised priority, real-time 98",
        ),
        (
            Cause::Interference,
            by(Some(inherited)),
            "cc1 (9, ordinary) ran at real-time 98, inherited through a lock from cc1 (9, ordinary)",
        ),
        (
            Cause::Signals,
            by(Some(HolderDetail::Signals(200))),
            "the thread was still working on an earlier release while cc1 (9, ordinary) sent it at least 200 signals",
        ),
        (Cause::Quota, used_up(Limit::Quota, Some("/box")), "its control group /box had used up its quota (cpu.max)"),
        (
            Cause::Quota,
            used_up(Limit::RealTimeShare, None),
            "its control group had used up its share for real-time threads (cpu.rt_runtime_us)",
        ),
        (Cause::Quota, used_up(Limit::Budget, None), "it had used up its own budget (the runtime of SCHED_DEADLINE)"),
    ];
    for (cause, culprit, known) in told {
        assert_eq!(phrase(cause, Some(&culprit)), known);
    }
    let series = Thread { name: Some("high".into()), id: None, priority: Some(Priority::RealTime(20)), series: true };
    let unnamed = Thread { name: None, id: Some(12), priority: None, series: false };
    assert_eq!([name(&series), name(&unnamed)], ["series high (real-time 20)", "thread (12, priority not seen)"]);
}

#[test]
fn what_is_to_be_changed_follows_from_who_it_was() {
    let known = [
        (Cause::Interference, interrupt(Some(HolderDetail::Timers(200))), "timer_list"),
        (Cause::Interference, interrupt(None), "smp_affinity_list"),
        (Cause::Interference, by(Some(HolderDetail::Raised(None))), "it ran above its own priority"),
        (Cause::Blocking, by(None), "full preemption"),
        (Cause::Late, by(Some(HolderDetail::Untold(Untold::Hidden))), "kernel.kptr_restrict"),
        (Cause::Below, by(None), "firmware settings"),
    ];
    for (cause, culprit, words) in known {
        assert!(advice(cause, Some(&culprit)).contains(words), "{cause:?}: {}", advice(cause, Some(&culprit)));
    }
    // The advice never says to move an interrupt that belongs to one CPU.
    let own = [
        ("arch_timer", "own timer"),
        ("local_timer", "own timer"),
        ("IPI", "an IPI from another CPU"),
        ("reschedule", "an IPI from another CPU"),
    ];
    for (name, words) in own {
        let said = advice(Cause::Interference, Some(&Culprit { holder: Holder::Interrupt(name.into()), more: None }));
        assert!(said.contains(words) && !said.contains("smp_affinity_list"), "{name}: {said}");
    }
    let paused = Culprit { holder: Holder::Interrupt("local_timer".into()), more: Some(HolderDetail::FarAbove(9_000)) };
    assert!(!advice(Cause::Interference, Some(&paused)).contains("fewer timers"), "it did not run, it stood still");
    let fair = advice(Cause::FairShare, Some(&by(None)));
    assert!(!fair.contains("PREEMPT_RT") && !fair.contains("sched_rt_runtime_us"), "{fair}");
}

#[test]
fn our_own_recorder_is_told_as_ours_and_the_late_one_is_not_told_to_outrank_it_by_another_nice_value() {
    let recorder = Thread { name: Some(backwall_model::RECORDER_THREAD.into()), ..cc1() };
    let culprit = Culprit { holder: Holder::Thread(recorder), more: None };
    let said = line(&blamed([share(Cause::FairShare, Some(culprit.clone()), 90)], Wakers::default()), 90_000);
    assert!(said.contains("backwall-trace (backwall's own recorder, 9, ordinary) ran instead"), "{said}");
    assert!(advice(Cause::FairShare, Some(&culprit)).contains("backwall delayed it"));
    assert!(advice(Cause::FairShare, Some(&by(None))).contains("ordinary threads share the CPU"));
}

#[test]
fn every_thread_of_backwall_that_delays_is_told_as_ours_with_what_keeps_it_off() {
    let own = [
        (backwall_model::CHECKPOINT_THREAD, "checkpoint writer"),
        (backwall_model::PAGE_THREAD, "page"),
        ("backwall", "itself"),
    ];
    for (name, what) in own {
        let thread = Thread { name: Some(name.into()), ..cc1() };
        let culprit = Culprit { holder: Holder::Thread(thread), more: None };
        for cause in [Cause::FairShare, Cause::Blocking, Cause::Throttling, Cause::Interference] {
            let said = line(&blamed([share(cause, Some(culprit.clone()), 90)], Wakers::default()), 90_000);
            assert!(said.contains(&format!("{name} (backwall")) && said.contains(what), "{said}");
            let change = advice(cause, Some(&culprit));
            assert!(change.starts_with("backwall delayed it: ") && change.contains("taskset"), "{change}");
        }
    }
    assert_eq!(backwall_model::own_thread("backwalls"), None, "another program");
}
