// SPDX-License-Identifier: MIT OR Apache-2.0
//! The few events of all other CPUs that show who keeps a measured thread from its work, and who resumes it.
//!
//! A measured CPU is recorded completely. For the other CPUs, a separate instance records only who makes a measured thread ready,
//! who sends a stop or continue signal, who freezes a control group, and changes of the machine itself. A quiet machine has few
//! of these events, and they slow no measured CPU.
use super::TraceError;
use crate::buffer::{Buffer, Ring};
use crate::read_page::read_page;
use backwall_model::Warning;
use backwall_os::{affinity, threads};
use backwall_trace::digest::Digest;
use backwall_trace::event::{Event, Name, Source, Stamped, Thread};
use backwall_trace::ring::decoder::Decoder;
use std::collections::{BTreeMap, BTreeSet};

const RING_KIB: u32 = 64;
const NOBODY: i32 = -1;

#[derive(Clone, Debug, Default)]
pub struct Others {
    pub events: Vec<(u32, Stamped)>,
    pub names: Vec<Thread>,
    /// Some events of the other CPUs were lost.
    pub lost: bool,
}

/// The recording; drop it after its reader.
#[derive(Debug)]
pub(super) struct Elsewhere(Buffer);

#[derive(Debug)]
pub(super) struct Listening {
    rings: Vec<(u32, Ring)>,
    decoder: Decoder,
    /// Threads with the names that they had when backwall first looked; they may have ended since then.
    named: BTreeMap<i32, Thread>,
}

impl Elsewhere {
    pub(super) fn start(but: &[u32]) -> Result<Option<(Self, Listening)>, TraceError> {
        let others: Vec<u32> = affinity::online().into_iter().filter(|cpu| !but.contains(cpu)).collect();
        if others.is_empty() {
            return Ok(None);
        }
        let buffer = Buffer::small(&others, RING_KIB, Source::is_of_elsewhere)?;
        // The kernel must not record the wakeups of all threads before the measured ones are known.
        buffer.follow(&[NOBODY])?;
        buffer.frequencies_of(but)?;
        let rings = others.iter().map(|cpu| Ok((*cpu, buffer.ring(*cpu)?))).collect::<Result<Vec<_>, TraceError>>()?;
        let listening = Listening { rings, decoder: buffer.decoder(), named: BTreeMap::new() };
        buffer.record(true)?;
        Ok(Some((Self(buffer), listening)))
    }

    pub(super) fn follow(&self, threads: &[i32]) -> Result<(), TraceError> {
        self.0.follow(threads)
    }

    pub(super) fn of_named(but: &[u32], prefix: &str) -> Result<Option<(Self, Listening)>, TraceError> {
        let started = Self::start(but)?;
        started.iter().try_for_each(|(elsewhere, _)| elsewhere.0.follow_named(prefix, |_| true))?;
        Ok(started)
    }
}

impl Listening {
    pub(super) fn read(&mut self) -> Result<Others, TraceError> {
        let Self { rings, decoder, named } = self;
        let mut others = Others::default();
        for (cpu, ring) in rings {
            let layout = ring.layout;
            while let Some(bytes) = ring.read()? {
                let events = &mut others.events;
                let missing = read_page(bytes, &layout, decoder, |_, stamped| events.push((*cpu, stamped)));
                others.lost |= missing.is_any();
            }
        }
        others.events.sort_by_key(|(_, stamped)| stamped.at_ns);
        others.name(named);
        Ok(others)
    }
}

impl Others {
    fn threads(&self) -> BTreeSet<i32> {
        let told = self.events.iter().filter(|(_, stamped)| stamped.in_thread && !stamped.event.is_of_machine());
        let who = told.map(|(_, stamped)| stamped.thread);
        who.filter(|id| *id != 0).collect()
    }

    fn name(&mut self, known: &mut BTreeMap<i32, Thread>) {
        for id in self.threads() {
            if let Some(thread) = known.get(&id).copied().or_else(|| name_of(id)) {
                known.insert(id, thread);
                self.names.push(thread);
            }
        }
    }

    pub(super) fn add_recorded(&mut self, events: Vec<(u32, Stamped)>) {
        let mut recorded = Self { events, ..Self::default() };
        recorded.name(&mut BTreeMap::new());
        self.add(recorded);
    }

    pub(super) fn add(&mut self, later: Self) {
        self.events.extend(later.events);
        self.names.extend(later.names);
        self.lost |= later.lost;
    }

    pub(super) fn forget_before(&mut self, from_ns: u64) {
        self.events.retain(|(_, stamped)| stamped.at_ns >= from_ns);
    }

    pub(super) fn give(self, digest: &mut Digest) {
        if self.lost {
            digest.elsewhere_lost();
        }
        self.names.into_iter().for_each(|thread| digest.name(thread));
        digest.elsewhere(self.events.into_iter().map(|(_, stamped)| stamped));
    }
}

pub(super) fn untold(error: TraceError) -> Warning {
    let said =
        format!("backwall cannot tell which thread on another CPU stops or freezes the measured thread: {error}");
    Warning::new("elsewhere-untold", said)
}

pub(super) fn is_told(stamped: &Stamped) -> bool {
    let made_ready = matches!(stamped.event, Event::Waking { .. }) && stamped.in_thread;
    made_ready
        || stamped.event.is_of_machine()
        || matches!(stamped.event, Event::Signalled { .. } | Event::Freezes { .. })
}

/// Looks up the names of threads of the recorded CPU that no switch has named.
pub(super) fn name_unnamed(digest: &mut Digest) {
    for thread in digest.unnamed().into_iter().filter_map(name_of) {
        digest.name(thread);
    }
}

pub(super) fn name_of(id: i32) -> Option<Thread> {
    /// The kernel's scale: deadline threads below 0, real-time threads from 98 down to 0, and ordinary ones at 120.
    const DEADLINE: i32 = -1;
    const ORDINARY: i32 = 120;
    let found = threads::Thread::read(id, id, format!("/proc/{id}").into())?;
    let priority = match found.real_time {
        0 => ORDINARY,
        100.. => DEADLINE,
        priority => 99 - priority as i32,
    };
    Some(Thread { id, priority, name: Name::new(found.name.as_bytes()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_called_as_the_machine_calls_it_and_one_that_is_gone_has_no_name() {
        let own = std::process::id() as i32;
        let named = name_of(own).unwrap();
        assert_eq!(named.id, own);
        assert!(!named.name.to_string().is_empty() && named.priority <= 120, "{named:?}");
        assert_eq!(name_of(4_194_304), None);
    }
}
