// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall scope --generator ADDRESS --scope ADDRESS`, or `--pico DEVICE`: the bench of the papers, with the user's own
//! instruments.
use super::{Args, add, asked, outcome, planned, saturation};
use crate::command::deliver::{Delivery, Output, applicable, rules};
use crate::exit::{Exit, unable, usage};
use crate::instrument::bench::{Bench, Pair, Seen};
use crate::instrument::generator::{self, Generator, Pulse};
use crate::instrument::link::{Address, Fault};
use crate::instrument::oscilloscope::{CHANNELS, Oscilloscope};
use crate::instrument::pico::{self, Pico};
use crate::options::Global;
use crate::progress::Activity;
use crate::run::{Origin, Run};
use crate::scope::borne::Borne;
use crate::scope::capture::Capture;
use crate::scope::edges::{Edges, Line};
use crate::scope::saturation::{Found, Goal, Holds, Search, SearchRule, Trial};
use crate::scope::stamps;
use crate::scope::tick::{Tick, TickRate};
use crate::scope::wiring::Answered;
use crate::session::Stop;
use crate::store::RunFolder;
use crate::units::{ClockRate, Nanoseconds, grouped, period};
use jiff::Timestamp;
use std::path::PathBuf;

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
const NS_PER_S: u64 = 1_000_000_000;
/// The oscilloscope has all pulses on its screen.
const SCREEN_PULSES_MAX: u64 = 1_000;

/// What makes the pulses and what sees them.
#[derive(clap::Args, Debug)]
pub(super) struct Addresses {
    /// A function generator that makes the pulses (Keysight 33210A and its family): tcp:HOST:5025 or /dev/usbtmc0
    #[arg(long, value_name = "ADDRESS", requires = "scope", conflicts_with_all = ["captures", "list", "samplerate"])]
    generator: Option<Address>,
    /// An oscilloscope (Tektronix TDS, DPO, MDO) that sees them and the answers; its channels are the lines CH1 to CH4
    #[arg(long, value_name = "ADDRESS", requires = "generator")]
    scope: Option<Address>,
    /// A Raspberry Pi Pico with backwall's firmware that makes the pulses on GP2 and sees them and the answers on GP3 and
    /// GP4: /dev/ttyACM0
    #[arg(long, value_name = "DEVICE", conflicts_with_all = ["captures", "list", "samplerate", "threshold", "generator"])]
    pico: Option<PathBuf>,
    /// With instruments: distance of the pulses, the first one where --saturation searches [default: 1ms]
    #[arg(long, value_name = "TIME", value_parser = pulse_period)]
    period: Option<Nanoseconds>,
    /// With instruments: pulses of a burst; an oscilloscope has all of them on its screen [default: 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..=10_000_000))]
    pulses: Option<u64>,
}

fn pulse_period(text: &str) -> Result<Nanoseconds, String> {
    let found = period(text).map_err(|error| error.to_string())?;
    let possible = generator::SHORTEST.0 / (PS_PER_S / NS_PER_S)..=NS_PER_S;
    if possible.contains(&found.0) {
        Ok(found)
    } else {
        Err("between 100ns, the shortest of a 33210A, and 1s".to_string())
    }
}

/// How the instruments are reached.
enum Means<'a> {
    Pair { generator: &'a Address, scope: &'a Address },
    Pico(&'a PathBuf),
}

/// The same, complete.
pub(super) struct Instruments<'a> {
    means: Means<'a>,
    /// In ticks of the rate.
    trial: Trial,
    /// Ticks a second in which the instruments are told their periods.
    rate: ClockRate,
    shortest: Tick,
    longest: Tick,
}

