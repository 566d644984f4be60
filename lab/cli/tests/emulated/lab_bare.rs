// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bare guests of a few instructions whose answers are all known. Needs QEMU.
use crate::lacking::skip;
use backwall_capture::edges::Edge;
use backwall_capture::recording::RecordingEnd;
use backwall_capture::saturation::GoalResult;
use backwall_capture::tick::Tick;
use backwall_lab::bench::{self, BenchFault, BenchRun, Settings};
use backwall_lab::emulator::Emulator;
use backwall_lab::machine::{MACHINES, Machine};
use backwall_lab::scenario::{Scenario, Sweep};
use backwall_lab::{result, saturate, sweep};
use backwall_model::{Blame, Division};
use std::collections::BTreeMap;

pub fn machines(test: &str) -> impl Iterator<Item = &'static Machine> {
    MACHINES.into_iter().filter(move |machine| match Emulator::find(machine) {
        Err(error) => {
            skip(&format!("{test} on {}", machine.name), &error.to_string());
            false
        }
        Ok(_) if machine.bare.is_empty() => {
            skip(&format!("{test} on {}", machine.name), &format!("built without {}", machine.compiler));
            false
        }
        Ok(_) => true,
    })
}

fn scenario(machine: &Machine, guest: &str, generator: &str) -> Scenario {
    let load = if guest.starts_with("service-") { "loop" } else { "none" };
    let name = machine.name;
    let text = format!("about = 'test'\nmachine = '{name}'\nguest = 'bare:{guest}'\nload = '{load}'\n{generator}");
    Scenario::parse("test", &text).expect("a sound scenario")
}

fn emulator(machine: &'static Machine) -> Emulator {
    Emulator::find(machine).expect("these tests need QEMU: tools/install.sh test")
}

fn run_with_seed(scenario: &Scenario, seed: u64) -> Result<BenchRun, BenchFault> {
    let emulator = emulator(scenario.machine);
    bench::run(scenario, &emulator, &Settings { seed, ..Settings::default() })
}

pub fn run(scenario: &Scenario) -> BenchRun {
    run_with_seed(scenario, 1).expect("the guest answers")
}

// How often each delay from the latest pulse to a rise of `answer` occurs.
pub fn latencies(run: &BenchRun, stimulus: &str, answer: &str) -> BTreeMap<u64, u64> {
    let edges = &run.recording.edges;
    let stimuli: Vec<u64> = edges.line(stimulus).expect("pulses").rises().map(|at| at.0).collect();
    let mut counts = BTreeMap::new();
    for at in edges.line(answer).expect("answers").rises().map(|at| at.0) {
        let newest = stimuli.partition_point(|stimulus| *stimulus <= at);
        *counts.entry(at - stimuli[newest - 1]).or_default() += 1;
    }
    counts
}

const PERIODIC: &str = "shape = 'periodic'\nperiod = 10_000\ncount = 1000\n";

#[test]
fn an_answer_comes_after_exactly_as_many_instructions_as_the_handler_executes_on_interrupt_7() {
    for machine in machines("an_answer_comes_after_exactly_as_many_instructions_as_the_handler_executes_on_interrupt_7")
    {
        for instructions in [2, 5, 100] {
            let run =
                run(&scenario(machine, &format!("answer-irq7-{instructions}"), &format!("[generator.a]\n{PERIODIC}")));
            assert_eq!(latencies(&run, "stimulus_a", "isr"), BTreeMap::from([(instructions, 1000)]));
            assert_eq!((run.recording.ended, run.recording.late_stimuli), (RecordingEnd::Complete, 0));
        }
    }
}

#[test]
fn an_answer_comes_after_exactly_as_many_instructions_as_the_handler_executes_on_interrupt_5() {
    for machine in machines("an_answer_comes_after_exactly_as_many_instructions_as_the_handler_executes_on_interrupt_5")
    {
        for instructions in [5, 33] {
            let run =
                run(&scenario(machine, &format!("answer-irq5-{instructions}"), &format!("[generator.b]\n{PERIODIC}")));
            assert_eq!(latencies(&run, "stimulus_b", "b_isr"), BTreeMap::from([(instructions, 1000)]));
        }
    }
}

