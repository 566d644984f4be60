// SPDX-License-Identifier: MIT OR Apache-2.0
//! Each rule of the format, and malformed streams.
use super::fixture::{Declared, Stream};
use super::{EndReason, Ending, Reader, Record};
use proptest::prelude::*;

fn read(bytes: &[u8]) -> Result<(Vec<String>, Ending), String> {
    let mut reader = Reader::new(bytes);
    let mut seen = Vec::new();
    loop {
        match reader.read() {
            Ok(Some(record)) => seen.push(format!("{record:?}")),
            Ok(None) => return Ok((seen, reader.ending())),
            Err(error) => return Err(error.to_string()),
        }
    }
}

fn whole() -> Stream {
    whole_of(2)
}

fn whole_of(version: u32) -> Stream {
    let mut stream = Stream::of(version);
    stream.hello().text("kernel", "scripted").series(7, "wakeup", &["expiry", "thread"]);
    stream.samples(7, 0, 1, &[&[100, 110]]).lost(7, 1, 1, 2).samples(7, 3, 0, &[&[400, 415], &[500, u64::MAX]]);
    stream.totals(7, 5, 3, 2);
    stream
}

#[test]
fn a_whole_stream_is_read_record_by_record() {
    let (seen, ending) = read(&whole().end(0).bytes()).unwrap();
    assert_eq!(seen.len(), 8);
    assert_eq!(ending, Ending::Whole(EndReason::Done));
    assert_eq!(seen[4], "Lost(MissedStimuli { series: 7, reason: Overrun, first_seq: 1, count: 2 })");
}

#[test]
fn an_absent_point_is_none_and_an_absent_stimulus_is_refused() {
    let bytes = whole().bytes();
    let mut reader = Reader::new(bytes.as_slice());
    let mut last = None;
    while let Some(record) = reader.read().unwrap() {
        if let Record::Samples(samples) = record {
            last = samples.rows().map(|(seq, row)| (seq, row.stimulus(), row.point(1))).last();
        }
    }
    assert_eq!(last, Some((4, 500, None)));
    let mut stream = Stream::new();
    let bytes = stream.hello().series(1, "a", &["x", "y"]).samples(1, 0, 0, &[&[u64::MAX, 1]]).bytes();
    assert!(read(&bytes).unwrap_err().contains("stimulus 0: the time of the stimulus is missing"));
}

#[test]
fn a_stream_cut_anywhere_is_truncated_and_keeps_what_came_before() {
    let bytes = whole().end(0).bytes();
    for cut in 0..bytes.len() {
        let (_, ending) = read(&bytes[..cut]).unwrap();
        assert_eq!(ending, Ending::Truncated, "cut at {cut}");
    }
}

