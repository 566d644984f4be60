// SPDX-License-Identifier: MIT OR Apache-2.0
//! The end of every command that makes a run: judges, stores and prints the run, and chooses the exit code.
use crate::command::export;
use crate::exit::{Exit, unable, usage};
use crate::options::Printing;
use anstyle::{AnsiColor, Style};
use backwall_formats::export::prometheus::prometheus;
use backwall_judge::require::{Demands, Rule, outcome_of};
use backwall_model::{PlannedSeries, Run, Series, Warning};
use backwall_os::console::{self, complain, print};
use backwall_os::refusal::Refusal;
use backwall_report::brief::{Tone, brief, further};
use backwall_report::text::{self, text};
use backwall_report::wrap::narrow;
use backwall_report::{osbench, page, phrase, picture, tasks, tasks_text};
use backwall_runner::session::assemble::Assembly;
use backwall_stats::{dependence, drift};
use backwall_store::{RunFolder, json};
use std::path::{Path, PathBuf};

/// Before anything is measured, refuses a requirement about a series that the plan will not produce.
pub fn applicable(rules: Vec<Rule>, planned: Vec<PlannedSeries>) -> anyhow::Result<Demands> {
    Demands::on(rules, planned).map_err(|error| usage(error.to_string()))
}

pub struct Output<'a> {
    /// The command's own text of the run. If `None`, backwall prints the brief text, or the table with `--verbose`.
    pub text: Option<&'a dyn Fn(&Run) -> String>,
    /// The text is in another tool's format, and is the result. So `--quiet` does not suppress it, and validity notes stay out of
    /// it.
    pub foreign: bool,
    pub verbose: bool,
    pub also: &'a str,
    pub file: Option<&'a Path>,
    pub png: bool,
    pub metrics: Option<&'a Path>,
}

impl Output<'_> {
    pub const USUAL: Output<'static> =
        Output { text: None, foreign: false, verbose: false, also: "", file: None, png: false, metrics: None };

    fn whole(&self, run: &Run) -> String {
        self.text.map_or_else(|| text(run, console::columns()) + &self.below(), |own| own(run))
    }

    fn below(&self) -> String {
        narrow(self.also, console::columns())
    }
}

pub fn deliver(
    run: Run,
    demands: &Demands,
    folder: &RunFolder,
    printing: Printing,
    output: Output<'_>,
) -> anyhow::Result<Exit> {
    in_spite_of(None, run, demands, folder, printing, output)
}

/// Delivers a run that was assembled here. If a process died on the way, the run is delivered and the command fails.
pub fn assembled(
    assembly: Assembly,
    demands: &Demands,
    folder: &RunFolder,
    printing: Printing,
    output: Output<'_>,
) -> anyhow::Result<Exit> {
    let failure = assembly.failure().map(unable);
    in_spite_of(failure, assembly.finish(), demands, folder, printing, output)
}

pub fn in_spite_of(
    failure: Option<anyhow::Error>,
    run: Run,
    demands: &Demands,
    folder: &RunFolder,
    printing: Printing,
    output: Output<'_>,
) -> anyhow::Result<Exit> {
    let mut delivery = Delivery::of(printing, false);
    delivery.take(run, demands, folder, &output)?;
    failure.into_iter().for_each(|failure| delivery.fail(failure));
    delivery.finish()
}

/// Takes the runs of one command, each as soon as it is complete. In JSON one run is an object; several are an array.
pub struct Delivery {
    printing: Printing,
    several: bool,
    json: Vec<String>,
    saved: Vec<PathBuf>,
    /// The reasons why runs are invalid, if the text of these runs does not give them.
    unproved: Vec<String>,
    exit: Exit,
    failure: Option<anyhow::Error>,
}

impl Delivery {
    /// The JSON is an array if `several`, even if there is only one run.
    pub fn of(printing: Printing, several: bool) -> Self {
        Self {
            printing,
            several,
            json: Vec::new(),
            saved: Vec::new(),
            unproved: Vec::new(),
            exit: Exit::Done,
            failure: None,
        }
    }

