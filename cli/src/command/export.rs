// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall export FORMAT RUN`: a stored run for another tool, also one that is unfinished.
use crate::exit::{Exit, unable, usage};
use crate::options::Printing;
use backwall_formats::export::{self, Exporter};
use backwall_model::Run;
use backwall_os::console;
use backwall_os::folder;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Arguments of `backwall export`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// What the other tool reads
    #[arg(value_name = "FORMAT", value_parser = formats())]
    format: &'static Exporter,
    /// Folder of a run, or its run.json
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// The file to write, whole or not at all, instead of standard output
    #[arg(short = 'o', long = "file", value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::command) printing: Printing,
}

fn formats() -> impl TypedValueParser<Value = &'static Exporter> {
    let known = export::ALL.iter().map(|exporter| PossibleValue::new(exporter.name).help(exporter.about));
    PossibleValuesParser::new(known).map(|name| export::named(&name).expect("one of those that can be typed"))
}

/// Reads the run and writes it anew.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let run = backwall_store::read(&args.run)?;
    if let Some(lacking) = args.format.lacking(&run) {
        return Err(usage(format!("{}: {lacking}", args.run.display())));
    }
    let text = (args.format.text)(&run);
    args.file.iter().try_for_each(|file| write(file, &text))?;
    match &args.file {
        _ if args.printing.json => console::print(&told(args, &text))?,
        None => console::print_data(&text)?,
        Some(_) => {}
    }
    Ok(Exit::Done)
}

/// As JSON: of which run, in which form, and the text, or the file that has it.
fn told(args: &Args, text: &str) -> String {
    let (format, run) = (args.format.name, args.run.display().to_string());
    let told = match &args.file {
        Some(file) => json!({ "format": format, "run": run, "file": file.display().to_string() }),
        None => json!({ "format": format, "run": run, "text": text }),
    };
    format!("{told:#}\n")
}

/// Writes a text that somebody may read at any moment: the old one or the new one, never a part.
pub(crate) fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    folder::write_file(file, text.as_bytes()).map_err(|error| unable(format!("{}: {error}", file.display())))
}

/// Refuses, before anything is measured, the file of an option that could not be written at its end.
pub(super) fn refuse_unwritable(option: &str, file: Option<&Path>) -> anyhow::Result<()> {
    let Some((file, error)) = file.and_then(|file| Some((file, folder::begin_file(file).err()?))) else {
        return Ok(());
    };
    Err(unable(format!("{option} {}: {error}; name a file in a folder that you may write to", file.display())))
}

/// What writes `--metrics FILE` again and again.
pub(super) fn metrics(file: PathBuf) -> impl FnMut(&Run) -> anyhow::Result<()> + Send {
    move |run| write(&file, &export::prometheus::prometheus(run))
}