#[test]
fn each_broken_rule_is_named_with_record_and_offset() {
    let series = |stream: &mut Stream| {
        stream.hello().series(1, "a", &["x", "y"]);
    };
    type Break = fn(&mut Stream) -> &mut Stream;
    const B: Declared<'_> =
        Declared { series: 2, name: "b", points: &["x", "y"], periodic: true, cpu: None, fields: &[] };
    let cases: [(Break, &str); 27] = [
        (|s| s.hello(), "record 2 at byte 112: HELLO a second time"),
        (|s| s.series(1, "b", &["x", "y"]), "duplicate series 1"),
        (|s| s.samples(2, 0, 0, &[&[1, 2]]), "undeclared series 2"),
        (|s| s.samples(1, 1, 0, &[&[1, 2]]), "series 1 continues at stimulus 1, expected 0"),
        (|s| s.samples(1, 0, 2, &[&[1, 2]]), "flags has the invalid value 2"),
        (|s| s.samples(1, 0, 0, &[&[1, 2, 3]]), "SAMPLES needs 40 bytes of payload, but it has 48"),
        (|s| s.samples(1, 0, 0, &[]), "count has the invalid value 0"),
        (|s| s.lost(1, 0, 1, 0), "count has the invalid value 0"),
        (|s| s.lost(1, 0, 9, 1), "reason has the invalid value 9"),
        (|s| s.progress(4, 1, 1), "undeclared load 4"),
        (|s| s.totals(1, 2, 1, 1), "the probe counted due 2 = done 1 + lost 1, but the stream has due 0 = done 0"),
        (|s| s.text("a\u{1b}[2J", "b"), "the key of TEXT must be printable UTF-8"),
        (|s| s.series(2, "", &["x", "y"]), "the name of the series has 0 bytes; a name must have 1 to 255"),
        (|s| s.end(0).text("a", "b"), "the stream goes on after END"),
        (|s| s.series(2, "a", &["z", "w"]), "series 2 has figure \"a\", which another series"),
        (|s| s.series(2, "b", &["z", "a", "w"]), "series 2 has figure \"a\", which another series"),
        (|s| s.series(2, &"b".repeat(256), &["x", "y"]), "the name of the series has 256 bytes"),
        (|s| s.declare(&Declared { fields: &["size"], ..B }), "a field of a series must be key=value, each key once"),
        (|s| s.declare(&Declared { fields: &["=4"], ..B }), "a field of a series must be key=value"),
        (|s| s.declare(&Declared { fields: &["k=1", "k=2"], ..B }), "a field of a series must be key=value"),
        (|s| s.declare(&Declared { fields: &["k=1"; 17], ..B }), "fields has the invalid value 17"),
        (|s| s.value(Some(2), "v", 1), "undeclared series 2"),
        (
            |s| s.raw(8, &[255, 255, 255, 255, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 65, 0, 0, 0, 0, 0, 0, 0]),
            "VALUE must be zero",
        ),
        (|s| s.raw(2, b"key\0text"), "the value of TEXT has no end"),
        (|s| s.raw(2, b"key\0\0\0\0\0\0\0\0\0\0\0\0\0"), "TEXT has bytes after its texts"),
        (|s| s.raw(2, b"key\0v\0\0x"), "padding must be zero"),
        (|s| s.raw(2, b""), "the key of TEXT has no end"),
    ];
    for (break_it, expected) in cases {
        let mut stream = Stream::new();
        series(&mut stream);
        break_it(&mut stream);
        let error = read(&stream.bytes()).unwrap_err();
        assert!(error.contains(expected), "{error:?} should contain {expected:?}");
    }
}

#[test]
fn heads_that_lie_are_refused_before_memory_is_taken() {
    let mut bytes = Stream::new().hello().bytes();
    bytes.extend([2, 0, 1, 0, 0xf8, 0xff, 0xff, 0xff]);
    assert!(read(&bytes).unwrap_err().contains("payload of 4294967288 bytes"));
    let mut bytes = Stream::new().hello().bytes();
    bytes.extend([2, 0, 5, 0, 8, 0, 0, 0]);
    assert!(read(&bytes).unwrap_err().contains("has number 5, expected 1"));
    assert!(read(b"GIF89a..........").unwrap_err().contains("not a probe stream"));
    let text: Vec<u8> = Stream::new().hello().bytes().iter().flat_map(|byte| [*byte, 0]).collect();
    assert!(read(&[&[0xFF, 0xFE], &text[..]].concat()).unwrap_err().contains("converted to 16-bit text"));
}

#[test]
fn an_unknown_type_is_skipped_and_counted() {
    let bytes = Stream::new().hello().raw(900, &[1; 16]).end(1).bytes();
    let mut reader = Reader::new(bytes.as_slice());
    while reader.read().unwrap().is_some() {}
    assert_eq!((reader.unknown(), reader.ending()), (1, Ending::Whole(EndReason::Interrupted)));
}

