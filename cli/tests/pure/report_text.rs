// SPDX-License-Identifier: MIT OR Apache-2.0
//! The text of a run: verdict and table, and that neither misleads.
use crate::sample;
use backwall_ftrace::attached::AttachReport;
use backwall_model::units::Unit;
use backwall_model::*;
use backwall_report::{brief, page, text, verdict};
use backwall_runner::attached::attachee::AttachResult;
use backwall_runner::session::assemble::Assembly;
use backwall_stats::SeriesBuilder;
use proptest::prelude::*;

// Compares with the golden file; `BLESS=1` rewrites it.
fn golden(name: &str, actual: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, actual).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    assert_eq!(actual, expected, "{} differs: look, then BLESS=1 cargo test", path.display());
}

fn ten_samples() -> Run {
    let values = [10_000, 11_000, 12_000, 13_000, 14_000, 15_000, 16_000, 17_000, 18_000, 1_250_000];
    let shape = sample::Shape { lost: 2, ..sample::SHAPES[2] };
    let mut run = sample::empty();
    run.series = vec![sample::series("wakeup", Unit::Ns, &shape, &values)];
    run
}

// A watch of 98.8 s reported "0 of 8 wakeups not seen" and was valid: it saw 8 of some 3,000.
#[test]
fn a_watch_whose_trace_lost_most_events_says_so_first_and_is_invalid() {
    let watched = |events, events_lost| {
        let shape = sample::Shape { lost: 0, ..sample::SHAPES[2] };
        let series = sample::series(
            "wakeup",
            Unit::Ns,
            &shape,
            &[9_000, 10_000, 11_000, 12_000, 13_000, 14_000, 15_000, 16_000],
        );
        let warnings = if events_lost > 0 { vec![Warning::trace_lost(events_lost)] } else { Vec::new() };
        let report = AttachReport { series: vec![series], events, events_lost, warnings, ..AttachReport::default() };
        let mut assembly = Assembly::elsewhere(sample::empty());
        AttachResult { report, ended: Vec::new(), stopped: false }.into_run(&[], &mut assembly);
        assembly.finish()
    };
    let run = watched(1_000, 12_339);
    assert!(!run.valid);
    let first = text::text(&run, 500).lines().next().map(str::to_string).unwrap();
    assert!(first.starts_with("TRACE INCOMPLETE: ") && first.contains("12,339 events"), "{first}");
    let sentence = verdict::sentence(&run);
    assert!(sentence.starts_with("TRACE INCOMPLETE, ") && sentence.contains("NO EVIDENCE"), "{sentence}");
    let brief = brief_text(&run, 500);
    assert!(brief.starts_with("TRACE INCOMPLETE, NO EVIDENCE: the kernel's trace lost 12,339 of 13,339"), "{brief}");
    assert!(!brief.contains("backwall blame"), "an invalid run is repeated first: {brief}");
    assert!(page::page(&run).contains("TRACE INCOMPLETE"));
    let whole = watched(1_000_000, 0);
    assert!(whole.valid && !verdict::sentence(&whole).contains("TRACE INCOMPLETE"));
    // One of a thousand: still said.
    let little = watched(999_000, 1_000);
    assert!(little.valid && verdict::sentence(&little).starts_with("TRACE INCOMPLETE, "));
}

#[test]
fn the_whole_table_is_as_narrow_as_the_terminal_and_loses_no_column() {
    let wide = text::text(&sample::tour(), 500);
    for columns in [60, 80, 100] {
        let narrow = text::text(&sample::tour(), columns);
        assert!(narrow.lines().all(|line| line.chars().count() <= columns), "{columns}: {narrow}");
        let words =
            |text: &str| text.split_whitespace().map(String::from).collect::<std::collections::BTreeSet<String>>();
        assert_eq!(words(&narrow), words(&wide), "{columns}");
    }
}

#[test]
fn the_table_of_the_tour_is_as_published() {
    golden("tour.txt", &text::text(&sample::tour(), 1_000));
}

fn brief_text(run: &Run, columns: usize) -> String {
    brief::brief(run, "latest", columns).into_iter().map(|(_, line)| line + "\n").collect()
}

