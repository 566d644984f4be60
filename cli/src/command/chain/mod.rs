// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall chain SPEC [TRACE]`: end-to-end latency through several threads, instance by instance.
mod find;
mod live;
mod stored;

use crate::exit::{Exit, undecided, usage};
use crate::follow::recipes;
use crate::options::{Deadline, RunOutput};
use backwall_ftrace::recording_file::{self, RecordingSummary, named_by_unit};
use backwall_judge::require::{Demands, Rule, outcome_of};
use backwall_model::PlannedSeries;
use backwall_model::units::{self, Nanoseconds, Unit, period};
use backwall_os::console::progress::Activity;
use backwall_os::console::{columns, complain};
use backwall_report::text;
use backwall_report::trace::chained::{self, ChainReport};
use backwall_report::trace::recording;
use backwall_report::wrap::narrow;
use backwall_trace::chain::Chains;
use backwall_trace::chain::follow::CHAINS_MAX;
use backwall_trace::chain::spec::{Spec, Start};
use backwall_trace::chain::tally::Tally;
use backwall_trace::read::stored::OpenRecording;
use backwall_watch::Chain;
use serde_json::json;
use std::path::{Path, PathBuf};

const CLOCKS_DIFFER: &str = "the trace uses the local clock, which may differ between CPUs, so a time between events \
    of two CPUs may be wrong; record with trace-cmd record -C mono";

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Chain, or recipe with chains (with --find: a trace or a PID)
    ///
    /// START > THREAD > ... [> END]. A start is timer THREAD, irq NAME, packet DEVICE, wake THREAD, call THREAD NAME or mark
    /// TEXT. Each thread wakes the next one. A hop may also be softirq NAME, work FUNCTION or a thread of a process as
    /// PID/NAME. If the next hop needs the results of several threads, join them: A + B. polls THREAD is a thread that checks
    /// for work by itself; each THREAD is a thread that takes one instance at a time. An end is sleep (the default), runs,
    /// call NAME, packet DEVICE, wakes THREAD or mark TEXT.
    #[arg(value_name = "SPEC", required_unless_present = "find")]
    spec: Option<String>,
    /// Trace to read instead of recording this machine
    #[arg(value_name = "TRACE", conflicts_with = "duration")]
    trace: Option<PathBuf>,
    /// Propose chains, ready to paste, instead of measuring one
    #[arg(long, conflicts_with_all = ["trace", "require", "deadline", "period"])]
    find: bool,
    /// How long to record [default: until Ctrl-C; with --find 10s]
    #[arg(short = 'D', long, value_name = "TIME", value_parser = units::seconds)]
    duration: Option<Nanoseconds>,
    #[command(flatten)]
    late_after: Deadline,
    /// Expected time between two starts, to count the starts that never came
    #[arg(long, value_name = "TIME", value_parser = period)]
    period: Option<Nanoseconds>,
    #[command(flatten)]
    pub(in crate::command) output: RunOutput,
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    if args.find {
        return find::run(args);
    }
    let specs = specs(args)?;
    let rules = args.output.rules()?;
    let demands = demands(rules, &specs)?;
    match &args.trace {
        Some(trace) => of_recording(args, trace, specs, &demands),
        None => live::run(args, specs, &demands),
    }
}

/// A chain in one line, or the chains of a recipe.
pub(in crate::command) fn specs_of(typed: &str) -> anyhow::Result<Vec<Spec>> {
    match typed.contains('>') {
        true => Ok(vec![Spec::parse(typed).map_err(|error| usage(error.to_string()))?]),
        false => of_recipe(typed),
    }
}

fn specs(args: &Args) -> anyhow::Result<Vec<Spec>> {
    let specs = specs_of(args.spec.as_deref().unwrap_or_default())?;
    let with_options = |spec: Spec| Spec {
        deadline_ns: args.late_after.deadline.map_or(spec.deadline_ns, |deadline| Some(deadline.0)),
        period_ns: args.period.map_or(spec.period_ns, |period| Some(period.0)),
        ..spec
    };
    Ok(specs.into_iter().map(with_options).collect())
}

fn of_recipe(name: &str) -> anyhow::Result<Vec<Spec>> {
    let recipes = recipes::recipes()?;
    let Some(recipe) = recipes.iter().find(|recipe| recipe.name == name) else {
        let hint = units::near::hint(name, recipes.iter().map(|recipe| recipe.name.as_str()));
        return Err(usage(format!(
            "unknown chain '{name}'; expected a chain such as 'timer servo > servo > worker', or the name of a recipe \
                with chains{hint}"
        )));
    };
    let spec = |chain: &Chain| chain.spec().map_err(|error| usage(format!("{name}, {}: {error}", chain.name)));
    let specs: Vec<Spec> = recipe.chains.iter().map(spec).collect::<anyhow::Result<_>>()?;
    if specs.len() > CHAINS_MAX {
        return Err(usage(format!(
            "recipe {name} has {} chains; backwall follows {CHAINS_MAX} at a time",
            specs.len()
        )));
    }
    if specs.is_empty() {
        return Err(usage(format!("recipe {name} has no chain; backwall chain --find proposes one")));
    }
    Ok(specs)
}

fn demands(rules: Vec<Rule>, specs: &[Spec]) -> anyhow::Result<Demands> {
    let keys = specs.iter().flat_map(|spec| Tally::new(spec).keys());
    crate::deliver::applicable(rules, keys.map(|key| PlannedSeries { key, unit: Unit::Ns }).collect())
}

