// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recordings that other programs made, and recordings that other programs read.
use crate::lacking::skip;
use crate::python;
use crate::recordings;
use crate::tool::tool_in as tool;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn done(folder: &Path, words: &[&str]) -> String {
    let output = tool(folder, words);
    assert_eq!(output.status.code(), Some(0), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn said(folder: &Path, words: &[&str]) -> String {
    done(folder, words).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn counts(folder: &Path, file: &str) -> BTreeMap<String, u64> {
    let told: Value = serde_json::from_str(&done(folder, &["trace", "report", file, "--json"])).unwrap();
    serde_json::from_value(told["by_name"].clone()).unwrap()
}

fn place() -> (tempfile::TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("trace.dat"), recordings::trace_dat()).unwrap();
    let path = place.path().to_path_buf();
    (place, path)
}

fn others(folder: &Path, program: &str, words: &[&str]) -> Option<Output> {
    Command::new(program).args(words).current_dir(folder).output().ok()
}

#[test]
fn trace_cmd_prints_as_many_events_of_our_recording_as_we_count() {
    let (_place, folder) = place();
    let Some(printed) = others(&folder, "trace-cmd", &["report", "-i", "trace.dat"]) else {
        return skip("trace_cmd_prints_as_many_events_of_our_recording_as_we_count", "no trace-cmd");
    };
    let text = String::from_utf8_lossy(&printed.stdout).into_owned();
    let rows = text.lines().filter(|row| row.contains("[000]")).count();
    assert_eq!((printed.status.success(), rows), (true, 310), "{}", String::from_utf8_lossy(&printed.stderr));
    std::fs::write(folder.join("printed.txt"), &text).unwrap();
    let printed = counts(&folder, "printed.txt");
    assert_eq!(printed["sched_switch"], counts(&folder, "trace.dat")["sched_switch"]);
}

#[test]
fn trace_cmd_writes_the_clock_where_we_read_it_and_reads_it_where_we_write_it() {
    let test = "trace_cmd_writes_the_clock_where_we_read_it_and_reads_it_where_we_write_it";
    let (_place, folder) = place();
    for version in ["6", "7"] {
        let words = ["convert", "-i", "trace.dat", "-o", "other.dat", "--file-version", version];
        let made = others(&folder, "trace-cmd", &words);
        if !made.is_some_and(|made| made.status.success()) || !folder.join("other.dat").exists() {
            return skip(test, "no trace-cmd that converts");
        }
        let told: Value = serde_json::from_str(&done(&folder, &["trace", "report", "other.dat", "--json"])).unwrap();
        assert_eq!(told["clock"], "mono", "version {version}");
    }
}

#[test]
fn version_7_packed_or_not_holds_what_version_6_holds() {
    let (_place, folder) = place();
    for packing in ["none", "zstd", "zlib"] {
        let words = ["convert", "-i", "trace.dat", "-o", "seven.dat", "--file-version", "7", "--compression", packing];
        let made = others(&folder, "trace-cmd", &words);
        if !made.is_some_and(|made| made.status.success()) || !folder.join("seven.dat").exists() {
            skip(
                "version_7_packed_or_not_holds_what_version_6_holds",
                &format!("no trace-cmd that packs by {packing}"),
            );
            continue;
        }
        assert_eq!(counts(&folder, "seven.dat"), counts(&folder, "trace.dat"), "{packing}");
        let whole = std::fs::read(folder.join("seven.dat")).unwrap();
        for length in (20..whole.len()).step_by(whole.len() / 40) {
            std::fs::write(folder.join("cut.dat"), &whole[..length]).unwrap();
            let output = tool(&folder, &["trace", "report", "cut.dat", "--quiet"]);
            assert!([Some(0), Some(2), Some(3)].contains(&output.status.code()), "{length}: {output:?}");
        }
        std::fs::remove_file(folder.join("seven.dat")).unwrap();
    }
}

#[test]
fn babeltrace_reads_every_event_that_was_written() {
    let (_place, folder) = place();
    let told: Value =
        serde_json::from_str(&done(&folder, &["trace", "export", "ctf", "trace.dat", "-o", "ctf", "--json"])).unwrap();
    let Some(read) = others(&folder, "babeltrace2", &["ctf"]) else {
        return skip("babeltrace_reads_every_event_that_was_written", "no babeltrace2");
    };
    let text = String::from_utf8_lossy(&read.stdout).into_owned();
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    assert_eq!(text.lines().count() as u64, told["written"].as_u64().unwrap(), "{text}");
    let ours = counts(&folder, "trace.dat");
    assert_eq!(text.matches("sched_switch:").count() as u64, ours["sched_switch"]);
    assert_eq!(text.matches("irq_softirq_entry:").count() as u64, ours["softirq_entry"]);
    let again = tool(&folder, &["trace", "export", "ctf", "trace.dat", "-o", "ctf"]);
    assert_eq!(again.status.code(), Some(2));
}

fn fields(mut bytes: &[u8]) -> Vec<(u64, Vec<u8>)> {
    let mut found = Vec::new();
    let varint = |bytes: &mut &[u8]| {
        let mut value = 0u64;
        for shift in (0..70).step_by(7) {
            let (first, rest) = bytes.split_first().unwrap();
            *bytes = rest;
            value |= u64::from(first & 0x7f).checked_shl(shift).unwrap_or(0);
            if first & 0x80 == 0 {
                break;
            }
        }
        value
    };
    while !bytes.is_empty() {
        let tag = varint(&mut bytes);
        match tag & 7 {
            0 => found.push((tag >> 3, varint(&mut bytes).to_le_bytes().to_vec())),
            2 => {
                let length = varint(&mut bytes) as usize;
                found.push((tag >> 3, bytes[..length].to_vec()));
                bytes = &bytes[length..];
            }
            other => panic!("wire type {other}"),
        }
    }
    found
}

const COUNTED_BY_THE_SCHEMA: &str = "
import sys
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as proto
trace = proto.Trace()
trace.ParseFromString(open(sys.argv[1], 'rb').read())
events = [event for packet in trace.packet for event in packet.ftrace_events.event]
kinds = [event.WhichOneof('event') for event in events]
assert all(kinds), kinds
print(len(events), kinds.count('sched_switch'), kinds.count('softirq_entry'))
";

#[test]
fn a_trace_of_perfetto_holds_every_event_by_its_own_schema() {
    let (_place, folder) = place();
    let words = ["trace", "export", "perfetto", "trace.dat", "-o", "trace.pftrace", "--json"];
    let told: Value = serde_json::from_str(&done(&folder, &words)).unwrap();
    let written = told["written"].as_u64().unwrap();
    let bytes = std::fs::read(folder.join("trace.pftrace")).unwrap();
    let packets = fields(&bytes);
    assert!(packets.iter().all(|(number, _)| *number == 1));
    let bundles = packets.iter().flat_map(|(_, packet)| fields(packet)).filter(|(number, _)| *number == 1);
    let events = bundles.flat_map(|(_, bundle)| fields(&bundle)).filter(|(number, _)| *number == 2);
    assert_eq!(events.count() as u64, written);
    let (test, file) = ("a_trace_of_perfetto_holds_every_event_by_its_own_schema", folder.join("trace.pftrace"));
    let Some(counted) = python::asked(test, "perfetto", COUNTED_BY_THE_SCHEMA, &file) else { return };
    let ours = counts(&folder, "trace.dat");
    let expected = format!("{written} {} {}\n", ours["sched_switch"], ours["softirq_entry"]);
    assert_eq!(counted, expected);
}

#[test]
fn chrome_and_csv_hold_the_same_stretches() {
    let (_place, folder) = place();
    done(&folder, &["trace", "export", "csv", "trace.dat", "-o", "rows.csv"]);
    done(&folder, &["trace", "export", "chrome", "trace.dat", "-o", "slices.json"]);
    let rows = std::fs::read_to_string(folder.join("rows.csv")).unwrap();
    let slices: Value = serde_json::from_slice(&std::fs::read(folder.join("slices.json")).unwrap()).unwrap();
    let busy = rows.lines().skip(1).filter(|row| !row.contains(",idle,") && !row.contains(",unknown,"));
    assert_eq!(slices["traceEvents"].as_array().unwrap().len(), busy.count());
    let mut ends: BTreeMap<u32, u64> = BTreeMap::new();
    for row in rows.lines().skip(1) {
        let numbers: Vec<u64> = row.split(',').take(3).map(|number| number.parse().unwrap()).collect();
        let before = ends.insert(numbers[0] as u32, numbers[2]).unwrap_or(0);
        assert!(before <= numbers[1] && numbers[1] < numbers[2], "{row}");
    }
    let told: Value = serde_json::from_str(&done(&folder, &["trace", "report", "trace.dat", "--json"])).unwrap();
    for cpu in told["summary"]["cpus"].as_array().unwrap() {
        let number = cpu["cpu"].to_string();
        for (kind, field) in
            [("idle", "idle_ns"), ("thread", "threads_ns"), ("interrupt", "interrupts_ns"), ("softirq", "softirqs_ns")]
        {
            let of_kind = rows.lines().map(|row| row.split(',').collect::<Vec<_>>());
            let of_kind = of_kind.filter(|row| row[0] == number && row[3] == kind);
            let sum: u64 = of_kind.map(|row| row[2].parse::<u64>().unwrap() - row[1].parse::<u64>().unwrap()).sum();
            assert_eq!(Some(sum), cpu[field].as_u64(), "{kind} of CPU {}", cpu["cpu"]);
        }
    }
    let refused = tool(&folder, &["trace", "export", "csv", "trace.dat", "-o", "x", "--from", "1ms"]);
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn a_recording_of_perf_holds_as_many_samples_as_perf_counts() {
    let test = "a_recording_of_perf_holds_as_many_samples_as_perf_counts";
    let (_place, folder) = place();
    let packed = ["record", "-z", "-a", "-e", "sched:sched_switch", "-o", "packed.data", "--", "sleep", "0.3"];
    if others(&folder, "perf", &packed).is_some_and(|made| made.status.success()) {
        let text = others(&folder, "perf", &["script", "-i", "packed.data"]).unwrap().stdout;
        let switches = text.iter().filter(|byte| **byte == b'\n').count() as u64;
        assert_eq!(counts(&folder, "packed.data")["sched_switch"], switches, "perf record -z");
    }
    let made = others(&folder, "perf", &["sched", "record", "-o", "perf.data", "--", "sleep", "0.05"]);
    if !made.is_some_and(|made| made.status.success()) {
        return skip(test, "perf cannot record here");
    }
    let stats = others(&folder, "perf", &["report", "-i", "perf.data", "--stats"]).unwrap();
    let stats = String::from_utf8_lossy(&stats.stdout).into_owned();
    let row = stats.lines().find(|row| row.trim_start().starts_with("SAMPLE events:"));
    let samples: u64 = row.and_then(|row| row.split_whitespace().nth(2)?.parse().ok()).unwrap();
    let ours = counts(&folder, "perf.data");
    assert_eq!(ours.values().sum::<u64>(), samples, "{ours:?} {stats}");
    assert!(ours["sched_switch"] > 0);
    let whole = std::fs::read(folder.join("perf.data")).unwrap();
    for length in (0..whole.len()).step_by(whole.len() / 40 + 1) {
        std::fs::write(folder.join("cut"), &whole[..length]).unwrap();
        let output = tool(&folder, &["trace", "report", "cut", "--quiet"]);
        assert!([Some(0), Some(2), Some(3)].contains(&output.status.code()), "{length}: {output:?}");
    }
}

#[test]
fn the_page_of_a_recording_holds_its_rows_and_loads_nothing() {
    let (_place, folder) = place();
    done(&folder, &["trace", "report", "trace.dat", "--page", "page.html", "--quiet"]);
    let page = std::fs::read_to_string(folder.join("page.html")).unwrap();
    let (_, rest) = page.split_once("id=\"timeline-data\">").unwrap();
    let data: Value = serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap();
    let rows = data["rows"].as_array().unwrap();
    assert!(rows.iter().any(|row| row["name"] == "irq local_timer"), "{rows:?}");
    assert!(data["slices"].as_array().unwrap().len() > 100 && !data["wakings"].as_array().unwrap().is_empty());
    assert!(
        page.contains("threads took part")
            && !page.contains("src=")
            && !page.contains("http:")
            && !page.contains("https:")
    );
}

#[test]
fn blame_ranks_the_causes_and_the_worst_sums_to_the_whole() {
    let (_place, folder) = place();
    let text = done(&folder, &["blame", "trace.dat", "--above", "10us", "--thread", "15358"]);
    assert!(
        text.contains(" over 10.0 us: ") && text.contains("fix: ") && text.contains("the whole response"),
        "{text}"
    );
    let words = ["blame", "trace.dat", "--above", "10us", "--thread", "15358", "--json"];
    let told: Value = serde_json::from_str(&done(&folder, &words)).unwrap();
    let late = told["responses_late"].as_array().unwrap();
    assert!(!late.is_empty());
    for one in late {
        let sum: u64 = one["shares"].as_array().unwrap().iter().map(|share| share["ns"].as_u64().unwrap()).sum();
        assert_eq!(Some(sum), one["latency_ns"].as_u64());
    }
    assert!(late.iter().any(|one| one["timed"] == true), "{told}");
}

#[test]
fn a_processor_without_an_event_is_told_as_unknown() {
    let (_place, folder) = place();
    let text = said(&folder, &["trace", "report", "trace.dat"]);
    assert!(
        text.contains(
            " on 2 CPUs (1 without an event that backwall uses): 310 events, 4 lost; their places are unknown "
        ),
        "{text}"
    );
    let told: Value = serde_json::from_str(&done(&folder, &["trace", "report", "trace.dat", "--json"])).unwrap();
    let cpus = told["summary"]["cpus"].as_array().unwrap();
    assert_eq!(
        (cpus.len(), &cpus[1]["unknown_ns"], &told["silent"]),
        (2, &told["summary"]["span_ns"], &Value::from(1))
    );
}

#[test]
fn a_recording_whose_end_is_damaged_never_says_that_none_was_lost() {
    let (_place, folder) = place();
    std::fs::write(folder.join("damaged.dat"), recordings::damaged_at_the_end()).unwrap();
    let text = said(&folder, &["trace", "report", "damaged.dat"]);
    assert!(text.contains(" events are missing in 1 place; the rings counted none of them "), "{text}");
    assert!(text.contains(" sub-buffers are damaged; the first: CPU 1"), "{text}");
}

// The end of the input would be an error of its own; it is not reached.
#[test]
fn a_request_to_end_ends_an_export_before_the_whole_input_is_read() {
    let (_place, folder) = place();
    let event = "a-5 [000] 1.000000: sched_waking: comm=b pid=7 prio=120 target_cpu=000\n";
    let rest = "#\n".repeat(30 << 20) + &"x".repeat(70_000);
    std::fs::write(folder.join("long.txt"), event.to_string() + &rest).unwrap();
    let words = ["trace", "export", "ctf", "long.txt", "-o", "ctf"];
    let mut tool = Command::new(env!("CARGO_BIN_EXE_backwall"));
    let mut child = tool.args(words).current_dir(&folder).stderr(Stdio::piped()).spawn().unwrap();
    let begun = || {
        let names = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
        names.into_iter().any(|name| name.to_string_lossy().starts_with(".backwall-ctf-"))
    };
    while !begun() {
        assert_eq!(child.try_wait().unwrap(), None, "it ended before it began");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("ctf: interrupted; removed the unfinished output"), "{said}");
    let mut names: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["long.txt", "trace.dat"]);
}

#[test]
fn what_is_no_regular_file_is_not_replaced_by_an_export() {
    let (_place, folder) = place();
    let pipe = folder.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for words in [
        ["trace", "export", "csv", "trace.dat", "-o", "pipe"],
        ["trace", "report", "trace.dat", "-q", "--page", "pipe"],
    ] {
        let output = tool(&folder, &words);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(4) && said.contains("not a regular file"), "{words:?}: {said}");
        assert!(std::os::unix::fs::FileTypeExt::is_fifo(&std::fs::metadata(&pipe).unwrap().file_type()));
    }
}

#[test]
fn a_folder_that_cannot_take_its_place_leaves_nothing_beside_it() {
    let (_place, folder) = place();
    std::os::unix::fs::symlink("nowhere", folder.join("ctf")).unwrap();
    let output = tool(&folder, &["trace", "export", "ctf", "trace.dat", "-o", "ctf"]);
    assert_eq!(output.status.code(), Some(4), "{}", String::from_utf8_lossy(&output.stderr));
    let mut names: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["ctf", "trace.dat"]);
}

