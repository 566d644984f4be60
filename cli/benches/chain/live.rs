// SPDX-License-Identifier: MIT OR Apache-2.0
//! What it costs a chain of five threads, and how much of a CPU backwall uses, when backwall follows it live: in turns A B B A beside the
//! same recorder that follows nothing.
use super::figure;
use std::io::{Error, Read, Result, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, sleep};
use std::time::Duration;

const SPEC: &str = "timer lv-1 > lv-1 > lv-2 > lv-3 > lv-4 > lv-5";
const HOPS: usize = 5;
const PERIOD_NS: i64 = 1_000_000;
const PRIORITY: i32 = 80;
const BLOCKS: usize = 6;
const BEGINS: Duration = Duration::from_secs(2);
const TURN: Duration = Duration::from_secs(6);
const COST_US: f64 = 1.0;
const CPU_PERCENT: f64 = 3.0;
// A chain and its threads; without the chain, the threads alone.
const RECIPE: &str = "about = \"a\"\ncalled = \"c\"\nlate = \"l\"\nthread = [\"lv-*\"]\n";
const CHAIN: &str =
    "[[chain]]\nname = \"five\"\nstart = \"timer lv-1\"\nhops = [\"lv-1\", \"lv-2\", \"lv-3\", \"lv-4\", \"lv-5\"]\n";

type Latencies = Arc<Mutex<Vec<u64>>>;

struct Turn {
    p50_us: f64,
    cpu_percent: f64,
}

pub fn show(out: &Path) -> Result<()> {
    let recipes = out.join("backwall/recipes");
    std::fs::create_dir_all(&recipes)?;
    for (name, chain) in [("plain", ""), ("five", CHAIN)] {
        std::fs::write(recipes.join(format!("{name}.toml")), format!("name = \"{name}\"\n{RECIPE}{chain}"))?;
    }
    let latencies = begin()?;
    compare("live: chain beside trace record", out, &latencies, (&["trace", "record"], &["chain", SPEC]))?;
    compare("live: watch with a chain beside one without", out, &latencies, (&["watch", "plain"], &["watch", "five"]))
}

// Each thread writes the release to the next one, on the other CPU.
fn begin() -> Result<Latencies> {
    let latencies = Latencies::default();
    let (mut before, first) = UnixStream::pair()?;
    for place in 2..=HOPS {
        let (next, output) = UnixStream::pair()?;
        let (input, told) = (std::mem::replace(&mut before, next), latencies.clone());
        let output = (place < HOPS).then_some(output);
        begin_thread(place, move || hop(input, output, &told))?;
    }
    begin_thread(1, move || timer(first))?;
    Ok(latencies)
}

fn begin_thread(place: usize, work: impl FnOnce() -> Result<()> + Send + 'static) -> Result<()> {
    let begun = move || {
        become_urgent(place % 2);
        work().expect("the other end lives as long as the bench");
    };
    Builder::new().name(format!("lv-{place}")).spawn(begun).map(drop)
}

fn become_urgent(cpu: usize) {
    // SAFETY: each call reads a structure of this stack frame, and concerns this thread alone.
    let done = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu, &mut set);
        let param = libc::sched_param { sched_priority: PRIORITY };
        libc::sched_setaffinity(0, size_of_val(&set), &raw const set);
        libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const param)
    };
    assert_eq!(done, 0, "SCHED_FIFO {PRIORITY}: {}", Error::last_os_error());
}

fn now_ns() -> i64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes to a structure of this stack frame.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    now.tv_sec * 1_000_000_000 + now.tv_nsec
}

fn timer(mut output: UnixStream) -> Result<()> {
    let mut release_ns = now_ns();
    loop {
        release_ns += PERIOD_NS;
        let at = libc::timespec { tv_sec: release_ns / 1_000_000_000, tv_nsec: release_ns % 1_000_000_000 };
        // SAFETY: reads a structure of this stack frame.
        unsafe {
            libc::clock_nanosleep(libc::CLOCK_MONOTONIC, libc::TIMER_ABSTIME, &raw const at, std::ptr::null_mut())
        };
        output.write_all(&release_ns.to_ne_bytes())?;
    }
}

fn hop(mut input: UnixStream, mut output: Option<UnixStream>, latencies: &Mutex<Vec<u64>>) -> Result<()> {
    let mut release = [0; 8];
    loop {
        input.read_exact(&mut release)?;
        match &mut output {
            Some(output) => output.write_all(&release)?,
            None => {
                let ns = now_ns() - i64::from_ne_bytes(release);
                latencies.lock().expect("no thread panicked").push(ns.unsigned_abs());
            }
        }
    }
}