#[test]
fn the_brief_text_of_the_tour_fits_every_terminal() {
    for columns in [50, 80, 120] {
        let text = brief_text(&sample::tour(), columns);
        golden(&format!("brief_{columns}.txt"), &text);
        assert!(text.lines().all(|line| line.chars().count() <= columns), "{text}");
    }
}

#[test]
fn the_brief_text_of_several_processors_names_the_worst_and_fits_every_terminal() {
    let run = sample::four_processors();
    let head = verdict::headline(&run).unwrap();
    assert_eq!((head.key.load.as_str(), head.key.cpu), (sample::LONG_LOAD, Some(3)));
    for columns in [50, 80, 120] {
        let text = brief_text(&run, columns);
        golden(&format!("brief_cpus_{columns}.txt"), &text);
        assert!(text.lines().all(|line| line.chars().count() <= columns), "{text}");
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(&format!("under load {}, CPU 3", sample::LONG_LOAD)), "{text}");
    }
    let all: Vec<String> =
        text::text(&run, 200).lines().filter(|line| line.contains(": p99.9 ")).map(String::from).collect();
    let mut told_apart = all.clone();
    told_apart.sort();
    told_apart.dedup();
    assert_eq!((all.len(), told_apart.len()), (8, 8), "{all:#?}");
    let sentence = verdict::sentence(&run);
    assert!(sentence.contains("timer to thread, CPU 0-3, SCHED_FIFO 95"), "{sentence}");
}

#[test]
fn a_run_that_its_limit_ended_says_so_with_the_response_and_its_cause() {
    let mut run = ten_samples();
    run.interrupted = true;
    run.plan.stop_above_ns = Some(backwall_model::units::Nanoseconds(1_000_000));
    run.sessions = vec![Session { ending: Some(Ending::Limit), ..Session::default() }];
    run.series[0].worst[0].blame = Some(Blame::Unfitting);
    assert!(verdict::sentence(&run).starts_with("ended by --stop-above after 61 s: "), "{}", verdict::sentence(&run));
    let line = "ended by --stop-above 1,000.0 us: a response took 1,250.0 us: of 1,250.0 us: 1,250.0 us unexplained (the wakeup in the trace does not fit the thread's own clock readings)";
    assert!(text::text(&run, 200).lines().any(|row| row == line), "{}", text::text(&run, 200));
    let lines = brief::brief(&run, "latest", 200);
    let told = "ended by --stop-above 1,000.0 us: a response took 1,250.0 us: unexplained";
    assert!(lines[0].0 == brief::Tone::Bad && lines[0].1.starts_with(told), "{lines:?}");
    assert!(
        lines[1].1.starts_with("maximum 1.2 ms under all loads") && lines[1].1.contains(": unexplained"),
        "{lines:?}"
    );
    let page = page::page(&run);
    assert!(page.contains(">ended by --stop-above<") && !page.contains("interrupted"));
}

const LINES: usize = 18;

// The run's maximum first, whichever row holds it; then the rows, the reason, the fix, and the next command.
#[test]
fn the_first_line_is_the_maximum_of_all_phases_with_its_own_cause() {
    let mut run = sample::default_run();
    let place = run.series.iter().position(|series| series.key.load == "none").unwrap();
    let camera =
        Thread { name: Some("camera".into()), id: Some(14_406), priority: Some(Priority::RealTime(99)), series: false };
    let culprit = Some(Culprit { holder: Holder::Thread(camera), more: None });
    let share = Share { cause: Cause::Interference, culprit, ns: 36_300_000 };
    let blame = Blame::Shares { shares: Shares::of([share]).unwrap(), wakers: Wakers::default() };
    run.series[place].max = Some(36_300_000);
    run.series[place].worst[0].value = 36_300_000;
    let unrecorded = brief_text(&run, 80);
    assert!(unrecorded.starts_with("maximum 36.3 ms while idle: cause not recorded\n"), "{unrecorded}");
    run.series[place].worst[0].blame = Some(blame);
    run.plan.priority = Some(95);
    let text = brief_text(&run, 80);
    assert!(text.starts_with("maximum 36.3 ms while idle: camera (14406, real-time 99)\n"), "{text}");
    let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words}: {text}"));
    let places = ["maximum ", " wakeups missed", "\nphase ", "\nwhy   ", "\nfix   ", "\nnext  ", "\nCPU 1"].map(at);
    assert!(places.is_sorted(), "{text}");
    assert!(text.contains("\nnext  chrt -f -p 94 14406   # for the maximum; undo: chrt -f -p 99 14406\n"), "{text}");
    let further = brief::further(&run, "latest", 80);
    for line in
        ["chrt -f -p 94 14406 ", "taskset -cp ", "also  ", "backwall blame latest ", "backwall tune plan latest "]
    {
        assert!(further.contains(line), "{line}: {further}");
    }
    assert!(text.lines().count() < LINES, "{text}");
    for word in ["extremal", "drifted", "no room"] {
        assert!(!text.contains(word), "{word}: {text}");
    }
    assert_eq!(verdict::headline(&run).unwrap().max, Some(36_300_000));
}

