// SPDX-License-Identifier: MIT OR Apache-2.0
#![expect(clippy::disallowed_methods, reason = "reads and writes files")]
use super::*;
use crate::settings::form::Form;
use crate::settings::place::Place;
use proptest::prelude::*;
use std::path::Path;
use tempfile::TempDir;

const A: &str = "/proc/sys/vm/a";
const B: &str = "/proc/sys/vm/b";

// A machine of files, on which `a` and `b` hold 1.
fn machine() -> (TempDir, Machine) {
    let folder = tempfile::tempdir().unwrap();
    for (file, text) in [(A, "1\n"), (B, "1\n"), (MACHINE_ID, "m1\n"), (BOOT_ID, "b1\n")] {
        put(folder.path(), file, text);
    }
    let machine = Machine::under(folder.path(), 0);
    (folder, machine)
}

fn put(root: &Path, file: &str, text: &str) {
    let place = root.join(file.trim_start_matches('/'));
    std::fs::create_dir_all(place.parent().unwrap()).unwrap();
    std::fs::write(place, text).unwrap();
}

fn setting(name: &'static str) -> Setting {
    Setting { name, checks: &[], against: &[], does: "", harm: "", changes: |_| Vec::new() }
}

fn change(path: &str) -> Change {
    Change { place: Place::file(path, Form::Text), before: "1".to_string(), wanted: "2".to_string() }
}

fn told(restored: &[(Entry, RestoreResult)]) -> Vec<String> {
    restored.iter().map(|(entry, what)| format!("{}: {what}", entry.change.place)).collect()
}

#[test]
fn what_a_trial_left_is_set_back_by_the_next_one_and_what_was_kept_stays() {
    let (_folder, machine) = machine();
    let mut journal = Journal::open(&machine).unwrap();
    journal.apply(&machine, &setting("kept"), &[change(A)]).unwrap();
    journal.keep("kept").unwrap();
    journal.apply(&machine, &setting("tried"), &[change(B)]).unwrap();
    assert_eq!((machine.read(A).unwrap(), machine.read(B).unwrap()), ("2".to_string(), "2".to_string()));
    drop(journal); // as if it had been killed
    let mut journal = Journal::open(&machine).unwrap();
    assert_eq!(told(&journal.recover(&machine).unwrap()), [format!("{B}: set back")]);
    assert_eq!((machine.read(A).unwrap(), machine.read(B).unwrap()), ("2".to_string(), "1".to_string()));
    assert_eq!(told(&journal.restore(&machine, |_| true).unwrap()), [format!("{A}: set back")]);
    assert_eq!(machine.read(A).unwrap(), "1");
    assert!(!Journal::is_there(&machine));
}

#[test]
fn two_cannot_change_one_machine_at_once() {
    let (_folder, machine) = machine();
    let _first = Journal::open(&machine).unwrap();
    assert!(matches!(Journal::open(&machine), Err(Unusable::Busy(Some(_)))));
}

#[test]
fn a_glance_shows_a_trial_under_way_with_its_command_and_touches_nothing() {
    let (_folder, machine) = machine();
    assert!(Glance::at(&machine).is_ok_and(|none| none.entries.is_empty() && none.active.is_none()));
    let mut journal = Journal::open(&machine).unwrap();
    journal.command = Some("backwall tune try knob --apply".to_string());
    journal.apply(&machine, &setting("tried"), &[change(A)]).unwrap();
    let glance = Glance::at(&machine).unwrap();
    assert!(glance.active.is_some_and(|process| process.contains(&std::process::id().to_string())));
    let [entry] = &glance.entries[..] else { panic!("{:?}", glance.entries) };
    assert_eq!((entry.state, entry.command.as_deref()), (State::Trial, Some("backwall tune try knob --apply")));
    assert!(entry.since.as_ref().is_some_and(|since| since.parse::<jiff::Timestamp>().is_ok()), "{entry:?}");
    drop(journal);
    assert!(Glance::at(&machine).is_ok_and(|left| left.active.is_none() && left.entries.len() == 1));
    assert_eq!(machine.read(A).unwrap(), "2");
}

#[test]
fn what_another_program_has_written_since_is_left_and_told() {
    let (folder, machine) = machine();
    let mut journal = Journal::open(&machine).unwrap();
    journal.apply(&machine, &setting("tried"), &[change(A)]).unwrap();
    put(folder.path(), A, "3");
    let told = told(&journal.recover(&machine).unwrap());
    assert_eq!(told, [format!("{A}: has 3, written by another program since; left unchanged")]);
    assert_eq!(machine.read(A).unwrap(), "3");
    assert!(journal.entries().is_empty());
}

