// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stacks of real and synthetic kernels, each with its expected verdict.
use super::*;

// The verdict on a stack such as `_raw_spin_unlock_irq < do_sigtimedwait < …`: complete, with the kernel's names, the innermost
// function first.
fn told(stack: &str) -> String {
    let frames: Vec<&str> = stack.split(" < ").collect();
    let named: Vec<Option<&str>> = frames.iter().map(|frame| (*frame != "?").then_some(*frame)).collect();
    shown(judge(&named))
}

fn shown(verdict: Verdict) -> String {
    match verdict {
        Verdict::Masked { function, caller: Some(caller) } => format!("masked {function} {caller}"),
        Verdict::Masked { function, caller: None } => format!("masked {function}"),
        Verdict::Below => "below".into(),
        Verdict::Untold(Untold::Moment(function)) => format!("moment {function}"),
        Verdict::Untold(untold) => format!("{untold:?}").to_lowercase(),
    }
}

// Rows of `verdict: stack`. The kernel in the folder's name recorded these stacks in late interrupts.
#[test]
fn recorded_stacks_tell_what_they_told_who_saw_them() {
    let rows: Vec<_> = include_str!("../../../tests/data/linux_6.18/late_stacks.text")
        .lines()
        .filter_map(|row| row.split_once(": "))
        .collect();
    assert!(rows.len() >= 10, "{}", rows.len());
    for (expected, stack) in rows {
        assert_eq!(told(stack), expected, "{stack}");
    }
}

#[test]
fn made_stacks_tell_no_more_than_they_hold() {
    let entry = "sysvec_apic_timer_interrupt < asm_sysvec_apic_timer_interrupt";
    let cases = [
        ("", "below"),
        (" < vfs_write < ksys_write", "below"),
        (" < _raw_spin_unlock_irqrestore < slow_path < worker_thread", "masked slow_path worker_thread"),
        (" < _raw_spin_unlock_irqrestore < slow_path", "masked slow_path"),
        (" < _raw_spin_unlock_irqrestore < slow_path < ?", "masked slow_path"),
        (" < _raw_spin_unlock_irqrestore < ? < worker_thread", "unnamed"),
        (" < ? < worker_thread", "unnamed"),
        (" < _raw_spin_unlock_irq", "cut"),
        (" < finish_task_switch.isra.0 < __schedule < schedule", "moment __schedule"),
        (" < do_syscall_64 < entry_SYSCALL_64_after_hwframe", "moment do_syscall_64"),
        (" < irqentry_exit_to_user_mode < asm_exc_page_fault", "moment irqentry_exit_to_user_mode"),
        // This function enables interrupts with an inline instruction.
        (" < ___slab_alloc < kmem_cache_alloc_noprof", "moment ___slab_alloc"),
    ];
    for (below, expected) in cases {
        assert_eq!(told(&format!("{entry}{below}")), expected, "{below}");
    }
    assert_eq!(told("_raw_spin_unlock_irq < do_sigtimedwait"), "cut");
    let arm =
        "gic_handle_irq < el1_interrupt < el1h_64_irq_handler < el1h_64_irq < _raw_spin_unlock_irq < walk < el0_svc";
    assert_eq!(told(arm), "masked walk el0_svc");
    assert_eq!(told("gic_handle_irq < el0t_64_irq_handler < el0t_64_irq"), "below");
}

// The timer's interrupt came in a softirq after another interrupt. The verdict is about the code that the other interrupt had
// interrupted.
#[test]
fn of_interrupts_in_each_other_it_is_what_lay_below_the_first() {
    let stack = "asm_sysvec_apic_timer_interrupt < handle_softirqs < __irq_exit_rcu < common_interrupt < asm_common_interrupt < _raw_spin_unlock_irqrestore < slow_path < worker_thread";
    assert_eq!(told(stack), "masked slow_path worker_thread");
    let in_user_mode =
        "asm_sysvec_apic_timer_interrupt < handle_softirqs < __irq_exit_rcu < common_interrupt < asm_common_interrupt";
    assert_eq!(told(in_user_mode), "below");
    // The scheduler ran after the earlier interrupt. So that interrupt is over, and the thread had left the CPU since.
    let away = "asm_sysvec_apic_timer_interrupt < finish_task_switch.isra.0 < __schedule < schedule < irqentry_exit_to_user_mode < asm_sysvec_apic_timer_interrupt";
    assert_eq!(told(away), "moment __schedule");
    let leaving = "asm_sysvec_apic_timer_interrupt < irqentry_exit_to_user_mode < asm_sysvec_reschedule_ipi";
    assert_eq!(told(leaving), "moment irqentry_exit_to_user_mode");
}

#[test]
fn addresses_without_names_tell_nothing() {
    let judge_addresses = |addresses, symbols| judge_addresses(addresses, symbols, &|_| None);
    assert_eq!(judge_addresses([5].into_iter(), None), Verdict::Untold(Untold::Hidden));
    let hidden = Symbols::parse("0000000000000000 T asm_common_interrupt\n");
    assert_eq!(judge_addresses([5].into_iter(), Some(&hidden)), Verdict::Untold(Untold::Hidden));
    let symbols = Symbols::parse("1000 T asm_common_interrupt\n2000 T _raw_spin_unlock_irq\n3000 t walk\n");
    let judged = |addresses: &[u64]| shown(judge(&addresses.iter().map(|at| symbols.name(*at)).collect::<Vec<_>>()));
    assert_eq!(judged(&[0x1004, 0x2004, 0x3004]), "masked walk");
    assert_eq!(judged(&[0x2004, 0x3004]), "cut");
    assert_eq!(judged(&[0x1004]), "below");
    assert_eq!(judged(&[0x1004, 0x10]), "unnamed");
    assert_eq!(judged(&[]), "cut");
}

#[test]
fn where_functions_let_interrupts_in_by_an_instruction_of_their_own_the_code_tells_whether_one_did() {
    let own = "1000 T asm_common_interrupt\n2000 T _raw_spin_lock_irq\n3000 t walk\n4000 t sys_walk\n";
    let (own, other) = (Symbols::parse(own), Symbols::parse(&format!("{own}5000 T _raw_spin_unlock_irq\n")));
    let (mut let_in, plain, mut unclear) = ([0x48; BEFORE_BYTES], [0x48; BEFORE_BYTES], [0x48; BEFORE_BYTES]);
    let_in[BEFORE_BYTES - 3..].copy_from_slice(&[0xfb, 0x66, 0x90]);
    unclear[3] = 0xfb;
    let judged = |symbols: &Symbols, stack: &[u64], code: Option<[u8; BEFORE_BYTES]>| {
        let stack = stack.iter().copied();
        judge_addresses(stack, Some(symbols), &|at| code.filter(|_| at == 0x3004))
    };
    let stack = [0x1004, 0x3004, 0x4004];
    let (function, caller) = (Function::named("walk"), Some(Function::named("sys_walk")));
    assert_eq!(judged(&own, &stack, Some(let_in)), Verdict::Masked { function, caller });
    assert_eq!(judged(&own, &stack, Some(plain)), Verdict::Below);
    for code in [Some(unclear), None] {
        assert_eq!(judged(&own, &stack, code), Verdict::Untold(Untold::Itself(function)));
    }
    assert_eq!(judged(&own, &[0x1004], None), Verdict::Below, "user mode");
    assert_eq!(judged(&other, &stack, Some(let_in)), Verdict::Below, "there a function would have been called");
}
