// SPDX-License-Identifier: MIT OR Apache-2.0
//! The screens of a run that has none, from the edges that were kept beside it.
use super::edges::{Edges, Line};
use super::pairing::PairingRule;
use super::screens::screens;
use super::tick::Tick;
use super::wiring::{Answered, Watched, Wiring};
use backwall_model::picture::Screens;
use backwall_model::{Extension, Picture, Run, Series};

/// Why edges are not those of a run.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum NotItsEdges {
    /// A stimulus line of the run is not in the capture.
    #[error("no line {0}")]
    NoLine(String),
    /// Other figures than those of the run come out.
    #[error("other figures of {0}")]
    Figures(String),
}

/// The screens of every stimulus line of the run, as its own rule reads the edges. The figures must be those of the run.
pub fn again(run: &Run, edges: &mut Edges) -> Result<Vec<Picture>, NotItsEdges> {
    let stimuli = run.series.iter().filter(|series| !series.completes()).map(|series| series.from.as_str());
    let mut stimuli: Vec<&str> = stimuli.collect();
    stimuli.dedup();
    stimuli.into_iter().map(|stimulus| of(run, stimulus, edges).map(Picture::Screens)).collect()
}

fn of(run: &Run, stimulus: &str, edges: &mut Edges) -> Result<Screens, NotItsEdges> {
    let begun = |series: &&Series| series.from == stimulus && !series.completes();
    let series: Vec<&Series> = run.series.iter().filter(begun).collect();
    let responses: Vec<&str> = series.iter().map(|series| series.key.name.as_str()).collect();
    for name in &responses {
        if edges.line(name).is_none() {
            edges.lines.push(Line::new(*name)); // it never moved
        }
    }
    let key = &series[0].key;
    let responses: Vec<Watched> = responses.into_iter().map(Watched::line).collect();
    let wiring = Wiring { stimulus, responses: &responses, rule: rule(run), load: &key.load, idle: &key.idle };
    let answered = wiring.judge(edges).map_err(|_| NotItsEdges::NoLine(stimulus.into()))?;
    match answered.iter().zip(&series).find(|(judged, series)| !agrees(judged, series)) {
        Some((_, series)) => Err(NotItsEdges::Figures(series.key.name.clone())),
        None => Ok(screens(edges, edges.line(stimulus).expect("it was judged"), &answered, &title(run))),
    }
}

fn agrees(judged: &Answered, series: &Series) -> bool {
    let figures = |series: &Series| {
        let counts = [series.due, Some(series.done), series.missed, series.late, Some(series.warmup)];
        (counts, series.unit, series.min, series.max)
    };
    figures(&judged.series) == figures(series)
}

/// What `backwall scope` was asked; a scenario of the lab has no rule of its own.
fn rule(run: &Run) -> PairingRule {
    let Extension::Scope(asked) = &run.plan.extension else { return PairingRule::default() };
    PairingRule {
        stimulus: asked.stimulus_edge.into(),
        response: asked.response_edge.into(),
        shortest_pulse: Tick(asked.shortest_pulse_ticks),
        deadline: asked.deadline_ticks.map(Tick),
    }
}

/// What was on the bench: the scenario's words, or the capture's name.
fn title(run: &Run) -> String {
    let about = match &run.plan.extension {
        Extension::Lab(lab) => lab.scenario["about"].as_str(),
        _ => None,
    };
    let kernel = run.device.kernel.as_str();
    about.unwrap_or(kernel.strip_prefix("capture ").unwrap_or(kernel)).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::Edge;
    use crate::tick::TickRate;
    use backwall_model::{Origin, Plan};

    fn edges(delay: u64) -> Edges {
        let line = |name: &str, delay: u64| {
            let pulse = |n: u64| [Edge::new(Tick(n * 100 + delay), true), Edge::new(Tick(n * 100 + delay + 3), false)];
            Line { name: name.into(), edges: (1..=20).flat_map(pulse).collect(), warmup: 0 }
        };
        let lines = vec![line("stimulus_a", 0), line("isr", delay)];
        Edges { rate: TickRate::Instructions, lines, end_at: Tick(9_000), gaps: Vec::new() }
    }

    fn run() -> Run {
        let mut run = Run::begin(Origin::Emulated, Plan::default(), Vec::new(), jiff::Timestamp::UNIX_EPOCH);
        run.device.kernel = "capture a.vcd".into();
        let wiring = Wiring {
            stimulus: "stimulus_a",
            responses: &[Watched::line("isr")],
            rule: PairingRule::default(),
            load: "none",
            idle: "as-is",
        };
        wiring.judge(&edges(5)).unwrap().into_iter().for_each(|answered| answered.add_to(&mut run));
        run
    }

    #[test]
    fn edges_of_the_run_give_its_screens_and_other_edges_none() {
        let pictures = again(&run(), &mut edges(5)).unwrap();
        let [Picture::Screens(found)] = &pictures[..] else { panic!("{pictures:?}") };
        assert_eq!((found.title.as_str(), found.pulses), ("a.vcd", 20));
        assert_eq!(again(&run(), &mut edges(6)), Err(NotItsEdges::Figures("isr".into())));
        let mut nameless = edges(5);
        nameless.lines[0].name = "irq".into();
        assert_eq!(again(&run(), &mut nameless), Err(NotItsEdges::NoLine("stimulus_a".into())));
    }

    #[test]
    fn a_run_without_figures_of_lines_has_no_screens() {
        let mut run = run();
        run.series.clear();
        assert_eq!(again(&run, &mut edges(5)), Ok(vec![]));
    }
}
