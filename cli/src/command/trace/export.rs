// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall trace export FORM TRACE -o FILE`: a recording for another tool.
use super::report::window;
use crate::command::chain;
use crate::exit::{Exit, usage};
use crate::options::Printing;
use backwall_ftrace::export::{Form, into_file, into_folder, with_chains};
use backwall_ftrace::recording_file;
use backwall_model::units::{Nanoseconds, duration};
use backwall_os::Stop;
use backwall_os::console;
use backwall_os::console::progress::Activity;
use backwall_report::trace::chained::part_words;
use backwall_trace::chain::Spec;
use serde_json::json;
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Format to write
    #[arg(value_name = "FORM")]
    form: Form,
    /// Recording, as for `trace report`
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// File to write completely or not at all; for ctf a new folder
    #[arg(short, long, value_name = "PATH")]
    output: PathBuf,
    /// Start Chrome's JSON this long after the first event
    #[arg(long, value_name = "TIME", value_parser = duration)]
    from: Option<Nanoseconds>,
    /// End Chrome's JSON this long after the first event
    #[arg(long, value_name = "TIME", value_parser = duration)]
    to: Option<Nanoseconds>,
    /// Draw this chain's instances too, with arrows from hop to hop (perfetto only)
    #[arg(long, value_name = "SPEC")]
    chain: Option<String>,
    #[command(flatten)]
    pub(in crate::command) printing: Printing,
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    if (args.from.is_some() || args.to.is_some()) && args.form != Form::Chrome {
        return Err(usage("--from and --to apply to chrome only; other formats take the whole recording"));
    }
    if args.chain.is_some() && args.form != Form::Perfetto {
        return Err(usage("--chain applies to perfetto only"));
    }
    let window = window(args.from, args.to)?;
    let chains: Vec<Spec> = args.chain.as_deref().map_or(Ok(Vec::new()), chain::specs_of)?;
    let shown = Activity::begin(!args.printing.is_text(), || "writing the recording".to_string());
    let (file, mut stored) = recording_file::open(&args.trace)?;
    let (written, notes) = match args.form {
        Form::Ctf => {
            let stop = Stop::on_signals()?;
            into_folder(&args.output, &file, &mut stored, || stop.asked())?
        }
        Form::Perfetto if !chains.is_empty() => with_chains(&args.output, chains, part_words, &file, &mut stored)?,
        form => into_file(form, &args.output, window, &file, &mut stored)?,
    };
    drop(shown);
    let place = args.output.display();
    let told = || json!({ "file": place.to_string(), "written": written, "notes": notes });
    args.printing.show(told, || format!("{place}: {written} written\n"))?;
    if args.printing.is_text() {
        notes.iter().for_each(|note| console::complain(&format!("backwall: {note}")));
    }
    Ok(Exit::Done)
}
