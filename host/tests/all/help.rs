// SPDX-License-Identifier: MIT OR Apache-2.0
//! Help, man pages and completions: each command has examples, the examples work, and nothing that can be typed is missing.
use crate::lacking::skipped;
use crate::{recordings, sample, tasks_run};
use backwall::cli::{self, Cli};
use clap::{Command, CommandFactory};
use std::ffi::OsString;
use std::path::Path;
use std::process::Output;
use std::sync::atomic::{AtomicUsize, Ordering};

const FAKE: &str = concat!(env!("OUT_DIR"), "/probe/probe-fake");

/// Every command that a user sees, with the words that call it.
fn commands() -> Vec<(String, Command)> {
    let mut all = Vec::new();
    let mut tool = Cli::command().disable_help_subcommand(true);
    tool.build();
    add(&tool, "", &mut all);
    all
}

fn add(command: &Command, above: &str, all: &mut Vec<(String, Command)>) {
    let words = format!("{above}{}", command.get_name());
    command
        .get_subcommands()
        .filter(|below| !below.is_hide_set())
        .for_each(|below| add(below, &format!("{words} "), all));
    all.push((words, command.clone()));
}

fn examples(command: &Command) -> Vec<String> {
    let below = command.get_after_help().map(|text| text.to_string()).unwrap_or_default();
    let lines = below.lines().skip_while(|line| *line != "Examples:").skip(1);
    lines.take_while(|line| line.starts_with("  ")).map(|line| line.trim().to_string()).collect()
}

/// Words as a shell splits them, with single quotes, as far as the first command goes.
fn words(line: &str) -> Vec<OsString> {
    let line = line.split(" ||").next().unwrap();
    let parts = line.split('\'').enumerate().flat_map(|(at, part)| match at % 2 {
        1 => vec![part.into()],
        _ => part.split_whitespace().map(Into::into).collect::<Vec<OsString>>(),
    });
    parts.collect()
}

#[test]
fn every_command_has_examples_of_its_own_that_are_understood() {
    for (name, command) in commands() {
        let examples = examples(&command);
        assert!(!examples.is_empty(), "{name}: its help has no example");
        for line in examples {
            assert!(line.starts_with(&name), "{name}: {line}");
            cli::understand(words(&line)).unwrap_or_else(|error| panic!("{line}: {error}"));
        }
    }
}

/// Those that take minutes, or a guest that is not here; the tests of the lab have them.
fn is_long(line: &str) -> bool {
    [
        "lab saturate",
        "lab sweep",
        "lab cost",
        "lab bisect",
        "linux-",
        "detent-probe",
        "osbench -all",
        "osbench --compare",
    ]
    .iter()
    .any(|part| line.contains(part))
        || line == "backwall tasks paper" // --quick is another example
}

/// The same for a short time, so that it fits a test: where a load is named on this machine, else with a scripted probe.
fn shortened(line: &str) -> String {
    let mut words: Vec<String> = line.split(' ').map(String::from).collect();
    for at in 1..words.len() {
        match words[at - 1].as_str() {
            "-D" | "--for" => words[at] = "1s".to_string(),
            "--attach" => words[at] = std::process::id().to_string(),
            _ => {}
        }
    }
    let line = words.join(" ");
    if !line.starts_with("backwall run") || line.contains("--attach") {
        return line;
    }
    let timed = line.contains("-D") || line.contains("--for");
    let short = if timed { "" } else { " --for 1s" };
    let scripted = format!("--probe '{FAKE}' --load none");
    let probe = if line.contains("--load") { "--best-effort" } else { &scripted };
    line.replacen("backwall run", &format!("backwall run {probe}{short}"), 1)
}

/// What the examples name: runs, sets of runs, a set of tasks, a capture, a stream.
fn furnish(place: &Path) {
    let run = serde_json::to_string(&sample::tour()).unwrap();
    for folder in
        ["backwall-runs/20261122T111945Z-run", "backwall-runs/latest", "before/1", "after/1", "before", "after"]
    {
        std::fs::create_dir_all(place.join(folder)).unwrap();
        std::fs::write(place.join(folder).join("run.json"), &run).unwrap();
    }
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../wire/golden/v2/wakeup_skip.bin");
    std::fs::copy(golden, place.join("stream.bin")).unwrap();
    for name in ["cyclictest.json", "timerlat.txt"] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/import").join(name);
        std::fs::copy(file, place.join(name)).unwrap();
    }
    std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/tasks/control.toml"), place.join("set.toml"))
        .unwrap();
    let capture = "$timescale 1 us $end\n$var wire 1 ! line $end\n$var wire 1 \" pin $end\n$enddefinitions $end\n#0\n0!\n0\"\n\
        #100\n1!\n#107\n1\"\n#150\n0!\n#160\n0\"\n#200\n1!\n#209\n1\"\n#250\n0!\n#260\n0\"\n";
    std::fs::write(place.join("capture.vcd"), capture).unwrap();
    std::fs::write(place.join("trace.dat"), recordings::trace_dat()).unwrap();
}