// A run of a quiet virtual machine: each phase has a cause of its maximum and causes of its traced repetition, some by bystanders.
fn quiet_run() -> Run {
    let mut run = sample::default_run();
    run.environment.steal_ticks = 155;
    let thread = |name: &str| {
        let thread = Thread { name: Some(name.into()), id: None, priority: Some(Priority::Ordinary), series: false };
        Some(Culprit { holder: Holder::Thread(thread), more: None })
    };
    let blame = |cause, culprit, ns| Blame::Shares {
        shares: Shares::of([Share { cause, culprit, ns }]).unwrap(),
        wakers: Wakers::default(),
    };
    let own = [
        blame(Cause::IdleExit, None, 762_167),
        blame(Cause::IdleExit, None, 7_333_286),
        blame(Cause::Below, thread("bw-memory"), 7_107_329),
    ];
    for (series, (blame, max)) in run.series.iter_mut().zip(own.into_iter().zip([762_167, 7_333_286, 7_107_329])) {
        series.max = Some(max);
        (series.worst[0].value, series.worst[0].blame) = (max, Some(blame));
    }
    let total = |cause, culprit, largest_in| CauseTotal {
        accused: Accusation { cause, culprit },
        ns: largest_in * 30_000,
        largest_in,
        part_of: None,
        longest_ns: None,
    };
    let timer = Some(Culprit { holder: Holder::Interrupt("local_timer".into()), more: None });
    run.stages[0].causes = vec![total(Cause::IdleExit, None, 55), total(Cause::Dispatch, None, 11)];
    run.stages[1].causes = vec![
        total(Cause::Interference, timer, 10),
        total(Cause::Below, thread("bw-memory"), 7),
        total(Cause::Below, thread("bw-cache"), 6),
    ];
    (run.stages[0].blamed, run.stages[1].blamed) = (66, 23);
    run
}

// Every answer is whole in every window: who made the maximum of each phase, and who made most of the recorded ones.
#[test]
fn no_cause_is_cut_on_the_first_screen() {
    let run = quiet_run();
    for columns in [40, 60, 80, 120, 200] {
        let text = brief_text(&run, columns);
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let why = &words[words.find("why ").unwrap()..words.find("fix ").unwrap_or(words.len())];
        assert!(!why.contains('…'), "{columns}: {text}");
        assert!(
            words.starts_with("maximum 7.3 ms while idle, C-states off: timer interrupt late on an idle CPU"),
            "{text}"
        );
        if columns >= 80 {
            // For bystanders that the hypervisor stopped there is one label, which comes before that of a single bystander.
            assert!(why.contains("maximum 7.1 ms and most often hypervisor or SMI (13 of 23)"), "{columns}: {text}");
            assert!(
                why.contains("maximum 762 us and most often late timer on an idle CPU (55 of 66)"),
                "{columns}: {text}"
            );
        }
        assert!(text.lines().count() < LINES, "{columns}: {text}");
    }
    let why: Vec<String> =
        brief_text(&run, 80).lines().filter(|line| line.contains("most often")).map(String::from).collect();
    assert!(why[0].starts_with("why   load (8 kinds)"), "the worst phase first: {why:?}");
}

