// SPDX-License-Identifier: MIT OR Apache-2.0
use super::*;
use crate::edges::{Edge, Gap, Line};
use crate::tick::{Tick, TickRate};
use crate::vcd_write;
use backwall_model::units::ClockRate;
use proptest::prelude::*;

const HEAD: &str = "$timescale 10 ns $end\n$scope module top $end\n$var wire 1 ! clk $end\n$var reg 1 ab sig $end\n\
    $var wire 8 # bus [7:0] $end\n$var real 64 r level $end\n$upscope $end\n$enddefinitions $end\n";

fn read_text(body: &str) -> Result<Dump, BadDump> {
    read(format!("{HEAD}{body}").as_bytes())
}

fn edges_of(line: &Line) -> Vec<(u64, bool)> {
    line.edges.iter().map(|edge| (edge.at().0, edge.level())).collect()
}

fn hertz(hz: u64) -> TickRate {
    TickRate::Clock(ClockRate::new(hz).unwrap())
}

#[test]
fn lines_of_one_bit_are_read_and_the_others_are_named() {
    let body = "#0\n$dumpvars\n0!\n1ab\nbxxxxxxxx #\nr0.5 r\n$end\n#10 1!\n#12 0ab b00000001 #\n$comment 1! never $end\n#20 0! 0!\n#33";
    let dump = read_text(body).unwrap();
    assert_eq!(edges_of(dump.edges.line("clk").unwrap()), [(10, true), (20, false)]);
    assert_eq!(edges_of(dump.edges.line("sig").unwrap()), [(12, false)]);
    assert_eq!((dump.edges.end_at, dump.edges.rate), (Tick(33), hertz(100_000_000)));
    assert_eq!(dump.skipped, ["bus", "level"]);
}

#[test]
fn a_line_written_as_a_vector_counts_with_its_bit() {
    let dump = read_text("#0 b0 ! #5 b1 ! #6 b0 !").unwrap();
    assert_eq!(edges_of(dump.edges.line("clk").unwrap()), [(5, true), (6, false)]);
}

#[test]
fn a_level_that_becomes_unknown_is_a_gap() {
    let dump = read_text("#0 0! 0ab #5 x! #7 1! #9 zab #20 0ab #30 1ab #40").unwrap();
    let gap = |from, to| Gap { from: Tick(from), to: Tick(to) };
    assert_eq!(dump.edges.gaps, [gap(5, 7), gap(9, 20)]);
    assert_eq!(edges_of(dump.edges.line("clk").unwrap()), [(7, true)]);
    assert_eq!(edges_of(dump.edges.line("sig").unwrap()), [(30, true)]);
    let cut = read_text("#0 0! #5 x! #40").unwrap();
    assert_eq!(cut.edges.end_at, Tick(5), "a line that stays unknown ends the capture");
}

#[test]
fn a_sampling_rate_in_a_comment_makes_ticks_samples() {
    let text = |comment: &str| {
        format!(
            "$comment {comment} $end $timescale 100 ps $end $var wire 1 ! a $end $enddefinitions $end #0 0! #417 1! #833 0!"
        )
    };
    let dump = read(text("Acquisition with 8/8 channels at 24 MHz").as_bytes()).unwrap();
    assert_eq!(dump.edges.rate, hertz(24_000_000));
    assert_eq!(edges_of(&dump.edges.lines[0]), [(1, true), (2, false)]);
    let plain = read(text("looked at 24 times").as_bytes()).unwrap();
    assert_eq!(plain.edges.rate, hertz(10_000_000_000));
}

