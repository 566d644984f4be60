// SPDX-License-Identifier: MIT OR Apache-2.0
//! Help, man pages and completions of `backwall lab`: the examples of each command parse, and the installed files cover both
//! programs.
use crate::common::program::{program, programs};
use backwall_lab_cli::cli;
use clap::Command;
use std::ffi::OsString;
use std::process::Output;

fn commands() -> Vec<(String, Command)> {
    let mut all = Vec::new();
    let mut tool = cli::table().disable_help_subcommand(true);
    tool.build();
    add(&tool, "", &mut all);
    all
}

fn add(command: &Command, above: &str, all: &mut Vec<(String, Command)>) {
    let words = format!("{above}{}", command.get_name());
    let below = command.get_subcommands().filter(|below| !below.is_hide_set());
    below.for_each(|below| add(below, &format!("{words} "), all));
    all.push((words, command.clone()));
}

fn commands_of_the_lab() -> Vec<(String, Command)> {
    commands().into_iter().filter(|(name, _)| name.starts_with("backwall lab")).collect()
}

fn examples(command: &Command) -> Vec<String> {
    let below = command.get_after_help().map(|text| text.to_string()).unwrap_or_default();
    let lines = below.lines().skip_while(|line| *line != "Examples:").skip(1);
    lines.take_while(|line| line.starts_with("  ")).map(|line| line.trim().to_string()).collect()
}

// Splits a line into the program's arguments; single quotes as in a shell.
fn words(line: &str) -> Vec<OsString> {
    let parts = line.split('\'').enumerate().flat_map(|(at, part)| match at % 2 {
        1 => vec![part.into()],
        _ => part.split_whitespace().map(Into::into).collect::<Vec<OsString>>(),
    });
    [OsString::from("backwall-lab")].into_iter().chain(parts.skip(2)).collect()
}

fn tool(words: &[&str]) -> Output {
    std::process::Command::new(program()).args(words).output().unwrap()
}

#[test]
fn every_command_has_examples_of_its_own_that_are_understood() {
    let commands = commands_of_the_lab();
    assert_eq!(commands.len(), 18, "lab, its 12 commands, and the five of batch");
    for (name, command) in commands {
        let examples = examples(&command);
        assert!(!examples.is_empty(), "{name}: its help has no example");
        for line in examples {
            assert!(line.starts_with(&name), "{name}: {line}");
            cli::understand(words(&line)).unwrap_or_else(|error| panic!("{line}: {error}"));
        }
    }
}

// A pipe has no terminal width to ask for.
#[test]
fn helps_and_scenarios_have_80_columns_in_a_pipe() {
    let helps =
        commands_of_the_lab().into_iter().flat_map(|(name, _)| [format!("{name} --help"), format!("{name} -h")]);
    let others = ["backwall lab list", "backwall help lab", "backwall help lab run"].map(String::from);
    for line in helps.chain(others) {
        let output = tool(&line.split(' ').skip(1).collect::<Vec<_>>());
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && !text.is_empty(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        let wide: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(wide.is_empty(), "{line}: {wide:#?}");
        assert!(!text.contains("Usage: ") || text.contains("Usage: backwall lab"), "{line}: {text}");
    }
}

#[test]
fn man_pages_and_completions_are_of_both_programs() {
    let folder = tempfile::tempdir().unwrap();
    let lab = programs().join("backwall-lab");
    let generate = |words: &[&str]| {
        let output = std::process::Command::new(&lab).arg("generate").args(words).current_dir(folder.path()).output();
        let output = output.unwrap();
        assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "{words:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    generate(&["man", "pages"]);
    let commands = commands();
    assert_eq!(std::fs::read_dir(folder.path().join("pages")).unwrap().count(), commands.len());
    let completions = generate(&["completions", "bash"]);
    for (name, command) in commands {
        let page = std::fs::read_to_string(folder.path().join("pages").join(name.replace(' ', "-") + ".1")).unwrap();
        let options = command.get_arguments().filter(|option| !option.is_hide_set());
        for long in options.filter_map(|option| option.get_long()) {
            assert!(page.contains(&format!("\\-\\-{}", long.replace('-', "\\-"))), "{name}: --{long}");
            assert!(completions.contains(&format!("--{long}")), "{name}: --{long}");
        }
    }
}

// `backwall export site` accepts scenario names from its own list, without the lab.
#[test]
fn the_names_that_are_published_are_those_of_the_scenarios() {
    let names: Vec<String> = backwall_lab::shipped::all().map(|scenario| scenario.unwrap().name).collect();
    assert_eq!(names, backwall_formats::anonymize::SCENARIOS);
}
