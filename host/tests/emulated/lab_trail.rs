// SPDX-License-Identifier: MIT OR Apache-2.0
//! One answer to the instruction: known functions, a planted change found where it is, and what is refused. Needs QEMU.
use backwall::lab::bench::Settings;
use backwall::lab::emulator::Emulator;
use backwall::lab::saved_state::Shelf;
use backwall::lab::scenario::Scenario;
use backwall::lab::trail::answer::Which;
use backwall::lab::trail::entered::{BadEntry, Entered, Subject};
use backwall::scope::trail::difference::terms;
use backwall::scope::trail::visits::{Visit, by_function};
use std::os::unix::fs::PermissionsExt;

const PERIODIC: &str = "[generator.a]\nshape = 'periodic'\nperiod = 200_000\nwarmup = 5\ncount = 40\n";

fn scenario(guest: &str, rest: &str) -> Scenario {
    let text = format!("about = 'test'\nguest = '{guest}'\n{rest}{PERIODIC}");
    Scenario::parse("test", &text).expect("a sound scenario")
}

fn emulator() -> Emulator {
    Emulator::find().expect("these tests need QEMU: tools/install.sh test")
}

fn settings() -> Settings {
    Settings { seed: 1, modes: true, ..Settings::default() }
}

fn subject(guest: &str, rest: &str) -> Subject {
    Subject::of_scenario(scenario(guest, rest), &emulator(), &settings()).expect("the guest answers")
}

fn enter(subject: &Subject, line: Option<&str>, which: Which) -> Entered {
    let answer = subject.find(line, which).expect("there is such an answer");
    subject.enter(answer, &emulator(), &settings()).expect("the same way again")
}

fn functions(visits: &[Visit]) -> Vec<(&str, u64, u64)> {
    visits.iter().map(|visit| (visit.function.as_str(), visit.executed, visit.masked)).collect()
}

#[test]
fn a_bare_answer_is_its_handler_and_nothing_else() {
    for (guest, executed) in [("bare:answer-irq7-5", 5), ("bare:answer-irq7-100", 100)] {
        let entered = enter(&subject(guest, ""), None, Which::Number(20));
        assert_eq!(functions(&entered.visits), [("handler", executed, executed)], "{guest}");
    }
}

#[test]
fn a_planted_change_of_instructions_is_found_in_its_function_alone() {
    let [before, after] = ["bare:answer-irq7-5", "bare:answer-irq7-100"]
        .map(|guest| by_function(&enter(&subject(guest, ""), None, Which::Median).visits));
    let found: Vec<_> = terms(&before, &after).into_iter().map(|term| (term.function, term.difference)).collect();
    assert_eq!(found, [("handler".to_string(), 95)]);
}

#[test]
fn every_answer_of_detent_sums_to_its_latency_and_is_entered_again_alike() {
    let subject = subject("detent", "options = 'app_test priority=1'\n");
    let folder = tempfile::Builder::new().permissions(PermissionsExt::from_mode(0o700)).tempdir().unwrap();
    let states = Shelf::at(folder.path()).unwrap().for_all();
    for line in ["isr", "ist", "app"] {
        let answer = subject.find(Some(line), Which::Worst(3)).unwrap();
        let booted = subject.enter(answer.clone(), &emulator(), &settings()).unwrap();
        let kept = Settings { states: Some(states.clone()), ..settings() };
        let restored = subject.enter(answer.clone(), &emulator(), &kept).unwrap();
        assert!(restored.restored && !booted.restored);
        assert!(booted.trail == restored.trail, "{line}: the trail from a state differs from a boot's");
        let took: u64 = booted.visits.iter().map(Visit::took).sum();
        assert_eq!(took, answer.latency(), "{line}");
        assert!(booted.visits.iter().all(|visit| visit.function != "(no name)"), "{:?}", booted.visits);
        assert_eq!(booted.visits[0].masked, 12, "the entry of an interrupt is masked until it lets others in");
    }
}

#[test]
fn a_run_of_another_guest_is_refused() {
    let mut other = subject("bare:answer-irq7-5", "");
    other.scenario.guest = "bare:answer-irq7-100".to_string();
    let answer = other.find(None, Which::Worst(1)).unwrap();
    let refused = other.enter(answer, &emulator(), &settings()).unwrap_err();
    assert!(matches!(refused, BadEntry::Differs(_)), "{refused}");
    assert!(refused.to_string().contains("of another build"), "{refused}");
}

#[test]
fn an_answer_that_is_not_there_is_refused_with_what_is() {
    let subject = subject("bare:answer-irq7-5", "");
    let refused = |line, which| subject.find(line, which).unwrap_err().to_string();
    assert_eq!(refused(Some("app"), Which::Median), "no line \"app\" answered; there are isr");
    assert_eq!(refused(None, Which::Worst(41)), "answer 41 of line isr: there are 40");
    assert!(refused(None, Which::Number(45)).contains("stimulus 45 of line isr was not answered"));
}
