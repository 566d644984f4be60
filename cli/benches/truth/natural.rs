// SPDX-License-Identifier: MIT OR Apache-2.0
//! Late responses that nobody caused on purpose: is the accused in the raw recording where the late thread waited?
use super::cause::{self, Cause, Crowd, Group};
use super::raw::Raw;
use super::ways::{Asked, Way};
use super::{Bench, figure};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::io::Result;
use std::process::{Command, Stdio};
use std::time::Duration;

const WANTED: usize = 1_000;
const MAY_BE_FALSE: usize = 5;
const SHARE_NS: i64 = 50_000;
// Two readers may differ this much about the edges of a stretch.
const NEAR_NS: i64 = 20_000;
const SOFTIRQS: [&str; 10] =
    ["HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU"];

enum Verdict {
    True,
    False(String),
    Open,
}

struct Accusation<'a> {
    thread: i32,
    from_ns: i64,
    to_ns: i64,
    ns: i64,
    what: &'a str,
    has_wakers: bool,
}

pub fn print_all(bench: &Bench) -> Result<()> {
    if Command::new("trace-cmd").arg("--version").stdout(Stdio::null()).status().is_err() {
        eprintln!("bench: truth: no trace-cmd, by which accusations are checked: tools/install.sh bench");
        return Ok(());
    }
    let program = cause::build(&bench.out)?;
    let (mut checked, mut falsely, mut open, mut late, mut notes) = (0, 0, 0, 0, String::new());
    for _ in 0..6 {
        let (raw, blame, begin_ns) = recorded(bench, &program)?;
        for response in blame["responses_late"].as_array().into_iter().flatten() {
            if late == WANTED {
                break;
            }
            late += 1;
            for verdict in verdicts(&raw, response, begin_ns) {
                match verdict {
                    Verdict::True => checked += 1,
                    Verdict::Open => open += 1,
                    Verdict::False(why) => {
                        checked += 1;
                        falsely += 1;
                        let _ = writeln!(notes, "{why}");
                    }
                }
            }
        }
        if late == WANTED {
            break;
        }
    }
    fs::write(bench.out.join("natural.wrong"), notes)?;
    figure(
        "truth.natural false",
        &falsely.to_string(),
        &format!("of {checked}"),
        &format!("<= {MAY_BE_FALSE}"),
        (late == WANTED).then_some(falsely <= MAY_BE_FALSE),
        &format!(
            "accusations of {late} late responses without injection, by another reader of the recording; {open} more it cannot judge"
        ),
    );
    Ok(())
}

// A recording under a load of its own, with threads of each kind.
fn recorded(bench: &Bench, program: &std::path::Path) -> Result<(Raw, Value, i64)> {
    let _crowd = Crowd::begin(program, 6, 2)?;
    let kinds = ["none", "roam", "none-ordinary"];
    let mut victims: Vec<Cause> =
        kinds.iter().filter_map(|kind| Cause::start(program, kind, Group::None, 1_000_000, &bench.out).ok()).collect();
    victims.iter_mut().for_each(Cause::begin);
    let folder = bench.out.join("natural.track");
    let _ = fs::remove_dir_all(&folder);
    let mut asked = Asked::begin(&bench.tool, Way::Track, &Way::Track.words(0, 0, 5), folder.clone())?;
    asked.wait(Duration::from_secs(100));
    drop(victims);
    let summary: Value = serde_json::from_slice(&fs::read(folder.join("summary.json"))?)?;
    let said = Command::new(&bench.tool)
        .args(["blame", "--thread", "all", "--above", "500us", "--json"])
        .arg(&folder)
        .stderr(Stdio::null())
        .output()?;
    let blame: Value = serde_json::from_slice(&said.stdout).unwrap_or_default();
    fs::write(bench.out.join("natural.blame"), &said.stdout)?;
    let raw = Raw::read(&folder.join("trace.dat"))?;
    Ok((raw, blame, summary["summary"]["begin_ns"].as_i64().unwrap_or(0)))
}

