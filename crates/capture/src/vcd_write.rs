// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes edges as a value change dump (IEEE 1364-2005, clause 18), for PulseView and GTKWave.
//!
//! Instructions are written as nanoseconds, because the format knows seconds only. A comment in the dump says so.
use super::edges::{Edges, Line};
use super::tick::{Tick, TickRate};
use std::io::{self, Write};

/// A comment in the dump: the dump's unit is not time.
pub const INSTRUCTIONS_COMMENT: &str = "one unit of time is one executed instruction";

/// Units of a timescale, each with the power of ten of its number per second.
pub(super) const UNITS: [(&str, u32); 6] = [("s", 0), ("ms", 3), ("us", 6), ("ns", 9), ("ps", 12), ("fs", 15)];

/// Converts ticks to units of the dump: `units` for every `ticks`, rounded to the nearest.
struct Scale {
    text: String,
    comment: Option<String>,
    units: u128,
    ticks: u128,
}

impl Scale {
    /// The coarsest unit in which every tick is a whole number; picoseconds if there is no such unit.
    fn of(rate: TickRate) -> Scale {
        let TickRate::Clock(clock) = rate else {
            return Scale { text: "1 ns".into(), comment: Some(INSTRUCTIONS_COMMENT.into()), units: 1, ticks: 1 };
        };
        let per_second = |(_, digits): &(&str, u32), step: u128| 10u128.pow(*digits) / step;
        let hz = clock.hz() as u128;
        let mut steps = UNITS.iter().flat_map(|unit| [100, 10, 1].map(|step| (unit, step)));
        let whole = |per_second: u128| per_second >= hz && per_second % hz == 0;
        let exact = steps.find(|(unit, step)| whole(per_second(unit, *step)));
        match exact {
            Some((unit, step)) => {
                let units = per_second(unit, step) / hz;
                let comment = (units > 1).then(|| format!("sampled at {hz} Hz"));
                Scale { text: format!("{step} {}", unit.0), comment, units, ticks: 1 }
            }
            None => Scale {
                text: "1 ps".into(),
                comment: Some(format!("sampled at {hz} Hz; instants are rounded to 1 ps")),
                units: 10u128.pow(12),
                ticks: hz,
            },
        }
    }

    fn units_of(&self, at: Tick) -> u128 {
        (at.0 as u128 * self.units + self.ticks / 2) / self.ticks
    }
}

/// Writes all lines. While a line is not recorded, its value is `x`. The last time is the end of the capture.
pub fn write(edges: &Edges, sink: &mut impl Write) -> io::Result<()> {
    let scale = Scale::of(edges.rate);
    write_head(edges, &scale, sink)?;
    let mut changes = Changes::new(edges);
    let mut at = Tick(0);
    writeln!(sink, "$dumpvars")?;
    for (number, line) in edges.lines.iter().enumerate() {
        writeln!(sink, "{}{}", level_text(line.level_before(Tick(0))), identifier(number))?;
    }
    writeln!(sink, "$end")?;
    while let Some((next, number, level)) = changes.next() {
        if next != at {
            writeln!(sink, "#{}", scale.units_of(next))?;
            at = next;
        }
        writeln!(sink, "{level}{}", identifier(number))?;
    }
    if edges.end_at > at {
        writeln!(sink, "#{}", scale.units_of(edges.end_at))?;
    }
    Ok(())
}

fn write_head(edges: &Edges, scale: &Scale, sink: &mut impl Write) -> io::Result<()> {
    writeln!(sink, "$version backwall {} $end", env!("CARGO_PKG_VERSION"))?;
    if let Some(comment) = &scale.comment {
        writeln!(sink, "$comment {comment} $end")?;
    }
    writeln!(sink, "$timescale {} $end\n$scope module bench $end", scale.text)?;
    for (number, line) in edges.lines.iter().enumerate() {
        writeln!(sink, "$var wire 1 {} {} $end", identifier(number), line.name)?;
    }
    writeln!(sink, "$upscope $end\n$enddefinitions $end\n#0")
}

/// The short identifier of a line: printable ASCII, beginning with `!`.
fn identifier(number: usize) -> String {
    let mut rest = number;
    let mut text = String::new();
    loop {
        text.push((b'!' + (rest % 94) as u8) as char);
        rest /= 94;
        if rest == 0 {
            return text;
        }
    }
}

fn level_text(level: bool) -> char {
    if level { '1' } else { '0' }
}

/// All changes of all lines in order of time, including the gaps.
struct Changes<'a> {
    lines: Vec<Source<'a>>,
}

/// The part of one line that is not written yet: its edges, and when it becomes unknown and known again.
struct Source<'a> {
    line: &'a Line,
    next: usize,
    marks: Vec<(Tick, char)>, // the latest comes first
}

