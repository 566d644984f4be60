// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace of Perfetto with the events of the scheduler and of interrupts in Perfetto's own form, so that its viewer draws CPUs,
//! threads and wakeups natively.
//! Source of the numbers: protos/perfetto/trace/{trace_packet,ftrace/ftrace_event,ftrace/ftrace_event_bundle}.proto.
use super::foreign::{Foreign, Memory};
use super::protobuf::Message;
use crate::event::Stamped;
use crate::read::about::About;
use crate::read::receiver::Receiver;
use std::collections::BTreeMap;
use std::io::{Result, Write};

const BUNDLE: usize = 512;
/// At most this many events of all CPUs wait for their packets; then all are written. A recording may have 65,536 CPUs.
const WAITING_MAX: usize = 1 << 16;

const PACKET: u64 = 1;
const FTRACE_EVENTS: u64 = 1;
const PROCESS_TREE: u64 = 2;
const SEQUENCE: u64 = 10;
const BUNDLE_CPU: u64 = 1;
const BUNDLE_EVENT: u64 = 2;
const BUNDLE_LOST: u64 = 3;
const AT: u64 = 1;
const BY: u64 = 2;
const SCHED_SWITCH: u64 = 4;
const SCHED_WAKING: u64 = 20;
const SOFTIRQ_ENTRY: u64 = 24;
const SOFTIRQ_EXIT: u64 = 25;
const IRQ_ENTRY: u64 = 36;
const IRQ_EXIT: u64 = 37;
const SCHED_MIGRATE: u64 = 70;
const PI_SETPRIO: u64 = 353;

#[derive(Clone, Debug, Default)]
struct Bundle {
    events: Message,
    count: usize,
    lost: bool,
}

/// Writes events as they come.
pub struct Perfetto<W> {
    out: W,
    bundles: BTreeMap<u32, Bundle>,
    waiting: usize,
    memory: Memory,
    failure: Option<std::io::Error>,
    /// Number of events that were written.
    pub written: u64,
}

impl<W: Write> Perfetto<W> {
    /// Begins with the threads and processes that the recording's head names.
    pub fn new(mut out: W, about: &About) -> Result<Self> {
        let mut tree = Message::default();
        for (thread, process) in &about.processes {
            let name = about.names.get(thread).map_or("", String::as_str);
            let mut row = Message::default();
            if thread == process {
                row.signed(1, i64::from(*process)).text(3, name);
                tree.message(1, &row);
            }
            let mut row = Message::default();
            row.signed(1, i64::from(*thread)).text(2, name).signed(3, i64::from(*process));
            tree.message(2, &row);
        }
        let mut packet = Message::default();
        packet.message(PROCESS_TREE, &tree);
        send(&mut out, packet)?;
        Ok(Self { out, bundles: BTreeMap::new(), waiting: 0, memory: Memory::new(about), failure: None, written: 0 })
    }

    /// Writes the rest; returns the writer, or the first failure.
    pub fn finish(mut self) -> Result<W> {
        self.flush_all();
        self.out.flush()?;
        self.failure.map_or(Ok(self.out), Err)
    }

    fn flush_all(&mut self) {
        let bundles = std::mem::take(&mut self.bundles);
        bundles.into_iter().for_each(|(cpu, bundle)| self.send(cpu, &bundle));
    }

    fn flush(&mut self, cpu: u32) {
        self.bundles.remove(&cpu).into_iter().for_each(|bundle| self.send(cpu, &bundle));
    }

    fn send(&mut self, cpu: u32, bundle: &Bundle) {
        self.waiting -= bundle.count;
        let mut whole = Message::default();
        whole.number(BUNDLE_CPU, cpu.into());
        whole.extend(&bundle.events);
        if bundle.lost {
            whole.number(BUNDLE_LOST, 1);
        }
        let mut packet = Message::default();
        packet.message(FTRACE_EVENTS, &whole);
        if let Err(error) = send(&mut self.out, packet) {
            self.failure.get_or_insert(error);
        }
    }
}

