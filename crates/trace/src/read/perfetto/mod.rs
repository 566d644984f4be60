// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traces of Perfetto with the kernel's events: from its own recorder, systing and wprof.
//!
//! `index` finds the bundles of each CPU in one pass over the file, and `parts` reads them in order of time. `events` decodes
//! each event, and `wire` each message.
#![expect(clippy::disallowed_types, reason = "reads files")]
mod events;
mod index;
mod parts;
#[cfg(test)]
mod tests;
mod wire;

use super::about::About;
use super::error::ReadError;
use super::merged;
use super::played::Played;
use super::receiver::Receiver;
use super::tracked::Tracked;
use super::understood;
use index::{Index, Kind, Part};
use parts::{Bundles, Chain, Losses, Played as Sources};
use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::os::unix::fs::FileExt;

/// At most this many bundles of one CPU and kind at the same time: each data source with the same events makes one.
const OVERLAPPING_MAX: usize = 64;
/// Bytes examined to recognise a file.
const LOOKED_AT: usize = 4_096;

#[derive(Debug)]
pub(super) struct Perfetto {
    file: File,
    index: Index,
}

pub(super) fn begins(file: &File) -> Result<bool, ReadError> {
    let bytes = file.metadata()?.len();
    let mut begin = vec![0; bytes.min(LOOKED_AT as u64) as usize];
    file.read_exact_at(&mut begin, 0)?;
    Ok(index::begins(&begin, bytes))
}

impl Perfetto {
    pub(super) fn of(file: File) -> Result<Self, ReadError> {
        let index = Index::of(&file)?;
        if index.parts.is_empty() {
            let what = if index.tracks > 0 { "track events of programs only" } else { "no kernel events" };
            return Err(ReadError::NotRead(format!(
                "a trace of Perfetto with {what}; add the data source linux.ftrace with sched/sched_switch and sched/sched_waking"
            )));
        }
        Ok(Self { file, index })
    }

    pub(super) fn about(&self) -> About {
        self.index.about.clone()
    }

    pub(super) fn play(&mut self, receiver: &mut impl Receiver) -> Result<Played, ReadError> {
        let bundles = Bundles::new(&self.file);
        let mut sources = vec![Sources::Losses(Losses::of(&self.index.losses, true))];
        for parts in chains(&self.index.parts)? {
            if let Some(mut chain) = Chain::new(&bundles, parts, self.index.wakers_unknown) {
                chain.fill()?;
                sources.push(Sources::Chain(Box::new(chain)));
            }
        }
        sources.push(Sources::Losses(Losses::of(&self.index.losses, false)));
        let mut tracked = Tracked::new(receiver);
        merged::play(&mut sources, &mut tracked)?;
        let mut notes = tracked.notes()?;
        let in_chains = sources.iter().map(|source| if let Sources::Chain(chain) = source { chain.unread } else { 0 });
        let unread = self.index.unread + in_chains.sum::<u64>();
        let all: u64 = self.index.counts.iter().sum::<u64>() + self.index.unread;
        if understood::is_too_much(unread, all) {
            return Err(ReadError::NotRead(format!("cannot parse {unread} of {all} kernel events")));
        }
        notes.extend((unread > 0).then(|| format!("cannot parse {unread} of {all} kernel events")));
        let unknown = "the recorder puts every wakeup on CPU 0, so backwall cannot tell who woke a thread".to_string();
        notes.extend(self.index.wakers_unknown.then_some(unknown));
        let counts = self.index.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let by_name = counts.map(|(number, count)| (events::name(number), *count)).collect();
        Ok(Played { by_name, gaps: self.index.losses.len() as u64, wrapped: 0, missed: 0, notes })
    }
}

/// Parts of one CPU and kind in chains without overlap, each in order of time.
fn chains(parts: &[Part]) -> Result<Vec<VecDeque<Part>>, ReadError> {
    let mut by_cpu: BTreeMap<(u32, Kind), Vec<Part>> = BTreeMap::new();
    for part in parts {
        by_cpu.entry((part.cpu, part.kind)).or_default().push(*part);
    }
    let mut all = Vec::new();
    for mut parts in by_cpu.into_values() {
        parts.sort_by_key(|part| part.begin_ns);
        let mut chains: Vec<VecDeque<Part>> = Vec::new();
        for part in parts {
            let after = |chain: &&mut VecDeque<Part>| chain.back().is_some_and(|last| last.end_ns <= part.begin_ns);
            let so_many = chains.len();
            match chains.iter_mut().find(after) {
                Some(chain) => chain.push_back(part),
                None if so_many == OVERLAPPING_MAX => {
                    let what = format!("CPU {}: more than {OVERLAPPING_MAX} bundles of the same time", part.cpu);
                    return Err(ReadError::NotRead(what));
                }
                None => chains.push(VecDeque::from([part])),
            }
        }
        all.extend(chains);
    }
    Ok(all)
}
