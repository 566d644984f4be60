// SPDX-License-Identifier: MIT OR Apache-2.0
//! The end of every command that makes a run: judged, stored, printed, and an exit code.
use crate::console::print;
use crate::exit::{Exit, unable, usage};
use crate::options::Global;
use crate::report::text::text;
use crate::report::{page, picture};
use crate::require::{Rule, exit_of};
use crate::run::{Planned, Run};
use crate::stats::dependence;
use crate::store::{RunFolder, json};
use std::path::Path;

/// The requirements of the command line; a wrong one is refused before anything is measured.
pub fn rules(global: &Global) -> anyhow::Result<Vec<Rule>> {
    let read = |expression: &String| expression.parse::<Rule>().map_err(|error| usage(error.to_string()));
    global.require.iter().map(read).collect()
}

/// Refuses a requirement about a series that the plan will not produce, before anything is measured.
pub fn applicable(rules: &[Rule], planned: &[Planned]) -> anyhow::Result<()> {
    rules.iter().try_for_each(|rule| rule.applies_to(planned)).map_err(|error| usage(error.to_string()))
}

/// How a run is shown to a person.
pub struct Output<'a> {
    /// The run as text.
    pub text: &'a dyn Fn(&Run) -> String,
    /// Where the text goes instead of standard output.
    pub file: Option<&'a Path>,
    /// Whether its pictures become PNG files too.
    pub png: bool,
}

impl Output<'_> {
    /// The table, on standard output.
    pub const TABLE: Output<'static> = Output { text: &text, file: None, png: false };
}

/// Judges, stores and prints a run; `run.json` comes last and makes the folder a run. What
/// cannot be stored is printed all the same.
pub fn deliver(
    mut run: Run,
    rules: &[Rule],
    folder: &RunFolder,
    global: &Global,
    output: Output<'_>,
) -> anyhow::Result<Exit> {
    let judged: Result<Vec<_>, _> = rules.iter().map(|rule| rule.judge(&run.series)).collect();
    let inapplicable = judged.as_ref().err().map(|error| usage(error.to_string()));
    run.requirements = judged.unwrap_or_default();
    run.warnings.extend(run.series.iter().filter_map(dependence::warning));
    let stored = store(&run, output.png, folder);
    show(&run, folder, stored.is_ok(), global, &output)?;
    stored?;
    inapplicable.map_or(Ok(exit_of(&run.requirements)), Err)
}

fn store(run: &Run, png: bool, folder: &RunFolder) -> anyhow::Result<()> {
    let files = if png { picture::files(run) } else { Vec::new() };
    files.iter().try_for_each(|(name, bytes)| folder.write(name, bytes))?;
    folder.write(page::FILE, page::page(run).as_bytes())?;
    folder.write_run(run)
}

fn show(run: &Run, folder: &RunFolder, stored: bool, global: &Global, output: &Output<'_>) -> anyhow::Result<()> {
    let text = (output.text)(run);
    if let Some(file) = output.file {
        let refused = |error| unable(format!("-o {}: {error}", file.display()));
        std::fs::write(file, &text).map_err(refused)?;
    }
    if global.json {
        return print(&json(run)?);
    }
    if global.quiet {
        return Ok(());
    }
    let text = if output.file.is_some() { String::new() } else { text };
    let place = if stored { format!("run: {}\n", folder.path().display()) } else { String::new() };
    print(&format!("{text}{place}"))
}
