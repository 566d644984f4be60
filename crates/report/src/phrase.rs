// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a run's values read in words: one spelling for the table, the verdict and the page.
use super::axis::short_time;
use super::trace::accused;
use backwall_capture::connector;
use backwall_model::units::ranges::listed;
use backwall_model::units::{DisplayedValue, Unit, grouped, tenths};
use backwall_model::{
    CauseTotal, IDLE_AS_IS, InvalidPhase, Key, LoadProgress, NO_LOAD, Origin, Overrun, Plan, Policy, Quantile, Run,
    Series, Stages, TracingCost, Worst, shell,
};

pub const BACK_WALL: &str = "The back wall is the largest latency observed, for this load and this many samples. It is \
    not a bound: a longer run may find a larger one.";

pub const TOO_FEW: &str = "too few";

/// A count; an unknown one is never shown as a number.
pub fn count(count: Option<u64>) -> String {
    count.map_or("unknown".to_string(), grouped)
}

pub fn is_chain(series: &Series) -> bool {
    series.key.name == backwall_trace::chain::tally::SERIES
}

/// Whether a series is of a thread followed in the kernel's trace, and not of a probe.
pub fn is_attached(series: &Series) -> bool {
    series.key.name == "attached"
}

/// Name of stimuli without a response: missed releases, or wakeups with an unseen end.
pub fn lost_name(series: &Series) -> &'static str {
    if is_attached(series) { "not seen to their end" } else { "missed" }
}

const CAUSES: usize = 4;

const BLAMES: usize = 3;

/// A value with its unit: `112.0 us`, `42,159 instructions`.
pub fn value(value: u64, unit: Unit) -> String {
    match unit {
        Unit::Ns => DisplayedValue(value, unit).to_string(),
        Unit::Instructions => format!("{} instructions", grouped(value)),
    }
}

/// A bare figure for a column whose unit is [`column_unit`]: `112.0`, `42,159`.
pub fn figure(value: u64, unit: Unit) -> String {
    match unit {
        Unit::Ns => tenths(value as f64 / 1e3),
        Unit::Instructions => grouped(value),
    }
}

/// A quantile for a column, with `≤` if it is the bound of a wide histogram bucket.
pub fn quantile_figure(value: u64, series: &Series) -> String {
    let mark = if series.is_edge(value) { AT_MOST } else { "" };
    format!("{mark}{}", figure(value, series.unit))
}

/// The maximum for a column, with `≤` if it is the last histogram bucket's bound, or a threshold that no response exceeded.
pub fn max_figure(series: &Series) -> String {
    let of_none = || series.threshold.map_or("-".to_string(), |most| format!("{AT_MOST}{}", figure(most, series.unit)));
    let mark = if max_is_edge(series) { AT_MOST } else { "" };
    series.max.map_or_else(of_none, |max| format!("{mark}{}", figure(max, series.unit)))
}

/// Whether the true maximum may be smaller than the one shown.
fn max_is_edge(series: &Series) -> bool {
    series.edges && series.extremes().is_some_and(|[_, (low, high)]| low < high)
}

/// The maximum with its unit, with `≤` if it is the bound of the last histogram bucket.
pub fn max_value(series: &Series) -> Option<String> {
    let mark = if max_is_edge(series) { AT_MOST } else { "" };
    series.max.map(|max| format!("{mark}{}", value(max, series.unit)))
}

/// The minimum for a column, with `≥` if it is the bound of the first histogram bucket.
pub fn min_figure(series: &Series) -> String {
    let mark = if series.edges { AT_LEAST } else { "" };
    series.min.map_or("-".to_string(), |min| format!("{mark}{}", figure(min, series.unit)))
}

/// Precedes a figure that is the upper bound of a histogram bucket.
pub const AT_MOST: &str = "≤";
/// Precedes a figure that is the lower bound of a histogram bucket.
pub const AT_LEAST: &str = "≥";

pub fn mean_figure(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Ns => tenths(value / 1e3),
        Unit::Instructions => tenths(value),
    }
}

