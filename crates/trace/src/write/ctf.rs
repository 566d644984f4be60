// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace of CTF 1.8: a folder with a description, and a stream for each CPU.
//! Source: Common Trace Format v1.8.3.
use super::ctf_metadata::metadata;
use super::foreign::{Foreign, Memory};
use crate::event::Stamped;
use crate::read::about::About;
use crate::read::receiver::Receiver;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::{Result, Write};

const MAGIC: u32 = 0xC1FC_1FC1;
/// Bytes of a packet before its events: magic number, stream, two stamps, two sizes, losses, CPU.
const HEAD_BYTES: usize = 4 + 4 + 5 * 8 + 4;
/// A packet is closed once its events have this many bytes.
const PACKET_BYTES: usize = 64 << 10;
/// The kernel priority of a thread whose priority is not recorded, because events of this format need one.
const ORDINARY: i32 = 120;

struct Stream<W> {
    out: W,
    cpu: u32,
    events: Vec<u8>,
    begin_ns: u64,
    end_ns: u64,
    discarded: u64,
    /// Number of losses in the last packet; `None` before the first packet.
    told: Option<u64>,
}

/// Writes events as they come; `open` returns a stream for each CPU.
pub struct Ctf<W, O> {
    open: O,
    streams: BTreeMap<u32, Stream<W>>,
    memory: Memory,
    failure: Option<std::io::Error>,
    /// Number of events that were written.
    pub written: u64,
}

/// The file that describes the streams.
pub fn description() -> String {
    metadata()
}

impl<W: Write, O: FnMut(u32) -> Result<W>> Ctf<W, O> {
    /// Starts without streams; the recording's head names threads.
    pub fn new(open: O, about: &About) -> Self {
        Self { open, streams: BTreeMap::new(), memory: Memory::new(about), failure: None, written: 0 }
    }

    /// Writes the rest; returns the streams, or the first failure.
    pub fn finish(mut self) -> Result<Vec<(u32, W)>> {
        for stream in self.streams.values_mut() {
            let closed = stream.close().and_then(|()| stream.out.flush());
            if let Err(error) = closed {
                self.failure.get_or_insert(error);
            }
        }
        match self.failure {
            None => Ok(self.streams.into_iter().map(|(cpu, stream)| (cpu, stream.out)).collect()),
            Some(error) => Err(error),
        }
    }

    fn stream(&mut self, cpu: u32, at_ns: u64) -> Result<&mut Stream<W>> {
        Ok(match self.streams.entry(cpu) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(Stream::new((self.open)(cpu)?, cpu, at_ns)),
        })
    }

    fn put(&mut self, cpu: u32, stamped: &Stamped, event: &Foreign) -> Result<()> {
        let stream = self.stream(cpu, stamped.at_ns)?;
        if stream.events.len() >= PACKET_BYTES {
            stream.close()?;
        }
        if stream.events.is_empty() {
            stream.begin_ns = stamped.at_ns;
        }
        // The stamps of a stream never go back.
        stream.end_ns = stream.end_ns.max(stamped.at_ns);
        let (id, fields) = fields(event);
        stream.events.extend(id.to_le_bytes());
        stream.events.extend(stream.end_ns.to_le_bytes());
        stream.events.extend(stamped.thread.to_le_bytes());
        stream.events.extend(fields);
        self.written += 1;
        Ok(())
    }
}

fn fields(event: &Foreign) -> (u16, Vec<u8>) {
    let mut fields = Fields(Vec::new());
    let id = match event {
        Foreign::Switch { from, preempted, to } => {
            fields.name(&from.name.to_string()).half(from.id).half(from.priority).long(i64::from(!preempted));
            fields.name(&to.name.to_string()).half(to.id).half(to.priority);
            0
        }
        Foreign::Waking { name, thread, priority } => {
            fields.name(name).half(*thread).half(priority.unwrap_or(ORDINARY));
            1
        }
        Foreign::InterruptEntry { number, name } => {
            fields.half(*number as i32).name(name);
            2
        }
        Foreign::InterruptExit { number } => {
            fields.half(*number as i32).half(1);
            3
        }
        Foreign::SoftirqEntry(number) => {
            fields.half((*number).into());
            4
        }
        Foreign::SoftirqExit(number) => {
            fields.half((*number).into());
            5
        }
        Foreign::Migrate { thread, to } => {
            fields.half(*thread).half(*to as i32);
            6
        }
        Foreign::Inherit { thread, from, to } => {
            fields.half(*thread).half(*from).half(*to);
            7
        }
    };
    (id, fields.0)
}

