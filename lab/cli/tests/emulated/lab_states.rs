// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run from a saved state gives the same bytes as a run that boots. Needs QEMU.
use crate::lab_bare::machines;
use crate::lacking::skip;
use backwall_lab::bench::{self, BenchRun, Settings};
use backwall_lab::emulator::Emulator;
use backwall_lab::machine::{ARM64_VIRT, Machine};
use backwall_lab::saved_state::Shelf;
use backwall_lab::scenario::Scenario;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::TempDir;

fn scenario(guest: &str, rest: &str) -> Scenario {
    let text = format!("about = 'test'\nguest = '{guest}'\n{rest}");
    Scenario::parse("test", &text).expect("a sound scenario")
}

// Runs the scenario. With a folder, from the state in it; the first run saves that state.
fn run(scenario: &Scenario, states: Option<&Path>) -> Result<BenchRun, String> {
    let emulator = Emulator::find(scenario.machine).expect("these tests need QEMU: tools/install.sh test");
    let states = states.map(|folder| Shelf::at(folder).expect("a folder of our own").for_all());
    let settings = Settings { seed: 1, addresses: scenario.sweep.is_some(), states, ..Settings::default() };
    bench::run(scenario, &emulator, &settings).map_err(|fault| fault.to_string())
}

fn left(run: &BenchRun) -> [Vec<u8>; 3] {
    let file = |path| std::fs::read(path).unwrap_or_default();
    [file(run.edges_path()), file(run.channel_path()), run.console.clone().into_bytes()]
}

fn states() -> TempDir {
    tempfile::Builder::new().permissions(PermissionsExt::from_mode(0o700)).tempdir().unwrap()
}

fn kept(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| !name.starts_with("lock-")).collect()
}

fn is_the_same_from_a_state(scenario: &Scenario) {
    let folder = states();
    let fresh = left(&run(scenario, None).expect("the guest answers"));
    assert!(fresh[0].len() > 1_000, "{}: the run has edges", scenario.guest);
    for pass in ["made", "taken", "taken again"] {
        let run = run(scenario, Some(folder.path())).expect("the guest answers");
        assert!(run.restored, "{}", scenario.guest);
        assert!(
            left(&run) == fresh,
            "{}, state {pass}: edges, channel or console differ from a boot's",
            scenario.guest
        );
    }
    assert_eq!(kept(folder.path()).len(), 1, "{}", scenario.guest);
}

const PERIODIC: &str = "[generator.a]\nshape = 'periodic'\nperiod = 10_000\nwarmup = 5\ncount = 300\n";

#[test]
fn bare_guests_answer_from_a_state_as_after_a_boot() {
    is_the_same_from_a_state(&scenario("bare:answer-irq7-5", PERIODIC));
    is_the_same_from_a_state(&scenario("bare:answer-irq5-33", &PERIODIC.replace("generator.a", "generator.b")));
    is_the_same_from_a_state(&scenario("bare:misbehave-irq7", PERIODIC));
    let poisson = "load = 'loop'\n[generator.a]\nshape = 'poisson'\nperiod = 4_000\ncount = 500\n";
    is_the_same_from_a_state(&scenario("bare:service-irq7-1000", poisson));
    let marks = "[generator.a]\nshape = 'mark'\nperiod = 1\nstep = 1\ncount = 120\n[sweep]\n";
    is_the_same_from_a_state(&scenario("bare:masked-irq7-50", marks));
}

#[test]
fn bare_guests_of_virt_answer_from_a_state_as_after_a_boot() {
    let virt = |machine: &&Machine| *machine != Machine::usual();
    for machine in machines("bare_guests_of_virt_answer_from_a_state_as_after_a_boot").filter(virt) {
        let on_it = |rest: &str| format!("machine = '{}'\n{rest}", machine.name);
        for guest in ["bare:waits-irq7-5", "bare:misbehave-irq7", "bare:modes-irq7-40"] {
            let both = PERIODIC.replace("[gen", "answers = ['isr', 'app']\n[gen");
            is_the_same_from_a_state(&scenario(guest, &on_it(&both)));
        }
        let marks = "[generator.a]\nshape = 'mark'\nperiod = 1\nstep = 1\ncount = 120\n[sweep]\n";
        is_the_same_from_a_state(&scenario("bare:masked-irq7-50", &on_it(marks)));
    }
}

#[test]
#[ignore = "make long"]
fn detent_answers_from_a_state_as_after_a_boot_under_every_load_and_on_both_generators() {
    let storm = "load = 'polygons-memory'\noptions = 'storm_test'\nanswers = ['isr', 'ist']\n\
                 [generator.a]\nshape = 'periodic'\nperiod = 800\ncount = 5000\n\
                 [generator.b]\nshape = 'periodic'\nperiod = 900\ncount = 5000\n";
    is_the_same_from_a_state(&scenario("detent", storm));
    let walking = PERIODIC.replace("10_000", "200_000");
    for load in ["none", "calls", "polygons@1"] {
        let rest = format!("load = '{load}'\noptions = 'app_test priority=1'\n{walking}");
        is_the_same_from_a_state(&scenario("detent", &rest));
    }
    let shared = format!("load = 'polygons@40'\noptions = 'bench'\n{walking}");
    is_the_same_from_a_state(&scenario("detent-probe", &shared));
}

