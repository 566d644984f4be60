// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall scope --generator ADDRESS --scope ADDRESS`, or `--pico DEVICE`: measures with the user's own instruments, as the
//! papers did.
use super::{Args, add, keep, planned};
use crate::deliver::{Delivery, Output, applicable};
use crate::exit::{Exit, unable, usage};
use crate::invocation;
use backwall_capture::outcome;
use backwall_capture::tick::TickRate;
use backwall_capture::wiring::Answered;
use backwall_instruments::burst::{Instruments, Means, PULSE, SearchResult, capture_of, judged};
use backwall_instruments::link::{Address, Fault};
use backwall_instruments::request::period;
use backwall_model::Run;
use backwall_model::units::{Nanoseconds, grouped};
use backwall_os::Stop;
use backwall_os::console::progress::Activity;
use backwall_report::answered_rate;
use jiff::Timestamp;
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
pub(super) struct Addresses {
    /// Function generator: tcp:HOST:5025 or /dev/usbtmc0
    ///
    /// A Keysight 33210A or one of its family.
    #[arg(long, value_name = "ADDRESS", requires = "scope", conflicts_with_all = ["captures", "list", "samplerate"])]
    generator: Option<Address>,
    /// Oscilloscope: tcp:HOST:PORT or /dev/usbtmc0
    ///
    /// A Tektronix TDS, DPO or MDO. Its channels are the lines CH1 to CH4.
    #[arg(long, value_name = "ADDRESS", requires = "generator")]
    scope: Option<Address>,
    /// Raspberry Pi Pico with backwall's firmware: /dev/ttyACM0
    ///
    /// It generates the pulses on GP2 and reads GP2, GP3 and GP4.
    #[arg(long, value_name = "DEVICE", conflicts_with_all = ["captures", "list", "samplerate", "threshold", "generator"])]
    pico: Option<PathBuf>,
    /// Time between pulses of the instruments [default: 1ms]
    ///
    /// With --saturation, the first period of the search.
    #[arg(long, value_name = "TIME", value_parser = period)]
    period: Option<Nanoseconds>,
    /// Pulses per burst of the instruments [default: 10]
    ///
    /// An oscilloscope must show all pulses on its screen.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..=10_000_000))]
    pulses: Option<u64>,
}

impl Addresses {
    /// The instruments to drive; `None` if the user named captures instead.
    ///
    /// # Errors
    /// These instruments cannot give the period or the number of pulses.
    pub(super) fn instruments(&self) -> anyhow::Result<Option<Instruments<'_>>> {
        let means = match (&self.generator, &self.scope, &self.pico) {
            (Some(generator), Some(scope), _) => Means::Pair { generator, scope },
            (_, _, Some(path)) => Means::Pico(path),
            _ if self.period.is_some() || self.pulses.is_some() => {
                return Err(usage("--period and --pulses need instruments: add --generator and --scope, or --pico"));
            }
            _ => return Ok(None),
        };
        let period = self.period.map(|period| period.0);
        Instruments::asked(means, period, self.pulses).map(Some).map_err(usage)
    }
}

/// Measures one burst, then searches if requested. Leaves the generator's output off.
pub(super) fn run(instruments: &Instruments, args: &Args) -> anyhow::Result<Exit> {
    let rules = args.output.rules()?;
    let started = Timestamp::now();
    let stop = Stop::on_signals()?;
    let nothing = instruments.nothing();
    let found = args.asked.lines().found(&nothing).map_err(usage)?;
    let demands = applicable(rules, planned(&found.wiring(), &nothing))?;
    let folder = args.output.folder("scope", started)?;
    let shown = Activity::begin(args.output.printing.quiet, || "waiting for the instruments".to_string());
    let mut bench = instruments.open(args.threshold, &found, &stop).map_err(refused)?;
    let (period, pulses) = (instruments.trial.period, instruments.trial.pulses);
    let seen = bench.shot(period, pulses, PULSE.duty, found.wiring().stimulus).map_err(refused)?;
    let capture = capture_of(seen, nothing);
    let answered = judged(&found, &capture.edges);
    keep(&folder, &capture)?;
    let mut run =
        outcome::run_of("of the bench", &capture, &found.wiring(), invocation::words(), (started, Timestamp::now()));
    let searches = args.asked.saturation && !capture.interrupted;
    let searched = if searches {
        instruments.search(&mut bench, &found, &|said| shown.say(said))
    } else {
        SearchResult::default()
    };
    drop((bench, shown));
    let said = add_to(&searched, &mut run, &answered, TickRate::Clock(instruments.rate));
    add(&mut run, answered, &found, &capture, "the bench");
    let mut delivery = Delivery::of(args.output.printing, false);
    delivery.take(
        run,
        &demands,
        &folder,
        &Output { png: args.pictures.png, verbose: args.verbose.verbose, also: &said, ..Output::USUAL },
    )?;
    // The user who stopped the search knows why it ended; report every other reason.
    let fault = searched.ended_by.filter(|fault| !matches!(fault, Fault::Stopped));
    fault.into_iter().for_each(|fault| delivery.fail(refused(fault)));
    delivery.finish()
}

fn refused(fault: Fault) -> anyhow::Error {
    unable(fault.to_string())
}

fn add_to(searched: &SearchResult, run: &mut Run, answered: &[Answered], rate: TickRate) -> String {
    run.interrupted |= searched.ended_by.is_some();
    let trials = format!(" ({} bursts)", grouped(searched.trials as u64));
    let mut said = String::new();
    for (line, borne) in answered.iter().zip(&searched.borne) {
        let name = &line.series.key.name;
        said += &match borne {
            Some(borne) => answered_rate::add_to(run, name, borne, rate),
            None => format!("{name}: the search did not converge"),
        };
        said += &format!("{trials}\n");
    }
    said
}