impl<'a> Changes<'a> {
    fn new(edges: &'a Edges) -> Self {
        let source = |line: &'a Line| {
            let resumed = |gap: Tick| level_text(line.level_before(Tick(gap.0 + 1)));
            let marks = edges.gaps.iter().rev().flat_map(|gap| [(gap.to, resumed(gap.to)), (gap.from, 'x')]).collect();
            Source { line, next: 0, marks }
        };
        Changes { lines: edges.lines.iter().map(source).collect() }
    }

    fn next(&mut self) -> Option<(Tick, usize, char)> {
        let earliest = self.lines.iter().enumerate().filter_map(|(number, line)| Some((line.peek()?, number))).min()?;
        let (at, number) = earliest;
        Some((at, number, self.lines[number].take()))
    }
}

impl Source<'_> {
    fn peek(&self) -> Option<Tick> {
        let edge = self.line.edges.get(self.next).map(|edge| edge.at());
        let mark = self.marks.last().map(|mark| mark.0);
        edge.into_iter().chain(mark).min()
    }

    /// The change at the time of [`Source::peek`]. At the same time, an edge comes before a mark.
    fn take(&mut self) -> char {
        let edge = self.line.edges.get(self.next);
        match (edge, self.marks.last()) {
            (Some(edge), mark) if mark.is_none_or(|mark| edge.at() <= mark.0) => {
                self.next += 1;
                level_text(edge.level())
            }
            (_, mark) => {
                let level = mark.expect("a change was peeked").1;
                self.marks.pop();
                level
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::{Edge, Gap};
    use backwall_model::units::ClockRate;
    use vcd::{Command, Value};

    fn line(name: &str, ats: &[u64]) -> Line {
        let edge = |(index, at): (usize, &u64)| Edge::new(Tick(*at), index % 2 == 0);
        Line { name: name.into(), edges: ats.iter().enumerate().map(edge).collect(), warmup: 0 }
    }

    fn capture(rate: TickRate) -> Edges {
        let lines = vec![line("stimulus_a", &[100, 140, 300, 340]), line("ist", &[100, 150, 304, 350])];
        Edges { rate, lines, end_at: Tick(500), gaps: Vec::new() }
    }

    fn dump(edges: &Edges) -> String {
        let mut text = Vec::new();
        write(edges, &mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    fn hertz(hz: u64) -> TickRate {
        TickRate::Clock(ClockRate::new(hz).unwrap())
    }

    #[test]
    fn the_dump_is_the_expected_text() {
        let text = dump(&capture(TickRate::Instructions));
        let expected = "$comment one unit of time is one executed instruction $end\n$timescale 1 ns $end\n\
            $scope module bench $end\n$var wire 1 ! stimulus_a $end\n$var wire 1 \" ist $end\n$upscope $end\n\
            $enddefinitions $end\n#0\n$dumpvars\n0!\n0\"\n$end\n#100\n1!\n1\"\n#140\n0!\n#150\n0\"\n#300\n1!\n\
            #304\n1\"\n#340\n0!\n#350\n0\"\n#500\n";
        assert_eq!(text.split_once('\n').unwrap().1, expected);
    }

    #[test]
    fn another_reader_finds_the_same_edges() {
        let edges = capture(TickRate::Instructions);
        let text = dump(&edges);
        let mut parser = vcd::Parser::new(text.as_bytes());
        let header = parser.parse_header().unwrap();
        for line in &edges.lines {
            let id = header.find_var(&["bench", &line.name]).unwrap().code;
            let (mut at, mut found) = (0, Vec::new());
            for command in vcd::Parser::new(text.as_bytes()).map(Result::unwrap) {
                match command {
                    Command::Timestamp(instant) => at = instant,
                    Command::ChangeScalar(code, level) if code == id && at > 0 => {
                        found.push(Edge::new(Tick(at), level == Value::V1));
                    }
                    _ => {}
                }
            }
            assert_eq!(found, line.edges, "{}", line.name);
        }
    }

    #[test]
    fn the_timescale_is_the_coarsest_in_which_ticks_are_whole() {
        for (hz, text, last) in
            [(1, "1 s", 500), (12_500_000, "10 ns", 4_000), (1_000_000, "1 us", 500), (500, "1 ms", 1_000)]
        {
            let text_of = dump(&capture(hertz(hz)));
            assert!(text_of.contains(&format!("$timescale {text} $end")), "{hz}: {text_of}");
            assert!(text_of.ends_with(&format!("#{last}\n")), "{hz}: {text_of}");
        }
    }

    #[test]
    fn a_rate_that_no_timescale_divides_is_rounded_and_named() {
        let text = dump(&capture(hertz(24_000_000)));
        assert!(text.contains("$comment sampled at 24000000 Hz; instants are rounded to 1 ps $end"));
        assert!(text.contains("\n#4166667\n"), "{text}");
    }

    #[test]
    fn a_stretch_without_recording_is_unknown() {
        let mut edges = capture(TickRate::Instructions);
        edges.gaps = vec![Gap { from: Tick(151), to: Tick(200) }];
        let text = dump(&edges);
        assert!(text.contains("#150\n0\"\n#151\nx!\nx\"\n#200\n0!\n0\"\n"), "{text}");
    }

    #[test]
    fn a_hundred_lines_have_different_names() {
        let names: std::collections::BTreeSet<String> = (0..10_000).map(identifier).collect();
        assert_eq!(names.len(), 10_000);
    }
}
