// SPDX-License-Identifier: MIT OR Apache-2.0
//! Follows an application from its first thread to the end, as one run with a report every minute. Whenever the application
//! has new threads, another session of the run begins.
use crate::exit::{unable, usage};
use crate::follow::chains::{self, ChainsSaid};
use crate::follow::late::{self, Log};
use crate::follow::live::Live;
use crate::follow::newcomers::{self, Newcomers};
use crate::follow::own::Own;
use crate::follow::page::Served;
use crate::follow::target::{Target, Threads};
use backwall_ftrace::attached::{AttachPlan, AttachReport, Attached, Recent};
use backwall_model::{Run, Warning};
use backwall_os::Stop;
use backwall_os::console::{columns_of_errors, complain, watched};
use backwall_os::threads;
use backwall_report::watch as words;
use backwall_report::wrap::narrow;
use backwall_runner::attached::attachee::{self, Attachee, NOTHING_MEASURED};
use backwall_runner::conditions::quotas::Quotas;
use backwall_runner::session::assemble::Assembly;
use backwall_runner::session::checkpoint::Checkpoints;
use backwall_runner::session::part::Part;
use backwall_trace::chain::Spec;
use backwall_tuning::check;
use backwall_watch::{Since, TheWorst};
use jiff::Timestamp;
use std::time::{Duration, Instant};

// Interval between checks for an application that has not started.
const LOOK: Duration = Duration::from_secs(1);
// Interval between checks for the process of a command that is being started.
const FORK: Duration = Duration::from_millis(5);
// The first report comes this soon, so that the user sees that the command works.
const FIRST: Duration = Duration::from_secs(10);
const PATIENCE: Duration = Duration::from_millis(100);

#[derive(Clone, Copy)]
pub struct Following<'a> {
    pub target: &'a Target,
    pub stop: &'a Stop,
    pub over: Instant,
    /// Whether the user chose the end of the run, `over`. If so, a run that ends earlier counts as interrupted.
    pub has_end: bool,
    pub deadline_ns: Option<u64>,
    pub chains: &'a [Spec],
    pub buffer_mib: Option<u32>,
    pub quiet: bool,
}

pub struct Teller {
    every: Duration,
    log: Option<Log>,
    checkpoints: Checkpoints,
    page: Option<Served>,
    live: Option<Live>,
    own: Option<Own>,
    /// The longest responses since the last printed report. Drawing the live view consumes the recent responses of the trace,
    /// so they are collected here until the next report.
    recent: Vec<Recent>,
    chains: ChainsSaid,
    /// The cgroup counters of the watched threads at the start of the session.
    quotas: Quotas,
    is_virtual: bool,
    events_lost: u64,
    ended: bool,
}

impl Teller {
    /// Prepares the output: a report each `every`, the log of late responses, the checkpoints, and, if requested, the page, the
    /// live view and the application's own count.
    pub fn begin(
        every: Duration,
        log: Option<Log>,
        checkpoints: Checkpoints,
        page: Option<Served>,
        (live, own): (Option<Live>, Option<Own>),
    ) -> Self {
        let (recent, chains, quotas) = (Vec::new(), ChainsSaid::default(), Quotas::default());
        let is_virtual = check::is_virtual(&check::Machine::this(0));
        Self {
            every,
            log,
            checkpoints,
            page,
            live,
            own,
            recent,
            chains,
            quotas,
            is_virtual,
            events_lost: 0,
            ended: false,
        }
    }
}

