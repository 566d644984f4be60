// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall lab explain`: one answer as the functions that were executed between its edge and it.
use super::meant::{Meant, place, sentence};
use super::{Boot, Common, settings};
use crate::console::{columns, print};
use crate::exit::Exit;
use crate::lab::trail::answer::Answer;
use crate::lab::trail::answer::Which;
use crate::lab::trail::entered::Explained;
use crate::options::Global;
use crate::progress::Activity;
use crate::report::trail::{in_order, page, ranked};
use crate::report::wrap::narrow;
use crate::scope::trail::visits::Visit;
use crate::trace::write::slices::{self, Slice};
use serde::Serialize;
use std::path::PathBuf;

/// Arguments of `backwall lab explain`.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// The folder of a `lab run`, or a scenario that is run first
    #[arg(value_name = "RUN|NAME|FILE.toml")]
    run: String,
    #[command(flatten)]
    meant: Meant,
    /// Also write it as a page
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
    /// Also write it for Perfetto's viewer, where an instruction is shown as a nanosecond
    #[arg(long, value_name = "FILE")]
    perfetto: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

/// As JSON.
#[derive(Serialize)]
struct Told<'a> {
    guest: &'a str,
    answer: &'a Answer,
    latency: u64,
    functions: &'a [Visit],
}

/// Enters the answer again and prints its functions.
pub(super) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let settings = settings(&args.common, Boot { fresh: false }, global)?;
    let shown = Activity::begin(global.quiet, || "entering the answer again".to_string());
    let found = args.meant.find(&args.run, Which::Worst(1), &settings)?;
    let explained = found.explain(&args.run, &settings)?;
    drop(shown);
    let said = sentence(&args.run, &explained.entered);
    let grids = [ranked(&explained.visits), in_order(&explained.visits)];
    if let Some(path) = &args.page {
        place(path, page(&format!("An answer of {}", found.subject.scenario.name), &said, &grids).as_bytes())?;
    }
    if let Some(path) = &args.perfetto {
        place(path, &perfetto(&explained))?;
    }
    if global.json {
        let (guest, answer) = (&explained.entered.guest, &explained.entered.answer);
        let told = Told { guest, answer, latency: answer.latency(), functions: &explained.visits };
        print(&(serde_json::to_string_pretty(&told)? + "\n"))?;
    } else {
        let tables: Vec<String> = grids.iter().map(|grid| grid.text(columns())).collect();
        print(&format!("{}\n{}", narrow(&said, columns()), tables.join("\n")))?;
    }
    Ok(Exit::Done)
}

/// The functions of the kernel and of user mode on tracks of their own, and where interrupts were off.
fn perfetto(explained: &Explained) -> Vec<u8> {
    let slice = |visit: &'_ Visit| (visit.at, visit.at + visit.took());
    let of_mode = |user: bool| -> Vec<Slice> {
        let visits = explained.visits.iter().filter(|visit| visit.user == user);
        visits.map(|visit| Slice { name: &visit.function, from: slice(visit).0, to: slice(visit).1 }).collect()
    };
    let masked = explained.visits.iter().filter(|visit| visit.masked > 0);
    let masked =
        masked.map(|visit| Slice { name: "interrupts off", from: slice(visit).0, to: slice(visit).1 }).collect();
    slices::written(&[("kernel", of_mode(false)), ("user", of_mode(true)), ("interrupts off, all or part", masked)])
}
