// SPDX-License-Identifier: MIT OR Apache-2.0
//! Chains for Perfetto: an instance has a slice at each hop, with its parts inside, and arrows lead from hop to hop.
use super::protobuf::Message;
use super::slices::{Flow, Place, Track, add_begin, add_end, add_track};
use crate::account::analysis::{Listener, Processors};
use crate::chain::follow::{Chains, EndedInstance};
use crate::chain::instance::Fate;
use crate::chain::{Part, Spec};
use crate::event::Stamped;
use crate::processor::{Processor, Stretch};
use std::collections::HashMap;
use std::io::{Error, Result, Write};

/// Other writers give tracks random numbers; backwall's numbers begin here.
const FIRST_TRACK: u64 = 1 << 32;
const CHAIN_SHIFT: u32 = 48;

/// The tracks of one hop, each with the end of its last slice. Instances at a hop may overlap, but slices of a track may not.
type Lanes = Vec<(u64, u64)>;

/// Follows chains and writes each instance when it ends. `words` describes a part.
pub struct ChainSlices<W, F> {
    chains: Chains,
    out: W,
    words: F,
    lanes: HashMap<(usize, usize), Lanes>,
    next_track: u64,
    failure: Option<Error>,
    /// Number of instances that were written.
    pub written: u64,
}

impl<W: Write, F: Fn(&Spec, &Part) -> String> ChainSlices<W, F> {
    /// Writes to `out`, which may already contain a trace. `timed`: the recording uses the clock that timers are set by.
    pub fn new(out: W, specs: Vec<Spec>, timed: bool, words: F) -> Self {
        let chains = Chains::telling(specs, timed);
        let mut face =
            Self { chains, out, words, lanes: HashMap::new(), next_track: FIRST_TRACK, failure: None, written: 0 };
        let mut trace = Message::default();
        for (spec, _) in face.chains.tallies() {
            let name = format!("chain {}: {spec}", spec.name);
            add_track(&mut trace, Track { id: face.next_track, name: &name, place: Place::Above });
            face.next_track += 1;
        }
        face.send(&trace);
        face
    }

    /// Returns the writer.
    ///
    /// # Errors
    /// The first failure to write.
    pub fn finish(mut self) -> Result<W> {
        self.out.flush()?;
        self.failure.map_or(Ok(self.out), Err)
    }

    fn send(&mut self, trace: &Message) {
        if let Err(error) = self.out.write_all(trace.as_bytes()) {
            self.failure.get_or_insert(error);
        }
    }

    fn tell(&mut self) {
        for ended in self.chains.take_told() {
            self.instance(&ended);
        }
    }

    fn instance(&mut self, ended: &EndedInstance) {
        let EndedInstance { chain, fate, divided } = ended;
        let Some((spec, _)) = self.chains.tallies().nth(*chain) else { return };
        let (spec, instance) = (spec.clone(), &divided.instance);
        let flow = (*chain as u64 + 1) << CHAIN_SHIFT | (instance.number + 1);
        let first_ns = instance.visits.first().map_or(instance.start_ns, |visit| visit.arrived_ns);
        let mut stays = vec![(instance.start_ns, first_ns)];
        stays.extend(instance.visits.iter().map(|visit| (visit.arrived_ns, visit.handed_ns)));
        let last = stays.len() - 1;
        let mut trace = Message::default();
        for (place, (from_ns, to_ns)) in stays.into_iter().enumerate() {
            let hop = place.checked_sub(1).map_or_else(|| spec.start.to_string(), |hop| spec.hops[hop].to_string());
            let fate = if place == last && *fate != Fate::Done { format!(", {}", fate.name()) } else { String::new() };
            let track = self.lane(&mut trace, (*chain, place), &hop, (from_ns, to_ns));
            let flow = match place {
                _ if last == 0 => Flow::None,
                _ if place == last => Flow::Ends(flow),
                _ => Flow::Leads(flow),
            };
            add_begin(&mut trace, from_ns, track, &format!("{hop} {}{fate}", instance.number), flow);
            for part in divided.parts.iter().filter(|part| part.hop == place) {
                add_begin(&mut trace, part.from_ns, track, &(self.words)(&spec, part), Flow::None);
                add_end(&mut trace, part.to_ns, track);
            }
            add_end(&mut trace, to_ns, track);
        }
        self.send(&trace);
        self.written += 1;
    }

    /// A track that is free at this time; adds one if necessary.
    fn lane(
        &mut self,
        trace: &mut Message,
        (chain, place): (usize, usize),
        name: &str,
        (from_ns, to_ns): (u64, u64),
    ) -> u64 {
        let lanes = self.lanes.entry((chain, place)).or_default();
        if let Some((track, until_ns)) = lanes.iter_mut().find(|(_, until_ns)| *until_ns <= from_ns) {
            *until_ns = to_ns;
            return *track;
        }
        let id = self.next_track;
        self.next_track += 1;
        lanes.push((id, to_ns));
        let place = Place::Below { parent: FIRST_TRACK + chain as u64, rank: place as u64 };
        add_track(trace, Track { id, name, place });
        id
    }
}

impl<W: Write, F: Fn(&Spec, &Part) -> String> Listener for ChainSlices<W, F> {
    fn event(&mut self, cpu: u32, stamped: &Stamped, processor: &Processor) {
        self.chains.event(cpu, stamped, processor);
        if !self.chains.told().is_empty() {
            self.tell();
        }
    }

    fn wants_all(&self) -> bool {
        self.chains.wants_all()
    }

    fn all(&mut self, of: &Processors<'_>) {
        self.chains.all(of);
        self.tell();
    }

    fn gap_begins(&mut self, cpu: u32, at_ns: u64) {
        self.chains.gap_begins(cpu, at_ns);
    }

    fn gap(&mut self, cpu: u32, at_ns: u64) {
        self.chains.gap(cpu, at_ns);
        self.tell();
    }

    fn end(&mut self, open: &[(u32, Stretch)]) {
        self.chains.end(open);
        self.tell();
    }
}
