// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recorded sub-buffers are read as the kernel itself prints them.
use backwall_trace::digest::{Digest, TraceConfig};
use backwall_trace::event::{Event, Section, Source, Stamped, sources};
use backwall_trace::processor::Processor;
use backwall_trace::ring::decoder::Decoder;
use backwall_trace::ring::format::EventFormat;
use backwall_trace::ring::page::{Page, PageLayout};
use backwall_trace::stages::Sample;
use backwall_trace::thread::wakeup::{Follower, WakeUp};
use proptest::prelude::*;
use std::path::PathBuf;

const PAGE_BYTES: usize = 4_096;
const THREAD: i32 = 15_358;

fn file(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/trace/tests/data/linux_6.18")).join(name)
}

fn text(name: &str) -> String {
    std::fs::read_to_string(file(name)).unwrap()
}

fn formats() -> Vec<(Source, EventFormat)> {
    let vectors = ["local_timer_entry", "local_timer_exit", "enable"].map(str::to_string);
    let recorded = sources(vectors).into_iter().filter_map(|source| {
        let event = source.path.split('/').next_back().unwrap();
        let text = std::fs::read_to_string(file(&format!("{event}.format"))).ok()?;
        Some((source.clone(), EventFormat::parse(&text).unwrap()))
    });
    recorded.collect()
}

fn decoder() -> Decoder {
    let formats = formats();
    Decoder::new(formats.iter().map(|(source, format)| (source, format.clone()))).unwrap()
}

fn events() -> Vec<Stamped> {
    let decoder = decoder();
    let layout = PageLayout::parse(&text("header_page")).unwrap();
    assert_eq!(layout.bytes(), PAGE_BYTES);
    let pages = std::fs::read(file("cpu0.pages")).unwrap();
    let pages: Vec<Page> = pages.chunks(PAGE_BYTES).map(|bytes| Page::new(bytes, &layout).unwrap()).collect();
    let records = pages.iter().flat_map(Page::records).map(|record| record.unwrap());
    records.map(|record| decoder.decode(record.at_ns, record.data).expect("an event of the table")).collect()
}

fn microseconds(at_ns: u64) -> String {
    let at_us = (at_ns + 500) / 1_000;
    format!("{}.{:06}:", at_us / 1_000_000, at_us % 1_000_000)
}

fn words(event: &Event) -> Vec<String> {
    match event {
        Event::Switch { from, preempted, to } => vec![
            format!("sched_switch: prev_comm={} prev_pid={} prev_prio={}", from.name, from.id, from.priority),
            format!("==> next_comm={} next_pid={} next_prio={}", to.name, to.id, to.priority),
            format!("prev_state={}", if *preempted { "R" } else { "" }),
        ],
        Event::Waking { thread } => vec!["sched_waking:".into(), format!(" pid={thread} ")],
        Event::Woken { thread, .. } => vec!["sched_wakeup".into(), format!(" pid={thread} ")],
        Event::TimerStart { expiry_ns, slack_ns, .. } => vec![
            "hrtimer_start:".into(),
            format!(" softexpires={expiry_ns} "),
            format!(" expires={} ", expiry_ns + slack_ns),
        ],
        Event::Signalled { .. } => vec!["signal_generate:".into()],
        Event::Freezes { .. } => vec!["cgroup_".into()],
        Event::CoarseTimer { .. } => vec!["timer_expire_entry:".into()],
        Event::Work { .. } => vec!["workqueue_execute_start:".into()],
        Event::Call { name } => vec![format!("sys_enter_{name}")],
        Event::Packet { device, .. } => vec![format!("dev={device}")],
        Event::Mark { text } => vec![text.to_string()],
        Event::WorkEnd => vec!["workqueue_execute_end:".into()],
        Event::TimerExpire { .. } => vec!["hrtimer_expire_entry:".into()],
        Event::Enter(Section::Interrupt(name)) => vec![format!("{name}_entry:")],
        Event::Leave(Section::Interrupt(name)) => vec![format!("{name}_exit:")],
        Event::Enter(Section::Softirq(number)) => vec![format!("softirq_entry: vec={number} ")],
        Event::Leave(Section::Softirq(number)) => vec![format!("softirq_exit: vec={number} ")],
        Event::SleepEnd => vec!["sys_clock_nanosleep -> 0x0".into()],
        Event::Futex { .. } | Event::FutexEnd => vec!["sys_futex".into()],
        Event::PageFault => vec!["page_fault".into()],
        Event::Masks { preemption, on } => {
            let what = if *preemption { "preempt" } else { "irq" };
            vec![format!("{what}_{}:", if *on { "disable" } else { "enable" })]
        }
        Event::Stack(_) => vec!["<stack trace>".into()],
        Event::Frequency { cpu, khz } => vec![format!("cpu_frequency: state={khz} cpu_id={cpu}")],
        Event::FrequencyLimit { khz, .. } => vec!["cpu_frequency_limits:".into(), format!(" max={khz} ")],
        Event::Cools { what, .. } => vec![format!("={what} ")],
        Event::Plugs { cpu, .. } => vec!["cpuhp_".into(), format!("cpu: {cpu:04} ")],
        Event::Inherit { thread, .. } => vec!["sched_pi_setprio:".into(), format!(" pid={thread} ")],
        Event::Placed { thread, .. } => vec!["sched_wakeup".into(), format!(" pid={thread} ")],
        Event::Migrate { thread, .. } => vec!["sched_migrate_task:".into(), format!(" pid={thread} ")],
        Event::Unpreempted(_) | Event::Measured(_) => panic!("the kernel's rings never hold {event:?}"),
    }
}