    /// Judges, stores and shows a run. Writes `run.json` last: it makes the folder a run. Shows a run even if it cannot be
    /// stored.
    ///
    /// # Errors
    /// Standard output cannot be written. [`Delivery::finish`] returns every other failure.
    pub fn take(
        &mut self,
        mut run: Run,
        demands: &Demands,
        folder: &RunFolder,
        output: &Output<'_>,
    ) -> anyhow::Result<()> {
        if run.interrupted && run.series.iter().all(|series| series.due.unwrap_or(series.done) <= series.warmup) {
            run.spoil("nothing was measured after the warm-up");
        }
        let judged = demands.judge(&run);
        let inapplicable = judged.as_ref().err().map(|error| usage(error.to_string()));
        run.requirements = judged.unwrap_or_default();
        run.warnings.extend(doubts(&run));
        let told = output.metrics.map(|file| export::write(file, &prometheus(&run)));
        let stored = store(&run, output.png, folder);
        let shown = self.show(&run, folder, stored.is_ok(), output);
        self.exit = self.exit.worse(Exit::from(outcome_of(&run.requirements)));
        self.mark(&run);
        self.exit = if run.crossed() { self.exit.worse(Exit::Failed) } else { self.exit };
        stored
            .err()
            .into_iter()
            .chain(inapplicable)
            .chain(told.and_then(Result::err))
            .for_each(|error| self.fail(error));
        shown
    }

    /// Prints a run that is already stored and judged. `name` is the run's name on a command line. `said` is printed after the
    /// run's text; if the run's text is not shown, `said` is printed alone.
    pub fn again(
        &mut self,
        run: &Run,
        (name, said): (&str, &str),
        (shown, verbose): (bool, bool),
    ) -> anyhow::Result<()> {
        if self.printing.json {
            self.json.push(json(run)?);
        }
        self.mark(run);
        match shown && self.printing.is_text() {
            true => Ok(print_run(run, name, said, &Output { text: own_text(run, verbose), verbose, ..Output::USUAL })?),
            false => self.say(said),
        }
    }

    fn mark(&mut self, run: &Run) {
        self.exit = if run.valid { self.exit } else { self.exit.worse(Exit::Undecided) };
    }

    /// Notes a failure. backwall still delivers the other runs; the first failure ends the command.
    pub fn fail(&mut self, error: anyhow::Error) {
        self.failure.get_or_insert(error);
    }

    pub fn is_whole(&self) -> bool {
        self.failure.is_none()
    }

    pub fn say(&self, text: &str) -> anyhow::Result<()> {
        if self.printing.is_text() {
            print(text)?;
        }
        Ok(())
    }

    /// Ends the command: the JSON of all runs, then the first failure or the worst exit code.
    pub fn finish(self) -> anyhow::Result<Exit> {
        if !self.json.is_empty() {
            print(&whole(&self.json, self.several)).map_err(|error| self.with_place(&error))?;
        }
        // After Ctrl-C in a pipe only standard error can still name the folders of the runs.
        let unnamed = if console::is_closed() { self.saved.as_slice() } else { &[] };
        unnamed.iter().for_each(|folder| complain(&format!("run saved: {}", folder.display())));
        // An error or a failed requirement already has a line of its own.
        if self.failure.is_none() && self.exit == Exit::Undecided {
            self.unproved.iter().for_each(|said| complain(said.trim_end()));
        }
        self.failure.map_or(Ok(self.exit), Err)
    }

    fn show(&mut self, run: &Run, folder: &RunFolder, stored: bool, output: &Output<'_>) -> anyhow::Result<()> {
        if let Some(file) = output.file {
            export::write(file, &output.whole(run))?;
        }
        if stored {
            self.saved.push(folder.path().to_path_buf());
        }
        // Other programs may read a command's own text, so failed requirements go to standard error.
        if !self.printing.is_text() || output.text.is_some() {
            let failed = run.requirements.iter().filter_map(text::not_passed).chain(phrase::crossed(run));
            failed.for_each(|line| complain(&line));
            if !self.printing.is_text() || output.foreign {
                self.unproved.extend(Some(text::unproved(run)).filter(|said| !said.is_empty()));
            }
        }
        if self.printing.json {
            self.json.push(json(run)?);
            return Ok(());
        }
        if self.printing.quiet && !output.foreign {
            return Ok(());
        }
        let place = if stored && !self.printing.quiet { page_line(folder.path()) } else { String::new() };
        print_run(run, &name_of(run, folder.path()), &place, output).map_err(|error| self.with_place(&error))
    }