fn in_a_shell(line: &str, place: &Path) -> Output {
    let tool = Path::new(env!("CARGO_BIN_EXE_backwall")).parent().unwrap();
    let path = format!("{}:{}", tool.display(), std::env::var("PATH").unwrap_or_default());
    let line = line.replace("/usr/local/share/man/man1", "man1");
    std::process::Command::new("sh").args(["-c", &line]).env("PATH", path).current_dir(place).output().unwrap()
}

/// It works for seconds at real-time priority, or waits for its turn at a low one: such ones take turns.
fn needs_a_processor(line: &str) -> bool {
    ["tasks", "osbench", "iltiming"].iter().any(|command| line.starts_with(&format!("backwall {command}")))
        || line.contains('@')
}

/// A right example ends as its figures or the machine decide, never with bad usage. What went wrong otherwise.
fn wrong(line: &str) -> Option<String> {
    let place = tempfile::tempdir().unwrap();
    furnish(place.path());
    let line = shortened(line);
    let _alone = needs_a_processor(&line).then(tasks_run::alone);
    let output = in_a_shell(&line, place.path());
    match output.status.code() {
        Some(0 | 1 | 3) => None,
        Some(4) if skipped(&format!("example: {line}"), &output) => None,
        code => Some(format!("{line}: {code:?} {}", String::from_utf8_lossy(&output.stderr))),
    }
}

/// Two at a time: most of what an example does is waiting.
#[test]
fn every_example_works_when_it_is_typed() {
    let examples = commands().into_iter().flat_map(|(_, command)| examples(&command));
    let lines: Vec<String> = examples.filter(|line| !is_long(line)).collect();
    let next = AtomicUsize::new(0);
    let tries = || {
        let taken = std::iter::from_fn(|| lines.get(next.fetch_add(1, Ordering::Relaxed)));
        taken.filter_map(|line| wrong(line)).collect::<Vec<_>>()
    };
    let failed: Vec<String> = std::thread::scope(|scope| {
        let workers = [(); 2].map(|()| scope.spawn(tries));
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(lines.len() > 25, "{lines:#?}");
}

#[test]
fn every_command_has_a_man_page_with_each_of_its_options() {
    let folder = tempfile::tempdir().unwrap();
    let output = in_a_shell("backwall man pages", folder.path());
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
    let commands = commands();
    assert_eq!(std::fs::read_dir(folder.path().join("pages")).unwrap().count(), commands.len());
    for (name, command) in commands {
        let page = std::fs::read_to_string(folder.path().join("pages").join(name.replace(' ', "-") + ".1")).unwrap();
        let options = command.get_arguments().filter(|option| !option.is_hide_set());
        for long in options.filter_map(|option| option.get_long()) {
            assert!(page.contains(&format!("\\-\\-{}", long.replace('-', "\\-"))), "{name}: --{long}");
        }
        assert!(page.contains("Examples:"), "{name}");
    }
    let again = in_a_shell(
        "ln -s /dev/null pages/link && backwall man pages && backwall man stop/pages </dev/null",
        folder.path(),
    );
    assert_eq!(again.status.code(), Some(0), "{}", String::from_utf8_lossy(&again.stderr));
    let refused = in_a_shell("touch file; backwall man file/pages", folder.path());
    let line = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!((refused.status.code(), line.lines().count()), (Some(4), 1), "{line}");
}

#[test]
fn completions_offer_every_command_option_and_load() {
    for (shell, shows_values) in
        [("bash", true), ("zsh", true), ("fish", true), ("elvish", false), ("powershell", false)]
    {
        let output = in_a_shell(&format!("backwall completions {shell}"), Path::new("."));
        let script = String::from_utf8(output.stdout).unwrap();
        for (_, command) in commands() {
            assert!(script.contains(command.get_name()), "{shell}: {}", command.get_name());
            let options = command.get_arguments().filter(|option| !option.is_hide_set());
            for long in options.filter_map(|option| option.get_long().map(String::from)) {
                assert!(script.contains(&long), "{shell}: --{long}");
            }
        }
        let values = ["polygons", "loopback", "deadline", "as-is"];
        assert!(!shows_values || values.iter().all(|value| script.contains(value)), "{shell}");
    }
}

#[test]
fn an_option_that_a_command_has_no_use_for_is_refused_and_not_ignored() {
    for line in [
        "completions bash --json",
        "completions bash --require lost==0",
        "man x --out y",
        "lab list --out x",
        "lab cost --require lost==0",
        "compare a --out x -- b",
        "check --out x",
        "export csv x --require lost==0",
        "report x --require lost==0",
    ] {
        let place = tempfile::tempdir().unwrap();
        let output = in_a_shell(&format!("backwall {line}"), place.path());
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(
            (output.status.code(), said.lines().count(), output.stdout.len()),
            (Some(2), 1, 0),
            "{line}: {said}"
        );
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0, "{line}");
    }
}