#[test]
fn nothing_is_written_where_another_program_has_written_since_it_was_looked_at() {
    let (folder, machine) = machine();
    let mut journal = Journal::open(&machine).unwrap();
    put(folder.path(), B, "3");
    let refused = journal.apply(&machine, &setting("tried"), &[change(A), change(B)]).unwrap_err();
    assert!(matches!(&refused, Unapplied::Changed(found) if found.len() == 1), "{refused}");
    assert_eq!((machine.read(A).unwrap(), machine.read(B).unwrap()), ("1".to_string(), "3".to_string()));
    assert!(!Journal::is_there(&machine));
}

// When a service ends, its control group disappears with all its values. A file system that is not mounted here still has its
// values.
#[test]
fn what_is_gone_is_no_error_for_ever_and_what_cannot_be_seen_stays_in_the_journal() {
    const GROUP: &str = "/sys/fs/cgroup/system.slice/x.service/cpu.max";
    const SERVER: &str = "/sys/kernel/debug/sched/fair_server/cpu0/runtime";
    const GOVERNOR: &str = "/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor";
    for (file, gone, beside, is_over) in [
        (GROUP, "/sys/fs/cgroup/system.slice/x.service", Some("/sys/fs/cgroup/system.slice/cgroup.procs"), true),
        (GROUP, "/sys/fs/cgroup/system.slice", None, false),
        (SERVER, "/sys/kernel/debug/sched", None, false),
        (GOVERNOR, "/sys/devices/system/cpu/cpu1/cpufreq", Some("/sys/devices/system/cpu/cpu1/online"), false),
    ] {
        let (folder, machine) = machine();
        put(folder.path(), file, "1");
        let mut journal = Journal::open(&machine).unwrap();
        journal.apply(&machine, &setting("tried"), &[change(file)]).unwrap();
        std::fs::remove_dir_all(machine.place(gone)).unwrap();
        if let Some(beside) = beside {
            put(folder.path(), beside, "0");
        }
        let restored = journal.recover(&machine).unwrap();
        assert_eq!(matches!(restored[0].1, RestoreResult::Ended), is_over, "{file}: {}", restored[0].1);
        assert_eq!((journal.left(), Journal::is_there(&machine)), (usize::from(!is_over), !is_over), "{file}");
    }
}

// It is unknown whether a restart reset the journal's values, so the journal is kept unchanged.
#[test]
fn where_the_start_of_the_machine_is_not_told_the_journal_is_kept() {
    let (_folder, machine) = machine();
    let mut journal = Journal::open(&machine).unwrap();
    journal.apply(&machine, &setting("tried"), &[change(A)]).unwrap();
    drop(journal);
    let written = std::fs::read(machine.place("/var/lib/backwall/tune.json")).unwrap();
    std::fs::remove_file(machine.place(BOOT_ID)).unwrap();
    let refused = Journal::open(&machine).unwrap_err();
    assert!(matches!(refused, Unusable::UnknownStart(1)), "{refused}");
    assert_eq!(std::fs::read(machine.place("/var/lib/backwall/tune.json")).unwrap(), written);
    assert_eq!(machine.read(A).unwrap(), "2");
    std::fs::remove_file(machine.place("/var/lib/backwall/tune.json")).unwrap();
    assert!(matches!(Journal::open(&machine).unwrap_err(), Unusable::UnknownStart(0)), "nothing is begun either");
}

// Two containers have a folder of the journal each, and one kernel.
#[test]
fn two_with_folders_of_their_own_do_not_change_one_kernel_at_once() {
    let (first, second) = (machine(), machine());
    std::fs::create_dir_all(first.1.place(DEBUGFS)).unwrap();
    std::fs::create_dir_all(second.1.place("/sys/kernel")).unwrap();
    std::os::unix::fs::symlink(first.1.place(DEBUGFS), second.1.place(DEBUGFS)).unwrap();
    let held = Journal::open(&first.1).unwrap();
    assert!(matches!(Journal::open(&second.1), Err(Unusable::Busy(Some(_)))));
    drop(held);
    Journal::open(&second.1).unwrap();
}

#[test]
fn a_journal_that_is_a_pipe_is_refused_at_once() {
    let (_folder, machine) = machine();
    drop(Journal::open(&machine).unwrap());
    let pipe = machine.place("/var/lib/backwall/tune.json");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    let refused = Journal::open(&machine).unwrap_err().to_string();
    assert!(refused.contains("not a journal of backwall (not a regular file)"), "{refused}");
}

