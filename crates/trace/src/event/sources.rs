// SPDX-License-Identifier: MIT OR Apache-2.0
//! The events that backwall records: their paths, the fields that it reads, and what the kernel may filter out.

/// Which records of an event the kernel may filter out once the probe's thread is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    /// All records are needed.
    None,
    /// Only records that the thread causes are needed.
    By,
    /// Only records about the thread are needed.
    About,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Switch,
    Waking,
    Woken { new: bool },
    TimerStart,
    TimerExpire,
    CoarseTimer,
    Work { begins: bool },
    Interrupt { enter: bool },
    Vector { enter: bool },
    Softirq { enter: bool },
    SleepEnd,
    Futex { enter: bool },
    PageFault,
    Masks { preemption: bool, on: bool },
    Inherit,
    Migrate,
    Signalled,
    Freezes { on: bool },
    Frequency { limit: bool },
    Cools,
    Temperature,
    Trip,
    Plugs { begins: bool },
    Call,
    Packet { sent: bool },
    Mark,
    Stack,
}

/// An event that backwall records.
#[derive(Clone, Debug)]
pub struct Source {
    /// The event's path in tracefs, as `sched/sched_switch`.
    pub path: String,
    /// Whether stages are impossible without this event.
    pub needed: bool,
    /// Which records the kernel may filter out.
    pub filter: Filter,
    pub(crate) kind: Kind,
    pub(crate) fields: &'static [&'static str],
}

/// Costly events, which are recorded only on request, on every CPU.
#[derive(Clone, Copy, Debug, Default)]
pub struct Besides {
    /// Calls that may wait for a lock. They make every system call slower.
    pub locks: bool,
    /// Page faults; a busy machine has hundreds of thousands.
    pub faults: bool,
    /// Network packets received and sent.
    pub packets: bool,
    /// Texts that programs write to `trace_marker`.
    pub marks: bool,
    /// Entries of system calls, one bit for each of [`CALLS`]. They make every system call slower.
    pub calls: u16,
    /// Prefix of the names of the threads that matter. Page faults are recorded for these threads only; on partly recorded
    /// CPUs, also the events that show what holds a thread up.
    pub of: Option<&'static str>,
}

const SWITCH: &[&str] = &["prev_comm", "prev_pid", "prev_prio", "prev_state", "next_comm", "next_pid", "next_prio"];

/// Signals that stop or continue a thread, and signals sent by threads (`SI_USER`, `SI_QUEUE`, `SI_TKILL`). The kernel's own
/// signals, as at the end of each process, are left out.
const SIGNALS: &str = "(sig >= 18 && sig <= 22) || code == 0 || code == -1 || code == -6";

const KERNEL_STACK: &str = "ftrace/kernel_stack";

