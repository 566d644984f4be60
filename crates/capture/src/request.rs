// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds the lines, edges and lengths that the user requested in a capture.
use crate::capture::Capture;
use crate::connector;
use crate::pairing::{PairingRule, Polarity};
use crate::stamps;
use crate::tick::{Tick, TickRate};
use crate::wiring::{Watched, Wiring};
use backwall_model::units::near;
use backwall_model::units::{Nanoseconds, duration};

/// A length as the user typed it.
#[derive(Clone, Copy, Debug)]
pub enum Length {
    /// A number of ticks.
    Ticks(u64),
    /// A time.
    Time(Nanoseconds),
}

/// Parses `200ns`, or a bare number of ticks.
///
/// # Errors
/// What is wrong with the text.
pub fn length(text: &str) -> Result<Length, String> {
    match text.parse() {
        Ok(ticks) => Ok(Length::Ticks(ticks)),
        Err(_) => duration(text).map(Length::Time).map_err(|error| error.to_string()),
    }
}

impl Length {
    fn ticks(self, rate: TickRate) -> Result<Tick, String> {
        match (self, rate) {
            (Self::Ticks(ticks), _) => Ok(Tick(ticks)),
            (Self::Time(_), TickRate::Instructions) => {
                Err("this capture counts instructions, not time; give a bare number of instructions".to_string())
            }
            (Self::Time(ns), TickRate::Clock(clock)) => {
                let ticks = (u128::from(ns.0) * u128::from(clock.hz())).div_ceil(1_000_000_000);
                Ok(Tick(u64::try_from(ticks).unwrap_or(u64::MAX)).min(Tick::MAX))
            }
        }
    }
}

/// The request, resolved to the lines of one capture.
#[derive(Clone, Debug)]
pub struct RequestedLines {
    stimulus: String,
    responses: Vec<Watched>,
    rule: PairingRule,
}

impl RequestedLines {
    /// The request in the form that the analysis needs.
    pub fn wiring(&self) -> Wiring<'_> {
        Wiring {
            stimulus: &self.stimulus,
            responses: &self.responses,
            rule: self.rule,
            load: backwall_model::UNKNOWN,
            idle: backwall_model::UNKNOWN,
        }
    }
}

/// What to measure in a capture.
#[derive(Clone, Debug)]
pub struct CaptureRequest {
    /// Stimulus line; the default one if `None`.
    pub stimulus: Option<String>,
    /// Response lines as the user typed them; the default ones if empty.
    pub response: Vec<String>,
    /// Whether to measure the end of each response pulse too.
    pub completion: bool,
    /// Which edge counts as a stimulus.
    pub stimulus_edge: Polarity,
    /// Which edge counts as a response, unless given per line.
    pub response_edge: Polarity,
    /// Shorter response pulses are glitches.
    pub min_pulse: Option<Length>,
    /// An answer after this time is late.
    pub deadline: Option<Length>,
}

impl CaptureRequest {
    /// The lines and the rule for this capture, or one sentence that says what the capture lacks.
    pub fn found(&self, capture: &Capture) -> Result<RequestedLines, String> {
        let stimulus = self.stimulus(capture)?;
        let mut responses = self.responses(capture, &stimulus)?;
        responses.iter_mut().for_each(|watched| watched.completion = self.completion);
        let names: Vec<String> = responses.iter().flat_map(Watched::names).collect();
        if let Some((_, twice)) = names.iter().enumerate().find(|(index, name)| names[..*index].contains(name)) {
            return Err(format!("two responses are named {twice}; rename one, for example start={twice}"));
        }
        let ticks = |length: Option<Length>| length.map(|length| length.ticks(capture.edges.rate)).transpose();
        let rule = PairingRule {
            stimulus: self.stimulus_edge,
            response: self.response_edge,
            shortest_pulse: ticks(self.min_pulse)?.unwrap_or_default(),
            deadline: ticks(self.deadline)?,
        };
        Ok(RequestedLines { stimulus, responses, rule })
    }

    fn stimulus(&self, capture: &Capture) -> Result<String, String> {
        match &self.stimulus {
            Some(asked) => known(capture, asked).map(|()| asked.clone()),
            None => [connector::A.stimulus, stamps::LINES[0]]
                .iter()
                .find_map(|name| capture.edges.line(name))
                .map(|line| line.name.clone())
                .ok_or_else(|| {
                    format!(
                        "no default stimulus; choose one with --stimulus: {}; --list prints the lines and their changes",
                        names(capture)
                    )
                }),
        }
    }

    /// The default response lines. A line that changes only before the first stimulus, for example while firmware probes the
    /// ports, is not a default response line.
    fn responses(&self, capture: &Capture, stimulus: &str) -> Result<Vec<Watched>, String> {
        if !self.response.is_empty() {
            return self.response.iter().map(|text| watched(capture, text)).collect();
        }
        let last_edge = |name: &str| capture.edges.line(name)?.edges.last().map(|edge| edge.at());
        let first_stimulus = capture.edges.line(stimulus).and_then(|line| line.edges.first()).map(|edge| edge.at());
        let moves = |name: &&str| first_stimulus.is_some_and(|first| last_edge(name).is_some_and(|last| last >= first));
        let usual: Vec<Watched> =
            connector::A.lines[..=connector::APP].iter().copied().filter(moves).map(Watched::line).collect();
        let none = || format!("name a response with --response: {}", names(capture));
        if usual.is_empty() { Err(none()) } else { Ok(usual) }
    }
}

/// Parses `LINE` or `NAME=LINE`, each with an optional `:rise` or `:fall`. A line whose name is the whole text takes precedence.
fn watched(capture: &Capture, text: &str) -> Result<Watched, String> {
    if capture.edges.line(text).is_some() {
        return known(capture, text).map(|()| Watched::line(text));
    }
    let edges = [(":rise", Polarity::Rise), (":fall", Polarity::Fall)];
    let with_edge = edges.iter().find_map(|(suffix, edge)| Some((text.strip_suffix(suffix)?, *edge)));
    let (text, edge) = with_edge.map_or((text, None), |(rest, edge)| (rest, Some(edge)));
    let (name, line) = match text.split_once('=') {
        Some((name, line)) if capture.edges.line(text).is_none() => (name, line),
        _ => (text, text),
    };
    known(capture, line)?;
    if name.is_empty() || name.contains(char::is_whitespace) {
        return Err(format!("--response {text}: the name must be one word"));
    }
    Ok(Watched { name: name.to_string(), edge, ..Watched::line(line) })
}

/// The response as a user would type it.
pub fn shown(watched: &Watched) -> String {
    let name = if watched.name == watched.line { String::new() } else { format!("{}=", watched.name) };
    let edge = watched.edge.map_or(String::new(), |edge| format!(":{edge:?}").to_lowercase());
    format!("{name}{}{edge}", watched.line)
}

fn known(capture: &Capture, asked: &str) -> Result<(), String> {
    match capture.edges.lines.iter().filter(|line| line.name == asked).count() {
        0 => {}
        1 => return Ok(()),
        lines => {
            return Err(format!(
                "{lines} lines of the capture have the name {asked}; rename them where the capture is \
                made"
            ));
        }
    }
    let hint = near::hint(asked, capture.edges.lines.iter().map(|line| line.name.as_str()));
    Err(format!("unknown line {asked}; {}{hint}", names(capture)))
}

fn names(capture: &Capture) -> String {
    let names: Vec<&str> = capture.edges.lines.iter().map(|line| line.name.as_str()).collect();
    format!("it has {}", names.join(", "))
}
