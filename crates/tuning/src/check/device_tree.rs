// SPDX-License-Identifier: MIT OR Apache-2.0
//! A board's device tree, which its firmware passed to the kernel, as the kernel shows it.
use super::{Machine, Reading};
use backwall_model::processor;

pub(super) const TREE: &str = "/proc/device-tree";
/// Maximum depth of an interrupt controller in the tree: below a bus, or below a bus on that bus.
const DEPTH: u32 = 3;

/// A word in a controller's node, and the name to show; more specific words come first.
const CONTROLLERS: [(&str, &str); 9] = [
    ("gic-v5", "GICv5"),
    ("gic-v3", "GICv3"),
    ("gic-400", "GICv2 (GIC-400)"),
    ("cortex-a15-gic", "GICv2"),
    ("cortex-a7-gic", "GICv2"),
    ("cortex-a9-gic", "GICv1"),
    ("bcm2836-l1-intc", "the BCM2836's own controller"),
    ("aplic", "APLIC"),
    ("plic", "PLIC"),
];

/// Whether a device tree describes the machine. On a PC the firmware does.
pub(super) fn is_there(machine: &Machine) -> bool {
    machine.has(&format!("{TREE}/compatible"))
}

/// The strings of a property, each ended by a zero byte.
pub(super) fn texts(machine: &Machine, property: &str) -> Vec<String> {
    let bytes = machine.bytes(&format!("{TREE}/{property}")).unwrap_or_default();
    let parts = bytes.split(|byte| *byte == 0).filter(|part| !part.is_empty());
    parts.map(|part| String::from_utf8_lossy(part).replace(char::is_control, "?")).collect()
}

pub(super) fn board(machine: &Machine) -> Reading {
    let why = "figures are valid for this board only; another model, firmware or interrupt controller may differ";
    let model = texts(machine, "model").into_iter().next().unwrap_or("no model".to_string());
    let kind = texts(machine, "compatible").into_iter().next().unwrap_or("of no kind".to_string());
    // An emulated board has the same text for model and kind.
    let board = if model == kind { model } else { format!("{model} ({kind})") };
    let controller = match controller(machine, "", DEPTH) {
        Some(name) => format!("interrupts by {name}"),
        None => "no interrupt controller that backwall knows".to_string(),
    };
    let named = machine.read("/proc/cpuinfo").ok().and_then(|text| processor::of_cpuinfo(&text));
    let processor = named.unwrap_or("unknown CPU".to_string());
    Reading::note(format!("{TREE}: {board}, {controller}, {processor}"), why)
}

/// The first node that is a known interrupt controller; nodes nearer to the root come first.
fn controller(machine: &Machine, node: &str, depth: u32) -> Option<&'static str> {
    let names = machine.names(&format!("{TREE}/{node}"));
    let below: Vec<String> =
        names.iter().map(|name| if node.is_empty() { name.clone() } else { format!("{node}/{name}") }).collect();
    let known = below.iter().find_map(|child| {
        let takes = machine.has(&format!("{TREE}/{child}/interrupt-controller"));
        takes.then(|| known(&texts(machine, &format!("{child}/compatible"))))?
    });
    known.or_else(|| (depth > 1).then(|| below.iter().find_map(|child| controller(machine, child, depth - 1)))?)
}

fn known(kinds: &[String]) -> Option<&'static str> {
    let is = |word: &str| kinds.iter().any(|kind| kind.contains(word));
    CONTROLLERS.iter().find(|(word, _)| is(word)).map(|(_, name)| *name)
}