#[test]
fn a_guest_that_misses_doubles_and_delays_is_seen_to() {
    for machine in machines("a_guest_that_misses_doubles_and_delays_is_seen_to") {
        let run = run(&scenario(machine, "misbehave-irq7", &format!("[generator.a]\n{PERIODIC}")));
        let expected = BTreeMap::from([(7, 1), (9, 898), (12, 1), (3011, 1)]);
        assert_eq!(latencies(&run, "stimulus_a", "isr"), expected);
    }
}

#[test]
#[ignore = "make long"]
fn two_runs_with_the_same_seed_give_the_same_bytes_and_another_seed_others() {
    for machine in machines("two_runs_with_the_same_seed_give_the_same_bytes_and_another_seed_others") {
        let poisson =
            scenario(machine, "service-irq7-1000", "[generator.a]\nshape = 'poisson'\nperiod = 4000\ncount = 5000\n");
        let bytes =
            |seed| std::fs::read(run_with_seed(&poisson, seed).expect("the guest answers").edges_path()).unwrap();
        let first = bytes(7);
        assert!(first.len() > 5000 * 4 * 16);
        assert!(first == bytes(7), "the same seed gives the same bytes");
        assert!(first != bytes(8), "another seed gives other bytes");
    }
}

#[test]
fn a_guest_of_known_service_time_keeps_up_to_exactly_that_period() {
    for machine in machines("a_guest_of_known_service_time_keeps_up_to_exactly_that_period") {
        let worst = |period: u64| {
            let generator = format!("[generator.a]\nshape = 'periodic'\nperiod = {period}\nstep = 0\ncount = 500\n");
            *latencies(&run(&scenario(machine, "service-irq7-1000", &generator)), "stimulus_a", "isr")
                .last_key_value()
                .unwrap()
                .0
        };
        assert_eq!((worst(1001), worst(1000)), (5, 5));
        assert_eq!(worst(999), 5 + 499, "each pulse comes one instruction earlier than the guest can take it");
    }
}

#[test]
fn every_latency_is_divided_by_mode_and_the_end_of_an_answer_is_seen() {
    for machine in machines("every_latency_is_divided_by_mode_and_the_end_of_an_answer_is_seen") {
        let mut scenario = scenario(machine, "modes-irq7-40", &format!("[generator.a]\n{PERIODIC}"));
        scenario.answers = Some(vec!["app".into()]);
        let emulator = emulator(machine);
        let settings = Settings { modes: true, ..Settings::default() };
        let mut run = bench::run(&scenario, &emulator, &settings).expect("the guest answers");
        let mut judged = result::judge(&scenario, &mut run.recording.edges);
        let divided = result::divide(&mut judged, &run.recording.modes);
        let line = &judged[0].answered[0];
        assert_eq!((line.series.done, line.series.min, line.series.max), (1000, Some(60), Some(60)));
        let modes = Division { user: 40, kernel: 20, waited: 0 };
        assert!(line.series.worst.iter().all(|worst| worst.blame == Some(Blame::Modes(modes))));
        assert_eq!(divided["app"].all, Division { user: 40_000, kernel: 20_000, waited: 0 });
        let [completion, run_time] = &line.completed[..] else { panic!("both ends") };
        assert_eq!((completion.min, completion.max, completion.missed), (Some(113), Some(113), Some(0)));
        assert_eq!((run_time.min, run_time.max), (Some(53), Some(53)));
        // From the rise of the answer to its fall: three instructions of its own, and the call.
        let armed = run.recording.edges.line("armed_a").and_then(|line| line.rises().next()).expect("armed");
        let answers = run.recording.edges.line("app").expect("answers");
        let after: Vec<Edge> = answers.edges.iter().copied().filter(|edge| edge.at() > armed).collect();
        let pulse = |pair: &[Edge]| run.recording.modes.division(pair[0].at(), pair[1].at()).expect("counted");
        let expected = Division { user: 3, kernel: 50, waited: 0 };
        assert_eq!(after.len(), 2_000);
        assert!(after.chunks_exact(2).all(|pair| pulse(pair) == expected));
    }
}