impl Addresses {
    /// `None` where captures are to be read.
    ///
    /// # Errors
    /// A period or a number of pulses that these instruments cannot give.
    pub(super) fn instruments(&self) -> anyhow::Result<Option<Instruments<'_>>> {
        let means = match (&self.generator, &self.scope, &self.pico) {
            (Some(generator), Some(scope), _) => Means::Pair { generator, scope },
            (_, _, Some(path)) => Means::Pico(path),
            _ if self.period.is_some() || self.pulses.is_some() => {
                return Err(usage(
                    "--period and --pulses are for instruments: name them by --generator and --scope, or by --pico",
                ));
            }
            _ => return Ok(None),
        };
        let (hz, shortest) = match means {
            Means::Pair { .. } => (PS_PER_S, generator::SHORTEST),
            Means::Pico(_) => (pico::TICKS_PER_S, pico::SHORTEST),
        };
        let rate = ClockRate::new(hz).expect("not zero");
        let period = self.period.map_or(USUAL_NS, |period| period.0);
        let pulses = self.pulses.unwrap_or(10);
        possible(&means, period, pulses)?;
        let ticks = |ns: u64| Tick((u128::from(ns) * u128::from(hz) / u128::from(NS_PER_S)) as u64);
        let trial = Trial { period: ticks(period), pulses };
        Ok(Some(Instruments { means, trial, rate, shortest, longest: ticks(NS_PER_S) }))
    }
}

fn possible(means: &Means, period_ns: u64, pulses: u64) -> anyhow::Result<()> {
    let tick_ns = NS_PER_S / pico::TICKS_PER_S;
    match means {
        Means::Pair { .. } if pulses > SCREEN_PULSES_MAX => Err(usage(format!(
            "--pulses {pulses}: all of them stand on the oscilloscope's screen, so give at most 1000"
        ))),
        Means::Pico(_) if period_ns % tick_ns != 0 || period_ns / tick_ns < pico::SHORTEST.0 => {
            Err(usage("--period: that of a Pico is a whole number of tens of nanoseconds, from 1us to 1s"))
        }
        _ => Ok(()),
    }
}

/// One burst, and the search where it is asked for; the generator's output is off when this returns.
pub(super) fn run(instruments: &Instruments, args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let rules = rules(global)?;
    let started = Timestamp::now();
    let stop = Stop::on_signals()?;
    let nothing = instruments.nothing();
    let found = args.asked.found(&nothing).map_err(usage)?;
    let demands = applicable(rules, planned(&found.wiring(), &nothing))?;
    let folder = RunFolder::create(global.out.as_deref(), "scope", started)?;
    let shown = Activity::begin(global.quiet, || "waiting for the instruments".to_string());
    let mut bench = instruments.open(args, &found, &stop).map_err(refused)?;
    let (period, pulses) = (instruments.trial.period, instruments.trial.pulses);
    let seen = bench.shot(period, pulses, PULSE.duty, found.wiring().stimulus).map_err(refused)?;
    let capture = capture_of(seen, nothing);
    let answered = judged(&found, &capture.edges);
    outcome::keep(&folder, &capture)?;
    let mut run = outcome::run_of("of the bench", &capture, &found.wiring(), started);
    let searches = args.asked.saturation && !capture.interrupted;
    let searched = if searches { instruments.search(&mut bench, &found, &shown) } else { Searched::default() };
    drop((bench, shown));
    let said = searched.add_to(&mut run, &answered, TickRate::Clock(instruments.rate));
    add(&mut run, answered, &found, &capture, "the bench");
    let mut delivery = Delivery::of(global, false);
    delivery.take(run, &demands, &folder, &Output { png: args.png, also: &said, ..Output::USUAL })?;
    // Whoever stops it knows; everything else that ended it is told.
    let fault = searched.ended_by.filter(|fault| !matches!(fault, Fault::Stopped));
    fault.into_iter().for_each(|fault| delivery.fail(refused(fault)));
    delivery.finish()
}

/// What was seen, with a sentence on what was not.
fn capture_of(seen: Seen, nothing: Capture) -> Capture {
    let Seen { edges, interrupted, lost } = seen;
    let told = |lost| {
        format!(
            "edges that the Pico had no room for until they were asked for: {}; no stimulus meanwhile is due",
            grouped(lost)
        )
    };
    let warnings = (lost > 0).then(|| told(lost)).into_iter().collect();
    Capture { edges, interrupted, warnings, ..nothing }
}

