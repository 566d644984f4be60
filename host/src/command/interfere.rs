// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall interfere`: does the whole cost more than the sum of its parts; the newsgroup post's experiments on this machine.
use super::deliver::{self, Output, deliver};
use crate::console::watched;
use crate::exit::{Exit, unable};
use crate::interfere::outlet::Outlet;
use crate::interfere::throughput::{self, Place};
use crate::interfere::turns::Turns;
use crate::interfere::{browser, compute_display, sieve};
use crate::invocation;
use crate::options::Global;
use crate::progress::Activity;
use crate::report::interference_text::text;
use crate::require::Demands;
use crate::run::picture::{Case, Interference};
use crate::run::{Device, Extension, IDLE_AS_IS, Interfere, Key, NO_LOAD, Origin, Picture, Plan, Run, Series, Span};
use crate::session::Stop;
use crate::session::assemble::Assembly;
use crate::session::attachee::this_device;
use crate::stats::SeriesBuilder;
use crate::store::RunFolder;
use crate::units::Unit;

/// Arguments of `backwall interfere`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Which of them [default: all]
    #[arg(value_name = "EXPERIMENT", value_enum)]
    experiments: Vec<Experiment>,
    /// Rounds of each case; six are the fewest that have limits
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    rounds: u16,
    /// The sieve finds the primes up to this number
    #[arg(long, value_name = "N", default_value_t = sieve::LIMIT as u32, value_parser = clap::value_parser!(u32).range(1_000..=1_000_000_000))]
    primes: u32,
    /// Throughput is that of so many mebibytes each time
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    mebibytes: u32,
    /// Images of a page of the browser
    #[arg(long, value_name = "N", default_value_t = 48, value_parser = clap::value_parser!(u16).range(1..=2_000))]
    images: u16,
}

/// The post's questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Experiment {
    /// A sieve that computes and displays, to a terminal, a file, a pipe, telnet's shape, or nowhere
    Sieve,
    /// Data that compress and data that do not, in and out of file systems and over loopback
    Throughput,
    /// Twelve threads that fetch, decode and draw images over loopback HTTP
    Browser,
}

impl Experiment {
    const ALL: [Self; 3] = [Self::Sieve, Self::Throughput, Self::Browser];

    fn name(self) -> &'static str {
        match self {
            Self::Sieve => compute_display::NAME,
            Self::Throughput => throughput::NAME,
            Self::Browser => browser::NAME,
        }
    }
}

/// Measures every case that this machine has, and delivers them.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let demands = Demands::without_plan(deliver::rules(global)?);
    let started = jiff::Timestamp::now();
    let folder = RunFolder::create(global.out.as_deref(), "interfere", started)?;
    let stop = Stop::on_signals()?;
    let mut run = Run::begin(Origin::Measured, plan(args, global), invocation::words(), started);
    run.device = Device { clock: "CLOCK_MONOTONIC".into(), ..this_device() };
    let mut assembly = Assembly::begin(run);
    let mut measuring = Measuring { args, global, stop: &stop, found: Interference::default() };
    asked(args).into_iter().for_each(|experiment| measuring.take(experiment));
    let found = measuring.found;
    if found.cases.is_empty() && !stop.asked() {
        return Err(unable(format!("nothing could be measured: {}", found.absent.join("; "))));
    }
    if stop.asked() {
        assembly.interrupt();
    }
    assembly.show(Picture::Interference(found.clone()));
    let mut run = assembly.finish();
    run.series = found.cases.iter().flat_map(series).collect();
    deliver(run, &demands, &folder, global, Output { text: Some(&text), ..Output::USUAL })
}

/// Those that were named, in our order; else all.
fn asked(args: &Args) -> Vec<Experiment> {
    let named = |experiment: &Experiment| args.experiments.is_empty() || args.experiments.contains(experiment);
    Experiment::ALL.into_iter().filter(named).collect()
}