#[test]
fn every_fault_is_named_with_its_place() {
    let place = HEAD.len() as u64;
    for (body, offset, fault) in [
        ("#1 1? ", 3, "is not a variable of the header"),
        ("#1x", 0, "is not a time"),
        ("#", 0, "is not a time"),
        ("#99999999999999999999", 0, "is not a time"),
        ("#18446744073709551615", 0, "is beyond the latest time a capture can hold"),
        ("#5 #4", 3, "is earlier than the previous time"),
        ("hello", 0, "is not a value change"),
    ] {
        match read_text(body).unwrap_err() {
            BadDump::Word { offset: found, fault: text, .. } => {
                assert_eq!((found - place, text), (offset, fault), "{body}")
            }
            other => panic!("{body}: {other}"),
        }
    }
    assert!(matches!(read(&b"$timescale 1 ns $end"[..]), Err(BadDump::Header)));
    assert!(matches!(read(&b"$var wire 1 $end $enddefinitions $end"[..]), Err(BadDump::Header)));
    let timescale =
        |text: &str| read(format!("$timescale {text} $end $var wire 1 ! a $end $enddefinitions $end").as_bytes());
    for text in ["2 ns", "10 s", "ns", "1", "1 min", ""] {
        assert!(matches!(timescale(text), Err(BadDump::Timescale(_))), "{text}");
    }
    assert!(matches!(read(&b"$enddefinitions $end"[..]), Err(BadDump::NoLines)));
    let long = [b"$enddefinitions".to_vec(), vec![b'x'; 1 << 20]].concat();
    assert!(matches!(read(&long[..]), Err(BadDump::Word { .. })));
}

#[test]
fn equal_names_are_told_apart_by_their_scopes() {
    let text = "$timescale 1 ns $end $scope module a $end $var wire 1 ! x $end $upscope $end \
        $scope module b $end $var wire 1 \" x $end $var wire 1 ! alias $end $upscope $end $enddefinitions $end #0";
    let names: Vec<String> = read(text.as_bytes()).unwrap().edges.lines.into_iter().map(|line| line.name).collect();
    assert_eq!(names, ["x", "b.x"]);
}

// Reads a few bytes at a time, so that every word is at some time divided between two reads.
struct Dripping<'a>(&'a [u8], usize);

