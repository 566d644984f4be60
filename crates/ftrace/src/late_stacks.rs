// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's stack in the interrupts of late timers only, from a BPF program at `hrtimer_expire_entry`.
//!
//! A trigger writes the stack in every timer interrupt. On some kernels the trigger writes no stack if a CPU was idle, or for
//! some threads. This program takes the stack if a timer is later than an interrupt itself takes, whichever thread ran. It costs
//! the other interrupts almost nothing.
use crate::functions;
use crate::kernel_code::KernelCode;
use backwall_os::bpf::{Attached, Ring, attach};
use backwall_trace::blame::behind::{CodeBefore, judge_addresses};
use backwall_trace::event::symbols::Symbols;
use backwall_trace::event::{Event, Stamped};
use std::io::{Error, Result};
use std::sync::Arc;

/// A timer that is late by less than this needs no cause: its interrupt itself takes that long.
const LATE_NS: i32 = 20_000;
/// At most this many functions of a stack, the innermost first; fewer suffice for the interrupt and what it interrupted.
const DEPTH: usize = 48;
/// Time, thread, CPU, and length of the stack in bytes; each is a number of 64 bits.
const HEAD_BYTES: usize = 4 * 8;
const RECORD_BYTES: usize = HEAD_BYTES + DEPTH * 8;
const RING_BYTES: u32 = 1 << 20;

pub(super) struct LateStacks {
    _attached: Attached,
    ring: Ring,
    symbols: Arc<Symbols>,
    code: Option<KernelCode>,
}

impl std::fmt::Debug for LateStacks {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str("LateStacks")
    }
}

impl LateStacks {
    /// Starts the program.
    ///
    /// # Errors
    /// If the kernel refuses the program, or hides the addresses of its functions.
    pub(super) fn begin() -> Result<Self> {
        let symbols = functions::of_this_kernel();
        if symbols.is_empty() {
            return Err(Error::other("the kernel hides the addresses of its functions"));
        }
        let ring = Ring::new(RING_BYTES)?;
        let attached = attach(c"hrtimer_expire_entry", &program(ring.number()))?;
        Ok(Self { _attached: attached, ring, symbols, code: KernelCode::open().ok() })
    }

    pub(super) fn read(&mut self, mut give: impl FnMut(u32, Stamped)) {
        let Self { ring, symbols, code, .. } = self;
        let before = |at| code.as_ref()?.before(at);
        ring.read(|record| {
            if let Some((cpu, stamped)) = told(record, symbols, &before) {
                give(cpu, stamped);
            }
        });
    }
}

fn told(record: &[u8], symbols: &Symbols, code: CodeBefore<'_>) -> Option<(u32, Stamped)> {
    let word = |at: usize| record.get(at * 8..at * 8 + 8)?.try_into().ok().map(u64::from_ne_bytes);
    let (at_ns, thread, cpu, bytes) = (word(0)?, word(1)? as i32, word(2)? as u32, word(3)? as i64);
    let count = usize::try_from(bytes).unwrap_or(0) / 8;
    let addresses = (0..count.min(DEPTH)).map_while(|number| word(HEAD_BYTES / 8 + number));
    let event = Event::Stack(judge_addresses(addresses, Some(symbols), code));
    Some((cpu, Stamped { at_ns, thread, in_thread: false, to_switch: false, event }))
}

/// One instruction in the form of bpf(2): operation, destination, source, offset, number.
const fn op(code: u8, to: u8, from: u8, offset: i16, number: i32) -> u64 {
    code as u64 | (((from << 4 | to) as u64) << 8) | ((offset as u16 as u64) << 16) | ((number as u32 as u64) << 32)
}

const fn call(function: i32) -> u64 {
    op(0x85, 0, 0, 0, function)
}

const MOVE: u8 = 0xbf;
const SET: u8 = 0xb7;
const ADD: u8 = 0x07;
const SUBTRACT: u8 = 0x1f;
const LOAD: u8 = 0x79;
const STORE: u8 = 0x7b;
const ABOVE: u8 = 0x25;
const IS_NOT: u8 = 0x55;
const EXIT: u64 = op(0x95, 0, 0, 0, 0);

const KTIME_GET_NS: i32 = 5;
const GET_PROCESSOR: i32 = 8;
const GET_PID_TGID: i32 = 14;
const GET_STACK: i32 = 67;
const PROBE_READ_KERNEL: i32 = 113;
const RING_RESERVE: i32 = 131;
const RING_SUBMIT: i32 = 132;

/// In `struct hrtimer`, after its tree node: the hard and the soft expiry, since Linux 4.10.
const EXPIRES_AT: i32 = 24;
/// If the two expiries are further apart than this, the fields have another meaning. The program then takes the stack, so that
/// it misses none.
const FAR_NS: i32 = 2_000_000_000;

