// SPDX-License-Identifier: MIT OR Apache-2.0
//! Session files as sigrok writes them, and invalid ones.
use crate::capture::{self, Capture, CaptureHints};
use crate::edges::Edge;
use crate::fixture;
use crate::tick::Tick;
use backwall_model::units::ClockRate;
use proptest::prelude::*;
use std::io::Cursor;

fn session(parts: &[(&str, &[u8])]) -> Vec<u8> {
    fixture::sigrok(parts, |number| number % 2 == 0)
}

const TOLD: CaptureHints = CaptureHints { samplerate: None, threshold: None };

fn of(bytes: &[u8], told: &CaptureHints) -> Result<Capture, String> {
    capture::read(Cursor::new(bytes), told).map_err(|error| error.to_string())
}

fn metadata(unit: usize, lines: usize) -> String {
    let probes: String = (1..=lines).map(|number| format!("probe{number}=D{}\n", number - 1)).collect();
    format!(
        "[global]\nsigrok version=0.5.2\n\n[device 1]\ncapturefile=logic-1\ntotal probes={lines}\nsamplerate=12.5 MHz\nunitsize={unit}\n{probes}"
    )
}

fn plain(samples: &[u8], unit: usize, bit: usize) -> Vec<Edge> {
    let levels: Vec<bool> = samples.chunks(unit).map(|sample| sample[bit / 8] >> (bit % 8) & 1 == 1).collect();
    (1..levels.len())
        .filter(|&at| levels[at] != levels[at - 1])
        .map(|at| Edge::new(Tick(at as u64), levels[at]))
        .collect()
}

const DSL: &str = "[version]\nversion = 3\n[header]\ndriver = DSLogic\ndevice mode = 0\ncapturefile = data\n\
                   total samples = 20\ntotal probes = 2\ntotal blocks = 2\nsamplerate = 1 MHz\nprobe0 = IRQ\nprobe3 = A C K\n";

// One file per line and block, eight samples per byte: with 20 samples the last four bits are unused.
#[test]
fn a_capture_of_dsview_has_the_lines_of_its_header() {
    let parts: [(&str, &[u8]); 5] = [
        ("header", DSL.as_bytes()),
        ("L-0/0", &[0b0011_0000, 0b1111_1111]),
        ("L-0/1", &[0b1111_0001]),
        ("L-3/0", &[0, 0]),
        ("L-3/1", &[0b1111_1110]),
    ];
    let edges = of(&session(&parts), &TOLD).unwrap().edges;
    let of_line = |index: usize| edges.lines[index].edges.iter().map(|e| (e.at().0, e.level())).collect::<Vec<_>>();
    assert_eq!(of_line(0), [(4, true), (6, false), (8, true), (17, false)]);
    assert_eq!((of_line(1), edges.lines[1].name.as_str(), edges.end_at), (vec![(17, true)], "A_C_K", Tick(20)));
    assert_eq!(edges.rate.value_of(Tick(4)), 4_000);
    let refused = |from: &str, to: &str| {
        let text = DSL.replace(from, to);
        let mut parts = parts;
        parts[0].1 = text.as_bytes();
        of(&session(&parts), &TOLD).unwrap_err()
    };
    assert!(refused("samples = 20", "samples = 30").contains("IRQ: 24 samples, but its header announces 30"));
    assert!(refused("mode = 0", "mode = 1").contains("export it as CSV"));
    assert!(refused("version = 3", "version = 9").contains("expected 2 or 3"));
    assert!(refused("samplerate = 1 MHz\n", "").contains("--samplerate 12MHz"));
    let two = CaptureHints { threshold: Some(1.0), ..TOLD };
    assert!(of(&session(&parts), &two).unwrap_err().contains("no analog channel"));
    assert!(of(&session(&parts[..4]), &TOLD).unwrap_err().contains("A_C_K: 16 samples"));
}

// If a file of samples is missing, all later samples would get times that are too early.
#[test]
fn a_file_of_samples_that_is_missing_or_there_twice_is_told() {
    let text = metadata(1, 1);
    for (numbers, wanted) in
        [([1, 3], "logic-1-2"), ([2, 3], "logic-1-1"), ([1, 1], "logic-1-2"), ([0, 2], "logic-1-1")]
    {
        let names = numbers.map(|number| if number == 0 { "logic-1".to_string() } else { format!("logic-1-{number}") });
        let mut all: Vec<(&str, &[u8])> = vec![("version", b"2"), ("metadata", text.as_bytes())];
        all.extend(names.iter().map(|name| (name.as_str(), &[0u8, 1][..])));
        let said = of(&session(&all), &TOLD).unwrap_err();
        assert!(said.contains(&format!("{wanted} is missing or duplicate")), "{numbers:?}: {said}");
    }
}

#[test]
fn files_of_samples_come_in_the_order_of_their_numbers() {
    let parts: Vec<(String, Vec<u8>)> =
        (1..=11).rev().map(|number| (format!("logic-1-{number}"), vec![number as u8 & 1; 10])).collect();
    let text = metadata(1, 1);
    let mut all: Vec<(&str, &[u8])> = vec![("version", b"2"), ("metadata", text.as_bytes())];
    all.extend(parts.iter().map(|(name, content)| (name.as_str(), content.as_slice())));
    let edges = of(&session(&all), &TOLD).unwrap().edges;
    assert_eq!((edges.lines[0].edges.len(), edges.lines[0].edges[0].at(), edges.end_at), (10, Tick(10), Tick(110)));
    assert_eq!(edges.rate.value_of(Tick(1)), 80);
}

