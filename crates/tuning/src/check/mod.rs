// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks whether this machine is set up for real time: one reading per setting, one file per subject, one line each in [`ALL`].
//!
//! Nothing here changes a setting. A setting that cannot be read is reported as unknown, with the reason.
mod advice;
mod cgroup;
mod clock;
mod cpu_list;
mod device_tree;
mod frequency;
mod gpio;
mod granted;
mod idle;
mod interrupts;
mod isolation;
mod kernel_config;
mod kernel_threads;
mod limits;
mod machine;
mod memory;
mod preemption;
mod real_time;
mod sibling;
mod slack;
mod smi;
mod thermal;
mod throttling;
mod timers;
mod tracing;
mod virtualization;

pub use advice::Advice;
pub use granted::{refused as real_time_refused, rights_remedy};
pub use machine::Machine;

use backwall_model::{Check, CheckVerdict};
use machine::Unread;

const PRIORITY_LIMIT: &str = "priority limit";

type Row = (&'static str, fn(&Machine) -> Reading);

const ALL: [Row; 28] = [
    ("preemption", preemption::preemption),
    ("throttling", throttling::throttling),
    ("fair server", throttling::fair_server),
    ("idle states", idle::states),
    ("cpu_dma_latency", idle::cpu_dma_latency),
    ("governor", frequency::governor),
    ("isolcpus", isolation::isolcpus),
    ("nohz_full", isolation::nohz_full),
    ("rcu_nocbs", isolation::rcu_nocbs),
    ("real-time threads", real_time::above),
    ("other runs", real_time::other_runs),
    ("interrupts seen", interrupts::growth),
    ("interrupts", interrupts::affinity),
    ("SMI", smi::count),
    ("kernel threads", kernel_threads::bound),
    ("timer migration", timers::migration),
    ("control group", cgroup::limits),
    ("sibling", sibling::smt),
    ("hypervisor", virtualization::hypervisor),
    ("steal", virtualization::steal),
    ("clock source", clock::source),
    ("timer slack", slack::slack),
    ("huge pages", memory::huge_pages),
    ("swap", memory::swap),
    (PRIORITY_LIMIT, limits::priority),
    ("locking limit", limits::locked_memory),
    ("tracing", tracing::tracefs),
    ("trace events", tracing::events),
];

/// Additional checks on boards, which are machines with a device tree.
const OF_BOARDS: [Row; 4] = [
    ("board", device_tree::board),
    ("thermal", thermal::zones),
    ("frequency limits", frequency::limits),
    ("GPIO interrupts", gpio::threads),
];

pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().chain(&OF_BOARDS).map(|(name, _)| *name)
}

/// Reads every setting of this machine; `cpu` is the CPU to measure.
pub fn all(cpu: u32) -> Vec<Check> {
    all_of(&Machine::this(cpu))
}

pub fn all_of(machine: &Machine) -> Vec<Check> {
    advised(machine).0
}

pub fn advised(machine: &Machine) -> (Vec<Check>, Advice) {
    let of_boards = OF_BOARDS.iter().filter(|_| device_tree::is_there(machine));
    let readings: Vec<(&str, Reading)> =
        ALL.iter().chain(of_boards).map(|(name, read)| (*name, read(machine))).collect();
    let advice = Advice::of(machine, &readings);
    (readings.into_iter().map(|(name, reading)| reading.named(name)).collect(), advice)
}

pub fn is_online(machine: &Machine, cpu: u32) -> bool {
    cpu_list::contains(&machine.read("/sys/devices/system/cpu/online").unwrap_or_default(), cpu)
}

/// Whether, on the measured CPU, real-time throttling or a fair server can stop a thread that does not sleep.
pub fn throttled(machine: &Machine) -> bool {
    throttling::active(machine)
}

pub fn is_virtual(machine: &Machine) -> bool {
    virtualization::flagged(machine)
}

/// The kernel's preemption model; `unknown` if unreadable.
pub fn preemption_model(machine: &Machine) -> String {
    preemption::model(machine).map_or("unknown".to_string(), |(model, _)| model.to_string())
}

struct Reading {
    found: String,
    verdict: CheckVerdict,
    why: String,
    fix: String,
    boot: String,
}

impl Reading {
    fn new(verdict: CheckVerdict, found: impl Into<String>, why: impl Into<String>) -> Self {
        Self { found: found.into(), verdict, why: why.into(), fix: String::new(), boot: String::new() }
    }

    fn good(found: impl Into<String>, why: impl Into<String>) -> Self {
        Self::new(CheckVerdict::Good, found, why)
    }

    fn note(found: impl Into<String>, why: impl Into<String>) -> Self {
        Self::new(CheckVerdict::Note, found, why)
    }

    fn bad(found: impl Into<String>, why: impl Into<String>) -> Self {
        Self::new(CheckVerdict::Bad, found, why)
    }

    fn unknown(unread: &Unread, why: impl Into<String>) -> Self {
        Self::new(CheckVerdict::Unknown, unread.to_string(), why).fix(unread.remedy())
    }

    fn fix(self, fix: impl Into<String>) -> Self {
        Self { fix: fix.into(), ..self }
    }

    /// Adds a permanent fix as one option of the kernel command line.
    fn boot(self, boot: impl Into<String>) -> Self {
        Self { boot: boot.into(), ..self }
    }

    fn because(self, more: &str) -> Self {
        Self { why: format!("{}; {more}", self.why), ..self }
    }

    fn named(self, name: &str) -> Check {
        Check { name: name.to_string(), value: self.found, verdict: self.verdict, why: self.why, fix: self.fix }
    }
}