pub fn column_unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Ns => "us",
        Unit::Instructions => "instructions",
    }
}

/// A quantile's share in percent without needless zeros: `50`, `99.99`.
pub fn percent(q: f64) -> String {
    let text = format!("{:.7}", q * 100.0);
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// A quantile's name: `p50`, `p99.99`.
pub fn quantile_name(q: f64) -> String {
    format!("p{}", percent(q))
}

/// The highest quantile with an upper confidence limit; if none has one, the highest with a value.
pub fn highest_quantile(series: &Series) -> Option<(&Quantile, u64)> {
    let known = series.quantiles.iter().filter_map(|quantile| Some((quantile, quantile.value?)));
    known.max_by(|(a, _), (b, _)| a.high.is_some().cmp(&b.high.is_some()).then(a.q.total_cmp(&b.q)))
}

/// The highest quantile that the samples bound from above, with that limit.
pub fn highest_bounded(series: &Series) -> Option<(f64, u64)> {
    let bounded = series.quantiles.iter().filter_map(|quantile| Some((quantile.q, quantile.value.and(quantile.high)?)));
    bounded.max_by(|(a, _), (b, _)| a.total_cmp(b))
}

/// Name of a phase, with the series' variant: `load spin`, `idle, C-states off, CPU 3`.
pub fn phase(series: &Series) -> String {
    phase_of(&series.key)
}

pub fn phase_of(key: &Key) -> String {
    phase_with(key, |load| if load == InvalidPhase::ALL { "all loads".to_string() } else { format!("load {load}") })
}

/// A series among others of several names: `all loads`, `ist, idle`.
pub fn series_of(key: &Key) -> String {
    let phase = phase_of(key);
    match key.name.as_str() {
        "wakeup" => phase,
        name if phase == WHOLE || phase == name => name.to_string(),
        name => format!("{name}, {phase}"),
    }
}

/// The mark after the phase of an invalid figure; empty for a valid one.
pub fn doubtful(run: &Run, key: &Key) -> &'static str {
    if run.no_evidence_of(key).is_some() { ", no evidence" } else { "" }
}

/// As [`phase`], short enough for a column: `idle`, `spin, C-states off`.
pub fn short_phase(key: &Key) -> String {
    phase_with(key, |load| if load == InvalidPhase::ALL { "all loads".to_string() } else { load.to_string() })
}

/// As [`phase`], but `named` spells the load. The text leaves out a setting that is unknown or was left as it was. If no setting
/// is known, the phase is `all`.
pub fn phase_with(key: &Key, named: impl Fn(&str) -> String) -> String {
    let load = match key.load.as_str() {
        NO_LOAD => Some("idle".to_string()),
        "as-found" | "unknown" | "" => None,
        load => Some(named(load)),
    };
    let idle = match key.idle.as_str() {
        "" | "unknown" | IDLE_AS_IS => None,
        idle => Some(format!("C-states {idle}")),
    };
    let cpu = key.cpu.map(|cpu| format!("CPU {cpu}"));
    // What a chain is called needs no word before it.
    let variant = key.variant.iter().map(|(name, value)| match name.as_str() {
        "name" => value.clone(),
        name => format!("{name} {value}"),
    });
    let parts: Vec<String> = load.into_iter().chain(idle).chain(cpu).chain(variant).collect();
    if parts.is_empty() { WHOLE.to_string() } else { parts.join(", ") }
}

const WHOLE: &str = "all";

/// The measured processors of a plan: `CPU 1`, or `CPU 0,2-3` of several.
pub fn processors(plan: &Plan) -> Option<String> {
    let mut cpus = plan.cpus.clone();
    cpus.extend(plan.cpu);
    cpus.sort_unstable();
    cpus.dedup();
    (!cpus.is_empty()).then(|| format!("CPU {}", listed(cpus.into_iter())))
}

pub fn first_way(ways: &str) -> &str {
    ways.split("; ").next().unwrap_or(ways)
}