#[test]
fn every_shape_of_train_lies_as_described() {
    for machine in machines("every_shape_of_train_lies_as_described") {
        let gaps = |generator: &str| -> Vec<u64> {
            let run = run(&scenario(machine, "answer-irq7-5", &format!("[generator.a]\n{generator}")));
            let rises: Vec<u64> =
                run.recording.edges.line("stimulus_a").expect("pulses").rises().map(|at| at.0).collect();
            rises.windows(2).map(|pair| pair[1] - pair[0]).collect()
        };
        assert_eq!(gaps("shape = 'periodic'\nperiod = 500\nstep = 3\ncount = 4\n"), [503, 503, 503]);
        assert_eq!(gaps("shape = 'burst'\nperiod = 200\nburst = 2\npause = 900\ncount = 5\n"), [200, 900, 200, 900]);
        assert_eq!(gaps("shape = 'ramp'\nperiod = 1000\nlast-period = 500\ncount = 3\n"), [1000, 666]);
        assert_eq!(gaps("shape = 'one-shot'\nperiod = 1000\n"), [] as [u64; 0]);
        assert_eq!(gaps("shape = 'two-tone'\nperiod = 300\nsecond-period = 500\ncount = 5\n"), [300, 200, 100, 300]);
        let jittered = gaps("shape = 'jittered'\nperiod = 1000\njitter = 200\ncount = 50\n");
        assert!(jittered.iter().all(|gap| (800..=1200).contains(gap)) && jittered.iter().any(|gap| *gap != 1000));
        assert_eq!(
            gaps("shape = 'periodic'\nperiod = 5000\ncount = 4\n"),
            [5053; 3],
            "the phase walks by a prime of a hundredth"
        );
    }
}

#[test]
fn the_line_falls_after_its_share_of_the_period() {
    for machine in machines("the_line_falls_after_its_share_of_the_period") {
        let run = run(&scenario(
            machine,
            "answer-irq7-5",
            "[generator.a]\nshape = 'periodic'\nperiod = 1000\nduty = 0.3\ncount = 5\n",
        ));
        let line = run.recording.edges.line("stimulus_a").expect("pulses");
        assert!(line.edges.chunks(2).all(|pulse| pulse[1].at().0 - pulse[0].at().0 == 300));
    }
}

#[test]
fn a_mark_train_with_step_1_finds_the_masked_stretch_of_50_instructions_exactly() {
    for machine in machines("a_mark_train_with_step_1_finds_the_masked_stretch_of_50_instructions_exactly") {
        let sweep = "[generator.a]\nshape = 'mark'\nperiod = 1\nstep = 1\ncount = 120\n";
        let found = latencies(&run(&scenario(machine, "masked-irq7-50", sweep)), "stimulus_a", "isr");
        assert_eq!((*found.first_key_value().unwrap().0, *found.last_key_value().unwrap().0), (2, 2 + 50));
        assert!((3..=52).all(|latency| found[&latency] == 1), "each instant of the stretch was tried once");
    }
}

#[test]
fn a_guest_that_panics_hangs_or_never_arms_is_given_up_with_its_last_words() {
    for machine in machines("a_guest_that_panics_hangs_or_never_arms_is_given_up_with_its_last_words") {
        let generator =
            "[generator.a]\nshape = 'periodic'\nperiod = 1000\ncount = 3\n[limits]\ninstructions = 20_000_000\n";
        let cases = [
            ("panic-irq7", "reset or switched off", "panic: nothing to be done"),
            ("hang-irq7", "answered no pulse", "halting for good"),
            ("silent-irq7", "before it armed the port", "never arming"),
        ];
        for (guest, what, last_words) in cases {
            let fault =
                run_with_seed(&scenario(machine, guest, generator), 1).expect_err("this guest fails").to_string();
            assert!(fault.contains(what) && fault.contains(last_words), "{guest}: {fault}");
        }
    }
}

#[test]
fn a_guest_that_floods_the_channel_is_stopped_at_its_limit_with_the_count() {
    for machine in machines("a_guest_that_floods_the_channel_is_stopped_at_its_limit_with_the_count") {
        let limits =
            "[generator.a]\nshape = 'periodic'\nperiod = 1_000_000\ncount = 1000\n[limits]\nchannel-bytes = 5000\n";
        let fault =
            run_with_seed(&scenario(machine, "flood-irq7", limits), 1).expect_err("this guest is stopped").to_string();
        let expected =
            "the guest wrote 5,001 bytes to the channel, more than limits.channel-bytes allows, after 0 of 1000 pulses";
        assert!(fault.starts_with(expected), "{fault}");
    }
}

