// SPDX-License-Identifier: MIT OR Apache-2.0
//! The trace instances of a trace.dat, each with rings of its own, and the choice of one.
use super::about::About;
use super::error::ReadError;
use super::input::Input;
use crate::ring::statistics::lost_in;
use std::collections::BTreeMap;

pub(super) const CPUS_MAX: u32 = 1 << 16;
const RINGS_MAX: usize = 1_024;
const TOLD_MAX: usize = 8;

#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub(super) cpu: u32,
    pub(super) at: u64,
    pub(super) bytes: u64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Ring {
    /// Name of the instance; empty for the top instance.
    pub(super) name: String,
    pub(super) clock: Option<String>,
    pub(super) at: u64,
    /// The places of the records; `None` if backwall has not looked for them.
    pub(super) extents: Option<Vec<Extent>>,
}

impl Ring {
    pub(super) fn holds_records(&self) -> bool {
        self.extents.iter().flatten().any(|extent| extent.bytes > 0)
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Rings {
    all: Vec<Ring>,
    processors: u32,
    lost: BTreeMap<String, u64>,
    /// The instance that the next statistics belong to.
    counted: String,
}

impl Rings {
    /// Adds the CPUs of an instance. Refuses more CPUs than a kernel can have.
    pub(super) fn admit(&mut self, processors: u32, input: &Input<'_>) -> Result<(), ReadError> {
        self.processors = self.processors.saturating_add(processors);
        if self.processors > CPUS_MAX {
            let what = format!("{} CPUs of all trace instances: too many", self.processors);
            return Err(input.bad(what));
        }
        Ok(())
    }

    pub(super) fn push(&mut self, ring: Ring, input: &Input<'_>) -> Result<(), ReadError> {
        if self.all.len() == RINGS_MAX {
            return Err(input.bad(format!("more than {RINGS_MAX} trace instances")));
        }
        self.all.push(ring);
        Ok(())
    }

    /// Takes the text of a CPU's `stats` file, or the row `Buffer: name` before an instance's statistics.
    pub(super) fn count_lost(&mut self, statistics: &str) {
        match statistics.trim().strip_prefix("Buffer:") {
            Some(name) => self.counted = name.trim().to_string(),
            None => {
                let lost = self.lost.entry(self.counted.clone()).or_default();
                *lost = lost.saturating_add(lost_in(statistics));
            }
        }
    }

    pub(super) fn all_mut(&mut self) -> &mut [Ring] {
        &mut self.all
    }

    /// The top instance if it has records. Otherwise the first one with records, or else the first one with CPUs. `about` names
    /// the instance, and the others that may have records.
    pub(super) fn chosen(mut self, about: &mut About) -> Option<Ring> {
        self.all.sort_by_key(|ring| !ring.name.is_empty());
        let has_processors = |ring: &Ring| ring.extents.as_ref().is_some_and(|extents| !extents.is_empty());
        let place = self.all.iter().position(Ring::holds_records);
        let place = place.or_else(|| self.all.iter().position(has_processors)).unwrap_or(0);
        let ring = if self.all.is_empty() { return None } else { self.all.remove(place) };
        if !ring.name.is_empty() {
            about.notes.push(format!("backwall reads the trace instance {:?}", ring.name));
        }
        let others: Vec<&Ring> =
            self.all.iter().filter(|other| other.extents.is_none() || other.holds_records()).collect();
        about.notes.extend(left_out(&others));
        about.lost = self.lost.get(&ring.name).copied();
        Some(ring)
    }
}

fn left_out(others: &[&Ring]) -> Option<String> {
    let names: Vec<String> = others.iter().take(TOLD_MAX).map(|other| format!("{:?}", other.name)).collect();
    let more = others.len().saturating_sub(TOLD_MAX);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!names.is_empty()).then(|| format!("ignored trace instances in the file: {}{more}", names.join(", ")))
}
