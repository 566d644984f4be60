// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall lab replay`: replays a run up to an answer. If a debugger is requested, the guest stops at the answer's edge.
use super::answer_options::{AnswerOptions, ChosenAnswer, refused, sentence};
use super::{Boot, Common, settings};
use backwall::exit::Exit;
use backwall::options::Printing;
use backwall_lab::bench::Settings;
use backwall_lab::trail::answer::Which;
use backwall_lab::trail::debugged;
use backwall_lab::trail::entered_answer::Subject;
use backwall_model::units::grouped;
use backwall_os::console::complain;
use serde_json::json;
use std::path::Path;
use std::time::Instant;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Folder of a `lab run`, or a scenario to run first
    #[arg(value_name = "RUN|NAME|FILE.toml")]
    run: String,
    #[command(flatten)]
    meant: AnswerOptions,
    /// Stop the guest at the edge and print the command that attaches a debugger
    #[arg(long)]
    gdb: bool,
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    printing: Printing,
}

/// Replays the answer and reports that everything before it was the same, or waits for a debugger.
pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let settings = settings(&args.common, Boot { fresh: false })?;
    let found = args.meant.find(&args.run, Which::Worst(1), &settings)?;
    if args.gdb {
        return debugged(args, &found, &settings);
    }
    let begun = Instant::now();
    let entered = found.enter(&args.run, &settings)?;
    let seconds = begun.elapsed().as_secs_f64();
    let (edges, blocks) = (entered.edges, entered.blocks);
    let told = || {
        json!({
            "guest": entered.guest, "answer": entered.answer, "latency": entered.answer.latency(), "identical": true,
            "edge_bytes": edges, "blocks": blocks, "restored": entered.restored, "seconds": seconds,
            "registers": entered.registers,
        })
    };
    let start = if entered.restored { "from a saved state" } else { "from a boot" };
    args.printing.show(told, || {
        format!(
            "{}\nreplayed {start} in {seconds:.1} s; {} bytes of edges up to the answer match the run; the answer executed {} blocks\n",
            sentence(&args.run, &entered),
            grouped(edges),
            grouped(blocks)
        )
    })?;
    Ok(Exit::Done)
}

fn debugged(args: &Args, found: &ChosenAnswer, settings: &Settings) -> anyhow::Result<Exit> {
    let ChosenAnswer { subject, answer, emulator } = found;
    let stands = |socket: &Path| complain(&line(socket, &grouped(answer.from), subject));
    debugged::stand(subject, answer, emulator, settings, stands)?.map_err(|fault| refused(&args.run, fault))?;
    Ok(Exit::Done)
}

fn line(socket: &Path, at: &str, subject: &Subject) -> String {
    let (name, processor) = (&subject.scenario.name, subject.scenario.machine.debugged);
    format!(
        "{name}: the guest is stopped at instruction {at}, the edge of the answer; attach with: gdb -ex 'set architecture {processor}' -ex 'target remote {}'; gdb's kill ends the guest",
        socket.display()
    )
}
