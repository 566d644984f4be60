// SPDX-License-Identifier: MIT OR Apache-2.0
//! Boots each of Debian's kernels twice for a short time. One boot ends in a saved state, and a run from this state
//! must give the same bytes. The test also compares the guests' own traces. With BACKWALL_LONG, the second stage of CI,
//! it counts the instructions of known programs and of kernel command line options, and boots kernels for arm64 and
//! riscv64. It needs QEMU, and the packages from the network or the cache.
//!
//! The test harness does not run this test, because a harness cannot report it as skipped: without the packages the
//! test prints why and counts as nothing.
#[path = "../../../cli/tests/common/mod.rs"]
mod common;

use backwall_capture::trail::difference::terms;
use backwall_capture::trail::hops::LineHop;
use backwall_capture::trail::visits::by_function;
use backwall_lab::bench::{self, BenchRun, Settings};
use backwall_lab::cost::{self, COUNT, Cost, Program};
use backwall_lab::emulator::Emulator;
use backwall_lab::guest::BadGuest;
use backwall_lab::guest::debian::{self, Newest};
use backwall_lab::guest::programs::{GuestFile, files_of};
use backwall_lab::input::Input;
use backwall_lab::machine::{ARM64_VIRT, Machine, RISCV64_VIRT};
use backwall_lab::recorder;
use backwall_lab::result::judge;
use backwall_lab::saved_state::Shelf;
use backwall_lab::scenario::Scenario;
use backwall_lab::trail::answer::Which;
use backwall_lab::trail::entered_answer::Subject;
use backwall_model::Series;
use backwall_model::units::Unit;
use backwall_os::parallel;
use backwall_trace::account::analysis::Analysis;
use backwall_trace::blame::Cause;
use backwall_trace::late::answered::{Answer, Answered};
use backwall_trace::read::stored::OpenRecording;
use common::program::program as tool_program;
use common::tool::{emulators, files, signal, wait_until};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

// Real-time priority 45 on the kernel's scale.
const IST_PRIORITY: i32 = 99 - 45;
const KERNELS: [&str; 2] = ["stock", "rt"];
const POLYGONS: &str = "polygons@40";

fn main() -> ExitCode {
    if let Some(reason) = KERNELS.iter().find_map(|which| lacking(which, Machine::usual())) {
        println!("SKIP lab_linux: {reason}");
        return ExitCode::SUCCESS;
    }
    let emulator = Emulator::find(Machine::usual()).expect("these tests need QEMU: tools/install.sh test");
    let series =
        parallel::map(&KERNELS, KERNELS.len(), |which| answers(&emulator, &format!("linux:{which}"), POLYGONS));
    every_pulse_is_answered_by_the_thread_before_the_application(&series);
    the_realtime_kernel_hands_the_interrupt_to_a_thread_first(&series);
    println!("PASS lab_linux: 3 checks on {} kernels", KERNELS.len());
    the_guests_own_trace_divides_what_the_scope_measured_to_the_instruction(&emulator);
    println!("PASS lab_linux: blame of the guests' own traces");
    ctrl_c_ends_what_wants_whole_runs_in_one_line_and_leaves_nothing();
    println!("PASS lab_linux: Ctrl-C of tune and cost");
    if std::env::var_os("BACKWALL_LONG").is_some() {
        what_a_program_executes_more_for_each_wake_up_is_counted_exactly(&emulator);
        println!("PASS lab_linux: the instructions of known programs");
        words_of_the_boot_line_reach_the_kernel(&emulator);
        println!("PASS lab_linux: what threadirqs changes, by function");
        on_another_machine(&ARM64_VIRT, &KERNELS);
        on_another_machine(&RISCV64_VIRT, &KERNELS[..1]);
    }
    ExitCode::SUCCESS
}

// The same checks with kernels for another CPU architecture. On arm64 the interrupt comes through a line of the GPIO
// character device, on riscv64 from a PCI device. Debian has no PREEMPT_RT kernel for riscv64.
fn on_another_machine(machine: &'static Machine, kernels: &[&str]) {
    let lacks = || kernels.iter().find_map(|which| lacking(which, machine));
    let found = Emulator::find(machine).map_err(|error| error.to_string());
    let emulator = match found.and_then(|emulator| lacks().map_or(Ok(emulator), Err)) {
        Ok(emulator) => emulator,
        Err(reason) => return println!("SKIP lab_linux on {}: {reason}", machine.name),
    };
    let series = parallel::map(kernels, kernels.len(), |which| answers(&emulator, &format!("linux:{which}"), POLYGONS));
    every_pulse_is_answered_by_the_thread_before_the_application(&series);
    a_wake_up_costs_the_same_again(&emulator);
    a_kernel_without_what_the_interrupt_needs_is_told_in_one_line(machine);
    println!("PASS lab_linux: {} kernels of {}, booted and from a saved state", kernels.len(), machine.name);
}