/// The program. Registers 6 to 9 keep their values over calls, register 10 is the end of the stack, and the first arguments are
/// in 1 to 5.
fn program(ring: i32) -> Vec<u64> {
    let take = [
        op(0x18, 1, 1, 0, ring),
        0,
        op(SET, 2, 0, 0, RECORD_BYTES as i32),
        op(SET, 3, 0, 0, 0),
        call(RING_RESERVE),
        op(IS_NOT, 0, 0, 2, 0),
        op(SET, 0, 0, 0, 0),
        EXIT,
        op(MOVE, 7, 0, 0, 0),
        call(KTIME_GET_NS),
        op(STORE, 7, 0, 0, 0),
        call(GET_PID_TGID),
        op(STORE, 7, 0, 8, 0),
        call(GET_PROCESSOR),
        op(STORE, 7, 0, 16, 0),
        op(MOVE, 1, 6, 0, 0),
        op(MOVE, 2, 7, 0, 0),
        op(ADD, 2, 0, 0, HEAD_BYTES as i32),
        op(SET, 3, 0, 0, (DEPTH * 8) as i32),
        op(SET, 4, 0, 0, 0),
        call(GET_STACK),
        op(STORE, 7, 0, 24, 0),
        op(MOVE, 1, 7, 0, 0),
        op(SET, 2, 0, 0, 0),
        call(RING_SUBMIT),
        op(SET, 0, 0, 0, 0),
        EXIT,
    ];
    let asks = [
        // The arguments of the tracepoint: the timer, and the address of the interrupt's time.
        op(MOVE, 6, 1, 0, 0),
        op(LOAD, 8, 6, 0, 0),
        op(LOAD, 3, 6, 8, 0),
        op(MOVE, 1, 10, 0, 0),
        op(ADD, 1, 0, 0, -8),
        op(SET, 2, 0, 0, 8),
        call(PROBE_READ_KERNEL),
        op(MOVE, 1, 10, 0, 0),
        op(ADD, 1, 0, 0, -24),
        op(SET, 2, 0, 0, 16),
        op(MOVE, 3, 8, 0, 0),
        op(ADD, 3, 0, 0, EXPIRES_AT),
        call(PROBE_READ_KERNEL),
        op(LOAD, 1, 10, -8, 0),
        op(LOAD, 2, 10, -24, 0),
        op(LOAD, 3, 10, -16, 0),
        // The difference between hard and soft expiry, and how late the timer is.
        op(MOVE, 4, 2, 0, 0),
        op(SUBTRACT, 4, 3, 0, 0),
        op(SUBTRACT, 1, 2, 0, 0),
        op(ABOVE, 4, 0, 4, FAR_NS),
        op(ABOVE, 1, 0, 3, FAR_NS),
        op(ABOVE, 1, 0, 2, LATE_NS),
        op(SET, 0, 0, 0, 0),
        EXIT,
    ];
    [&asks[..], &take].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_trace::blame::behind::Verdict;

    #[test]
    fn a_record_is_a_stack_in_an_interrupt_and_a_short_one_is_none() {
        let symbols =
            Symbols::parse("1000 t rmqueue\n2000 t asm_sysvec_apic_timer_interrupt\n3000 t get_page\n4000 t caller\n");
        let record = |stack: &[u64]| {
            let head = [7_000, 0x0000_0009_0000_0007, 3, stack.len() as u64 * 8];
            [&head[..], stack].concat().iter().flat_map(|word| word.to_ne_bytes()).collect::<Vec<u8>>()
        };
        let told = |record: &[u8], symbols: &Symbols| told(record, symbols, &|_| None);
        let (cpu, stamped) = told(&record(&[0x2000]), &symbols).unwrap();
        assert_eq!((cpu, stamped.at_ns, stamped.thread, stamped.in_thread), (3, 7_000, 7, false));
        assert_eq!(stamped.event, Event::Stack(Verdict::Below), "it stood in user mode");
        assert!(told(&record(&[0x2000])[..24], &symbols).is_none());
        let hostile = [1u64, 2, 3, u64::MAX].iter().flat_map(|word| word.to_ne_bytes()).collect::<Vec<u8>>();
        assert!(
            told(&hostile, &symbols)
                .is_some_and(|(_, stamped)| matches!(stamped.event, Event::Stack(Verdict::Untold(_))))
        );
    }

    // If the kernel refuses the program, `begin` reports this. If the kernel takes it, all records of the program are valid.
    #[test]
    fn a_kernel_takes_the_program_or_says_why_not() {
        let Ok(mut stacks) = LateStacks::begin() else { return };
        let mut count = 0;
        stacks.read(|_, stamped| {
            assert!(matches!(stamped.event, Event::Stack(_)));
            count += 1;
        });
        assert!(count < 100_000);
    }
}
