// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall generate reference DIR`: the reference pages of all commands, made from the flags.
use crate::exit::{Exit, unable};
use backwall_os::folder::Folder;
use std::fmt::Write;
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Folder that receives one Markdown page per command
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Writes a page per command of `flags`.
///
/// # Errors
/// The folder or a page cannot be written.
pub fn run(args: &Args, flags: clap::Command) -> anyhow::Result<Exit> {
    let failed = |error: std::io::Error| unable(format!("reference to {}: {error}", args.folder.display()));
    std::fs::create_dir_all(&args.folder).map_err(failed)?;
    let folder = Folder::open(&args.folder).map_err(failed)?;
    for (name, page) in pages(flags) {
        folder.write(&name, page.as_bytes()).map_err(failed)?;
    }
    Ok(Exit::Done)
}

pub fn pages(flags: clap::Command) -> Vec<(String, String)> {
    let mut flags = flags.disable_help_subcommand(true);
    flags.build();
    flags.get_subcommands().filter(|command| !command.is_hide_set()).map(page_file).collect()
}

fn page_file(command: &clap::Command) -> (String, String) {
    let mut page = String::new();
    section(&mut page, command, &format!("backwall {}", command.get_name()), 1);
    (format!("{}.md", command.get_name()), page)
}

fn section(page: &mut String, command: &clap::Command, name: &str, depth: usize) {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    writeln!(page, "{} {name}\n\n{about}.", "#".repeat(depth.min(3))).expect("a string takes it");
    if let Some(details) = command.get_long_about().map(ToString::to_string).filter(|details| *details != about) {
        writeln!(page, "\n{details}").expect("a string takes it");
    }
    arguments(page, command);
    if let Some(examples) = command.get_after_help() {
        let examples = examples.to_string();
        let examples = examples.strip_prefix("Examples:\n").unwrap_or(&examples);
        let lines: Vec<&str> = examples.lines().map(|line| line.strip_prefix("  ").unwrap_or(line)).collect();
        writeln!(page, "\n```\n{}\n```", lines.join("\n")).expect("a string takes it");
    }
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        page.push('\n');
        section(page, below, &format!("{name} {}", below.get_name()), depth + 1);
    }
}

fn arguments(page: &mut String, command: &clap::Command) {
    let all = command.get_arguments();
    let shown: Vec<&clap::Arg> = all.filter(|arg| !arg.is_hide_set() && arg.get_id() != "help").collect();
    let rows: Vec<String> = shown.iter().map(|arg| row(arg)).collect();
    if !rows.is_empty() {
        writeln!(page, "\n| option | meaning | default |\n|---|---|---|\n{}", rows.join("\n"))
            .expect("a string takes it");
    }
    let details: Vec<String> = shown.iter().filter_map(|arg| detail(arg)).collect();
    if !details.is_empty() {
        writeln!(page, "\n{}", details.join("\n")).expect("a string takes it");
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

// `<time>` outside of code would be an HTML element.
fn prose(text: &str) -> String {
    one_line(text).replace('<', "\\<")
}

fn detail(arg: &clap::Arg) -> Option<String> {
    let (short, long) = (one_line(&arg.get_help()?.to_string()), one_line(&arg.get_long_help()?.to_string()));
    let details = long.strip_prefix(&short).unwrap_or(&long).trim();
    (!details.is_empty()).then(|| format!("- `{}`: {}", one_line(&spelling(arg)), prose(details)))
}

fn row(arg: &clap::Arg) -> String {
    let cell = |text: String| one_line(&text).replace('|', "\\|");
    let meaning = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let defaults: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    let default =
        if defaults.is_empty() || !arg.get_action().takes_values() { String::new() } else { defaults.join(" ") };
    format!("| `{}` | {} | {} |", cell(spelling(arg)), prose(&cell(meaning)), cell(default))
}

/// An argument as users type it: short and long name with value names, or the bare value name.
fn spelling(arg: &clap::Arg) -> String {
    let whole = arg.to_string();
    match (arg.get_short(), arg.is_positional()) {
        (Some(short), false) if arg.get_long().is_some() => format!("-{short}, {whole}"),
        _ => whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_the_options_the_examples_and_the_commands_below() {
        let option =
            clap::Arg::new("for").short('D').long("for").value_name("TIME").help("How | <long>").default_value("1s");
        let below = clap::Command::new("below").about("Go on");
        let top =
            clap::Command::new("x").about("Do it").arg(option).after_help("Examples:\n  backwall x").subcommand(below);
        let pages = pages(clap::Command::new("backwall").subcommand(top));
        assert_eq!(pages.len(), 1);
        assert_eq!(pages[0].0, "x.md");
        let expected = "# backwall x\n\nDo it.\n\n| option | meaning | default |\n|---|---|---|\n\
            | `-D, --for <TIME>` | How \\| \\<long> | 1s |\n\n```\nbackwall x\n```\n\n## backwall x below\n\nGo on.\n";
        assert_eq!(pages[0].1, expected);
    }
}