// A kernel given by path uses the modules of an installed kernel, and this machine has none for another CPU. Built-in drivers can
// be disabled on the kernel's command line.
fn a_kernel_without_what_the_interrupt_needs_is_told_in_one_line(machine: &'static Machine) {
    let bench = machine.linux.bench(None).expect("one of the bench");
    let kernel = debian::kernel(
        &Newest::named("stock", machine.linux).expect("a kernel of Debian's"),
        bench,
        &backwall_os::Stop::default(),
    );
    let image = kernel.unwrap_or_else(|fault| panic!("{fault}")).image;
    let mut lacks = vec![("input = 'pci'", "the kernel needs UIO and UIO_PCI_GENERIC")];
    if bench.input == Input::Line {
        lacks.push(("boot = 'initcall_blacklist=pl061_gpio_driver_init'", "the kernel needs GPIO_PL061 and GPIO_CDEV"));
    }
    for (line, wants) in lacks {
        let folder = tempfile::tempdir().expect("a folder");
        let text = format!(
            "about = 'test'\nmachine = '{}'\nguest = 'linux:{}'\n{line}\n[generator.a]\nshape = 'one-shot'\nperiod = 200_000\n",
            machine.name,
            image.display()
        );
        std::fs::write(folder.path().join("mine.toml"), text).expect("a scenario");
        let mut tool = Command::new(tool_program());
        let ended =
            tool.args(["lab", "run", "--fresh", "mine.toml"]).current_dir(folder.path()).output().expect("it runs");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(
            ended.status.code() == Some(4) && said.lines().count() == 1 && said.contains(wants),
            "{}: {said}",
            ended.status
        );
    }
}

// The probe, built for the guest's processor; its instructions are counted in both modes.
fn a_wake_up_costs_the_same_again(emulator: &Emulator) {
    let linux = emulator.machine.linux;
    let program = Program {
        name: "probe".to_string(),
        words: ["/probe", "measure", "wakeup", "--count", COUNT, "--period-ns", "1000000", "--cpu", "0"]
            .map(str::to_string)
            .into(),
        files: vec![GuestFile { path: "/probe".into(), bytes: linux.probe.clone() }],
    };
    let settings = Settings { seed: 1, ..Settings::default() };
    let count = || {
        let counted =
            cost::count((emulator.machine, "linux:stock"), std::slice::from_ref(&program), 1_000, emulator, &settings);
        counted.unwrap_or_else(|fault| panic!("{fault}")).costs.remove(0)
    };
    let (first, second) = (count(), count());
    assert_eq!(first, second, "counted twice");
    assert!(first.user > 50.0 && first.kernel > 1_000.0, "{first:?}");
}

fn lacking(which: &str, machine: &'static Machine) -> Option<String> {
    let linux = machine.linux;
    let bench = linux.bench(None).expect("one of the bench");
    if bench.init.is_empty() {
        return Some(format!("built without {}", machine.compiler));
    }
    match debian::kernel(
        &Newest::named(which, linux).expect("a kernel of Debian's"),
        bench,
        &backwall_os::Stop::default(),
    ) {
        Err(BadGuest::Unable(reason)) => Some(reason),
        Err(error) => panic!("{error}"),
        Ok(_) => None,
    }
}

// IST and APP series of 200 pulses after a warm-up of 50, under that load.
fn answers(emulator: &Emulator, guest: &str, load: &str) -> Vec<Series> {
    let machine = emulator.machine.name;
    let text = format!(
        "about = 'test'\nmachine = '{machine}'\nguest = '{guest}'\nload = '{load}'\n[generator.a]\n\
         shape = 'periodic'\nperiod = 200_000\nwarmup = 50\ncount = 200\n[limits]\nwall-seconds = 1200\n"
    );
    let scenario = Scenario::parse(guest, &text).expect("a sound scenario");
    let fresh = Settings { seed: 1, ..Settings::default() };
    let states = tempfile::Builder::new().permissions(PermissionsExt::from_mode(0o700)).tempdir().expect("a folder");
    let shelf = Shelf::at(states.path()).expect("a folder of our own");
    let from_a_state = Settings { states: Some(shelf), ..fresh.clone() };
    let run = |settings| bench::run(&scenario, emulator, settings).unwrap_or_else(|fault| panic!("{guest}: {fault}"));
    let (booted, mut run): (BenchRun, BenchRun) = (run(&fresh), run(&from_a_state));
    assert!(!booted.restored && run.restored);
    let edges = |run: &BenchRun| std::fs::read(run.edges_path()).expect("edges");
    assert!(
        edges(&booted) == edges(&run) && booted.console == run.console,
        "{guest}: a state goes on otherwise than a boot"
    );
    let progress = run.recording.edges.line("progress").map_or(0, |line| line.edges.len());
    assert!(load != POLYGONS || progress > 100, "{guest}: Polygons draws");
    let judged = judge(&scenario, &mut run.recording.edges);
    judged.into_iter().flat_map(|judged| judged.answered).map(|answered| answered.series).collect()
}

