// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which devices' interrupts may run on the measured processor.
use super::{Machine, Reading, cpu_list};
use crate::units::grouped;

/// One numbered row of `/proc/interrupts`.
struct Line {
    number: String,
    name: String,
    /// How many ran on the measured processor since boot.
    here: u64,
}

/// The lines that may interrupt the measured processor, the busiest first.
pub(super) fn affinity(machine: &Machine) -> Reading {
    const FILE: &str = "/proc/interrupts";
    let why = "each interrupt runs before any thread: its handler's time is added to the response";
    let text = match machine.read(FILE) {
        Ok(text) => text,
        Err(unread) => return Reading::unknown(&unread, why),
    };
    let lines = lines(&text, machine.cpu);
    let all = lines.len();
    let mut allowed: Vec<Line> = lines.into_iter().filter(|line| may_run_here(machine, line)).collect();
    allowed.sort_by_key(|line| std::cmp::Reverse(line.here));
    let found = format!("/proc/irq/*/effective_affinity_list: {} of {all} lines on CPU {}", allowed.len(), machine.cpu);
    if allowed.is_empty() {
        return Reading::good(found, why);
    }
    let busiest: Vec<String> =
        allowed.iter().take(3).map(|line| format!("{} {} ({})", line.number, line.name, grouped(line.here))).collect();
    Reading::note(format!("{found}, busiest {}", busiest.join(", ")), why).fix(fix(machine, &allowed[0]))
}

fn fix(machine: &Machine, busiest: &Line) -> String {
    let online = machine.read("/sys/devices/system/cpu/online").unwrap_or_default();
    match cpu_list::other(&online, machine.cpu) {
        Some(other) => {
            format!("stop irqbalance, then for each: echo {other} > /proc/irq/{}/smp_affinity_list", busiest.number)
        }
        None => String::new(),
    }
}

/// Where the kernel sends it, or, on kernels that do not say, where it may.
fn may_run_here(machine: &Machine, line: &Line) -> bool {
    let list =
        |name: &str| machine.read(&format!("/proc/irq/{}/{name}", line.number)).ok().filter(|list| !list.is_empty());
    let list = list("effective_affinity_list").or_else(|| list("smp_affinity_list"));
    list.map_or(line.here > 0, |list| cpu_list::contains(&list, machine.cpu))
}

/// Rows that begin with a number; the head names the processors of the columns.
fn lines(text: &str, cpu: u32) -> Vec<Line> {
    let head = text.lines().next().unwrap_or_default();
    let columns: Vec<&str> = head.split_whitespace().collect();
    let column = columns.iter().position(|name| *name == format!("CPU{cpu}"));
    text.lines().skip(1).filter_map(|row| line(row, columns.len(), column)).collect()
}

fn line(row: &str, columns: usize, column: Option<usize>) -> Option<Line> {
    let (number, rest) = row.split_once(':')?;
    let number = number.trim().to_string();
    number.parse::<u32>().ok()?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let here = column.and_then(|column| words.get(column)?.parse().ok()).unwrap_or(0);
    let name = words.get(columns..).and_then(|words| words.last()).unwrap_or(&"unnamed").to_string();
    Some(Line { number, name, here })
}
