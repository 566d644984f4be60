// SPDX-License-Identifier: MIT OR Apache-2.0
//! The pictures of a judged bench, as a section of the page.
use super::bench::Answered;
use super::edges::{Edges, Line};
use super::picture::{AVERAGED, Channel, Kind, Picture, View};
use super::tick::{Tick, TickRate};
use crate::report::section::Section;
use crate::units::Shown;
use std::ops::Range;

/// Every kind with the name of its file.
pub const KINDS: [(Kind, &str); 4] =
    [(Kind::Single, "single"), (Kind::Average, "average"), (Kind::Montage, "montage"), (Kind::Overall, "overall")];

const INTRO: &str = "The stimulus is the lowest trace, the responses lie above it. Each screen chooses its own time per \
    division: the back wall is the last place of the montage that has any ink. Where responses are shorter than their jitter, \
    the average stays low.";

/// One kind of picture of the measured pulses. Lines without answers are drawn too.
pub fn screen(edges: &Edges, stimulus: &Line, answered: &[Answered], title: &str, kind: Kind) -> Picture {
    let stimuli: &[Tick] = answered.first().map_or(&[], |line| &line.pairing.stimuli);
    let measured = answered.first().map_or(0..0, |line| line.pairing.measured());
    let single = last_answered(answered, measured.clone());
    let shown = match kind {
        Kind::Single => single.map_or(0..0, |number| number..number + 1),
        Kind::Average => measured.start.max(measured.end.saturating_sub(AVERAGED))..measured.end,
        Kind::Montage | Kind::Overall => measured.clone(),
    };
    let bounds: Vec<Option<(Tick, Tick)>> = answered.iter().map(|line| bounds(line, shown.clone())).collect();
    let longest = bounds.iter().flatten().map(|(_, max)| *max).max().unwrap_or_default();
    let mut channels = vec![Channel { line: stimulus, label: label(&stimulus.name), note: String::new() }];
    for (judged, bounds) in answered.iter().zip(bounds) {
        let Some(line) = edges.line(&judged.series.key.name) else { continue };
        let note = bounds.map_or("no answer".into(), |(min, max)| note(edges.rate, min, max));
        channels.push(Channel { line, label: label(&line.name), note });
    }
    let (triggers, single) = (&stimuli[measured], single.map(|number| stimuli[number]));
    Picture::of(&View { title, rate: edges.rate, channels: &channels, triggers, single, longest }, kind)
}

/// The last stimulus that every line answered, else the last that any did, else the last.
fn last_answered(answered: &[Answered], mut measured: Range<usize>) -> Option<usize> {
    let is_answered = |line: &Answered, number| line.pairing.nearest.is_answered(number);
    let by_all = |number: &usize| answered.iter().all(|line| is_answered(line, *number));
    let by_any = |number: &usize| answered.iter().any(|line| is_answered(line, *number));
    let last = measured.clone().next_back();
    measured.clone().rev().find(by_all).or_else(|| measured.rfind(by_any)).or(last)
}

/// The section with all four pictures; `id` is its anchor.
pub fn section(edges: &Edges, stimulus: &Line, answered: &[Answered], title: &str, id: &str) -> Section {
    let figure = |(kind, _)| {
        let svg = screen(edges, stimulus, answered, title, kind).svg();
        format!("<figure><div class=\"picture\">{svg}</div></figure>\n")
    };
    Section::new(id, &format!("The scope's screen: {title}"), INTRO, KINDS.into_iter().map(figure).collect())
}

/// Smallest and largest latency of some stimuli.
fn bounds(line: &Answered, numbers: Range<usize>) -> Option<(Tick, Tick)> {
    let latencies = || line.pairing.nearest.latencies(numbers.clone());
    Some((latencies().min()?, latencies().max()?))
}

fn note(rate: TickRate, min: Tick, max: Tick) -> String {
    let shown = |latency| Shown(rate.value_of(latency), rate.unit());
    if min == max { format!("after {}", shown(min)) } else { format!("{} to {}", shown(min), shown(max)) }
}

/// The name of a line as the vocabulary writes it.
fn label(name: &str) -> &str {
    match name {
        "stimulus_a" => "stimulus A",
        "stimulus_b" => "stimulus B",
        "isr" | "b_isr" => "ISR",
        "ist" | "b_ist" => "IST",
        "app" | "b_app" => "APP",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scope::bench::Bench;
    use crate::scope::edges::Edge;
    use crate::scope::pairing::PairingRule;

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

    #[test]
    fn the_section_shows_four_screens_with_the_figures_of_their_sweeps() {
        let edges = capture();
        let bench = Bench {
            stimulus: "stimulus_a",
            responses: &["ist", "app"],
            rule: PairingRule::default(),
            load: "none",
            idle: "as-is",
        };
        let answered = bench.judge(&edges).unwrap();
        let section = section(&edges, &edges.lines[0], &answered, "bare guest", "screens");
        assert_eq!(section.body_html.matches("<svg").count(), 4);
        for text in [">IST<", ">APP<", ">no answer<", ">stimulus A<", ">40 to 42<", ">after 40<", "280 pulses"] {
            assert!(section.body_html.contains(text), "{text}");
        }
    }

    #[test]
    fn the_single_sweep_is_one_that_was_answered() {
        let mut edges = capture();
        edges.lines[1].edges.truncate(2 * 297);
        let bench = Bench {
            stimulus: "stimulus_a",
            responses: &["ist"],
            rule: PairingRule::default(),
            load: "none",
            idle: "as-is",
        };
        let answered = bench.judge(&edges).unwrap();
        let svg = |kind| screen(&edges, &edges.lines[0], &answered, "bare guest", kind).svg();
        assert!(svg(Kind::Single).contains(">the last answered of 280 pulses<"));
        assert!(svg(Kind::Single).contains(">after 40<"));
        assert!(svg(Kind::Montage).contains(">40 to 42<"));
    }
}
