// SPDX-License-Identifier: MIT OR Apache-2.0
//! The system's cost constants: those of the task set, then those of the command line, typed or measured.
use super::here;
use backwall_model::Series;
use backwall_model::picture::{Operation, TaskRow};
use backwall_model::units::Unit;
use backwall_os::refusal::{Refusal, Result, usage};
use backwall_tasks::fault::Fault;
use backwall_tasks::predict::constant::Constant;
use backwall_tasks::set::Set;
use backwall_tasks::{constants, detent};
use std::path::Path;

const HERE: &str = "here";
const DETENT: &str = "detent";

/// All constants, each name once. A later constant on the command line replaces an earlier one of the same name and the set's.
pub fn known(typed: &[String], set: &Set, place: &Path, quiet: bool) -> Result<Vec<Constant>> {
    let place = place.display().to_string();
    let in_set = |fault: Fault| usage(format!("{place}: {fault}"));
    let mut known = Vec::new();
    for (name, time) in &set.constants {
        known.push(constants::given(name, time.0, &place).map_err(in_set)?);
    }
    for text in typed {
        match text.as_str() {
            HERE => known.extend(of_here(quiet)?),
            DETENT => known.extend(detent::constants()),
            typed if typed.contains('=') => {
                known.push(constants::typed(typed).map_err(|fault| usage(fault.to_string()))?);
            }
            place => known.extend(of_run(place)?),
        }
    }
    Ok(last_of_each(known))
}

/// Drops replaced constants, because the output would list them as if they were used.
fn last_of_each(known: Vec<Constant>) -> Vec<Constant> {
    let mut counting: Vec<Constant> = Vec::new();
    for constant in known {
        match counting.iter_mut().find(|other| other.name == constant.name) {
            Some(earlier) => *earlier = constant,
            None => counting.push(constant),
        }
    }
    counting
}

/// Like [`known`], but for a guest: the guest's constants replace those of the set, and this machine's do not apply.
pub fn known_of_guest(typed: &[String], set: &Set, place: &Path) -> Result<Vec<Constant>> {
    if typed.iter().any(|text| text == HERE) {
        return Err(usage("--constants here measures this machine, but the set runs on a guest; leave it out"));
    }
    let of_guest = [DETENT.to_string()];
    known(&[&of_guest, typed].concat(), set, place, true)
}

/// Measures the constants now, briefly and without load. A run under load gives larger, more realistic values.
fn of_here(quiet: bool) -> Result<Vec<Constant>> {
    let (cpu, series) = here::measured(quiet)?;
    let place = format!("measured here on CPU {cpu}");
    Ok(measured(&series).map(|(name, series)| constant(name, series, &place)).collect())
}

fn of_run(place: &str) -> Result<Vec<Constant>> {
    let refused =
        |error: Refusal| usage(format!("--constants {place}: expected RUN, here, detent or NAME=TIME: {error:#}"));
    let run = backwall_store::read(Path::new(place)).map_err(refused)?;
    let found: Vec<Constant> = measured(&run.series).map(|(name, series)| constant(name, series, place)).collect();
    match found.is_empty() {
        true => Err(usage(format!(
            "--constants {place}: the run measured no constant; backwall run and tasks run measure wakeup, osbench \
                row 4.00 (yield) measures switch-in and switch-out"
        ))),
        false => Ok(found),
    }
}

fn measured(all: &[Series]) -> impl Iterator<Item = (&'static str, &Series)> {
    let in_time = || all.iter().filter(|series| series.unit == Unit::Ns && series.max.is_some());
    let most = |is: fn(&Series) -> bool| in_time().filter(|series| is(series)).max_by_key(|series| series.max);
    let wakeup = most(is_wakeup).map(|series| ("wakeup", series));
    let switch = most(is_switch);
    let switches = ["switch-in", "switch-out"].into_iter().filter_map(move |name| Some((name, switch?)));
    wakeup.into_iter().chain(switches)
}