#[test]
fn causes_that_differ_have_a_line_each_where_one_has_no_room() {
    let mut run = quiet_run();
    run.stages[1].causes.truncate(1);
    run.stages[1].blamed = 55;
    let text = brief_text(&run, 80);
    let at = text.lines().position(|line| line.contains("7.1 ms: hypervisor or SMI")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[at].len() <= 80 && !lines[at].contains('…'), "{text}");
    assert!(
        lines[at..].iter().take(2).any(|line| line.contains("most often interrupt local_timer (10 of 55)")),
        "{text}"
    );
}

// A warning that comes with every run tells nothing: small changes of conditions stay on the page.
#[test]
fn conditions_that_hardly_changed_are_no_warning_and_others_say_what_changed() {
    let mut run = sample::default_run();
    run.warnings = vec![Warning::new("drift", "it drifted").of(run.series[2].key.to_string())];
    assert!(!brief_text(&run, 80).contains("conditions changed"), "{}", brief_text(&run, 80));
    let mut builder = SeriesBuilder::new(run.series[2].key.clone(), Span::new("expiry", "thread", Unit::Ns));
    for seq in 0..15_000u64 {
        let spike = (6_000..7_000).contains(&seq) && seq % 7 == 0;
        builder.sample(
            seq,
            seq * sample::PERIOD_NS,
            if spike { 900_000 + seq } else { 20_000 + seq * 7 % 4_001 },
            false,
        );
    }
    run.series[2] = builder.build();
    let text = brief_text(&run, 100);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("conditions changed under load (8 kinds): "), "{text}");
    assert!(words.contains("slowest responses came within 9 % of the time; repeat the run before comparing"), "{text}");
}

#[test]
fn where_nothing_was_late_there_is_nothing_to_change() {
    let mut run = sample::default_run();
    run.series.iter_mut().for_each(|series| {
        (series.missed, series.late, series.max) = (Some(0), Some(0), Some(81_000));
    });
    let told = |run: &Run| brief_text(run, 80).contains("\nnext  nothing to change: no response was late\n");
    assert!(told(&run));
    run.plan.deadline_ns = Some(backwall_model::units::Nanoseconds(50_000));
    assert!(!told(&run));
}

// With every possible warning, the maximum and the rows stay on the first screen.
#[test]
fn a_run_with_every_warning_at_once_still_has_its_figures_on_the_first_screen() {
    let mut run = sample::tour();
    run.refused_priority = Some(RefusedPriority {
        priority: 95,
        error: "Operation not permitted".into(),
        remedy: "docker run --cap-add SYS_NICE --cap-add IPC_LOCK --ulimit rtprio=99 --ulimit memlock=-1; or ask"
            .into(),
    });
    run.interrupted = true;
    for phase in ["none", "all"] {
        let phase = InvalidPhase { load: phase.into(), idle: "as-is".into(), traced: false };
        run.spoil_phase(phase, "another backwall run used CPU 1 at the same time, so each disturbed the other");
    }
    for kind in 0..20 {
        let words = "something that a user has to know and that is longer than one line of a terminal is";
        run.warnings.push(Warning::new(Warning::PROBE, format!("{words} {kind}")));
    }
    run.warnings.push(Warning::trace_lost(12_339));
    let failed = |number: usize| Requirement {
        text: format!("max < {number}us"),
        outcome: Outcome::Fail,
        ..run.requirements[0].clone()
    };
    run.requirements = (1..20).map(failed).collect();
    let text = brief_text(&run, 80);
    assert!(text.lines().count() < LINES, "{text}");
    for begin in [
        "TRACE INCOMPLETE: ",
        "NO EVIDENCE",
        "ORDINARY PRIORITY: real-time 95 was refused",
        "next  docker run",
        "maximum ",
        "phase ",
        "warn ",
    ] {
        assert!(text.lines().any(|line| line.starts_with(begin)), "{begin}: {text}");
    }
    assert!(text.lines().position(|line| line.starts_with("maximum ")).unwrap() <= 4, "{text}");
    assert_eq!(text.matches("another backwall run").count(), 1, "each reason once: {text}");
}

