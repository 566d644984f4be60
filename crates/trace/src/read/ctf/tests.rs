// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traces that are put together field by field, as the published definitions have them.

use super::super::error::ReadError;
use super::super::played::Played;
use super::super::receiver::Receiver;
use super::super::stored::OpenRecording;
use crate::event::{Event, Name, Section, Stamped, Thread};
use crate::read::about::About;
use crate::write::ctf::{Ctf, description};

#[derive(Clone, Debug, Default, PartialEq)]
struct Heard {
    events: Vec<(u32, Stamped)>,
    gaps: Vec<(u32, u64)>,
    begins: Vec<(u32, u64)>,
}

impl Receiver for Heard {
    fn event(&mut self, cpu: u32, stamped: &Stamped) {
        self.events.push((cpu, *stamped));
    }

    fn gap_begins(&mut self, cpu: u32, at_ns: u64) {
        self.begins.push((cpu, at_ns));
    }

    fn gap(&mut self, cpu: u32, at_ns: u64) {
        self.gaps.push((cpu, at_ns));
    }
}

fn played(metadata: &[u8], streams: &[(&str, &[u8])]) -> Result<(Heard, Played, About), ReadError> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("metadata"), metadata).unwrap();
    for (name, bytes) in streams {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    let mut stored = OpenRecording::of_folder(folder.path())?.expect("a trace");
    let mut heard = Heard::default();
    let played = stored.play(&mut heard)?;
    Ok((heard, played, stored.about().clone()))
}

fn refused(metadata: &str, stream: &[u8]) -> String {
    played(metadata.as_bytes(), &[("stream", stream)]).unwrap_err().to_string()
}

fn thread(id: i32, name: &str) -> Thread {
    Thread { id, priority: 120, name: Name::new(name.as_bytes()) }
}

fn events() -> Vec<(u32, Stamped)> {
    let at = |at_ns, thread, in_thread, event| Stamped { at_ns, thread, in_thread, to_switch: false, event };
    let (idle, worker) = (thread(0, "swapper/0"), thread(7, "worker"));
    vec![
        (0, at(1_000, 0, true, Event::Waking { thread: 7 })),
        (0, at(1_010, 0, true, Event::Switch { from: idle, preempted: true, to: worker })),
        (1, at(1_020, 0, false, Event::Enter(Section::Softirq(3)))),
        (1, at(1_030, 0, false, Event::Leave(Section::Softirq(3)))),
        (0, at(2_000, 7, true, Event::Switch { from: worker, preempted: false, to: idle })),
    ]
}

fn exported(gap_at_ns: Option<u64>) -> Vec<(u32, Vec<u8>)> {
    let mut ctf = Ctf::new(|_| Ok(Vec::new()), &About::default());
    for (cpu, stamped) in events() {
        if gap_at_ns == Some(stamped.at_ns) {
            ctf.gap(cpu, stamped.at_ns);
        }
        ctf.event(cpu, &stamped);
    }
    ctf.finish().unwrap()
}

fn read_export(streams: &[(u32, Vec<u8>)]) -> Result<(Heard, Played, About), ReadError> {
    let names: Vec<String> = streams.iter().map(|(cpu, _)| format!("cpu{cpu}")).collect();
    let files: Vec<(&str, &[u8])> =
        names.iter().zip(streams).map(|(name, (_, bytes))| (name.as_str(), bytes.as_slice())).collect();
    played(description().as_bytes(), &files)
}

#[test]
fn what_this_tool_exports_is_read_again_as_it_was() {
    let (heard, played, about) = read_export(&exported(None)).unwrap();
    assert_eq!(heard.events, events());
    assert_eq!((played.gaps, played.missed, heard.gaps.len()), (0, 0, 0));
    assert_eq!(
        (about.form.as_str(), about.clock.as_deref(), about.lost),
        ("CTF 1.8 by backwall", Some("mono"), Some(0))
    );
}