    /// Adds the run's path to a printing error, because the user cannot read the output that would have named the path.
    fn with_place(&self, error: &Refusal) -> anyhow::Error {
        let saved = self.saved.iter().map(|folder| format!("; run saved: {}", folder.display()));
        unable(format!("{error:#}{}", saved.collect::<String>()))
    }
}

/// Warnings that follow from the samples: dependence and drift.
fn doubts(run: &Run) -> Vec<Warning> {
    let each = |series: &Series| [dependence::warning(series), drift::warning(series)];
    run.series.iter().flat_map(each).flatten().collect()
}

pub fn page_line(folder: &Path) -> String {
    format!("page  {}\n", folder.join(page::FILE).display())
}

/// The name of a new run on a command line: `latest` if this name finds the run, otherwise its folder. An unfinished run has its
/// folder's name, because its command goes on in that folder.
fn name_of(run: &Run, folder: &Path) -> String {
    let is_found = folder.parent() == Some(Path::new(backwall_store::RUNS));
    if is_found && run.unfinished().is_none() {
        backwall_store::LATEST.to_string()
    } else {
        folder.display().to_string()
    }
}

/// The text of the run's own command, if it has one, fitted to the terminal. `verbose` adds the 2002 tool's blocks.
fn own_text(run: &Run, verbose: bool) -> Option<&'static dyn Fn(&Run) -> String> {
    match verbose {
        _ if tasks::of(run).is_some() => Some(&|run| tasks_text::text(run, console::columns())),
        true if osbench::is_of(run) => Some(&|run| osbench::text(run, console::columns(), true)),
        false if osbench::is_of(run) => Some(&|run| osbench::text(run, console::columns(), false)),
        _ => None,
    }
}

fn print_run(run: &Run, name: &str, place: &str, output: &Output<'_>) -> Result<(), Refusal> {
    if output.file.is_some() {
        return print(place);
    }
    if output.text.is_some() || output.verbose {
        let further = if output.text.is_none() { further(run, name, console::columns()) } else { String::new() };
        return print(&(output.whole(run) + &further + place));
    }
    let mut lines = brief(run, name, console::columns());
    let also = output.below();
    lines.extend(also.lines().map(|line| (Tone::Plain, line.to_string())));
    lines.extend(place.lines().map(|line| (Tone::Soft, line.to_string())));
    console::print_styled(lines.iter().map(|(tone, line)| (style(*tone), line.as_str())))
}

fn style(tone: Tone) -> Style {
    match tone {
        Tone::Head => Style::new().bold(),
        Tone::Plain => Style::new(),
        Tone::Soft => Style::new().dimmed(),
        Tone::Good => AnsiColor::Green.on_default(),
        Tone::Warn => AnsiColor::Yellow.on_default(),
        Tone::Bad => AnsiColor::Red.on_default().bold(),
    }
}

fn whole(runs: &[String], several: bool) -> String {
    let items: Vec<&str> = runs.iter().map(|run| run.trim_end()).collect();
    let items = items.join(",\n");
    if several { format!("[\n{items}\n]\n") } else { items + "\n" }
}

fn store(run: &Run, png: bool, folder: &RunFolder) -> anyhow::Result<()> {
    let mut files = if png { picture::files(run) } else { Vec::new() };
    files.push((page::FILE.to_string(), page::page(run).into_bytes()));
    let written = files.iter().try_for_each(|(name, bytes)| folder.write(name, bytes));
    let Err(error) = written.and_then(|()| folder.write_run(run)) else { return Ok(()) };
    // If the disk is full, remove the page and pictures, which can be drawn again, to make room for the run.
    files.iter().for_each(|(name, _)| folder.handle().remove(name));
    match folder.write_run(run) {
        Ok(()) => Err(unable(format!(
            "no page was written ({error:#}); the run was stored, and backwall report writes its page"
        ))),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn one_run_is_an_object_and_several_are_an_array_however_many_came() {
        let runs = ["{\"a\": 1}\n".to_string(), "{\"b\": 2}\n".to_string()];
        let read = |runs: &[String], several| serde_json::from_str::<Value>(&whole(runs, several)).unwrap();
        assert_eq!(read(&runs[..1], false), json!({"a": 1}));
        assert_eq!(read(&runs[..1], true), json!([{"a": 1}]));
        assert_eq!(read(&runs, true), json!([{"a": 1}, {"b": 2}]));
    }
}