#[test]
fn warnings_that_are_alike_are_told_once_and_what_spoils_the_evidence_first() {
    let mut run = sample::tour();
    let other = |load: &str| Warning::new("occupied", "it was looked at twice").of(format!("wakeup[load={load}]"));
    run.warnings = vec![other("none"), other("all")];
    let spoiled = InvalidPhase { load: "all".into(), idle: "as-is".into(), traced: false };
    run.spoil_phase(spoiled, "it stood still for 1,234.5 s of it all, and nobody knows why");
    let text = brief_text(&run, 80);
    let said = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.starts_with("NO EVIDENCE of load (8 kinds): it stood still for 1,234.5 s of it all, and"), "{text}");
    assert!(said.contains("it was looked at twice (also wakeup[load=all])"), "{text}");
}

// The invalid row is marked; the first line names it and uses a valid figure.
#[test]
fn a_spoiled_phase_is_told_first_and_marked_in_its_row_alone() {
    let mut run = ten_samples();
    let quiet = run.series[0].clone();
    run.series.insert(0, Series { key: quiet.key.with_load(NO_LOAD), ..quiet });
    let spoiled = InvalidPhase { load: "all".into(), idle: run.series[0].key.idle.clone(), traced: false };
    run.spoil_phase(spoiled, "load disk did nothing");
    let text = brief_text(&run, 100);
    assert!(text.starts_with("NO EVIDENCE of all loads: load disk did nothing\n"), "{text}");
    assert!(verdict::sentence(&run).contains("while idle"), "{}", verdict::sentence(&run));
    let rows: Vec<&str> =
        text.lines().filter(|line| ["idle ", "all loads, "].iter().any(|phase| line.starts_with(phase))).collect();
    let marked: Vec<bool> = rows.iter().map(|row| row.contains("all loads, no evidence")).collect();
    assert_eq!((marked, text.matches("all loads, no evidence").count()), (vec![false, true], 1), "{text}");
    let page = page::page(&run);
    assert!(page.contains("partly no evidence") && page.matches(">no evidence<").count() == 1, "the table's row");
    let junit = backwall_formats::export::junit::junit(&run);
    assert!(junit.contains("no evidence of all loads (load disk did nothing)"), "{junit}");
}

#[test]
fn many_series_are_counted_and_the_worst_is_never_among_those_left_out() {
    let mut run = ten_samples();
    let of = |number: u64| Series {
        key: run.series[0].key.with_load(&format!("load-{number}")),
        max: Some(1_250_000 + number * 1_000),
        ..run.series[0].clone()
    };
    run.series = (0..100).map(of).collect();
    let text = brief_text(&run, 80);
    assert!(text.contains("load-99") && text.contains("and 94 more: -v"), "{text}");
}

#[test]
fn what_fails_or_is_doubtful_has_the_tone_that_a_terminal_colours() {
    let run = sample::tour();
    let lines = brief::brief(&run, "latest", 80);
    for (tone, begin) in
        [(brief::Tone::Bad, "FAIL 'missed == 0'"), (brief::Tone::Good, "PASS 1 of 3"), (brief::Tone::Warn, "UNDECIDED")]
    {
        assert!(lines.iter().any(|(found, line)| *found == tone && line.starts_with(begin)), "{begin}: {lines:?}");
    }
}

#[test]
fn the_largest_comes_first_and_the_loaded_phase_beside_it() {
    let mut run = sample::tour();
    run.series[0].max = Some(9_000_000);
    assert_eq!(verdict::headline(&run).unwrap().key.load, "none");
    assert_eq!(verdict::loaded(&run).unwrap().key.load, "all");
    let sentence = verdict::sentence(&run);
    assert!(sentence.contains("maximum 9,000.0 us while idle (of 15,000)"), "{sentence}");
    assert!(sentence.contains("; maximum 3,204.5 us under all loads, C-states off"), "{sentence}");
}

#[test]
fn the_interrupt_timing_analysis_is_judged_by_its_thread() {
    let mut run = ten_samples();
    let of = |name: &str| Series { key: run.series[0].key.with_name(name), ..run.series[0].clone() };
    run.series = ["isr", "ist", "handoff"].map(of).into();
    let asked = Iltiming { ce_priority: 0, ticks: 5, interrupts: 10, caches: Caches::Warm };
    run.plan.extension = Extension::Iltiming(asked);
    assert_eq!(verdict::headline(&run).unwrap().key.name, "ist");
}

