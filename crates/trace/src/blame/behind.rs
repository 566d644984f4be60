// SPDX-License-Identifier: MIT OR Apache-2.0
//! Explains a late interrupt from the kernel stack recorded in it.
//!
//! A masked interrupt is delivered as soon as interrupts are enabled. If the stack shows a function that enables them, that
//! function's caller had disabled them. Otherwise they were enabled all the time, and the hypervisor or the firmware delivered
//! late.
use crate::event::function::Function;
use crate::event::symbols::{Symbols, enters};
use crate::processor::let_in::{BEFORE_BYTES, just_let_in};

/// Why a late interrupt was late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A kernel function had interrupts disabled.
    Masked {
        /// The function that disabled interrupts.
        function: Function,
        /// The function's caller, if the recorded stack reaches it.
        caller: Option<Function>,
    },
    /// Interrupts were enabled but none came: the hypervisor or the firmware had stopped the CPU.
    Below,
    /// The stack does not explain the late interrupt.
    Untold(Untold),
}

/// Why a stack does not explain a late interrupt.
pub type Untold = backwall_model::Untold<Function>;

// Prefixes of functions that enable interrupts for their caller.
const LETS_IN: [&str; 6] = [
    "_raw_spin_unlock_irq",
    "_raw_read_unlock_irq",
    "_raw_write_unlock_irq",
    "finish_task_switch",
    "finish_lock_switch",
    "do_user_addr_fault",
];

/// Prefixes of functions that disable interrupts only briefly: kernel entry and exit, the choice of the next thread. Some
/// enable interrupts with an inline instruction, so the stack cannot show whether that was just executed.
const MOMENTS: [&str; 30] = [
    "__schedule",
    "schedule",
    "preempt_schedule",
    "ret_from_fork",
    "do_syscall_64",
    "do_int80",
    "do_fast_syscall_32",
    "entry_SYSCALL_",
    "entry_INT80",
    "syscall_",
    "irqentry_",
    "exit_to_user_mode",
    "exc_",
    "asm_exc_",
    "el0_",
    "el0t_",
    "el1_",
    "el1h_",
    "invoke_syscall",
    "irq_exit",
    "__irq_exit",
    "handle_softirqs",
    "__do_softirq",
    "net_rx_action",
    "process_backlog",
    "rcu_core",
    "multi_cpu_stop",
    "___slab_alloc",
    "__slab_free",
    "get_page_from_freelist",
];

/// The functions among `MOMENTS` on the system call entry and exit paths. Their code with interrupts disabled has no loops;
/// what can take long in them runs with interrupts enabled.
const STRAIGHT: [&str; 8] = [
    "do_syscall_64",
    "do_int80",
    "do_fast_syscall_32",
    "entry_SYSCALL_",
    "entry_INT80",
    "syscall_",
    "exit_to_user_mode",
    "invoke_syscall",
];

// Prefixes of functions at the end of an interrupt, before the interrupted thread continues.
const ENDS: [&str; 2] = ["__irq_exit", "irq_exit"];

/// Whether this function disables interrupts only for some hundreds of instructions without a loop.
pub(crate) fn is_straight(function: Function) -> bool {
    begins(&STRAIGHT, function.name())
}

/// Reads the kernel's code before an address, if it is readable.
pub type CodeBefore<'a> = &'a dyn Fn(u64) -> Option<[u8; BEFORE_BYTES]>;

/// Explains a late interrupt from its stack, innermost address first. In kernels that enable interrupts with an inline
/// instruction, the code before the address shows whether that instruction was just executed.
pub fn judge_addresses(
    addresses: impl Iterator<Item = u64>,
    symbols: Option<&Symbols>,
    code: CodeBefore<'_>,
) -> Verdict {
    let Some(symbols) = symbols.filter(|symbols| !symbols.is_empty()) else {
        return Verdict::Untold(Untold::Hidden);
    };
    let addresses: Vec<u64> = addresses.collect();
    let names: Vec<_> = addresses.iter().map(|address| symbols.name(*address)).collect();
    let verdict = judge(&names);
    match below_interrupts(&names) {
        Some(below @ [Some(stood_in), callers @ ..]) if verdict == Verdict::Below && symbols.unlocks_inline() => {
            let at = addresses[names.len() - below.len()];
            let function = Function::named(stood_in);
            let masked =
                || Verdict::Masked { function, caller: callers.first().copied().flatten().map(Function::named) };
            match code(at).and_then(|code| just_let_in(&code)) {
                Some(true) => masked(),
                Some(false) => Verdict::Below,
                None => Verdict::Untold(Untold::Itself(function)),
            }
        }
        _ => verdict,
    }
}

/// Explains a late interrupt from the function names of its stack, innermost first; `None` is a function without a name. The
/// frames below the interrupt show what was interrupted; no frame there means user mode.
pub fn judge(stack: &[Option<&str>]) -> Verdict {
    let Some(below) = below_interrupts(stack) else { return Verdict::Untold(Untold::Cut) };
    let moment = |function: &str| Verdict::Untold(Untold::Moment(Function::named(function)));
    match *below {
        [] => Verdict::Below,
        [None, ..] => Verdict::Untold(Untold::Unnamed),
        [Some(stood_in), ..] if begins(&MOMENTS, stood_in) => moment(stood_in),
        [Some(stood_in), ..] if !begins(&LETS_IN, stood_in) => Verdict::Below,
        [Some(_)] => Verdict::Untold(Untold::Cut),
        [_, Some(function), ..] if begins(&MOMENTS, function) || enters(function) => moment(function),
        [_, Some(function), ref callers @ ..] => {
            let caller = callers.first().copied().flatten().map(Function::named);
            Verdict::Masked { function: Function::named(function), caller }
        }
        [_, None, ..] => Verdict::Untold(Untold::Unnamed),
    }
}

/// The frames below the interrupt's entry function; `None` if the stack has no such function. If the interrupt came at the end
/// of another interrupt, these are the frames below the other interrupt's entry function.
fn below_interrupts<'a, 'b>(stack: &'a [Option<&'b str>]) -> Option<&'a [Option<&'b str>]> {
    let entry = |frames: &[Option<&str>]| frames.iter().position(|frame| frame.is_some_and(enters));
    let mut below = &stack[entry(stack)? + 1..];
    while let Some(next) = entry(below).filter(|next| below[..*next].iter().flatten().any(|frame| begins(&ENDS, frame)))
    {
        below = &below[next + 1..];
    }
    Some(below)
}

fn begins(names: &[&str], function: &str) -> bool {
    names.iter().any(|name| function.starts_with(name))
}

#[cfg(test)]
mod tests;