#[test]
fn discarded_events_are_a_loss_between_the_events_around_them() {
    let (heard, played, _) = read_export(&exported(Some(2_000))).unwrap();
    assert_eq!(heard.events, events());
    assert_eq!((played.gaps, played.missed), (1, 1));
    assert_eq!((heard.begins[0], heard.gaps[0]), ((0, 1_010), (0, 2_000)));
}

#[test]
fn each_tenth_cut_ends_in_one_line() {
    let streams = exported(None);
    let first = &streams[0].1;
    for end in (0..first.len()).step_by(10) {
        match read_export(&[(0, first[..end].to_vec())]) {
            Ok(_) => panic!("{end}"),
            Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
        }
    }
    let text = description();
    for end in (0..text.len() - 10).step_by(10) {
        if let Err(error) = played(&text.as_bytes()[..end], &[("cpu0", first)]) {
            assert!(!error.to_string().contains('\n'), "{error}");
        }
    }
}

// LTTng's compact header: times of 27 bits, and event numbers of five bits.
const LTTNG: &str = r#"/* CTF 1.8 */
typealias integer { size = 5; align = 1; signed = false; } := uint5_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 32; align = 8; signed = true; } := int;
typealias integer { size = 64; align = 8; signed = false; } := unsigned long;
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { uint32_t magic; uint32_t stream_id; }; };
env { domain = "kernel"; tracer_name = "lttng-modules"; tracer_major = 2; tracer_minor = 13; };
clock { name = "monotonic"; freq = 1000000000; offset = 1700000000000000000; };
typealias integer { size = 27; align = 1; signed = false; map = clock.monotonic.value; } := uint27_t;
typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } := uint64_time_t;
struct event_header_compact {
    enum : uint5_t { compact = 0 ... 30, extended = 31 } id;
    variant <id> {
        struct { uint27_t timestamp; } compact;
        struct { uint32_t id; uint64_time_t timestamp; } extended;
    } v;
} align(8);
stream {
    id = 0;
    event.header := struct event_header_compact;
    packet.context := struct { uint64_time_t timestamp_begin; uint64_time_t timestamp_end; unsigned long content_size;
        unsigned long packet_size; unsigned long packet_seq_num; unsigned long events_discarded; uint32_t cpu_id; };
};
event { name = "sched_switch"; id = 2; stream_id = 0; fields := struct {
    integer { size = 8; align = 8; signed = 0; encoding = UTF8; } _prev_comm[16]; int _prev_tid; int _prev_prio; unsigned long _prev_state;
    integer { size = 8; align = 8; signed = 0; encoding = UTF8; } _next_comm[16]; int _next_tid; int _next_prio; }; };
event { name = "other"; id = 40; stream_id = 0; fields := struct {
    uint32_t __length; uint32_t _values[__length]; string _text; enum : uint5_t { one = 1, two = 2 ... 9 } _which;
    variant <_which> { string one; uint32_t two; } _v; }; };
"#;

fn packet(begin_ns: u64, sequence: u64, discarded: u64, events: &[Vec<u8>]) -> Vec<u8> {
    let events = events.concat();
    let bits = 8 * (8 + 6 * 8 + 4 + events.len() as u64);
    let numbers = [begin_ns, begin_ns + 1_000, bits, bits + 64, sequence, discarded];
    let head = [0xc1fc_1fc1u32.to_le_bytes(), 0u32.to_le_bytes()].concat();
    [head, numbers.map(u64::to_le_bytes).concat(), 3u32.to_le_bytes().to_vec(), events, vec![0; 8]].concat()
}

fn lttng_switch(at_ns: u64, from: i32, to: i32, priority: i32) -> Vec<u8> {
    let head = 2 | ((at_ns & ((1 << 27) - 1)) as u32) << 5;
    let name = |name: &str| [name.as_bytes(), &[0; 16][name.len()..]].concat();
    let half = i32::to_le_bytes;
    let from = [name("from"), half(from).to_vec(), half(20).to_vec(), 1u64.to_le_bytes().to_vec()].concat();
    [head.to_le_bytes().to_vec(), from, name("to"), half(to).to_vec(), half(priority).to_vec()].concat()
}

