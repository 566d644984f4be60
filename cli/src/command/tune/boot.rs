// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall tune boot`: prints the boot parameters that may help, as one line for the boot loader, and measures before and
//! after the restart.
use super::measured::TrialOptions;
use super::resume::{go_on, resume};
use super::{journal, machine_of, settle, unusable};
use crate::exit::{Exit, usage};
use crate::options::{Destination, Printing, Seed};
use backwall_os::Stop;
use backwall_report::tune::boot as words;
use backwall_store::RunFolder;
use backwall_tuning::check::{self, Machine as Checked};
use backwall_tuning::settings::Machine;
use backwall_tuning::settings::boot::{BootTrial, Loop, missing};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Folder of the slices: the systemd unit that continues after the reboot must be able to write there.
const SLICES: &str = "/var/lib/backwall/boot";

#[derive(clap::Args, Debug)]
#[command(mut_arg("out", |out| out.requires("apply")), mut_arg("seed", |seed| seed.requires("apply")))]
pub struct Args {
    /// Boot options to try together [default: those that backwall check advises]
    #[arg(value_name = "OPTION")]
    options: Vec<String>,
    /// Measure now without the options; after the restart --resume measures with them
    #[arg(long, conflicts_with = "resume")]
    apply: bool,
    /// Continue the trial in progress
    #[arg(long, conflicts_with_all = ["options", "cpu", "app", "slice", "effect", "words"])]
    resume: bool,
    #[command(flatten)]
    measured: TrialOptions,
    #[command(flatten)]
    pub(in crate::command) printing: Printing,
    #[command(flatten)]
    pub(in crate::command) destination: Destination,
    #[command(flatten)]
    pub(in crate::command) seed: Seed,
}

/// Prints the line and where it belongs, begins a trial, or continues one. backwall never writes the boot loader's files.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    match (args.apply, args.resume) {
        (_, true) => resume(args.printing),
        (true, _) => begin(args),
        _ => print(args),
    }
}

fn print(args: &Args) -> anyhow::Result<Exit> {
    let machine = machine_of(args.measured.cpu.cpu, args.measured.app.as_deref())?;
    args.measured.check(&machine)?;
    settle(&machine, args.printing);
    let options = options(args, &machine)?.join(" ");
    let loader = words::Loader::of(|path| machine.has(path));
    args.printing.show(|| json!({ "options": options, "file": loader.file() }), || words::line(&options, &loader))?;
    Ok(Exit::Done)
}

/// The parameters that the user typed, or those that the checks recommend if the user typed none. Leaves out parameters that
/// are set already.
fn options(args: &Args, machine: &Machine) -> anyhow::Result<Vec<String>> {
    if let Some(bad) = args.options.iter().find(|option| !is_word(option)) {
        return Err(usage(format!("{bad:?} is not a boot parameter; expected one word of printable characters")));
    }
    let advised = || check::advised(&Checked::this(machine.cpu)).1.boot;
    let asked: Vec<String> = match args.options.is_empty() {
        true => advised().split_whitespace().map(str::to_string).collect(),
        false => args.options.clone(),
    };
    Ok(missing(machine, &asked))
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_ascii_graphic())
}

fn begin(args: &Args) -> anyhow::Result<Exit> {
    let TrialOptions { cpu, app, slice, words, .. } = &args.measured;
    let machine = machine_of(cpu.cpu, app.as_deref())?;
    args.measured.check(&machine)?;
    let options = options(args, &machine)?;
    if options.is_empty() {
        return Err(usage("nothing to try: every parameter is set already, or none is known to help here"));
    }
    let stop = Stop::on_signals()?;
    let mut journal = journal(&machine, !args.printing.is_text())?;
    if let Some(trial) = BootTrial::read(&journal, &machine).map_err(unusable)? {
        let under_way = trial.options.join(" ");
        return Err(usage(format!(
            "a trial of {under_way} is under way; continue it with backwall tune boot --resume, or end it with \
                backwall tune undo"
        )));
    }
    let slices = folder(args.destination.out.as_deref(), &machine)?;
    let question = args.measured.question(args.seed);
    let measured = Loop {
        cpu: machine.cpu,
        app: app.clone(),
        words: words.clone(),
        slice_ns: slice.0,
        effect: question.effect,
        seed: question.seed,
        folder: absolute(slices.path()),
        kept: journal.kept().into_iter().collect(),
    };
    let trial = BootTrial::begin(&machine, options, measured);
    trial.write(&journal).map_err(unusable)?;
    go_on(trial, &mut journal, &machine, &stop, args.printing)
}

/// Creates a folder for the trial, by default where the systemd unit may write.
fn folder(out: Option<&Path>, machine: &Machine) -> anyhow::Result<RunFolder> {
    let now = jiff::Timestamp::now();
    let own = machine.place(&format!("{SLICES}-{}", now.strftime("%Y%m%d-%H%M%S")));
    Ok(RunFolder::create(Some(out.unwrap_or(&own)), "tune", now)?)
}

// After the restart backwall starts in another working directory.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}
