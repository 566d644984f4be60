// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall bench interfere`: repeats the experiments of a newsgroup post on this machine. Does a whole program cost more than
//! the sum of its parts?
use crate::deliver::{Output, deliver};
use crate::exit::{Exit, unable};
use crate::invocation;
use crate::options::percent;
use crate::options::{RunOutput, Seed};
use backwall_judge::require::Demands;
use backwall_model::picture::Interference;
use backwall_model::{Device, Origin, Picture, Plan, Run};
use backwall_os::Stop;
use backwall_os::console::{columns, watched};
use backwall_report::interference_text::text;
use backwall_runner::attached::attachee::this_device;
use backwall_runner::interfere::compute_display::Work;
use backwall_runner::interfere::measuring::{Experiment, Measuring, Sizes, plan, series};
use backwall_runner::interfere::sieve;
use backwall_runner::session::assemble::Assembly;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Experiments to run [default: all]
    #[arg(value_name = "EXPERIMENT", value_enum)]
    experiments: Vec<Experiment>,
    /// Rounds of each case
    ///
    /// With fewer than six, the figures have no confidence limits.
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    rounds: u16,
    /// Find primes up to this number
    #[arg(long, value_name = "N", default_value_t = sieve::LIMIT as u32, value_parser = clap::value_parser!(u32).range(1_000..=1_000_000_000))]
    primes: u32,
    /// Primes per message of the sieve
    ///
    /// With fewer, displaying takes a larger share of the time.
    #[arg(long, value_name = "N", default_value_t = sieve::MESSAGE_EVERY as u32, value_parser = clap::value_parser!(u32).range(1..))]
    message_every: u32,
    /// Smallest relative difference that matters
    #[arg(long = "min-effect", value_name = "PERCENT", default_value = "1", value_parser = percent)]
    effect: f64,
    /// MiB per transfer of the throughput experiment
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    mebibytes: u32,
    /// Images per page of the browser experiment
    #[arg(long, value_name = "N", default_value_t = 48, value_parser = clap::value_parser!(u16).range(1..=2_000))]
    images: u16,
    #[command(flatten)]
    pub(in crate::command) output: RunOutput,
    #[command(flatten)]
    pub(in crate::command) seed: Seed,
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let demands = Demands::without_plan(args.output.rules()?);
    let started = jiff::Timestamp::now();
    let folder = args.output.folder("interfere", started)?;
    let stop = Stop::on_signals()?;
    let sizes = Sizes {
        rounds: args.rounds.into(),
        sieve: Work { limit: args.primes as usize, message_every: args.message_every.into() },
        bytes: u64::from(args.mebibytes) << 20,
        images: args.images.into(),
        effect: args.effect,
    };
    let experiments = asked(args);
    let plan = Plan { require: args.output.require(), ..plan(&experiments, &sizes, args.seed.seed) };
    let run = Run::begin(Origin::Measured, plan, invocation::words(), started);
    let mut assembly =
        Assembly::begin(Run { device: Device { clock: "CLOCK_MONOTONIC".into(), ..this_device() }, ..run });
    let (quiet, watched, asked_to_end) = (!args.output.printing.is_text(), watched(), || stop.asked());
    let found = Interference::default();
    let mut measuring = Measuring { sizes, quiet, watched, seed: args.seed.seed, stop: &asked_to_end, found };
    experiments.into_iter().for_each(|experiment| measuring.take(experiment));
    let found = measuring.found;
    if found.cases.is_empty() && !stop.asked() {
        return Err(unable(format!("measured nothing: {}", found.absent.join("; "))));
    }
    if stop.asked() {
        assembly.interrupt();
    }
    assembly.show(Picture::Interference(found.clone()));
    let mut run = assembly.finish();
    run.series = found.cases.iter().flat_map(series).collect();
    let fitted = |run: &Run| text(run, columns());
    deliver(run, &demands, &folder, args.output.printing, Output { text: Some(&fitted), ..Output::USUAL })
}

fn asked(args: &Args) -> Vec<Experiment> {
    let named = |experiment: &Experiment| args.experiments.is_empty() || args.experiments.contains(experiment);
    Experiment::ALL.into_iter().filter(named).collect()
}
