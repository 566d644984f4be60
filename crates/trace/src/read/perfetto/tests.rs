// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traces that are put together byte by byte, as the published definitions have them.
use super::super::error::ReadError;
use super::super::played::Played;
use super::super::receiver::Receiver;
use super::super::stored::OpenRecording;
use crate::event::{Event, Stamped};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::Write;

#[derive(Default)]
struct Heard(Vec<String>);

impl Receiver for Heard {
    fn event(&mut self, cpu: u32, stamped: &Stamped) {
        let what = match stamped.event {
            Event::Switch { from, preempted, to } => {
                format!(
                    "{} -> {} {} {}{}",
                    from.id,
                    to.id,
                    to.name,
                    to.priority,
                    if preempted { " preempted" } else { "" }
                )
            }
            Event::Waking { thread } => format!("wakes {thread}"),
            other => format!("{other:?}"),
        };
        let above = if stamped.in_thread { "" } else { " above" };
        self.0.push(format!("{} {cpu}: {}{above} {what}", stamped.at_ns, stamped.thread));
    }

    fn gap_begins(&mut self, cpu: u32, at_ns: u64) {
        self.0.push(format!("{at_ns} {cpu}: gap begins"));
    }

    fn gap(&mut self, cpu: u32, at_ns: u64) {
        self.0.push(format!("{at_ns} {cpu}: gap ends"));
    }
}

fn number(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

fn field(place: u64, value: u64) -> Vec<u8> {
    [number(place << 3), number(value)].concat()
}

fn bytes(place: u64, bytes: &[u8]) -> Vec<u8> {
    [number(place << 3 | 2), number(bytes.len() as u64), bytes.to_vec()].concat()
}

fn packed(place: u64, values: &[u64]) -> Vec<u8> {
    bytes(place, &values.iter().flat_map(|value| number(*value)).collect::<Vec<_>>())
}

fn bundle(cpu: u64, inner: &[Vec<u8>]) -> Vec<u8> {
    bytes(1, &bytes(1, &[field(1, cpu), inner.concat()].concat()))
}

fn event(at_ns: u64, thread: u64, place: u64, fields: &[Vec<u8>]) -> Vec<u8> {
    bytes(2, &[field(1, at_ns), field(2, thread), bytes(place, &fields.concat())].concat())
}

fn switch(at_ns: u64, from: u64, to: u64) -> Vec<u8> {
    let fields =
        [bytes(1, b"one"), field(2, from), field(3, 120), field(4, 1), bytes(5, b"other"), field(6, to), field(7, 49)];
    event(at_ns, from, 4, &fields)
}

fn trace() -> Vec<u8> {
    let compact = [
        bytes(5, b"idle"),
        bytes(5, b"worker"),
        packed(1, &[1_000, 500]),
        packed(2, &[0, 1]),
        packed(3, &[7, 0]),
        packed(4, &[98, 120]),
        packed(6, &[1, 0]),
        packed(7, &[990, 300]),
        packed(8, &[7, 8]),
        packed(9, &[0, 1]),
        packed(10, &[98, 120]),
        packed(11, &[1, 1]),
        packed(12, &[0, 8]),
    ];
    let softirq = [event(1_100, 7, 24, &[field(1, 1)]), event(1_150, 7, 25, &[field(1, 1)])];
    let other = [switch(900, 0, 5), switch(1_200, 5, 0)];
    [
        bundle(1, &other),
        bundle(0, &[bytes(4, &compact.concat())]),
        bundle(0, &softirq),
        bundle(1, &[field(3, 1), switch(1_400, 0, 5)]),
    ]
    .concat()
}

fn played(trace: &[u8]) -> Result<(Vec<String>, Played), ReadError> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(trace).unwrap();
    let mut stored = OpenRecording::of(file)?;
    let mut heard = Heard::default();
    let played = stored.play(&mut heard)?;
    Ok((heard.0, played))
}