// Each answer is divided into shares that sum to what the scope measured, and the kernel's events leave nothing unexplained.
fn the_guests_own_trace_divides_what_the_scope_measured_to_the_instruction(emulator: &Emulator) {
    let divided = parallel::map(&KERNELS, KERNELS.len(), |which| {
        let text = format!(
            "about = 'test'\nguest = 'linux:{which}'\noptions = 'bench-trace=30'\n[generator.a]\nshape = 'periodic'\n\
             period = 200_000\ncount = 100\n[limits]\nwall-seconds = 1200\ntail = 4_000_000_000\n"
        );
        let scenario = Scenario::parse(which, &text).expect("a sound scenario");
        let settings = Settings { seed: 1, ..Settings::default() };
        let mut run = bench::run(&scenario, emulator, &settings).unwrap_or_else(|fault| panic!("{which}: {fault}"));
        let judged = judge(&scenario, &mut run.recording.edges).into_iter().flat_map(|judged| judged.answered);
        let ist = judged.into_iter().find(|answered| answered.series.key.name == "ist").expect("the thread's line");
        let answers: Vec<Answer> =
            ist.pairing.answered().map(|(from, to)| Answer { from: from.0, start: to.0, to: to.0 }).collect();
        let mut analysis = Analysis::new(Answered::new(answers.clone(), 0));
        let mut trace = OpenRecording::of(std::fs::File::open(run.channel_path()).unwrap())
            .unwrap_or_else(|error| panic!("{which}: {error}"));
        assert_eq!(trace.about().unit, Unit::Instructions);
        trace.play(&mut analysis).unwrap_or_else(|error| panic!("{which}: {error}"));
        (answers, analysis.finish().1.finish())
    });
    for (which, (answers, lates)) in KERNELS.iter().zip(divided) {
        assert_eq!((answers.len(), lates.lates.len(), lates.unseen), (100, 100, 0), "{which}");
        for (answer, late) in answers.iter().zip(&lates.lates) {
            assert_eq!((late.at_ns, late.blame.total()), (answer.from, answer.to - answer.from), "{which}: {late:?}");
            let unexplained = late.blame.shares.iter().any(|share| share.cause == Cause::Unexplained);
            assert!(!unexplained && late.thread.priority == IST_PRIORITY, "{which}: {late:?}");
        }
    }
}

fn every_pulse_is_answered_by_the_thread_before_the_application(kernels: &[Vec<Series>]) {
    for series in kernels {
        let [ist, app] = &series[..] else { panic!("two lines") };
        assert_eq!((ist.due, ist.done, ist.missed, ist.warmup), (Some(250), 250, Some(0), 50));
        assert_eq!((app.due, app.done, app.missed, app.warmup), (Some(250), 250, Some(0), 50));
        assert!(ist.min < app.min && ist.max < app.max, "{ist:?} {app:?}");
    }
}

fn the_realtime_kernel_hands_the_interrupt_to_a_thread_first(kernels: &[Vec<Series>]) {
    let [stock, realtime] = kernels else { panic!("two kernels") };
    assert!(stock[0].min < realtime[0].min, "{:?} {:?}", stock[0].min, realtime[0].min);
}

// A program that sleeps a millisecond a given number of times, and after each sleep executes two instructions a given number of
// times.
const KNOWN: &str = r#"#include <stdlib.h>
#include <time.h>
int main(int count, char **words)
{
    const struct timespec millisecond = {.tv_nsec = 1000000};
    for (long left = count == 3 ? atol(words[1]) : 0; left > 0; left--) {
        long turns = atol(words[2]);
        nanosleep(&millisecond, NULL);
        __asm__ volatile("1: dec %0\n jnz 1b" : "+r"(turns));
    }
    return 0;
}
"#;

