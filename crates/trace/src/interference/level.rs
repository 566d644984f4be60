// SPDX-License-Identifier: MIT OR Apache-2.0
//! Busy windows of one priority: each lasts from the first ready thread of at least this priority until no such thread is ready.

/// The busy windows of one priority on one CPU.
#[derive(Clone, Debug)]
pub(super) struct Level {
    pub priority: i32,
    /// The current busy window.
    open: Option<Window>,
    pub longest_ns: u64,
    pub windows: u64,
}

#[derive(Clone, Copy, Debug)]
struct Window {
    blocked_ns: u64,
    /// Number of interrupts and softirqs that began before the window and have not ended. They block the window like a thread
    /// of lower priority.
    before: usize,
    /// What happened before is unknown, so the window does not count.
    spoiled: bool,
}

impl Level {
    pub fn new(priority: i32) -> Self {
        Self { priority, open: None, longest_ns: 0, windows: 0 }
    }

    /// A thread became ready while `depth` nested interrupts and softirqs were running.
    pub fn begin(&mut self, depth: usize) {
        self.open.get_or_insert(Window { blocked_ns: 0, before: depth, spoiled: false });
    }

    /// An interrupt or softirq had the CPU for `ns`, at nesting depth `depth`.
    pub fn section(&mut self, ns: u64, depth: usize) {
        self.open.iter_mut().filter(|window| depth <= window.before).for_each(|window| window.blocked_ns += ns);
    }

    /// Interrupts or softirqs ended; `depth` of them are still nested.
    pub fn left(&mut self, depth: usize) {
        self.open.iter_mut().for_each(|window| window.before = window.before.min(depth));
    }

    /// A thread of this priority, or the idle thread, had the CPU for `ns`.
    pub fn thread(&mut self, ns: u64, priority: i32) {
        let lower = priority > self.priority;
        self.open.iter_mut().filter(|_| lower).for_each(|window| window.blocked_ns += ns);
    }

    pub fn spoil(&mut self) {
        self.open.iter_mut().for_each(|window| window.spoiled = true);
    }

    /// No thread of at least this priority is ready any more.
    pub fn end(&mut self) {
        if let Some(window) = self.open.take().filter(|window| !window.spoiled) {
            self.windows += 1;
            self.longest_ns = self.longest_ns.max(window.blocked_ns);
        }
    }

    pub fn forget(&mut self) {
        self.open = None;
    }
}
