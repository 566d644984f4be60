// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tools of other projects that measure an operation that backwall also measures: their commands and their output.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "reads and writes files, starts programs, reads the environment"
)]
use crate::device::probe::{ListedOperation, Probe};
use crate::osbench::operation::{self, Setup};
use backwall_model::picture::{Equal, Peer};
use backwall_os::Stop;
use backwall_os::complaint;
use backwall_os::process::Leash;
use backwall_os::refusal::{Result, unable};
use std::io::Read;
use std::process::{Command, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Suite {
    /// ptsematest, svsematest, pmqtest and sigwaittest.
    RtTests,
    /// `perf bench` of a system call and of a pipe.
    Perf,
}

#[derive(Clone, Copy, Debug)]
pub struct Tool {
    words: &'static [&'static str],
    pub test: &'static str,
    suite: Suite,
}

const fn tool(words: &'static [&'static str], test: &'static str, suite: Suite) -> Tool {
    Tool { words, test, suite }
}

const TOOLS: [Tool; 6] = [
    tool(&["ptsematest"], "3.00", Suite::RtTests),
    tool(&["svsematest"], "2.00", Suite::RtTests),
    tool(&["pmqtest"], "7.21", Suite::RtTests),
    tool(&["sigwaittest"], "7.25", Suite::RtTests),
    tool(&["perf", "bench", "syscall", "basic"], "5.06", Suite::Perf),
    tool(&["perf", "bench", "sched", "pipe", "-T"], "7.45", Suite::Perf),
];

/// Time between two rounds of an rt-tests tool; short, so that the CPU stays out of deep C-states.
const INTERVAL_US: u64 = 200;
const LOOPS: u64 = 100;
/// A tool that exceeds its expected time by this much counts as hanging.
const PATIENCE: Duration = Duration::from_secs(60);
const SAID_BYTES: u64 = 1 << 20;

pub fn tools(suite: Suite) -> impl Iterator<Item = Tool> {
    TOOLS.into_iter().filter(move |tool| tool.suite == suite)
}

/// Measures backwall's row with both threads at one priority, as a two-threaded tool does; `None` for a single-threaded tool.
pub fn equal(tool: &Tool, probe: &Probe, stop: &Stop, setup: &Setup, of: &ListedOperation) -> Result<Option<Equal>> {
    if !tool.has_two_threads() {
        return Ok(None);
    }
    let setup = Setup { equal: true, ..*setup };
    let operation::OperationResult { row, series, .. } = operation::measure(probe, stop, &setup, of, false)?;
    let each = |value: f64| row.each(value).round() as u64;
    let figures = series.min.zip(series.max).zip(series.mean);
    Ok(figures.map(|((min, max), mean)| Equal {
        samples: series.counted(),
        min_ns: each(min as f64),
        mean_ns: each(mean),
        max_ns: each(max as f64),
    }))
}

impl Tool {
    /// Two-threaded tools give both threads one priority; in backwall's rows the woken thread has the higher priority.
    fn has_two_threads(&self) -> bool {
        self.test != "5.06"
    }

    pub fn name(&self) -> String {
        self.words.iter().filter(|word| !word.starts_with('-')).copied().collect::<Vec<_>>().join(" ")
    }

    fn command(&self, setup: &Setup) -> Command {
        let (cpu, priority) = (setup.cpu.to_string(), setup.priority.to_string());
        let mut command = match self.suite {
            Suite::RtTests => Command::new(self.words[0]),
            Suite::Perf => Command::new("taskset"),
        };
        match self.suite {
            Suite::RtTests => {
                command.args([format!("-a{cpu}"), "-t1".to_string(), format!("-p{priority}")]);
                command.args([format!("-i{INTERVAL_US}"), "-d0".to_string(), format!("-l{}", setup.samples.max(2))]);
                command.args(["-q", "--json=-"]);
            }
            Suite::Perf => {
                command.args(["-c", &cpu, "chrt", "-f", &priority]).args(self.words);
                command.args(["-l", &(setup.samples * LOOPS).to_string()]);
            }
        }
        command
    }

    /// Runs the tool on the measured CPU at the measured priority.
    ///
    /// # Errors
    /// If the tool is not installed: one line that names its package. Otherwise: the tool's own message.
    pub fn measure(&self, setup: &Setup, stop: &Stop) -> Result<Peer> {
        let package = match self.suite {
            Suite::RtTests => "rt-tests",
            Suite::Perf => "linux-perf",
        };
        let name = self.name();
        if !is_installed(self.words[0]) {
            return Err(unable(format!("{name} is not installed: apt install {package}")));
        }
        // The second term covers `perf bench`, whose rounds take a few microseconds.
        let limit = PATIENCE
            + Duration::from_micros(2 * INTERVAL_US).saturating_mul(setup.samples.try_into().unwrap_or(u32::MAX));
        let said = said(self.command(setup), limit, stop).map_err(|error| unable(format!("{name}: {error}")))?;
        let read = match self.suite {
            Suite::RtTests => of_rt_tests(&said.text),
            Suite::Perf => of_perf(&said.text, setup.samples * LOOPS),
        };
        let peer = read.ok_or_else(|| unable(format!("cannot read the output of {name}: {}", said.why())))?;
        Ok(Peer { program: name, test: self.test.to_string(), ..peer })
    }
}