fn lttng_other(at_ns: u64) -> Vec<u8> {
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
    let head = [vec![31], words(&[40]), at_ns.to_le_bytes().to_vec()].concat();
    // The selector 9 in five bits, and a number in the next whole bytes.
    [head, words(&[2, 10, 11]), b"text\0".to_vec(), vec![9], words(&[12])].concat()
}

#[test]
fn lttngs_compact_times_wrap_and_its_priorities_are_the_kernels() {
    let wrap = 1 << 27;
    let first = [lttng_switch(wrap - 100, 1, 2, -50), lttng_other(wrap - 50), lttng_switch(wrap + 50, 2, 1, 20)];
    let second = [lttng_switch(wrap + 3_000, 1, 2, 19)];
    let stream = [packet(wrap - 200, 0, 0, &first), packet(wrap + 2_000, 2, 5, &second)].concat();
    let (heard, played, about) = played(LTTNG.as_bytes(), &[("channel0_3", &stream)]).unwrap();
    let at: Vec<u64> = heard.events.iter().map(|(_, stamped)| stamped.at_ns).collect();
    assert_eq!(at, [wrap - 100, wrap + 50, wrap + 3_000]);
    let Event::Switch { from, preempted, to } = heard.events[0].1.event else { panic!("{heard:?}") };
    assert_eq!((from.id, from.priority, from.name.to_string().as_str(), preempted), (1, 120, "from", false));
    assert_eq!((to.id, to.priority, heard.events[0].0), (2, 50, 3));
    assert_eq!(played.by_name, [("other".to_string(), 1), ("sched_switch".to_string(), 3)].into());
    assert_eq!((played.gaps, played.missed, about.lost), (1, 5, Some(5)));
    assert_eq!((heard.begins[0], heard.gaps[0]), ((3, wrap + 50), (3, wrap + 3_000)));
    assert_eq!((about.form.as_str(), about.clock.as_deref()), ("CTF 1.8 by lttng-modules 2.13", Some("mono")));
}

#[test]
fn metadata_in_packets_is_the_same_text() {
    let mut packets = Vec::new();
    for piece in LTTNG.as_bytes().chunks(100) {
        let content = 37 + piece.len() as u32;
        let head = [
            &0x75d1_1d57u32.to_le_bytes()[..],
            &[0; 20],
            &(8 * content).to_le_bytes(),
            &(8 * (content + 11)).to_le_bytes(),
        ];
        packets.extend([&head.concat()[..], &[0, 0, 0, 1, 8], piece, &[0; 11]].concat());
    }
    let stream = packet(100, 0, 0, &[lttng_switch(200, 1, 2, 20)]);
    let (heard, ..) = played(&packets, &[("channel0_3", &stream)]).unwrap();
    assert_eq!(heard.events.len(), 1);
    let error = played(&packets[..packets.len() - 5], &[("channel0_3", &stream)]).unwrap_err().to_string();
    assert!(error.ends_with("metadata: a packet exceeds the file"), "{error}");
}