#[test]
fn every_figure_of_ten_samples_stands_in_its_column_and_too_few_is_said() {
    let text = text::text(&ten_samples(), 200);
    let row: Vec<&str> =
        text.lines().find(|line| line.starts_with("wakeup   all")).unwrap().split_whitespace().collect();
    let expected = "wakeup all as-is 12 10 2 1 10.0 137.6 15.0 too few too few too few 1,250.0 1,240.0 us";
    assert_eq!(row.join(" "), expected);
    assert!(text.contains("too few: more samples are needed (run longer)"), "{text}");
    assert!(text.contains("overload rule skip:"), "{text}");
    assert!(text.contains("back wall is the largest latency observed"), "{text}");
}

#[test]
fn the_verdict_names_quantile_back_wall_count_loss_and_steal() {
    let mut run = ten_samples();
    run.environment.steal_ticks = 12;
    assert_eq!(
        verdict::sentence(&run),
        "Linux 6.18.44 on AMD EPYC (2 CPUs), timer to thread, CPU 1, SCHED_FIFO 95, every 1 ms: \
         maximum 1,250.0 us under all loads (of 10); 50 % of responses within 18.0 us at 95 % confidence; 2 of 12 wakeups missed, 1 late; \
         12 steal ticks (10 ms each): the hypervisor, not this kernel, may have caused the maximum."
    );
}

#[test]
fn the_verdict_takes_the_phase_with_the_largest_back_wall_and_says_what_it_was_without_load() {
    let run = sample::tour();
    let sentence = verdict::sentence(&run);
    assert_eq!(verdict::headline(&run).unwrap().max, Some(3_204_511));
    assert!(sentence.contains("3,204.5 us under all loads, C-states off"), "{sentence}");
    assert!(sentence.contains("maximum 412.3 us while idle"), "{sentence}");
}

#[test]
fn other_responses_to_the_same_stimuli_stand_beside_the_first() {
    let mut run = ten_samples();
    run.device.kind = "capture".into();
    run.series[0].from = "stimulus_a".into();
    let app = Series {
        key: run.series[0].key.with_name("app"),
        to: "app".into(),
        max: Some(2_000_000),
        missed: Some(3),
        ..run.series[0].clone()
    };
    run.series.push(app);
    let sentence = verdict::sentence(&run);
    assert!(
        sentence.contains("2 of 12 stimuli missed, 1 late; stimulus A to application maximum 2,000.0 us with 3 missed"),
        "{sentence}"
    );
}

#[test]
fn figures_of_the_lab_are_instructions_and_never_time() {
    let mut run = ten_samples();
    run.origin = Origin::Emulated;
    (run.plan.period_ns, run.plan.overrun) = (None, None);
    run.series.iter_mut().for_each(|series| series.unit = Unit::Instructions);
    for text in [text::text(&run, 200), verdict::sentence(&run)] {
        assert!(text.contains("1,250,000"), "{text}");
        for word in [" us", " ms", " ns"] {
            assert!(!text.contains(word), "{word} in {text}");
        }
    }
    assert!(verdict::sentence(&run).starts_with("emulated: figures are executed instructions"), "{run:?}");
}

#[test]
fn a_run_that_is_no_evidence_interrupted_or_simulated_says_so_first() {
    let mut run = ten_samples();
    run.spoil("--best-effort");
    run.interrupted = true;
    run.origin = Origin::Simulated;
    let sentence = verdict::sentence(&run);
    assert!(sentence.starts_with("NO EVIDENCE (--best-effort): interrupted after 61 s: simulated: "), "{sentence}");
}

#[test]
fn a_run_without_samples_prints_dashes_and_no_invented_figure() {
    let mut run = sample::empty();
    assert!(verdict::sentence(&run).ends_with("nothing was measured."), "{}", verdict::sentence(&run));
    run.series = vec![sample::series("wakeup", Unit::Ns, &sample::Shape { lost: 5, ..sample::SHAPES[0] }, &[])];
    assert!(verdict::sentence(&run).contains("no response at all while idle; 5 of 5 wakeups missed"));
    assert!(text::text(&run, 200).contains("5     0       5     0    -     -"), "{}", text::text(&run, 200));
}

