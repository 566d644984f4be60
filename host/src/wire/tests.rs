// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rules of the format, one by one, and streams that nobody meant to write.
use super::fixture::Stream;
use super::{EndReason, Ending, Reader, Record};
use proptest::prelude::*;

/// Reads to the end; the records as text, or the error as text.
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
    let mut stream = Stream::new();
    stream.hello(3).text("kernel", "scripted").series(7, "wakeup", &["expiry", "thread"]);
    stream.samples(7, 0, 1, &[&[100, 110]]).lost(7, 1, 1, 2).samples(7, 3, 0, &[&[400, 415], &[500, u64::MAX]]);
    stream.totals(7, 5, 3, 2);
    stream
}

#[test]
fn a_whole_stream_is_read_record_by_record() {
    let (seen, ending) = read(&whole().end(0).bytes()).unwrap();
    assert_eq!(seen.len(), 8);
    assert_eq!(ending, Ending::Whole(EndReason::Done));
    assert_eq!(seen[4], "Lost(Lost { series: 7, reason: Overrun, first_seq: 1, count: 2 })");
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
    let bytes = stream.hello(3).series(1, "a", &["x", "y"]).samples(1, 0, 0, &[&[u64::MAX, 1]]).bytes();
    assert!(read(&bytes).unwrap_err().contains("stimulus 0: the time of the stimulus itself is absent"));
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
        stream.hello(3).series(1, "a", &["x", "y"]);
    };
    type Break = fn(&mut Stream) -> &mut Stream;
    let cases: [(Break, &str); 14] = [
        (|s| s.hello(3), "record 2 at byte 248: HELLO a second time"),
        (|s| s.series(1, "b", &["x", "y"]), "series 1 is declared twice"),
        (|s| s.samples(2, 0, 0, &[&[1, 2]]), "series 2 is used before it is declared"),
        (|s| s.samples(1, 1, 0, &[&[1, 2]]), "series 1 continues at stimulus 1 where 0 follows"),
        (|s| s.samples(1, 0, 2, &[&[1, 2]]), "flags is 2, which has no meaning"),
        (|s| s.samples(1, 0, 0, &[&[1, 2, 3]]), "SAMPLES needs 40 bytes of payload, it has 48"),
        (|s| s.samples(1, 0, 0, &[]), "count is 0, which has no meaning"),
        (|s| s.lost(1, 0, 1, 0), "count is 0, which has no meaning"),
        (|s| s.lost(1, 0, 9, 1), "reason is 9, which has no meaning"),
        (|s| s.progress(4, 1, 1), "load 4 is used before it is declared"),
        (|s| s.totals(1, 2, 1, 1), "the probe counts due 2 = done 1 + lost 1, the stream holds due 0 = done 0"),
        (|s| s.text("a\u{1b}[2J", "b"), "the key of TEXT is not printable UTF-8"),
        (|s| s.series(2, "", &["x", "y"]), "the name of the series is not printable UTF-8"),
        (|s| s.end(0).text("a", "b"), "the stream goes on after END"),
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
    let mut bytes = Stream::new().hello(3).bytes();
    bytes.extend([2, 0, 1, 0, 0xf8, 0xff, 0xff, 0xff]);
    assert!(read(&bytes).unwrap_err().contains("a payload of 4294967288 bytes"));
    let mut bytes = Stream::new().hello(3).bytes();
    bytes.extend([2, 0, 5, 0, 8, 0, 0, 0]);
    assert!(read(&bytes).unwrap_err().contains("it is numbered 5 where 1 follows"));
    assert!(read(b"GIF89a..........").unwrap_err().contains("this is no probe stream"));
}

#[test]
fn an_unknown_type_is_skipped_and_counted() {
    let bytes = Stream::new().hello(3).raw(900, &[1; 16]).end(1).bytes();
    let mut reader = Reader::new(bytes.as_slice());
    while reader.read().unwrap().is_some() {}
    assert_eq!((reader.unknown(), reader.ending()), (1, Ending::Whole(EndReason::Interrupted)));
}

#[test]
fn the_number_of_series_is_bounded() {
    let mut stream = Stream::new();
    stream.hello(3);
    for series in 0..=256u32 {
        stream.series(series, "a", &["x", "y"]);
    }
    assert!(read(&stream.bytes()).unwrap_err().contains("more than 256 series"));
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..512)) {
        let _ = read(&bytes);
    }

    #[test]
    fn a_stream_with_any_byte_changed_is_read_without_panic(at in 0usize..800, to in any::<u8>()) {
        let mut bytes = whole().end(0).bytes();
        let at = at % bytes.len();
        bytes[at] = to;
        let _ = read(&bytes);
    }

    #[test]
    fn due_is_done_plus_lost_for_any_valid_stream(blocks in prop::collection::vec((any::<bool>(), 1u64..50), 0..40)) {
        let (mut stream, mut due, mut done) = (Stream::new(), 0, 0);
        stream.hello(1).series(1, "a", &["x", "y"]);
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
