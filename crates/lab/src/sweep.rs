// SPDX-License-Identifier: MIT OR Apache-2.0
//! `lab sweep`: tries every arrival instant of a span, one instruction apart.
//!
//! The sweep is complete for this image, these inputs, this start, and time in instructions.
use super::bench::{BenchFault, BenchRun};
use super::result::judge;
use super::scenario::Scenario;
use backwall_capture::connector::{MARK, PORTS};
use backwall_capture::owners::owners;
use backwall_capture::sweep::Sweep;
use backwall_capture::tick::Tick;
use backwall_capture::wiring::Answered;
use backwall_model::picture::Owner;

pub struct Swept {
    pub sweep: Sweep,
    pub owners: Vec<Owner>,
    pub line: String,
    pub answered: Vec<Answered>,
}

/// Sorts the run's pulses by their arrival instant. `None` if the scenario has no sweep, or its line does not exist.
pub fn sort(scenario: &Scenario, run: &mut BenchRun) -> Result<Option<Swept>, BenchFault> {
    let Some(wanted) = &scenario.sweep else { return Ok(None) };
    let judged = judge(scenario, &mut run.recording.edges);
    let Some(judged) = judged.into_iter().next() else { return Ok(None) };
    let named = |line: &&Answered| wanted.line.as_ref().is_none_or(|name| line.series.key.name == *name);
    let Some(line) = judged.answered.iter().find(named) else { return Ok(None) };
    let generator = usize::from(judged.stimulus != PORTS[0].stimulus);
    let interrupted = &run.recording.interrupted[generator];
    let sweep = match wanted.period {
        Some(period) => Sweep::by_phase(&line.pairing, Tick(period), Tick(wanted.from), interrupted),
        None => {
            let Some(mark) = run.recording.edges.line(PORTS[generator].lines[MARK]) else { return Ok(None) };
            Sweep::by_mark(&line.pairing, mark, interrupted)
        }
    };
    let owners = if interrupted.is_empty() { Vec::new() } else { owners(&sweep, &run.symbols()?) };
    Ok(Some(Swept { sweep, owners, line: line.series.key.name.clone(), answered: judged.answered }))
}

pub fn figures(swept: &Swept) -> backwall_model::Sweep {
    let sweep = &swept.sweep;
    let worst = sweep.worst();
    backwall_model::Sweep {
        arrivals: sweep.arrivals().len() as u64,
        missed: sweep.lost(),
        untried: sweep.untried(),
        first: sweep.arrivals().first().map(|arrival| arrival.at.0),
        last: sweep.arrivals().last().map(|arrival| arrival.at.0),
        floor: sweep.floor().map(|tick| tick.0),
        worst: worst.map(|arrival| arrival.latency.0),
        worst_at: worst.map(|arrival| arrival.at.0),
        spread: sweep.longest_masked().map(|tick| tick.0),
    }
}

pub fn data(scenario: &Scenario, swept: &Swept) -> backwall_model::picture::Arrivals {
    let of = backwall_capture::arrivals::Swept {
        title: &scenario.about,
        guest: &scenario.guest,
        line: &swept.line,
        rate: backwall_capture::tick::TickRate::Instructions,
        owners: &swept.owners,
    };
    backwall_capture::arrivals::arrivals(&swept.sweep, &of)
}