#[test]
fn every_record_is_the_one_that_the_kernel_prints() {
    let (events, text) = (events(), text("cpu0.text"));
    assert_eq!(events.len(), text.lines().count());
    for (event, row) in events.iter().zip(text.lines()) {
        let thread = format!("-{} ", event.thread);
        let expected = [microseconds(event.at_ns), thread].into_iter().chain(words(&event.event));
        expected.for_each(|word| assert!(row.contains(&word), "{word:?} is not in {row:?}"));
        let flags = row.split("[000] ").nth(1).unwrap();
        assert_eq!(event.in_thread, flags.as_bytes()[2] == b'.', "{row:?}");
        assert_eq!(event.to_switch, flags.as_bytes()[1] == b'N', "{row:?}");
    }
}

fn wake_ups() -> Vec<WakeUp> {
    let (mut processor, mut follower) = (Processor::default(), Follower::new(THREAD));
    let found = events().into_iter().filter_map(|event| {
        processor.push(&event);
        follower.push(&event, &processor).copied()
    });
    found.collect()
}

#[test]
fn the_stamps_of_each_wake_up_are_those_of_the_kernels_text() {
    let text = text("cpu0.text");
    let printed =
        |at_ns: u64, what: &str| text.lines().any(|row| row.contains(&microseconds(at_ns)) && row.contains(what));
    let wake_ups = wake_ups();
    assert!(wake_ups.len() > 10, "{}", wake_ups.len());
    for wake_up in &wake_ups {
        assert!(text.contains(&format!("softexpires={} ", wake_up.expiry_at)));
        assert!(printed(wake_up.isr_at, "local_timer_entry"));
        assert!(printed(wake_up.isr_end_at.unwrap(), "local_timer_exit"));
        assert!(printed(wake_up.waking_at, &format!("sched_waking: comm=cyclictest pid={THREAD}")));
        assert!(printed(wake_up.switch_in_at, &format!("next_pid={THREAD}")));
        assert!(printed(wake_up.sleep_end_at.unwrap(), "sys_clock_nanosleep"));
        let interrupted = wake_up.interrupted.unwrap();
        assert!(printed(wake_up.isr_at, &format!("{}-{} ", interrupted.name, interrupted.id)));
    }
}

#[test]
fn the_first_wake_up_is_that_of_rows_9_to_37_read_by_hand() {
    let first = wake_ups()[0];
    assert_eq!(first.expiry_at, 1_819_848_149_278);
    let stamps =
        [first.isr_at, first.waking_at, first.isr_end_at.unwrap(), first.switch_in_at, first.sleep_end_at.unwrap()];
    assert_eq!(stamps.map(|at| (at + 500) / 1_000 - 1_819_848_000), [156, 157, 163, 165, 166]);
    assert_eq!((first.interrupted.unwrap().id, first.line.unwrap().to_string().as_str()), (14_994, "local_timer"));
}

fn digested(damage: &[(usize, u8)]) -> backwall_trace::TraceReport {
    let mut pages = std::fs::read(file("cpu0.pages")).unwrap();
    for (at, byte) in damage {
        let at = at % pages.len();
        pages[at] = *byte;
    }
    let mut digest = Digest::new(
        decoder(),
        PageLayout::parse(&text("header_page")).unwrap(),
        TraceConfig { keep: usize::MAX, ..Default::default() },
    );
    digest.watch(THREAD);
    for (seq, wake_up) in (0..).zip(wake_ups()) {
        digest.sample(Sample { seq, stimulus_ns: wake_up.expiry_at, response_ns: wake_up.kernel_end() + 500 });
    }
    pages.chunks(PAGE_BYTES).for_each(|page| digest.page(page));
    digest.finish(0, None)
}

#[test]
fn pages_become_stages_that_sum_to_the_latency() {
    let report = digested(&[]);
    assert_eq!(report.joined.matched, wake_ups().len() as u64);
    assert_eq!((report.joined.unmatched, report.events_lost, report.events), (0, 0, 310));
    assert_eq!(report.warnings, []);
    for matched in &report.kept {
        let latency = matched.sample.response_ns - matched.sample.stimulus_ns;
        assert_eq!(matched.stages().iter().sum::<u64>(), latency);
    }
    let check = report.joined.self_check.unwrap();
    assert_eq!((check.min_ns, check.max_ns), (500, 500));
}