#[test]
fn the_number_of_series_is_bounded() {
    let mut stream = Stream::new();
    stream.hello();
    for series in 0..=256u32 {
        stream.series(series, &format!("a{series}"), &["x", "y"]);
    }
    assert!(read(&stream.bytes()).unwrap_err().contains("more than 256 series"));
}

#[test]
fn a_schedule_without_a_period_is_refused() {
    let mut payload = [1u32, 2].map(u32::to_le_bytes).concat();
    payload.extend([0u64, 0, 7].map(u64::to_le_bytes).concat());
    payload.extend([0, u32::MAX, 0, 0].map(u32::to_le_bytes).concat());
    payload.extend(b"a\0x\0y\0\0\0");
    let error = read(&Stream::new().hello().raw(3, &payload).bytes()).unwrap_err();
    assert!(error.contains("first_at and overrun of a series without a period must be zero"), "{error}");
}

#[test]
fn series_of_one_name_differ_in_processor_or_fields() {
    let one = Declared { series: 0, name: "a", points: &["x", "y"], periodic: false, cpu: None, fields: &[] };
    let mut stream = Stream::new();
    stream.hello().declare(&one).declare(&Declared { series: 1, cpu: Some(0), ..one.clone() });
    stream.declare(&Declared { series: 2, fields: &["size=64"], ..one.clone() });
    stream.declare(&Declared { series: 3, fields: &["size=128"], ..one });
    assert_eq!(read(&stream.end(0).bytes()).unwrap().0.len(), 6);
}

#[test]
fn version_1_says_the_same_in_its_own_layout_and_version_3_is_refused() {
    let (first, second) = (read(&whole_of(1).end(0).bytes()).unwrap(), read(&whole_of(2).end(0).bytes()).unwrap());
    assert_eq!(first.0[1..], second.0[1..]);
    assert_eq!(first.0[0].replace("version: 1", "version: 2"), second.0[0]);
    let error = read(&whole_of(3).bytes()).unwrap_err();
    assert!(error.ends_with("wire version 3; this backwall reads versions 1 and 2"), "{error}");
}

proptest! {
    // A stream with a valid start, followed by records of any type and contents, each with a valid head.
    #[test]
    fn any_records_are_read_without_panic_and_with_bounded_memory(
        version in 1u32..3,
        records in prop::collection::vec((0u16..14, prop::collection::vec(any::<u8>(), 0..96)), 0..60),
    ) {
        let mut stream = Stream::of(version);
        stream.hello().series(0, "a", &["x", "y"]);
        for (kind, mut payload) in records {
            payload.resize(payload.len().next_multiple_of(8), 0);
            stream.raw(kind, &payload);
        }
        let _ = read(&stream.bytes());
    }

    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..512)) {
        let _ = read(&bytes);
    }

    #[test]
    fn a_stream_with_any_byte_changed_is_read_without_panic(version in 1u32..3, at in 0usize..800, to in any::<u8>()) {
        let mut bytes = whole_of(version).end(0).bytes();
        let at = at % bytes.len();
        bytes[at] = to;
        let _ = read(&bytes);
    }

    #[test]
    fn due_is_done_plus_lost_for_any_valid_stream(blocks in prop::collection::vec((any::<bool>(), 1u64..50), 0..40)) {
        let (mut stream, mut due, mut done) = (Stream::new(), 0, 0);
        stream.hello().series(1, "a", &["x", "y"]);
        for (answered, count) in blocks {
            if answered {
                let rows = vec![[5u64, 6]; count as usize];
                let rows: Vec<&[u64]> = rows.iter().map(|row| row.as_slice()).collect();
                stream.samples(1, due, 0, &rows);
                done += count;
            } else {
                stream.lost(1, due, 1, count);
            }
            due += count;
        }
        let right = stream.clone().totals(1, due, done, due - done).end(0).bytes();
        prop_assert!(read(&right).is_ok());
        let wrong = stream.totals(1, due, done, due - done + 1).bytes();
        prop_assert!(read(&wrong).is_err());
    }
}
