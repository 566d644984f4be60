// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recordings of the kernel's events: of ours, of others, cut short and damaged.
use backwall::trace::account::analysis::Analysis;
use backwall::trace::read::error::ReadError;
use backwall::trace::read::played::Played;
use backwall::trace::read::stored::Stored;
use backwall::trace::write::trace_dat::{self, Head};
use proptest::prelude::*;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

const RECORDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/trace/linux_6.18");
const PAGE_BYTES: usize = 4_096;

/// The recorded pages of the test data as a trace.dat of this tool.
pub fn trace_dat() -> Vec<u8> {
    let folder = Path::new(RECORDED);
    let mut formats: Vec<(String, String)> = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        let Some(event) = name.strip_suffix(".format") else { continue };
        let system = match event {
            _ if event.starts_with("sched_") => "sched",
            _ if event.starts_with("hrtimer_") => "timer",
            _ if event.starts_with("local_timer") => "irq_vectors",
            _ if event.starts_with("sys_") => "syscalls",
            _ => "irq",
        };
        formats.push((system.to_string(), std::fs::read_to_string(entry.path()).unwrap()));
    }
    formats.sort();
    let head = Head {
        header_page: std::fs::read_to_string(folder.join("header_page")).unwrap(),
        formats,
        names: "15358 cyclictest\n1 init\n".to_string(),
        processes: "15358 15357\n".to_string(),
        clock: "local [mono] boot".to_string(),
        system: "Linux test".to_string(),
        statistics: vec!["entries: 0\noverrun: 3\ndropped events: 1\n".to_string()],
    };
    let mut whole = Cursor::new(Vec::new());
    let pages = std::fs::read(folder.join("cpu0.pages")).unwrap();
    let cpus = vec![Some((pages.len() as u64, &pages[..])), None];
    trace_dat::write(&mut whole, &head, PAGE_BYTES, cpus).unwrap();
    whole.into_inner()
}

fn read(bytes: &[u8]) -> Result<(Stored, Played), ReadError> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let mut stored = Stored::open(file.path())?;
    let mut analysis = Analysis::new(());
    let played = stored.play(&mut analysis)?;
    let (summary, ()) = analysis.finish();
    for cpu in &summary.cpus {
        let known = cpu.idle_ns + cpu.threads_ns + cpu.interrupts_ns + cpu.softirqs_ns;
        assert!(known <= summary.span_ns, "{cpu:?} of {}", summary.span_ns);
    }
    Ok((stored, played))
}

#[test]
fn a_recording_of_our_own_is_read_as_the_kernel_printed_it() {
    let (stored, played) = read(&trace_dat()).unwrap();
    let about = stored.about();
    assert_eq!(
        (about.form.as_str(), about.clock.as_deref(), about.lost),
        ("trace.dat version 6", Some("mono"), Some(4))
    );
    assert_eq!((about.names[&15_358].as_str(), about.processes[&15_358], about.cpus), ("cyclictest", 15_357, 2));
    let (_, printed) = read(&std::fs::read(Path::new(RECORDED).join("cpu0.text")).unwrap()).unwrap();
    // The kernel prints the end of a system call under a shorter name.
    let mut counts = printed.by_name;
    let sleeps = counts.remove("sys_clock_nanosleep").unwrap();
    counts.insert("sys_exit_clock_nanosleep".to_string(), sleeps);
    assert_eq!((played.events(), played.by_name.clone()), (310, counts));
    assert_eq!((played.gaps, played.notes.len()), (0, 0));
}

#[test]
fn a_recording_that_is_cut_short_is_an_error_with_its_place_or_a_part_of_it() {
    let whole = trace_dat();
    let mut refused = 0;
    for length in (0..whole.len()).step_by(97) {
        match read(&whole[..length]) {
            Ok((_, played)) => assert!(played.events() <= 310),
            Err(error) => {
                let text = error.to_string();
                assert!(length < 10 || text.contains("byte "), "{length}: {text}");
                refused += 1;
            }
        }
    }
    assert!(refused > 100, "{refused}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn whatever_the_damage_a_recording_is_read_or_refused(
        damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
        in_head: bool,
    ) {
        let mut bytes = trace_dat();
        let within = if in_head { bytes.len().min(9_000) } else { bytes.len() };
        damage.iter().for_each(|(at, byte)| bytes[at.index(within)] = *byte);
        if let Ok((_, played)) = read(&bytes) {
            prop_assert!(played.events() < 100_000);
        }
    }

    #[test]
    fn whatever_the_damage_a_text_is_read_or_refused(
        damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..200),
    ) {
        let mut bytes = std::fs::read(Path::new(RECORDED).join("cpu0.text")).unwrap();
        damage.iter().for_each(|(at, byte)| { let at = at.index(bytes.len()); bytes[at] = *byte });
        if let Ok((_, played)) = read(&bytes) {
            prop_assert!(played.events() <= 310 + 200);
        }
    }
}

/// Names of events, and how many of each.
type Counts = &'static [(&'static str, u64)];

/// Recordings that nobody here made, with what independent programs count in them. The files are not part of the project;
/// `BACKWALL_TRACES` is the folder that holds them.
const REAL: [(&str, u64, Counts); 2] = [
    ("sched_load.dat", 3_724, &[("sched_switch", 399), ("sched_migrate_task", 28), ("cpu_idle", 474)]),
    ("trace.txt", 2_941, &[("sched_switch", 1_856), ("sched_wakeup", 1_068)]),
];

#[test]
fn real_recordings_hold_what_they_are_known_to_hold() {
    let Some(folder) = std::env::var_os("BACKWALL_TRACES").map(PathBuf::from) else {
        let reason = "BACKWALL_TRACES names no folder of real recordings";
        let _ = writeln!(std::io::stderr(), "SKIP real_recordings_hold_what_they_are_known_to_hold: {reason}");
        return;
    };
    for (file, events, counts) in REAL {
        let mut stored = Stored::open(&folder.join(file)).unwrap();
        let mut analysis = Analysis::new(());
        let played = stored.play(&mut analysis).unwrap();
        assert_eq!((played.events(), played.gaps), (events, 0), "{file}: {:?}", played.by_name);
        for (name, count) in counts {
            assert_eq!(played.by_name.get(*name), Some(count), "{file}: {name}");
        }
        assert!(analysis.finish().0.took_part > 5, "{file}");
    }
}