#[test]
fn detent_of_arm64_answers_from_a_state_as_after_a_boot_under_every_load() {
    let lacks = ARM64_VIRT.bare.is_empty().then(|| format!("built without {}", ARM64_VIRT.compiler));
    if let Some(reason) = lacks.or_else(|| Emulator::find(&ARM64_VIRT).err().map(|error| error.to_string())) {
        return skip("detent_of_arm64_answers_from_a_state_as_after_a_boot_under_every_load", &reason);
    }
    for load in ["none", "calls", "polygons@1"] {
        let walking = PERIODIC.replace("10_000", "200_000");
        let rest = format!("machine = 'arm64-virt'\nload = '{load}'\noptions = 'app_test priority=1'\n{walking}");
        is_the_same_from_a_state(&scenario("detent", &rest));
    }
}

#[test]
fn one_state_serves_every_period_count_and_shape_and_another_guest_has_its_own() {
    let folder = states();
    let trains = [
        PERIODIC.to_string(),
        PERIODIC.replace("10_000", "777"),
        "[generator.a]\nshape = 'jittered'\nperiod = 5_000\njitter = 900\ncount = 200\n".to_string(),
        "[generator.a]\nshape = 'two-tone'\nperiod = 5_000\nsecond-period = 7_100\ncount = 200\n".to_string(),
        "[generator.a]\nshape = 'burst'\nperiod = 500\nburst = 4\npause = 9_000\ncount = 200\n".to_string(),
    ];
    for train in trains {
        let scenario = scenario("bare:answer-irq7-5", &train);
        let fresh = left(&run(&scenario, None).expect("the guest answers"));
        assert!(left(&run(&scenario, Some(folder.path())).expect("the guest answers")) == fresh, "{train}");
    }
    assert_eq!(kept(folder.path()).len(), 1);
    run(&scenario("bare:answer-irq7-100", PERIODIC), Some(folder.path())).expect("the guest answers");
    assert_eq!(kept(folder.path()).len(), 2);
}

#[test]
fn a_guest_that_fails_is_told_as_after_a_boot() {
    let folder = states();
    for guest in ["bare:silent-irq7", "bare:panic-irq7", "bare:hang-irq7"] {
        let scenario = scenario(guest, &format!("{PERIODIC}[limits]\ninstructions = 20_000_000\n"));
        // A guest that resets ends when QEMU notices, which is not a fixed instant of the guest, so the digits are removed.
        let told =
            |states| run(&scenario, states).expect_err("this guest fails").replace(|c: char| c.is_ascii_digit(), "");
        assert_eq!(told(Some(folder.path())), told(None));
    }
}

#[test]
fn a_state_that_qemu_does_not_take_is_no_more_and_the_guest_boots() {
    let folder = states();
    let scenario = scenario("bare:answer-irq7-5", PERIODIC);
    let fresh = left(&run(&scenario, Some(folder.path())).expect("the guest answers"));
    let state = folder.path().join(&kept(folder.path())[0]).join("state");
    let bytes = std::fs::read(&state).unwrap();
    for damaged in [&bytes[..bytes.len() / 2], b"no state", b""] {
        std::fs::write(&state, damaged).unwrap();
        assert!(left(&run(&scenario, Some(folder.path())).expect("the guest answers")) == fresh);
        assert!(kept(folder.path()).is_empty(), "it is not tried again");
        assert!(run(&scenario, Some(folder.path())).expect("the guest answers").restored, "it is made anew");
    }
}

#[test]
fn a_state_of_another_machine_is_not_taken_and_the_guest_boots() {
    let test = "a_state_of_another_machine_is_not_taken_and_the_guest_boots";
    let of = |machine: &Machine| scenario("bare:answer-irq7-5", &format!("machine = '{}'\n{PERIODIC}", machine.name));
    let folder = states();
    let all: Vec<&Machine> = machines(test).collect();
    let made: Vec<(Scenario, String, [Vec<u8>; 3])> = all
        .iter()
        .map(|machine| {
            let before = kept(folder.path());
            let fresh = left(&run(&of(machine), Some(folder.path())).expect("the guest answers"));
            let name = kept(folder.path()).into_iter().find(|name| !before.contains(name)).expect("a state");
            (of(machine), name, fresh)
        })
        .collect();
    for pair in made.windows(2) {
        let [(_, other, _), (scenario, own, fresh)] = pair else { continue };
        let place = |name: &str| folder.path().join(name);
        // Only the memory of the other state is copied: QEMU refuses it.
        std::fs::copy(place(other).join("state"), place(own).join("state")).unwrap();
        let taken = run(scenario, Some(folder.path())).expect("the guest answers");
        assert!(!taken.restored && left(&taken) == *fresh, "{}", scenario.machine.name);
        // All files of the other state are copied: their description of the machine does not match, so a new state is made.
        std::fs::create_dir_all(place(own)).unwrap();
        for file in std::fs::read_dir(place(other)).unwrap().map(|file| file.unwrap().path()) {
            std::fs::copy(&file, place(own).join(file.file_name().unwrap())).unwrap();
        }
        let made_anew = run(scenario, Some(folder.path())).expect("the guest answers");
        assert!(made_anew.restored && left(&made_anew) == *fresh, "{}", scenario.machine.name);
    }
}