/// The response that ended the run: the one with a recorded cause, because further late responses may follow before the
/// measurement stops.
pub fn crossing(run: &Run) -> Option<&Worst> {
    let all = || run.series.iter().flat_map(|series| &series.worst);
    let recorded = all().filter(|worst| worst.blame.is_some()).max_by_key(|worst| worst.value);
    recorded.or_else(|| all().max_by_key(|worst| worst.value))
}

/// The response that ended the run, and its cause if known; `None` unless `--stop-above` ended it.
pub fn crossed(run: &Run) -> Option<String> {
    let limit = run.plan.stop_above_ns.filter(|_| run.crossed())?;
    let worst = crossing(run)?;
    let why = worst.blame.as_ref().map_or(String::new(), |blame| format!(": {}", accused::line(blame, worst.value)));
    let (limit, worst) = (value(limit.0, Unit::Ns), value(worst.value, Unit::Ns));
    Some(format!("ended by --stop-above {limit}: a response took {worst}{why}"))
}

/// As [`phase`], inside a sentence and with a space before it: ` under load spin`, ` while idle`; empty if no setting of the
/// phase is known.
pub fn under_phase(series: &Series) -> String {
    during(&phase(series))
}

pub fn during(phase: &str) -> String {
    match phase {
        WHOLE => String::new(),
        phase if phase.starts_with("load ") || phase.starts_with("all loads") => format!(" under {phase}"),
        phase if phase.starts_with("idle") => format!(" while {phase}"),
        phase if phase.starts_with("CPU ") => format!(" on {phase}"),
        phase => format!(" of {phase}"),
    }
}

pub fn from_to(series: &Series) -> String {
    format!("{} to {}", point(&series.from), point(&series.to))
}

fn point(name: &str) -> String {
    let (response, rest) = name.split_at(name.find(' ').unwrap_or(name.len()));
    let shown = match connector::response(response) {
        Some(connector::APP) => "application",
        _ if name == "expiry" => "timer",
        _ => connector::shown(response),
    };
    format!("{shown}{rest}")
}

/// The probe's scheduling, such as `SCHED_FIFO 95`; empty if the plan has none. In a best-effort run the kernel may have
/// refused it.
pub fn priority(run: &Run) -> Option<String> {
    let named = match run.plan.policy {
        Some(Policy::Deadline) => {
            let runtime = run.plan.runtime_ns.zip(run.plan.period_ns);
            let warranted = runtime.map(|(runtime, period)| {
                format!(" {} of each {}", DisplayedValue(runtime.0, Unit::Ns), DisplayedValue(period.0, Unit::Ns))
            });
            return Some(format!("SCHED_DEADLINE{}", warranted.unwrap_or_default()));
        }
        Some(Policy::Rr) => Some("SCHED_RR"),
        _ => run.device.scheduler(),
    };
    if run.series.first().is_some_and(is_attached) {
        return run.plan.priority.map(|priority| format!("real-time {priority}"));
    }
    match (named, run.plan.priority?) {
        (Some(_), 0) => Some("ordinary priority".to_string()),
        (Some(scheduler), priority) if !run.valid && run.plan.best_effort => {
            Some(format!("{scheduler} {priority} requested"))
        }
        (Some(scheduler), priority) => Some(format!("{scheduler} {priority}")),
        (None, 0) => None,
        (None, priority) => Some(format!("priority {priority}")),
    }
}

/// Options of `watch` that take no value.
const SWITCHES: [&str; 8] = ["--live", "--json", "--quiet", "-q", "--verbose", "-v", "-qv", "-vq"];

/// The application of a `watch` as it was typed; `None` for other commands, and for one after `--`.
pub fn watched_app(run: &Run) -> Option<&str> {
    let mut words = run.command.iter().skip(1).map(String::as_str);
    words.next().filter(|word| *word == "watch")?;
    while let Some(word) = words.next() {
        let is_short = word.starts_with('-') && !word.starts_with("--");
        let is_complete = word.contains('=') || SWITCHES.contains(&word) || is_short && word.len() > 2;
        match word {
            "--" => return None,
            _ if !word.starts_with('-') => return Some(word),
            _ if !is_complete => drop(words.next()),
            _ => {}
        }
    }
    None
}