impl Read for Dripping<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.1.min(self.0.len()).min(buffer.len());
        buffer[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

fn line(name: &str, ats: &[u64]) -> Line {
    let edge = |(index, at): (usize, &u64)| Edge::new(Tick(*at), index % 2 == 0);
    Line { name: name.into(), edges: ats.iter().enumerate().map(edge).collect(), warmup: 0 }
}

fn capture() -> impl Strategy<Value = Edges> {
    let ats = || prop::collection::btree_set(0u64..5_000, 0..40);
    let rate =
        prop_oneof![Just(TickRate::Instructions), Just(hertz(24_000_000)), Just(hertz(12_500_000)), Just(hertz(1))];
    (ats(), ats(), rate, 5_000u64..6_000).prop_map(|(a, b, rate, end_at)| {
        let line = |name: &str, ats: std::collections::BTreeSet<u64>| line(name, &ats.into_iter().collect::<Vec<_>>());
        Edges { rate, lines: vec![line("a", a), line("b", b)], end_at: Tick(end_at), gaps: Vec::new() }
    })
}

fn written(edges: &Edges) -> Vec<u8> {
    let mut text = Vec::new();
    vcd_write::write(edges, &mut text).unwrap();
    text
}

#[test]
fn a_capture_with_a_gap_comes_back() {
    let gaps = vec![Gap { from: Tick(151), to: Tick(200) }];
    let lines = vec![line("a", &[100, 140, 300]), line("b", &[100, 150, 200, 350])];
    let edges = Edges { rate: TickRate::Instructions, lines, end_at: Tick(500), gaps };
    assert_eq!(read(&written(&edges)[..]).unwrap().edges, edges);
}

fn word_by_word(text: &[u8]) -> Result<Dump, BadDump> {
    let mut tokens = Tokens::new(text);
    let header = header::read(&mut tokens)?;
    let (scale, skipped) = (header.scale()?, header.skipped.clone());
    let mut body = Body::new(header, scale);
    while let Some(token) = tokens.next()? {
        body.take(token)?;
    }
    Ok(Dump { edges: body.finish(), skipped })
}

fn by_crate(text: &[u8], name: &str) -> Vec<(u64, bool)> {
    let mut parser = vcd::Parser::new(text);
    let code = parser.parse_header().unwrap().find_var(&["bench", name]).unwrap().code;
    let (mut at, mut level, mut found) = (0, None, Vec::new());
    for command in vcd::Parser::new(text).map(Result::unwrap) {
        match command {
            vcd::Command::Timestamp(instant) => at = instant,
            vcd::Command::ChangeScalar(changed, value) if changed == code => {
                let value = value == vcd::Value::V1;
                if level.is_some_and(|level| level != value) {
                    found.push((at, value));
                }
                level = Some(value);
            }
            _ => {}
        }
    }
    found
}

fn by_wellen(text: &[u8], name: &str) -> Vec<(u64, bool)> {
    let options = wellen::LoadOptions { multi_thread: false, remove_scopes_with_empty_name: false };
    let header = wellen::viewers::read_header(std::io::Cursor::new(text.to_vec()), &options).unwrap();
    let hierarchy = header.hierarchy;
    let signal = hierarchy.iter_vars().find(|var| var.name(&hierarchy) == name).unwrap().signal_ref();
    let mut body = wellen::viewers::read_body(header.body, &hierarchy, None).unwrap();
    let loaded = body.source.load_signals(&[signal], &hierarchy, false);
    let level = |value: wellen::SignalValue| value.to_bit_string().as_deref() == Some("1");
    let changes = loaded.iter().flat_map(|(_, signal)| signal.iter_changes().collect::<Vec<_>>());
    let levels: Vec<(u64, bool)> = changes.map(|(at, value)| (body.time_table[at as usize], level(value))).collect();
    levels.windows(2).filter(|pair| pair[0].1 != pair[1].1).map(|pair| pair[1]).collect()
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(edges in capture(), drip in 1usize..50) {
        let text = written(&edges);
        prop_assert_eq!(&read(&text[..]).unwrap().edges, &edges);
        prop_assert_eq!(&read(Dripping(&text, drip)).unwrap().edges, &edges);
    }

    // A body with single-bit words, vectors, comments, unknown levels, errors, and every kind of blank between them.
    #[test]
    fn plain_words_are_read_as_word_by_word(body in "([#][0-9]{1,20}|[01xz][!]|[01]ab|b[01]{1,3} [!]|[$]comment 1! [$]end|[01][#?]|#|0| |\t|\n| {3})(\n|\n| |\r\n)", more in prop::collection::vec("([#][0-9]{1,20}|[01xz][!]|[01]ab|b[01]{1,3} [!]|[$]comment 1! [$]end|[01][#?])(\n|\n| |\r\n)", 0..40)) {
        let text = format!("{HEAD}{body}{}", more.concat());
        prop_assert_eq!(format!("{:?}", read(text.as_bytes())), format!("{:?}", word_by_word(text.as_bytes())));
    }

    #[test]
    fn other_readers_find_the_same_edges(edges in capture()) {
        let edges = Edges { rate: TickRate::Instructions, ..edges };
        let text = written(&edges);
        for line in &read(&text[..]).unwrap().edges.lines {
            prop_assert_eq!(edges_of(line), by_crate(&text, &line.name));
            prop_assert_eq!(edges_of(line), by_wellen(&text, &line.name));
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic(body in "[#01xzbr!ab$ \\n0-9]{0,120}", bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read_text(&body);
        let _ = read(&bytes[..]);
        let _ = read(&[HEAD.as_bytes(), &bytes].concat()[..]);
    }
}

#[test]
fn the_line_of_sigrok_cli_above_a_dump_is_passed_over() {
    let dump = "$timescale 1 us $end\n$var wire 1 ! 0 $end\n$enddefinitions $end\n#0 0!\n#10 1!\n#20 0!\n";
    let found = |text: &str| crate::capture::read(std::io::Cursor::new(text.to_string()), &Default::default());
    let plain = found(dump).unwrap().edges;
    assert_eq!(found(&format!("META samplerate: 1000000\n{dump}")).unwrap().edges, plain);
    assert_eq!(plain.lines[0].edges.len(), 2);
    assert!(found("META samplerate: 1000000\n").is_err() && found("META").is_err());
}
