// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads rt-app's JSON: tasks as loops of events, in microseconds. What a task runs between two timers, or before it sleeps, is
//! one job.
use super::fault::Fault;
use super::format::Format;
use super::relaxed_json::{self, Is, Value};
use super::set::{Lock, Policy, Protocol, Section, Series, Set};
use super::span::Span;

pub const FORMAT: Format = Format { name: "rt-app JSON", begins: |text| text.starts_with(['{', '/']), read };

const US: u64 = 1_000;

const PLAIN: [&str; 3] = ["loop", "comment", "ref"];

fn read(text: &str) -> Result<Set, Fault> {
    let root = relaxed_json::parse(text)?;
    let global = root.get("global");
    let word = |key: &str| global.and_then(|global| global.get(key)).map(Value::word);
    let protocol =
        if matches!(word("pi_enabled"), Some("true" | "1")) { Protocol::Inheritance } else { Protocol::None };
    let tasks = root.get("tasks").ok_or_else(|| Fault::of("tasks", "missing"))?;
    let mut set = Set::default();
    for (name, task) in tasks.entries() {
        let series = one(name, task, word("default_policy").unwrap_or("SCHED_OTHER"))?;
        let copies = task.get("instance").map_or(Some(1), Value::number).filter(|copies| (1..=1_000).contains(copies));
        let copies = copies.ok_or_else(|| Fault::at(task.line, format!("{name}: instance"), "must be 1 to 1000"))?;
        for copy in 0..copies {
            let name = if copies == 1 { name.clone() } else { format!("{name}-{copy}") };
            set.series.push(Series { name, ..series.clone() });
        }
        for held in &series.section {
            if !set.lock.iter().any(|lock| lock.name == held.lock) {
                set.lock.push(Lock { name: held.lock.clone(), protocol });
            }
        }
        if set.series.len() > super::set::MOST {
            return Err(Fault::at(task.line, name.clone(), "too many tasks"));
        }
    }
    Ok(set)
}

#[derive(Default)]
struct Job {
    ran_us: u64,
    period_us: Option<u64>,
    slept_us: Option<u64>,
    held: Vec<(String, u64)>,
    sections: Vec<Section>,
}

fn one(name: &str, task: &Value, default_policy: &str) -> Result<Series, Fault> {
    let at = |line: usize, field: &str, text: String| Fault::at(line, format!("{name}: {field}"), text);
    let mut series = Series { name: name.into(), ..Series::default() };
    let mut named_policy = default_policy;
    let mut job = Job::default();
    let phase = phase(task).map_err(|text| at(task.line, "phases", text))?;
    for (key, value) in task.entries().iter().chain(phase) {
        let number = || value.number().ok_or_else(|| at(value.line, key, "expected a whole number from 0".into()));
        let time = || Ok(Some(Span(number()?.saturating_mul(US))));
        match key.as_str() {
            "policy" => named_policy = value.word(),
            "priority" => series.priority = Some(number()?.try_into().unwrap_or(u32::MAX)),
            "cpus" => series.cpu = only(value).ok_or_else(|| at(value.line, key, "expected one CPU".into()))?,
            // Before 2015 a task had these keys instead of events.
            "period" if job.period_us.is_some() => return Err(at(value.line, key, "expected one period".into())),
            "period" => job.period_us = Some(number()?),
            "deadline" => series.deadline = time()?,
            "delay" => series.offset = time()?.unwrap_or_default(),
            "dl-runtime" => series.runtime = time()?,
            "dl-period" => series.period = time()?,
            "dl-deadline" => series.deadline = time()?,
            "instance" | "phases" => {}
            known if PLAIN.contains(&known) => {}
            _ => event(key, value, &mut job).map_err(|text| at(value.line, key, text))?,
        }
    }
    if let Some((lock, _)) = job.held.first() {
        return Err(at(task.line, "lock", format!("the job does not unlock {lock}")));
    }
    // A job that sleeps after its computation cannot return before both times have passed.
    let apart_us = job.period_us.or(job.slept_us.map(|us| us.saturating_add(job.ran_us)));
    series.period = apart_us.map(|us| Span(us.saturating_mul(US))).or(series.period);
    series.computation = Span(job.ran_us.saturating_mul(US));
    series.section = job.sections;
    series.policy = policy(named_policy).map_err(|text| at(task.line, "policy", text))?;
    series.priority = series.priority.filter(|_| series.policy != Policy::Deadline);
    Ok(series)
}

fn phase(task: &Value) -> Result<&[(String, Value)], String> {
    match task.get("phases").map(Value::entries) {
        None | Some([]) => Ok(&[]),
        Some([(_, phase)]) => Ok(phase.entries()),
        Some(_) => Err("not supported: several phases; write one phase per job".into()),
    }
}

fn policy(name: &str) -> Result<Policy, String> {
    match name {
        "SCHED_FIFO" => Ok(Policy::Fifo),
        "SCHED_RR" => Ok(Policy::Rr),
        "SCHED_DEADLINE" => Ok(Policy::Deadline),
        other => Err(format!("not supported: {other} (has no bound); expected SCHED_FIFO, SCHED_RR or SCHED_DEADLINE")),
    }
}

fn only(cpus: &Value) -> Option<Option<u32>> {
    match &cpus.is {
        Is::List(all) if all.len() == 1 => all[0].number().and_then(|cpu| cpu.try_into().ok()).map(Some),
        _ => cpus.number().and_then(|cpu| cpu.try_into().ok()).map(Some),
    }
}

/// Reads one event. A number at the end of its name has no meaning; rt-app's tools append it to make names unique.
fn event(key: &str, value: &Value, job: &mut Job) -> Result<(), String> {
    if job.slept_us.is_some() {
        return Err("not supported: work after a sleep in one job".into());
    }
    let kind = key.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '-' || letter == '_');
    match kind {
        "run" | "runtime" | "exec" => {
            let us = value.number().ok_or("expected a whole number of microseconds")?;
            job.ran_us = job.ran_us.saturating_add(us);
            job.held.iter_mut().for_each(|held| held.1 = held.1.saturating_add(us));
        }
        "timer" => {
            let period = value.get("period").and_then(Value::number).ok_or("period is missing")?;
            if job.period_us.replace(period).is_some() {
                return Err("not supported: a second timer in one job".into());
            }
        }
        "sleep" if job.period_us.is_some() => return Err("not supported: a sleep and a timer in one job".into()),
        "sleep" => job.slept_us = Some(value.number().ok_or("expected a whole number of microseconds")?),
        "lock" => job.held.push((value.word().to_string(), 0)),
        "unlock" => {
            let place = job.held.iter().position(|held| held.0 == value.word()).ok_or("the job has not locked it")?;
            let (lock, us) = job.held.remove(place);
            job.sections.push(Section { lock, length: Span(us.saturating_mul(US)) });
        }
        _ => return Err("not supported; expected run, runtime, timer, sleep, lock or unlock".into()),
    }
    Ok(())
}
