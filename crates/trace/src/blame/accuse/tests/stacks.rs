// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scenes with the kernel's stack in a late interrupt.
use super::*;

// The compiler has the processor from 500 us on. The timer is due at 1000; its interrupt comes at `isr_us` with this stack.
fn with_stack(before: &[(u64, Event)], isr_us: u64, verdict: Verdict) -> Vec<(Cause, Option<Culprit>, u64)> {
    let timer = interrupt("local_timer");
    let of_timer = [
        (isr_us, Event::Enter(timer)),
        (isr_us, Event::Stack(verdict)),
        (isr_us + 2, Event::Waking { thread: probe().id }),
        (isr_us + 4, Event::Leave(timer)),
        (isr_us + 10, switch(compiler(), probe())),
        (isr_us + 20, Event::SleepEnd),
    ];
    let events: Vec<_> = [(500, switch(probe(), compiler()))].iter().chain(before).chain(&of_timer).copied().collect();
    let at = |us: u64| (isr_us + us) * 1_000;
    let late = WakeUp { isr_at: at(0), isr_end_at: Some(at(4)), waking_at: at(2), ..wake_up(isr_us + 10) };
    let mut processor = Processor::default();
    for (at_us, event) in &events {
        let thread = processor.running().unwrap_or(probe().id);
        let in_thread = !matches!(event, Event::Stack(_));
        processor.push(&Stamped { at_ns: at_us * 1_000, thread, in_thread, to_switch: false, event: *event });
    }
    let late = WakeUp { ended_at: at(20), ..late };
    told(&Evidence::new(late, |from, to| processor.window(from, to)).blame(at(12)))
        .into_iter()
        .filter(|(_, _, us)| *us > 10)
        .collect()
}

fn masked() -> Verdict {
    Verdict::Masked { function: Function::named("slow_path"), caller: Some(Function::named("worker_thread")) }
}

fn masking(holder: Holder) -> Option<Culprit> {
    let Verdict::Masked { function, caller } = masked() else { unreachable!() };
    Some(Culprit { holder, more: More::Masking { function, caller } })
}

#[test]
fn the_stack_in_a_late_interrupt_tells_who_masked_or_that_the_machine_below_stood_still() {
    let (by, cause) = (by_thread(compiler()), Cause::Masked);
    let masked_by = masking(Holder::Thread(compiler()));
    assert_eq!(with_stack(&[], 2_000, masked()), [(cause, masked_by, 1_000)]);
    assert_eq!(with_stack(&[], 2_000, Verdict::Below), [(Cause::Below, by, 1_000)]);
    let untold = |why| by.map(|by| Culprit { more: More::Untold(why), ..by });
    let cut = with_stack(&[], 2_000, Verdict::Untold(Untold::Cut));
    assert_eq!(cut, [(Cause::Late, untold(Untold::Cut), 1_000)]);
    // An interrupt that nothing masks takes some time, too.
    assert_eq!(with_stack(&[], 1_015, Verdict::Below), [(Cause::Late, untold(Untold::Delivery), 15)]);
    assert_eq!(with_stack(&[], 1_015, masked()), [(cause, masked_by, 15)]);
}

// In 2 of 60 injections the hypervisor was blamed: a call from another CPU came 21 us before the timer's interrupt, and both
// came at the instruction that enabled interrupts.
#[test]
fn two_interrupts_that_were_held_back_together_have_one_reason() {
    let call = interrupt("call_function_single");
    let with_call = |upon_us: u64, verdict| {
        let before = [(1_996 - upon_us, Event::Enter(call)), (2_000 - upon_us, Event::Leave(call))];
        with_stack(&before, 2_000, verdict)
    };
    let (by, masked_by) = (by_thread(compiler()), masking(Holder::Thread(compiler())));
    for upon_us in [12, 21, 45] {
        assert_eq!(with_call(upon_us, masked()), [(Cause::Masked, masked_by, 996)], "{upon_us}");
    }
    // The call came through, so interrupts were enabled then, even if something masked them later.
    assert_eq!(with_call(80, masked()), [(Cause::Below, by, 916), (Cause::Masked, masked_by, 80)]);
    assert_eq!(with_call(30, Verdict::Below), [(Cause::Below, by, 996)]);
}

#[test]
fn a_way_in_or_out_that_goes_straight_on_cannot_keep_interrupts_out_for_a_millisecond_and_the_scheduler_may() {
    let late_in = |name: &str, isr_us| {
        let function = Function::named(name);
        let found = with_stack(&[], isr_us, Verdict::Untold(Untold::Moment(function)));
        let untold = More::Untold(Untold::Moment(function));
        (found[0].0, found[0].1.is_some_and(|culprit| culprit.more == untold))
    };
    assert_eq!(late_in("do_syscall_64", 2_001), (Cause::Below, false));
    assert_eq!(late_in("syscall_exit_to_user_mode", 5_000), (Cause::Below, false));
    assert_eq!(late_in("do_syscall_64", 2_000), (Cause::Late, true));
    assert_eq!(late_in("__schedule", 9_000), (Cause::Late, true));
    assert_eq!(late_in("irqentry_exit_to_user_mode", 9_000), (Cause::Late, true));
}

