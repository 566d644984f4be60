// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recordings of kernel events: ours, others', truncated and damaged ones.
use crate::lacking::skip;
use backwall_report::trace::told::told;
use backwall_trace::account::analysis::Analysis;
use backwall_trace::account::summary::{Cpu, Summary};
use backwall_trace::late::lates::{Lates, Question};
use backwall_trace::late::whose::Whose;
use backwall_trace::read::error::ReadError;
use backwall_trace::read::played::Played;
use backwall_trace::read::stored::OpenRecording;
use backwall_trace::write::trace_dat::{self, Head};
use proptest::prelude::*;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

const RECORDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/trace/tests/data/linux_6.18");
const PAGE_BYTES: usize = 4_096;

pub fn trace_dat() -> Vec<u8> {
    of_processors(&head(), &[Some(pages()), None])
}

fn of_processors(head: &Head, cpus: &[Option<Vec<u8>>]) -> Vec<u8> {
    let mut whole = Cursor::new(Vec::new());
    let cpus = cpus.iter().map(|pages| pages.as_ref().map(|pages| (pages.len() as u64, &pages[..]))).collect();
    trace_dat::write(&mut whole, head, PAGE_BYTES, cpus).unwrap();
    whole.into_inner()
}

pub fn pages() -> Vec<u8> {
    std::fs::read(Path::new(RECORDED).join("cpu0.pages")).unwrap()
}

// The pages of two CPUs; half of the second's are unreadable, and no ring counted a loss.
pub fn damaged_at_the_end() -> Vec<u8> {
    let mut broken = pages();
    let middle = broken.len() / PAGE_BYTES / 2;
    for page in broken.chunks_mut(PAGE_BYTES).skip(middle) {
        page[8..16].fill(0xff);
    }
    of_processors(&Head { statistics: vec!["overrun: 0\n".to_string()], ..head() }, &[Some(pages()), Some(broken)])
}

pub fn head() -> Head {
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
    Head {
        smi: "not readable".to_string(),
        quotas: Vec::new(),
        header_page: std::fs::read_to_string(folder.join("header_page")).unwrap(),
        formats,
        functions: String::new(),
        names: "15358 cyclictest\n1 init\n".to_string(),
        processes: "15358 15357\n".to_string(),
        clock: "local [mono] boot".to_string(),
        system: "Linux test".to_string(),
        statistics: vec!["entries: 0\noverrun: 3\ndropped events: 1\n".to_string()],
    }
}

fn read(bytes: &[u8]) -> Result<(OpenRecording, Played), ReadError> {
    accounted(bytes).map(|(stored, played, ..)| (stored, played))
}

fn accounted(bytes: &[u8]) -> Result<(OpenRecording, Played, Summary, Lates), ReadError> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let mut stored = OpenRecording::of(std::fs::File::open(file.path())?)?;
    let question = Question { above_ns: 10, whose: Whose::All, timers: true, marks: true, to_end: false };
    let mut analysis = Analysis::new(Lates::new(question));
    let played = stored.play(&mut analysis)?;
    let (summary, lates) = analysis.finish();
    // What is printed of it is made of it too.
    let account = told(&summary, backwall_model::units::Unit::Ns, true, 80);
    let expected = if summary.switches > 0 { "threads took part" } else { "no sched_switch events" };
    assert!(account.contains(expected), "{account}");
    assert!(
        lates.late <= lates.responses && lates.ranking.ranked().iter().all(|ranked| ranked.part_of <= Some(lates.late))
    );
    assert!(lates.lates.iter().all(|late| late.blame.total() == late.latency_ns));
    let _ = summary.capacity_ns();
    for cpu in &summary.cpus {
        let known = cpu.idle_ns + cpu.threads_ns + cpu.interrupts_ns + cpu.softirqs_ns;
        assert!(known <= summary.span_ns, "{cpu:?} of {}", summary.span_ns);
    }
    Ok((stored, played, summary, lates))
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