#[test]
fn what_is_asked_of_a_recording_is_refused_of_a_run() {
    let (_place, folder) = place();
    std::fs::write(folder.join("run.json"), "{}").unwrap();
    for (option, value) in [("--above", "1ms"), ("--thread", "all")] {
        let output = tool(&folder, &["blame", ".", option, value]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(&format!("{option} is for recordings: a run stores only the causes")), "{said}");
    }
}

#[test]
fn what_a_recording_lacks_is_named_with_the_command_that_records_it() {
    let waking = "     cc1-15360 [000] dN.4. 1819.846377: sched_waking: comm=motor pid=15358 prio=19 target_cpu=000\n";
    let switch = "     cc1-15360 [000] d..2. 1819.846400: sched_switch: prev_comm=cc1 prev_pid=15360 prev_prio=120 prev_state=S ==> next_comm=motor next_pid=15358 next_prio=19\n";
    let entry = "     cc1-15360 [000] d.h1. 1819.846370: irq_handler_entry: irq=1 name=timer\n";
    let (only_waking, only_switch) = (format!("{entry}{waking}"), format!("{entry}{switch}"));
    let whole = format!("{entry}{waking}{switch}");
    let cases: [(&str, &[&str], &[&str]); 7] = [
        (entry, &["blame"], &["no sched_switch and no sched_waking events", "record with: trace-cmd record -e"]),
        (
            &only_waking,
            &["trace", "report"],
            &["no sched_switch events, so the CPU time", "record with: trace-cmd record -e"],
        ),
        (&only_waking, &["blame"], &["so no response has an end", "record with: trace-cmd record -e"]),
        (&only_switch, &["blame"], &["so no response has a beginning", "record with: trace-cmd record -e"]),
        (&whole, &["blame", "--thread", "nobody"], &["no thread named nobody"]),
        (&whole, &["blame", "--thread", "77"], &["no thread 77"]),
        (&whole, &["blame", "--thread", "cc1"], &["cc1 never woke up"]),
    ];
    let place = tempfile::tempdir().unwrap();
    let write = |rows: &str| std::fs::write(place.path().join("trace"), format!("# tracer: nop\n#\n{rows}")).unwrap();
    for (rows, words, expected) in cases {
        write(rows);
        let output = tool(place.path(), &[words, &["trace"]].concat());
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), error.lines().count()), (Some(3), 1), "{words:?}: {output:?}");
        assert!(expected.iter().all(|part| error.contains(part)), "{words:?}: {error}");
    }
    write(&only_waking);
    let output = tool(place.path(), &["trace", "report", "trace", "--json"]);
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let cpu = &told["summary"]["cpus"][0];
    assert_eq!((cpu["threads_ns"].as_u64(), cpu["idle_ns"].as_u64()), (Some(0), Some(0)), "{cpu}");
    write(&whole);
    done(place.path(), &["blame", "trace"]);
    done(place.path(), &["trace", "report", "trace"]);
}
