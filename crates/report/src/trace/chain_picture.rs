// SPDX-License-Identifier: MIT OR Apache-2.0
//! A chain as a picture of a run: its worst instance in parts, and its latencies by hop.
use super::cause::culprit::bare;
use super::chained::{ChainReport, accused, words};
use backwall_model::Cause;
use backwall_model::picture::{Chain, ChainBand, ChainInstance, ChainPart, ChainVisit};
use backwall_trace::chain::tally::DividedInstance;
use backwall_trace::chain::{Part, Step};

pub fn of(chained: &ChainReport<'_>) -> Chain {
    let ChainReport { tally, spec, .. } = chained;
    let bands = tally.bands.0.iter().map(|(from, band)| ChainBand {
        from: *from,
        to: band.to_ns,
        count: band.count,
        hops: band.parts_ns.clone(),
    });
    Chain {
        name: spec.name.clone(),
        line: spec.to_string(),
        unit: chained.unit,
        hops: (0..=spec.hops.len()).map(|hop| chained.hop(hop)).collect(),
        worst: tally.worst().next().map(|worst| instance(worst, chained)),
        bands: bands.collect(),
    }
}

fn instance(divided: &DividedInstance, chained: &ChainReport<'_>) -> ChainInstance {
    let (instance, start_ns) = (&divided.instance, divided.instance.start_ns);
    let interrupt_ns = instance.origin.interrupt_ns;
    let first_ns = instance.visits.first().map_or(start_ns, |visit| visit.arrived_ns);
    let parts = divided.parts.iter().map(|part| self::part(part, start_ns, chained)).collect();
    ChainInstance {
        number: instance.number,
        at: start_ns.saturating_sub(chained.begin_ns),
        latency: instance.latency_ns(),
        interrupt: (start_ns..first_ns).contains(&interrupt_ns).then(|| interrupt_ns - start_ns),
        visits: instance
            .visits
            .iter()
            .map(|visit| ChainVisit {
                thread: Some(visit.thread).filter(|thread| *thread != 0),
                how: visit.how.word().to_string(),
                arrived: visit.arrived_ns - start_ns,
                handed: visit.handed_ns - start_ns,
            })
            .collect(),
        ..ChainInstance::default()
    }
    .with_parts(parts)
}

fn part(part: &Part, start_ns: u64, chained: &ChainReport<'_>) -> ChainPart {
    let accused = accused(part);
    let is_own = part.step == Step::Own && part.cause.is_some_and(|cause| cause != Cause::OwnRun);
    let holder = match (&accused.culprit, part.step) {
        (None, Step::Own) if !is_own => Some(chained.hop(part.hop)),
        (culprit, _) => culprit.as_ref().and_then(|culprit| bare(&culprit.holder)),
    };
    ChainPart {
        hop: part.hop as u32,
        step: if is_own { "interrupted" } else { part.step.word() }.to_string(),
        what: words(&accused, chained.spec),
        holder: holder.unwrap_or_default(),
        cpu: part.cpu,
        from: part.from_ns - start_ns,
        time: part.ns(),
    }
}
