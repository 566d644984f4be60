// SPDX-License-Identifier: MIT OR Apache-2.0
//! The frequency of the measured CPU: its governor, and what keeps it below the maximum.
use super::{Machine, Reading};

fn folder(machine: &Machine) -> String {
    format!("/sys/devices/system/cpu/cpu{}/cpufreq", machine.cpu)
}

fn not_set(folder: &str) -> Reading {
    Reading::note(
        format!("{folder}: no such folder"),
        "this kernel does not set the frequency; firmware or a hypervisor may",
    )
}

pub(super) fn governor(machine: &Machine) -> Reading {
    let folder = folder(machine);
    if !machine.has(&folder) {
        return not_set(&folder);
    }
    let file = format!("{folder}/scaling_governor");
    match machine.read(&file) {
        Ok(name) if name == "performance" => {
            Reading::good(format!("{file}: {name}"), "the CPU stays at its highest frequency")
        }
        Ok(name) => Reading::bad(
            format!("{file}: {name}"),
            "after idling, the CPU responds at a low frequency until the governor raises it",
        )
        .fix(format!("hold the highest frequency\necho performance > {file}")),
        Err(unread) => Reading::unknown(&unread, "a low frequency makes every response slower"),
    }
}

/// Where a Raspberry Pi's firmware reports what it did to the frequency.
const FIRMWARE: &str = "/sys/devices/platform/soc/soc:firmware/get_throttled";
/// The bits of that file for the present state. The same bits shifted by 16 say whether the state occurred since boot.
const HELD: [(u32, &str); 4] =
    [(0, "voltage too low"), (1, "frequency held down"), (2, "throttled"), (3, "limited because of its temperature")];
const SINCE_THE_START: u32 = 16;

/// The highest allowed frequency, and how far a board's firmware has lowered it.
pub(super) fn limits(machine: &Machine) -> Reading {
    let why = "below the highest frequency every response is slower; firmware lowers the frequency without telling the kernel";
    if let Some(reading) = firmware(machine, why) {
        return reading;
    }
    let folder = folder(machine);
    if !machine.has(&folder) {
        return not_set(&folder);
    }
    let file = format!("{folder}/scaling_max_freq");
    let numbers = (machine.number(&file), machine.number(&format!("{folder}/cpuinfo_max_freq")));
    match numbers {
        (Ok(allowed), Ok(highest)) if allowed < highest => {
            Reading::note(format!("{file}: {} of {} MHz", allowed / 1_000, highest / 1_000), why)
                .fix(format!("allow the highest frequency\necho {highest} > {file}"))
        }
        (Ok(allowed), Ok(_)) => Reading::good(format!("{file}: {} MHz, its highest", allowed / 1_000), why),
        (Err(unread), _) | (_, Err(unread)) => Reading::unknown(&unread, why),
    }
}

fn firmware(machine: &Machine, why: &str) -> Option<Reading> {
    let text = machine.read(FIRMWARE).ok()?;
    let Ok(bits) = u32::from_str_radix(text.trim_start_matches("0x"), 16) else {
        return Some(Reading::unknown(&machine.strange(FIRMWARE, &text), why));
    };
    let fix = "use a power supply that holds 5 V under load, and cool the board";
    let named = |bits: u32| {
        let names: Vec<&str> = HELD.iter().filter(|(bit, _)| bits >> bit & 1 == 1).map(|(_, name)| *name).collect();
        names.join(", ")
    };
    match (named(bits), named(bits >> SINCE_THE_START)) {
        (now, _) if !now.is_empty() => Some(Reading::bad(format!("{FIRMWARE}: {now}"), why).fix(fix)),
        (_, before) if !before.is_empty() => {
            Some(Reading::note(format!("{FIRMWARE}: since boot {before}"), why).fix(fix))
        }
        _ => None,
    }
}