fn of_recording(args: &Args, trace: &Path, specs: Vec<Spec>, demands: &Demands) -> anyhow::Result<Exit> {
    let shown = Activity::begin(!args.output.printing.is_text(), || "reading the recording".to_string());
    let (file, mut stored) = recording_file::open(&backwall_store::meant(trace)?)?;
    let (told, chains) = followed(&file, &mut stored, specs)?;
    drop(shown);
    show(args, &told, &chains, &file)?;
    if args.output.destination.out.is_some() {
        return stored::keep(args, &told, &chains, demands);
    }
    judged(args, &told, &chains, demands)
}

fn followed(file: &Path, stored: &mut OpenRecording, specs: Vec<Spec>) -> anyhow::Result<(RecordingSummary, Chains)> {
    let (timed, about) = (stored.about().is_monotonic(), stored.about());
    let known = |spec: Spec| spec.with_processes(&about.processes);
    let specs = specs.into_iter().map(known).collect::<Result<Vec<Spec>, i32>>().map_err(|process| {
        let what = match about.processes.is_empty() {
            true => format!(
                "the trace does not say which threads belong to process {process}; name the thread by its number"
            ),
            false => format!("no thread of process {process} in this trace"),
        };
        undecided(format!("{}: {what}", file.display()))
    })?;
    let quotas = about.quotas.clone();
    Ok(recording_file::told(file, stored, Chains::new(specs, timed).with_quotas(quotas))?)
}

fn judged(args: &Args, told: &RecordingSummary, chains: &Chains, demands: &Demands) -> anyhow::Result<Exit> {
    let mut run = stored::run_of(args, told, chains);
    run.requirements = demands.judge(&run).map_err(|error| usage(error.to_string()))?;
    run.requirements.iter().filter_map(text::not_passed).for_each(|line| complain(&line));
    let exit = Exit::from(outcome_of(&run.requirements));
    Ok(if run.valid { exit } else { exit.worse(Exit::Undecided) })
}

fn show(args: &Args, told: &RecordingSummary, chains: &Chains, file: &Path) -> anyhow::Result<()> {
    let all = ChainReport::all(chains, told.summary.begin_ns, told.unit);
    let known: Vec<String> = chains.threads().iter().map(|thread| thread.name.to_string()).collect();
    let why: Vec<Option<String>> =
        all.iter().map(|one| lacks(one.spec, told).or_else(|| chained::missing(one, &known))).collect();
    if let (true, Some(why)) = (why.iter().all(Option::is_some), why.iter().flatten().next()) {
        return Err(undecided(format!("{}: {why}", file.display())));
    }
    let clock = (told.clock.as_deref() == Some("local")).then(|| CLOCKS_DIFFER.to_string());
    let value = || {
        let chains: Vec<_> = all.iter().map(chained::json).collect();
        let whole = json!({
            "file": told.file, "unit": told.unit, "form": told.form, "lost": told.lost, "gaps": told.gaps,
            "notes": told.notes.iter().chain(&clock).collect::<Vec<_>>(), "chains": chains,
        });
        named_by_unit(whole, told.unit)
    };
    args.output.printing.show(value, || {
        let missing = recording::Missing { lost: told.lost, gaps: told.gaps, wrapped: told.wrapped };
        let several = all.len() > 1;
        let each = all.iter().zip(&why).map(|(one, why)| {
            let head = if several { format!("{}\n", one.spec.name) } else { String::new() };
            head + &why.as_ref().map_or_else(|| chained::text(one), |why| format!("{why}\n"))
        });
        let each: Vec<String> = each.collect();
        let notes: String = told.notes.iter().chain(&clock).map(|note| format!("note: {note}\n")).collect();
        narrow(&(missing.incomplete() + &each.join("\n") + &notes), columns())
    })
}

fn lacks(spec: &Spec, told: &RecordingSummary) -> Option<String> {
    let has = |event: &str| told.by_name.keys().any(|name| name.ends_with(event));
    let record = format!("record with: backwall chain '{spec}' --duration 1m");
    let missing = |what: &str| Some(format!("no {what} events, so the chain '{spec}' cannot be followed; {record}"));
    if told.summary.switches == 0 {
        return missing("sched_switch");
    }
    if told.summary.wakings == 0 {
        return missing("sched_waking");
    }
    let timers = has("hrtimer_expire_entry") && has("hrtimer_start");
    match &spec.start {
        Start::Timer(_) if told.unit == Unit::Ns && !timers => missing("hrtimer_start and hrtimer_expire_entry"),
        Start::Timer(thread) if told.clock.as_deref().is_some_and(|clock| clock != "mono") => Some(format!(
            "the recording's clock is {}, but timers use mono; start the chain with 'wake {thread}'",
            told.clock.as_deref().unwrap_or_default()
        )),
        Start::Timer(thread) if told.unit == Unit::Ns && told.clock.is_none() => Some(format!(
            "the recording does not name its clock, and timers use mono; start the chain with 'wake {thread}', or \
                record a trace.dat"
        )),
        Start::Interrupt(_) if !(has("irq_handler_entry") || has("_entry")) => missing("irq_handler_entry"),
        Start::Packet(_) if !has("netif_receive_skb") => missing("netif_receive_skb"),
        _ if spec.packets().1 && !has("net_dev_queue") => missing("net_dev_queue"),
        _ if spec.has_mark() && !(has("print") || has("tracing_mark_write")) => missing("print (trace_marker)"),
        _ => {
            let call = spec
                .calls()
                .into_iter()
                .find(|call| !has(&format!("sys_enter_{call}")) && !has(&format!("sys_{call}")));
            call.and_then(|call| missing(&format!("sys_enter_{call}")))
        }
    }
}
