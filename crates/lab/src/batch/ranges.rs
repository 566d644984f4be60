// SPDX-License-Identifier: MIT OR Apache-2.0
//! Splits a sweep into parts, each a scenario with a range of the instants, and computes the figures of the whole sweep from its
//! parts.
//!
//! A guest that behaves the same after each mark gives the same answers in parts as in one run. A guest with a history, such as
//! Linux, has a different history in each part: the result is a sweep of the same number of instants, but not the same sweep.
use crate::generator::{Generator, Shape};
use crate::scenario::Scenario;
use backwall_model::results::Sweep;

pub type Part = (String, String);

/// The parts of a sweep, in order of their instants.
///
/// # Errors
/// One line that says why the sweep cannot be split.
pub fn split(scenario: &Scenario, text: &str, ranges: u64) -> Result<Vec<Part>, String> {
    let mut table: toml::Table = toml::from_str(text).map_err(|error| error.message().to_string())?;
    let sweep = scenario.sweep.as_ref().ok_or("add [sweep], the table that says from when arrivals are counted")?;
    let [(letter, generator)] = &scenario.generator.used().collect::<Vec<_>>()[..] else {
        return Err("a sweep in ranges must have one generator".to_string());
    };
    if ranges > generator.count {
        return Err(format!("{ranges} ranges exceed the {} arrivals of the sweep", generator.count));
    }
    let walk = walk(generator, sweep.period)?;
    let mut parts = Vec::new();
    let mut first = 0;
    for number in 1..=ranges {
        let count = generator.count / ranges + u64::from(number <= generator.count % ranges);
        let letter = letter.to_string();
        let generated =
            table.get_mut("generator").and_then(|all| all.get_mut(&letter)).and_then(|one| one.as_table_mut());
        let generated = generated.ok_or("[generator] must be a table")?;
        let (key, value) = walk.begin(first);
        for (key, value) in [(key, value), ("count", count)] {
            generated.insert(key.to_string(), toml::Value::Integer(value as i64));
        }
        if let Some(period) = sweep.period {
            let swept =
                table.get_mut("sweep").and_then(|sweep| sweep.as_table_mut()).ok_or("[sweep] must be a table")?;
            let from = (sweep.from + first * walk.stride) % period.max(1);
            swept.insert("from".to_string(), toml::Value::Integer(from as i64));
        }
        parts.push((format!("{}-range-{number}-of-{ranges}", scenario.name), table.to_string()));
        first += count;
    }
    Ok(parts)
}

struct Walk {
    key: &'static str,
    start: u64,
    apart: u64,
    stride: u64,
}

impl Walk {
    fn begin(&self, first: u64) -> (&'static str, u64) {
        (self.key, self.start + first * self.apart)
    }
}

/// The arrivals must be in order of time, so that the gap between two parts is known.
fn walk(generator: &Generator, period: Option<u64>) -> Result<Walk, String> {
    let step = generator.step();
    match (generator.shape, period) {
        (Shape::Mark, None) if step > 0 => {
            Ok(Walk { key: "period", start: generator.period, apart: step, stride: step })
        }
        (Shape::Periodic, Some(period)) => {
            let apart = generator.period + step;
            let stride = apart % period.max(1);
            if stride == 0 || generator.pulses().saturating_mul(stride) > period {
                return Err("arrivals are not in time order, so a sweep in ranges cannot run".to_string());
            }
            let (key, start) = match generator.start {
                Some(start) => ("start", start),
                None => ("delay", generator.delay.unwrap_or(generator.period)),
            };
            Ok(Walk { key, start, apart, stride })
        }
        _ => Err(
            "a sweep in ranges needs either shape = \"mark\" and a step in the generator, or shape = \"periodic\" in \
            the generator and a period in [sweep]"
                .to_string(),
        ),
    }
}

/// The figures of a whole sweep from its parts. `None` if there are no parts, or if two parts overlap (for example
/// parts with two seeds), because the untried instants are then unknown.
pub fn whole(parts: &[Sweep]) -> Option<Sweep> {
    let sum = |of: fn(&Sweep) -> u64| parts.iter().map(of).sum();
    let floor = parts.iter().filter_map(|part| part.floor).min();
    let worst = parts.iter().filter_map(|part| part.worst).max();
    Some(Sweep {
        arrivals: sum(|part| part.arrivals),
        missed: sum(|part| part.missed),
        untried: untried(parts)?,
        first: parts.iter().filter_map(|part| part.first).min(),
        last: parts.iter().filter_map(|part| part.last).max(),
        floor,
        worst,
        worst_at: parts.iter().filter(|part| part.worst == worst).filter_map(|part| part.worst_at).min(),
        spread: worst.zip(floor).map(|(worst, floor)| worst - floor),
    })
}

