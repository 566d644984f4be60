// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall export FORMAT RUN`: writes a stored run, finished or not, for another tool.
mod sealed;
mod shared;

pub(super) use sealed::signer;

use crate::exit::{Exit, unable, usage};
use crate::options::Printing;
use backwall_formats::export::{self, Exporter};
use backwall_model::Run;
use backwall_os::console;
use backwall_os::folder;
use shared::Shared;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde_json::json;
use std::path::{Path, PathBuf};

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Format to write
    #[arg(value_name = "FORMAT", value_parser = forms())]
    form: Form,
    /// Run to export: its folder or run.json
    ///
    /// bundle and site take several runs, also fleets and folders of runs.
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,
    /// File to write [default: standard output]
    ///
    /// A folder for bundle and site.
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// Sign a sealed run with this SSH key (ssh-keygen)
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::command) printing: Printing,
}

#[derive(Clone, Copy)]
enum Form {
    Tool(&'static Exporter),
    Shared(Shared),
    Sealed,
}

const SEALED: (&str, &str) = ("sealed", "a folder with a run whose claims anybody can recompute");

impl std::fmt::Debug for Form {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

const SHARED: [(&str, Shared, &str); 2] = [
    ("bundle", Shared::Bundle, "anonymized runs for sharing"),
    ("site", Shared::Site, "anonymized runs with an index, committed if the folder is a git repository"),
];

impl Form {
    fn named(name: &str) -> Option<Self> {
        let shared = SHARED.iter().find(|(own, ..)| *own == name).map(|(_, shared, _)| Self::Shared(*shared));
        let sealed = (name == SEALED.0).then_some(Self::Sealed);
        shared.or(sealed).or_else(|| export::named(name).map(Self::Tool))
    }

    fn name(self) -> &'static str {
        match self {
            Self::Tool(exporter) => exporter.name,
            Self::Sealed => SEALED.0,
            Self::Shared(shared) => SHARED.iter().find(|(_, own, _)| *own == shared).expect("each has a row").0,
        }
    }
}

fn forms() -> impl TypedValueParser<Value = Form> {
    let known = export::ALL.iter().map(|exporter| PossibleValue::new(exporter.name).help(exporter.about));
    let shared = SHARED.iter().map(|(name, _, about)| PossibleValue::new(*name).help(*about));
    let sealed = PossibleValue::new(SEALED.0).help(SEALED.1);
    PossibleValuesParser::new(known.chain(shared).chain([sealed]))
        .map(|name| Form::named(&name).expect("one of those that can be typed"))
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    if args.key.is_some() && !matches!(args.form, Form::Sealed) {
        return Err(usage(format!("export {}: only the format sealed takes --key", args.form.name())));
    }
    match (args.form, &args.runs[..], &args.output) {
        (Form::Sealed, [run], Some(folder)) => sealed::run(args, run, folder),
        (Form::Sealed, _, None) => Err(usage("export sealed needs -o and the name of a folder")),
        (Form::Sealed, ..) => Err(usage("export sealed takes one run")),
        (Form::Shared(shared), _, Some(folder)) => shared::run(args, folder, shared),
        (Form::Shared(_), _, None) => {
            Err(usage(format!("export {} needs -o and the name of a folder", args.form.name())))
        }
        (Form::Tool(exporter), [run], _) => one(args, exporter, run),
        (Form::Tool(exporter), ..) => Err(usage(format!("export {} takes one run", exporter.name))),
    }
}

fn one(args: &Args, exporter: &Exporter, place: &Path) -> anyhow::Result<Exit> {
    let run = backwall_store::read(place)?;
    if let Some(lacking) = exporter.lacking(&run) {
        return Err(usage(format!("{}: {lacking}", place.display())));
    }
    let text = (exporter.text)(&run);
    args.output.iter().try_for_each(|file| write(file, &text))?;
    match &args.output {
        _ if args.printing.json => console::print(&told(exporter.name, place, args.output.as_deref(), &text))?,
        None => console::print_data(&text)?,
        Some(_) => {}
    }
    Ok(Exit::Done)
}

/// The result as JSON: the run, the format, and the text or its file.
fn told(format: &str, run: &Path, file: Option<&Path>, text: &str) -> String {
    let run = run.display().to_string();
    let told = match file {
        Some(file) => json!({ "format": format, "run": run, "file": file.display().to_string() }),
        None => json!({ "format": format, "run": run, "text": text }),
    };
    format!("{told:#}\n")
}

/// Replaces the file atomically: a concurrent reader sees the old text or the new one, never a part.
pub(crate) fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    folder::write_file(file, text.as_bytes()).map_err(|error| unable(format!("{}: {error}", file.display())))
}

/// Fails before the measurement if the option's output file cannot be written.
pub(super) fn refuse_unwritable(option: &str, file: Option<&Path>) -> anyhow::Result<()> {
    let Some((file, error)) = file.and_then(|file| Some((file, folder::begin_file(file).err()?))) else {
        return Ok(());
    };
    Err(unable(format!("{option} {}: {error}; name a file in a folder you can write to", file.display())))
}

pub(super) fn metrics(file: PathBuf) -> impl FnMut(&Run) -> anyhow::Result<()> + Send {
    move |run| write(&file, &export::prometheus::prometheus(run))
}