#[test]
fn a_switch_that_was_not_recorded_hides_who_ran_and_not_who_masked() {
    let (timer, own) = (interrupt("local_timer"), wake_up(2_010));
    let late = WakeUp { isr_at: 2_000_000, waking_at: 2_002_000, ended_at: 2_020_000, ..own };
    let told_of = |verdict| {
        let mut processor = Processor::default();
        let unseen = compiler().id + 1;
        let events = [
            (500, probe().id, switch(probe(), compiler())),
            (2_000, unseen, Event::Enter(timer)),
            (2_000, unseen, Event::Stack(verdict)),
            (2_004, unseen, Event::Leave(timer)),
            (2_010, unseen, switch(thread(unseen, 120, "cc2"), probe())),
            (2_020, probe().id, Event::SleepEnd),
        ];
        for (us, thread, event) in events {
            processor.push(&Stamped { at_ns: us * 1_000, thread, in_thread: false, to_switch: false, event });
        }
        let blame = Evidence::new(late, |from, to| processor.window(from, to)).blame(2_012_000);
        told(&blame)[0]
    };
    assert_eq!(told_of(masked()), (Cause::Masked, masking(Holder::Unknown), 1_000));
    assert_eq!(told_of(Verdict::Below), (Cause::Below, None, 1_000));
    assert_eq!(told_of(Verdict::Untold(Untold::Cut)), (Cause::Unexplained, None, 1_000));
}

#[test]
fn an_interrupt_upon_another_is_about_the_thread_below_both_and_no_further_back() {
    let (ipi, by) = (interrupt("reschedule"), by_thread(compiler()));
    let (cause, masked_by) = (Cause::Masked, masking(Holder::Thread(compiler())));
    // Both interrupts had been masked: between them the thread does nothing.
    let upon = [(1_995, Event::Enter(ipi)), (1_998, Event::Leave(ipi))];
    assert_eq!(with_stack(&upon, 2_000, masked()), [(cause, masked_by, 997)]);
    // An interrupt came in between, so until then interrupts had been enabled.
    let earlier = [(1_300, Event::Enter(ipi)), (1_350, Event::Leave(ipi))];
    let ipi_share = (Cause::Interference, Some(Holder::Section(ipi).into()), 50);
    assert_eq!(with_stack(&earlier, 2_000, masked()), [(cause, masked_by, 650), (Cause::Below, by, 300), ipi_share]);
}

#[test]
fn a_switch_lets_interrupts_in_so_that_nobody_had_kept_out_what_did_not_come_then() {
    let other = thread(compiler().id + 1, 120, "cc1");
    let (by, by_other) = (by_thread(compiler()), by_thread(other));
    let to_other = |us: u64| (us, switch(compiler(), other));
    let to_compiler = |us: u64| (us, switch(other, compiler()));
    let moment = Verdict::Untold(Untold::Moment(Function::named("__schedule")));
    let in_moment = |by: Option<Culprit>| {
        by.map(|by| Culprit { more: More::Untold(Untold::Moment(Function::named("__schedule"))), ..by })
    };
    let masked_by = masking(Holder::Thread(other));
    // This is just before the last switch. What masked interrupts after the switch had not masked them before it; only the
    // scheduler may have done so.
    assert_eq!(
        with_stack(&[to_other(1_400)], 2_000, masked()),
        [(Cause::Masked, masked_by, 600), (Cause::Below, by, 400)]
    );
    assert_eq!(
        with_stack(&[to_other(1_400)], 2_000, Verdict::Below),
        [(Cause::Below, by_other, 600), (Cause::Below, by, 400)]
    );
    let last = with_stack(&[to_other(1_400)], 1_450, moment);
    assert_eq!(last, [(Cause::Late, in_moment(by), 400), (Cause::Late, in_moment(by_other), 50)]);
    // Before the switch before that, interrupts were certainly enabled.
    let two = with_stack(&[to_other(1_300), to_compiler(1_700)], 1_800, moment);
    assert_eq!(
        two,
        [(Cause::Late, in_moment(by_other), 400), (Cause::Below, by, 300), (Cause::Late, in_moment(by), 100)]
    );
    // A stack that does not explain the delay proves nothing about the time before the switch.
    let cut = with_stack(&[to_other(1_400)], 2_000, Verdict::Untold(Untold::Cut));
    let untold = |by: Option<Culprit>, why| by.map(|by| Culprit { more: More::Untold(why), ..by });
    assert_eq!(
        cut,
        [(Cause::Late, untold(by_other, Untold::Cut), 600), (Cause::Late, untold(by, Untold::NoStack), 400)]
    );
}
