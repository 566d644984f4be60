// SPDX-License-Identifier: MIT OR Apache-2.0
//! Help, man pages and completions: each command has examples, the examples work, and nothing that can be typed is missing.
use crate::lacking::skipped;
use crate::{recordings, sample};
use backwall::cli;
use clap::Command;
use std::ffi::OsString;
use std::path::Path;
use std::process::Output;

const FAKE: &str = backwall_runner::device::built::FAKE;

fn commands() -> Vec<(String, Command)> {
    let mut all = Vec::new();
    let mut tool = cli::table().disable_help_subcommand(true);
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

// Words as a shell splits them, with single quotes, as far as the first command goes.
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

// `make soak` sets it: each example then measures this machine or boots its guest, where `make test` has a scripted probe.
const MEASURED: &str = "BACKWALL_EXAMPLES";

fn measures() -> bool {
    std::env::var_os(MEASURED).is_some()
}

fn is_long(line: &str) -> bool {
    let long = ["osbench --all", "osbench --compare"];
    ["backwall bench events --paper", "backwall bench osbench"].contains(&line)
        || long.iter().any(|part| line.contains(part)) // --quick is another example
}

// Commands that continue something: a watched application, a fleet, the second program. Their own tests cover them.
fn needs_more(line: &str) -> bool {
    let begins = |command: &str| line.starts_with(&format!("backwall {command}"));
    let done = ["fleet run", "fleet snapshot", "lab"];
    let watches = begins("watch") && !line.contains("--list") || line.contains(" --app ");
    watches || done.iter().any(|command| begins(command))
}

fn shortened(line: &str) -> String {
    let mut words: Vec<String> = line.split(' ').map(String::from).collect();
    for at in 1..words.len() {
        match words[at - 1].as_str() {
            "-D" | "--for" => words[at] = "1s".to_string(),
            _ => {}
        }
    }
    words.join(" ")
}

// As measured on this machine; `None` if that takes too long.
fn measured(line: &str) -> Option<String> {
    let line = if is_long(line) || needs_more(line) { return None } else { shortened(line) };
    let timed = line.contains("-D ") || line.contains("--for") || !line.starts_with("backwall run");
    Some(if timed { line } else { line.replacen("backwall run", "backwall run --for 1s", 1) })
}

// As it is without this machine: from files, or with the scripted probe, which has no loads and the threads of one series.
// `None` where there is nothing to take the machine's place.
fn scripted(line: &str) -> Option<String> {
    let (probe, others) = (format!(" --probe '{FAKE}'"), ["--all", "--compare", "--guest", "--work"]);
    let begins = |commands: &[&str]| commands.iter().any(|name| line.starts_with(&format!("backwall {name}")));
    if others.iter().any(|option| line.split(' ').any(|word| word == *option)) && !begins(&["trace report"]) {
        return None;
    }
    if begins(&["run", "tasks run"]) {
        let mut words: Vec<&str> = line.split(' ').collect();
        while let Some(at) = words.iter().position(|word| *word == "--load") {
            words.drain(at..at + 2);
        }
        let none = if begins(&["run"]) { " --load none" } else { "" };
        let length = if line.contains("--for") || begins(&["run"]) { "" } else { " --for 1s" };
        return Some(format!("{}{probe}{none}{length}", words.join(" ")));
    }
    if begins(&["bench osbench"]) {
        return Some(format!("{line}{probe}"));
    }
    let on_a_machine = ["bench", "scope respond", "check", "scope --pico", "chain 'irq", "chain linuxcnc"];
    // `--signers` needs a key of ssh-keygen; `sealed.rs` makes one.
    if line.contains("--signers") {
        return None;
    }
    let recorded = begins(&["trace record"]);
    (!begins(&on_a_machine) && !recorded && !needs_more(line)).then(|| line.to_string())
}

// A set for the scripted probe; the name is that of the examples' requirement.
const ONE_SERIES: &str = "[[series]]\nname = \"control\"\nperiod = \"10ms\"\ncomputation = \"1ms\"\npriority = 10\n";

fn control() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/how-to/tasks/control.toml")
}

fn furnish(place: &Path) {
    let run = serde_json::to_string(&sample::tour()).unwrap();
    for folder in ["backwall-runs/20261128T003726Z-run", "before/1", "after/1", "before", "after"] {
        std::fs::create_dir_all(place.join(folder)).unwrap();
        std::fs::write(place.join(folder).join("run.json"), &run).unwrap();
    }
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../wire/golden/v2/wakeup_skip.bin");
    std::fs::copy(golden, place.join("stream.bin")).unwrap();
    for (format, name) in [("cyclictest-json", "cyclictest.json"), ("rtla-timerlat", "timerlat.txt")] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/formats/tests/data").join(format).join(name);
        std::fs::copy(file, place.join(name)).unwrap();
    }
    let set = if measures() { std::fs::read_to_string(control()).unwrap() } else { ONE_SERIES.to_string() };
    std::fs::write(place.join("set.toml"), set).unwrap();
    let capture = "$timescale 1 us $end\n$var wire 1 ! line $end\n$var wire 1 \" pin $end\n$enddefinitions $end\n#0\n0!\n0\"\n\
        #100\n1!\n#107\n1\"\n#150\n0!\n#160\n0\"\n#200\n1!\n#209\n1\"\n#250\n0!\n#260\n0\"\n";
    std::fs::write(place.join("capture.vcd"), capture).unwrap();
    std::fs::write(place.join("trace.dat"), recordings::trace_dat()).unwrap();
    for folder in ["spool/board/1", "fleet/runs/board/6.1/2026-11-25/1"] {
        std::fs::create_dir_all(place.join(folder)).unwrap();
        std::fs::write(place.join(folder).join("run.json"), &run).unwrap();
    }
}

