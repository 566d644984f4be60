// SPDX-License-Identifier: MIT OR Apache-2.0
use super::*;
use crate::tune::boot::Loader;
use backwall_tuning::settings::Form;
use backwall_tuning::settings::Place;

fn change(path: &str, before: &str, wanted: &str) -> Change {
    Change { place: Place::file(path, Form::Text), before: before.to_string(), wanted: wanted.to_string() }
}

fn planned(changes: Vec<Change>) -> PlannedSetting {
    PlannedSetting {
        setting: "knob",
        does: "turns it",
        harm: "noise",
        verdict: Some(CheckVerdict::Bad),
        share: None,
        changes,
    }
}

#[test]
fn the_plan_says_what_is_written_where_and_what_it_can_harm() {
    let said = plan(1, &[planned(vec![change("/proc/knob", "1", "2")])], None, 80);
    assert_eq!(
        said,
        "CPU 1: 1 setting would change something. To measure whether one helps here:\n  backwall tune try --apply knob\n\n\
         knob  (check: makes responses late)\n    turns it\n    may harm: noise\n    /proc/knob: 1 -> 2\n"
    );
    let many = (0..7).map(|number| change(&format!("/proc/{number}"), "1", "2")).collect();
    assert!(plan(1, &[planned(many)], None, 80).contains("    and 3 more places; --json lists all\n"));
}

#[test]
fn what_a_run_speaks_for_says_so_and_so_does_what_is_left() {
    let helpful = PlannedSetting { share: Some(0.834), ..planned(vec![change("/proc/knob", "1", "2")]) };
    let said = plan(1, &[helpful], Some(UnreachedTime { share: 0.12, of_application: 0.07 }), 80);
    assert!(said.contains("\n\nknob  (against 83 % of the run's late responses)\n"), "{said}");
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.starts_with("12 % of the run's late responses have a cause that none of these settings addresses; "),
        "{said}"
    );
    assert!(words.contains("own threads may help against 7 %. backwall blame of that run names the cause"), "{said}");
    let whole = PlannedSetting { share: Some(1.0), ..planned(vec![change("/proc/knob", "1", "2")]) };
    assert!(
        !plan(1, &[whole], Some(UnreachedTime { share: 0.0, of_application: 0.0 }), 80)
            .contains("none of these settings addresses")
    );
}

#[test]
fn what_a_machine_holds_acts_on_no_terminal() {
    let said = dry(&[planned(vec![change("/proc/\u{1b}[2J", "1\u{7}", "2")])], 12, 80);
    assert!(!said.contains('\u{1b}') && !said.contains('\u{7}'), "{said:?}");
}

#[test]
fn each_decision_is_one_sentence() {
    let told = |decision: Decision| {
        let outcome = Outcome {
            setting: "knob",
            decision,
            changes: Vec::new(),
            comparison: None,
            told: vec!["a: why".to_string()],
        };
        super::outcome(&outcome, 80)
    };
    assert_eq!(told(Decision::Refused("a: why".to_string())), "knob: not tried: a: why\n");
    assert_eq!(told(Decision::NoHelp), "knob: restored: nothing improved\n  a: why\n".replace("\n  a", "\na"));
    let undecided = told(Decision::Inconclusive { slices: Some(18) });
    assert!(
        undecided.starts_with("knob: restored: INCONCLUSIVE: 18 slices are needed on each side, there were 0"),
        "{undecided}"
    );
    assert_eq!(
        told(Decision::Stopped).lines().next(),
        Some("knob: stopped: everything is as it was before this trial")
    );
}

#[test]
fn a_figure_is_told_with_the_phase_as_people_call_it() {
    let told = |name: &str, load: &str| figure(&Key::new(name, load, "as-is"), "p99");
    assert_eq!(told("attached", "as-found"), "p99");
    assert_eq!(told("wakeup", "none"), "p99 while idle");
    assert_eq!(told("isr", "spin"), "isr p99 under load spin");
}

#[test]
fn the_end_says_how_everything_goes_back() {
    let outcome = |decision| Outcome { setting: "knob", decision, changes: vec![], comparison: None, told: vec![] };
    let place = Path::new("runs/x");
    assert_eq!(
        end(&[outcome(Decision::NoHelp)], 0, place),
        "none of 1 was kept; this machine is as before\nevery slice is a run in runs/x\n"
    );
    assert!(
        end(&[outcome(Decision::Kept)], 0, place)
            .starts_with("1 of 1 kept until the next reboot: knob; backwall tune undo restores them\n")
    );
    for (decision, left, says) in [
        (Decision::Disturbed, 0, "none of 1 was kept; values written by another program stay; the rest is as before\n"),
        (Decision::NoHelp, 2, "none of 1 was kept; cannot restore 2 places; backwall tune undo tries again\n"),
    ] {
        let said = end(&[outcome(decision)], left, place);
        assert!(said.starts_with(says), "{said}");
    }
}

#[test]
fn a_loader_is_known_by_its_file() {
    assert_eq!(Loader::of(|path| path == "/etc/default/grub"), Loader::Grub);
    assert_eq!(Loader::of(|_| true), Loader::Raspberry);
    assert_eq!(Loader::of(|_| false), Loader::Unknown);
    assert!(boot::line("", &Loader::Grub).starts_with("every boot parameter"));
}
