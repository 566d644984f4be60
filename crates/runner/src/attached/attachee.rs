// SPDX-License-Identifier: MIT OR Apache-2.0
//! The threads of the user's application that a measurement follows: their identity, and whether they still run.
#![expect(clippy::disallowed_methods, reason = "reads and writes files, reads the clock, sleeps")]
#![cfg_attr(test, expect(clippy::disallowed_types, reason = "its tests start programs"))]
use crate::attached::run_delay::RunDelays;
use crate::conditions::quotas::Quotas;
use crate::session::assemble::Assembly;
use crate::session::door::Door;
use crate::session::part::Part;
use crate::session::progress::{Bar, ProgressState};
use backwall_ftrace::attached::{self, AttachPlan, AttachReport, Attached};
use backwall_model::units::ranges::ranges;
use backwall_model::{Device, Warning, processor};
use backwall_os::Stop;
use backwall_os::refusal::{Result, unable, usage};
use backwall_os::threads::Thread;
use backwall_os::{affinity, quota};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

const LOOK: Duration = Duration::from_millis(100);
/// PF_KTHREAD: the flag by which the kernel marks its own threads.
const KERNEL_THREAD: u64 = 0x0020_0000;
pub const MEASURED_SO: &str = "attached";

pub const NOTHING_MEASURED: &str = "nothing was measured";

#[derive(Clone, Debug)]
pub struct Attachee {
    pub thread: Thread,
    others: u64,
    held: bool,
}

pub struct AttachResult {
    pub report: AttachReport,
    pub ended: Vec<(usize, Duration)>,
    pub stopped: bool,
}

impl AttachResult {
    /// Stores the measurement in a run. Returns one line for each thread that ended early.
    pub fn into_run(self, all: &[Attachee], assembly: &mut Assembly) -> Vec<String> {
        let doubt = self.report.doubt();
        assembly.take(Part::of_attached(self.report, assembly.elapsed()));
        doubt.into_iter().for_each(|why| assembly.discredit(&why));
        let line = |(place, after): (usize, Duration)| {
            format!(
                "{} ended after {:.1} s; backwall keeps what it measured until then",
                all[place].thread,
                after.as_secs_f64()
            )
        };
        let lines: Vec<String> = self.ended.into_iter().map(line).collect();
        lines.iter().for_each(|line| assembly.warn(Warning::new("ended-early", line)));
        lines
    }
}

impl Attachee {
    pub fn find(thread: u32) -> Result<Self> {
        let gone = || usage(format!("{thread}: no such thread; ps -eLo tid,comm lists them"));
        let status = fs::read_to_string(format!("/proc/{thread}/status")).map_err(|_| gone())?;
        let process: i32 = field(&status, "Tgid").ok_or_else(gone)?;
        let (id, folder) = (thread as i32, PathBuf::from(format!("/proc/{process}/task/{thread}")));
        let known = Thread::read(process, id, folder).filter(Thread::lives).ok_or_else(gone)?;
        if backwall_os::threads::is_ours(&known) {
            return Err(usage(format!("{thread} is backwall itself; name another thread")));
        }
        let (owner, own) = (field::<u32>(&status, "Uid"), rustix::process::geteuid());
        if !own.is_root() && owner != Some(own.as_raw()) {
            return Err(unable(format!("{known} belongs to another user; watch it as root")));
        }
        let others = field::<u64>(&status, "Threads").unwrap_or(1).saturating_sub(1);
        Ok(Self { thread: known, others, held: false })
    }

    pub fn held(self) -> Self {
        Self { held: true, ..self }
    }

    /// Warnings about how the measurement was made and which threads it leaves out. `alone`: the user named only this thread, by
    /// number.
    pub fn warnings(&self, alone: bool) -> Vec<Warning> {
        let label = format!(
            "attached: a response begins when the thread's own timer expires, otherwise at its wakeup ({})",
            self.thread
        );
        let label = Warning::new(MEASURED_SO, label);
        let (id, others) = (self.thread.id, self.others);
        let whole = (alone && self.thread.process == id && others > 0).then(|| {
            let said = format!(
                "{id} is the first thread of its process; backwall does not measure the other {others} (process:{id} \
                    follows them too)"
            );
            Warning::new("one-of-many", said)
        });
        let kernels = (self.thread.flags & KERNEL_THREAD != 0)
            .then(|| Warning::new("of-the-kernel", format!("{id} is a kernel thread")));
        [Some(label), whole, kernels].into_iter().flatten().collect()
    }

    pub fn followed(&self) -> attached::AttachedThread {
        let Thread { id, process, name, .. } = &self.thread;
        let quota = quota::limiting(*process, *id).map(|group| group.display().to_string());
        attached::AttachedThread { id: *id, name: name.clone(), held: self.held, quota }
    }

    fn lives(&self) -> bool {
        let Thread { process, id, began, folder, .. } = &self.thread;
        Thread::read(*process, *id, folder.clone()).is_some_and(|now| now.lives() && now.began == *began)
    }
}

