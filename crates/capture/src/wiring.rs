// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compares every response line with its stimulus line. The results are series and warnings of a [`Run`].
use super::completion;
use super::edges::{Edges, Line};
use super::latency::{SeriesName, series};
use super::pairing::{self, Pairing, PairingRule, Polarity};
use super::tick::Tick;
use super::tick::TickRate;
use backwall_model::units::grouped;
use backwall_model::{Run, Series, Warning};

/// The lines to examine, and how.
#[derive(Clone, Debug)]
pub struct Wiring<'a> {
    /// Name of the stimulus line.
    pub stimulus: &'a str,
    /// The responses.
    pub responses: &'a [Watched],
    /// How to find stimuli and responses in the edges.
    pub rule: PairingRule,
    /// The load of this phase, or `none`.
    pub load: &'a str,
    /// `as-is` or `off`.
    pub idle: &'a str,
}

/// A response: a line, and which of its edges count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watched {
    /// The name of the response's series.
    pub name: String,
    /// The line in the capture.
    pub line: String,
    /// The edge that begins the response's pulses; `None`: the edge in the rule.
    pub edge: Option<Polarity>,
    /// Whether to measure the completion and run time of its pulses too.
    pub completion: bool,
}

impl Watched {
    /// A response named after its line, with the defaults of the rule.
    pub fn line(name: impl Into<String>) -> Self {
        let name = name.into();
        Self { line: name.clone(), name, edge: None, completion: false }
    }

    /// This response, but with completion and run time measured.
    pub fn completed(self) -> Self {
        Self { completion: true, ..self }
    }

    /// Names of the series that the response produces.
    pub fn names(&self) -> Vec<String> {
        let ends = self.completion.then(|| completion::names(&self.name));
        [self.name.clone()].into_iter().chain(ends.into_iter().flatten()).collect()
    }

    fn rule(&self, rule: &PairingRule) -> PairingRule {
        PairingRule { response: self.edge.unwrap_or(rule.response), ..*rule }
    }
}

/// A line that the capture does not contain.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("unknown line {wanted}; the capture has {found}")]
pub struct NoSuchLine {
    wanted: String,
    found: String,
}

/// The results of one response line.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The figures of the nearest assignment.
    pub series: Series,
    /// The pairing with all three assignments.
    pub pairing: Pairing,
    /// Completion and run time, if requested.
    pub completed: Vec<Series>,
    pub(super) ends: Vec<Option<Tick>>,
    /// Warnings about ambiguity, glitches and stimuli that were cut off.
    pub warnings: Vec<Warning>,
}

impl Wiring<'_> {
    /// Computes the results of every response line, in the order of the request.
    pub fn judge(&self, edges: &Edges) -> Result<Vec<Answered>, NoSuchLine> {
        let stimulus = line(edges, self.stimulus)?;
        let stimuli = pairing::stimuli(edges, stimulus, self.rule.stimulus);
        let judged = |watched: &Watched| {
            let response = line(edges, &watched.line)?;
            let rule = watched.rule(&self.rule);
            let pairing = pairing::pair(edges, &stimuli, stimulus.warmup, response, &rule);
            let Self { load, idle, .. } = *self;
            let named = SeriesName { name: &watched.name, to: &watched.line, from: self.stimulus, load, idle };
            let mut warnings = warnings(&watched.name, &pairing, edges.rate);
            let (mut completed, mut ends) = (Vec::new(), Vec::new());
            if watched.completion {
                let found = completion::completion(edges, &pairing, response, &rule, named);
                completed.extend(found.series);
                ends = found.ends;
                warnings.extend(found.warning);
            }
            Ok(Answered { series: series(&pairing, edges.rate, named), pairing, completed, ends, warnings })
        };
        self.responses.iter().map(judged).collect()
    }
}

impl Answered {
    /// Adds the series and its warnings to a run.
    pub fn add_to(self, run: &mut Run) {
        run.series.push(self.series);
        run.series.extend(self.completed);
        run.warnings.extend(self.warnings);
    }
}

fn line<'a>(edges: &'a Edges, name: &str) -> Result<&'a Line, NoSuchLine> {
    edges.line(name).ok_or_else(|| {
        let found: Vec<&str> = edges.lines.iter().map(|line| line.name.as_str()).collect();
        NoSuchLine { wanted: name.into(), found: found.join(", ") }
    })
}

fn warnings(name: &str, pairing: &Pairing, rate: TickRate) -> Vec<Warning> {
    let counts = &pairing.nearest.counts;
    let counted = |count: u64, kind: &'static str, text: &str| {
        (count > 0).then(|| Warning::new(kind, format!("{text}: {}", grouped(count))).of(name))
    };
    [
        pairing.ambiguity(name, rate),
        counted(counts.coalesced, "coalesced", "coalesced stimuli, lost while the device was busy with an earlier one"),
        counted(counts.duplicate, "duplicates", "duplicate responses, which belong to no stimulus"),
        counted(counts.cut, "cut-stimuli", "stimuli too close to the end of a recorded section to count"),
        counted(pairing.glitches, "glitches", "glitches: response pulses too short to count"),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::Edge;
    use crate::tick::Tick;

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

    fn judged(responses: &[&str]) -> Result<Vec<Answered>, NoSuchLine> {
        let responses: Vec<Watched> = responses.iter().copied().map(Watched::line).collect();
        wiring(&responses).judge(&capture())
    }

    fn wiring(responses: &[Watched]) -> Wiring<'_> {
        Wiring { stimulus: "stimulus_a", responses, rule: PairingRule::default(), load: "none", idle: "as-is" }
    }

    #[test]
    fn every_line_becomes_a_series_and_its_oddities_become_sentences() {
        let answered = judged(&["ist", "app"]).unwrap();
        let [ist, app] = &answered[..] else { panic!("two lines") };
        assert_eq!((ist.series.due, ist.series.done, ist.series.max), (Some(3), 3, Some(6)));
        assert_eq!((ist.series.from.as_str(), ist.series.to.as_str()), ("stimulus_a", "ist"));
        assert!(
            ist.warnings
                .iter()
                .any(|warning| warning.to_string() == "ist: duplicate responses, which belong to no stimulus: 1")
        );
        assert_eq!((app.series.due, app.series.missed), (Some(3), Some(3)));
    }

    #[test]
    fn a_line_has_a_name_an_edge_and_an_end_of_its_own() {
        let start = Watched { name: "start".into(), edge: Some(Polarity::Fall), ..Watched::line("ist") };
        let responses = [Watched::line("ist").completed(), start];
        let answered = wiring(&responses).judge(&capture()).unwrap();
        let series = answered.iter().flat_map(|one| [&one.series].into_iter().chain(&one.completed));
        let figures: Vec<_> = series.map(|series| (series.key.name.as_str(), series.max)).collect();
        let expected = [("ist", Some(6)), ("ist_completion", Some(7)), ("ist_run_time", Some(1)), ("start", Some(7))];
        assert_eq!(figures, expected);
        assert_eq!(answered[0].series.to, "ist");
        assert_eq!(responses[0].names(), ["ist", "ist_completion", "ist_run_time"]);
    }

    #[test]
    fn a_line_that_is_not_there_is_named_with_those_that_are() {
        let error = judged(&["pwm"]).unwrap_err();
        assert_eq!(error.to_string(), "unknown line pwm; the capture has stimulus_a, ist, app");
    }
}