impl Following<'_> {
    /// Waits for the threads of the application.
    ///
    /// # Errors
    /// No thread came before the end, or backwall may not follow one of them.
    pub fn wait(&self) -> anyhow::Result<Vec<Attachee>> {
        match self.look()? {
            Some(all) => Ok(all),
            None => Err(unable(match self.target.ended()? {
                Some(status) => {
                    format!(
                        "{}: the command ended ({status}) before backwall saw one of its threads, so nothing was \
                        measured",
                        self.target
                    )
                }
                None => format!("{}: the application did not start, so nothing was measured", self.target),
            })),
        }
    }

    /// The application's threads. `None` if the user has stopped, the time is over, or the command has ended first.
    fn look(&self) -> anyhow::Result<Option<Vec<Attachee>>> {
        let Self { target, stop, over, quiet, .. } = *self;
        let mut told = false;
        while !stop.asked() && Instant::now() < over {
            let found = target.find()?;
            if !found.attachees.is_empty() {
                // A held command has not begun, so its threads do not have their final names yet.
                if !target.is_held() {
                    self.introduce(&found);
                }
                return Ok(Some(found.attachees));
            }
            if target.ended()?.is_some() {
                return Ok(None);
            }
            if !target.may_start() {
                return Err(usage(format!("{target}: no such process; ps -e lists them")));
            }
            if !told && !target.is_held() {
                attachee::may_follow()?;
                if !quiet {
                    complain(&format!("waiting for {target} to start"));
                }
            }
            told = true;
            let look = over.min(Instant::now() + if target.is_held() { FORK } else { LOOK });
            while !stop.asked() && Instant::now() < look {
                std::thread::sleep(PATIENCE.min(look.saturating_duration_since(Instant::now())));
            }
        }
        Ok(None)
    }

    fn introduce(&self, found: &Threads) {
        if !self.quiet {
            let lines = words::beginning(self.target.recipe(), &found.told(), found.ordinary);
            lines.iter().for_each(|line| complain(line));
        }
    }

    /// Introduces the threads of a command that has begun, once it has its final name and priority.
    fn introduce_begun(&self, all: &[Attachee]) {
        let mut found = self.target.find().unwrap_or_default();
        found.attachees.retain(|one| !is_new(all, one));
        if !found.attachees.is_empty() {
            self.introduce(&found);
        }
    }

    fn introduce_new(&self, before: &[Attachee], now: &[Attachee]) {
        let new = now.iter().filter(|one| is_new(before, one));
        let unseen = new.filter_map(|one| newcomers::age(&one.thread)).max().unwrap_or_default();
        let ordinary = now.iter().all(|one| one.thread.real_time == 0);
        self.introduce(&Threads { attachees: now.to_vec(), ordinary });
        if !self.quiet {
            complain(&words::unseen_before(self.target.recipe(), unseen));
        }
    }

    /// Follows these threads, and those that the application creates later, to the end. Each session starts with the run that
    /// `begun` creates.
    ///
    /// # Errors
    /// The kernel's trace cannot be opened.
    pub fn to_the_end(&self, first: Vec<Attachee>, mut teller: Teller, begun: &dyn Fn() -> Run) -> anyhow::Result<Run> {
        let mut all = first;
        let mut watched: Option<Run> = None;
        let mut run = loop {
            let (run, next) = self.stretch(&mut teller, &all, watched.take(), begun())?;
            if self.stop.asked() || teller.ended || Instant::now() >= self.over || self.target.ended()?.is_some() {
                break run;
            }
            // After its end, an application that was named by recipe or name may start again.
            let again = || if self.target.may_start_again() { self.look() } else { Ok(None) };
            let has_more = !next.is_empty();
            if has_more {
                self.introduce_new(&all, &next);
            }
            match if has_more { Some(next) } else { again()? } {
                Some(found) => (all, watched) = (found, Some(run)),
                None => break run,
            }
        };
        drop(teller.live.take());
        // Judge the whole run: a single session may have no wakeup, because the first thread of many programs only waits for
        // the others.
        if run.series.iter().all(|series| series.due.unwrap_or(series.done) == 0) {
            run.spoil(NOTHING_MEASURED);
        }
        run.warnings.extend(teller.own.take().map(Own::into_note));
        run.warnings.extend(teller.checkpoints.finish());
        if let Some(status) = self.target.ended()?.filter(|status| !status.success()) {
            run.warnings.push(Warning::new("ended", format!("{} ended with {status}", self.target)));
        }
        Ok(run)
    }

    /// Follows these threads until the time is over, all have ended, or the application has new ones. Returns the run so far,
    /// and the threads with which the next session continues.
    fn stretch(
        &self,
        teller: &mut Teller,
        all: &[Attachee],
        before: Option<Run>,
        begun: Run,
    ) -> anyhow::Result<(Run, Vec<Attachee>)> {
        let mut assembly = Assembly::begin_stretch(begun, before);
        teller.events_lost = 0;
        teller.chains.begin_stretch();
        // `due` is set at the first check, because the recording takes a while to start.
        let (mut since, mut due) = (Since::default(), None);
        let mut next = Vec::new();
        let mut newcomers = Newcomers::beside(all, self.target.has_just_begun(), self.target.is_held());
        teller.quotas = Quotas::of(all.iter().map(|one| (one.thread.process, one.thread.id)));
        let unseen = teller.own.as_mut().map(|own| own.turn_to(all)).unwrap_or_default();
        unseen.iter().filter(|_| !self.quiet).for_each(|line| complain(line));
        let each = |attached: &Attached| {
            self.target.release();
            // If this check fails, the check in `to_the_end` reports the error.
            if self.target.ended().is_ok_and(|ended| ended.is_some()) {
                return false;
            }
            teller.own.iter_mut().for_each(Own::look);
            let due = due.get_or_insert_with(|| Instant::now() + teller.every.min(FIRST));
            next = self.newcomers(all, &mut newcomers);
            if !next.is_empty() {
                return false;
            }
            teller.ended |= teller.live.as_ref().is_some_and(Live::asked_to_end);
            let says = Instant::now() >= *due;
            if teller.ended || !(says || teller.live.as_ref().is_some_and(Live::is_due)) {
                return !teller.ended;
            }
            let Some(report) = attached.so_far() else { return true };
            if !says {
                teller.draw(self, &report, false);
                return true;
            }
            *due += teller.every;
            teller.say(self, &mut since, &report);
            teller.draw(self, &report, true);
            let run = so_far(&assembly, report);
            teller.page.iter().for_each(|page| page.show(run.clone()));
            teller.checkpoints.look(|| Some(run));
            next = self.others(all);
            next.is_empty()
        };
        let length = self.over.saturating_duration_since(Instant::now());
        let followed = attachee::follow(all, length, self.plan(), self.stop, ("watch", true), each)?;
        if since.is_behind(&followed.report.series) {
            teller.say(self, &mut since, &followed.report);
        }
        let pictures = chains::pictures(&followed.report);
        followed.into_run(all, &mut assembly);
        pictures.into_iter().for_each(|picture| assembly.show(picture));
        if (self.stop.asked() || teller.ended) && self.has_end {
            assembly.interrupt();
        }
        Ok((assembly.finish(), next))
    }

    fn plan(&self) -> AttachPlan<'_> {
        AttachPlan { deadline_ns: self.deadline_ns, chains: self.chains, buffer_mib: self.buffer_mib }
    }

    fn newcomers(&self, all: &[Attachee], newcomers: &mut Newcomers) -> Vec<Attachee> {
        let found = if newcomers.may_be_there() { self.others(all) } else { Vec::new() };
        if found.is_empty() && newcomers.shall_be_introduced() {
            self.introduce_begun(all);
        }
        found
    }

    fn others(&self, all: &[Attachee]) -> Vec<Attachee> {
        let mut now = self.target.find().map(|found| found.attachees).unwrap_or_default();
        now.retain(|one| !is_new(all, one) || newcomers::is_worth_it(&one.thread));
        if now.iter().any(|one| is_new(all, one)) { now } else { Vec::new() }
    }
}