#[test]
fn a_guest_that_floods_its_console_is_stopped_at_its_limit() {
    for machine in machines("a_guest_that_floods_its_console_is_stopped_at_its_limit") {
        let limits = "[generator.a]\nshape = 'periodic'\nperiod = 1_000_000_000\ncount = 1000\n[limits]\nconsole-bytes = 5000\n\
                      instructions = 1_000_000_000_000\n";
        let fault = run_with_seed(&scenario(machine, "chatter-irq7", limits), 1)
            .expect_err("this guest is stopped")
            .to_string();
        let expected = "the guest wrote more than 5,000 bytes to its console (limits.console-bytes)";
        assert!(fault.starts_with(expected) && fault.contains("chatter guest: and so on"), "{fault}");
    }
}

#[test]
#[ignore = "make long"]
fn the_search_on_a_guest_of_known_service_time_finds_the_known_frequencies() {
    for machine in machines("the_search_on_a_guest_of_known_service_time_finds_the_known_frequencies") {
        let mut service = scenario(machine, "service-irq7-1000", "[generator.a]\nshape = 'periodic'\nperiod = 4000\n");
        service.saturate.pulses = 3000;
        service.saturate.narrowness = 5000;
        let emulator = emulator(machine);
        let settings = Settings { seed: 1, ..Settings::default() };
        let saturation = saturate::search(&service, &emulator, &settings, 2, &|_, _, _| {}).expect("the guest answers");
        let found: Vec<(&str, GoalResult)> =
            saturation.goals.iter().map(|settled| (settled.goal.name.as_str(), settled.found)).collect();
        let at = |period, fails_at| GoalResult::At { period: Tick(period), fails_at: Tick(fails_at) };
        assert_eq!(found, [("MF-ISR", at(1000, 999)), ("SF", at(1001, 1000))]);
        assert_eq!(saturation.undisturbed, Some(Tick(6)), "the main loop's six instructions");
    }
}

#[test]
fn a_sweep_finds_the_masked_stretch_and_who_masked() {
    for machine in machines("a_sweep_finds_the_masked_stretch_and_who_masked") {
        let mut masked =
            scenario(machine, "masked-irq7-50", "[generator.a]\nshape = 'mark'\nperiod = 1\nstep = 1\ncount = 120\n");
        masked.sweep = Some(Sweep { period: None, line: None, from: 0 });
        let emulator = emulator(machine);
        let mut run =
            bench::run(&masked, &emulator, &Settings { seed: 1, addresses: true, ..Settings::default() }).unwrap();
        let swept = sweep::sort(&masked, &mut run).unwrap().expect("the guest raises its mark");
        let sweep = &swept.sweep;
        assert_eq!((sweep.arrivals().len(), sweep.lost(), sweep.untried()), (120, 0, 0));
        assert_eq!((sweep.floor(), sweep.longest_masked()), (Some(Tick(2)), Some(Tick(50))));
        let stretches: Vec<(u64, u64)> = sweep.masked().iter().map(|stretch| (stretch.from.0, stretch.to.0)).collect();
        assert_eq!(stretches, [(21, 71)], "20 instructions after the mark, `cli` is the 21st");
        let main = swept.owners.iter().find(|owner| owner.name == "main").expect("the loop is in main");
        assert_eq!((main.arrivals, main.max), (120, 52));
        assert!(
            (48..=50).contains(&main.masked),
            "{}: `sti` itself takes effect after the next instruction",
            main.masked
        );
    }
}

// A processor that waits for its interrupts is the harder case: virtual time jumps while it does.
#[test]
fn a_waiting_processor_answers_20_000_pulses_after_exactly_5_instructions_and_the_same_again() {
    for machine in machines("waiting").filter(|machine| machine.bare.iter().any(|(name, _)| name.starts_with("waits-")))
    {
        let periodic = "[generator.a]\nshape = 'periodic'\nperiod = 10_000\ncount = 20_000\n";
        let (first, second) =
            (run(&scenario(machine, "waits-irq7-5", periodic)), run(&scenario(machine, "waits-irq7-5", periodic)));
        assert_eq!(latencies(&first, "stimulus_a", "isr"), BTreeMap::from([(5, 20_000)]));
        assert_eq!(first.recording.late_stimuli, 0);
        assert!(std::fs::read(first.edges_path()).unwrap() == std::fs::read(second.edges_path()).unwrap());
    }
}
