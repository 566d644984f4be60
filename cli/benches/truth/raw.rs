// SPDX-License-Identifier: MIT OR Apache-2.0
//! Another reader of a recording: the text of `trace-cmd report`, and the holder of each CPU. It shares no code with backwall.
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Result};
use std::path::Path;
use std::process::{Command, Stdio};

#[derive(Clone, Copy, Debug)]
pub struct Span<T> {
    pub from_ns: i64,
    pub to_ns: i64,
    pub what: T,
}

#[derive(Clone, Copy, Debug)]
pub struct Timer {
    pub soft_ns: i64,
    pub hard_ns: i64,
}

#[derive(Default)]
struct Processor {
    threads: Vec<Span<i32>>,
    interrupts: Vec<Span<u16>>,
    softirqs: Vec<Span<u16>>,
}

#[derive(Clone, Copy)]
struct Place {
    at_ns: i64,
    cpu: usize,
}

#[derive(Default)]
struct Thread {
    places: Vec<Place>,
    timers: Vec<Timer>,
}

#[derive(Default)]
pub struct Raw {
    processors: Vec<Processor>,
    threads: HashMap<i32, Thread>,
    names: Vec<String>,
    pub events: u64,
}

struct Line<'a> {
    thread: i32,
    cpu: usize,
    at_ns: i64,
    event: &'a str,
    words: &'a str,
}

fn line(text: &str) -> Option<Line<'_>> {
    let bracket = text.match_indices(" [").find(|(at, _)| text.as_bytes().get(at + 5) == Some(&b']'))?.0;
    let thread = text[..bracket].trim_end().rsplit_once('-')?.1.parse().ok()?;
    let cpu = text[bracket + 2..bracket + 5].parse().ok()?;
    let (at, rest) = text[bracket + 6..].trim_start().split_once(": ")?;
    let (seconds, parts) = at.split_once('.')?;
    let at_ns = seconds.parse::<i64>().ok()? * 1_000_000_000 + parts.parse::<i64>().ok()?;
    let (event, words) = rest.split_once(':')?;
    Some(Line { thread, cpu, at_ns, event, words })
}

fn number(words: &str, name: &str) -> Option<i64> {
    let begin = words.find(&format!(" {name}="))? + name.len() + 2;
    let end = words[begin..].find(|c: char| !c.is_ascii_digit()).map_or(words.len(), |end| begin + end);
    words[begin..end].parse().ok()
}

impl Raw {
    pub fn read(file: &Path) -> Result<Self> {
        let mut report = Command::new("trace-cmd")
            .args(["report", "-t", "-R", "-i"])
            .arg(file)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut raw = Self::default();
        let mut reader = BufReader::new(report.stdout.take().expect("piped"));
        let mut bytes = Vec::new();
        while reader.read_until(b'\n', &mut bytes)? > 0 {
            let text = String::from_utf8_lossy(&bytes);
            if let Some(line) = line(text.trim_end()) {
                raw.take(&line);
            }
            bytes.clear();
        }
        report.wait()?;
        raw.close();
        Ok(raw)
    }

    fn processor(&mut self, cpu: usize) -> &mut Processor {
        if self.processors.len() <= cpu {
            self.processors.resize_with(cpu + 1, Processor::default);
        }
        &mut self.processors[cpu]
    }

    fn take(&mut self, line: &Line<'_>) {
        self.events += 1;
        self.has(line.cpu, line.thread, line.at_ns);
        match line.event {
            "sched_switch" => {
                if let Some(next) = number(line.words, "next_pid") {
                    self.has(line.cpu, next as i32, line.at_ns);
                    self.is_at(next as i32, line.cpu, line.at_ns);
                }
            }
            "sched_migrate_task" => {
                if let (Some(thread), Some(to)) = (number(line.words, "pid"), number(line.words, "dest_cpu")) {
                    self.is_at(thread as i32, to as usize, line.at_ns);
                }
            }
            "sched_waking" | "sched_wakeup" | "sched_wakeup_new" => {
                if let (Some(thread), Some(to)) = (number(line.words, "pid"), number(line.words, "target_cpu")) {
                    self.is_at(thread as i32, to as usize, line.at_ns);
                }
            }
            "hrtimer_start" => {
                if let (Some(hard_ns), Some(soft_ns)) =
                    (number(line.words, "expires"), number(line.words, "softexpires"))
                {
                    self.threads.entry(line.thread).or_default().timers.push(Timer { soft_ns, hard_ns });
                }
            }
            event => self.take_section(event, line),
        }
    }

