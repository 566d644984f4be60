// SPDX-License-Identifier: MIT OR Apache-2.0
//! Devices whose interrupts may run on the measured CPU.
pub(super) use super::machine::INTERRUPTS as FILE;

use super::machine::Unread;
use super::{Machine, Reading, cpu_list};
use backwall_model::units::grouped;
use backwall_os::interrupt_source::Source;

pub(super) struct Line {
    pub(super) number: String,
    name: String,
    here: u64,
    source: Source,
}

pub(super) fn affinity(machine: &Machine) -> Reading {
    let why = "each interrupt runs before any thread, so its handler delays the response";
    let lines: Vec<Line> = match lines(machine) {
        Ok(lines) => lines.into_iter().filter(Line::is_of_a_device).collect(),
        Err(unread) => return Reading::unknown(&unread, why),
    };
    let all = lines.len();
    let mut allowed: Vec<Line> = lines.into_iter().filter(|line| may_run_here(machine, line)).collect();
    allowed.sort_by_key(|line| std::cmp::Reverse(line.here));
    let found = format!("/proc/irq/*/effective_affinity_list: {} of {all} lines on CPU {}", allowed.len(), machine.cpu);
    if allowed.is_empty() {
        return Reading::good(found, why);
    }
    let busiest: Vec<String> =
        allowed.iter().take(3).map(|line| format!("{} {} ({})", line.number, line.name, grouped(line.here))).collect();
    // The counts are in `because`, so that `found` changes only when an interrupt is moved.
    let reading = Reading::note(found, why).because(&format!("busiest since boot: {}", busiest.join(", ")));
    reading.fix(fix(machine, &allowed[0])).boot(boot(machine))
}

pub(super) fn growth(machine: &Machine) -> Reading {
    let why = "each of these interrupts stopped the thread on that CPU; device interrupts can be moved to other CPUs";
    let (before, after) = match (&machine.before().interrupts, machine.interrupts_later()) {
        (Ok(before), Ok(after)) => (rows(before, machine.cpu), rows(&after, machine.cpu)),
        (Err(unread), _) => return Reading::unknown(unread, why),
        (_, Err(unread)) => return Reading::unknown(&unread, why),
    };
    let count = |line: &Line| before.iter().find(|earlier| earlier.number == line.number).map_or(0, |line| line.here);
    let mut grown: Vec<(u64, Line)> = after
        .into_iter()
        .map(|line| (line.here.saturating_sub(count(&line)), line))
        .filter(|(more, _)| *more > 0)
        .collect();
    // A device interrupt can be moved elsewhere, so it comes first.
    grown.sort_by_key(|(more, line)| (!line.is_of_a_device(), std::cmp::Reverse(*more)));
    let names: Vec<String> = grown.iter().take(4).map(|(more, line)| format!("{} {more}", line.name)).collect();
    let found = format!("{FILE}: during this check, on CPU {}: {}", machine.cpu, names.join(", "));
    match grown.iter().find(|(_, line)| line.is_of_a_device()) {
        Some((_, line)) => Reading::bad(found, why).fix(fix(machine, line)).boot(boot(machine)),
        None if grown.is_empty() => {
            Reading::good(format!("{FILE}: none on CPU {} during this check", machine.cpu), why)
        }
        None => Reading::good(found, "no device interrupts; the interrupts found belong to the CPU itself"),
    }
}

fn boot(machine: &Machine) -> String {
    let others = cpu_list::without(&machine.read("/sys/devices/system/cpu/online").unwrap_or_default(), machine.cpu);
    if others.is_empty() { others } else { format!("irqaffinity={others}") }
}

fn fix(machine: &Machine, busiest: &Line) -> String {
    if busiest.is_of_a_bank() {
        return "a GPIO controller's lines follow the controller's interrupt; measure on another CPU, or do not use the \
            line".to_string();
    }
    let online = machine.read("/sys/devices/system/cpu/online").unwrap_or_default();
    match cpu_list::other(&online, machine.cpu) {
        Some(other) => {
            format!(
                "stop irqbalance, then move each interrupt\necho {other} > /proc/irq/{}/smp_affinity_list",
                busiest.number
            )
        }
        None => String::new(),
    }
}

/// Uses the CPUs to which the kernel sends the interrupt; older kernels list only the allowed CPUs.
fn may_run_here(machine: &Machine, line: &Line) -> bool {
    let list =
        |name: &str| machine.read(&format!("/proc/irq/{}/{name}", line.number)).ok().filter(|list| !list.is_empty());
    let list = list("effective_affinity_list").or_else(|| list("smp_affinity_list"));
    list.map_or(line.here > 0, |list| cpu_list::contains(&list, machine.cpu))
}

impl Line {
    fn is_of_a_device(&self) -> bool {
        self.source != Source::Processor
    }

    pub(super) fn is_of_a_bank(&self) -> bool {
        self.source == Source::Bank
    }
}

/// Numbered rows belong to devices, except for interrupts that each CPU has. `words` are the controller's name, the number of its
/// line, the trigger, and the users.
fn source(number: &str, words: &[&str]) -> Source {
    let line = words.get(1).and_then(|word| word.parse().ok());
    // The only controller whose name contains a space.
    let named = words.first().copied().unwrap_or_default();
    let controller = if words.starts_with(&["RISC-V", "INTC"]) { "RISC-V INTC" } else { named };
    match number.parse::<u32>() {
        Ok(_) => Source::of(controller, line, words.last().unwrap_or(&"")),
        Err(_) => Source::Processor,
    }
}

pub(super) fn lines(machine: &Machine) -> Result<Vec<Line>, Unread> {
    Ok(rows(&machine.read(FILE)?, machine.cpu))
}

fn rows(text: &str, cpu: u32) -> Vec<Line> {
    let head = text.lines().next().unwrap_or_default();
    let columns: Vec<&str> = head.split_whitespace().collect();
    let column = columns.iter().position(|name| *name == format!("CPU{cpu}"));
    text.lines().skip(1).filter_map(|row| line(row, columns.len(), column)).collect()
}

fn line(row: &str, columns: usize, column: Option<usize>) -> Option<Line> {
    let (number, rest) = row.split_once(':')?;
    let number = number.trim().to_string();
    let words: Vec<&str> = rest.split_whitespace().collect();
    let here = column.and_then(|column| words.get(column)?.parse().ok()).unwrap_or(0);
    let named = words.get(columns..).unwrap_or_default();
    let name = match number.parse::<u32>() {
        Ok(_) => named.last().unwrap_or(&"unnamed").to_string(),
        Err(_) => number.clone(),
    };
    let source = source(&number, named);
    Some(Line { number, name, here, source })
}
