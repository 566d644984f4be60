// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall tune boot`: options of the boot line, tried over restarts that are files of the test's own, and killed on the way.
use crate::tool::{Begin, Running, ended, wait_until};
use crate::tune::{Scene, text};
use std::fs;

const SLICES: usize = 6;

fn begun(scene: &Scene, words: &[&str]) -> Running {
    scene.shell(env!("CARGO_BIN_EXE_backwall"), &[&["tune", "boot"], words].concat()).begin()
}

fn killed(scene: &Scene, words: &[&str]) {
    let before = scene.slices();
    let mut child = begun(scene, words);
    wait_until("the third slice", || scene.slices() >= before + 3 || ended(child.id()));
    assert!(child.try_wait().unwrap().is_none(), "it measures still");
    child.kill().unwrap();
    child.wait().unwrap();
}

const BEGINS: [&str; 10] = [
    "threadirqs",
    "--apply",
    "--duration",
    "50ms",
    "--output",
    "trial",
    "--",
    "--probe",
    backwall_runner::device::built::FAKE,
    "--load=none",
];

fn journal(scene: &Scene) -> String {
    fs::read_to_string(scene.folder.path().join("lib/backwall/boot.json")).unwrap_or_default()
}

#[test]
fn a_trial_goes_on_over_kills_and_restarts_and_decides() {
    let Some(scene) = Scene::new("a_trial_goes_on_over_kills_and_restarts") else { return };
    let none = scene.tune(&["boot", "--resume"]);
    assert!(none.status.success() && text(&none).contains("no trial of boot parameters"), "{}", text(&none));
    killed(&scene, &BEGINS);
    let status = text(&scene.tune(&["status"]));
    assert!(
        status.contains("boot: threadirqs under trial: 2 of 6 slices without the parameters, 0 of 6 with them"),
        "{status}"
    );
    let second = scene.tune(&["boot", "idle=poll", "--apply"]);
    assert_eq!(second.status.code(), Some(2), "{}", text(&second));
    assert!(text(&second).contains("a trial of threadirqs is under way"), "{}", text(&second));

    let waits = scene.tune(&["boot", "--resume"]);
    assert!(waits.status.success() && text(&waits).contains("\nthreadirqs\n"), "{}", text(&waits));
    scene.started("2", "quiet threadirqs.x=1");
    let in_vain = scene.tune(&["boot", "--resume"]);
    assert_eq!(in_vain.status.code(), Some(3), "{}", text(&in_vain));
    assert!(text(&in_vain).contains("rebooted without these parameters"), "{}", text(&in_vain));

    // A setting that was kept before the restart is made again: both sides have it.
    let kept = journal(&scene).replace("\"kept\": []", "\"kept\": [\"vm-statistics\"]");
    fs::write(scene.folder.path().join("lib/backwall/boot.json"), kept).unwrap();
    scene.started("3", "quiet threadirqs");
    killed(&scene, &["--resume"]);
    assert_eq!(scene.knob(), "120");
    // A restart in the middle of a side: its slices are not mixed with those of another start.
    scene.started("4", "quiet threadirqs");
    fs::write(scene.folder.path().join("knob"), "1\n").unwrap();
    let decided = scene.tune(&["boot", "--resume"]);
    let said = text(&decided);
    assert!(decided.status.success() && said.contains("2 slices are left out"), "{said}");
    assert!(said.contains("threadirqs: nothing improved") && said.contains("remove them"), "{said}");
    assert_eq!((journal(&scene).as_str(), scene.knob().as_str()), ("", "120"));
    let outcome = fs::read_to_string(scene.folder.path().join("trial/tune.json")).unwrap();
    assert_eq!(outcome.matches("-with-boot").count(), SLICES, "{outcome}");
    let undone = scene.tune(&["undo"]);
    assert!(undone.status.success() && scene.knob() == "1", "{}", text(&undone));
}

#[test]
fn a_trial_of_another_machine_or_with_nothing_before_it_is_refused_and_undo_ends_one() {
    let Some(scene) = Scene::new("a_trial_of_another_machine") else { return };
    for bad in [&["two words", "--apply"][..], &["threadirqs", "--resume"], &["quiet", "--apply"]] {
        let refused = scene.tune(&[&["boot"], bad].concat());
        assert_eq!(refused.status.code(), Some(2), "{}", text(&refused));
        assert!(!scene.folder.path().join("lib/backwall/boot.json").exists());
    }
    killed(&scene, &BEGINS);
    let own = journal(&scene);
    let place = scene.folder.path().join("lib/backwall/boot.json");
    let machine = fs::read_to_string("/etc/machine-id").unwrap_or_default();
    let named = |id: &str| format!("\"machine\": {:?}", id.trim());
    fs::write(&place, own.replace(&named(&machine), &named("another"))).unwrap();
    for words in [&["boot", "--resume"][..], &["status"], &["undo"]] {
        let refused = scene.tune(words);
        assert_eq!(refused.status.code(), Some(2), "{}", text(&refused));
        assert!(text(&refused).contains("boot.json: the journal of another machine"), "{}", text(&refused));
    }
    fs::write(&place, &own).unwrap();
    scene.started("2", "threadirqs");
    let early = scene.tune(&["boot", "--resume"]);
    assert_eq!(early.status.code(), Some(4), "{}", text(&early));
    assert!(text(&early).contains("without these parameters is not complete"), "{}", text(&early));
    let undone = scene.tune(&["undo"]);
    assert!(undone.status.success() && text(&undone).contains("the trial of threadirqs is over"), "{}", text(&undone));
    assert!(!place.exists());
}
