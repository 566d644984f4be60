// SPDX-License-Identifier: MIT OR Apache-2.0
use super::*;
use crate::modes::ModeCounts;
use crate::tick::Tick;
use proptest::prelude::*;

fn record(at: u64, line: u16, level: u8, flags: u8, aux: u32) -> Vec<u8> {
    let mut bytes = at.to_le_bytes().to_vec();
    bytes.extend(line.to_le_bytes());
    bytes.extend([level, flags]);
    bytes.extend(aux.to_le_bytes());
    bytes
}

fn file(records: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = b"BWEDGES\0".to_vec();
    for (value, width) in [(1u64, 2), (32, 2), (16, 2), (0, 2), (1_000_000_000, 8), (0, 8)] {
        bytes.extend(&value.to_le_bytes()[..width]);
    }
    bytes.extend(records.concat());
    bytes
}

// A warm-up pulse, a measured pulse that interrupted the instruction at 0xC0DE, answers on D1, and the footer.
fn whole() -> Vec<Vec<u8>> {
    vec![
        record(100, 0, 1, 1, 0),
        record(105, 17, 1, 0, 2),
        record(120, 0, 0, 0, 0),
        record(121, 17, 0, 0, 0),
        record(200, 0, 1, 2, 1),
        record(0xC0DE, 256, 1, 64, 1),
        record(220, 0, 0, 0, 1),
        record(2, 0xFFFC, 0, 128, 0),
        record(0, 0xFFFD, 0, 128, 0),
        record(7, 0xFFFE, 0, 128, 0),
        record(300, 0xFFFF, 1, 128, 0),
    ]
}

fn fault_of(records: &[Vec<u8>]) -> (u64, RecordFault) {
    match read(&file(records)[..]) {
        Err(BadRecording::Record { offset, fault }) => (offset, fault),
        other => panic!("{other:?}"),
    }
}

#[test]
fn counts_belong_to_the_edge_before_them() {
    let mut records = whole();
    records.insert(1, record(40, 258, 0, 64, 0));
    records.insert(2, record(7, 259, 0, 64, 0));
    records.insert(4, record(43, 258, 0, 64, 0));
    let counted = |at, user, waited| ModeCounts { at: Tick(at), user, waited };
    assert_eq!(read(&file(&records)[..]).unwrap().modes.0, [counted(100, 40, 7), counted(105, 43, 7)]);
    records[4] = record(39, 258, 0, 64, 0);
    assert_eq!(fault_of(&records), (32 + 4 * 16, RecordFault::Count(39)));
    records[4] = record(106, 258, 0, 64, 0);
    assert_eq!(fault_of(&records).1.to_string(), "has the impossible count 106");
}

#[test]
fn a_whole_recording_is_read_to_the_last_field() {
    let recording = read(&file(&whole())[..]).unwrap();
    let edges = &recording.edges;
    let stimulus = edges.line("stimulus_a").unwrap();
    assert_eq!(stimulus.rises().collect::<Vec<_>>(), [Tick(100), Tick(200)]);
    assert_eq!(stimulus.warmup, 1);
    assert_eq!(edges.line("ist").unwrap().rises().collect::<Vec<_>>(), [Tick(105)]);
    assert!(edges.line("app").unwrap().edges.is_empty(), "the capture lists a silent line");
    assert_eq!((edges.count(), edges.end_at), (6, Tick(300)));
    assert_eq!(recording.interrupted[0], [Interrupted { seq: 1, address: 0xC0DE, interrupts_on: true }]);
    assert_eq!((recording.late_stimuli, recording.channel_bytes), (1, 7));
    assert_eq!(recording.ended, RecordingEnd::Complete);
}

#[test]
fn a_record_may_lie_in_two_buffers() {
    let mut bytes = file(&whole());
    for _ in 0..2 {
        for capacity in [1, 7, 16, 40] {
            let read_so = read(std::io::BufReader::with_capacity(capacity, &bytes[..]));
            let at_once = read(&bytes[..]);
            match (read_so, at_once) {
                (Ok(one), Ok(other)) => assert_eq!(one, other),
                (one, other) => assert_eq!(one.unwrap_err().to_string(), other.unwrap_err().to_string()),
            }
        }
        bytes.extend([0; 3]); // bytes after the end
    }
}

#[test]
fn a_recording_without_its_footer_is_truncated_wherever_it_was_cut() {
    let bytes = file(&whole());
    for end in HEADER_BYTES..bytes.len() {
        let recording = read(&bytes[..end]).unwrap();
        assert_eq!(recording.ended, RecordingEnd::Truncated, "cut at {end}");
    }
    for end in 0..HEADER_BYTES {
        assert!(matches!(read(&bytes[..end]), Err(BadRecording::NotEdges)), "cut at {end}");
    }
}

#[test]
fn every_fault_names_its_record() {
    let bad = [
        (record(130, 3, 1, 0, 0), RecordFault::Line(3)),
        (record(130, 77, 1, 0, 0), RecordFault::Line(77)),
        (record(130, 0, 2, 0, 0), RecordFault::Level(2)),
        (record(130, 0, 0, 0, 0), RecordFault::NoChange(0)),
        (record(119, 0, 1, 0, 0), RecordFault::Order { at: 119, before: 121 }),
        (record(u64::MAX, 0, 1, 0, 0), RecordFault::TooLate(u64::MAX)),
        (record(9, 0xFFFC, 0, 128, 0), RecordFault::Pulses { said: 9, counted: 1 }),
        (record(300, 0xFFFF, 9, 128, 0), RecordFault::Reason(9)),
    ];
    for (wrong, fault) in bad {
        let mut records = whole()[..4].to_vec();
        records.push(wrong);
        assert_eq!(fault_of(&records), (HEADER_BYTES as u64 + 64, fault));
    }
}

#[test]
fn a_warmup_pulse_after_a_measured_one_and_bytes_after_the_end_are_refused() {
    let mut records = whole();
    records.push(record(300, 0, 1, 0, 0));
    assert_eq!(fault_of(&records), (HEADER_BYTES as u64 + 176, RecordFault::AfterEnd));
    records[11].truncate(5);
    assert_eq!(fault_of(&records), (HEADER_BYTES as u64 + 176, RecordFault::AfterEnd));
    let late_warmup = [record(1, 0, 1, 0, 0), record(2, 0, 0, 0, 0), record(3, 0, 1, 1, 1)];
    assert_eq!(fault_of(&late_warmup), (HEADER_BYTES as u64 + 32, RecordFault::Warmup));
}

#[test]
fn a_header_of_another_version_or_rate_is_refused_with_its_field() {
    for (at, field) in [(8, "version"), (10, "header_bytes"), (12, "record_bytes"), (16, "instructions_per_second")] {
        let mut bytes = file(&whole());
        bytes[at] ^= 0x40;
        assert!(matches!(read(&bytes[..]), Err(BadRecording::Header { field: f, .. }) if f == field), "{field}");
    }
}

proptest! {
    #[test]
    fn no_bytes_after_the_header_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let mut whole = file(&[]);
        whole.extend(bytes);
        let _ = read(&whole[..]);
    }

    #[test]
    fn one_changed_byte_never_makes_the_reader_panic(at in 0usize..208, value in any::<u8>()) {
        let mut bytes = file(&whole());
        bytes[at] = value;
        if let Ok(recording) = read(&bytes[..]) {
            prop_assert!(recording.edges.count() <= 7);
        }
    }
}