fn untried(parts: &[Sweep]) -> Option<u64> {
    let mut spans: Vec<(u64, u64)> = parts.iter().filter_map(|part| Some((part.first?, part.last?))).collect();
    spans.sort_unstable();
    let between = spans.windows(2).map(|pair| pair[1].0.checked_sub(pair[0].1)?.checked_sub(1)).sum::<Option<u64>>()?;
    (!spans.is_empty()).then(|| parts.iter().map(|part| part.untried).sum::<u64>() + between)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARK: &str = "about = \"x\"\nguest = \"bare:masked-irq7-50\"\n[generator.a]\nshape = \"mark\"\nperiod = 1\nstep = 2\ncount = 10\n[sweep]\n";
    const PHASE: &str = "about = \"x\"\nguest = \"bare:answer-irq7\"\n[generator.a]\nshape = \"periodic\"\nperiod = 1000\nstep = 3\nwarmup = 5\ncount = 100\n[sweep]\nperiod = 1000\n";

    fn parts(text: &str, ranges: u64) -> Result<Vec<Scenario>, String> {
        let scenario = Scenario::parse("s", text).unwrap();
        let split = split(&scenario, text, ranges)?;
        Ok(split.iter().map(|(name, text)| Scenario::parse(name, text).unwrap()).collect())
    }

    fn instants(scenario: &Scenario) -> Vec<u64> {
        let (_, generator) = scenario.generator.used().next().unwrap();
        let sweep = scenario.sweep.as_ref().unwrap();
        let at = |pulse: u64| match sweep.period {
            None => generator.period + pulse * generator.step(),
            Some(period) => (sweep.from + pulse * (generator.period + generator.step())) % period,
        };
        (generator.warmup..generator.pulses()).map(at).collect()
    }

    #[test]
    fn the_parts_have_every_instant_of_the_whole_once_and_in_order() {
        for (text, ranges) in [(MARK, 1), (MARK, 3), (MARK, 10), (PHASE, 7)] {
            let whole = instants(&Scenario::parse("s", text).unwrap());
            let parts = parts(text, ranges).unwrap();
            assert_eq!(parts.iter().flat_map(instants).collect::<Vec<_>>(), whole, "{ranges}");
            assert_eq!((parts.len() as u64, parts[0].name.clone()), (ranges, format!("s-range-1-of-{ranges}")));
        }
        assert_eq!(parts(PHASE, 2).unwrap()[1].generator.used().next().unwrap().1.delay, Some(1_000 + 50 * 1_003));
    }

    #[test]
    fn what_cannot_be_parted_is_refused_with_the_reason() {
        let around = PHASE.replace("count = 100", "count = 1000");
        for (text, ranges, says) in [
            (MARK, 11, "11 ranges exceed the 10 arrivals of the sweep"),
            (&around, 2, "not in time order"),
            (&MARK.replace("[sweep]", ""), 2, "add [sweep]"),
            (&MARK.replace("step = 2", "step = 0"), 2, "and a step"),
        ] {
            assert!(parts(text, ranges).unwrap_err().contains(says), "{text}");
        }
    }

    #[test]
    fn the_whole_has_the_ends_of_all_parts_and_what_none_of_them_tried() {
        let part = |first: u64, last: u64, untried: u64, floor: u64, worst: (u64, u64)| Sweep {
            arrivals: last - first + 1 - untried,
            missed: untried,
            untried,
            first: Some(first),
            last: Some(last),
            floor: Some(floor),
            worst: Some(worst.0),
            worst_at: Some(worst.1),
            spread: Some(worst.0 - floor),
        };
        let parts = [part(10, 19, 2, 5, (40, 15)), part(0, 8, 0, 6, (40, 3)), part(20, 29, 0, 7, (9, 21))];
        let found = whole(&parts).unwrap();
        assert_eq!((found.arrivals, found.missed, found.untried), (27, 2, 3));
        assert_eq!((found.worst_at, found.spread, found.last), (Some(3), Some(35), Some(29)));
        let over = [part(0, 9, 0, 1, (2, 0)), part(0, 9, 0, 1, (2, 0))];
        assert_eq!(whole(&over), None, "of two seeds nobody knows what both left out");
        assert_eq!(whole(&[]), None);
    }
}