/// The command line, quoted for a shell, without the program's folder.
pub fn typed(run: &Run) -> String {
    let (program, words) =
        run.command.split_first().map_or(("", &[][..]), |(program, words)| (program.as_str(), words));
    let program = program.rsplit('/').next().unwrap_or(program).to_string();
    shell::line(&std::iter::once(program).chain(words.iter().cloned()).collect::<Vec<_>>())
}

/// The system's name and the kernel's release: `Linux 6.18.44`. The page shows the rest of the version.
pub fn system(run: &Run) -> String {
    let kernel = if run.device.kernel.is_empty() { "unknown kernel" } else { &run.device.kernel };
    run.device.linux_release().map_or(kernel.to_string(), |release| format!("Linux {release}"))
}

/// As [`system`], without the distribution's suffix, except `rt`.
pub fn short_system(run: &Run) -> String {
    let whole = system(run);
    let (version, suffix) = whole.split_once('-').unwrap_or((&whole, ""));
    let rt = if suffix.split(['-', '_']).any(|part| part.starts_with("rt")) { "-rt" } else { "" };
    format!("{version}{rt}")
}

/// The processor of the device, with its board and the number of processors: `AMD EPYC (2 processors)`.
pub fn processor(run: &Run) -> String {
    let name = if run.device.cpu.is_empty() { "unknown CPU" } else { &run.device.cpu };
    let model = match run.device.more.get(backwall_model::processor::BOARD) {
        Some(board) => format!("{name}, {board}"),
        None => name.to_string(),
    };
    match run.device.cpus {
        0 => model,
        1 => format!("{model} (1 CPU)"),
        several => format!("{model} ({several} CPUs)"),
    }
}

pub fn clock(run: &Run) -> String {
    let name = if run.device.clock.is_empty() { "unknown clock" } else { &run.device.clock };
    match run.device.clock_hz {
        0 => name.to_string(),
        hz => format!("{name}, {} counts a second", grouped(hz)),
    }
}

pub fn origin(origin: Origin) -> &'static str {
    match origin {
        Origin::Measured => "measured",
        Origin::Emulated => "emulated: figures are executed instructions, not time",
        Origin::Simulated => "simulated: figures come from a model or a scripted clock, not from a machine",
        Origin::Imported => "imported from another tool's file",
    }
}

pub fn overrun(plan: &Plan) -> Option<&'static str> {
    Some(match plan.overrun? {
        Overrun::Skip => {
            "skip: releases that came due during a late response count as missed; the next release is the first in the \
                future"
        }
        Overrun::Queue => {
            "queue: releases that came due during a late response are answered one after the other; each latency \
                counts from its own release"
        }
    })
}

/// Measured length, and the planned one if known: `9.2 h of 24 h`.
pub fn measured(run: &Run) -> String {
    let seconds = |seconds: f64| short_time(seconds * 1e9);
    match run.plan.whole_ns {
        Some(whole) => format!("{} of {}", seconds(run.seconds), short_time(whole.0 as f64)),
        None => seconds(run.seconds),
    }
}

/// Period of each rate of a load: `second`, or `32 s` in a long run.
pub fn rate_seconds(loads: &[LoadProgress]) -> String {
    let (least, most) =
        loads.iter().fold((u64::MAX, 1), |(least, most), load| (least.min(load.each_s), most.max(load.each_s)));
    match (least, most) {
        (_, 1) => "second".to_string(),
        (least, most) if least == most => format!("{most} s"),
        (least, most) => format!("{least} to {most} s"),
    }
}