fn compare(name: &str, out: &Path, latencies: &Latencies, (without, with): (&[&str], &[&str])) -> Result<()> {
    let (mut costs_us, mut cpu_costs, mut cpu) = (Vec::new(), Vec::new(), [Vec::new(), Vec::new()]);
    let stolen = steal();
    for _ in 0..BLOCKS {
        let (mut p50_us, mut percent) = ([0.0; 2], [0.0; 2]);
        for kind in [0, 1, 1, 0] {
            let turn = turn(out, latencies, [without, with][kind])?;
            p50_us[kind] += turn.p50_us / 2.0;
            percent[kind] += turn.cpu_percent / 2.0;
            cpu[kind].push(turn.cpu_percent);
        }
        costs_us.push((p50_us[1] - p50_us[0]) / HOPS as f64);
        cpu_costs.push(percent[1] - percent[0]);
    }
    let (low, middle, high) = spread(&mut costs_us);
    let stolen = steal().iter().zip(stolen).map(|(after, before)| after - before).collect::<Vec<f64>>();
    let conditions = format!(
        "[{low:.2}, {high:.2}] of {BLOCKS} blocks of 4 turns of {TURN:?} at 1 kHz, {HOPS} hops; load {}, steal {:.1} %",
        load(),
        100.0 * stolen[0] / stolen[1].max(1.0)
    );
    let met = if high <= COST_US { Some(true) } else { (low > COST_US).then_some(false) };
    figure(
        &format!("{name}, a hop's median"),
        &format!("{middle:.2}"),
        "us",
        &format!("<= {COST_US}"),
        met,
        &conditions,
    );
    let [alone, both] = cpu.map(|mut of_kind| spread(&mut of_kind).1);
    let (low, middle, high) = spread(&mut cpu_costs);
    let conditions = format!("[{low:.1}, {high:.1}]; {both:.1} with, {alone:.1} without; all events of this machine");
    let met = Some(middle <= CPU_PERCENT);
    figure(&format!("{name}, CPU"), &format!("{middle:.1}"), "%", &format!("<= {CPU_PERCENT}"), met, &conditions);
    Ok(())
}

fn turn(out: &Path, latencies: &Latencies, words: &[&str]) -> Result<Turn> {
    let folder = out.join("live");
    let mut tool = Command::new(env!("CARGO_BIN_EXE_backwall"))
        .args(words)
        .args(["--quiet", "--output"])
        .arg(&folder)
        .env("XDG_CONFIG_HOME", out)
        .stdout(Stdio::null())
        .spawn()?;
    sleep(BEGINS);
    latencies.lock().expect("no thread panicked").clear();
    let before_s = used_s(&tool);
    sleep(TURN);
    let used_s = used_s(&tool) - before_s;
    let mut all = std::mem::take(&mut *latencies.lock().expect("no thread panicked"));
    let ended = tool.try_wait()?;
    // SAFETY: the process is a child of this one that was not waited for.
    unsafe { libc::kill(tool.id() as i32, libc::SIGINT) };
    tool.wait()?;
    std::fs::remove_dir_all(&folder)?;
    if let Some(status) = ended {
        return Err(Error::other(format!("backwall {words:?} ended with {status} while it was measured")));
    }
    let middle = all.len() / 2;
    let p50_us = *all.select_nth_unstable(middle).1 as f64 / 1e3;
    Ok(Turn { p50_us, cpu_percent: 100.0 * used_s / TURN.as_secs_f64() })
}

// CPU time of the program so far, from /proc.
fn used_s(tool: &Child) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{}/stat", tool.id())).unwrap_or_default();
    let after_name = text.rsplit(") ").next().unwrap_or_default();
    let ticks: f64 = after_name.split(' ').skip(11).take(2).filter_map(|word| word.parse::<f64>().ok()).sum();
    ticks / 100.0
}

fn spread(all: &mut [f64]) -> (f64, f64, f64) {
    all.sort_by(f64::total_cmp);
    (all[0], (all[(all.len() - 1) / 2] + all[all.len() / 2]) / 2.0, all[all.len() - 1])
}

fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or("-").to_string()
}

// Ticks that the hypervisor took, and all.
fn steal() -> [f64; 2] {
    let text = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    let ticks: Vec<f64> =
        text.lines().next().unwrap_or_default().split_whitespace().skip(1).take(8).flat_map(str::parse).collect();
    [ticks.get(7).copied().unwrap_or(0.0), ticks.iter().sum()]
}
