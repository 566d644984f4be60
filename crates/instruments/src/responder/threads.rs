// SPDX-License-Identifier: MIT OR Apache-2.0
//! The two threads that answer, as in the 2002 papers: the line wakes the first (IST), and the first wakes the second (APP).
//!
//! The first answers before it counts. Both are SCHED_FIFO threads; the second has a priority one lower.
#![expect(clippy::disallowed_methods, reason = "reads the clock, sleeps")]
use super::event::Event;
use super::line::{Fault, Input, Output};
use backwall_os::Stop;
use backwall_os::realtime;
use serde::Serialize;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const GLANCE: Duration = Duration::from_millis(50);
/// A thread that does not end within this time is abandoned. Its line no longer wakes it.
const PARTING: Duration = Duration::from_millis(500);
const RIGHTS: &str = "run as root, or give this user 'rtprio 99' and 'memlock unlimited' in /etc/security/limits.conf, \
    or use --priority 0";
const LOST_LINE: &str = "check that the device is still connected";

pub struct Responder {
    pub stimulus: Box<dyn Input>,
    pub ist: Option<Box<dyn Output>>,
    pub app: Option<Box<dyn Output>>,
    /// SCHED_FIFO priority of the first thread, 1 to 99; 0 for ordinary threads.
    pub priority: u8,
    pub count: Option<u64>,
}

/// The counts of a run: `due = ist + ist_lost`, and with a second thread `ist = app + app_lost`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    pub due: u64,
    pub ist: u64,
    /// Edges that came before the thread had answered the previous one.
    pub ist_lost: u64,
    pub app: u64,
    /// Wakeups that came before the second thread had answered the previous one.
    pub app_lost: u64,
}

#[derive(Default)]
struct Shared {
    due: AtomicU64,
    ist: AtomicU64,
    app: AtomicU64,
    over: AtomicBool,
}

impl Responder {
    /// Answers until it is stopped, or the count is reached. Calls `ready` when all threads are ready.
    ///
    /// # Errors
    /// If real-time priority is not permitted, or the line is lost.
    pub fn run(self, stop: &Stop, ready: impl FnOnce()) -> Result<Counts, Fault> {
        let shared = Arc::new(Shared::default());
        let begun = io_fault("threads", RIGHTS);
        if self.priority > 0 {
            realtime::lock_memory().map_err(io_fault("cannot lock memory", RIGHTS))?;
        }
        let event = Event::new().map_err(begun)?;
        let with_app = self.app.is_some();
        let app = self.app.map(|output| second(output, &event, self.priority, &shared)).transpose()?;
        let ist =
            First { stimulus: self.stimulus, output: self.ist, wakes: with_app.then_some(event), count: self.count };
        let ist = begin("bw-ist", self.priority, &shared, move |shared| ist.answer(shared))?;
        ready();
        let threads: Vec<_> = [Some(ist), app].into_iter().flatten().collect();
        while !stop.asked() && !threads.iter().any(JoinHandle::is_finished) {
            std::thread::sleep(GLANCE / 5);
        }
        shared.over.store(true, Ordering::Relaxed);
        threads.into_iter().try_for_each(part)?;
        Ok(shared.counts(with_app))
    }
}

impl Shared {
    fn over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    fn counts(&self, with_app: bool) -> Counts {
        let [due, ist, app] = [&self.due, &self.ist, &self.app].map(|count| count.load(Ordering::Relaxed));
        let app_lost = if with_app { ist.saturating_sub(app) } else { 0 };
        Counts { due, ist, ist_lost: due.saturating_sub(ist), app, app_lost }
    }
}

fn begin(
    name: &str,
    priority: u8,
    shared: &Arc<Shared>,
    work: impl FnOnce(&Shared) -> io::Result<()> + Send + 'static,
) -> Result<JoinHandle<io::Result<()>>, Fault> {
    let (said, heard) = std::sync::mpsc::channel();
    let shared = shared.clone();
    let body = move || {
        let granted = realtime::set_priority(priority);
        let refused = granted.is_err();
        let _ = said.send(granted);
        if refused { Ok(()) } else { work(&shared) }
    };
    let thread = std::thread::Builder::new().name(name.to_string()).spawn(body).map_err(io_fault("threads", RIGHTS))?;
    let granted = heard.recv().unwrap_or(Ok(()));
    granted.map_err(io_fault(&format!("real-time priority {priority}"), RIGHTS))?;
    Ok(thread)
}

fn io_fault(what: &str, hint: &'static str) -> impl FnOnce(io::Error) -> Fault {
    let what = what.to_string();
    move |source| Fault::Io { what, source, hint }
}

fn part(thread: JoinHandle<io::Result<()>>) -> Result<(), Fault> {
    let begun = Instant::now();
    while !thread.is_finished() {
        if begun.elapsed() > PARTING {
            return Ok(());
        }
        std::thread::sleep(GLANCE / 5);
    }
    let ended = thread.join().map_err(|_| Fault::Panic)?;
    ended.map_err(io_fault("lost a line", LOST_LINE))
}

struct First {
    stimulus: Box<dyn Input>,
    output: Option<Box<dyn Output>>,
    wakes: Option<Event>,
    count: Option<u64>,
}

impl First {
    fn answer(mut self, shared: &Shared) -> io::Result<()> {
        while !shared.over() && self.count.is_none_or(|count| shared.due.load(Ordering::Relaxed) < count) {
            let came = self.stimulus.wait(GLANCE)?;
            if came == 0 {
                continue;
            }
            if let Some(output) = &mut self.output {
                output.pulse()?;
            }
            shared.ist.fetch_add(1, Ordering::Relaxed);
            if let Some(event) = &mut self.wakes {
                event.set()?;
            }
            shared.due.fetch_add(came, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// The second thread. It still answers what the first thread signalled before the first thread ended.
fn second(
    mut output: Box<dyn Output>,
    event: &Event,
    priority: u8,
    shared: &Arc<Shared>,
) -> Result<JoinHandle<io::Result<()>>, Fault> {
    let mut event = event.share().map_err(io_fault("threads", RIGHTS))?;
    begin("bw-app", priority.saturating_sub(1), shared, move |shared| {
        loop {
            let over = shared.over();
            if event.wait(GLANCE)? > 0 {
                output.pulse()?;
                shared.app.fetch_add(1, Ordering::Relaxed);
            } else if over {
                return Ok(());
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Rings;

    impl Input for Rings {
        fn wait(&mut self, _: Duration) -> io::Result<u64> {
            Ok(1)
        }
    }

    struct Broken;

    impl Output for Broken {
        fn pulse(&mut self) -> io::Result<()> {
            panic!("on purpose")
        }
    }

    #[test]
    fn a_thread_that_panics_is_a_fault_and_no_result() {
        let broken = || -> Option<Box<dyn Output>> { Some(Box::new(Broken)) };
        for (ist, app) in [(broken(), None), (None, broken())] {
            let responder = Responder { stimulus: Box::new(Rings), ist, app, priority: 0, count: Some(10) };
            let ended = responder.run(&Stop::default(), || {});
            assert!(matches!(ended, Err(Fault::Panic)), "{ended:?}");
        }
    }
}