// trace-cmd names the clock in a section of its own, which an option only announces.
#[test]
fn the_clock_is_read_from_where_either_kind_of_recording_has_it() {
    let whole = trace_dat();
    let text = b"local [mono] boot";
    let behind = whole.windows(text.len()).rposition(|window| window == text).unwrap();
    assert_eq!(
        whole[behind - 8..behind],
        (text.len() as u64).to_le_bytes(),
        "size and text, behind the processors' places"
    );
    let option = whole.windows(8).position(|window| window == b"options ").unwrap() + 10;
    let held = [&[4, 0, text.len() as u8 + 1, 0, 0, 0], &text[..], b"\0"].concat();
    assert_eq!(
        whole[option..option + held.len()],
        held,
        "trace-cmd 3.1.6 takes chance for the text of an empty option"
    );

    let mut only_behind = whole.clone();
    only_behind.splice(option..option + held.len(), [4, 0, 0, 0, 0, 0]);
    let behind = behind - text.len() - 1;
    // What lies behind the processors' places keeps its place.
    only_behind.splice(behind + text.len()..behind + text.len(), vec![0; text.len() + 1]);
    assert_eq!(read(&only_behind).unwrap().0.about().clock.as_deref(), Some("mono"));
    only_behind[behind..behind + text.len()].fill(0);
    assert_eq!(read(&only_behind).unwrap().0.about().clock, None);
}

#[test]
fn processors_that_share_their_records_are_refused_before_anything_is_read() {
    let whole = trace_dat();
    let sections = whole.windows(10).position(|window| window == b"flyrecord\0").unwrap() + 10;
    let cpus_at = whole.windows(10).position(|window| window == b"options  \0").unwrap() - 4;
    let mut hostile = whole[..sections].to_vec();
    let count = 60_000u32;
    hostile[cpus_at..cpus_at + 4].copy_from_slice(&count.to_le_bytes());
    for _ in 0..count {
        hostile.extend(4_096u64.to_le_bytes());
        hostile.extend(262_144u64.to_le_bytes());
    }
    let error = read(&hostile).unwrap_err().to_string();
    assert!(error.contains("more than the file has"), "{error}");
}

// A recording of version 7 that is nothing but its first list of options, which leads to itself.
#[test]
fn a_list_of_options_that_leads_to_itself_is_refused() {
    let mut file = b"\x17\x08\x44tracing7\0\x00\x08\x00\x10\x00\x00none\0\0".to_vec();
    let at = file.len() as u64 + 8;
    file.extend(at.to_le_bytes());
    // The number of the section, its flags, its description, its length; then the end of the list and where the next is.
    file.extend([0; 2 + 2 + 4]);
    file.extend(14u64.to_le_bytes());
    file.extend([0; 2 + 4]);
    file.extend(at.to_le_bytes());
    let error = read(&file).unwrap_err().to_string();
    assert!(error.contains("refers back to itself"), "{error}");
}

#[test]
fn of_the_two_events_of_a_waking_the_first_begins_the_latency() {
    let text = "\
          a-5 [000] d... 1.000000: sched_switch: prev_comm=b prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=a next_pid=5 next_prio=120
          a-5 [000] d... 1.000100: sched_waking: comm=b pid=7 prio=120 target_cpu=000
          a-5 [000] d... 1.000130: sched_wakeup: comm=b pid=7 prio=120 target_cpu=000
          a-5 [000] d... 1.000200: sched_switch: prev_comm=a prev_pid=5 prev_prio=120 prev_state=R ==> next_comm=b next_pid=7 next_prio=120
";
    let without: String =
        text.lines().filter(|row| !row.contains("sched_waking")).map(|row| format!("{row}\n")).collect();
    for (text, wakings, latency_ns) in [(text, 1, 100_000), (&without, 1, 70_000)] {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let question = Question { above_ns: 10, whose: Whose::All, timers: false, marks: true, to_end: false };
        let mut analysis = Analysis::new(Lates::new(question));
        OpenRecording::of(std::fs::File::open(file.path()).unwrap()).unwrap().play(&mut analysis).unwrap();
        let (summary, lates) = analysis.finish();
        assert_eq!((summary.wakings, lates.responses, lates.unseen), (wakings, 1, 0));
        assert_eq!(lates.worst.unwrap().latency_ns, latency_ns);
    }
}

