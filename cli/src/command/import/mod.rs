// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall import FILE`: turns another tool's result, or what a probe wrote on a device without backwall, into a run.
mod stream;

use crate::deliver::{Output, deliver};
use crate::exit::{Exit, usage};
use crate::invocation;
use crate::options::{RunOutput, Verbose};
use backwall_formats::import::{self, Imported, Importer};
use backwall_judge::require::Demands;
use backwall_model::audit;
use backwall_os::console::progress::Activity;
use backwall_os::regular_file;
use backwall_runner::stream::imported_stream;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use jiff::Timestamp;
use std::io::BufReader;
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Result of another tool, or a probe's stream; - is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Tool and format of the file [default: from its first bytes]
    #[arg(long, value_name = "NAME", value_parser = formats())]
    format: Option<&'static Importer>,
    /// Load during the measurement [default: the load that a stream names, else unknown]
    #[arg(long, value_name = "NAME")]
    load: Option<String>,
    #[command(flatten)]
    pub(in crate::command) output: RunOutput,
    #[command(flatten)]
    pub(in crate::command) verbose: Verbose,
}

fn formats() -> impl TypedValueParser<Value = &'static Importer> {
    let known = import::ALL.iter().map(|importer| PossibleValue::new(importer.name).help(importer.about));
    PossibleValuesParser::new(known).map(|name| import::named(&name).expect("one of those that can be typed"))
}

/// Reads the whole file before it writes anything, and delivers a run. Reads a probe's stream as it arrives.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    if args.format.is_none() && imported_stream::is_one(&args.file) {
        return stream::run(args);
    }
    let demands = Demands::without_plan(args.output.rules()?);
    let now = Timestamp::now();
    let shown = Activity::begin(args.output.printing.quiet, || "reading the file".to_string());
    let (format, imported) = read(args).map_err(|error| usage(format!("{}: {error}", args.file.display())))?;
    drop(shown);
    let file = args.file.file_name().unwrap_or(args.file.as_os_str()).to_string_lossy().into_owned();
    let run = import::run_of(imported, (file, format), invocation::words(), now);
    // Even if an importer accepted it, do not write a run that no command could read back.
    audit::audit(&run)
        .map_err(|wrong| usage(format!("{}: the file contradicts itself: {wrong}", args.file.display())))?;
    let folder = args.output.folder("import", now)?;
    deliver(run, &demands, &folder, args.output.printing, Output { verbose: args.verbose.verbose, ..Output::USUAL })
}

fn read(args: &Args) -> Result<(&'static str, Imported), import::BadImport> {
    let mut source = BufReader::with_capacity(1 << 16, regular_file::open(&args.file)?);
    let importer = args.format.map_or_else(|| import::recognised(&mut source), Ok)?;
    Ok((importer.name, import::read_as(importer, &mut source, args.load.as_deref().unwrap_or("unknown"))?))
}
