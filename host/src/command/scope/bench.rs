// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall scope --generator ADDRESS --scope ADDRESS`: the bench of the papers, with the user's own instruments.
use super::{Args, add, asked, outcome, planned, saturation};
use crate::command::deliver::{Delivery, Output, applicable, rules};
use crate::exit::{Exit, unable, usage};
use crate::instrument::bench::Bench;
use crate::instrument::generator::{Generator, Pulse, SHORTEST};
use crate::instrument::link::{Address, Fault};
use crate::instrument::oscilloscope::{CHANNELS, Oscilloscope};
use crate::options::Global;
use crate::progress::Activity;
use crate::run::{Origin, Run};
use crate::scope::borne::Borne;
use crate::scope::capture::Capture;
use crate::scope::edges::{Edges, Line};
use crate::scope::saturation::{Found, Goal, Holds, Search, SearchRule, Trial};
use crate::scope::tick::{Tick, TickRate};
use crate::scope::wiring::Answered;
use crate::session::Stop;
use crate::store::RunFolder;
use crate::units::{ClockRate, Nanoseconds, grouped, period};
use jiff::Timestamp;

/// Of a pulse's period, so much is high, in percent; and volts of a line that is high.
const PULSE: Pulse = Pulse { duty: 20, volts: 3.3 };
/// Searches end where two periods differ by less.
const NARROWNESS: u64 = 32;
const TRIALS_MAX: usize = 60;
/// No search goes to longer periods than so many times the first.
const LONGEST: u64 = 1_000;
/// The period of pulses where none is asked for.
const USUAL_NS: u64 = 1_000_000;
const PS_PER_S: u64 = 1_000_000_000_000;

/// What makes the pulses and what sees them.
#[derive(clap::Args, Debug)]
pub(super) struct Addresses {
    /// A function generator that makes the pulses (Keysight 33210A and its family): tcp:HOST:5025 or /dev/usbtmc0
    #[arg(long, value_name = "ADDRESS", requires = "scope", conflicts_with_all = ["captures", "list", "samplerate"])]
    generator: Option<Address>,
    /// An oscilloscope (Tektronix TDS, DPO, MDO) that sees them and the answers; its channels are the lines CH1 to CH4
    #[arg(long, value_name = "ADDRESS", requires = "generator")]
    scope: Option<Address>,
    /// With a generator: distance of its pulses, the first one where --saturation searches [default: 1ms]
    #[arg(long, value_name = "TIME", value_parser = pulse_period, requires = "generator")]
    period: Option<Nanoseconds>,
    /// With a generator: pulses of a burst, all of them on the oscilloscope's screen [default: 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..=1_000), requires = "generator")]
    pulses: Option<u64>,
}

fn pulse_period(text: &str) -> Result<Nanoseconds, String> {
    let found = period(text).map_err(|error| error.to_string())?;
    let possible = SHORTEST.0 / 1_000..=PS_PER_S / 1_000;
    if possible.contains(&found.0) {
        Ok(found)
    } else {
        Err("between 100ns, the shortest of a 33210A, and 1s".to_string())
    }
}

/// The same, complete.
pub(super) struct Instruments<'a> {
    generator: &'a Address,
    scope: &'a Address,
    trial: Trial,
}

impl Addresses {
    /// `None` where captures are to be read.
    pub(super) fn instruments(&self) -> Option<Instruments<'_>> {
        let period = Tick(self.period.map_or(USUAL_NS, |period| period.0) * 1_000);
        let trial = Trial { period, pulses: self.pulses.unwrap_or(10) };
        Some(Instruments { generator: self.generator.as_ref()?, scope: self.scope.as_ref()?, trial })
    }
}

/// One burst, and the search where it is asked for; the generator's output is off when this returns.
pub(super) fn run(instruments: &Instruments, args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let rules = rules(global)?;
    let started = Timestamp::now();
    let stop = Stop::on_signals()?;
    let found = args.asked.found(&channels()).map_err(usage)?;
    let demands = applicable(rules, planned(&found.wiring(), &channels()))?;
    let folder = RunFolder::create(global.out.as_deref(), "scope", started)?;
    let shown = Activity::begin(global.quiet, || "waiting for the oscilloscope".to_string());
    let mut bench = open(instruments, args, &found, &stop).map_err(refused)?;
    let (edges, answered) = judged(&mut bench, &found, instruments.trial).map_err(refused)?;
    let capture = Capture { edges, ..channels() };
    outcome::keep(&folder, &capture)?;
    let mut run = outcome::run_of("of the bench", &capture, &found.wiring(), started);
    let searched =
        if args.asked.saturation { search(&mut bench, &found, instruments.trial, &shown) } else { Searched::default() };
    drop((bench, shown));
    let said = searched.add_to(&mut run, &answered);
    add(&mut run, answered, &found, &capture, "the bench");
    let mut delivery = Delivery::of(global, false);
    delivery.take(run, &demands, &folder, &Output { png: args.png, also: &said, ..Output::USUAL })?;
    // Whoever stops it knows; everything else that ended it is told.
    let fault = searched.ended_by.filter(|fault| !matches!(fault, Fault::Stopped));
    fault.into_iter().for_each(|fault| delivery.fail(refused(fault)));
    delivery.finish()
}

