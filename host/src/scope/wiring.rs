// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which line asks and which lines answer: every response line against its stimulus, as series and sentences of a [`Run`](crate::run::Run).
use super::edges::{Edges, Line};
use super::latency::{Named, series};
use super::pairing::{Pairing, PairingRule, pair};
use super::tick::TickRate;
use crate::run::{Run, Series};
use crate::units::grouped;

/// What is looked at, and how.
#[derive(Clone, Debug)]
pub struct Wiring<'a> {
    /// Name of the stimulus line.
    pub stimulus: &'a str,
    /// Names of the response lines.
    pub responses: &'a [&'a str],
    /// How edges become stimuli and responses.
    pub rule: PairingRule,
    /// The load of this phase; `none` without.
    pub load: &'a str,
    /// `as-is` or `off`.
    pub idle: &'a str,
}

/// A line that is not in the capture.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("the capture has no line {wanted}; it has {found}")]
pub struct NoSuchLine {
    wanted: String,
    found: String,
}

/// One response line, judged.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The figures of the nearest assignment.
    pub series: Series,
    /// Both assignments.
    pub pairing: Pairing,
    /// Sentences for the user: ambiguity, glitches, cut stimuli.
    pub warnings: Vec<String>,
}

impl Wiring<'_> {
    /// Judges every response line, in the order asked.
    pub fn judge(&self, edges: &Edges) -> Result<Vec<Answered>, NoSuchLine> {
        let stimulus = line(edges, self.stimulus)?;
        let responses = self.responses.iter().map(|name| line(edges, name)).collect::<Result<Vec<_>, _>>()?;
        let pairings = pair(edges, stimulus, &responses, &self.rule);
        let judged = |(pairing, name): (Pairing, &&str)| {
            let named = Named { name, from: self.stimulus, load: self.load, idle: self.idle };
            let warnings = warnings(name, &pairing, edges.rate);
            Answered { series: series(&pairing, edges.rate, named), pairing, warnings }
        };
        Ok(pairings.into_iter().zip(self.responses).map(judged).collect())
    }
}

impl Answered {
    /// Adds the series and its sentences to a run.
    pub fn add_to(self, run: &mut Run) {
        run.series.push(self.series);
        run.warnings.extend(self.warnings);
    }
}

fn line<'a>(edges: &'a Edges, name: &str) -> Result<&'a Line, NoSuchLine> {
    edges.line(name).ok_or_else(|| {
        let found: Vec<&str> = edges.lines.iter().map(|line| line.name.as_str()).collect();
        NoSuchLine { wanted: name.into(), found: found.join(", ") }
    })
}

fn warnings(name: &str, pairing: &Pairing, rate: TickRate) -> Vec<String> {
    let counts = &pairing.nearest.counts;
    let counted = |count: u64, text: &str| (count > 0).then(|| format!("{name}: {text}: {}", grouped(count)));
    [
        pairing.ambiguity(name, rate),
        counted(counts.coalesced, "coalesced stimuli, lost while the device was still busy with an earlier one"),
        counted(counts.duplicate, "duplicate responses, which answer no stimulus"),
        counted(counts.cut, "stimuli too close to the end of a recorded stretch to count as due"),
        counted(pairing.glitches, "glitches, response pulses too short to count"),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scope::edges::Edge;
    use crate::scope::tick::Tick;

    fn capture() -> Edges {
        let pulse = |at: &u64| [Edge::new(Tick(*at), true), Edge::new(Tick(at + 1), false)];
        let line = |name: &str, rises: &[u64]| Line {
            name: name.into(),
            edges: rises.iter().flat_map(pulse).collect(),
            warmup: 0,
        };
        let lines = vec![line("stimulus_a", &[100, 200, 300]), line("ist", &[105, 206, 207, 305]), line("app", &[])];
        Edges { rate: TickRate::Instructions, lines, end_at: Tick(900), gaps: Vec::new() }
    }

    fn wiring<'a>(responses: &'a [&'a str]) -> Wiring<'a> {
        Wiring { stimulus: "stimulus_a", responses, rule: PairingRule::default(), load: "none", idle: "as-is" }
    }

    #[test]
    fn every_line_becomes_a_series_and_its_oddities_become_sentences() {
        let answered = wiring(&["ist", "app"]).judge(&capture()).unwrap();
        let [ist, app] = &answered[..] else { panic!("two lines") };
        assert_eq!((ist.series.due, ist.series.done, ist.series.max), (Some(3), 3, Some(6)));
        assert_eq!((ist.series.from.as_str(), ist.series.to.as_str()), ("stimulus_a", "ist"));
        assert!(ist.warnings.iter().any(|text| text == "ist: duplicate responses, which answer no stimulus: 1"));
        assert_eq!((app.series.due, app.series.lost), (Some(3), Some(3)));
    }

    #[test]
    fn a_line_that_is_not_there_is_named_with_those_that_are() {
        let error = wiring(&["pwm"]).judge(&capture()).unwrap_err();
        assert_eq!(error.to_string(), "the capture has no line pwm; it has stimulus_a, ist, app");
    }
}
