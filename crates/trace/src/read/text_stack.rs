// SPDX-License-Identifier: MIT OR Apache-2.0
//! A stack in a text: the row of its event, then one row per function, the innermost first, up to the first other row.
use crate::blame::behind::judge;
use crate::event::function::Function;
use crate::event::{Event, Stamped, Unpreempted};

/// At most this many functions of a stack are kept; the kernel's own limit is no higher.
const FUNCTIONS_MAX: usize = 256;

/// Prefixes of functions that trace, schedule or re-enable preemption. Their caller ran with preemption disabled.
const SWITCHES: [&str; 24] = [
    "__ftrace_trace_stack",
    "__trace_stack",
    "trace_",
    "ftrace_",
    "probe_wakeup",
    "tracing_sched_switch",
    "__schedule",
    "schedule",
    "preempt_schedule",
    "__cond_resched",
    "_cond_resched",
    "migrate_enable",
    "rt_spin_unlock",
    "rt_read_unlock",
    "rt_write_unlock",
    "__rt_spin_unlock",
    "_raw_spin_unlock",
    "_raw_read_unlock",
    "_raw_write_unlock",
    "__raw_spin_unlock",
    "__local_bh_enable",
    "local_bh_enable",
    "__rcu_read_unlock",
    "preempt_count_sub",
];

const CALLS: [&str; 8] =
    ["sys_", "__x64_sys_", "__ia32_sys_", "__arm64_sys_", "__se_sys_", "__do_sys_", "__riscv_sys_", "__sys_"];

#[derive(Debug)]
pub(super) struct Stack {
    cpu: u32,
    /// The data of the event's row; the event itself is not known yet.
    stamped: Stamped,
    functions: Vec<Option<String>>,
}

impl Stack {
    /// Begins a stack for the event of a row, with the row's context.
    pub(super) fn of(cpu: u32, stamped: impl FnOnce(Event) -> Stamped) -> Self {
        Self { cpu, stamped: stamped(Event::Stack(judge(&[]))), functions: Vec::new() }
    }

    pub(super) fn takes(&mut self, function: Option<&str>) {
        if self.functions.len() < FUNCTIONS_MAX {
            self.functions.push(function.map(String::from));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    pub(super) fn ended(self) -> (u32, Stamped) {
        let functions: Vec<Option<&str>> = self.functions.iter().map(Option::as_deref).collect();
        (self.cpu, Stamped { event: Event::Stack(judge(&functions)), ..self.stamped })
    }

    pub(super) fn unpreempted(&self, switch: &Stamped) -> Option<Stamped> {
        let begins = |names: &[&str], function: &str| names.iter().any(|name| function.starts_with(name));
        let mut below = self
            .functions
            .iter()
            .skip_while(|function| function.as_deref().is_some_and(|name| begins(&SWITCHES, name)));
        let function = Function::named(below.next()?.as_deref()?);
        let caller = below.next().and_then(Option::as_deref);
        let call = self.functions.iter().flatten().find(|name| begins(&CALLS, name));
        let caller = match (caller, call) {
            (Some(caller), Some(call)) if caller != call => Some(Function::named(&format!("{caller} in {call}"))),
            (caller, call) => caller.or(call.map(String::as_str)).map(Function::named),
        };
        Some(Stamped { event: Event::Unpreempted(Unpreempted { function, caller }), ..*switch })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blame::behind::{Untold, Verdict};
    use crate::read::text_row::Stamp;
    use crate::read::text_shape::{Line, Shape};

    fn judged(rows: &[&str]) -> Verdict {
        let stamped = |event| Stamped { at_ns: 5, thread: 7, in_thread: false, to_switch: false, event };
        let mut stack = Stack::of(3, stamped);
        for row in rows {
            let Line::Frame(function) = Shape::Ftrace.line(row, Stamp::Seconds) else { panic!("{row}") };
            stack.takes(function);
        }
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

    #[test]
    fn the_stack_in_a_switch_tells_what_could_not_be_preempted() {
        let stamped = |event| Stamped { at_ns: 5, thread: 7, in_thread: true, to_switch: false, event };
        let mut stack = Stack::of(0, stamped);
        let names = "__ftrace_trace_stack __trace_stack probe_wakeup_sched_switch __schedule preempt_schedule migrate_enable \
                     free_unref_page_list release_pages unmap_region sys_munmap";
        names.split_whitespace().for_each(|name| stack.takes(Some(name)));
        let Some(Event::Unpreempted(Unpreempted { function, caller })) =
            stack.unpreempted(&stamped(Event::SleepEnd)).map(|stamped| stamped.event)
        else {
            panic!()
        };
        assert_eq!((function.name(), caller.unwrap().name()), ("free_unref_page_list", "release_pages in sys_munmap"));
        let mut cut = Stack::of(0, stamped);
        cut.takes(Some("__schedule"));
        assert_eq!(cut.unpreempted(&stamped(Event::SleepEnd)), None);
    }
}
