// SPDX-License-Identifier: MIT OR Apache-2.0
//! The events that are recorded: their paths, the fields that are read of each, and what the kernel may leave out.

/// Which records of an event the kernel need not write, once the awaited thread is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    /// All are wanted.
    None,
    /// Those caused by the thread.
    By,
    /// Those about the thread.
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
    Stack,
}

/// One event that is recorded.
#[derive(Clone, Debug)]
pub struct Source {
    /// `sched/sched_switch` …
    pub path: String,
    /// Without it there are no stages.
    pub needed: bool,
    /// What the kernel may leave out.
    pub filter: Filter,
    pub(crate) kind: Kind,
    pub(crate) fields: &'static [&'static str],
}

/// What is recorded of every processor only where it is asked for, for what it costs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Besides {
    /// Calls that may wait for a lock: every system call is slower.
    pub locks: bool,
    /// Page faults: a busy machine has them by the hundred thousand.
    pub faults: bool,
    /// Packets that are received and sent.
    pub packets: bool,
    /// Entries of system calls, a bit for each of [`CALLS`]: every system call is slower.
    pub calls: u16,
    /// Only threads whose names begin so matter: page faults of no others are recorded, and of processors that are not recorded
    /// whole, who keeps these from their work.
    pub of: Option<&'static str>,
}

const SWITCH: &[&str] = &["prev_comm", "prev_pid", "prev_prio", "prev_state", "next_comm", "next_pid", "next_prio"];

/// Signals that stop and continue, and all that one thread sends to another (`SI_USER`, `SI_QUEUE`, `SI_TKILL`): those that the kernel
/// sends of its own accord, at the end of each process for one, tell nothing.
const SIGNALS: &str = "(sig >= 18 && sig <= 22) || code == 0 || code == -1 || code == -6";

const KERNEL_STACK: &str = "ftrace/kernel_stack";

/// The events that every kernel names alike: path, needed, filter, kind, fields.
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
    /// Its name without the folder.
    pub fn event(&self) -> &str {
        self.path.split('/').next_back().unwrap_or_default()
    }

    /// Whether it tells of a response of any thread, from its timer on, and costs no more than that: no system call and no page
    /// fault is recorded.
    pub fn is_of_responses(&self) -> bool {
        !self.slows_system_calls() && !self.is_of_faults()
    }

    /// Whether every system call of the machine takes the kernel's slow way while it is on.
    pub fn slows_system_calls(&self) -> bool {
        matches!(self.kind, Kind::SleepEnd | Kind::Futex { .. })
    }

    /// Whether it tells of page faults, which a busy machine has by the hundred thousand.
    pub fn is_of_faults(&self) -> bool {
        matches!(self.kind, Kind::PageFault)
    }

    /// A filter as the kernel reads it, of an event of which only a few tell something.
    pub fn only(&self) -> Option<&'static str> {
        matches!(self.kind, Kind::Signalled).then_some(SIGNALS)
    }

    /// Whether it tells, on a processor where nothing else is recorded, of who keeps a thread of another one from its work.
    pub fn is_of_elsewhere(&self) -> bool {
        matches!(self.kind, Kind::Waking | Kind::Signalled | Kind::Freezes { .. }) || self.is_of_machine()
    }

    /// Whether it tells of a change of the machine itself, whichever processor it is written on.
    pub fn is_of_machine(&self) -> bool {
        self.is_of_frequency() || matches!(self.kind, Kind::Cools | Kind::Temperature | Kind::Trip | Kind::Plugs { .. })
    }

    /// Whether it tells of the frequency of one processor.
    pub fn is_of_frequency(&self) -> bool {
        matches!(self.kind, Kind::Frequency { .. })
    }

    /// Whether it is the kernel's stack, which is no event to be switched on: another event's trigger writes it.
    pub fn is_of_stacks(&self) -> bool {
        matches!(self.kind, Kind::Stack)
    }

    /// Whether it tells of calls that may wait for a lock.
    pub fn is_of_locks(&self) -> bool {
        matches!(self.kind, Kind::Futex { .. })
    }
}

/// The events of `SOURCES`, and the vectors of this kernel (`irq_vectors/…_entry`) where it has such events.
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

/// What tells that a new thread was made ready; nothing else does.
pub fn new_threads() -> Source {
    woken("sched/sched_wakeup_new", true)
}

/// Events that a recording may have besides ours or instead: the end of a waking, and of a new thread's.
pub fn read_besides() -> Vec<Source> {
    let wakeups = [woken("sched/sched_wakeup", false), new_threads()];
    wakeups.into_iter().chain(packets()).chain(calls(&CALLS)).collect()
}

/// System calls that may begin or end what a chain measures.
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

/// The entries of these system calls: the machine's others are slower while any of them is recorded.
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

/// Packets that are received, and those that are given to a device.
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

fn woken(path: &str, new: bool) -> Source {
    let kind = Kind::Woken { new };
    Source { path: path.to_string(), needed: false, filter: Filter::None, kind, fields: &["pid", "target_cpu"] }
}
