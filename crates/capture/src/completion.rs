// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the pulses of a response end. The completion time counts from the stimulus to this end, the run time from the beginning
//! of the pulse.
//!
//! The end belongs to the stimulus that the beginning of the pulse answers, even if another stimulus came in between.
use super::edges::{Edges, Line};
use super::latency::{SeriesName, of_fates};
use super::pairing::{Fate, Pairing, PairingRule, without_glitches};
use super::tick::Tick;
use backwall_model::units::grouped;
use backwall_model::{Series, Warning, completion_of};

/// The names of the two series of a response.
pub fn names(response: &str) -> [String; 2] {
    [format!("{response}_completion"), format!("{response}_run_time")]
}

pub(super) struct Completed {
    pub(super) series: [Series; 2],
    /// For each stimulus, the time to the end of its answering pulse; `None` without an answer or an end.
    pub(super) ends: Vec<Option<Tick>>,
    pub(super) warning: Option<Warning>,
}

/// Finds the ends of the answering pulses, with the nearest stimulus before each. A pulse without a recorded end is left out.
pub(super) fn completion(
    edges: &Edges,
    pairing: &Pairing,
    response: &Line,
    rule: &PairingRule,
    named: SeriesName,
) -> Completed {
    let (line, _) = without_glitches(response, rule);
    let begun = |number: usize, latency: Tick| Tick(pairing.stimuli[number].0 + latency.0);
    let run_time = |(number, fate)| match fate {
        Fate::Answered(latency) => run_time(edges, &line, begun(number, latency)).map_or(Fate::Cut, Fate::Answered),
        fate => fate,
    };
    let run_times: Vec<Fate> = pairing.nearest.fates().enumerate().map(run_time).collect();
    let whole = |(start, run_time): (Fate, &Fate)| match (start, run_time) {
        (Fate::Answered(latency), Fate::Answered(run_time)) => Fate::Answered(Tick(latency.0 + run_time.0)),
        (_, fate) => *fate,
    };
    let completions = || pairing.nearest.fates().zip(&run_times).map(whole);
    let end = |fate| match fate {
        Fate::Answered(completion) => Some(completion),
        _ => None,
    };
    let ends = completions().map(end).collect();
    let is_late = |(number, fate): &(usize, Fate)| match fate {
        Fate::Answered(latency) => *latency > pairing.deadline(*number, rule),
        _ => false,
    };
    let late = completions().enumerate().filter(is_late).count() as u64;
    let endless = |(start, end): (Fate, &Fate)| matches!((start, end), (Fate::Answered(_), Fate::Cut));
    let endless = pairing.nearest.fates().zip(&run_times).filter(|(start, end)| endless((*start, end))).count() as u64;
    let ([name, run_time], to) = (names(named.name), completion_of(named.name));
    let completion = SeriesName { name: &name, to: &to, ..named };
    let run = SeriesName { name: &run_time, from: named.name, to: &to, ..named };
    Completed {
        series: [
            of_fates(pairing, completions(), late, edges.rate, completion),
            of_fates(pairing, run_times.iter().copied(), 0, edges.rate, run),
        ],
        ends,
        warning: (endless > 0).then(|| {
            let said = format!("responses whose end is not in the capture: {}", grouped(endless));
            Warning::new("no-end", said).of(named.name)
        }),
    }
}

/// Stimulus, beginning and end of every answering pulse with a recorded end, with the nearest stimulus before each.
pub fn spans(edges: &Edges, pairing: &Pairing, response: &Line, rule: &PairingRule) -> Vec<[Tick; 3]> {
    let (line, _) = without_glitches(response, rule);
    let whole = |(from, begun): (Tick, Tick)| Some([from, begun, Tick(begun.0 + run_time(edges, &line, begun)?.0)]);
    pairing.answered().filter_map(whole).collect()
}

