// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall watch`: measures an application's own real-time threads and reports every minute who delayed them.
mod run_delay;
mod threads;

use super::run::checkpoints;
use crate::deliver::{self, Output};
use crate::exit::{Exit, unable, usage};
use crate::follow::late::Log;
use crate::follow::live::Live;
use crate::follow::own::Own;
use crate::follow::{Following, Served, Target, Teller, chains, recipes};
use crate::invocation;
use crate::options::{CyclictestHistogram, Deadline, Metrics, RunOutput, Seed, Verbose};
use backwall_formats::export::cyclictest;
use backwall_ftrace::RINGS_MIB_MAX;
use backwall_judge::require::Demands;
use backwall_model::units::{self, Nanoseconds};
use backwall_model::{Origin, Run};
use backwall_os::Stop;
use backwall_os::console::complain;
use backwall_os::container::Container;
use backwall_report::watch as words;
use backwall_runner::attached::attachee::{self, this_device};
use backwall_watch::Recipe;
use jiff::Timestamp;
use serde_json::json;
use std::ffi::OsString;
use std::time::{Duration, Instant};

const FOREVER: Duration = Duration::from_secs(365 * 24 * 3_600);

#[derive(clap::Args, Debug)]
#[command(disable_help_flag = true)]
pub struct Args {
    /// A recipe, a process by number or name, or threads (see --help)
    ///
    /// A recipe's name (--list), or the number or name of a process, which may start later. Also a thread by number or name,
    /// thread:NAME, process:PID for all its threads, or several of these with commas between.
    #[arg(value_name = "APP", required_unless_present_any = ["command", "list"])]
    pub(in crate::command) app: Option<String>,
    /// List the recipes
    ///
    /// The list has backwall's own recipes, those of /etc/backwall/recipes, and yours in ~/.config/backwall/recipes.
    #[arg(long, conflicts_with_all = ["app", "command"])]
    list: bool,
    /// How long to measure [default: until the application ends, or Ctrl-C]
    #[arg(short = 'D', long, value_name = "TIME", value_parser = units::seconds)]
    duration: Option<Nanoseconds>,
    /// Time between two reports
    #[arg(long, value_name = "TIME", default_value = "1m", value_parser = units::seconds)]
    every: Nanoseconds,
    #[command(flatten)]
    late_after: Deadline,
    /// MiB of kernel buffers on all CPUs together [default: 8]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..=i64::from(RINGS_MIB_MAX)))]
    buffer: Option<u32>,
    #[command(flatten)]
    cyclictest: CyclictestHistogram,
    #[command(flatten)]
    metrics: Metrics,
    /// Serve the run so far as a page on this port of 127.0.0.1; 0 is any free port
    #[arg(long, value_name = "PORT")]
    page: Option<u16>,
    /// Draw the maximum, its cause, each thread and a histogram every second
    ///
    /// Without a terminal, backwall prints these figures with each report.
    #[arg(long)]
    live: bool,
    /// Command to start and watch, after --
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "app")]
    command: Vec<OsString>,
    #[command(flatten)]
    pub(in crate::command) output: RunOutput,
    #[command(flatten)]
    pub(in crate::command) seed: Seed,
    #[command(flatten)]
    pub(in crate::command) verbose: Verbose,
}