// CTF 2 with a big-endian stream, an optional, a variant, a blob and numbers of variable length.
const CTF_2: &str = r#"{"type":"preamble","version":2}
{"type":"field-class-alias","name":"u8","field-class":{"type":"fixed-length-unsigned-integer","length":8,"alignment":8,"byte-order":"big-endian"}}
{"type":"field-class-alias","name":"i32","field-class":{"type":"fixed-length-signed-integer","length":32,"alignment":8,"byte-order":"big-endian"}}
{"type":"trace-class","environment":{"tracer_name":"test"},"packet-header-field-class":{"type":"structure","member-classes":[
 {"name":"magic","field-class":{"type":"fixed-length-unsigned-integer","length":32,"alignment":8,"byte-order":"big-endian","roles":["packet-magic-number"]}}]}}
{"type":"clock-class","id":"c","frequency":1000000,"offset-from-origin":{"seconds":5}}
{"type":"data-stream-class","id":0,"default-clock-class-id":"c",
 "packet-context-field-class":{"type":"structure","member-classes":[
 {"name":"begin","field-class":{"type":"fixed-length-unsigned-integer","length":64,"alignment":8,"byte-order":"big-endian","roles":["default-clock-timestamp"]}}]},
 "event-record-header-field-class":{"type":"structure","member-classes":[
 {"name":"kind","field-class":{"type":"fixed-length-unsigned-integer","length":8,"alignment":8,"byte-order":"big-endian","roles":["event-record-class-id"]}},
 {"name":"low","field-class":{"type":"fixed-length-unsigned-integer","length":16,"alignment":8,"byte-order":"big-endian","roles":["default-clock-timestamp"]}}]}}
{"type":"event-record-class","id":1,"name":"sched_switch","payload-field-class":{"type":"structure","member-classes":[
 {"name":"count","field-class":{"type":"variable-length-unsigned-integer"}},
 {"name":"blob","field-class":{"type":"dynamic-length-blob","length-field-location":{"origin":"event-record-payload","path":["count"]}}},
 {"name":"has","field-class":{"type":"fixed-length-boolean","length":8,"alignment":8,"byte-order":"big-endian"}},
 {"name":"maybe","field-class":{"type":"optional","selector-field-location":{"path":["has"]},"field-class":"i32"}},
 {"name":"which","field-class":{"type":"variant","selector-field-location":{"path":["count"]},"options":[
  {"name":"few","selector-field-ranges":[[0,2]],"field-class":"u8"},{"name":"many","selector-field-ranges":[[3,200]],"field-class":"i32"}]}},
 {"name":"prev_comm","field-class":{"type":"null-terminated-string"}},{"name":"prev_tid","field-class":"i32"},{"name":"prev_prio","field-class":"i32"},
 {"name":"prev_state","field-class":{"type":"variable-length-signed-integer"}},
 {"name":"next_comm","field-class":{"type":"static-length-string","length":4}},{"name":"next_tid","field-class":"i32"},{"name":"next_prio","field-class":"i32"}]}}
"#;

#[test]
fn ctf_2_is_read_from_fragments_of_json() {
    let metadata: String = CTF_2
        .split("\n{\"type")
        .enumerate()
        .map(|(number, part)| match number {
            0 => format!("\u{1e}{part}\n"),
            _ => format!("\u{1e}{{\"type{part}\n"),
        })
        .collect();
    let words = |words: &[i32]| words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<_>>();
    let switch = |low: u16, count: u8, maybe: bool, from: i32, to: i32| {
        let optional = if maybe { [vec![1], words(&[-1])].concat() } else { vec![0] };
        let which = if count <= 2 { vec![9] } else { words(&[9]) };
        let head = [vec![1], low.to_be_bytes().to_vec(), vec![count], vec![0xaa; count as usize]].concat();
        [head, optional, which, b"a\0".to_vec(), words(&[from, 120]), vec![0x7f], b"bc\0\0".to_vec(), words(&[to, 49])]
            .concat()
    };
    let events = [switch(0xfffe, 1, true, 0, 5), switch(3, 200 & 0x7f, false, 5, 0)].concat();
    let stream = [0xc1fc_1fc1u32.to_be_bytes().to_vec(), 0x1_fff0u64.to_be_bytes().to_vec(), events].concat();
    let (heard, played, about) = played(metadata.as_bytes(), &[("s", &stream)]).unwrap();
    let at: Vec<u64> = heard.events.iter().map(|(_, stamped)| stamped.at_ns).collect();
    assert_eq!(at, [0x1_fffe * 1_000, 0x2_0003 * 1_000]);
    let Event::Switch { from, preempted, to } = heard.events[0].1.event else { panic!("{heard:?}") };
    assert_eq!((from.id, preempted, to.id, to.priority, to.name.to_string().as_str()), (0, false, 5, 49, "bc"));
    assert_eq!((played.by_name["sched_switch"], about.form.as_str()), (2, "CTF 2 by test"));
}