fn inner(event: &Foreign) -> (u64, Message) {
    let mut inner = Message::default();
    let field = match event {
        Foreign::Switch { from, preempted, to } => {
            inner.text(1, &from.name.to_string()).signed(2, from.id.into()).signed(3, from.priority.into());
            inner.signed(4, i64::from(!preempted));
            inner.text(5, &to.name.to_string()).signed(6, to.id.into()).signed(7, to.priority.into());
            SCHED_SWITCH
        }
        Foreign::Waking { name, thread, priority } => {
            inner.text(1, name).signed(2, (*thread).into());
            if let Some(priority) = priority {
                inner.signed(3, (*priority).into());
            }
            inner.signed(4, 1);
            SCHED_WAKING
        }
        Foreign::SoftirqEntry(number) => numbered(&mut inner, (*number).into(), SOFTIRQ_ENTRY),
        Foreign::SoftirqExit(number) => numbered(&mut inner, (*number).into(), SOFTIRQ_EXIT),
        Foreign::InterruptEntry { number, name } => {
            inner.number(1, (*number).into()).text(2, name);
            IRQ_ENTRY
        }
        Foreign::InterruptExit { number } => {
            inner.number(1, (*number).into()).number(2, 1);
            IRQ_EXIT
        }
        Foreign::Migrate { thread, to } => {
            inner.signed(2, (*thread).into()).number(5, (*to).into());
            SCHED_MIGRATE
        }
        Foreign::Inherit { thread, from, to } => {
            inner.signed(2, (*to).into()).signed(3, (*from).into()).signed(4, (*thread).into());
            PI_SETPRIO
        }
    };
    (field, inner)
}

fn numbered(inner: &mut Message, number: u64, field: u64) -> u64 {
    inner.number(1, number);
    field
}

impl<W: Write> Receiver for Perfetto<W> {
    fn event(&mut self, cpu: u32, stamped: &Stamped) {
        let Some((field, inner)) = self.memory.told(cpu, stamped).as_ref().map(inner) else { return };
        let mut event = Message::default();
        event.number(AT, stamped.at_ns).signed(BY, stamped.thread.into()).message(field, &inner);
        let bundle = self.bundles.entry(cpu).or_default();
        bundle.events.message(BUNDLE_EVENT, &event);
        bundle.count += 1;
        self.waiting += 1;
        self.written += 1;
        if bundle.count == BUNDLE {
            self.flush(cpu);
        } else if self.waiting == WAITING_MAX {
            self.flush_all();
        }
    }

    fn gap(&mut self, cpu: u32, _: u64) {
        self.memory.forget(cpu);
        self.flush(cpu);
        self.bundles.entry(cpu).or_default().lost = true;
    }

    fn is_done(&self) -> bool {
        self.failure.is_some()
    }
}

fn send(out: &mut impl Write, mut packet: Message) -> Result<()> {
    packet.number(SEQUENCE, 1);
    let mut whole = Message::default();
    whole.message(PACKET, &packet);
    out.write_all(whole.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Event, Section};

    fn within(mut bytes: &[u8]) -> Vec<(u64, &[u8])> {
        fn varint(bytes: &mut &[u8]) -> u64 {
            let end = bytes.iter().position(|byte| *byte < 0x80).unwrap();
            let (number, rest) = bytes.split_at(end + 1);
            *bytes = rest;
            number.iter().rev().fold(0, |value, byte| value << 7 | u64::from(byte & 0x7f))
        }
        let mut found = Vec::new();
        while !bytes.is_empty() {
            let key = varint(&mut bytes);
            let number = varint(&mut bytes);
            if key & 7 == 2 {
                let (inner, rest) = bytes.split_at(number as usize);
                found.push((key >> 3, inner));
                bytes = rest;
            }
        }
        found
    }

    #[test]
    fn few_events_wait_however_many_processors_there_are_and_each_is_written_once() {
        let mut perfetto = Perfetto::new(Vec::new(), &About::default()).unwrap();
        let (cpus, each) = (1u32 << 15, 5u32);
        for at_ns in 0..cpus * each {
            let event = Event::Enter(Section::Softirq(1));
            let stamped = Stamped { at_ns: u64::from(at_ns), thread: 1, in_thread: false, to_switch: false, event };
            perfetto.event(at_ns % cpus, &stamped);
            let held: usize = if at_ns % 4_096 == 0 {
                perfetto.bundles.values().map(|bundle| bundle.count).sum()
            } else {
                perfetto.waiting
            };
            assert!(held == perfetto.waiting && held < WAITING_MAX, "{held}");
        }
        perfetto.gap(7, 0);
        let written = perfetto.finish().unwrap();
        let packets = within(&written).into_iter().flat_map(|(_, packet)| within(packet));
        let bundles = packets.filter(|(field, _)| *field == FTRACE_EVENTS);
        let events = bundles.flat_map(|(_, bundle)| within(bundle)).filter(|(field, _)| *field == BUNDLE_EVENT);
        assert_eq!(events.count(), (cpus * each) as usize);
    }
}
