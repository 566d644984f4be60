// SPDX-License-Identifier: MIT OR Apache-2.0
//! The probe and the bench's responders on Detent: the same C code as on Linux, and its figures. Needs QEMU.
use crate::common::program::program;
use crate::lab_profiles::is_documented_compiler;
use backwall_lab::bench::{self, BenchFault, BenchRun, Settings};
use backwall_lab::emulator::Emulator;
use backwall_lab::machine::{Machine, X86_PC};
use backwall_lab::result::{describe, judge, plan};
use backwall_lab::scenario::Scenario;
use backwall_lab::stream;
use backwall_model::units::Unit;
use backwall_model::{Origin, Picture, Run, Warning};
use backwall_runner::device::probe::Probe;

fn scenario(rest: &str) -> Scenario {
    Scenario::parse("test", &format!("about = 'test'\nguest = 'detent-probe'\n{rest}")).expect("a sound scenario")
}

fn bench_of(scenario: &Scenario) -> Result<BenchRun, BenchFault> {
    let emulator = Emulator::find(scenario.machine).expect("these tests need QEMU: tools/install.sh test");
    bench::run(scenario, &emulator, &Settings { seed: 1, ..Settings::default() })
}

fn wakeup(load: &str) -> (Vec<u8>, Run) {
    let text = format!("load = '{load}'\nstream = true\noptions = 'probe measure wakeup --count 200 --warmup 10'");
    let scenario = scenario(&text);
    let bench = bench_of(&scenario).expect("the probe ends");
    let stream = std::fs::read(bench.channel_path()).unwrap();
    let mut run = run_of(&scenario, &bench);
    stream::add_to(&mut run, &scenario, stream.as_slice());
    (stream, run)
}

fn run_of(scenario: &Scenario, bench: &BenchRun) -> Run {
    let plan = plan(scenario, 1);
    let mut run = Run::begin(Origin::Emulated, plan, Vec::new(), jiff::Timestamp::UNIX_EPOCH);
    describe(&mut run, scenario, bench, &Emulator::find(scenario.machine).unwrap());
    run
}

#[test]
fn the_probe_says_on_detent_what_it_says_on_linux_in_instructions_and_twice_the_same() {
    let (first, run) = wakeup("none");
    let (second, _) = wakeup("none");
    assert_eq!(first, second, "a run is exact to the last byte of its stream");
    assert_eq!((run.origin, run.interrupted, run.warnings.as_slice()), (Origin::Emulated, false, &[] as &[Warning]));
    let [series] = run.series.as_slice() else { panic!("one series: {:?}", run.series) };
    assert_eq!((series.key.name.as_str(), series.unit), ("wakeup", Unit::Instructions));
    assert_eq!((series.due, series.done, series.missed), (Some(210), 210, Some(0)));
    assert!(series.min.is_some() && series.min <= series.max && series.max < Some(1_000_000), "{series:?}");
    assert!(!run.values.contains_key("measured_cpu_ns"), "Detent keeps no such account");
}

#[test]
fn a_load_below_the_measured_thread_costs_no_release() {
    let (_, run) = wakeup("polygons@40");
    assert_eq!(
        (run.series[0].due, run.series[0].done, run.series[0].key.load.as_str()),
        (Some(210), 210, "polygons@40")
    );
}

#[test]
fn what_detent_has_no_equal_for_is_refused_in_one_line() {
    for (load, why) in [("disk", "disk: this device has no disk"), ("loopback", "loopback: this device has no network")]
    {
        let refused = bench_of(&scenario(&format!(
            "load = '{load}'\nstream = true\noptions = 'probe measure wakeup --count 10'"
        )));
        let Err(error) = refused else { panic!("{load} was not refused") };
        assert!(error.to_string().contains(why), "{error}");
    }
}

#[test]
fn the_lines_of_c_that_answer_on_linux_answer_here() {
    let generator = "[generator.a]\nshape = 'periodic'\nperiod = 200_000\ncount = 50\n";
    let scenario = scenario(&format!("options = 'bench'\n{generator}"));
    let mut bench = bench_of(&scenario).expect("the guest answers");
    for answered in judge(&scenario, &mut bench.recording.edges).into_iter().flat_map(|judged| judged.answered) {
        let mut run = run_of(&scenario, &bench);
        answered.add_to(&mut run);
        assert_eq!(
            (run.series[0].due, run.series[0].done, run.series[0].missed),
            (Some(50), 50, Some(0)),
            "{}",
            run.series[0].key.name
        );
    }
}

// Runs Detent's operations with these arguments, all in the kernel or as processes.
pub fn operations(machine: &Machine, guest: &str, words: &str) -> (BenchRun, Run) {
    let text = format!(
        "about = 'test'\nmachine = '{}'\nguest = '{guest}'\nstream = true\noptions = 'osbench {words}'",
        machine.name
    );
    let scenario = Scenario::parse("test", &text).expect("a sound scenario");
    let bench = bench_of(&scenario).expect("osbench ends");
    let mut run = run_of(&scenario, &bench);
    let known = Probe::carried().unwrap().catalogue().unwrap().operations;
    stream::add_operations(&mut run, &scenario, &known, std::fs::File::open(bench.channel_path()).unwrap());
    (bench, run)
}