/// Whether a series is a wakeup latency, from a timer's expiry to the thread: the series `wakeup`, or the release of a task
/// whose thread waits for its own timer.
fn is_wakeup(series: &Series) -> bool {
    series.key.name == "wakeup"
        || (series.key.name == TaskRow::RELEASE && series.key.variant.contains_key(TaskRow::TASK))
}

/// Whether a series is the time of a thread switch: between two threads of one process, on one CPU, at the same real-time
/// priority.
fn is_switch(series: &Series) -> bool {
    series.key.variant.get(Operation::TEST).is_some_and(|test| test == here::SWITCH)
}

fn constant(name: &str, series: &Series, place: &str) -> Constant {
    let (load, count) = (&series.key.load, series.counted());
    Constant {
        name: name.to_string(),
        value_ns: series.max.unwrap_or(0),
        statistic: format!("largest under load {load}"),
        count,
        lost: series.unanswered(),
        from: place.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_model::{Key, Span};
    use backwall_stats::SeriesBuilder;

    fn series(name: &str, variant: &[(&str, &str)], load: &str, unit: Unit, values: &[u64]) -> Series {
        let variant = variant.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
        let key = Key { variant, ..Key::new(name, load, "as-is") };
        let mut builder = SeriesBuilder::new(key, Span::new("a", "b", unit));
        values.iter().zip(0..).for_each(|(value, seq)| builder.sample(seq, seq, *value, false));
        builder.build()
    }

    fn found(series: Vec<Series>) -> Vec<(String, u64, u64, String)> {
        let constants = measured(&series).map(|(name, series)| constant(name, series, "x"));
        constants.map(|one| (one.name, one.value_ns, one.count, one.statistic)).collect()
    }

    #[test]
    fn the_worst_of_all_loads_is_the_constant() {
        let none = series("wakeup", &[], "none", Unit::Ns, &[5, 9, 7]);
        let all = series("wakeup", &[], "all", Unit::Ns, &[6, 40]);
        let row = series("yield", &[("test", "4.00")], "none", Unit::Ns, &[3, 4]);
        let other = series("yield", &[("test", "4.01")], "none", Unit::Ns, &[99]);
        let names = |name: &str, value, count, load: &str| {
            (name.to_string(), value, count, format!("largest under load {load}"))
        };
        assert_eq!(
            found(vec![none, all, row, other]),
            [names("wakeup", 40, 2, "all"), names("switch-in", 4, 2, "none"), names("switch-out", 4, 2, "none")]
        );
    }

    #[test]
    fn of_a_name_the_last_counts_and_the_others_are_not_told() {
        let given = |name: &str, value_ns| constants::given(name, value_ns, "x").unwrap();
        let counting = last_of_each(vec![given("wakeup", 60), given("release", 1), given("wakeup", 85)]);
        assert_eq!(counting, [given("wakeup", 85), given("release", 1)]);
    }

    #[test]
    fn what_never_came_is_told_beside_what_did() {
        let mut builder = SeriesBuilder::new(Key::new("wakeup", "none", "as-is"), Span::new("a", "b", Unit::Ns));
        builder.sample(0, 0, 7, false);
        builder.missed(9, 3);
        let all = [builder.build()];
        let constants: Vec<Constant> = measured(&all).map(|(name, series)| constant(name, series, "x")).collect();
        assert_eq!((constants[0].count, constants[0].lost), (1, 3));
    }

    #[test]
    fn instructions_are_no_time_and_a_run_may_have_no_constant() {
        let instructions = series("wakeup", &[], "none", Unit::Instructions, &[5]);
        let isr = series("isr", &[], "none", Unit::Ns, &[5]);
        assert_eq!(found(vec![instructions, isr]), []);
        let release = series("release", &[("task", "control")], "none", Unit::Ns, &[12]);
        assert_eq!(found(vec![release])[0].1, 12);
    }
}
