// SPDX-License-Identifier: MIT OR Apache-2.0
//! Seeds of the targets: files of real tools and kernels, and the shortest file of each format.
use super::reading::STREAM;
use backwall_trace::read::about::About;
use backwall_trace::read::receiver::Receiver;
use backwall_trace::read::stored::OpenRecording;
use backwall_trace::write::ctf::{self, Ctf};
use backwall_trace::write::perfetto::Perfetto;
use backwall_trace::write::trace_dat::{self, Head, QuotaRow};
use flate2::read::GzDecoder;
use std::io::{Cursor, Read, Write};
use std::path::Path;

macro_rules! recorded {
    ($($name:literal),+) => {
        include_str!(concat!("../../crates/trace/tests/data/linux_6.18/", $($name),+))
    };
}

macro_rules! formats {
    ($(($system:literal, $event:literal)),*) => {
        &[$(($system, $event, recorded!($event, ".format"))),*]
    };
}

macro_rules! files {
    ($($path:literal),*) => {
        vec![$(include_bytes!(concat!("../../", $path)).to_vec()),*]
    };
}

pub const HEADER_PAGE: &str = recorded!("header_page");
pub const FORMATS: &[(&str, &str, &str)] = formats![
    ("sched", "sched_switch"),
    ("sched", "sched_waking"),
    ("timer", "hrtimer_start"),
    ("timer", "hrtimer_expire_entry"),
    ("irq", "irq_handler_entry"),
    ("irq", "irq_handler_exit"),
    ("irq", "softirq_entry"),
    ("irq", "softirq_exit"),
    ("irq_vectors", "local_timer_entry"),
    ("irq_vectors", "local_timer_exit"),
    ("syscalls", "sys_exit_clock_nanosleep")
];
const PAGES: &[u8] = include_bytes!("../../crates/trace/tests/data/linux_6.18/cpu0.pages");
const PAGE_BYTES: usize = 4_096;