// Like Zephyr's metadata, which has neither a packet header nor a clock.
const PLAIN: &str = "/* CTF 1.8 */\ntypealias integer { size = 32; align = 8; } := u32;\ntypealias integer { size = 8; align = 8; } := u8;\n\
    struct event_header { u32 timestamp; u8 id; };\ntrace { major = 1; minor = 8; byte_order = le; };\n\
    stream { event.header := struct event_header; };\n";

#[test]
fn a_trace_without_packets_and_without_a_clock_is_read_in_nanoseconds() {
    let metadata = format!(
        "{PLAIN}event {{ name = idle; id = 0x1E; }};\nevent {{ name = sched_waking; id = 2; fields := struct {{ u32 tid; }}; }};\n"
    );
    let waking = |at: u32, tid: u32| [&at.to_le_bytes()[..], &[2], &tid.to_le_bytes()].concat();
    let stream = [waking(u32::MAX - 9, 7), [&5u32.to_le_bytes()[..], &[0x1e]].concat(), waking(20, 8)].concat();
    let (heard, played, about) = played(metadata.as_bytes(), &[("channel0_0", &stream)]).unwrap();
    let at: Vec<u64> = heard.events.iter().map(|(_, stamped)| stamped.at_ns).collect();
    assert_eq!(at, [u64::from(u32::MAX) - 9, (1 << 32) + 20]);
    assert_eq!(played.by_name["idle"], 1);
    assert_eq!(about.notes, ["the trace describes no clock; backwall takes its times as nanoseconds"]);
    let cut = refused(&metadata, &stream[..stream.len() - 2]);
    assert_eq!(cut, "stream: truncated in the event at byte 14; `truncate -s 14` keeps the complete events");
}

#[test]
fn hostile_lengths_end_in_one_line() {
    let event = |fields: &str| format!("{PLAIN}event {{ name = x; id = 1; fields := struct {{ {fields} }}; }};\n");
    let stream = |rest: &[u8]| [&[0; 4][..], &[1], rest].concat();
    let long = refused(&event("u8 a[0xffffffffffffffff];"), &stream(&[0; 40]));
    assert!(long.contains("truncated in the"), "{long}");
    let stated = refused(&event("u32 n; struct { u32 x; string y; } a[n];"), &stream(&[0xff; 40]));
    assert!(stated.contains("truncated in the"), "{stated}");
    // Four billion elements without content take no time.
    let nothing = played(event("u32 n; struct { } a[n]; u8 end;").as_bytes(), &[("s", &stream(&[0xff; 5]))]).unwrap();
    assert_eq!(nothing.1.by_name["x"], 1);
    let variant = refused(&event("enum : u8 { a = 1 } k; variant <k> { u8 a; } v;"), &stream(&[7, 7]));
    assert_eq!(variant, "stream: byte 0: a variant has no option for the value 7");
    let unknown = refused(&event("u8 a;"), &[0, 0, 0, 0, 9, 9]);
    assert_eq!(unknown, "stream: byte 0: an event of the undescribed class 9");
    let reference = refused(&event("u8 a[nothing];"), &stream(&[0]));
    assert_eq!(reference, "metadata, event x: no earlier field is called nothing");
    let clock = LTTNG.replace("name = \"monotonic\"", "name = \"other\"");
    assert_eq!(refused(&clock, &[0; 100]), "metadata: the times use the undescribed clock monotonic");
    let empty = "/* CTF 1.8 */ trace { byte_order = le; }; stream { }; event { name = x; id = 0; };";
    assert_eq!(refused(empty, &[1, 2]), "stream: byte 0: an event of 0 bits");
    assert_eq!(refused(LTTNG, &[0; 100]), "stream: not a CTF packet; move this file out of the trace's folder");
}