fn documented_operations(column: usize) -> Vec<(&'static str, f64)> {
    let text = include_str!("../../../../docs/evidence/osbench.md");
    let table = text.lines().skip_while(|line| !line.starts_with("| test | row | operation | Detent")).skip(2);
    let cells = table.take_while(|line| line.starts_with('|')).map(|line| line.split('|').map(str::trim).collect());
    let said = |cell: &str| cell.replace(',', "").parse().ok();
    let rows: Vec<(&str, f64)> =
        cells.filter_map(|cells: Vec<&'static str>| said(cells[column]).map(|value| (cells[1], value))).collect();
    assert!(rows.len() > 10, "{rows:?}");
    rows
}

// Checks the rows of the paper's table and that every sample is accounted for; with the documented compiler also the document's
// figures.
pub fn judged(run: &Run, column: usize, is_documented: bool) -> Vec<u64> {
    let Some(Picture::Operations(found)) = run.pictures.first() else { panic!("{:?}", run.pictures) };
    for (row, series) in found.rows.iter().zip(&run.series) {
        assert_eq!((&series.key.variant["test"], series.unit), (&row.test, Unit::Instructions));
        assert_eq!((series.due, series.done, series.missed), (Some(15), 15, Some(0)), "{}", row.test);
        assert_eq!((row.clamped, row.void), (0, 0), "{}", row.test);
        assert!(series.min > Some(0) && series.max < series.min.map(|min| min + 1_000), "{}: {series:?}", row.test);
    }
    let documented = if is_documented { documented_operations(column) } else { Vec::new() }.into_iter();
    let stale = documented.filter_map(|(test, said)| {
        let place = found.rows.iter().position(|row| row.test == test).expect("it was measured");
        let measured = found.rows[place].each(run.series[place].max.unwrap() as f64);
        (measured != said).then(|| format!("{test}: {measured}, and {said} is written"))
    });
    assert_eq!(stale.collect::<Vec<_>>(), [""; 0], "docs/evidence/osbench.md");
    found.rows.iter().filter_map(|row| row.paper_row).collect()
}

pub const ROWS_OF_ONE_PROCESS: [u64; 22] =
    [1, 2, 3, 4, 5, 6, 7, 9, 11, 13, 15, 17, 19, 21, 23, 24, 25, 29, 30, 31, 32, 33];

#[test]
fn osbench_measures_on_detent_the_rows_of_linux_that_one_process_on_one_processor_has() {
    let (bench, run) = operations(&X86_PC, "detent-probe", "-all -n 5");
    assert_eq!(judged(&run, 4, is_documented_compiler()), ROWS_OF_ONE_PROCESS, "all but those with a second process");
    assert!(bench.console.contains("osbench: not measured: 1.01 event: this image has no second process"));
    assert!(bench.console.contains("osbench: not measured: 7.00 event: this machine has one processor"));
    let told = bench.console.lines().filter(|line| line.contains("not measured: ")).count();
    let said: Vec<String> = run.warnings.iter().map(Warning::to_string).collect();
    assert_eq!(said, [format!("{told} rows were not measured; console.txt says why")]);
}

#[test]
fn osbench_as_processes_of_detent_measures_every_row_of_the_paper() {
    let (bench, run) = operations(&X86_PC, "detent-process", "-all -n 5");
    assert_eq!(judged(&run, 5, is_documented_compiler()), (1..=33).collect::<Vec<u64>>());
    assert!(!bench.console.contains("no second process"), "{}", bench.console);
}

// Between the two marks of a sample, the scope sees the time that the clock measured plus the cost of the marks, which is the
// same for all samples.
fn marks_show(guest: &str, tests: &str) {
    let (bench, run) = operations(&X86_PC, guest, &format!("{tests} -n 5 -m 0x378"));
    let rises = |name: &str| bench.recording.edges.line(name).unwrap().rises().map(|at| at.0).collect::<Vec<u64>>();
    let begin = rises("isr");
    // Drops earlier writes: the firmware also wrote to the port.
    let end: Vec<u64> = rises("ist").into_iter().filter(|at| *at > begin[0]).collect();
    assert_eq!((begin.len(), end.len()), (45, 45), "a mark at each reading of the clock, warm-up included");
    for (row, series) in run.series.iter().enumerate() {
        let seen: Vec<u64> = (15 * row..15 * row + 15).map(|sample| end[sample] - begin[sample]).collect();
        let said = series.max.unwrap();
        let marks = seen[14] - said;
        assert!(seen[1..].iter().all(|seen| *seen == said + marks), "{}: {seen:?} for {said}", series.key.name);
        assert!((1..=40).contains(&marks), "{}: two marks and two readings cost {marks}", series.key.name);
    }
}

#[test]
fn the_marks_of_a_row_show_the_scope_what_the_clock_says() {
    marks_show("detent-probe", "-t 1.00 -t 3.00 -t 4.00");
}

#[test]
fn so_do_those_of_a_row_between_two_processes() {
    marks_show("detent-process", "-t 1.01 -t 3.01 -t 4.01");
}

#[test]
fn a_load_beside_processes_is_refused() {
    let text = "about = 'test'\nguest = 'detent-process'\nload = 'spin@40'\nstream = true\noptions = 'osbench -all'";
    let refused = bench_of(&Scenario::parse("test", text).unwrap());
    let Err(error) = refused else { panic!("the load was not refused") };
    assert!(error.to_string().contains("expected load = \"none\""), "{error}");
}

#[test]
fn the_sieve_is_measured_apart_and_together_and_what_it_says_is_on_the_serial_line_and_the_screen() {
    let scenario = scenario("stream = true\nscreen = true\noptions = 'sieve --primes 20000 --rounds 6'");
    let bench = bench_of(&scenario).expect("the sieve ends; it fails where the screen does not hold its message");
    let mut run = run_of(&scenario, &bench);
    stream::add_to(&mut run, &scenario, std::fs::File::open(bench.channel_path()).unwrap());
    let [Picture::Interference(found)] = run.pictures.as_slice() else { panic!("{:?}", run.pictures) };
    let names: Vec<&str> = found.cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names, ["serial", "vga", "serial-thread", "vga-thread"]);
    for case in &found.cases {
        let [compute, display, both] = case.forms.as_slice() else { panic!("{case:?}") };
        assert_eq!((case.rounds(), case.unit, run.interrupted), (6, Unit::Instructions, false));
        let [compute, display, both] = [compute, display, both].map(|form| *form.times.iter().min().unwrap());
        assert!(display > 0 && compute < both && display < compute, "{case:?}");
    }
    // The 2,000th prime is 17,389; each of two outputs shows the message six times alone and six times while computing.
    assert_eq!(bench.console.matches("     2000 up to    17389").count(), 24);
    let median = |name: &str| found.cases.iter().find(|case| case.name == name).unwrap().ratio.unwrap().median;
    assert!(median("vga-thread") > median("vga"), "a thread of its own costs two switches more");
}

