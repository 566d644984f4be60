// SPDX-License-Identifier: MIT OR Apache-2.0
//! A list of edges as text, `TICK LINE LEVEL` each, as a format for tests. It shows that a new format needs one file like this,
//! its `mod` line, and its line in the table.
use super::edges::{Edge, Edges, Line};
use super::format::{BadCapture, Capture, CaptureHints, Format, Source, Takes};
use super::tick::{Tick, TickRate};
use backwall_model::Origin;
use std::io::{BufRead, BufReader, Cursor};

pub const FORMAT: Format = Format {
    name: "the tests' list",
    begins: |start| start.starts_with(b"listed edges\n"),
    takes: Takes::NOTHING,
    read,
};

#[derive(Debug, thiserror::Error)]
#[error("line {0}: expected TICK LINE 0|1")]
struct BadLine(usize);

fn read(source: &mut dyn Source, _: &CaptureHints) -> Result<Capture, BadCapture> {
    let mut edges = Edges { rate: TickRate::Instructions, lines: Vec::new(), end_at: Tick(0), gaps: Vec::new() };
    for (number, text) in BufReader::new(source).lines().enumerate().skip(1) {
        take(&text?, &mut edges).ok_or(BadCapture::of(BadLine(number + 1)))?;
    }
    Ok(Capture { edges, origin: Origin::Imported, interrupted: false, warnings: Vec::new() })
}

fn take(text: &str, edges: &mut Edges) -> Option<()> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [at, name, level] = words[..] else { return None };
    let (at, level) = (Tick(at.parse().ok()?), level.parse::<u8>().ok()? > 0);
    let known = edges.lines.iter().position(|line| line.name == name);
    let index = known.unwrap_or_else(|| {
        edges.lines.push(Line::new(name));
        edges.lines.len() - 1
    });
    edges.lines[index].edges.push(Edge::new(at, level));
    edges.end_at = at;
    Some(())
}

#[test]
fn a_format_of_the_tests_is_read_like_any_other_and_judged() {
    use super::{
        capture,
        pairing::PairingRule,
        wiring::{Watched, Wiring},
    };
    let text = "listed edges\n100 stimulus_a 1\n110 stimulus_a 0\n142 isr 1\n150 isr 0\n900 end 1\n";
    let capture = capture::read(Cursor::new(text), &CaptureHints::default()).unwrap();
    let rule = PairingRule::default();
    let wiring =
        Wiring { stimulus: "stimulus_a", responses: &[Watched::line("isr")], rule, load: "none", idle: "as-is" };
    let answered = wiring.judge(&capture.edges).unwrap();
    assert_eq!((answered[0].series.done, answered[0].series.max), (1, Some(42)));
    let refusal = capture::read(Cursor::new("listed edges\n100 isr 1\n200 isr\n"), &CaptureHints::default())
        .unwrap_err()
        .to_string();
    assert_eq!(refusal, "line 3: expected TICK LINE 0|1");
}