fn is_installed(program: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}

struct PeerOutput {
    text: String,
    complaint: String,
    ended: Option<String>,
}

impl PeerOutput {
    fn why(&self) -> String {
        let last = |text: &str| complaint::last_line(text.as_bytes());
        let line = self.ended.clone().or_else(|| last(&self.complaint)).or_else(|| last(&self.text));
        line.unwrap_or_else(|| "no error message".into()).chars().take(120).collect()
    }
}

fn said(mut command: Command, limit: Duration, stop: &Stop) -> std::io::Result<PeerOutput> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut leash = Leash::start(&mut command)?;
    let text = kept(leash.stdout().expect("standard output is a pipe"))?;
    let complaint = kept(leash.stderr().expect("standard error is a pipe"))?;
    let ended = leash.wait(limit, &|| stop.asked())?.is_none().then(|| match stop.asked() {
        true => "interrupted".to_string(),
        false => format!("stopped after {} s", limit.as_secs()),
    });
    leash.kill();
    let whole = |reader: JoinHandle<Vec<u8>>| String::from_utf8_lossy(&reader.join().unwrap_or_default()).into_owned();
    Ok(PeerOutput { text: whole(text), complaint: whole(complaint), ended })
}

/// Reads the output in the background, because a full pipe would block the tool.
fn kept(stream: impl Read + Send + 'static) -> std::io::Result<JoinHandle<Vec<u8>>> {
    std::thread::Builder::new().spawn(move || {
        let mut bytes = Vec::new();
        let _ = stream.take(SAID_BYTES).read_to_end(&mut bytes);
        bytes
    })
}

/// The number after `"name":` in JSON that other text surrounds.
fn number(text: &str, name: &str) -> Option<f64> {
    let rest = &text[text.find(&format!("\"{name}\":"))?..];
    let digits = rest.split(':').nth(1)?.trim_start();
    let end = digits.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(digits.len());
    digits[..end].parse().ok()
}

fn ns(us: f64) -> u64 {
    (us * 1e3).round() as u64
}

/// The receiver's figures of the first pair, in microseconds.
fn of_rt_tests(said: &str) -> Option<Peer> {
    let samples = number(said, "samples")? as u64;
    let receiver = &said[said.find("\"receiver\"")?..];
    let us = |name| number(receiver, name);
    Some(Peer {
        samples,
        min_ns: Some(ns(us("min")?)),
        mean_ns: ns(us("avg")?),
        max_ns: Some(ns(us("max")?)),
        ..Peer::default()
    })
}

/// Parses the line `3.058970 usecs/op`.
fn of_perf(said: &str, samples: u64) -> Option<Peer> {
    let line = said.lines().find(|line| line.trim_end().ends_with("usecs/op"))?;
    let us: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(Peer { samples, mean_ns: ns(us), ..Peer::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_tools_say_is_read() {
        let said = "#0: ID7\n{ \"num_threads\": 1, \"thread\": { \"0\": { \"sender\": { \"cpu\": 1, \"samples\": 300 },\n\
                    \"receiver\": { \"cpu\": 1, \"priority\": 80, \"min\": 3, \"avg\": 4.14, \"max\": 40 } } } }";
        let peer = of_rt_tests(said).unwrap();
        assert_eq!((peer.samples, peer.min_ns, peer.mean_ns, peer.max_ns), (300, Some(3_000), 4_140, Some(40_000)));
        let said = "# Running\n     Total time: 0.305 [sec]\n\n       3.058970 usecs/op\n         326907 ops/sec\n";
        assert_eq!(of_perf(said, 5).unwrap().mean_ns, 3_059);
    }

    #[test]
    fn what_says_nothing_of_use_is_no_figure() {
        for said in ["", "{", "\"receiver\": {}", "\"samples\": 3 \"receiver\": \"min\": x", "fast usecs/op"] {
            assert!(of_rt_tests(said).is_none() && of_perf(said, 1).is_none(), "{said}");
        }
    }

    #[test]
    fn a_tool_that_is_not_installed_is_one_line_with_its_package() {
        let missing = tool(&["no-such-program"], "1.00", Suite::RtTests);
        let setup = Setup {
            cpu: 0,
            other_cpu: 0,
            priority: 80,
            samples: 1,
            mark: None,
            equal: false,
            warmup: 0,
            best_effort: false,
        };
        let refused = missing.measure(&setup, &Stop::default()).unwrap_err().to_string();
        assert_eq!(refused, "no-such-program is not installed: apt install rt-tests");
    }
}