const EXPECTED: [&str; 11] = [
    "900 1: 0 0 -> 5 other 49",
    "990 0: 0 wakes 7",
    "1000 0: 0 0 -> 7 worker 98 preempted",
    "1100 0: 7 above Enter(Softirq(1))",
    "1150 0: 7 above Leave(Softirq(1))",
    "1200 1: 5 5 -> 0 other 49",
    "1200 1: gap begins",
    "1290 0: 7 above wakes 8",
    "1400 1: gap ends",
    "1400 1: 0 0 -> 5 other 49",
    "1500 0: 7 7 -> 0 idle 120",
];

#[test]
fn bundles_of_all_cpus_are_played_in_order_of_time_whichever_form_they_have() {
    let (heard, played) = played(&trace()).unwrap();
    assert_eq!(heard, EXPECTED);
    let counts = [("sched_switch", 5), ("sched_waking", 2), ("softirq_entry", 1), ("softirq_exit", 1)];
    assert_eq!(played.by_name, counts.map(|(name, count)| (name.to_string(), count)).into());
    assert_eq!(played.gaps, 1);
}

#[test]
fn compressed_packets_are_the_same_trace() {
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::default());
    packer.write_all(&trace()).unwrap();
    let whole = bytes(1, &bytes(50, &packer.finish().unwrap()));
    assert_eq!(played(&whole).unwrap().0, EXPECTED);
    let bad = bytes(1, &bytes(50, b"no zlib"));
    assert!(played(&bad).unwrap_err().to_string().contains("compressed packets"));
}

#[test]
fn a_recorder_that_puts_all_wakings_on_one_cpu_names_no_waker() {
    let compact = |columns: &[Vec<u8>]| bytes(4, &columns.concat());
    let first = compact(&[packed(1, &[10]), packed(3, &[7]), packed(7, &[20]), packed(8, &[9]), packed(12, &[1])]);
    let second = compact(&[packed(1, &[15]), packed(3, &[8])]);
    let (heard, played) = played(&[bundle(0, &[first]), bundle(1, &[second])].concat()).unwrap();
    assert_eq!(heard[2], "20 0: 7 above wakes 9");
    assert_eq!(played.notes, ["the recorder puts every wakeup on CPU 0, so backwall cannot tell who woke a thread"]);
}

#[test]
fn each_cut_and_each_changed_byte_ends_in_a_line_or_in_events() {
    let whole = trace();
    for end in 0..whole.len() {
        if let Err(error) = played(&whole[..end]) {
            assert!(!error.to_string().contains('\n'), "{error}");
        }
    }
    for place in 0..whole.len() {
        for value in [0, 0x7f, 0x80, 0xff] {
            let mut bytes = whole.clone();
            bytes[place] = value;
            let _ = played(&bytes);
        }
    }
}

#[test]
fn what_is_no_trace_of_the_kernel_says_how_to_record_one() {
    let tracks = bytes(1, &bytes(60, &field(1, 3)));
    let refused = played(&tracks).unwrap_err().to_string();
    assert!(
        refused.starts_with("a trace of Perfetto with track events of programs only; add the data source linux.ftrace"),
        "{refused}"
    );
    let backward = bundle(0, &[switch(100, 0, 1), switch(50, 1, 0)]);
    assert!(played(&backward).unwrap_err().to_string().starts_with("the clock steps back: 1 of 2 events"));
    let nobody = bundle(0, &[event(1, 0, 4, &[bytes(1, b"x")])]);
    assert_eq!(played(&nobody).unwrap_err().to_string(), "cannot parse 1 of 1 kernel events");
    let cpu = bundle(1 << 20, &[switch(1, 0, 1)]);
    assert!(played(&cpu).unwrap_err().to_string().ends_with("CPU 1048576 is out of range"));
}

#[test]
fn a_text_that_begins_with_an_empty_row_is_no_trace_of_perfetto() {
    let text = b"\n#   tracer: nop\n   a-7 [000] .... 1.000000: sched_waking: comm=x pid=9 prio=1\n";
    assert_eq!(played(text).unwrap().0, ["1000000000 0: 7 wakes 9"]);
}