/// Events whose fields have the same names in every kernel: path, needed, filter, kind, fields.
const SOURCES: &[(&str, bool, Filter, Kind, &[&str])] = &[
    ("sched/sched_switch", true, Filter::None, Kind::Switch, SWITCH),
    ("sched/sched_waking", true, Filter::About, Kind::Waking, &["pid"]),
    ("timer/hrtimer_start", true, Filter::By, Kind::TimerStart, &["hrtimer", "softexpires", "expires"]),
    ("timer/hrtimer_expire_entry", true, Filter::None, Kind::TimerExpire, &["hrtimer", "function"]),
    ("timer/timer_expire_entry", false, Filter::None, Kind::CoarseTimer, &["function"]),
    ("workqueue/workqueue_execute_start", false, Filter::None, Kind::Work { begins: true }, &["function"]),
    ("workqueue/workqueue_execute_end", false, Filter::None, Kind::Work { begins: false }, &[]),
    ("irq/irq_handler_entry", false, Filter::None, Kind::Interrupt { enter: true }, &["name"]),
    ("irq/irq_handler_exit", false, Filter::None, Kind::Interrupt { enter: false }, &[]),
    ("irq/softirq_entry", false, Filter::None, Kind::Softirq { enter: true }, &["vec"]),
    ("irq/softirq_exit", false, Filter::None, Kind::Softirq { enter: false }, &["vec"]),
    ("ipi/ipi_entry", false, Filter::None, Kind::Vector { enter: true }, &[]),
    ("ipi/ipi_exit", false, Filter::None, Kind::Vector { enter: false }, &[]),
    ("syscalls/sys_exit_clock_nanosleep", false, Filter::By, Kind::SleepEnd, &[]),
    ("syscalls/sys_enter_futex", false, Filter::By, Kind::Futex { enter: true }, &["op", "val"]),
    ("syscalls/sys_exit_futex", false, Filter::By, Kind::Futex { enter: false }, &[]),
    ("exceptions/page_fault_user", false, Filter::By, Kind::PageFault, &[]),
    ("exceptions/page_fault_kernel", false, Filter::By, Kind::PageFault, &[]),
    ("signal/signal_generate", false, Filter::None, Kind::Signalled, &["pid", "sig"]),
    ("cgroup/cgroup_freeze", false, Filter::None, Kind::Freezes { on: true }, &["path"]),
    ("cgroup/cgroup_unfreeze", false, Filter::None, Kind::Freezes { on: false }, &["path"]),
    ("sched/sched_pi_setprio", false, Filter::None, Kind::Inherit, &["pid", "oldprio", "newprio"]),
    ("power/cpu_frequency", false, Filter::None, Kind::Frequency { limit: false }, &["state", "cpu_id"]),
    ("power/cpu_frequency_limits", false, Filter::None, Kind::Frequency { limit: true }, &["max_freq", "cpu_id"]),
    ("thermal/cdev_update", false, Filter::None, Kind::Cools, &["type", "target"]),
    ("thermal/thermal_temperature", false, Filter::None, Kind::Temperature, &["thermal_zone"]),
    ("thermal/thermal_zone_trip", false, Filter::None, Kind::Trip, &["thermal_zone", "trip_type"]),
    ("cpuhp/cpuhp_enter", false, Filter::None, Kind::Plugs { begins: true }, &["cpu", "target"]),
    ("cpuhp/cpuhp_multi_enter", false, Filter::None, Kind::Plugs { begins: true }, &["cpu", "target"]),
    ("cpuhp/cpuhp_exit", false, Filter::None, Kind::Plugs { begins: false }, &["cpu"]),
    (KERNEL_STACK, false, Filter::None, Kind::Stack, &["size", "caller"]),
    ("sched/sched_migrate_task", false, Filter::About, Kind::Migrate, &["pid", "dest_cpu"]),
];

impl Source {
    /// The event's name, without its subsystem.
    pub fn event(&self) -> &str {
        self.path.split('/').next_back().unwrap_or_default()
    }

    /// Whether the event belongs to responses and costs little: it slows no system call and shows no page fault.
    pub fn is_of_responses(&self) -> bool {
        !self.slows_system_calls() && !self.is_of_faults()
    }

    /// Whether every system call of the machine becomes slower while this event is on.
    pub fn slows_system_calls(&self) -> bool {
        matches!(self.kind, Kind::SleepEnd | Kind::Futex { .. })
    }

    /// Whether the event shows page faults; a busy machine has hundreds of thousands.
    pub fn is_of_faults(&self) -> bool {
        matches!(self.kind, Kind::PageFault)
    }

    /// A filter in the kernel's syntax, for an event of which few records matter.
    pub fn only(&self) -> Option<&'static str> {
        matches!(self.kind, Kind::Signalled).then_some(SIGNALS)
    }

    /// Whether the event is also needed from other CPUs: it shows what keeps a thread from running, or what wakes it.
    pub fn is_of_elsewhere(&self) -> bool {
        matches!(self.kind, Kind::Waking | Kind::Signalled | Kind::Freezes { .. }) || self.is_of_machine()
    }

    /// Whether the event is a change of the machine: frequency, cooling, a CPU going offline.
    pub fn is_of_machine(&self) -> bool {
        self.is_of_frequency() || matches!(self.kind, Kind::Cools | Kind::Temperature | Kind::Trip | Kind::Plugs { .. })
    }

    /// Whether the event reports a CPU's frequency or its limit.
    pub fn is_of_frequency(&self) -> bool {
        matches!(self.kind, Kind::Frequency { .. })
    }

    /// Whether the event is a kernel stack that a trigger of another event writes.
    pub fn is_of_stacks(&self) -> bool {
        matches!(self.kind, Kind::Stack)
    }

    /// Whether the kernel writes the event even if the event is not enabled.
    pub fn is_always_on(&self) -> bool {
        matches!(self.kind, Kind::Mark | Kind::Stack)
    }

    /// Whether the event contains texts that programs write to `trace_marker`.
    pub fn is_of_marks(&self) -> bool {
        matches!(self.kind, Kind::Mark)
    }

    /// Whether the event shows calls that may wait for a lock.
    pub fn is_of_locks(&self) -> bool {
        matches!(self.kind, Kind::Futex { .. })
    }
}