/// Checks that backwall can follow threads. If not, the user learns this before starting the application.
///
/// # Errors
/// The reason why the kernel's trace is not available.
pub fn may_follow() -> Result<()> {
    backwall_ftrace::instance::Instance::create().map(drop).map_err(|error| unable(error.to_string()))
}

/// Follows threads for the given time, until all have ended, or until the user stops. `each` gets the recording repeatedly and
/// decides whether to continue.
pub fn follow(
    all: &[Attachee],
    length: Duration,
    plan: AttachPlan<'_>,
    stop: &Stop,
    (command, quiet): (&str, bool),
    mut each: impl FnMut(&Attached) -> bool,
) -> Result<AttachResult> {
    let refused = |error: backwall_ftrace::TraceError| unable(error.to_string());
    let threads: Vec<attached::AttachedThread> = all.iter().map(Attachee::followed).collect();
    let _kept_off = affinity::KeptOff::all_threads(&confined(all));
    let door = Door::open(command);
    let attached = Attached::start(&threads, &affinity::online(), plan, Some(door.answering())).map_err(refused)?;
    let mut bar = Bar::new(length, quiet);
    bar.phase(&match all {
        [one] => one.thread.to_string(),
        _ => format!("{} threads", all.len()),
    });
    let quotas = Quotas::of(all.iter().map(|one| (one.thread.process, one.thread.id)));
    let (run_delays, begun) = (RunDelays::begin(all), Instant::now());
    let mut ended: Vec<(usize, Duration)> = Vec::new();
    while begun.elapsed() < length && !stop.asked() && ended.len() < all.len() {
        std::thread::sleep(LOOK.min(length.saturating_sub(begun.elapsed())));
        bar.show(begun.elapsed(), || ProgressState { worst_ns: attached.worst_ns(), ..ProgressState::default() });
        let goes_on = each(&attached);
        for (place, attachee) in all.iter().enumerate() {
            if !ended.iter().any(|(known, _)| *known == place) && !attachee.lives() {
                ended.push((place, begun.elapsed()));
            }
        }
        if !goes_on {
            break;
        }
    }
    let waited = run_delays.warning(all, begun.elapsed());
    let throttled = quotas.warnings();
    let mut report = attached.finish().map_err(refused)?;
    report.warnings.extend(throttled.into_iter().chain(waited));
    Ok(AttachResult { report, ended, stopped: stop.asked() })
}

/// The CPUs of threads that are bound to some CPUs; backwall keeps off these. A thread that may run on every CPU could move
/// anywhere, so its CPUs are left out.
fn confined(all: &[Attachee]) -> Vec<u32> {
    let online = affinity::online();
    let lists = all.iter().filter_map(|one| one.thread.allowed());
    let cpus = lists.map(|list| ranges(&list).flatten().collect::<Vec<u32>>());
    cpus.filter(|cpus| !online.iter().all(|cpu| cpus.contains(cpu))).flatten().collect()
}

fn field<T: std::str::FromStr>(status: &str, name: &str) -> Option<T> {
    let row = status.lines().find_map(|row| row.strip_prefix(name)?.strip_prefix(':'))?;
    row.split_whitespace().next()?.parse().ok()
}

pub fn this_device() -> Device {
    let line = |path: &str| fs::read_to_string(path).unwrap_or_default().trim().to_string();
    let kernel = |name: &str| line(&format!("/proc/sys/kernel/{name}"));
    let board = line("/proc/device-tree/model");
    let source = line("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    let mut device = Device {
        kind: "linux".into(),
        kernel: format!("{} {}", kernel("osrelease"), kernel("version")),
        cpu: processor::of_cpuinfo(&line("/proc/cpuinfo")).unwrap_or_default(),
        cpus: affinity::online().len() as u32,
        clock: format!("the trace's: CLOCK_MONOTONIC ({source})"),
        clock_hz: 1_000_000_000,
        ..Device::default()
    };
    // The text in a device tree file ends with a zero byte.
    let board = board.trim_end_matches('\0');
    if !board.is_empty() {
        device.say(processor::BOARD, board);
    }
    device
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(thread: u32, because: &str) {
        match Attachee::find(thread).unwrap_err() {
            backwall_os::refusal::Refusal::Input(text) => assert!(text.contains(because), "{text}"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn who_is_not_there_and_who_is_ourselves_is_refused() {
        refused(4_194_304, "no such thread");
        refused(std::process::id(), "is backwall itself");
    }

    #[test]
    fn a_thread_that_ended_and_waits_for_its_parent_is_gone() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let id = child.id() as i32;
        while Thread::read(id, id, format!("/proc/{id}/task/{id}").into()).unwrap().lives() {
            std::thread::sleep(Duration::from_millis(5));
        }
        refused(child.id(), "no such thread");
        child.wait().unwrap();
    }

    #[test]
    fn a_field_is_the_first_number_of_its_row() {
        assert_eq!(field::<u32>("Tgid:\t5\nUid:\t7\t8\t9\t9\n", "Uid"), Some(7));
        assert_eq!(field::<u32>("NTgid:\t5\n", "Tgid"), None);
    }
}