#[test]
fn a_sieve_that_cannot_be_is_refused_in_one_line() {
    for (words, why) in [("--primes 28000001", "from 1000 to 28000000"), ("--squares 4", "there is no such option")] {
        let refused = bench_of(&scenario(&format!("stream = true\noptions = 'sieve {words}'")));
        let Err(error) = refused else { panic!("{words} was not refused") };
        assert!(error.to_string().contains(why), "{error}");
    }
}

// The trail of a run of the bench, as the commands print it.
fn trail_of(command: &[&str], place: &std::path::Path) -> serde_json::Value {
    let output = std::process::Command::new(program()).args(command).arg(place).arg("--json").output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.contains("_ns\"") && !text.contains("\"ns\""), "instructions are never called nanoseconds: {text}");
    serde_json::from_str(&text).unwrap()
}

#[test]
fn the_trail_is_a_recording_whose_unit_is_instructions_and_its_responses_lie_within_the_scopes() {
    let generator = "[generator.a]\nshape = 'periodic'\nperiod = 200_000\ncount = 60\n[limits]\ntail = 100_000_000\n";
    let text = format!("about = 'test'\nguest = 'detent'\noptions = 'trail=all app_test answers=60'\n{generator}");
    let scenario = Scenario::parse("test", &text).unwrap();
    let mut bench = bench_of(&scenario).expect("the guest answers");
    let home = tempfile::tempdir().unwrap();
    let console = home.path().join("console.txt");
    std::fs::write(&console, &bench.console).unwrap();
    let told = trail_of(&["trace", "report"], home.path());
    assert_eq!((told["unit"].as_str(), told["lost"].as_u64()), (Some("instructions"), Some(0)), "{told}");
    assert_eq!(told["by_name"]["interrupt"].as_u64(), Some(60), "{told}");
    let blamed = trail_of(&["blame"], &console);
    let late = blamed["responses_late"].as_array().unwrap();
    let ist: Vec<u64> = late
        .iter()
        .filter(|late| late["thread"] == "ist_main")
        .map(|late| late["latency_instructions"].as_u64().unwrap())
        .collect();
    let judged = judge(&scenario, &mut bench.recording.edges);
    let lines: Vec<_> = judged.into_iter().flat_map(|judged| judged.answered).map(|answered| answered.series).collect();
    let [isr, of_ist, _] = lines.as_slice() else { panic!("three lines") };
    // The time from the ISR's answer to the switch is shorter than from the ISR's edge to the thread's edge.
    assert_eq!(ist.len(), 60, "{blamed}");
    assert!(*ist.iter().max().unwrap() <= of_ist.max.unwrap() - isr.min.unwrap(), "{ist:?} {of_ist:?} {isr:?}");
    for late in late {
        let shares = late["shares"].as_array().unwrap().iter().map(|share| share["instructions"].as_u64().unwrap());
        assert_eq!(shares.sum::<u64>(), late["latency_instructions"].as_u64().unwrap());
    }
}
