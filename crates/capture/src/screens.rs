// SPDX-License-Identifier: MIT OR Apache-2.0
//! Oscilloscope screens of the lines, in the form in which a run stores them.
use super::edges::{Edges, Line};
use super::screen::gather;
use super::tick::{Tick, TickRate};
use super::timebase::Timebase;
use super::wiring::Answered;
use backwall_model::picture::{AVERAGED, Channel, Screen, Screens};
use std::ops::Range;

/// Screens of the measured pulses, also for lines without answers. `title` names the device under test.
pub fn screens(edges: &Edges, stimulus: &Line, answered: &[Answered], title: &str) -> Screens {
    let stimuli: &[Tick] = answered.first().map_or(&[], |line| &line.pairing.stimuli);
    let measured = answered.first().map_or(0..0, |line| line.pairing.measured());
    let single = last_answered(answered, measured.clone());
    let alone = single.map_or(0..0, |number| number..number + 1);
    let averaged = measured.start.max(measured.end.saturating_sub(AVERAGED))..measured.end;
    let judged = Judged { edges, stimulus, answered };
    let sweeps = |numbers: &Range<usize>| Some(&stimuli[numbers.clone()]);
    Screens {
        title: title.to_string(),
        stimulus: stimulus.name.clone(),
        unit: edges.rate.unit(),
        pulses: measured.len() as u64,
        single_is_last: single == measured.clone().next_back(),
        single: judged.screen(&alone, [sweeps(&alone), None, None]),
        average: judged.screen(&averaged, [None, sweeps(&averaged), None]),
        all: judged.screen(&measured, [sweeps(&alone), sweeps(&averaged), sweeps(&measured)]),
    }
}

/// The last stimulus that every line answered. If there is none, the last that any line answered; if there is none either, the
/// last stimulus of all.
fn last_answered(answered: &[Answered], mut measured: Range<usize>) -> Option<usize> {
    let is_answered = |line: &Answered, number| line.pairing.nearest.is_answered(number);
    let by_all = |number: &usize| answered.iter().all(|line| is_answered(line, *number));
    let by_any = |number: &usize| answered.iter().any(|line| is_answered(line, *number));
    let last = measured.clone().next_back();
    measured.clone().rev().find(by_all).or_else(|| measured.rfind(by_any)).or(last)
}

/// Trigger times of three layers: a single sweep, the last sweeps, and all of them; `None` for layers that are not shown.
type Layers<'a> = [Option<&'a [Tick]>; 3];

struct Judged<'a> {
    edges: &'a Edges,
    stimulus: &'a Line,
    answered: &'a [Answered],
}

impl Judged<'_> {
    /// The screen with the shortest time base that fits the latencies of `shown`, and the ends of the pulses if they are
    /// measured.
    fn screen(&self, shown: &Range<usize>, layers: Layers) -> Screen {
        let rate = self.edges.rate;
        let bounds: Vec<Option<(Tick, Tick)>> = self.answered.iter().map(|line| bounds(line, shown.clone())).collect();
        let latest = bounds.iter().flatten().map(|(_, max)| *max);
        let ends = self.answered.iter().flat_map(|line| line.ends.get(shown.clone()).unwrap_or_default());
        let longest = latest.chain(ends.copied().flatten()).max().unwrap_or_default();
        let base = Timebase::showing(longest, rate);
        let mut channels = vec![channel(self.stimulus, layers, base)];
        for (judged, bounds) in self.answered.iter().zip(bounds) {
            let Some(line) = self.edges.line(&judged.series.to) else { continue };
            channels.push(with_bounds(channel(line, layers, base), rate, bounds));
        }
        Screen { per_division: rate.value_of(base.per_division), channels }
    }
}

fn channel(line: &Line, layers: Layers, base: Timebase) -> Channel {
    let [single, average, all] = layers.map(|triggers| triggers.map(|triggers| gather(line, triggers, base)));
    Channel { line: line.name.clone(), shortest: None, longest: None, single, average, all }
}

fn with_bounds(channel: Channel, rate: TickRate, bounds: Option<(Tick, Tick)>) -> Channel {
    let (shortest, longest) = bounds.map(|(min, max)| (rate.value_of(min), rate.value_of(max))).unzip();
    Channel { shortest, longest, ..channel }
}

