// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall watch`: an application's own real-time threads, and every minute who delayed them.
//!
//! - `late`: the log of late responses
//! - `live`: the view in the terminal
//! - `page`: the page that follows, on this machine's own address
//! - `target`: what is watched: an application by its recipe, a process by number or name, or a command that is started here
mod late;
mod live;
mod page;
pub(super) mod target;

use super::deliver::{self, Output};
use super::run::attach::{plan, so_far};
use super::run::checkpoints;
use crate::console::{complain, print};
use crate::exit::{Exit, unable, usage};
use crate::invocation;
use crate::options::Global;
use crate::record::attached::{AttachReport, Attached, Recent};
use crate::report::watch as words;
use crate::require::Demands;
use crate::run::{Origin, Run, Warning};
use crate::session::Stop;
use crate::session::assemble::Assembly;
use crate::session::attachee::{self, Attachee};
use crate::session::checkpoint::Checkpoints;
use crate::store::RunFolder;
use crate::units::{self, Nanoseconds};
use jiff::Timestamp;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use target::Target;
use watch::Since;

/// Between two looks for an application that is not there.
const LOOK: Duration = Duration::from_secs(1);
/// Between two looks whether to wait on.
const PATIENCE: Duration = Duration::from_millis(100);
/// How long threads are followed where no time is given: until the user stops it.
const FOREVER: Duration = Duration::from_secs(365 * 24 * 3_600);

/// Arguments of `backwall watch`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// A recipe's name (--list), the number of a process, or its name; it may start later
    #[arg(value_name = "APP", required_unless_present_any = ["command", "list"])]
    app: Option<String>,
    /// List the recipes: those of the tool, and yours in ~/.config/backwall/recipes
    #[arg(long, conflicts_with_all = ["app", "command"])]
    list: bool,
    /// How long; a bare number is seconds [default: until the application ends, or Ctrl-C]
    #[arg(long, value_name = "TIME", value_parser = units::seconds)]
    until: Option<Nanoseconds>,
    /// Between two sentences; a bare number is seconds
    #[arg(long, value_name = "TIME", default_value = "1m", value_parser = units::seconds)]
    every: Nanoseconds,
    /// A response later than this is late; a bare number is microseconds
    #[arg(long, value_name = "TIME", value_parser = units::period)]
    deadline: Option<Nanoseconds>,
    /// Write the figures for Prometheus here, with each sentence
    #[arg(long, value_name = "FILE")]
    metrics: Option<PathBuf>,
    /// Show the run so far as a page on this port of 127.0.0.1; 0 is any that is free
    #[arg(long, value_name = "PORT")]
    page: Option<u16>,
    /// Draw the worst, its cause, each thread and a histogram in the terminal, once a second; without a terminal print them with each sentence
    #[arg(long)]
    live: bool,
    /// A command to start and to watch, behind --
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "app")]
    command: Vec<OsString>,
}

/// Lists the recipes, or watches until it is over, and delivers what was seen as a run.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    if args.list {
        print(&words::list(&target::recipes()?))?;
        return Ok(Exit::Done);
    }
    let rules = deliver::rules(global)?;
    let target = Target::of(args.app.as_deref(), &args.command)?;
    let stop = Stop::on_signals()?;
    let page = args.page.map(|port| page::Served::begin(port, Duration::from_nanos(args.every.0))).transpose()?;
    if let Some(page) = &page {
        complain(&format!("the page that follows: {}", page.address()));
    }
    let over = Instant::now() + args.until.map_or(FOREVER, |until| Duration::from_nanos(until.0));
    let Some(mut all) = wait_for(&target, &stop, over, global.quiet)? else {
        return Err(unable(match target.ended()? {
            Some(status) => {
                format!("{target}: it ended ({status}) before a thread of it was seen; nothing was watched")
            }
            None => format!("{target}: it was not there; nothing was watched"),
        }));
    };
    let folder = RunFolder::create(global.out.as_deref(), "watch", Timestamp::now())?;
    let mut watched: Option<Run> = None;
    let log = args.deadline.map(|deadline| late::Log::begin(&folder, deadline.0)).transpose()?;
    let checkpoints = checkpoints(Duration::ZERO, args.metrics.as_deref(), &folder)?;
    let live = args.live.then(live::Live::begin);
    let mut teller =
        Teller { target: &target, args, global, log, checkpoints, page, live, recent: Vec::new(), ended: false };
    loop {
        let (run, next) = stretch(&mut teller, &all, watched.take(), over, &stop)?;
        watched = Some(run);
        if stop.asked() || teller.ended || Instant::now() >= over || target.ended()?.is_some() {
            break;
        }
        let found = if next.is_empty() { wait_for_again(&target, &stop, over, global.quiet)? } else { Some(next) };
        match found {
            Some(found) => all = found,
            None => break,
        }
    }
    drop(teller.live.take());
    let Some(mut run) = watched else { return Ok(Exit::Undecided) };
    run.warnings.extend(teller.checkpoints.finish());
    if let Some(status) = target.ended()?.filter(|status| !status.success()) {
        run.warnings.push(Warning::new("ended", format!("{target} ended with {status}")));
    }
    // Which threads there would be nobody knew before: what was not there is undecided.
    let demands = Demands::without_plan(rules);
    let output = Output { metrics: args.metrics.as_deref(), ..Output::USUAL };
    deliver::deliver(run, &demands, &folder, global, output)
}

/// What is said and kept between two sentences.
struct Teller<'a> {
    target: &'a Target,
    args: &'a Args,
    global: &'a Global,
    log: Option<late::Log>,
    checkpoints: Checkpoints,
    page: Option<page::Served>,
    live: Option<live::Live>,
    /// The longest responses since the last sentence: each report has those since the one before it, and a view asks for many.
    recent: Vec<Recent>,
    /// The user has ended it at the view.
    ended: bool,
}