/// Steal time in one sentence, and its meaning for the maximum.
pub fn steal(ticks: u64) -> String {
    match ticks {
        0 => "no steal ticks: as far as the kernel knows, no hypervisor took CPU time".to_string(),
        1 => "1 steal tick (10 ms): the hypervisor, not this kernel, may have caused the maximum".to_string(),
        several => format!(
            "{} steal ticks (10 ms each): the hypervisor, not this kernel, may have caused the maximum",
            grouped(several)
        ),
    }
}

pub fn blames(stages: &Stages) -> impl Iterator<Item = String> {
    stages.worst.iter().filter_map(|worst| Some(accused::line(worst.blame.as_ref()?, worst.value))).take(BLAMES)
}

pub fn causes(stages: &Stages) -> Option<String> {
    let ranked = stages.ranked();
    let of = grouped(stages.blamed);
    let (shown, rest) = ranked.split_at(ranked.len().min(CAUSES));
    let time = |ns: u64| DisplayedValue(ns, Unit::Ns);
    let each = |cause: &&CauseTotal| {
        format!("{} of {of} {} ({} together)", grouped(cause.largest_in), accused::total(cause), time(cause.ns))
    };
    let parts: Vec<String> = shown.iter().map(each).collect();
    let rest = rest.iter().fold(0u64, |sum, cause| sum.saturating_add(cause.ns));
    let rest = if rest > 0 { format!("; {} of other causes", time(rest)) } else { String::new() };
    (!parts.is_empty()).then(|| format!("the {of} worst: {}{rest}", parts.join("; ")))
}

pub fn top_cause(stages: &Stages) -> Option<&CauseTotal> {
    stages.ranked().first().copied()
}

/// In how many responses backwall inferred the switch, as the end of a clause; empty if in none.
pub fn inferred(stages: &Stages) -> String {
    let count = stages.inferred;
    if count == 0 {
        String::new()
    } else {
        format!(" (in {} of them backwall inferred the switch to the thread)", grouped(count))
    }
}

/// Cost of tracing, as the end of a sentence; empty if not measured.
pub fn tracing_cost(stages: &Stages) -> String {
    let us = |ns: i64| format!("{:+.1}", ns as f64 / 1e3);
    let shown = |cost: &TracingCost| {
        let percent = 100.0 * cost.confidence;
        let (ns, low, high) = (us(cost.ns), us(cost.low_ns), us(cost.high_ns));
        format!(", tracing costs {ns} us at the median ({low} to {high} at {percent:.0} %, {} pairs)", cost.pairs)
    };
    stages.tracing_cost.as_ref().map(shown).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_named_without_needless_digits() {
        let names: Vec<String> = [0.5, 0.99, 0.999, 0.9999, 0.99999, 0.999999].map(quantile_name).to_vec();
        assert_eq!(names, ["p50", "p99", "p99.9", "p99.99", "p99.999", "p99.9999"]);
    }

    #[test]
    fn a_processor_is_named_with_its_board() {
        let plan = backwall_model::Plan::default();
        let mut run = Run::begin(Origin::Measured, plan, Vec::new(), jiff::Timestamp::UNIX_EPOCH);
        assert_eq!(processor(&run), "unknown CPU");
        (run.device.cpu, run.device.cpus) = ("Arm Cortex-A72".to_string(), 4);
        assert_eq!(processor(&run), "Arm Cortex-A72 (4 CPUs)");
        run.device.say(backwall_model::processor::BOARD, "Raspberry Pi 4 Model B Rev 1.4");
        assert_eq!(processor(&run), "Arm Cortex-A72, Raspberry Pi 4 Model B Rev 1.4 (4 CPUs)");
    }

    #[test]
    fn instructions_are_never_written_as_time() {
        assert_eq!(value(42_159, Unit::Instructions), "42,159 instructions");
        assert_eq!(figure(42_159, Unit::Instructions), "42,159");
        assert_eq!(value(112_000, Unit::Ns), "112.0 us");
        assert_eq!((value(3_204_511, Unit::Ns), figure(3_204_511, Unit::Ns)), ("3,204.5 us".into(), "3,204.5".into()));
    }
}