#[test]
fn a_loss_at_the_end_of_a_processor_is_told_and_its_time_is_nobodys() {
    let (_, played, summary, _) = accounted(&damaged_at_the_end()).unwrap();
    assert_eq!((played.gaps, played.notes.len()), (1, 1), "{:?}", played.notes);
    let [whole, broken] = &summary.cpus[..] else { panic!("{:?}", summary.cpus) };
    // Both CPUs have the same recording, so the damaged one must account for less time: what it lost is unknown.
    let known = |cpu: &Cpu| cpu.idle_ns + cpu.threads_ns + cpu.interrupts_ns + cpu.softirqs_ns;
    assert!(known(broken) > 0 && known(broken) < known(whole) * 3 / 4, "{} of {}", known(broken), known(whole));
    assert_eq!(known(broken) + broken.unknown_ns, summary.span_ns);
    let nothing = of_processors(&head(), &[Some(pages()), Some(vec![0xff; PAGE_BYTES])]);
    let (_, played, summary, _) = accounted(&nothing).unwrap();
    assert_eq!((played.gaps, summary.cpus[1].unknown_ns), (1, summary.span_ns));
}

// The layouts of all events are in a recording of trace-cmd, whichever of them were switched on.
#[test]
fn the_records_and_not_the_layouts_say_which_event_of_a_waking_counts() {
    let as_wakeup = |from: &str, to: &str| {
        let mut head = head();
        let waking = head.formats.iter_mut().find(|(_, text)| text.contains("name: sched_waking")).unwrap();
        let text = waking.1.clone();
        waking.1 = text.replace("name: sched_waking", from);
        let row = text.lines().find(|row| row.starts_with("ID:")).unwrap();
        head.formats.push(("sched".to_string(), text.replace("name: sched_waking", to).replace(row, "ID: 9999")));
        accounted(&of_processors(&head, &[Some(pages())])).unwrap()
    };
    let (_, begins, summary, lates) = as_wakeup("name: sched_waking", "name: sched_wakeup");
    let (_, ends, other, other_lates) = as_wakeup("name: sched_wakeup", "name: sched_waking");
    assert!(begins.by_name["sched_waking"] > 10 && lates.responses > 10);
    assert_eq!(ends.by_name["sched_wakeup"], begins.by_name["sched_waking"]);
    assert_eq!((other.wakings, other_lates.responses), (summary.wakings, lates.responses));
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

type Counts = &'static [(&'static str, u64)];

// Recordings from elsewhere, with the counts of independent programs. The files are not in the project; `BACKWALL_TRACES` names their
// folder.
const REAL: [(&str, u64, Counts); 2] = [
    ("sched_load.dat", 3_724, &[("sched_switch", 399), ("sched_migrate_task", 28), ("cpu_idle", 474)]),
    ("trace.txt", 2_941, &[("sched_switch", 1_856), ("sched_wakeup", 1_068)]),
];

#[test]
fn real_recordings_hold_what_they_are_known_to_hold() {
    let Some(folder) = std::env::var_os("BACKWALL_TRACES").map(PathBuf::from) else {
        skip("real_recordings_hold_what_they_are_known_to_hold", "BACKWALL_TRACES names no folder of real recordings");
        return;
    };
    for (file, events, counts) in REAL {
        let mut stored = OpenRecording::of(std::fs::File::open(folder.join(file)).unwrap()).unwrap();
        let mut analysis = Analysis::new(());
        let played = stored.play(&mut analysis).unwrap();
        assert_eq!((played.events(), played.gaps), (events, 0), "{file}: {:?}", played.by_name);
        for (name, count) in counts {
            assert_eq!(played.by_name.get(*name), Some(count), "{file}: {name}");
        }
        assert!(analysis.finish().0.took_part > 5, "{file}");
    }
}
