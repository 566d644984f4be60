// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall import FILE`: another tool's result as a run.
use super::deliver::{Output, deliver, rules};
use crate::exit::{Exit, usage};
use crate::import::{self, Imported, Importer};
use crate::invocation;
use crate::options::Global;
use crate::progress::Activity;
use crate::regular_file;
use crate::require::Demands;
use crate::run::{Extension, Import, Origin, Plan, Run, Warning, audit};
use crate::store::RunFolder;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use jiff::Timestamp;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Arguments of `backwall import`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// What the other tool wrote
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Which tool wrote it and how [default: told by how it begins]
    #[arg(long, value_name = "NAME", value_parser = formats())]
    format: Option<&'static Importer>,
    /// The load that ran beside the other tool
    #[arg(long, value_name = "NAME", default_value = "unknown")]
    load: String,
}

fn formats() -> impl TypedValueParser<Value = &'static Importer> {
    let known = import::ALL.iter().map(|importer| PossibleValue::new(importer.name).help(importer.about));
    PossibleValuesParser::new(known).map(|name| import::named(&name).expect("one of those that can be typed"))
}

/// Reads the file whole before anything is written, and delivers a run.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let demands = Demands::without_plan(rules(global)?);
    let now = Timestamp::now();
    let shown = Activity::begin(global.quiet, || "reading the file".to_string());
    let (format, imported) = read(args).map_err(|error| usage(format!("{}: {error}", args.file.display())))?;
    drop(shown);
    let run = run_of(args, format, imported, now);
    // Whatever an importer let through: a run that no command would read again is not written.
    audit::audit(&run).map_err(|wrong| usage(format!("{}: it contradicts itself: {wrong}", args.file.display())))?;
    let folder = RunFolder::create(global.out.as_deref(), "import", now)?;
    deliver(run, &demands, &folder, global, Output::USUAL)
}

fn read(args: &Args) -> Result<(&'static str, Imported), import::BadImport> {
    let mut source = BufReader::with_capacity(1 << 16, regular_file::open(&args.file)?);
    let importer = args.format.map_or_else(|| import::recognised(&mut source), Ok)?;
    Ok((importer.name, import::read_as(importer, &mut source, &args.load)?))
}

fn run_of(args: &Args, format: &str, imported: Imported, now: Timestamp) -> Run {
    let mut run = Run::begin(
        Origin::Imported,
        plan(args, format, &imported),
        invocation::words(),
        imported.started.unwrap_or(now),
    );
    run.device = imported.device;
    run.seconds = imported.seconds.unwrap_or(0.0);
    run.series = imported.series;
    run.warnings = imported.warnings;
    if imported.started.is_none() {
        let said = "the file does not say when it was measured: the run bears the time of its import";
        run.warnings.push(Warning::new("no-time", said));
    }
    run
}

fn plan(args: &Args, format: &str, imported: &Imported) -> Plan {
    let names = imported.series.iter().map(|series| series.key.name.clone());
    let mut loads: Vec<String> = imported.series.iter().map(|series| series.key.load.clone()).collect();
    loads.dedup();
    let mut measures: Vec<String> = names.collect();
    measures.dedup();
    Plan {
        measures,
        loads,
        idle: imported.series.first().map_or(String::new(), |series| series.key.idle.clone()),
        extension: Extension::Import(Import {
            file: file_name(&args.file),
            format: format.to_string(),
            tool: imported.tool.clone(),
            asked: imported.asked.clone(),
        }),
        ..Plan::default()
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
