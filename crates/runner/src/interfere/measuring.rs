// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs the experiments one after the other. It measures each case that this machine supports; for every other case it stores
//! why it cannot be measured.
use crate::interfere::browser;
use crate::interfere::compute_display::{self, Work};
use crate::interfere::outlet::Outlet;
use crate::interfere::throughput::{self, Place};
use crate::interfere::turns::Turns;
use backwall_model::picture::{Case, Form, Interference};
use backwall_model::units::Unit;
use backwall_model::{Extension, IDLE_AS_IS, Interfere, Key, NO_LOAD, Plan, Series, Span};
use backwall_os::console::progress::Activity;
use backwall_stats::SeriesBuilder;

#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    pub rounds: usize,
    pub sieve: Work,
    pub bytes: u64,
    pub images: usize,
    pub effect: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Experiment {
    /// A sieve that computes and prints: to a terminal, file, pipe, telnet or nowhere
    Sieve,
    /// Compressible and incompressible data through file systems and loopback
    Throughput,
    /// Twelve threads that fetch, decode and draw images over loopback HTTP
    Browser,
}

impl Experiment {
    pub const ALL: [Self; 3] = [Self::Sieve, Self::Throughput, Self::Browser];

    pub fn name(self) -> &'static str {
        match self {
            Self::Sieve => compute_display::NAME,
            Self::Throughput => throughput::NAME,
            Self::Browser => browser::NAME,
        }
    }
}

pub struct Measuring<'a> {
    pub sizes: Sizes,
    pub quiet: bool,
    pub watched: bool,
    pub seed: u64,
    pub stop: &'a (dyn Fn() -> bool + Sync),
    pub found: Interference,
}

impl Measuring<'_> {
    pub fn take(&mut self, experiment: Experiment) {
        match experiment {
            Experiment::Sieve => Outlet::ALL.into_iter().for_each(|outlet| self.sieve(outlet)),
            Experiment::Throughput => self.throughput(),
            Experiment::Browser => {
                let count = self.sizes.images;
                self.measure(("browser", "images"), false, |turns| browser::measure(count, turns));
            }
        }
    }

    fn sieve(&mut self, outlet: Outlet) {
        if outlet == Outlet::Terminal && (self.quiet || !self.watched) {
            self.found.absent.push("sieve, terminal: there is no terminal to write to".to_string());
            return;
        }
        let work = self.sizes.sieve;
        // Hides the progress display, which would appear on the very terminal that is measured.
        self.measure(("sieve", outlet.name()), outlet == Outlet::Terminal, |turns| {
            Ok(vec![compute_display::measure(outlet, work, turns)?])
        });
    }

    fn throughput(&mut self) {
        let bytes = self.sizes.bytes;
        for (word, place) in Place::all(bytes) {
            self.measure(("throughput", word), false, |turns| throughput::measure(&place()?, bytes, turns));
        }
    }

    /// Measures cases that complete at least one round. For all others it stores the reason.
    fn measure(
        &mut self,
        (experiment, name): (&str, &str),
        unseen: bool,
        measure: impl FnOnce(&Turns<'_>) -> std::io::Result<Vec<Case>>,
    ) {
        let place = format!("{experiment}, {name}");
        if (self.stop)() {
            self.found.absent.push(format!("{place}: interrupted before"));
            return;
        }
        let shown = place.clone();
        let _shown = Activity::begin(self.quiet || unseen, move || shown.clone());
        let turns = Turns { rounds: self.sizes.rounds, seed: self.seed, stop: self.stop };
        match measure(&turns) {
            Ok(cases) if cases.iter().all(|case| case.rounds() == 0) => {
                self.found.absent.push(format!("{place}: interrupted in its first round"));
            }
            Ok(cases) => {
                let whole = cases.into_iter().filter(|case| case.rounds() > 0);
                let effect = Some(self.sizes.effect);
                self.found.cases.extend(whole.map(|case| Case { effect, ..case }));
            }
            Err(error) => self.found.absent.push(format!("{place}: {error}")),
        }
    }
}

pub fn series(case: &Case) -> Vec<Series> {
    let of_form = |form: &Form| {
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

pub fn plan(experiments: &[Experiment], sizes: &Sizes, seed: u64) -> Plan {
    let experiments: Vec<String> = experiments.iter().map(|experiment| experiment.name().to_string()).collect();
    Plan {
        measures: experiments.clone(),
        loads: vec![NO_LOAD.to_string()],
        idle: IDLE_AS_IS.to_string(),
        seed,
        extension: Extension::Interfere(Interfere {
            experiments,
            rounds: sizes.rounds as u64,
            primes: sizes.sieve.limit as u64,
            message_every: Some(sizes.sieve.message_every),
            bytes: sizes.bytes,
            images: sizes.images as u64,
        }),
        ..Plan::default()
    }
}