#[test]
fn a_clock_that_steps_back_is_refused() {
    let steps =
        [packet(5_000, 0, 0, &[lttng_switch(5_100, 1, 2, 20)]), packet(100, 1, 0, &[lttng_switch(200, 2, 1, 20)])]
            .concat();
    let error = refused(LTTNG, &steps);
    assert!(error.starts_with("the clock steps back: 1 of 2 events are earlier"), "{error}");
}

#[test]
fn no_damage_panics() {
    let stream = packet(100, 0, 0, &[lttng_switch(200, 1, 2, 20), lttng_other(300), lttng_switch(400, 2, 1, 20)]);
    for place in 0..stream.len() {
        for value in [0, 0x7f, 0xff] {
            let mut bytes = stream.clone();
            bytes[place] = value;
            if let Err(error) = played(LTTNG.as_bytes(), &[("channel0_3", &bytes)]) {
                assert!(!error.to_string().contains('\n'), "{error}");
            }
        }
    }
}

#[test]
fn zephyrs_two_events_are_a_switch() {
    let fields = "fields := struct { u32 thread_id; integer { size = 8; align = 8; encoding = ASCII; } name[20]; };";
    let event = |name: &str, id: u8| format!("event {{ name = {name}; id = {id}; {fields} }};\n");
    let metadata = [
        PLAIN.to_string(),
        event("thread_switched_out", 16),
        event("thread_switched_in", 17),
        event("thread_ready", 23),
    ];
    let record = |at: u32, id: u8, thread: u32, name: &str| {
        [&at.to_le_bytes()[..], &[id], &thread.to_le_bytes(), name.as_bytes(), &[0; 20][name.len()..]].concat()
    };
    let records = [
        record(10, 17, 100, "idle"),
        record(20, 23, 200, "low"),
        record(25, 16, 100, "idle"),
        record(30, 17, 200, "low"),
        record(40, 23, 300, "high"),
        record(45, 16, 200, "low"),
        record(50, 17, 300, "high"),
        record(60, 16, 300, "high"),
        record(65, 17, 200, "low"),
        record(70, 16, 200, "low"),
        record(75, 17, 100, "idle"),
    ];
    let (heard, ..) = played(metadata.concat().as_bytes(), &[("channel0_0", &records.concat())]).unwrap();
    let switches: Vec<_> = heard
        .events
        .iter()
        .filter_map(|(_, stamped)| match stamped.event {
            Event::Switch { from, preempted, to } => {
                Some((stamped.at_ns, from.id, preempted, to.id, to.name.to_string()))
            }
            _ => None,
        })
        .collect();
    let name = |name: &str| name.to_string();
    let expected = [
        (30, 0, true, 200, name("low")),
        (50, 200, true, 300, name("high")),
        (65, 300, false, 200, name("low")),
        (75, 200, false, 0, name("idle")),
    ];
    assert_eq!(switches, expected);
    assert_eq!(heard.events.len(), 6);
}

// A trace that barectf 3.1.2 wrote. babeltrace2 2.0.4 reads 166 events from 1,050 to 40,000, and 14 discarded ones.
#[test]
fn a_trace_of_barectf_is_what_babeltrace2_reads() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/barectf_3.1.2/trace");
    let mut stored = OpenRecording::of_folder(std::path::Path::new(data)).unwrap().unwrap();
    let mut heard = Heard::default();
    let played = stored.play(&mut heard).unwrap();
    assert_eq!(stored.about().form, "CTF 1.8 by barectf 3.1");
    assert_eq!(played.by_name, [("sched_switch".to_string(), 110), ("sched_waking".to_string(), 56)].into());
    assert_eq!((played.gaps, played.missed, stored.about().lost), (1, 14, Some(14)));
    let at = |event: Option<&(u32, Stamped)>| event.unwrap().1.at_ns;
    assert_eq!((at(heard.events.first()), at(heard.events.last())), (1_050, 40_000));
    let Event::Switch { from, to, .. } = heard.events[1].1.event else { panic!("{heard:?}") };
    assert_eq!((from.id, from.name.to_string().as_str(), to.id, to.priority), (0, "swapper/0", 7, 49));
}