impl<W: Write> Stream<W> {
    fn new(out: W, cpu: u32, at_ns: u64) -> Self {
        Self { out, cpu, events: Vec::new(), begin_ns: at_ns, end_ns: at_ns, discarded: 0, told: None }
    }

    /// Writes the packet, if it has events or losses that no packet states yet.
    fn close(&mut self) -> Result<()> {
        if !self.events.is_empty() || self.told != Some(self.discarded) {
            self.packet()?;
        }
        Ok(())
    }

    /// Events are missing up to this instant. A reader sees a loss as the difference between two packets, so this closes the
    /// packet before it.
    fn gap(&mut self, at_ns: u64) -> Result<()> {
        self.close()?;
        self.discarded += 1;
        self.end_ns = self.end_ns.max(at_ns);
        self.begin_ns = self.end_ns;
        Ok(())
    }

    fn packet(&mut self) -> Result<()> {
        let bits = ((HEAD_BYTES + self.events.len()) * 8) as u64;
        let mut head = Vec::with_capacity(HEAD_BYTES);
        head.extend([MAGIC.to_le_bytes(), 0u32.to_le_bytes()].concat());
        for number in [self.begin_ns, self.end_ns, bits, bits, self.discarded] {
            head.extend(number.to_le_bytes());
        }
        head.extend(self.cpu.to_le_bytes());
        self.out.write_all(&head)?;
        self.out.write_all(&self.events)?;
        self.events.clear();
        self.told = Some(self.discarded);
        Ok(())
    }
}

impl<W: Write, O: FnMut(u32) -> Result<W>> Receiver for Ctf<W, O> {
    fn event(&mut self, cpu: u32, stamped: &Stamped) {
        let Some(event) = self.memory.told(cpu, stamped) else { return };
        if let Err(error) = self.put(cpu, stamped, &event) {
            self.failure.get_or_insert(error);
        }
    }

    fn gap(&mut self, cpu: u32, at_ns: u64) {
        self.memory.forget(cpu);
        let told = self.stream(cpu, at_ns).and_then(|stream| stream.gap(at_ns));
        if let Err(error) = told {
            self.failure.get_or_insert(error);
        }
    }

    fn is_done(&self) -> bool {
        self.failure.is_some()
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Event;

    fn number(bytes: &[u8], at: usize) -> u64 {
        u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
    }

    #[test]
    fn losses_before_the_first_event_and_after_the_last_are_told_by_packets() {
        let mut face = Ctf::new(|_| Ok(Vec::new()), &About::default());
        face.gap(0, 10);
        let event = Event::Migrate { thread: 7, to: 0 };
        face.event(0, &Stamped { at_ns: 20, thread: 7, in_thread: true, to_switch: false, event });
        face.gap(0, 30);
        face.gap(3, 40);
        let streams = face.finish().unwrap();
        let packets = |bytes: &[u8]| {
            let (mut found, mut at) = (Vec::new(), 0);
            while at < bytes.len() {
                found.push([8, 16, 40].map(|field| number(bytes, at + field)));
                at += number(bytes, at + 24) as usize / 8;
            }
            found
        };
        assert_eq!(packets(&streams[0].1), [[10, 10, 0], [20, 20, 1], [30, 30, 2]]);
        assert_eq!(packets(&streams[1].1), [[40, 40, 0], [40, 40, 1]]);
    }

    #[test]
    fn a_waking_of_a_thread_that_was_not_switched_to_yet_has_the_name_of_the_head_and_no_real_time_priority() {
        let about = About { names: [(7, "sleeper".to_string())].into(), ..About::default() };
        let mut face = Ctf::new(|_| Ok(Vec::new()), &about);
        let event = Event::Waking { thread: 7 };
        face.event(0, &Stamped { at_ns: 20, thread: 1, in_thread: true, to_switch: false, event });
        let bytes = face.finish().unwrap().remove(0).1;
        let fields = &bytes[HEAD_BYTES + 2 + 8 + 4..];
        assert_eq!(fields, [&b"sleeper\0"[..], &7i32.to_le_bytes(), &120i32.to_le_bytes()].concat());
    }
}
