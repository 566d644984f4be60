// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs whose wakeups are counted: the probe, cyclictest if installed, and the user's.
#![expect(clippy::disallowed_methods, reason = "reads the environment")]
use crate::cost::{COUNT, Program};
use crate::guest::programs::{GuestFile, files_of, is_for};
use crate::machine::Machine;
use backwall_os::program::{NoProgram, find};
use backwall_os::refusal::usage;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

pub const PERIOD_US: u64 = 1_000;
const PRIORITY: u32 = 80;
const CYCLICTEST: &str = "cyclictest";
const PROBE: &str = "/probe";

/// The probe, cyclictest if installed for that CPU, and the requested programs.
///
/// # Errors
/// If a command is not a program for that machine.
pub fn programs(machine: &Machine, commands: &[String]) -> backwall_os::refusal::Result<Vec<Program>> {
    let mut programs = vec![ours(machine)];
    if let Ok(path) = on_path(CYCLICTEST) {
        let found = of(&format!("{} -q -m -p{PRIORITY} -i{PERIOD_US} -l{COUNT}", path.display()))?;
        programs.extend(Some(found).filter(|program| runs_on(program, machine)));
    }
    for command in commands {
        let program = of(command)?;
        if !runs_on(&program, machine) {
            let path = &program.words[0];
            return Err(usage(format!(
                "lab cost: {path}: not a program for {}; build it statically for that architecture",
                machine.shown
            )));
        }
        programs.push(program);
    }
    Ok(programs)
}

fn runs_on(program: &Program, machine: &Machine) -> bool {
    program.files.first().is_some_and(|file| is_for(&file.bytes, machine.linux.elf))
}

fn ours(machine: &Machine) -> Program {
    let words = format!(
        "{PROBE} measure wakeup --count {COUNT} --period-ns {} --cpu 0 --priority {PRIORITY}",
        PERIOD_US * 1_000
    );
    let files = vec![GuestFile { path: PROBE.into(), bytes: machine.linux.probe.clone() }];
    Program { name: "backwall".to_string(), words: words.split(' ').map(str::to_string).collect(), files }
}

/// The former placeholder. The help cannot show it, because clap reads it as a line break.
const TYPED_BEFORE: &str = "{n}";

fn of(command: &str) -> backwall_os::refusal::Result<Program> {
    let command = command.replace(TYPED_BEFORE, COUNT);
    let mut words: Vec<String> = command.split_whitespace().map(str::to_string).collect();
    if !words.iter().skip(1).any(|word| word.contains(COUNT)) {
        return Err(usage(format!(
            "lab cost: {command:?}: expected a command that contains {COUNT} in place of the \
            number of wakeups"
        )));
    }
    let found = on_path(&words[0]).map_err(|fault| usage(format!("lab cost: {}: {fault}", words[0])))?;
    let path = found.canonicalize().map_err(|fault| usage(format!("lab cost: {}: {fault}", words[0])))?;
    let name = Path::new(&words[0]).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let files = files_of(&path).map_err(|fault| usage(format!("lab cost: {fault}")))?;
    words[0] = path.display().to_string();
    Ok(Program { name, words, files })
}

fn on_path(word: &str) -> Result<PathBuf, NoProgram> {
    find(OsStr::new(word), &std::env::var_os("PATH").unwrap_or_default())
}
