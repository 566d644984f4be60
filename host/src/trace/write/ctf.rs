// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace of CTF 1.8: a folder with its description and a stream for each processor.
//! Source: Common Trace Format v1.8.3.
use super::ctf_metadata::metadata;
use super::interrupts::{Interrupts, interrupt};
use crate::trace::event::{Event, Name, Section, Stamped};
use crate::trace::read::receiver::Receiver;
use std::collections::{BTreeMap, HashMap};
use std::io::{Result, Write};

const MAGIC: u32 = 0xC1FC_1FC1;
/// Bytes before the events of a packet: magic, stream, two stamps, two sizes, losses, processor.
const HEAD_BYTES: usize = 4 + 4 + 5 * 8 + 4;
/// A packet is closed when its events take so many bytes.
const PACKET_BYTES: usize = 64 << 10;
/// Names that are remembered for wakings, which do not carry them.
const NAMES_MAX: usize = 1 << 16;

/// One processor's stream.
struct Stream<W> {
    out: W,
    events: Vec<u8>,
    begin_ns: u64,
    end_ns: u64,
    /// Places so far at which events are missing.
    discarded: u64,
}

/// Writes events as they come; `open` gives a stream to write to for each processor.
pub struct Ctf<W, O> {
    open: O,
    streams: BTreeMap<u32, Stream<W>>,
    interrupts: Interrupts,
    names: HashMap<i32, (Name, i32)>,
    failure: Option<std::io::Error>,
    /// Events that were written.
    pub written: u64,
}

/// The file that describes the streams.
pub fn description() -> String {
    metadata()
}

impl<W: Write, O: FnMut(u32) -> Result<W>> Ctf<W, O> {
    /// No stream yet.
    pub fn new(open: O) -> Self {
        let (streams, interrupts, names) = (BTreeMap::new(), Interrupts::default(), HashMap::new());
        Self { open, streams, interrupts, names, failure: None, written: 0 }
    }

    /// Writes what is left; the streams, or the first failure of all.
    pub fn finish(mut self) -> Result<Vec<(u32, W)>> {
        for (cpu, stream) in &mut self.streams {
            let closed = stream.close(*cpu).and_then(|()| stream.out.flush());
            if let Err(error) = closed {
                self.failure.get_or_insert(error);
            }
        }
        match self.failure {
            None => Ok(self.streams.into_iter().map(|(cpu, stream)| (cpu, stream.out)).collect()),
            Some(error) => Err(error),
        }
    }

    /// The number of the event and its fields; none for what has no number.
    fn fields(&mut self, cpu: u32, event: &Event) -> Option<(u16, Vec<u8>)> {
        let mut fields = Fields(Vec::new());
        let id = match *event {
            Event::Switch { from, preempted, to } => {
                for thread in [from, to] {
                    if self.names.len() < NAMES_MAX || self.names.contains_key(&thread.id) {
                        self.names.insert(thread.id, (thread.name, thread.priority));
                    }
                }
                fields.name(&from.name.to_string()).half(from.id).half(from.priority).long(i64::from(!preempted));
                fields.name(&to.name.to_string()).half(to.id).half(to.priority);
                0
            }
            Event::Waking { thread } => {
                let (name, priority) = self.names.get(&thread).copied().unwrap_or_default();
                fields.name(&name.to_string()).half(thread).half(priority);
                1
            }
            Event::Enter(Section::Softirq(number)) => {
                fields.half(number.into());
                4
            }
            Event::Leave(Section::Softirq(number)) => {
                fields.half(number.into());
                5
            }
            Event::Enter(section) => {
                let (number, name) = self.interrupts.enter(cpu, interrupt(section)?);
                fields.half(number as i32).name(&name);
                2
            }
            Event::Leave(_) => {
                fields.half(self.interrupts.leave(cpu)? as i32).half(1);
                3
            }
            Event::Migrate { thread, to } => {
                fields.half(thread).half(to as i32);
                6
            }
            Event::Inherit { thread, from, to } => {
                fields.half(thread).half(from).half(to);
                7
            }
            Event::TimerStart { .. } | Event::TimerExpire { .. } | Event::SleepEnd => return None,
        };
        Some((id, fields.0))
    }

    fn put(&mut self, cpu: u32, stamped: &Stamped, id: u16, fields: &[u8]) -> Result<()> {
        if !self.streams.contains_key(&cpu) {
            let out = (self.open)(cpu)?;
            let (begin_ns, end_ns) = (stamped.at_ns, stamped.at_ns);
            self.streams.insert(cpu, Stream { out, events: Vec::new(), begin_ns, end_ns, discarded: 0 });
        }
        let Some(stream) = self.streams.get_mut(&cpu) else { return Ok(()) };
        if stream.events.len() >= PACKET_BYTES {
            stream.close(cpu)?;
        }
        if stream.events.is_empty() {
            stream.begin_ns = stamped.at_ns;
        }
        // A stream's stamps never run backwards.
        stream.end_ns = stream.end_ns.max(stamped.at_ns);
        stream.events.extend(id.to_le_bytes());
        stream.events.extend(stream.end_ns.to_le_bytes());
        stream.events.extend(stamped.thread.to_le_bytes());
        stream.events.extend(fields);
        self.written += 1;
        Ok(())
    }
}

impl<W: Write> Stream<W> {
    /// Writes the packet, where it has an event.
    fn close(&mut self, cpu: u32) -> Result<()> {
        if self.events.is_empty() {
            return Ok(());
        }
        let bits = ((HEAD_BYTES + self.events.len()) * 8) as u64;
        let mut head = Vec::with_capacity(HEAD_BYTES);
        head.extend([MAGIC.to_le_bytes(), 0u32.to_le_bytes()].concat());
        for number in [self.begin_ns, self.end_ns, bits, bits, self.discarded] {
            head.extend(number.to_le_bytes());
        }
        head.extend(cpu.to_le_bytes());
        self.out.write_all(&head)?;
        self.out.write_all(&self.events)?;
        self.events.clear();
        Ok(())
    }
}

impl<W: Write, O: FnMut(u32) -> Result<W>> Receiver for Ctf<W, O> {
    fn event(&mut self, cpu: u32, stamped: &Stamped) {
        let Some((id, fields)) = self.fields(cpu, &stamped.event) else { return };
        if let Err(error) = self.put(cpu, stamped, id, &fields) {
            self.failure.get_or_insert(error);
        }
    }

    fn gap(&mut self, cpu: u32, _: u64) {
        self.interrupts.forget(cpu);
        if let Some(stream) = self.streams.get_mut(&cpu) {
            let closed = stream.close(cpu);
            stream.discarded += 1;
            if let Err(error) = closed {
                self.failure.get_or_insert(error);
            }
        }
    }
}

/// The fields of an event, byte by byte.
struct Fields(Vec<u8>);

impl Fields {
    fn name(&mut self, name: &str) -> &mut Self {
        self.0.extend(name.bytes().filter(|byte| *byte != 0));
        self.0.push(0);
        self
    }

    fn half(&mut self, number: i32) -> &mut Self {
        self.0.extend(number.to_le_bytes());
        self
    }

    fn long(&mut self, number: i64) -> &mut Self {
        self.0.extend(number.to_le_bytes());
        self
    }
}