    fn take_section(&mut self, event: &str, line: &Line<'_>) {
        let Some((name, is_entry)) = event
            .strip_suffix("_entry")
            .map(|name| (name, true))
            .or(event.strip_suffix("_exit").map(|name| (name, false)))
        else {
            return;
        };
        let (at_ns, cpu) = (line.at_ns, line.cpu);
        if name == "softirq" {
            let vector = number(line.words, "vec").unwrap_or(0) as u16;
            return section(&mut self.processor(cpu).softirqs, vector, is_entry, at_ns);
        }
        if ["hrtimer_expire", "timer_expire", "tasklet"].contains(&name) {
            return;
        }
        let name = match name {
            "irq_handler" => line.words.split("name=").nth(1).unwrap_or("").split(' ').next().unwrap_or("").to_string(),
            name => name.to_string(),
        };
        let number = self.names.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        });
        section(&mut self.processor(cpu).interrupts, number as u16, is_entry, at_ns);
    }

    // From then on a thread has a CPU; every event names the thread on whose time it was written.
    fn has(&mut self, cpu: usize, thread: i32, at_ns: i64) {
        let threads = &mut self.processor(cpu).threads;
        match threads.last_mut() {
            Some(last) if last.what == thread => last.to_ns = at_ns,
            Some(last) => {
                last.to_ns = at_ns;
                threads.push(Span { from_ns: at_ns, to_ns: at_ns, what: thread });
            }
            None => threads.push(Span { from_ns: at_ns, to_ns: at_ns, what: thread }),
        }
    }

    fn is_at(&mut self, thread: i32, cpu: usize, at_ns: i64) {
        let places = &mut self.threads.entry(thread).or_default().places;
        if places.last().is_none_or(|last| last.cpu != cpu) {
            places.push(Place { at_ns, cpu });
        }
    }

    // Merges the CPUs' files by time, except for events that the kernel stamped late.
    fn close(&mut self) {
        for thread in self.threads.values_mut() {
            thread.places.sort_by_key(|place| place.at_ns);
        }
    }

    // The CPUs of a thread between two instants.
    fn path(&self, thread: i32, from_ns: i64, to_ns: i64) -> Vec<Span<usize>> {
        let Some(places) = self.threads.get(&thread).map(|thread| &thread.places) else { return Vec::new() };
        let first = places.partition_point(|place| place.at_ns <= from_ns).saturating_sub(1);
        let mut path: Vec<Span<usize>> = Vec::new();
        for place in &places[first..] {
            if place.at_ns >= to_ns {
                break;
            }
            let at_ns = place.at_ns.max(from_ns);
            if let Some(last) = path.last_mut() {
                last.to_ns = at_ns;
            }
            // Before the first event that tells where it is, it was already there.
            path.push(Span { from_ns: if path.is_empty() { from_ns } else { at_ns }, to_ns, what: place.cpu });
        }
        path
    }

    pub fn knows(&self, thread: i32, from_ns: i64, to_ns: i64) -> bool {
        !self.path(thread, from_ns, to_ns).is_empty()
    }

    // How long another thread held this thread's CPU.
    pub fn had_ns(&self, late: i32, other: i32, from_ns: i64, to_ns: i64) -> i64 {
        let path = self.path(late, from_ns, to_ns);
        path.iter()
            .map(|span| of(&self.processors[span.what].threads, span.from_ns, span.to_ns, |what| what == other))
            .sum()
    }

    pub fn had_anywhere_ns(&self, other: i32, from_ns: i64, to_ns: i64) -> i64 {
        self.processors.iter().map(|processor| of(&processor.threads, from_ns, to_ns, |what| what == other)).sum()
    }

    // How long interrupts whose name begins so took where the thread was; names are cut by the tool.
    pub fn interrupts_ns(&self, late: i32, name: &str, from_ns: i64, to_ns: i64) -> i64 {
        let fits = |what: u16| self.names[usize::from(what)].starts_with(name);
        let path = self.path(late, from_ns, to_ns);
        path.iter().map(|span| of(&self.processors[span.what].interrupts, span.from_ns, span.to_ns, fits)).sum()
    }

    pub fn softirqs_ns(&self, late: i32, vector: u16, from_ns: i64, to_ns: i64) -> i64 {
        let path = self.path(late, from_ns, to_ns);
        path.iter()
            .map(|span| of(&self.processors[span.what].softirqs, span.from_ns, span.to_ns, |what| what == vector))
            .sum()
    }

    // The latest instant at which the kernel may let a thread's timer of this instant expire.
    pub fn slack_until_ns(&self, thread: i32, soft_ns: i64) -> Option<i64> {
        let timers = &self.threads.get(&thread)?.timers;
        timers.iter().rev().find(|timer| timer.soft_ns == soft_ns).map(|timer| timer.hard_ns)
    }
}

fn section(spans: &mut Vec<Span<u16>>, what: u16, is_entry: bool, at_ns: i64) {
    if is_entry {
        spans.push(Span { from_ns: at_ns, to_ns: i64::MIN, what });
    } else if let Some(open) = spans.iter_mut().rev().take(4).find(|span| span.what == what && span.to_ns == i64::MIN) {
        open.to_ns = at_ns;
    }
}

fn of<T: Copy>(spans: &[Span<T>], from_ns: i64, to_ns: i64, fits: impl Fn(T) -> bool) -> i64 {
    // Spans begin in order; one that encloses others began at most so many before.
    let first = spans.partition_point(|span| span.from_ns < from_ns).saturating_sub(8);
    let within = spans[first..].iter().take_while(|span| span.from_ns < to_ns).filter(|span| fits(span.what));
    within.map(|span| (span.to_ns.min(to_ns) - span.from_ns.max(from_ns)).max(0)).sum()
}