#[test]
fn throttling_is_blamed_only_for_a_hole_as_long_as_it_makes() {
    let mut run = ten_samples();
    run.environment.throttled = true;
    assert!(!verdict::sentence(&run).contains("throttling"));
    run.series[0].max = Some(51_000_000);
    assert!(
        verdict::sentence(&run)
            .ends_with("real-time throttling or a fair server was active and may also have caused the maximum.")
    );
}

#[test]
fn the_tour_says_what_idle_exit_costs() {
    let text = text::text(&sample::tour(), 1_000);
    let line = text.lines().find(|line| line.starts_with("C-state exit costs")).unwrap();
    assert_eq!(
        line,
        "C-state exit costs 12.9 to 13.2 us at the median (median 26.1 us with C-states, 13.0 us without)"
    );
    let mut run = sample::tour();
    run.series.retain(|series| series.key.idle == "as-is");
    assert!(!text::text(&run, 200).contains("C-state exit costs"));
}

#[test]
fn a_load_that_stands_still_is_named() {
    assert!(text::text(&sample::tour(), 1_000).contains("load disk made no progress in 15 of 15 seconds of phase all"));
}

#[test]
fn the_verdict_gives_the_limit_of_a_quantile_and_never_its_estimate() {
    let sentence = verdict::sentence(&sample::tour());
    assert!(sentence.contains("99.9 % of responses within 555.7 us at 95 % confidence"), "{sentence}");
    assert!(!sentence.contains("355.5"), "{sentence}");
}

#[test]
fn hidden_counters_are_printed_when_they_are_not_zero() {
    let mut run = ten_samples();
    run.series[0].warmup = 3;
    run.series[0].overflow = 7;
    let text = text::text(&run, 200);
    assert!(text.contains("3 warm-up samples excluded"), "{text}");
    assert!(text.contains("7 samples beyond the last bucket of the histogram"), "{text}");
}

#[test]
fn names_from_outside_cannot_command_the_terminal() {
    let mut run = sample::tour();
    run.device.kernel = "6.1\u{1b}]0;owned\u{7}\nverdict: all is well".into();
    run.warnings = vec![Warning::new(Warning::PROBE, "\u{1b}[2J")];
    let text = text::text(&run, 200);
    assert!(!text.contains(|letter: char| letter.is_control() && letter != '\n'), "{text:?}");
    assert!(!verdict::sentence(&run).contains('\n'));
    assert!(!brief_text(&run, 80).contains(|letter: char| letter.is_control() && letter != '\n'));
}

proptest! {
    #[test]
    fn no_run_however_strange_stops_the_report(run in sample::any::run()) {
        prop_assert!(text::text(&run, 200).ends_with('\n'));
        for columns in [40, 80] {
            prop_assert!(brief::brief(&run, "latest", columns).iter().all(|(_, line)| line.chars().count() <= columns));
        }
        prop_assert!(brief::brief(&run, "latest", 80).len() < LINES);
        prop_assert_eq!(verdict::sentence(&run).lines().count(), 1);
        let page = page::page(&run);
        for broken in ["=\"NaN", "=\"inf", "=\"-inf"] {
            prop_assert!(!page.contains(broken), "{}", broken);
        }
        prop_assert_eq!(page.matches("<script").count(), 1);
        prop_assert!(page.len() < 8_000_000, "{}", page.len());
    }
}

#[test]
fn a_quantile_that_the_samples_do_not_bound_from_above_is_marked() {
    let mut run = ten_samples();
    let unbounded = |text: &str| text.contains("15.0?") && text.contains("?: not enough samples to bound it");
    assert!(!unbounded(&text::text(&run, 200)));
    run.series[0].quantiles.iter_mut().filter(|quantile| quantile.q == 0.5).for_each(|quantile| quantile.high = None);
    assert!(unbounded(&text::text(&run, 200)), "{}", text::text(&run, 200));
}

#[test]
fn a_run_that_went_on_without_its_rights_does_not_claim_the_priority_it_asked_for() {
    let mut run = ten_samples();
    run.spoil("--best-effort");
    assert!(verdict::sentence(&run).contains("SCHED_FIFO 95,"), "it was granted: {}", verdict::sentence(&run));
    run.plan.best_effort = true;
    assert!(verdict::sentence(&run).contains("SCHED_FIFO 95 requested,"), "{}", verdict::sentence(&run));
}
