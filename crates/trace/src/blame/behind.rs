// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the kernel's stack in a late interrupt tells of why it was late.
//!
//! A masked interrupt comes as soon as interrupts are enabled again. So if the interrupted thread was in a function that enables
//! them, that function's caller had masked them; anywhere else, they had been enabled all along, and the machine below the kernel
//! delivered late.
use crate::event::function::Function;
use crate::event::symbols::{Symbols, enters};
use crate::processor::let_in::{BEFORE_BYTES, just_let_in};

/// Why a late interrupt was late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A kernel function masked interrupts.
    Masked {
        /// Which.
        function: Function,
        /// The caller, if the stack continues.
        caller: Option<Function>,
    },
    /// Interrupts were enabled, and none came: the hypervisor or firmware paused the CPU.
    Below,
    /// The stack does not tell.
    Untold(Untold),
}

/// What is missing to explain a late interrupt.
pub type Untold = backwall_model::Untold<Function>;

// Name prefixes of functions that unmask interrupts for their callers.
const LETS_IN: [&str; 6] = [
    "_raw_spin_unlock_irq",
    "_raw_read_unlock_irq",
    "_raw_write_unlock_irq",
    "finish_task_switch",
    "finish_lock_switch",
    "do_user_addr_fault",
];

/// Name prefixes of functions that mask interrupts only briefly: kernel entry and exit, and the choice of the next thread. Some unmask
/// with their own instruction; nothing shows whether they just did.
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

/// Of these, the system call entry and exit paths. With interrupts disabled they run straight; their loops, and work for threads, run
/// with interrupts enabled.
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

// Prefixes of functions at an interrupt's end, before the interrupted thread continues.
const ENDS: [&str; 2] = ["__irq_exit", "irq_exit"];

/// Whether a function that masks for moments goes straight on until it lets interrupts in, some hundreds of instructions further.
pub(crate) fn is_straight(function: Function) -> bool {
    begins(&STRAIGHT, function.name())
}

/// The code before a place in the kernel, if readable.
pub type CodeBefore<'a> = &'a dyn Fn(u64) -> Option<[u8; BEFORE_BYTES]>;

/// Judges the addresses of a stack, innermost first. If kernel functions enable interrupts by an inline instruction, the code shows
/// whether one just did.
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

/// Judges a whole stack of function names, innermost first, `None` for unnamed. The frames below the interrupt show where its thread was;
/// none means user mode.
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

/// The frames below the interrupt, or below the first of several: code at an interrupt's end is not its thread's. `None` if the stack
/// ends before.
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