/// Follows these threads until the time is over, all have ended, or the application has others; what was measured before and
/// since as one run, and its threads where it goes on with others.
fn stretch(
    teller: &mut Teller,
    all: &[Attachee],
    before: Option<Run>,
    over: Instant,
    stop: &Stop,
) -> anyhow::Result<(Run, Vec<Attachee>)> {
    let Teller { target, args, global, .. } = *teller;
    let mut begun =
        Run::begin(Origin::Measured, plan(args.until, args.deadline, global), invocation::words(), Timestamp::now());
    begun.device = attachee::this_device();
    let mut assembly = Assembly::begin_stretch(begun, before);
    let every = Duration::from_nanos(args.every.0);
    // From the first look on: the recording takes its time to begin.
    let (mut since, mut due) = (Since::default(), None);
    let mut next = Vec::new();
    let each = |attached: &Attached| {
        // An error here comes again where the loop looks.
        if target.ended().is_ok_and(|ended| ended.is_some()) {
            return false;
        }
        let due = due.get_or_insert_with(|| Instant::now() + every);
        teller.ended |= teller.live.as_ref().is_some_and(live::Live::asked_to_end);
        let says = Instant::now() >= *due;
        if teller.ended || !(says || teller.live.as_ref().is_some_and(live::Live::is_due)) {
            return !teller.ended;
        }
        let Some(report) = attached.so_far() else { return true };
        if !says {
            teller.draw(&report, false);
            return true;
        }
        *due += every;
        teller.say(&mut since, &report);
        teller.draw(&report, true);
        let run = so_far(&assembly, report);
        teller.page.iter().for_each(|page| page.show(run.clone()));
        teller.checkpoints.look(|| Some(run));
        next = others(target, all);
        next.is_empty()
    };
    let length = over.saturating_duration_since(Instant::now());
    let deadline_ns = args.deadline.map(|deadline| deadline.0);
    let followed = attachee::follow(all, length, deadline_ns, stop, true, each)?;
    if since.is_behind(&followed.report.series) {
        teller.say(&mut since, &followed.report);
    }
    followed.into_run(all, &mut assembly);
    if (stop.asked() || teller.ended) && args.until.is_some() {
        assembly.interrupt();
    }
    Ok((assembly.finish(), next))
}

/// The threads of the application now, where there is one among them that is not followed.
fn others(target: &Target, all: &[Attachee]) -> Vec<Attachee> {
    let now = target.find().map(|found| found.attachees).unwrap_or_default();
    let is_new = |one: &Attachee| all.iter().all(|known| known.thread.id != one.thread.id);
    if now.iter().any(is_new) { now } else { Vec::new() }
}

impl Teller<'_> {
    /// The view, where there is one, of what was not said yet, too.
    fn draw(&mut self, report: &AttachReport, has_said: bool) {
        let (recipe, deadline_ns) = (self.target.recipe(), self.args.deadline.map(|deadline| deadline.0));
        if let Some(live) = &mut self.live {
            live.draw(recipe, report, deadline_ns, has_said);
        }
        if !has_said {
            self.recent.extend(report.recent.iter().cloned());
            late::keep_longest(&mut self.recent);
        }
    }

    /// What came since the last sentence, in one, and the late responses into the log.
    fn say(&mut self, since: &mut Since, report: &AttachReport) {
        let mut recent = std::mem::take(&mut self.recent);
        recent.extend(report.recent.iter().cloned());
        late::keep_longest(&mut recent);
        let minute = since.minute(&report.series, recent.first().map(late::told));
        let at = Timestamp::now();
        self.live.iter_mut().for_each(live::Live::clear);
        if let Some(Err(error)) = self.log.as_mut().map(|log| log.add(&format!("{at:.3}"), &minute, &recent)) {
            complain(&format!("backwall: the log of late responses: {error}"));
            self.log = None;
        }
        if self.global.quiet {
            return;
        }
        let (at, recipe) = (at.strftime("%H:%M:%SZ").to_string(), self.target.recipe());
        let deadline_ns = self.args.deadline.map(|deadline| deadline.0);
        complain(&words::sentence(&at, recipe, &minute, deadline_ns));
        self.target.advice(&minute, deadline_ns).iter().for_each(|line| complain(line));
    }
}

/// The threads of the application, as soon as there are any; `None` when the user has stopped or the time is over.
fn wait_for(target: &Target, stop: &Stop, over: Instant, quiet: bool) -> anyhow::Result<Option<Vec<Attachee>>> {
    let mut told = false;
    while !stop.asked() && Instant::now() < over {
        let found = target.find()?;
        if !found.attachees.is_empty() {
            if !quiet {
                words::beginning(target.recipe(), &found.told(), found.ordinary).iter().for_each(|line| complain(line));
            }
            return Ok(Some(found.attachees));
        }
        if target.ended()?.is_some() {
            return Ok(None);
        }
        if !target.may_start() {
            return Err(usage(format!("{target}: there is no such process; ps -e lists them")));
        }
        if !told && !quiet {
            complain(&format!("{target}: is not there; it is waited for"));
        }
        told = true;
        let look = over.min(Instant::now() + LOOK);
        while !stop.asked() && Instant::now() < look {
            std::thread::sleep(PATIENCE.min(look.saturating_duration_since(Instant::now())));
        }
    }
    Ok(None)
}

/// After its end: an application that was named by what it is may start again.
fn wait_for_again(target: &Target, stop: &Stop, over: Instant, quiet: bool) -> anyhow::Result<Option<Vec<Attachee>>> {
    if target.may_start_again() { wait_for(target, stop, over, quiet) } else { Ok(None) }
}
