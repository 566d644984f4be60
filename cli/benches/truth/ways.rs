// SPDX-License-Identifier: MIT OR Apache-2.0
//! The ways to ask the tool who made a thread late, and the answer of each.
use super::ledger::Row;
use serde_json::Value;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

#[derive(Clone, Debug)]
pub struct Answer {
    pub from_ns: i64,
    pub ns: i64,
    pub words: String,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Way {
    Attach,
    Watch,
    Track,
}

pub const WAYS: [Way; 3] = [Way::Attach, Way::Watch, Way::Track];

impl Way {
    pub fn name(self) -> &'static str {
        match self {
            Way::Attach => "attach",
            Way::Watch => "watch",
            Way::Track => "track",
        }
    }

    pub fn words(self, thread: u32, late_us: i64, seconds: u64) -> Vec<String> {
        let words = match self {
            Way::Attach => format!("watch thread:{thread} -D {seconds}s --quiet"),
            Way::Watch => format!("watch {thread} -D {seconds}s --every 1s --deadline {late_us}us"),
            Way::Track => format!("trace record --faults --for {seconds}s --quiet"),
        };
        words.split(' ').map(str::to_string).collect()
    }
}

pub struct Asked {
    pub way: Way,
    child: Child,
    pub folder: PathBuf,
    begun: Instant,
}

impl Asked {
    pub fn begin(tool: &Path, way: Way, words: &[String], folder: PathBuf) -> std::io::Result<Self> {
        let said = File::create(beside(&folder, "said"))?;
        let child = Command::new(tool)
            .args(words)
            .arg("--output")
            .arg(&folder)
            .stdin(Stdio::null())
            .stdout(said.try_clone()?)
            .stderr(said)
            .spawn()?;
        Ok(Self { way, child, folder, begun: Instant::now() })
    }

    // Sends a signal as a user would (Ctrl-C); returns the time until the end.
    pub fn signal(&self, number: i32) {
        // SAFETY: plain numbers; the child has not been waited for.
        unsafe { libc::kill(self.child.id() as i32, number) };
    }

    pub fn seconds(&self) -> f64 {
        self.begun.elapsed().as_secs_f64()
    }

