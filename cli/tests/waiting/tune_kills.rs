// SPDX-License-Identifier: MIT OR Apache-2.0
//! A program that is killed changes, keeps and restores settings without end; each time every setting comes back.
//!
//! It is killed at instants that a seed chooses, and at chosen calls: before and after the Kth renaming, linking, removing,
//! syncing, opening and writing. `BACKWALL_KILLS` is the number of kills, `BACKWALL_SEED` the seed. The settings are files of the
//! test; with `BACKWALL_KILLS_HERE` they are this kernel's, and the journal is in a `/var/lib` that only the killed program and
//! its successor see.
use crate::killed_at::{Call, killed_at};
use crate::lacking::skip;
use crate::tool::{Begin, wait_until};
use crate::tune::{kills, text};
use backwall_stats::random::SplitMix;
use backwall_tuning::settings::journal::{Journal, Unapplied};
use backwall_tuning::settings::{Change, Machine, Setting, known};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

// The folder of the killed tool's machine, in which it also reports that it has begun.
const ROOT: &str = "BACKWALL_TEST_ROOT";
const BEGUN: &str = "BACKWALL_TEST_BEGUN";
// Settings that do no harm for a moment, and what files of the test hold at first.
const TRIED: [(&str, &str, &str); 8] = [
    ("timer-migration", "/proc/sys/kernel/timer_migration", "1"),
    ("vm-statistics", "/proc/sys/vm/stat_interval", "1"),
    ("compaction", "/proc/sys/vm/compaction_proactiveness", "20"),
    ("numa-balancing", "/proc/sys/kernel/numa_balancing", "1"),
    ("watchdog", "/proc/sys/kernel/watchdog", "1"),
    ("writeback", "/proc/sys/vm/dirty_writeback_centisecs", "500"),
    ("huge-pages", "/sys/kernel/mm/transparent_hugepage/khugepaged/defrag", "1"),
    ("rcu-expedited", "/sys/kernel/rcu_normal", "0"),
];

fn tried() -> impl Iterator<Item = &'static Setting> {
    TRIED.into_iter().map(|(name, ..)| known::named(name).unwrap())
}

// Makes, keeps and restores settings without end; only as a separate process.
#[test]
fn what_is_killed_changes_settings_for_ever() {
    let Some(root) = std::env::var_os(ROOT) else { return };
    let machine = Machine::under(Path::new(&root), 0);
    let mut journal = Journal::open(&machine).unwrap();
    fs::write(std::env::var_os(BEGUN).unwrap(), "").unwrap();
    for round in 0_usize.. {
        for (number, setting) in tried().enumerate() {
            match journal.apply(&machine, setting, &setting.changes(&machine)) {
                Ok(_) | Err(Unapplied::Refused(_)) => {}
                Err(why) => panic!("{why}"),
            }
            if (round + number) % 3 == 0 {
                journal.keep(setting.name).unwrap();
            } else {
                journal.recover(&machine).unwrap();
            }
        }
        journal.restore(&machine, |_| true).unwrap();
    }
}

const CALLS: [(&str, &[i64]); 6] = [
    ("open", &[libc::SYS_openat]),
    ("write", &[libc::SYS_write]),
    ("fsync", &[libc::SYS_fsync]),
    ("linkat", &[libc::SYS_linkat]),
    ("renameat", &[libc::SYS_renameat, libc::SYS_renameat2]),
    ("unlinkat", &[libc::SYS_unlinkat]),
];
// Calls of each kind in about two rounds of all settings.
const MOST_CALLS: u64 = 24;

// Every other kill comes at an instant, the others at a call: each in turn, before the kernel has carried it out and after.
fn chosen(kill: u32, random: &mut SplitMix) -> Option<Call> {
    let at = (kill / 2) as usize;
    let (name, numbers) = CALLS[at % CALLS.len()];
    let number = 1 + random.number() % MOST_CALLS;
    (kill % 2 == 0).then_some(Call { name, numbers, is_done: at / CALLS.len() % 2 == 1, number })
}

struct Changed {
    folder: TempDir,
    machine: Machine,
    is_this: bool,
    held: Vec<Change>,
}