/// Four channels that saw nothing yet.
fn channels() -> Capture {
    let rate = TickRate::Clock(ClockRate::new(PS_PER_S).expect("not zero"));
    let lines = CHANNELS.map(Line::new).to_vec();
    let edges = Edges { rate, lines, end_at: Tick(0), gaps: Vec::new() };
    Capture { edges, origin: Origin::Measured, interrupted: false, warnings: Vec::new() }
}

fn open(instruments: &Instruments, args: &Args, found: &asked::Found, stop: &Stop) -> Result<Bench, Fault> {
    let threshold = args.threshold.unwrap_or(PULSE.volts / 2.0);
    let wiring = found.wiring();
    let scope = Oscilloscope::open(instruments.scope, wiring.stimulus, threshold, stop)?;
    let generator = Generator::open(instruments.generator, PULSE, stop)?;
    let mut channels = vec![wiring.stimulus.to_string()];
    for watched in wiring.responses {
        if !channels.contains(&watched.line) {
            channels.push(watched.line.clone());
        }
    }
    Ok(Bench { generator, scope, channels, threshold })
}

fn refused(fault: Fault) -> anyhow::Error {
    unable(fault.to_string())
}

/// A burst and what its lines came to; refused where the oscilloscope did not see every pulse.
fn judged(bench: &mut Bench, found: &asked::Found, trial: Trial) -> Result<(Edges, Vec<Answered>), Fault> {
    let edges = bench.shot(trial.period, trial.pulses)?;
    let answered = found.wiring().judge(&edges).expect("its channels are those that were asked for");
    let seen = answered.first().map_or(0, |line| line.pairing.stimuli.len() as u64);
    let channel = found.wiring().stimulus.to_string();
    if seen == trial.pulses { Ok((edges, answered)) } else { Err(Fault::Pulses { seen, given: trial.pulses, channel }) }
}

/// What a search came to.
#[derive(Default)]
struct Searched {
    /// For each response what it bears; `None` where that was not settled.
    borne: Vec<Option<Borne>>,
    /// Trials that were made.
    trials: usize,
    /// What ended it before its end.
    ended_by: Option<Fault>,
}

/// The search of the lab, each of whose trials is a burst.
fn search(bench: &mut Bench, found: &asked::Found, first: Trial, shown: &Activity) -> Searched {
    let longest = Tick(first.period.0.saturating_mul(LONGEST).min(PS_PER_S));
    let rule = SearchRule {
        start: first.period,
        shortest: SHORTEST,
        longest,
        pulses: first.pulses,
        narrowness: NARROWNESS,
        budget: TRIALS_MAX,
        progress: None,
    };
    let lines = found.wiring().responses.len();
    let goals = found.wiring().responses.iter().map(|one| Goal { name: one.name.clone(), holds: Holds::NothingLost });
    let mut search = Search::new(rule, goals.collect());
    let mut ended_by = None;
    while let Some(trial) = search.next() {
        shown.say(&format!("period {} ns", grouped(trial.period.0 / 1_000)));
        match judged(bench, found, trial) {
            Ok((_, answered)) => {
                let lost: Vec<u64> = answered.iter().map(|line| line.pairing.nearest.counts.lost).collect();
                search.observe(trial, &lost);
            }
            Err(error) => {
                ended_by = Some(error);
                break;
            }
        }
    }
    let of = |found: Found| match found {
        Found::At { period, fails_at } => Some(Borne { period: Some(period), fails_at: Some(fails_at), longest }),
        Found::Everywhere(period) => Some(Borne { period: Some(period), fails_at: None, longest }),
        Found::Nowhere(fails) => Some(Borne { period: None, fails_at: Some(fails), longest: fails }),
        Found::Unfinished => None,
    };
    Searched {
        borne: (0..lines).map(|goal| of(search.found(goal))).collect(),
        trials: search.tried().count(),
        ended_by,
    }
}

impl Searched {
    /// Puts what was found into the run, and says it.
    fn add_to(&self, run: &mut Run, answered: &[Answered]) -> String {
        run.interrupted = self.ended_by.is_some();
        let rate = channels().edges.rate;
        let trials = format!(" ({} bursts)", grouped(self.trials as u64));
        let mut said = String::new();
        for (line, borne) in answered.iter().zip(&self.borne) {
            let name = &line.series.key.name;
            said += &match borne {
                Some(borne) => saturation::add_to(run, name, borne, rate),
                None => format!("{name}: the search was not settled"),
            };
            said += &format!("{trials}\n");
        }
        said
    }
}