fn of(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

pub fn run() -> Vec<Vec<u8>> {
    files![
        "fuzz/seeds/run_wakeup.json",
        "fuzz/seeds/run_iltiming.json",
        "fuzz/seeds/run_lab.json",
        "fuzz/seeds/run_saturate.json",
        "fuzz/seeds/run_scope.json"
    ]
}

pub fn samples() -> Vec<Vec<u8>> {
    files!["fuzz/seeds/lab/samples.parquet"]
}

pub fn wire() -> Vec<Vec<u8>> {
    files![
        "wire/golden/v1/every.bin",
        "wire/golden/v1/load_spin.bin",
        "wire/golden/v1/unknown.bin",
        "wire/golden/v1/wakeup_queue.bin",
        "wire/golden/v2/every.bin",
        "wire/golden/v2/forty_series.bin",
        "wire/golden/v2/load_spin.bin",
        "wire/golden/v2/unknown.bin",
        "wire/golden/v2/wakeup_skip.bin"
    ]
}

pub fn load() -> Vec<Vec<u8>> {
    files!["wire/golden/v1/load_spin.bin", "wire/golden/v2/load_spin.bin"]
}

/// A job that was answered, one that was lost and one that was late, of the one task that the target knows.
pub fn jobs() -> Vec<Vec<u8>> {
    let mut stream = backwall_wire::fixture::Stream::new();
    let points = ["nominal", "release", "start", "finish"];
    stream.hello().series(0, "control", &points);
    stream
        .samples(0, 0, 0, &[&[0, 10, 20, 300], &[1_000, 1_010, 1_020, 1_900]])
        .lost(0, 2, 1, 1)
        .totals(0, 3, 2, 1)
        .end(0);
    vec![stream.bytes()]
}

pub fn trace_dat_6() -> Vec<Vec<u8>> {
    let head = Head {
        smi: "not readable".to_string(),
        header_page: HEADER_PAGE.to_string(),
        formats: FORMATS.iter().map(|(system, _, text)| (system.to_string(), text.to_string())).collect(),
        functions: "ffffffff81000100 t walk\n".to_string(),
        names: "15358 cyclictest\n1 init\n".to_string(),
        processes: "15358 15357\n".to_string(),
        clock: "local [mono] boot".to_string(),
        system: "Linux test".to_string(),
        statistics: vec!["entries: 0\noverrun: 3\ndropped events: 1\n".to_string()],
        quotas: vec![QuotaRow { group: "a b".to_string(), times: 3, ns: 9_000_000, threads: vec![15358] }],
    };
    let pages = &PAGES[..2 * PAGE_BYTES];
    let mut whole = Cursor::new(Vec::new());
    trace_dat::write(&mut whole, &head, PAGE_BYTES, vec![Some((pages.len() as u64, pages)), None]).unwrap();
    vec![whole.into_inner()]
}

pub fn trace_dat_7() -> Vec<Vec<u8>> {
    files!["fuzz/seeds/trace_7.dat"]
}

pub fn perf_data() -> Vec<Vec<u8>> {
    files!["fuzz/seeds/perf.data", "fuzz/seeds/perf_pipe.data", "fuzz/seeds/perf_packed.data"]
}

/// A trace of LTTng's user-space tracer, and one in CTF 2. Each consists of metadata, a mark, and a stream.
pub fn ctf() -> Vec<Vec<u8>> {
    let mut exported = Ctf::new(|_| Ok(Vec::new()), &About::default());
    played_into(&mut exported);
    let streams = exported.finish().expect("a stream in memory").into_iter();
    let joined = |metadata: &[u8], stream: &[u8]| [metadata, STREAM, stream].concat();
    let own = streams.map(|(_, stream)| joined(ctf::description().as_bytes(), &stream));
    let fragments = include_bytes!("../seeds/ctf_2.metadata");
    let events =
        [&[0, 1, 2, 2, 0xaa, 0xbb][..], b"worker\0", &7u32.to_le_bytes(), &[3, 1, 0], b"x\0", &9u32.to_le_bytes()]
            .concat();
    own.chain([joined(fragments, &events)]).collect()
}

/// A trace with compact switches, the same one compressed, both written with the published definition, and an export by backwall.
pub fn perfetto() -> Vec<Vec<u8>> {
    let mut exported = Perfetto::new(Vec::new(), &About::default()).expect("a trace in memory");
    played_into(&mut exported);
    let own = exported.finish().expect("a trace in memory");
    let mut all = files!["fuzz/seeds/compact.pftrace", "fuzz/seeds/compressed.pftrace"];
    all.push(own);
    all
}

fn played_into(receiver: &mut impl Receiver) {
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(&trace_text()[0]).expect("a file");
    OpenRecording::of(file).expect("a text").play(receiver).expect("its events");
}

pub fn trace_text() -> Vec<Vec<u8>> {
    let lines: Vec<&str> = recorded!("cpu0.text").lines().take(60).collect();
    let latency = include_str!("../../crates/trace/tests/data/field/wakeup_rt-latency-format.txt");
    let mail: String = latency.lines().map(|row| format!("> {row}\r\n")).collect();
    of(&[
        &lines.join("\n"),
        latency,
        &mail,
        include_str!("../../crates/trace/tests/data/field/rtla-timerlat-trace.txt"),
        include_str!("../../crates/trace/tests/data/field/timerlat-and-sched-trace.txt"),
        include_str!("../../crates/trace/tests/data/field/late-after-switch.txt"),
        "a-b 7 [001] 2.000000: sched:sched_waking: comm=a pid=1 prio=1 target_cpu=001\n\
         a-b 7 [001] 2.000001: irq_vectors:local_timer_entry: vector=236\n\
         \tffffffff821f8b58 asm_sysvec_apic_timer_interrupt+0x618 ([kernel.kallsyms])\n\
         a-b 7 [001] 2.000002: sched:sched_switch: prev_comm=a prev_pid=7 prev_prio=120 prev_state=R ==> next_comm=b next_pid=1 next_prio=1\n",
    ])
}

pub fn trail() -> Vec<Vec<u8>> {
    of(&["Detent, profile detent, 1 ms tick, counter 1000000000 Hz\nhello\ntrail 90 interrupt 10\n\
          trail 95 ISR answers 0\ntrail 100 runs 1 idle\ntrail 200 interrupt 7\ntrail 215 ISR answers 1f\n\
          trail 260 runs 10041 ist_main 10\ntrail 300 moves to 3\ntrail 400 runs 1 idle\ntrail: 20 entries, the last 9 shown\n"])
}

pub fn pages() -> Vec<Vec<u8>> {
    vec![PAGES[..PAGE_BYTES].to_vec(), PAGES[PAGE_BYTES..3 * PAGE_BYTES].to_vec()]
}

pub fn layouts() -> Vec<Vec<u8>> {
    let formats = FORMATS.iter().map(|(.., text)| *text);
    of(&formats.chain([HEADER_PAGE]).collect::<Vec<_>>())
}

pub fn functions() -> Vec<Vec<u8>> {
    of(&["ffffffff81000000 T _stext\nffffffff81000100 t do_one_initcall\nffffffffc0000000 t in_module\t[ext4]\n"])
}

fn unpacked(packed: &[u8], most: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    GzDecoder::new(packed).take(most).read_to_end(&mut bytes).unwrap();
    bytes
}

pub fn vcd() -> Vec<Vec<u8>> {
    let written = unpacked(include_bytes!("../seeds/lab/edges.vcd.gz"), 2_000);
    let short: &[u8] =
        b"$timescale 1 ns $end $var wire 1 ! a $end $var wire 4 # b [3:0] $end $enddefinitions $end #0 0! b1010 # #5 1! #9 x!";
    let end = written.iter().rposition(|byte| *byte == b'\n').unwrap();
    vec![written[..end].to_vec(), short.to_vec()]
}

pub fn edges() -> Vec<Vec<u8>> {
    let written = unpacked(include_bytes!("../seeds/lab/edges.bin.gz"), 1 << 20);
    vec![written[..1_024].to_vec(), written]
}

/// Tables of levels and of volts, with a time, a number or nothing before each row.
pub fn csv() -> Vec<Vec<u8>> {
    of(&[
        "; CSV generated by libsigrok 0.5.2\n; Channels (2/8): INT, CS#\n; Samplerate: 1 MHz\nlogic,logic\n0,1\n1,1\n1,0\n0,0\n",
        "; CSV generated by libsigrok 0.5.2\n; Channels (1/8): INT\n; Samplerate: 12 MHz\nnanoseconds,logic\n83,1\n249,0\n1245,1\n",
        "Time [s],Channel 0,IRQ\n-0.000010,0,0\n0.0,1,0\n0.0000051,1,1\n0.00001,X,X\n0.00002,0,1\n",
        "Time (us);a;b\n0,0;0;0\n1,5;1;0\n3,0;1;1\n",
        "x-axis,1\nsecond,Volt\n-1.000E-06,+0E+00\n+0.000E+00,+0E+00\n+1.000E-06,+0E+00\n+2.000E-06,+4E+00\n+3.000E-06,+4E+00\n",
        "Model,MDO4104C\nSample Interval,1e-06,\n,,\nTIME,CH1\n-1e-6,0.0\n0,0.0\n1e-6,0.1\n2e-6,4.1\n3e-6,4.1\n",
        "X,CH1,Start,Increment,\nSequence,VOLT,-1e-6,1e-6\n0,0,\n1,0,\n2,0,\n3,4,\n4,4,\n",
        "CH1(V),t0 = -1e-06s, tInc = 1e-06s,\n0.0,\n0.0,\n4.0,\n4.0,\n",
        "Record Length,5,,-1e-6,0,\nSample Interval,1e-6,,0,0,\nTrigger Point,1,,1e-6,0,\n,,,2e-6,4,\n,,,3e-6,4,\n",
        "Record Length,Analog:3\nVertical Scale,CH1: 0.05\nSecond,Volt\n-1e-6,0.0\n0,3.3\n1e-6,0.1\n",
    ])
}

/// A trail of two blocks. The second, in user mode, starts twice and has a register at both ends.
pub fn lab_trail() -> Vec<Vec<u8>> {
    let record = |kind: u8, flag: u8, count: u16, number: u32, value: u64| {
        let mut record = vec![kind, flag];
        record.extend(count.to_le_bytes());
        record.extend(number.to_le_bytes());
        record.extend(value.to_le_bytes());
        record
    };
    let records = [
        b"BWTRAIL\0\x01\0\0\0\0\0\0\0".to_vec(),
        record(4, 0, 0, 0, 7),
        record(1, 0, 3, 0, 0x100),
        vec![2, 0x81, 3, 0, 0, 0, 0, 0],
        record(2, 1, 0, 0, 50),
        record(1, 1, 1, 1, 0x400),
        vec![5, 0, 0, 0, 0, 0, 0, 0],
        record(2, 1, 0, 1, 53),
        record(2, 0, 0, 0, 60),
        record(4, 1, 0, 0, 9),
        record(3, 0, 0, 0, 62),
    ];
    vec![records.concat()]
}

/// Three stretches, of which the second began in user mode, and the footer.
pub fn lab_stretches() -> Vec<Vec<u8>> {
    let rows: [[u64; 5]; 4] =
        [[10, 20, 0x100, 0x200, 0], [25, 90, 0x40, 0x200, 1], [90, 95, 0x100, 0x300, 0], [9, 3, 0, 0, 2]];
    let mut bytes = b"BWMASKS\0\x01\0\0\0\0\0\0\0".to_vec();
    bytes.extend(rows.iter().flatten().flat_map(|number| number.to_le_bytes()));
    vec![bytes]
}

pub fn lines() -> Vec<Vec<u8>> {
    files!["fuzz/seeds/lines_of_source"]
}

pub fn elf() -> Vec<Vec<u8>> {
    vec![super::made::elf()]
}

pub fn map() -> Vec<Vec<u8>> {
    of(&["ffffffff81000100 T cpu_idle\nffffffff81000200 w weak_one\nffffffff81000300 d data\n"])
}

pub fn imported(format: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/formats/tests/data").join(format);
    let files = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = files.map(|file| file.expect("an example").path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("an example")).collect()
}

pub fn schedcat() -> Vec<Vec<u8>> {
    files!["crates/tasks/src/examples/schedcat.xml"]
}

pub fn simso() -> Vec<Vec<u8>> {
    files!["crates/tasks/src/examples/simso.xml"]
}

pub fn cheddar() -> Vec<Vec<u8>> {
    files!["crates/tasks/src/examples/cheddar.xmlv3", "crates/tasks/src/examples/cheddar-offsets.xmlv3"]
}

pub fn rt_app() -> Vec<Vec<u8>> {
    files!["crates/tasks/src/examples/rt-app.json"]
}

pub fn mast() -> Vec<Vec<u8>> {
    files!["crates/tasks/src/examples/mast.txt", "crates/tasks/src/examples/mast2.txt"]
}

pub fn mast_xml() -> Vec<Vec<u8>> {
    files!["crates/tasks/src/examples/mast.xml"]
}

pub fn toml_set() -> Vec<Vec<u8>> {
    files!["docs/how-to/tasks/control.toml"]
}

pub fn recipe() -> Vec<Vec<u8>> {
    files!["crates/watch/src/recipes/linuxcnc.toml", "crates/watch/src/recipes/pipewire.toml"]
}

pub fn campaign() -> Vec<Vec<u8>> {
    of(&["[matrix]\nscenario = [\"bare-answer\", \"mine.toml\"]\nseeds = \"1-64,70\"\n"])
}

pub fn fleet() -> Vec<Vec<u8>> {
    of(&["run = [\"run\", \"--quick\"]\nlimit = \"10m\"\n[[device]]\nname = \"a\"\naddress = \"root@a\"\nport = 22\n\
        [[device]]\nname = \"b\"\nkind = \"container\"\ncontainer = \"box\"\n"])
}

pub fn recordings() -> Vec<Vec<u8>> {
    of(&["backwall-recordings 1\nrecording 7 run 3\nabcnothing 8 watch no more\nend\n"])
}

pub fn parcel() -> Vec<Vec<u8>> {
    of(&["backwall-parcel 1\nfile run.json 3\n{}\nfile edges.vcd 0\nend 3\n"])
}

pub fn scenario() -> Vec<Vec<u8>> {
    files![
        "lab/scenarios/bare-answer.toml",
        "lab/scenarios/bare-poisson.toml",
        "lab/scenarios/detent-bench.toml",
        "lab/scenarios/detent-sweep.toml",
        "lab/scenarios/linux-rt-trace.toml",
        "lab/scenarios/linux-stock-timers.toml"
    ]
}

pub fn rules() -> Vec<Vec<u8>> {
    of(&[
        "# loop\nafter wakes \"my loop\" within 200us runs 12, unless irq eth0\n",
        "after timer within 1ms softirq NET_RX",
    ])
}

pub fn sums() -> Vec<Vec<u8>> {
    vec![format!("{}  run.json\n{}  seal.json\n", "0f".repeat(32), "a1".repeat(32)).into_bytes()]
}

pub fn seal() -> Vec<Vec<u8>> {
    let environment = serde_json::to_value(backwall_model::Environment::default()).unwrap();
    let plan = serde_json::to_value(backwall_model::Plan::default()).unwrap();
    let key = serde_json::json!({"name": "wakeup", "load": "none", "idle": "as-is"});
    let claims =
        serde_json::json!([{"claim": "maximum", "value": "12", "sql": "SELECT max(value) FROM 'samples.parquet'"}]);
    let seal = serde_json::json!({
        "seal": 1, "tool": "0.2.0", "origin": "simulated", "started": "2026-11-27T00:00:00Z", "valid": true, "invalid": [],
        "interrupted": false, "plan": plan, "environment": environment, "evidence": "samples",
        "claims": [{"series": key, "unit": "ns", "claims": claims}], "late": [],
    });
    vec![seal.to_string().into_bytes()]
}

pub fn requirement() -> Vec<Vec<u8>> {
    of(&[
        "wakeup.p99.99 < 100us",
        "missed == 0",
        "wakeup[load=all,idle=as-is].max < 1ms",
        "read[size=64].p99 < 2us",
        "isr.max <= 42 instructions",
        "p99 < 50us at 99%",
    ])
}

pub fn words() -> Vec<Vec<u8>> {
    of(&[
        "spin*2@1-3+cache",
        "all",
        "tcp:scope.lan:5025",
        "/dev/usbtmc0",
        "12.5MHz",
        "0-3,5",
        "timer a > a > each b > call write",
    ])
}