impl Changed {
    fn files() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let machine = Machine::under(folder.path(), 0);
        let others = [("", "/etc/machine-id", "m"), ("", "/proc/sys/kernel/random/boot_id", "b")];
        for (_, path, text) in TRIED.into_iter().chain(others) {
            fs::create_dir_all(machine.place(path).parent().unwrap()).unwrap();
            fs::write(machine.place(path), format!("{text}\n")).unwrap();
        }
        Self::of(folder, machine, false)
    }

    fn this() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("lib")).unwrap();
        Self::of(folder, Machine::this(0), true)
    }

    fn of(folder: TempDir, machine: Machine, is_this: bool) -> Self {
        let held = tried().flat_map(|setting| setting.changes(&machine)).collect();
        Self { folder, machine, is_this, held }
    }

    fn begun(&self) -> PathBuf {
        self.folder.path().join("begun")
    }

    fn command(&self, program: impl AsRef<OsStr>, words: &[&str]) -> Command {
        let mut command = if self.is_this {
            let mut command = Command::new("unshare");
            command.args(["-m", "sh", "-c", "mount --bind \"$1\" /var/lib && shift && exec \"$@\"", "sh"]);
            command.arg(self.folder.path().join("lib")).arg(program);
            command
        } else {
            Command::new(program)
        };
        command.args(words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn changes(&self) -> Command {
        let words = ["--exact", "tune_kills::what_is_killed_changes_settings_for_ever"];
        let mut command = self.command(std::env::current_exe().unwrap(), &words);
        command.env(ROOT, self.machine.root()).env(BEGUN, self.begun()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn kill(&self, call: Option<Call>, random: &mut SplitMix) {
        match call {
            Some(call) => {
                let killed = killed_at(&mut self.changes(), call, &|| self.begun().exists());
                assert!(killed.unwrap(), "{call:?}: it ends when it is killed");
            }
            None => {
                let mut changes = self.changes().begin();
                wait_until("its beginning", || self.begun().exists());
                std::thread::sleep(Duration::from_micros(random.number() % 20_000));
                assert!(changes.try_wait().unwrap().is_none(), "it ends when it is killed");
                changes.kill().unwrap();
                changes.wait().unwrap();
            }
        }
        fs::remove_file(self.begun()).unwrap();
    }

    fn moved(&self) -> Vec<String> {
        let is_moved = |change: &&Change| {
            // A file keeps what was longer after the value; of the kernel's files, the first line is everything.
            let found = change.place.read(&self.machine).unwrap();
            !change.place.form().same(found.lines().next().unwrap_or_default(), &change.before)
        };
        self.held.iter().filter(is_moved).map(|change| change.place.to_string()).collect()
    }

    fn set_back(&self) -> bool {
        if self.is_this {
            let left = self.folder.path().join("lib/backwall/tune.json").exists();
            let undone = self.command(env!("CARGO_BIN_EXE_backwall"), &["tune", "undo"]).output().unwrap();
            assert!(undone.status.success(), "{}", text(&undone));
            assert!(!self.folder.path().join("lib/backwall/tune.json").exists(), "{}", text(&undone));
            return left;
        }
        let mut journal = Journal::open(&self.machine).unwrap();
        let left = !journal.entries().is_empty();
        journal.recover(&self.machine).unwrap();
        journal.restore(&self.machine, |_| true).unwrap();
        assert!(!Journal::is_there(&self.machine));
        left
    }
}

#[test]
fn killed_between_any_two_writes_every_setting_comes_back() {
    let ((kills, mut random), mut met) = (kills(40), BTreeMap::<String, [u32; 3]>::new());
    let changed = if std::env::var_os("BACKWALL_KILLS_HERE").is_some() { Changed::this() } else { Changed::files() };
    if changed.is_this && !rustix::process::geteuid().is_root() {
        return skip("killed_between_any_two_writes", "the settings of this kernel are root's");
    }
    println!("tune: {} places of {} settings", changed.held.len(), TRIED.len());
    for kill in 0..kills {
        let call = chosen(kill, &mut random);
        changed.kill(call, &mut random);
        let moved = u32::from(!changed.moved().is_empty());
        let left = u32::from(changed.set_back());
        let not_back = changed.moved();
        assert!(not_back.is_empty(), "kill {kill}, {call:?}: {not_back:?}");
        let name = call.map_or("at an instant".to_string(), |call| {
            format!("{} {}", if call.is_done { "after" } else { "before" }, call.name)
        });
        let [all, with_journal, with_values] = met.entry(name).or_default();
        *all += 1;
        *with_journal += left;
        *with_values += moved;
    }
    for (name, [all, with_journal, with_values]) in &met {
        println!(
            "tune: killed {name}: {all}, of them {with_journal} with a journal and {with_values} with a value changed"
        );
    }
    let sum = |which: usize| met.values().map(|row| row[which]).sum::<u32>();
    println!(
        "tune: {kills} kills, {} with a journal, {} with a value changed; every setting came back",
        sum(1),
        sum(2)
    );
    assert!(sum(1) > 0 && sum(2) > 0, "no kill met a change");
}
