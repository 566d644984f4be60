// SPDX-License-Identifier: MIT OR Apache-2.0
//! The highest answered frequency of each line, for the run file and as text.
use backwall_capture::answered_rate::{AnsweredRate, NARROWNESS, borne};
use backwall_capture::tick::{Tick, TickRate};
use backwall_capture::wiring::Answered;
use backwall_model::picture::Sought;
use backwall_model::{Periods, Run};

pub fn of_lines(run: &mut Run, answered: &[Answered], rate: TickRate) -> String {
    let found = |line: &Answered| Some((line.series.key.name.clone(), borne(&line.pairing)?));
    let steps = format!("; steps of 1/{NARROWNESS}");
    answered.iter().filter_map(found).map(|(name, found)| add_to(run, &name, &found, rate) + &steps + "\n").collect()
}

pub fn add_to(run: &mut Run, name: &str, found: &AnsweredRate, rate: TickRate) -> String {
    let of = |period: Option<Tick>| period.map(|period| rate.value_of(period));
    let periods = Periods { unit: rate.unit(), answered: of(found.period), fails_at: of(found.fails_at) };
    run.results.periods.insert(name.to_string(), periods);
    format!("{}: {}", Sought::name_of(name), text(found, rate))
}

fn text(found: &AnsweredRate, rate: TickRate) -> String {
    let at = |period: Tick| match rate {
        TickRate::Instructions => format!("a period of {}", rate.shown(period)),
        TickRate::Clock(clock) => {
            let hz = clock.hz() as f64 / period.0.max(1) as f64;
            format!("{} (a period of {})", frequency(hz), rate.shown(period))
        }
    };
    match (found.period, found.fails_at) {
        (Some(period), None) => format!("answers all stimuli up to {}", at(period)),
        (Some(period), Some(fails)) => {
            format!("answers all stimuli up to {}; misses some at {}", at(period), at(fails))
        }
        (None, _) => format!("misses some stimuli even at {}", at(found.longest)),
    }
}

fn frequency(hz: f64) -> String {
    match hz {
        hz if hz >= 1e6 => format!("{:.3} MHz", hz / 1e6),
        hz if hz >= 1e3 => format!("{:.3} kHz", hz / 1e3),
        hz => format!("{hz:.3} Hz"),
    }
}