fn in_a_shell(line: &str, place: &Path) -> Output {
    let tool = Path::new(env!("CARGO_BIN_EXE_backwall")).parent().unwrap();
    let path = format!("{}:{}", tool.display(), std::env::var("PATH").unwrap_or_default());
    let line = line.replace("/usr/local/share/man/man1", "man1");
    std::process::Command::new("sh").args(["-c", &line]).env("PATH", path).current_dir(place).output().unwrap()
}

// A right example ends as its figures or the machine decide, never with bad usage. What went wrong otherwise.
fn wrong(line: &str) -> Option<String> {
    let place = tempfile::tempdir().unwrap();
    furnish(place.path());
    if line.starts_with("backwall verify") {
        let sealed = in_a_shell("backwall export sealed backwall-runs/20261128T003726Z-run -o sealed", place.path());
        assert!(sealed.status.success(), "{sealed:?}");
    }
    let output = in_a_shell(line, place.path());
    match output.status.code() {
        Some(0 | 1 | 3) => None,
        Some(4) if measures() && skipped(&format!("example: {line}"), &output) => None,
        code => Some(format!("{line}: {code:?} {}", String::from_utf8_lossy(&output.stderr))),
    }
}

#[test]
fn every_example_works_when_it_is_typed() {
    let all: Vec<String> = commands().into_iter().flat_map(|(_, command)| examples(&command)).collect();
    let fit = if measures() { measured } else { scripted };
    let lines: Vec<String> = all.iter().filter_map(|line| fit(line)).collect();
    let failed: Vec<String> = lines.iter().filter_map(|line| wrong(line)).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(lines.len() * 2 > all.len(), "{lines:#?}");
    if !measures() {
        let left = all.len() - lines.len();
        println!("{left} of {} examples are understood here and carried out in make soak", all.len());
    }
}

#[test]
fn every_command_has_a_man_page_with_each_of_its_options() {
    let folder = tempfile::tempdir().unwrap();
    let output = in_a_shell("backwall generate man pages", folder.path());
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
        "ln -s /dev/null pages/link && backwall generate man pages && backwall generate man stop/pages </dev/null",
        folder.path(),
    );
    assert_eq!(again.status.code(), Some(0), "{}", String::from_utf8_lossy(&again.stderr));
    let refused = in_a_shell("touch file; backwall generate man file/pages", folder.path());
    let line = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!((refused.status.code(), line.lines().count()), (Some(4), 1), "{line}");
}

#[test]
fn completions_offer_every_command_option_and_load() {
    for (shell, shows_values) in
        [("bash", true), ("zsh", true), ("fish", true), ("elvish", false), ("powershell", false)]
    {
        let output = in_a_shell(&format!("backwall generate completions {shell}"), Path::new("."));
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

// In a pipe without a terminal width; short and long help alike.
#[test]
fn a_help_has_80_columns_in_a_pipe() {
    let lines: Vec<String> = commands()
        .into_iter()
        .filter(|(name, _)| name != "backwall lab") // the second program prints its help
        .flat_map(|(name, _)| [format!("{name} --help"), format!("{name} -h")])
        .filter(|line| !["backwall run -h", "backwall watch -h"].contains(&line.as_str())) // cyclictest's histogram
        .collect();
    for line in lines {
        let output = in_a_shell(&line, Path::new("."));
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && !text.is_empty(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        let wide: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(wide.is_empty(), "{line}: {wide:#?}");
    }
}

// Options in a command's help are accepted, and others refused.
#[test]
fn a_help_lists_the_options_that_its_command_takes_and_no_other() {
    let with = |line: &str, name: &str, option: &str| {
        let (before, mut typed) = (name.split(' ').count(), words(line));
        typed.splice(before..before, words(option));
        cli::understand(typed).err().map(|error| error.to_string())
    };
    for (name, command) in commands().into_iter().filter(|(name, _)| name != "backwall lab") {
        let Some(line) = examples(&command).into_iter().find(|_| !command.has_subcommands()) else {
            continue;
        };
        for option in ["output x", "json", "verbose", "seed 1", "require missed==0"] {
            let id = option.split(' ').next().unwrap();
            let listed =
                command.get_arguments().find(|own| own.get_long() == Some(id)).is_some_and(|own| !own.is_hide_set());
            let refused = with(&line, &name, &format!("--{option}"));
            let is_unknown =
                refused.is_some_and(|why| why.contains("unexpected argument") || why.contains("no use for"));
            assert_eq!(is_unknown, !listed, "{name} --{id}");
        }
    }
}

#[test]
fn an_option_that_a_command_has_no_use_for_is_refused_and_not_ignored() {
    for line in [
        "generate completions bash --json",
        "generate completions bash --require missed==0",
        "generate man x --output y",
        "compare a --output x -- b",
        "check --output x",
        "export csv x --require missed==0",
        "report x --require missed==0",
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