/// What its lines came to.
fn judged(found: &asked::Found, edges: &Edges) -> Vec<Answered> {
    found.wiring().judge(edges).expect("its lines are those that were asked for")
}

fn refused(fault: Fault) -> anyhow::Error {
    unable(fault.to_string())
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

impl Instruments<'_> {
    /// Their lines, which saw nothing yet.
    fn nothing(&self) -> Capture {
        let lines = match self.means {
            Means::Pair { .. } => CHANNELS.map(Line::new).to_vec(),
            Means::Pico(_) => stamps::LINES.map(Line::new).to_vec(),
        };
        let edges = Edges { rate: TickRate::Clock(self.rate), lines, end_at: Tick(0), gaps: Vec::new() };
        Capture { edges, origin: Origin::Measured, interrupted: false, warnings: Vec::new() }
    }

    fn open(&self, args: &Args, found: &asked::Found, stop: &Stop) -> Result<Bench, Fault> {
        match self.means {
            Means::Pair { generator, scope } => open_pair(generator, scope, args, found, stop),
            Means::Pico(path) => Pico::open(path, stop).map(Bench::Pico),
        }
    }

    /// The search of the lab, each of whose trials is a burst.
    fn search(&self, bench: &mut Bench, found: &asked::Found, shown: &Activity) -> Searched {
        let first = self.trial;
        let longest = Tick(first.period.0.saturating_mul(LONGEST)).min(self.longest);
        let rule = SearchRule {
            start: first.period,
            shortest: self.shortest,
            longest,
            pulses: first.pulses,
            narrowness: NARROWNESS,
            budget: TRIALS_MAX,
            progress: None,
        };
        let (wiring, rate) = (found.wiring(), TickRate::Clock(self.rate));
        let lines = wiring.responses.len();
        let goals = wiring.responses.iter().map(|one| Goal { name: one.name.clone(), holds: Holds::NothingLost });
        let mut search = Search::new(rule, goals.collect());
        let mut ended_by = None;
        while let Some(trial) = search.next().into_iter().next() {
            shown.say(&format!("period {}", rate.shown(trial.period)));
            match bench.trial(trial.period, trial.pulses, PULSE.duty, wiring.stimulus) {
                Ok(edges) => search.observe(trial, &lost(&judged(found, &edges))),
                Err(error) => {
                    ended_by = Some(error);
                    break;
                }
            }
        }
        Searched {
            borne: (0..lines).map(|goal| borne(search.found(goal), longest)).collect(),
            trials: search.tried().count(),
            ended_by,
        }
    }
}

fn lost(answered: &[Answered]) -> Vec<u64> {
    answered.iter().map(|line| line.pairing.nearest.counts.lost).collect()
}

fn borne(found: Found, longest: Tick) -> Option<Borne> {
    match found {
        Found::At { period, fails_at } => Some(Borne { period: Some(period), fails_at: Some(fails_at), longest }),
        Found::Everywhere(period) => Some(Borne { period: Some(period), fails_at: None, longest }),
        Found::Nowhere(fails) => Some(Borne { period: None, fails_at: Some(fails), longest: fails }),
        Found::Unfinished => None,
    }
}

fn open_pair(
    generator: &Address,
    scope: &Address,
    args: &Args,
    found: &asked::Found,
    stop: &Stop,
) -> Result<Bench, Fault> {
    let threshold = args.threshold.unwrap_or(PULSE.volts / 2.0);
    let wiring = found.wiring();
    let scope = Oscilloscope::open(scope, wiring.stimulus, threshold, stop)?;
    let generator = Generator::open(generator, PULSE, stop)?;
    let mut channels = vec![wiring.stimulus.to_string()];
    for watched in wiring.responses {
        if !channels.contains(&watched.line) {
            channels.push(watched.line.clone());
        }
    }
    Ok(Bench::Pair(Pair { generator, scope, channels, threshold }))
}

impl Searched {
    /// Puts what was found into the run, and says it.
    fn add_to(&self, run: &mut Run, answered: &[Answered], rate: TickRate) -> String {
        run.interrupted |= self.ended_by.is_some();
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