/// Lists the recipes, or watches to the end and delivers the result as a run.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    if args.list {
        let all = recipes::recipes()?;
        let row = |recipe: &Recipe| json!({ "name": recipe.name, "about": recipe.about, "late": recipe.late });
        args.output.printing.show(|| all.iter().map(row).collect::<Vec<_>>(), || words::list(&all))?;
        return Ok(Exit::Done);
    }
    refuse_nothing(args)?;
    if let Some(command) = sudo()? {
        return match run_delay::is_enough(args) {
            true => run_delay::run(args, &command),
            false => Err(unable(format!("watch needs the kernel's trace, which needs root: sudo {command}"))),
        };
    }
    if let Some(named) = threads::named(args)? {
        return threads::run(args, &named);
    }
    let rules = args.output.rules()?;
    let target = Target::of(args.app.as_deref(), &args.command)?;
    // Refuse an unusable folder now, not after the application has started.
    let folder = args.output.folder("watch", Timestamp::now())?;
    let stop = Stop::on_signals()?;
    let every = Duration::from_nanos(args.every.0);
    let page = args.page.map(|port| Served::begin(port, every)).transpose()?;
    if let Some(page) = &page {
        complain(&format!("live page: {}", page.address()));
    }
    let over = Instant::now() + args.duration.map_or(FOREVER, |until| Duration::from_nanos(until.0));
    let deadline_ns = args.late_after.deadline.map(|deadline| deadline.0);
    let (has_end, quiet) = (args.duration.is_some(), args.output.printing.quiet);
    let chains = &chains::of(target.recipe(), quiet);
    let buffer_mib = args.buffer;
    let following = Following { target: &target, stop: &stop, over, has_end, deadline_ns, chains, buffer_mib, quiet };
    let all = following.wait()?;
    refuse_in_container()?;
    let log = deadline_ns.map(|deadline_ns| Log::begin(&folder, deadline_ns)).transpose()?;
    let checkpoints = checkpoints(Duration::ZERO, args.metrics.metrics.as_deref(), &folder)?;
    let own = Own::begin(target.recipe(), &folder)?;
    let teller = Teller::begin(every, log, checkpoints, page, (args.live.then(Live::begin), own));
    let planned = threads::plan(args, &all);
    let begun = || {
        let run = Run::begin(Origin::Measured, planned.clone(), invocation::words(), Timestamp::now());
        Run { device: this_device(), ..run }
    };
    let run = following.to_the_end(all, teller, &begun)?;
    // Nobody knew the threads in advance, so a requirement about an absent series is undecided.
    let demands = Demands::without_plan(rules);
    let histogram = args.cyclictest.histogram.map(|last_us| move |run: &Run| cyclictest::histograms(run, last_us));
    let text = histogram.as_ref().map(|own| own as &dyn Fn(&Run) -> String);
    let output = Output {
        text,
        foreign: text.is_some(),
        metrics: args.metrics.metrics.as_deref(),
        verbose: args.verbose.verbose,
        ..Output::USUAL
    };
    deliver::deliver(run, &demands, &folder, args.output.printing, output)
}

/// The command to run with sudo, if the user is not root and may not read the kernel's trace.
///
/// # Errors
/// As [`refuse_in_container`].
fn sudo() -> anyhow::Result<Option<String>> {
    if rustix::process::geteuid().is_root() || attachee::may_follow().is_ok() {
        return Ok(None);
    }
    refuse_in_container()?;
    Ok(Some(invocation::line()))
}

/// Refuses a container that cannot open the kernel's trace: there, being root alone does not help.
///
/// # Errors
/// One line that says how to start the container.
fn refuse_in_container() -> anyhow::Result<()> {
    let Some(container) = Container::of_this_process() else { return Ok(()) };
    let Err(refused) = attachee::may_follow() else { return Ok(()) };
    let options = container.tracing().split_once(", ").map_or(container.tracing(), |(first, _)| first);
    if !options.contains(" run ") {
        return Err(refused.into());
    }
    // A container has processes of its own; without the host's processes, the application would not be visible.
    let options = options.replacen(" run ", " run --pid=host ", 1);
    let line = invocation::line();
    Err(unable(format!(
        "cannot open the kernel's trace from this container; leave this container running; on the host, as root, \
            start a second container from the same image: {options} IMAGE {line}"
    )))
}

fn refuse_nothing(args: &Args) -> anyhow::Result<()> {
    let times =
        [("--every", Some(args.every)), ("--duration", args.duration), ("--deadline", args.late_after.deadline)];
    match times.iter().find(|(_, time)| *time == Some(Nanoseconds(0))) {
        Some((option, _)) => Err(usage(format!("{option} must be greater than 0"))),
        None => Ok(()),
    }
}