fn bounds(line: &Answered, numbers: Range<usize>) -> Option<(Tick, Tick)> {
    let latencies = || line.pairing.nearest.latencies(numbers.clone());
    Some((latencies().min()?, latencies().max()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::Edge;
    use crate::pairing::PairingRule;
    use crate::wiring::{Watched, Wiring};

    fn capture() -> Edges {
        let line = |name: &str, latency: u64, count: u64| {
            let pulse = |n: u64| {
                let at = n * 1_000 + if latency == 0 { 0 } else { latency + n % 3 };
                [Edge::new(Tick(at), true), Edge::new(Tick(at + 50), false)]
            };
            Line { name: name.into(), edges: (1..=count).flat_map(pulse).collect(), warmup: 0 }
        };
        let mut lines = vec![line("stimulus_a", 0, 300), line("ist", 40, 300), line("app", 70, 0)];
        lines[0].warmup = 20;
        Edges { rate: TickRate::Instructions, lines, end_at: Tick(900_000), gaps: Vec::new() }
    }

    fn of(edges: &Edges, responses: &[&str]) -> Screens {
        watched(edges, responses.iter().copied().map(Watched::line).collect())
    }

    fn watched(edges: &Edges, responses: Vec<Watched>) -> Screens {
        let wiring = Wiring {
            stimulus: "stimulus_a",
            responses: &responses,
            rule: PairingRule::default(),
            load: "none",
            idle: "as-is",
        };
        screens(edges, &edges.lines[0], &wiring.judge(edges).unwrap(), "bare guest")
    }

    #[test]
    fn every_screen_holds_the_sweeps_and_the_latencies_of_its_own() {
        let found = of(&capture(), &["ist", "app"]);
        assert_eq!((found.pulses, found.single_is_last, found.stimulus.as_str()), (280, true, "stimulus_a"));
        let bounds = |screen: &Screen| {
            let of = |channel: &Channel| (channel.shortest, channel.longest);
            screen.channels.iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(bounds(&found.single), [(None, None), (Some(40), Some(40)), (None, None)]);
        assert_eq!(bounds(&found.all), [(None, None), (Some(40), Some(42)), (None, None)]);
        let ist = &found.all.channels[1];
        let sweeps =
            |overlay: &Option<_>| overlay.as_ref().map(|overlay: &backwall_model::picture::Overlay| overlay.sweeps);
        assert_eq!([&ist.single, &ist.average, &ist.all].map(sweeps), [Some(1), Some(128), Some(280)]);
        assert_eq!(sweeps(&found.average.channels[1].all), None);
    }

    #[test]
    fn the_single_sweep_is_one_that_was_answered() {
        let mut edges = capture();
        edges.lines[1].edges.truncate(2 * 297);
        let found = of(&edges, &["ist"]);
        assert!(!found.single_is_last);
        assert_eq!((found.single.channels[1].shortest, found.single.channels[1].longest), (Some(40), Some(40)));
        assert_eq!((found.all.channels[1].shortest, found.all.channels[1].longest), (Some(40), Some(42)));
    }

    // The pulse of `ist` begins 40 to 42 after its stimulus and lasts 50.
    #[test]
    fn a_pulse_whose_end_is_measured_ends_on_the_screen() {
        let divisions = |watched_line: Watched| {
            let found = watched(&capture(), vec![watched_line]);
            [found.single, found.average, found.all].map(|screen| screen.per_division)
        };
        assert_eq!(divisions(Watched::line("ist")), [5, 10, 10]);
        assert_eq!(divisions(Watched::line("ist").completed()), [20; 3]);
    }

    #[test]
    fn a_capture_without_a_pulse_has_empty_screens() {
        let mut edges = capture();
        edges.lines[0].edges.clear();
        let found = of(&edges, &["ist"]);
        assert_eq!((found.pulses, found.single.channels.len()), (0, 2));
        assert_eq!(found.all.channels[1].all.as_ref().map(|overlay| overlay.sweeps), Some(0));
    }

    // Two thousand pulses need no more data than two hundred with the same spread.
    #[test]
    fn the_data_are_bounded_by_the_screen_and_not_by_the_capture() {
        let of_pulses = |count: u64| {
            let pulse = |n: u64, delay: u64| {
                let at = n * 100_000 + delay;
                [Edge::new(Tick(at), true), Edge::new(Tick(at + 9_000), false)]
            };
            let line = |name: &str, delay: &dyn Fn(u64) -> u64| Line {
                name: name.into(),
                edges: (1..=count).flat_map(|n| pulse(n, delay(n))).collect(),
                warmup: 0,
            };
            let lines = vec![line("stimulus_a", &|_| 0), line("ist", &|n| 4_000 + n * 7_919 % 900)];
            let edges = Edges { rate: TickRate::Instructions, lines, end_at: Tick(u64::MAX >> 2), gaps: Vec::new() };
            serde_json::to_string(&of(&edges, &["ist"])).unwrap().len()
        };
        assert!(of_pulses(2_000) < 2 * of_pulses(200));
    }
}
