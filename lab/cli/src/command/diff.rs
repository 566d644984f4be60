// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall lab diff`: what each function contributes to the difference of two answers.
use super::answer_options::{AnswerOptions, place, sentence};
use super::{Boot, Common, settings};
use backwall::exit::Exit;
use backwall::options::{Destination, PageFile, Printing};
use backwall_capture::trail::difference::terms;
use backwall_capture::trail::visits::by_function;
use backwall_lab::batch::place::DIFFERENCE;
use backwall_lab::bench::Settings;
use backwall_lab::trail::answer::Which;
use backwall_lab::trail::entered_answer::{EnteredAnswer, Explained};
use backwall_os::console::columns;
use backwall_os::console::progress::Activity;
use backwall_report::trail::{difference, page};
use backwall_report::wrap::narrow;
use backwall_store::RunFolder;
use jiff::Timestamp;
use serde_json::{Value, json};

#[derive(clap::Args, Debug)]
#[command(mut_arg("out", |out| out.help("Also write the difference into this folder")))]
pub struct Args {
    /// Folder of a `lab run`, or a scenario to run first
    #[arg(value_name = "RUN|NAME|FILE.toml")]
    first: String,
    /// The other run or scenario
    #[arg(value_name = "RUN|NAME|FILE.toml")]
    second: String,
    #[command(flatten)]
    meant: AnswerOptions,
    #[command(flatten)]
    page: PageFile,
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    printing: Printing,
    #[command(flatten)]
    destination: Destination,
}

/// Replays one answer of each run, by default the median one, and prints the terms.
pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let folder =
        args.destination.out.as_deref().map(|out| RunFolder::create(Some(out), "lab", Timestamp::now())).transpose()?;
    let settings = settings(&args.common, Boot { fresh: false })?;
    let shown = Activity::begin(args.printing.quiet, || "replaying both answers".to_string());
    let first = explained(&args.first, args, &settings)?;
    let second = explained(&args.second, args, &settings)?;
    drop(shown);
    let terms = terms(&by_function(&first.visits), &by_function(&second.visits));
    let grid = difference(&terms);
    let said = format!("{}\n{}", sentence(&args.first, &first.entered), sentence(&args.second, &second.entered));
    if let Some(path) = &args.page.page {
        let title = format!("{} and {}", args.first, args.second);
        place(path, page(&title, &said, None, std::slice::from_ref(&grid)).as_bytes())?;
    }
    let latency = |side: &Explained| side.entered.answer.latency() as i64;
    let difference = latency(&second) - latency(&first);
    let value = || json!({ "first": side(&first.entered), "second": side(&second.entered), "difference": difference, "terms": terms });
    if let Some(folder) = folder {
        folder.write(DIFFERENCE, (serde_json::to_string_pretty(&value())? + "\n").as_bytes())?;
    }
    args.printing.show(value, || format!("{}\n{}", narrow(&said, columns()), grid.text(columns())))?;
    Ok(Exit::Done)
}

fn explained(name: &str, args: &Args, settings: &Settings) -> anyhow::Result<Explained> {
    args.meant.find(name, Which::Median, settings)?.explain(name, settings)
}

fn side(entered: &EnteredAnswer) -> Value {
    json!({ "guest": entered.guest, "answer": entered.answer, "latency": entered.answer.latency() })
}