fn verdicts(raw: &Raw, response: &Value, begin_ns: i64) -> Vec<Verdict> {
    let thread = response["id"].as_i64().unwrap_or(0) as i32;
    let from_ns = response["at_ns"].as_i64().unwrap_or(0) + begin_ns;
    let to_ns = from_ns + response["latency_ns"].as_i64().unwrap_or(0);
    let has_wakers = !response["wakers"].is_null();
    let shares = response["shares"].as_array().into_iter().flatten();
    let long = shares.filter(|share| share["ns"].as_i64().unwrap_or(0) >= SHARE_NS);
    let accusations = long.map(|share| Accusation {
        thread,
        from_ns,
        to_ns,
        ns: share["ns"].as_i64().unwrap_or(0),
        what: share["what"].as_str().unwrap_or(""),
        has_wakers,
    });
    accusations.map(|accusation| verdict(raw, &accusation)).collect()
}

// The number in `name (4711, …)`.
fn accused(what: &str) -> Option<i32> {
    what.match_indices(" (").find_map(|(at, _)| {
        let rest = &what[at + 2..];
        let (number, _) = rest.split_once([',', ')'])?;
        number.parse().ok()
    })
}

fn verdict(raw: &Raw, accusation: &Accusation<'_>) -> Verdict {
    let Accusation { thread, from_ns, to_ns, ns, what, has_wakers } = *accusation;
    let enough = |had_ns: i64| match had_ns + NEAR_NS >= ns * 9 / 10 {
        true => Verdict::True,
        false => Verdict::False(format!(
            "thread {thread} from {from_ns} for {} us: {} us {what}: {} us there",
            (to_ns - from_ns) / 1_000,
            ns / 1_000,
            had_ns / 1_000
        )),
    };
    if !raw.knows(thread, from_ns, to_ns) {
        return Verdict::Open;
    }
    if what.starts_with("the hypervisor or firmware (SMI) paused this CPU")
        || what.starts_with("the interrupt was late")
    {
        let slack_ns = raw.slack_until_ns(thread, from_ns).map_or(0, |hard_ns| hard_ns.min(to_ns) - from_ns);
        if slack_ns * 2 > ns {
            return Verdict::False(format!(
                "thread {thread} from {from_ns}: {} us {what}: its timer had {} us of slack",
                ns / 1_000,
                slack_ns / 1_000
            ));
        }
    }
    if let Some(name) = what.strip_prefix("interrupt ") {
        let name = name.split([' ', ',']).next().unwrap_or("");
        return if has_wakers { Verdict::Open } else { enough(raw.interrupts_ns(thread, name, from_ns, to_ns)) };
    }
    if let Some(name) = what.strip_prefix("softirq ") {
        let name = name.split([' ', ',']).next().unwrap_or("");
        let vector = SOFTIRQS.iter().position(|known| *known == name);
        return match vector {
            Some(vector) if !has_wakers => enough(raw.softirqs_ns(thread, vector as u16, from_ns, to_ns)),
            _ => Verdict::Open,
        };
    }
    if what.starts_with("the thread was still working on an earlier release") {
        return enough(raw.had_ns(thread, thread, from_ns, to_ns));
    }
    if what.starts_with("idle") {
        return enough(raw.had_ns(thread, 0, from_ns, to_ns));
    }
    if what.starts_with("the thread was not waiting") {
        // Neither ready nor running counts as such: the thread has been neither since the start.
        let own_ns = raw.had_ns(thread, thread, from_ns, to_ns);
        return match own_ns * 2 > ns {
            true => Verdict::False(format!(
                "thread {thread} from {from_ns}: {} us {what}: it ran for {} us",
                ns / 1_000,
                own_ns / 1_000
            )),
            false => Verdict::Open,
        };
    }
    match accused(what) {
        Some(other) if has_wakers => enough(raw.had_anywhere_ns(other, from_ns, to_ns)),
        Some(other) => enough(raw.had_ns(thread, other, from_ns, to_ns)),
        None => Verdict::Open,
    }
}