#[test]
fn version_1_has_one_file_of_samples() {
    let edges =
        of(&session(&[("version", b"1"), ("logic-1", &[0, 1, 1, 0]), ("metadata", metadata(1, 2).as_bytes())]), &TOLD);
    let edges = edges.unwrap().edges;
    assert_eq!((edges.lines[0].edges.len(), edges.lines[1].edges.len(), edges.end_at), (2, 0, Tick(4)));
}

#[test]
fn analog_channels_become_lines_beside_the_others() {
    let text = metadata(1, 1) + "total analog=1\nanalog2=A0\n";
    let volts: Vec<u8> = [0.0f32, 0.0, 4.0, 4.0, 0.0].iter().flat_map(|volts| volts.to_le_bytes()).collect();
    let file = session(&[
        ("version", b"2"),
        ("metadata", text.as_bytes()),
        ("logic-1-1", &[0, 1, 1, 1, 1]),
        ("analog-1-2-1", &volts),
    ]);
    let edges = of(&file, &TOLD).unwrap().edges;
    let names: Vec<&str> = edges.lines.iter().map(|line| line.name.as_str()).collect();
    assert_eq!((names, edges.lines[1].edges.len(), edges.count()), (vec!["D0", "A0"], 2, 3));
}

#[test]
fn a_missing_rate_is_asked_for_and_taken() {
    let text = metadata(1, 1).replace("samplerate=12.5 MHz\n", "");
    let file = session(&[("version", b"2"), ("metadata", text.as_bytes()), ("logic-1-1", &[0, 1])]);
    assert!(of(&file, &TOLD).unwrap_err().contains("--samplerate"));
    let told = CaptureHints { samplerate: ClockRate::new(1_000_000), ..TOLD };
    assert_eq!(of(&file, &told).unwrap().edges.rate.value_of(Tick(1)), 1_000);
}

#[test]
fn what_is_no_session_is_named() {
    let text = metadata(1, 1);
    let refusal = |parts: &[(&str, &[u8])]| of(&session(parts), &TOLD).unwrap_err();
    assert!(refusal(&[("meta.json", b"{}"), ("digital-0.bin", b"")]).contains("Saleae"));
    assert!(refusal(&[("version", b"3"), ("metadata", text.as_bytes())]).contains("version \"3\""));
    assert!(refusal(&[("version", b"2"), ("metadata", text.as_bytes())]).contains("samples"));
    let ragged = metadata(2, 9);
    assert!(
        refusal(&[("version", b"2"), ("metadata", ragged.as_bytes()), ("logic-1-1", &[0; 7])])
            .contains("1 bytes too many")
    );
}

#[test]
fn a_sample_that_is_not_what_the_archive_says_is_refused() {
    let data = [0u8, 1, 2, 3, 0, 1, 2, 3];
    // In this archive every second file is stored without compression.
    let file = session(&[("metadata", metadata(1, 2).as_bytes()), ("version", b"2"), ("x", b""), ("logic-1-1", &data)]);
    let place = file.windows(data.len()).position(|window| window == data).unwrap();
    let mut spoiled = file.clone();
    spoiled[place] = 1;
    assert!(of(&file, &TOLD).is_ok());
    assert!(of(&spoiled, &TOLD).unwrap_err().contains("logic-1-1"), "{:?}", of(&spoiled, &TOLD));
}

#[test]
fn a_session_cut_at_any_byte_is_refused() {
    let whole = session(&[("version", b"2"), ("metadata", metadata(1, 2).as_bytes()), ("logic-1-1", &[0, 1, 2, 3])]);
    for length in 4..whole.len() {
        assert!(of(&whole[..length], &TOLD).is_err(), "{length}");
    }
}

proptest! {
    #[test]
    fn edges_are_those_of_looking_at_each_sample(
        unit in 1usize..9,
        runs in prop::collection::vec((any::<[u8; 8]>(), prop_oneof![1usize..4, 1usize..200]), 1..40),
        cut in any::<prop::sample::Index>(),
    ) {
        let samples: Vec<u8> = runs.iter().flat_map(|(sample, times)| sample[..unit].repeat(*times)).collect();
        let (one, two) = samples.split_at(cut.index(samples.len()));
        let text = metadata(unit, unit * 8);
        let file = session(&[("version", b"2"), ("metadata", text.as_bytes()), ("logic-1-1", one), ("logic-1-2", two)]);
        let edges = of(&file, &TOLD).unwrap().edges;
        prop_assert_eq!(edges.end_at, Tick((samples.len() / unit) as u64));
        for (bit, line) in edges.lines.iter().enumerate() {
            prop_assert_eq!(&line.edges, &plain(&samples, unit, bit));
        }
    }

    #[test]
    fn a_spoiled_session_is_read_or_refused(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut file = session(&[("version", b"2"), ("metadata", metadata(1, 2).as_bytes()), ("logic-1-1", &[0, 1, 2, 3])]);
        let index = at.index(file.len());
        file[index] = byte;
        let _ = of(&file, &TOLD);
    }
}
