// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall lab explain`: one answer as the functions that ran between its stimulus and its edge.
use super::answer_options::{AnswerOptions, place, sentence};
use super::{Boot, Common, settings};
use backwall::exit::Exit;
use backwall::options::{PageFile, Printing};
use backwall_lab::trail::answer::Which;
use backwall_lab::trail::perfetto::perfetto;
use backwall_os::console::columns;
use backwall_os::console::progress::Activity;
use backwall_report::trail::{hops, hops_section, in_order, page, ranked};
use backwall_report::wrap::narrow;
use serde_json::json;
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Folder of a `lab run`, or a scenario to run first
    #[arg(value_name = "RUN|NAME|FILE.toml")]
    run: String,
    #[command(flatten)]
    meant: AnswerOptions,
    #[command(flatten)]
    page: PageFile,
    /// Also write a Perfetto trace, with a nanosecond per instruction
    #[arg(long, value_name = "FILE")]
    perfetto: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    printing: Printing,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let settings = settings(&args.common, Boot { fresh: false })?;
    let shown = Activity::begin(args.printing.quiet, || "replaying the answer".to_string());
    let found = args.meant.find(&args.run, Which::Worst(1), &settings)?;
    let explained = found.explain(&args.run, &settings)?;
    drop(shown);
    let said = sentence(&args.run, &explained.entered);
    let grids = [hops(&explained.hops), ranked(&explained.visits), in_order(&explained.visits)];
    if let Some(path) = &args.page.page {
        let name = &found.subject.scenario.name;
        let chain = hops_section(&explained.hops, name, explained.entered.answer.number);
        place(path, page(&format!("An answer of {name}"), &said, Some(chain), &grids).as_bytes())?;
    }
    if let Some(path) = &args.perfetto {
        place(path, &perfetto(&explained.visits, &explained.hops))?;
    }
    let (guest, answer) = (&explained.entered.guest, &explained.entered.answer);
    args.printing.show(
        || {
            json!({
                "guest": guest, "answer": answer, "latency": answer.latency(), "hops": explained.hops,
                "functions": explained.visits,
            })
        },
        || format!("{}\n{}", narrow(&said, columns()), grids.map(|grid| grid.text(columns())).join("\n")),
    )?;
    Ok(Exit::Done)
}
