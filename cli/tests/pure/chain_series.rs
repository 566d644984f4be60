// SPDX-License-Identifier: MIT OR Apache-2.0
//! A chain of a recording, stored and used as any other series: required, compared, exported, drawn.
use crate::common::program::program;
use crate::python;
use backwall_model::{Picture, Run};
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const LOOP: &str = "wake servo > servo > act";

const RECIPE: &str = "name = 'rig'\nabout = 'a'\ncalled = 'c'\nlate = 'l'\nprocess = ['servo']\n[[chain]]\nname = 'loop'\n\
     start = 'wake servo'\nhops = ['servo', 'act']\ndeadline = '180us'\n";

/// The first waking names no thread that is known yet, so it starts nothing.
const STARTED: u64 = 199;

/// A thread on CPU 0 hands each instance to one on CPU 1: after 100 us and ten times `slow_us`, by turns from none.
fn recorded(instances: u64, slow_us: u64) -> String {
    let mut text = "# tracer: nop\n#\n".to_string();
    let mut event = |at_us: u64, cpu: u64, who: &str, what: String| {
        let _ = writeln!(text, "{who:>20} [{cpu:03}] d..2. {}.{:06}: {what}", at_us / 1_000_000, at_us % 1_000_000);
    };
    let switch = |from: &str, left: &str, to: &str| {
        let side = |way: &str, name: &str| {
            let (comm, pid, prio) = match name {
                "servo" => ("servo", 11, 9),
                "act" => ("act", 12, 9),
                other => (other, 0, 120),
            };
            format!("{way}_comm={comm} {way}_pid={pid} {way}_prio={prio}")
        };
        format!("sched_switch: {} prev_state={left} ==> {}", side("prev", from), side("next", to))
    };
    for number in 0..instances {
        let at_us = 1_000_000 + 5_000 * number;
        let slow_us = slow_us * (number % 10);
        let waking =
            |name: &str, pid: u32, cpu: u32| format!("sched_waking: comm={name} pid={pid} prio=9 target_cpu={cpu:03}");
        event(at_us, 0, "<idle>-0", waking("servo", 11, 0));
        event(at_us + 10, 0, "<idle>-0", switch("swapper/0", "R", "servo"));
        event(at_us + 50, 0, "servo-11", waking("act", 12, 1));
        event(at_us + 60, 0, "servo-11", switch("servo", "S", "swapper/0"));
        event(at_us + 70, 1, "<idle>-0", switch("swapper/1", "R", "act"));
        event(at_us + 100 + slow_us, 1, "act-12", switch("act", "S", "swapper/1"));
    }
    text
}

fn place() -> (tempfile::TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().to_path_buf();
    std::fs::write(path.join("trace.txt"), recorded(200, 10)).unwrap();
    std::fs::write(path.join("slower.txt"), recorded(200, 30)).unwrap();
    std::fs::create_dir_all(path.join("backwall/recipes")).unwrap();
    std::fs::write(path.join("backwall/recipes/rig.toml"), RECIPE).unwrap();
    (place, path)
}

/// With the recipes of the folder.
fn told(folder: &Path, words: &[&str]) -> Output {
    Command::new(program()).args(words).current_dir(folder).env("XDG_CONFIG_HOME", folder).output().unwrap()
}