#[test]
fn a_loss_takes_the_wake_up_that_it_cut_and_no_other() {
    // The flag of missed events in the header of the third page, which begins between a waking and its switch.
    let report = digested(&[(2 * PAGE_BYTES + 11, 0x80)]);
    assert_eq!((report.joined.matched, report.joined.unmatched), (wake_ups().len() as u64 - 1, 1));
}

#[test]
fn a_page_that_lies_about_its_length_is_counted_and_told() {
    let report = digested(&[(PAGE_BYTES + 9, 0xff)]);
    assert!(report.warnings.iter().any(|warning| warning.text.starts_with("1 sub-buffers")), "{:?}", report.warnings);
    assert!(report.joined.matched > 0 && report.joined.unmatched > 0);
}

// Formats of a phone's kernel, for our events in the test data.
fn formats_of(kernel: &str) -> Vec<(Source, EventFormat)> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/trace/tests/data")).join(kernel);
    let known = sources([]).into_iter().filter_map(|source| {
        let event = source.path.split('/').next_back().unwrap();
        let text = std::fs::read_to_string(folder.join(format!("{event}.format"))).ok()?;
        Some((source.clone(), EventFormat::parse(&text).unwrap()))
    });
    known.collect()
}

// A record with these numbers, and this name if it has one.
fn record(format: &EventFormat, numbers: &[(&str, u64)], name: &str, text: &[u8]) -> Vec<u8> {
    let end = format.fields.iter().map(|field| field.place.offset + field.place.size).max().unwrap();
    let mut record = vec![0; end + text.len()];
    let mut put = |field: &str, bytes: &[u8]| {
        let place = format.place(field).unwrap();
        let size = place.size.min(bytes.len());
        record[place.offset..place.offset + size].copy_from_slice(&bytes[..size]);
    };
    put("common_type", &(format.id as u64).to_le_bytes());
    numbers.iter().for_each(|(field, number)| put(field, &number.to_le_bytes()));
    if format.place(name).unwrap().dynamic {
        put(name, &(end as u32 | (text.len() as u32) << 16).to_le_bytes());
        record[end..].copy_from_slice(text);
    } else {
        put(name, text);
    }
    record
}

#[test]
fn records_of_other_kernels_are_decoded_by_their_own_layouts() {
    let kernels = [
        "android_hammerhead_MRA59G_3.4.0",
        "android_flounder_lte_LRX16F_3.10.40",
        "android_walleye_OPM5.171019.017.A1_4.4.88",
    ];
    for kernel in kernels {
        let formats = formats_of(kernel);
        assert_eq!(formats.len(), 3, "{kernel}");
        let decoder = Decoder::new(formats.iter().map(|(source, format)| (source, format.clone()))).unwrap();
        let decode = |event: &str, numbers: &[(&str, u64)], name: &str, text: &[u8]| {
            let format = &formats.iter().find(|(source, _)| source.path.ends_with(event)).unwrap().1;
            decoder.decode(77, &record(format, numbers, name, text)).unwrap()
        };
        let numbers = [("common_pid", 12), ("prev_pid", 12), ("prev_state", 1), ("next_pid", 34), ("next_prio", 4)];
        let stamped = decode("sched_switch", &numbers, "next_comm", b"probe");
        let Event::Switch { from, preempted, to } = stamped.event else { panic!("{stamped:?}") };
        assert_eq!((stamped.at_ns, stamped.thread, from.id, preempted), (77, 12, 12, false));
        assert_eq!((to.id, to.priority, to.name.to_string().as_str()), (34, 4, "probe"));
        let stamped = decode("irq_handler_entry", &[("irq", 3)], "name", b"eth0\0");
        let Event::Enter(Section::Interrupt(name)) = stamped.event else { panic!("{stamped:?}") };
        assert_eq!(name.to_string(), "eth0");
    }
}

proptest! {
    #[test]
    fn whatever_the_damage_every_sample_is_accounted_for(damage in proptest::collection::vec((any::<usize>(), any::<u8>()), 1..40)) {
        let report = digested(&damage);
        prop_assert_eq!(report.joined.matched + report.joined.unmatched, wake_ups().len() as u64);
        for matched in &report.kept {
            let latency = matched.sample.response_ns - matched.sample.stimulus_ns;
            prop_assert_eq!(matched.stages().iter().sum::<u64>(), latency);
        }
    }
}

#[test]
fn what_was_recorded_just_before_the_thread_was_named_is_not_lost() {
    let mut digest = Digest::new(decoder(), PageLayout::parse(&text("header_page")).unwrap(), TraceConfig::default());
    let pages = std::fs::read(file("cpu0.pages")).unwrap();
    pages.chunks(PAGE_BYTES).for_each(|page| digest.page(page));
    digest.watch(THREAD);
    let first = wake_ups()[0];
    digest.sample(Sample { seq: 0, stimulus_ns: first.expiry_at, response_ns: first.kernel_end() });
    assert_eq!(digest.finish(0, None).joined.matched, 1);
}