    // Waits for its end, for `at_most`; `None` if it was killed after that.
    pub fn wait(&mut self, at_most: Duration) -> Option<ExitStatus> {
        let over = Instant::now() + at_most;
        while Instant::now() < over {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        None
    }

    pub fn said(&self) -> String {
        fs::read_to_string(beside(&self.folder, "said")).unwrap_or_default()
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn beside(folder: &Path, ending: &str) -> PathBuf {
    PathBuf::from(format!("{}.{ending}", folder.display()))
}

pub fn answers(tool: &Path, asked: &Asked, thread: u32, late_us: i64, seen: &[Row]) -> Vec<Answer> {
    match asked.way {
        Way::Attach => of_run(&asked.folder, seen),
        Way::Watch => of_log(&asked.folder),
        Way::Track => of_recording(tool, &asked.folder, thread, late_us),
    }
}

fn json(file: &Path) -> Option<Value> {
    serde_json::from_slice(&fs::read(file).ok()?).ok()
}

// The worst of a run, whose instants are since its first response.
fn of_run(folder: &Path, seen: &[Row]) -> Vec<Answer> {
    let run = json(&folder.join("run.json")).unwrap_or_default();
    let worst = run["stages"].as_array().into_iter().flatten().flat_map(|stages| stages["worst"].as_array()).flatten();
    let mut answers: Vec<Answer> = worst
        .filter_map(|worst| {
            let shares = worst["blame"]["shares"].as_array();
            let words = shares.and_then(|shares| shares.iter().max_by_key(|share| share["ns"].as_i64()));
            let wakers = worst["blame"]["wakers"].to_string();
            let words = words.map_or(worst["blame"].to_string(), |share| {
                format!("{} {} {} {wakers}", share["cause"], share["culprit"]["holder"], share["culprit"]["more"])
            });
            Some(Answer { from_ns: worst["at"].as_i64()?, ns: worst["value"].as_i64()?, words })
        })
        .collect();
    let begun_ns = first_release_ns(&answers, seen);
    answers.iter_mut().for_each(|answer| answer.from_ns += begun_ns);
    answers
}

// The instant at which the answers match the ledgers best, by start and length.
fn first_release_ns(answers: &[Answer], seen: &[Row]) -> i64 {
    const NEAR_NS: i64 = 60_000;
    const LONG_NS: i64 = 200_000;
    let agrees = |begun_ns: i64, answer: &Answer| {
        let from_ns = answer.from_ns + begun_ns;
        let at = seen.partition_point(|row| row.from_ns < from_ns - NEAR_NS);
        let near = seen[at..].iter().take(3).filter(|row| row.from_ns < from_ns + NEAR_NS);
        near.map(|row| (LONG_NS - (row.length_ns() - answer.ns).abs()).max(0)).max().unwrap_or(0)
    };
    let agree = |begun_ns: i64| -> i64 { answers.iter().map(|answer| agrees(begun_ns, answer)).sum() };
    let mut longest: Vec<&Answer> = answers.iter().collect();
    longest.sort_by_key(|answer| std::cmp::Reverse(answer.ns));
    let candidates = longest.iter().take(12).flat_map(|answer| {
        let alike = |row: &&Row| (row.length_ns() - answer.ns).abs() < LONG_NS;
        seen.iter().filter(alike).map(|row| row.from_ns - answer.from_ns)
    });
    candidates.max_by_key(|begun_ns| agree(*begun_ns)).unwrap_or(0)
}

// `2026-11-27T12:12:45.752Z victim-5982 7,758.5 us: of 7,758.5 us: 6,635.5 us culprit …; …`
fn of_log(folder: &Path) -> Vec<Answer> {
    let log = fs::read_to_string(folder.join("late.log")).unwrap_or_default();
    let ahead_ns = wall_ns() - now_ns();
    let read = |line: &str| {
        let mut words = line.splitn(3, ' ');
        let at: jiff::Timestamp = words.next()?.parse().ok()?;
        let (_, rest) = (words.next()?, words.next()?);
        let (length, rest) = rest.split_once(": ")?;
        let of = rest.split_once(": ").map_or(rest, |(_, shares)| shares);
        let largest = of.split("; ").next()?;
        let wakers = rest.rfind(" (with what its waker").map_or("", |at| &rest[at..]);
        let from_ns = i64::try_from(at.as_nanosecond()).ok()? - ahead_ns;
        Some(Answer { from_ns, ns: length_ns(length)?, words: format!("{largest}{wakers}") })
    };
    log.lines().filter_map(read).collect()
}

fn length_ns(text: &str) -> Option<i64> {
    let (number, unit) = text.split_once(' ')?;
    let number: f64 = number.replace(',', "").parse().ok()?;
    let unit_ns = match unit {
        "ns" => 1.0,
        "us" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => return None,
    };
    Some((number * unit_ns) as i64)
}

fn of_recording(tool: &Path, folder: &Path, thread: u32, late_us: i64) -> Vec<Answer> {
    let begin_ns = json(&folder.join("summary.json")).and_then(|all| all["summary"]["begin_ns"].as_i64()).unwrap_or(0);
    let said = Command::new(tool)
        .args(["blame", "--thread", &thread.to_string(), "--above", &format!("{late_us}us"), "--json"])
        .arg(folder)
        .stderr(Stdio::null())
        .output();
    let blame: Value = said.ok().and_then(|said| serde_json::from_slice(&said.stdout).ok()).unwrap_or_default();
    let _ = fs::write(beside(folder, "blame"), blame.to_string());
    let late = blame["responses_late"].as_array().into_iter().flatten();
    late.filter_map(|late| {
        let largest = late["shares"].as_array()?.iter().max_by_key(|share| share["ns"].as_i64())?;
        let words = format!("{} {}", largest["what"].as_str()?, late["wakers"].as_str().unwrap_or(""));
        Some(Answer { from_ns: late["at_ns"].as_i64()? + begin_ns, ns: late["latency_ns"].as_i64()?, words })
    })
    .collect()
}

pub fn now_ns() -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writing.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

fn wall_ns() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as i64)
}