/// The events of `SOURCES`, and the interrupt vectors of this kernel (`irq_vectors/…_entry`), if it has any.
pub fn sources(vectors: impl IntoIterator<Item = String>) -> Vec<Source> {
    let fixed =
        SOURCES.iter().map(|&(path, needed, filter, kind, fields)| (path.to_string(), needed, filter, kind, fields));
    let vectors = vectors.into_iter().filter_map(|event| {
        let enter = event.ends_with("_entry");
        let wanted = enter || event.ends_with("_exit");
        let row = (format!("irq_vectors/{event}"), false, Filter::None, Kind::Vector { enter }, &[] as &[&str]);
        wanted.then_some(row)
    });
    let all = fixed.chain(vectors);
    all.map(|(path, needed, filter, kind, fields)| Source { path, needed, filter, kind, fields }).collect()
}

/// The event for a new thread's first wakeup; no other event shows that.
pub fn new_threads() -> Source {
    woken("sched/sched_wakeup_new", true)
}

/// Events that only another tool's recording may have: the end of a wakeup, and of a new thread's wakeup.
pub fn read_besides() -> Vec<Source> {
    let wakeups = [woken("sched/sched_wakeup", false), new_threads()];
    wakeups.into_iter().chain(packets()).chain([marks()]).chain(calls(&CALLS)).chain(masks()).collect()
}

/// System calls at which a chain may start or end.
pub const CALLS: [&str; 14] = [
    "read",
    "write",
    "readv",
    "writev",
    "pread64",
    "pwrite64",
    "sendto",
    "sendmsg",
    "sendmmsg",
    "recvfrom",
    "recvmsg",
    "ioctl",
    "io_uring_enter",
    "epoll_wait",
];

/// The entries of these system calls. Recording any of them makes every system call of the machine slower.
pub fn calls(names: &[&str]) -> Vec<Source> {
    let source = |name: &&str| Source {
        path: format!("syscalls/sys_enter_{name}"),
        needed: false,
        filter: Filter::By,
        kind: Kind::Call,
        fields: &[],
    };
    names.iter().map(source).collect()
}

/// The events for packets received and for packets given to a network device.
pub fn packets() -> [Source; 2] {
    let source = |path: &str, sent| Source {
        path: path.to_string(),
        needed: false,
        filter: Filter::None,
        kind: Kind::Packet { sent },
        fields: &["name"],
    };
    [source("net/netif_receive_skb", false), source("net/net_dev_queue", true)]
}

/// The event for texts that programs write to `trace_marker`.
pub fn marks() -> Source {
    let path = "ftrace/print".to_string();
    Source { path, needed: false, filter: Filter::None, kind: Kind::Mark, fields: &["buf"] }
}

/// Preemption and interrupts disabled and enabled. Only recordings of other tools have these events.
fn masks() -> [Source; 4] {
    let source = |path: &str, preemption, on| Source {
        path: path.to_string(),
        needed: false,
        filter: Filter::None,
        kind: Kind::Masks { preemption, on },
        fields: &[],
    };
    [
        source("preemptirq/preempt_disable", true, true),
        source("preemptirq/preempt_enable", true, false),
        source("preemptirq/irq_disable", false, true),
        source("preemptirq/irq_enable", false, false),
    ]
}

fn woken(path: &str, new: bool) -> Source {
    let kind = Kind::Woken { new };
    Source { path: path.to_string(), needed: false, filter: Filter::None, kind, fields: &["pid", "target_cpu"] }
}