#[test]
fn a_value_that_is_ignored_is_told_and_is_no_part_of_the_trial() {
    let (_folder, machine) = machine();
    let ignoring = machine.place("/proc/sys/vm/ignoring");
    std::os::unix::fs::symlink("/dev/null", &ignoring).unwrap();
    let mut journal = Journal::open(&machine).unwrap();
    let changes = [change(A), Change { before: String::new(), ..change("/proc/sys/vm/ignoring") }];
    let unmade = journal.apply(&machine, &setting("tried"), &changes).unwrap();
    let told: Vec<String> = unmade.iter().map(|(_, why)| why.to_string()).collect();
    assert_eq!(told, ["/proc/sys/vm/ignoring: wrote 2 but read back ; the kernel did not accept it"]);
    assert_eq!((machine.read(A).unwrap().as_str(), journal.entries().len()), ("2", 1));
    journal.recover(&machine).unwrap();
    assert_eq!(machine.read(A).unwrap(), "1");
}

#[test]
fn where_every_value_is_refused_the_machine_is_as_it_was() {
    let (_folder, machine) = machine();
    let mut journal = Journal::open(&machine).unwrap();
    let refused = journal.apply(&machine, &setting("tried"), &[change("/proc/sys/vm/none")]).unwrap_err().to_string();
    assert!(refused.starts_with("/proc/sys/vm/none: 2 is refused: "), "{refused}");
    assert!(!Journal::is_there(&machine));
}

#[test]
fn without_a_journal_on_the_disk_nothing_is_changed() {
    let (folder, machine) = machine();
    put(folder.path(), "/var/lib", "a file where a folder should be");
    let refused = Journal::open(&machine).unwrap_err().to_string();
    assert!(refused.contains("must write its journal to disk"), "{refused}");
}

#[test]
fn a_journal_of_another_machine_or_none_at_all_is_refused_and_one_before_a_restart_is_over() {
    for (file, text, says) in [
        (MACHINE_ID, "m2", "the journal of another machine"),
        ("/var/lib/backwall/tune.json", "{\"schema\":", "not a journal of backwall"),
        ("/var/lib/backwall/tune.json", "[]", "not a journal of backwall"),
    ] {
        let (folder, machine) = machine();
        let mut journal = Journal::open(&machine).unwrap();
        journal.apply(&machine, &setting("tried"), &[change(A)]).unwrap();
        drop(journal);
        put(folder.path(), file, text);
        let refused = Journal::open(&machine).unwrap_err().to_string();
        assert!(refused.contains(says), "{refused}");
        assert_eq!(machine.read(A).unwrap(), "2", "nothing is changed by a journal that is not ours");
    }
    let (folder, machine) = machine();
    let mut journal = Journal::open(&machine).unwrap();
    journal.apply(&machine, &setting("tried"), &[change(A), change(B)]).unwrap();
    drop(journal);
    put(folder.path(), BOOT_ID, "b2");
    let journal = Journal::open(&machine).unwrap();
    assert_eq!((journal.forgotten, journal.entries().len()), (2, 0));
    drop(journal);
    assert!(!Journal::is_there(&machine));
    assert_eq!(Journal::open(&machine).unwrap().forgotten, 0, "it is told once");
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Apply(bool),
    Keep(bool),
    Undo(bool),
    Killed,
}

fn step() -> impl Strategy<Value = Step> {
    let which = any::<bool>();
    prop_oneof![which.prop_map(Step::Apply), which.prop_map(Step::Keep), which.prop_map(Step::Undo), Just(Step::Killed)]
}

fn take(journal: &mut Journal, machine: &Machine, step: Step) {
    let of = |first: bool| if first { ("a", A) } else { ("b", B) };
    match step {
        Step::Apply(first) => {
            let (name, path) = of(first);
            if let Some(change) = Change::to(machine, Place::file(path, Form::Text), "2") {
                journal.apply(machine, &setting(name), &[change]).unwrap();
            }
        }
        Step::Keep(first) => journal.keep(of(first).0).unwrap(),
        Step::Undo(first) => {
            journal.restore(machine, |entry| entry.setting == of(first).0).unwrap();
        }
        Step::Killed => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn whatever_was_done_and_wherever_it_ended_undoing_all_puts_all_back(steps in proptest::collection::vec(step(), 0..12)) {
        let (_folder, machine) = machine();
        let mut journal = Journal::open(&machine).unwrap();
        for step in steps {
            if matches!(step, Step::Killed) {
                drop(journal);
                journal = Journal::open(&machine).unwrap();
                journal.recover(&machine).unwrap();
            }
            take(&mut journal, &machine, step);
        }
        drop(journal);
        let mut journal = Journal::open(&machine).unwrap();
        journal.recover(&machine).unwrap();
        let kept: Vec<String> = journal.entries().iter().map(|entry| entry.setting.clone()).collect();
        for (name, path) in [("a", A), ("b", B)] {
            let expected = if kept.iter().any(|kept| kept == name) { "2" } else { "1" };
            prop_assert_eq!(machine.read(path).unwrap(), expected);
        }
        journal.restore(&machine, |_| true).unwrap();
        prop_assert_eq!((machine.read(A).unwrap(), machine.read(B).unwrap()), ("1".to_string(), "1".to_string()));
    }
}