fn plan(args: &Args, global: &Global) -> Plan {
    let experiments: Vec<String> = asked(args).into_iter().map(|experiment| experiment.name().to_string()).collect();
    Plan {
        measures: experiments.clone(),
        loads: vec![NO_LOAD.to_string()],
        idle: IDLE_AS_IS.to_string(),
        seed: global.seed(),
        require: global.require.clone(),
        extension: Extension::Interfere(Interfere {
            experiments,
            rounds: args.rounds.into(),
            primes: args.primes.into(),
            bytes: bytes(args),
            images: args.images.into(),
        }),
        ..Plan::default()
    }
}

fn bytes(args: &Args) -> u64 {
    u64::from(args.mebibytes) << 20
}

/// The times of each form of a case, in the order of the rounds.
fn series(case: &Case) -> Vec<Series> {
    let of_form = |form: &crate::run::picture::Form| {
        let mut key = Key::new(&form.name, NO_LOAD, IDLE_AS_IS);
        key.variant.insert(Case::EXPERIMENT.into(), case.experiment.clone());
        key.variant.insert(Case::CASE.into(), case.name.clone());
        let mut builder = SeriesBuilder::new(key, Span::new("begin", "end", Unit::Ns));
        let mut at = 0;
        for (seq, ns) in form.times.iter().enumerate() {
            builder.sample(seq as u64, at, *ns, false);
            at += ns;
        }
        builder.build()
    };
    case.forms.iter().map(of_form).collect()
}

/// What was measured so far.
struct Measuring<'a> {
    args: &'a Args,
    global: &'a Global,
    stop: &'a Stop,
    found: Interference,
}

impl Measuring<'_> {
    fn take(&mut self, experiment: Experiment) {
        match experiment {
            Experiment::Sieve => Outlet::ALL.into_iter().for_each(|outlet| self.sieve(outlet)),
            Experiment::Throughput => self.throughput(),
            Experiment::Browser => {
                let count = self.args.images.into();
                self.measure(("browser", "images"), false, |turns| browser::measure(count, turns));
            }
        }
    }

    fn sieve(&mut self, outlet: Outlet) {
        let global = self.global;
        if outlet == Outlet::Terminal && (global.json || global.quiet || !watched()) {
            self.found.absent.push("sieve, terminal: none is here to write to".to_string());
            return;
        }
        let limit = self.args.primes as usize;
        // What shows that we live would be drawn on the very terminal that is measured.
        self.measure(("sieve", outlet.name()), outlet == Outlet::Terminal, |turns| {
            Ok(vec![compute_display::measure(outlet, limit, turns)?])
        });
    }

    fn throughput(&mut self) {
        let bytes = bytes(self.args);
        for (word, place) in Place::all(bytes) {
            self.measure(("throughput", word), false, |turns| throughput::measure(&place()?, bytes, turns));
        }
    }

    /// Takes cases with at least one whole round; of all others the reason is kept.
    fn measure(
        &mut self,
        (experiment, name): (&str, &str),
        unseen: bool,
        measure: impl FnOnce(&Turns<'_>) -> std::io::Result<Vec<Case>>,
    ) {
        let place = format!("{experiment}, {name}");
        if self.stop.asked() {
            self.found.absent.push(format!("{place}: interrupted before"));
            return;
        }
        let shown = place.clone();
        let _shown = Activity::begin(self.global.quiet || self.global.json || unseen, move || shown.clone());
        let stop = || self.stop.asked();
        let turns = Turns { rounds: self.args.rounds.into(), seed: self.global.seed(), stop: &stop };
        match measure(&turns) {
            Ok(cases) if cases.iter().all(|case| case.rounds() == 0) => {
                self.found.absent.push(format!("{place}: interrupted in its first round"));
            }
            Ok(cases) => self.found.cases.extend(cases.into_iter().filter(|case| case.rounds() > 0)),
            Err(error) => self.found.absent.push(format!("{place}: {error}")),
        }
    }
}