fn is_new(all: &[Attachee], one: &Attachee) -> bool {
    all.iter().all(|known| known.thread.id != one.thread.id)
}

pub fn so_far(assembly: &Assembly, report: AttachReport) -> Run {
    let mut assembly = assembly.clone();
    chains::pictures(&report).into_iter().for_each(|picture| assembly.show(picture));
    assembly.take(Part::of_attached(report, assembly.elapsed()));
    assembly.so_far(None)
}

impl Teller {
    fn draw(&mut self, of: &Following<'_>, report: &AttachReport, has_said: bool) {
        if let Some(live) = &mut self.live {
            live.draw(of.target.recipe(), report, of.deadline_ns, has_said);
        }
        if !has_said {
            self.recent.extend(report.recent.iter().cloned());
            late::keep_longest(&mut self.recent);
        }
    }

    fn say(&mut self, of: &Following<'_>, since: &mut Since, report: &AttachReport) {
        let mut recent = std::mem::take(&mut self.recent);
        recent.extend(report.recent.iter().cloned());
        late::keep_longest(&mut recent);
        let minute = since.minute(&report.series, recent.first().map(late::told));
        let at = Timestamp::now();
        self.live.iter_mut().for_each(Live::clear);
        if let Some(Err(error)) = self.log.as_mut().map(|log| log.add(&format!("{at:.3}"), &minute, &recent)) {
            complain(&format!("backwall: log of late responses: {error}"));
            self.log = None;
        }
        let (own, said) = self.own.as_mut().map(|own| own.minute(&recent)).unwrap_or_default();
        if of.quiet {
            return;
        }
        let at = at.strftime("%H:%M:%SZ").to_string();
        let lost = report.events_lost.saturating_sub(std::mem::replace(&mut self.events_lost, report.events_lost));
        words::incomplete(&at, of.target.recipe(), lost).iter().for_each(|line| complain(line));
        let is_late = |recent: &&Recent| of.deadline_ns.is_some_and(|deadline| recent.ns > deadline);
        let late: Vec<TheWorst> = recent.iter().filter(is_late).map(late::told).collect();
        let priority = minute.worst.as_ref().and_then(|the| priority_of(&the.thread));
        // Wrap lines only for a terminal, which would break them within words.
        let columns = if watched() { columns_of_errors() } else { usize::MAX };
        // The last report and the screen after it must show the same count.
        let told = report.warnings.iter().find(|warning| warning.kind == Warning::THROTTLED).cloned();
        let throttled = told.or_else(|| self.quotas.warnings().into_iter().next());
        let beside = words::Beside {
            deadline_ns: of.deadline_ns,
            own,
            priority,
            throttled,
            is_virtual: self.is_virtual,
            // An invalid run names no culprit at its end, so its reports do not either.
            is_incomplete: lost > 0 || report.doubt().is_some(),
        };
        let lines = words::sentence(&at, of.target.recipe(), &minute, &beside, &late, columns);
        lines.iter().for_each(|line| complain(line));
        let chains = self.chains.lines(&at, of.target.recipe(), report);
        chains.iter().for_each(|line| complain(narrow(line, columns).trim_end()));
        said.iter().for_each(|line| complain(line));
        of.target.advice(&minute, of.deadline_ns).iter().for_each(|line| complain(line));
    }
}

/// The current real-time priority of a thread, which the text identifies by name and number.
fn priority_of(thread: &str) -> Option<u32> {
    let (_, id) = words::numbered(thread)?;
    let found = threads::Thread::read(id, id, format!("/proc/{id}").into())?;
    Some(found.real_time).filter(|priority| *priority > 0)
}
