// SPDX-License-Identifier: MIT OR Apache-2.0
//! A stack in ftrace's text: the row of its event, and below it a row for each function, ` => name` or trace-cmd's
//! `=> name (address)`. It ends with the first row that is none of these.
use crate::behind::judge;
use crate::event::{Event, Stamped};

/// The event of a stack.
const EVENT: &str = "kernel_stack";
/// Functions of a stack that are kept; the kernel's own are not more.
const FUNCTIONS_MAX: usize = 256;
/// No function has a longer name.
const NAME_BYTES_MAX: usize = 512;

/// One whose functions are being read.
#[derive(Debug)]
pub(super) struct Stack {
    cpu: u32,
    /// The row's own, of which the event is not known yet.
    stamped: Stamped,
    functions: Vec<Option<String>>,
}

impl Stack {
    /// Of the row of an event, where that is one of stacks; what the row says of its circumstances is given.
    pub(super) fn of(event: &str, cpu: u32, stamped: impl FnOnce(Event) -> Stamped) -> Option<Self> {
        let stamped = (event == EVENT).then(|| stamped(Event::Stack(judge(&[]))))?;
        Some(Self { cpu, stamped, functions: Vec::new() })
    }

    /// Takes a row, if it is one of its functions.
    pub(super) fn takes(&mut self, row: &str) -> bool {
        let Some(function) = row.trim_start().strip_prefix("=>") else { return false };
        let name = function.trim_start().split([' ', '+', '(']).next().unwrap_or_default();
        let known = !name.is_empty()
            && name.len() <= NAME_BYTES_MAX
            && name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
        if self.functions.len() < FUNCTIONS_MAX {
            self.functions.push(known.then(|| name.to_string()));
        }
        true
    }

    /// Its processor, and the event.
    pub(super) fn ended(self) -> (u32, Stamped) {
        let functions: Vec<Option<&str>> = self.functions.iter().map(Option::as_deref).collect();
        (self.cpu, Stamped { event: Event::Stack(judge(&functions)), ..self.stamped })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behind::{Untold, Verdict};

    fn judged(rows: &[&str]) -> Verdict {
        let stamped = |event| Stamped { at_ns: 5, thread: 7, in_thread: false, to_switch: false, event };
        let mut stack = Stack::of("kernel_stack", 3, stamped).unwrap();
        assert!(rows.iter().all(|row| stack.takes(row)));
        assert!(!stack.takes("  a-7 [003] d.h1 5.0: local_timer_exit: vector=236"));
        let (cpu, Stamped { event: Event::Stack(verdict), .. }) = stack.ended() else { panic!() };
        assert_eq!(cpu, 3);
        verdict
    }

    #[test]
    fn a_stack_is_read_as_the_kernel_and_as_trace_cmd_print_it() {
        let kernels =
            [" => asm_sysvec_apic_timer_interrupt", " => _raw_spin_unlock_irq", " => walk", " => do_syscall_64"];
        let trace_cmds = [
            "=> asm_sysvec_apic_timer_interrupt (ffffffff81001000)",
            "=> _raw_spin_unlock_irq (ffffffff81002000)",
            "=> walk (ffffffff81003000)",
            "=> do_syscall_64 (ffffffff81004000)",
        ];
        for rows in [kernels, trace_cmds] {
            let Verdict::Masked { function, caller } = judged(&rows) else { panic!() };
            assert_eq!((function.to_string(), caller.unwrap().to_string()), ("walk".into(), "do_syscall_64".into()));
        }
        assert_eq!(judged(&["=> asm_sysvec_apic_timer_interrupt"]), Verdict::Below);
        assert_eq!(judged(&["=> 0xffffffffc0000010"]), Verdict::Untold(Untold::Cut));
        let hidden = ["=> asm_sysvec_apic_timer_interrupt", "=> <ffffffffc0000010>"];
        assert_eq!(judged(&hidden), Verdict::Untold(Untold::Unnamed));
        assert_eq!(judged(&[]), Verdict::Untold(Untold::Cut));
    }
}