/// Time from the beginning of a pulse to its end; `None` if the recording ends or has a gap before the end.
fn run_time(edges: &Edges, line: &Line, begun: Tick) -> Option<Tick> {
    let end = line.edges.get(line.edges.partition_point(|edge| edge.at() <= begun))?.at();
    let paused = edges.gaps.iter().any(|gap| begun < gap.to && gap.from <= end);
    (!paused).then(|| end.since(begun))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::{Edge, Gap};
    use crate::pairing::pair_lines;
    use crate::tick::TickRate;
    use proptest::prelude::*;

    fn line(name: &str, pulses: &[(u64, u64)]) -> Line {
        let pulse = |(at, width): &(u64, u64)| [Edge::new(Tick(*at), true), Edge::new(Tick(at + width), false)];
        Line { name: name.into(), edges: pulses.iter().flat_map(pulse).collect(), warmup: 0 }
    }

    fn capture(end: u64, gaps: &[(u64, u64)]) -> Edges {
        let gaps = gaps.iter().map(|(from, to)| Gap { from: Tick(*from), to: Tick(*to) }).collect();
        Edges { rate: TickRate::Instructions, lines: Vec::new(), end_at: Tick(end), gaps }
    }

    fn completed(edges: &Edges, stimuli: &Line, response: &Line, rule: &PairingRule) -> Completed {
        let pairing = pair_lines(edges, stimuli, response, rule);
        let named = SeriesName { name: "app", to: "app", from: "stimulus_a", load: "none", idle: "as-is" };
        completion(edges, &pairing, response, rule, named)
    }

    fn figures(series: &Series) -> (u64, u64, u64, u64, Option<u64>, Option<u64>) {
        (series.due.unwrap(), series.done, series.missed.unwrap(), series.late.unwrap(), series.min, series.max)
    }

    #[test]
    fn an_end_belongs_to_the_stimulus_that_its_beginning_answers() {
        // The second pulse ends after the third stimulus, which has no answer.
        let stimuli = line("stimulus_a", &[(100, 1), (200, 1), (300, 1), (400, 1)]);
        let response = line("app", &[(105, 30), (210, 120), (405, 7)]);
        let found = completed(&capture(900, &[]), &stimuli, &response, &PairingRule::default());
        let [completion, run_time] = &found.series;
        assert_eq!(figures(completion), (4, 3, 1, 1, Some(12), Some(130)));
        assert_eq!(figures(run_time), (4, 3, 1, 0, Some(7), Some(120)));
        assert_eq!((completion.key.name.as_str(), run_time.key.name.as_str()), ("app_completion", "app_run_time"));
        assert_eq!((run_time.from.as_str(), run_time.to.as_str()), ("app", "app completion"));
        assert!(completion.completes() && run_time.completes() && found.warning.is_none());
        let (edges, rule) = (capture(900, &[]), PairingRule::default());
        let spans = spans(&edges, &pair_lines(&edges, &stimuli, &response, &rule), &response, &rule);
        assert_eq!(
            spans.iter().map(|span| span.map(|tick| tick.0)).collect::<Vec<_>>(),
            [[100, 105, 135], [200, 210, 330], [400, 405, 412]]
        );
    }

    #[test]
    fn a_pulse_without_an_end_is_not_due_and_told() {
        let stimuli = line("stimulus_a", &[(100, 1), (200, 1)]);
        let mut response = line("app", &[(105, 30), (210, 120)]);
        response.edges.pop();
        let found = completed(&capture(900, &[]), &stimuli, &response, &PairingRule::default());
        assert_eq!(figures(&found.series[0]), (1, 1, 0, 0, Some(35), Some(35)));
        assert_eq!(found.warning.unwrap().to_string(), "app: responses whose end is not in the capture: 1");
        let paused =
            completed(&capture(900, &[(115, 120)]), &stimuli, &line("app", &[(105, 30)]), &PairingRule::default());
        assert_eq!(paused.series[1].done, 0);
    }

    #[test]
    fn a_glitch_is_no_end() {
        let response = line("app", &[(103, 1), (105, 30)]);
        let rule = PairingRule { shortest_pulse: Tick(5), ..PairingRule::default() };
        let found = completed(&capture(900, &[]), &line("stimulus_a", &[(100, 1), (400, 1)]), &response, &rule);
        assert_eq!((found.series[0].max, found.series[1].max), (Some(35), Some(30)));
    }

    proptest! {
        #[test]
        fn completion_is_start_and_run_time(pulses in prop::collection::vec((1u64..90, 1u64..200), 1..60)) {
            let stimuli: Vec<(u64, u64)> = (1..=pulses.len() as u64).map(|n| (n * 300, 1)).collect();
            let response: Vec<(u64, u64)> =
                pulses.iter().zip(&stimuli).map(|((latency, width), (at, _))| (at + latency, *width)).collect();
            let (stimuli, response) = (line("stimulus_a", &stimuli), line("app", &response));
            let found = completed(&capture(1 << 20, &[]), &stimuli, &response, &PairingRule::default());
            let sum = |of: &dyn Fn(&(u64, u64)) -> u64| pulses.iter().map(of).sum::<u64>() as f64 / pulses.len() as f64;
            prop_assert_eq!(found.series[1].mean, Some(sum(&|(_, width)| *width)));
            prop_assert_eq!(found.series[0].mean, Some(sum(&|(latency, width)| latency + width)));
        }
    }
}