// Two programs that differ by 400 rounds of two instructions per wake-up, in user mode only.
fn what_a_program_executes_more_for_each_wake_up_is_counted_exactly(emulator: &Emulator) {
    const WAKE_UPS: u64 = 200;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("known");
    std::fs::write(path.with_extension("c"), KNOWN).expect("a file");
    let mut compiler = Command::new("cc");
    compiler.args(["-O2", "-static", "-o"]).arg(&path).arg(path.with_extension("c"));
    assert!(compiler.status().expect("a compiler: tools/install.sh test").success());
    let mut programs: Vec<Program> = ["100", "500"].map(|turns| program(&path, turns)).into();
    programs.extend(recorder::programs(Machine::usual()));
    let settings = Settings { wall_limit: Some(Duration::from_secs(1_200)), ..Settings::default() };
    let counted = cost::count((Machine::usual(), "linux:stock"), &programs, WAKE_UPS, emulator, &settings)
        .unwrap_or_else(|fault| panic!("cost: {fault}"));
    let [few, many, recorded @ ..] = &counted.costs[..] else { panic!("two programs") };
    assert!((many.user - few.user - 800.0).abs() < 1.0, "{counted:?}");
    // A timer interrupt and two switches take some thousand instructions in any version of the kernel.
    assert!(few.user > 200.0 && few.user < 2_000.0 && few.kernel > 1_000.0 && few.kernel < 100_000.0, "{counted:?}");
    recording_costs_more_with_a_stack(recorded);
}

// In any version of the kernel a record takes some hundred instructions, and its stack more than the record.
fn recording_costs_more_with_a_stack(costs: &[Cost]) {
    let added = recorder::added(costs);
    assert_eq!(added.len(), recorder::WAYS.len());
    assert!(costs.iter().all(|cost| (cost.user - costs[0].user).abs() < 1.0), "only the kernel records: {costs:?}");
    for plain in [1, 3, 5] {
        assert!(added[plain] > 100.0 && added[plain + 1] > 2.0 * added[plain], "{costs:?}");
    }
}

// With `threadirqs`, a kernel thread serves the interrupt before the bench's thread does: the median is longer, and the terms sum
// to it.
fn words_of_the_boot_line_reach_the_kernel(emulator: &Emulator) {
    let entered = |boot: &str| {
        let text = format!(
            "about = 'test'\nguest = 'linux:stock'\nboot = '{boot}'\n[generator.a]\nshape = 'periodic'\nperiod = 200_000\n\
             warmup = 10\ncount = 40\n[limits]\nwall-seconds = 1200\n"
        );
        let scenario = Scenario::parse("boot", &text).expect("a sound scenario");
        let settings = Settings { seed: 1, ..Settings::default() };
        let subject = Subject::of_scenario(scenario, emulator, &settings).unwrap_or_else(|fault| panic!("{fault}"));
        let answer = subject.find(Some("ist"), Which::Median).expect("an answer");
        subject.explain(answer, emulator, &settings).unwrap_or_else(|fault| panic!("{fault}"))
    };
    let (without, with) = (entered(""), entered("threadirqs"));
    for explained in [&without, &with] {
        let hops: u64 = explained.hops.iter().map(LineHop::took).sum();
        assert_eq!(hops, explained.entered.answer.latency(), "the hops sum to what the scope measured");
    }
    let change = with.entered.answer.latency() as i64 - without.entered.answer.latency() as i64;
    assert!(change > 500, "{change}");
    let terms = terms(&by_function(&without.visits), &by_function(&with.visits));
    assert_eq!(terms.iter().map(|term| term.difference).sum::<i64>(), change);
    assert!(terms.iter().any(|term| term.function == "irq_thread" && term.first == 0 && term.second > 0), "{terms:?}");
}

// A guest that is interrupted during its boot has no counts to keep.
fn ctrl_c_ends_what_wants_whole_runs_in_one_line_and_leaves_nothing() {
    for words in [&["lab", "tune", "linux-stock", "--boot", "nohz=off"][..], &["lab", "cost", "--kernel", "stock"]] {
        let folder = tempfile::tempdir().unwrap();
        let work = folder.path().join("work");
        std::fs::create_dir(&work).unwrap();
        let mut tool = Command::new(tool_program());
        tool.args(words).arg("--quiet").env("TMPDIR", &work).current_dir(folder.path());
        let tool = tool.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        wait_until("the emulator's start", || !emulators(&work).is_empty());
        signal(tool.id(), "INT");
        let output = tool.wait_with_output().unwrap();
        let line = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), line.lines().count()), (Some(4), 1), "{words:?}: {line}");
        assert!(line.contains("interrupted; kept nothing"), "{words:?}: {line}");
        assert!(emulators(&work).is_empty() && files(&work).is_empty(), "{words:?}");
        assert_eq!(files(folder.path()), [work], "{words:?}");
    }
}

fn program(path: &Path, turns: &str) -> Program {
    let words = [&path.to_string_lossy(), COUNT, turns].map(str::to_string).into();
    Program { name: turns.to_string(), words, files: files_of(path).expect("a program") }
}