fn done(folder: &Path, words: &[&str]) -> String {
    let output = told(folder, words);
    assert_eq!(output.status.code(), Some(0), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

const ARROWS: &str = "
import sys
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as proto
trace = proto.Trace()
trace.ParseFromString(open(sys.argv[1], 'rb').read())
tracks = {p.track_descriptor.uuid: p.track_descriptor for p in trace.packet if p.HasField('track_descriptor')}
events = [(p.timestamp, p.track_event) for p in trace.packet if p.HasField('track_event')]
open_slices, flows, hops, inside = {}, {}, 0, 0
for at, event in events:
    stack = open_slices.setdefault(event.track_uuid, [])
    if event.type == proto.TrackEvent.TYPE_SLICE_END:
        assert stack.pop() <= at
        continue
    assert not stack or stack[-1] <= at
    hops, inside = hops + (not stack), inside + bool(stack)
    stack.append(at)
    for leads, ids in ((True, event.flow_ids), (False, event.terminating_flow_ids)):
        for number in ids:
            flows.setdefault(number, []).append((at, tracks[event.track_uuid].name, leads))
assert not any(open_slices.values())
parents = {tracks[uuid].parent_uuid for uuid in open_slices}
assert [tracks[uuid].name for uuid in parents] == ['chain chain: wake servo > servo > act'], parents
for arrow in flows.values():
    assert [name for _, name, _ in arrow] == ['wake servo', 'servo', 'act'], arrow
    assert [leads for _, _, leads in arrow] == [True, True, False], arrow
    assert arrow[1][0] == arrow[0][0] and arrow[2][0] - arrow[1][0] == 50000, arrow
ftrace = sum(len(p.ftrace_events.event) for p in trace.packet)
print(len(flows), hops, inside > hops, ftrace)
";

#[test]
fn each_instance_is_three_slices_and_two_arrows_by_perfettos_own_schema() {
    let test = "each_instance_is_three_slices_and_two_arrows_by_perfettos_own_schema";
    let (_place, folder) = place();
    let words = ["trace", "export", "perfetto", "trace.txt", "-o", "trace.pftrace", "--chain", LOOP, "--json"];
    let summary: Value = serde_json::from_str(&done(&folder, &words)).unwrap();
    assert_eq!(summary["written"], 1_200);
    assert!(summary["notes"].to_string().contains("199 instances of the chain"), "{summary}");
    let Some(counted) = python::asked(test, "perfetto", ARROWS, &folder.join("trace.pftrace")) else { return };
    assert_eq!(counted, "199 597 True 1200\n");
    let refused = told(&folder, &["trace", "export", "csv", "trace.txt", "-o", "x", "--chain", LOOP]);
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn a_chain_of_a_recipe_is_required_by_its_name() {
    let (_place, folder) = place();
    let rules = ["chain[loop].p50 < 1ms", "chain[loop].missed == 0", "chain[loop].late == 0", "age.max < 1ms"];
    let words: Vec<&str> = ["chain", "rig", "trace.txt", "--quiet"]
        .into_iter()
        .chain(rules.iter().flat_map(|rule| ["--require", *rule]))
        .collect();
    let output = told(&folder, &words);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    // 100 us and at most 90 more; one in ten is above 180 us.
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.starts_with("FAIL 'chain[loop].late == 0'"), "{said}");
    let refused = told(&folder, &["chain", "rig", "trace.txt", "--require", "chain[lop].p99 < 1ms"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!((refused.status.code(), said.lines().count()), (Some(2), 1), "{said}");
    assert!(said.contains("name=loop"), "{said}");
}

fn stored(folder: &Path, trace: &str, out: &str) -> Run {
    done(folder, &["chain", "rig", trace, "--quiet", "--output", out]);
    backwall_model::read(&std::fs::read_to_string(folder.join(out).join("run.json")).unwrap()).unwrap()
}

#[test]
fn a_stored_chain_has_its_causes_and_its_picture() {
    let (_place, folder) = place();
    let run = stored(&folder, "trace.txt", "run");
    let series = run.series.iter().find(|series| series.key.name == "chain").unwrap();
    assert_eq!((series.due, series.done, series.late, series.max), (Some(STARTED), STARTED, Some(20), Some(190_000)));
    assert!(series.worst.iter().any(|worst| Some(worst.value) == series.max && worst.blame.is_some()));
    let [Picture::Chain(chain)] = &run.pictures[..] else { panic!("{:?}", run.pictures) };
    assert_eq!((chain.name.as_str(), chain.line.as_str()), ("loop", LOOP));
    assert_eq!(chain.bands.iter().map(|band| band.count).sum::<u64>(), STARTED);
    let worst = chain.worst.as_ref().unwrap();
    assert_eq!((worst.latency, worst.parts.iter().map(|part| part.time).sum::<u64>()), (190_000, 190_000));
    let handed: Vec<(u64, u64)> = worst.visits.iter().map(|visit| (visit.arrived, visit.handed)).collect();
    assert_eq!(handed, [(0, 50_000), (50_000, 190_000)]);
    let page = std::fs::read_to_string(folder.join("run/report.html")).unwrap();
    for text in ["The chain loop, hop by hop", "The worst instance of the chain loop", "Each hop&apos;s share"] {
        assert!(page.contains(text) || page.contains(&text.replace("&apos;", "'")), "{text}");
    }
    let screen = done(&folder, &["report", "run"]);
    assert!(screen.contains("0 of 199 instances missed, 20 late"), "{screen}");
    assert!(!screen.contains("idle"), "{screen}");
}

#[test]
fn two_chains_compare_and_leave_in_every_format() {
    let (_place, folder) = place();
    let names: Vec<String> = (0..12).map(|number| format!("run-{number}")).collect();
    for (number, name) in names.iter().enumerate() {
        stored(&folder, if number < 6 { "trace.txt" } else { "slower.txt" }, name);
    }
    let (before, after) = names.split_at(6);
    let words = ["compare"].into_iter().chain(before.iter().map(String::as_str)).chain(["--"]);
    let compared = told(&folder, &words.chain(after.iter().map(String::as_str)).collect::<Vec<_>>());
    let said = String::from_utf8_lossy(&compared.stdout).into_owned();
    assert!(said.contains("\nchain, loop\n") && said.contains("regressed"), "{said}");
    for (format, has) in [
        ("csv", "chain,as-found,as-is,,name=loop,wake servo,act sleep,ns,199,199,0,0"),
        ("prometheus", "series=\"chain\",load=\"as-found\",idle=\"as-is\",variant=\"name=loop\"} 199"),
        ("openmetrics", "variant=\"name=loop\"} 199"),
        ("ktap", "chain[load=as-found,idle=as-is,name=loop]: 199 done, largest 190.0 us"),
        ("kcidb", "\"tests\""),
        ("junit", "<testsuites"),
        ("cyclictest", "name=loop"),
        ("cyclictest-json", "\"num_threads\": 3"),
    ] {
        let text = done(&folder, &["export", format, "run-0"]);
        assert!(text.contains(has), "{format}: {text}");
    }
    // What is shared has no name of a thread.
    done(&folder, &["export", "bundle", "run-0", "--output", "shared"]);
    for entry in walked(&folder.join("shared")) {
        let text = std::fs::read(&entry).unwrap();
        assert!(!String::from_utf8_lossy(&text).contains("servo"), "{}", entry.display());
    }
}

fn walked(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { walked(&path) } else { vec![path] }).collect()
}
