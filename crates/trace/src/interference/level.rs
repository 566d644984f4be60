// SPDX-License-Identifier: MIT OR Apache-2.0
//! Busy windows of one priority: from the first ready thread at least as urgent to the instant when none is.

/// The windows of one priority on one processor.
#[derive(Clone, Debug)]
pub(super) struct Level {
    pub priority: i32,
    /// The present window.
    open: Option<Window>,
    pub longest_ns: u64,
    pub windows: u64,
}

#[derive(Clone, Copy, Debug)]
struct Window {
    blocked_ns: u64,
    /// Sections that had begun before the window, and have not ended: they block it as less urgent work does.
    before: usize,
    /// What came before is not known.
    spoiled: bool,
}

impl Level {
    pub fn new(priority: i32) -> Self {
        Self { priority, open: None, longest_ns: 0, windows: 0 }
    }

    /// A thread became ready while `depth` sections were open.
    pub fn begin(&mut self, depth: usize) {
        self.open.get_or_insert(Window { blocked_ns: 0, before: depth, spoiled: false });
    }

    /// A section had the processor that has `depth - 1` others around it.
    pub fn section(&mut self, ns: u64, depth: usize) {
        self.open.iter_mut().filter(|window| depth <= window.before).for_each(|window| window.blocked_ns += ns);
    }

    /// So many sections are left.
    pub fn left(&mut self, depth: usize) {
        self.open.iter_mut().for_each(|window| window.before = window.before.min(depth));
    }

    /// A thread of that priority had the processor, or the idle thread.
    pub fn thread(&mut self, ns: u64, priority: i32) {
        let lower = priority > self.priority;
        self.open.iter_mut().filter(|_| lower).for_each(|window| window.blocked_ns += ns);
    }

    pub fn spoil(&mut self) {
        self.open.iter_mut().for_each(|window| window.spoiled = true);
    }

    /// No such thread is ready any more.
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
