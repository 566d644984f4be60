// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether the CPU is slowed down because it is hot, or soon will be.
use super::{Machine, Reading};

const FOLDER: &str = "/sys/class/thermal";
/// Linux's names for the temperatures at which it slows or stops the CPU.
const SLOWED_AT: [&str; 3] = ["passive", "hot", "critical"];
/// In thousandths of a degree. A zone is reported if the distance from its temperature to its lowest limit is smaller.
const NEAR_MILLI: i64 = 10_000;
const TRIPS: u32 = 16;

struct Zone {
    name: String,
    at_milli: i64,
    limit_milli: Option<i64>,
}

pub(super) fn zones(machine: &Machine) -> Reading {
    let why = "a hot board lowers its CPU frequency during a measurement; every response is slower from then on";
    let mut zones: Vec<Zone> = folders(machine, "thermal_zone").filter_map(|zone| Zone::read(machine, &zone)).collect();
    // The zone nearest to its limit comes first; zones without a limit come last.
    zones.sort_by_key(|zone| zone.room_milli().unwrap_or(i64::MAX));
    let Some(zone) = zones.first() else {
        return Reading::note(format!("{FOLDER}: no zone that can be read"), why);
    };
    let found = format!("{FOLDER}: {}", zone.shown());
    let fix = "cool the CPU, or hold a lower frequency that it can keep: echo KHZ > \
        /sys/devices/system/cpu/cpu*/cpufreq/scaling_max_freq";
    match (slowed(machine), zone.room_milli()) {
        (Some(device), _) => Reading::bad(format!("{found}; slowed down by {device}"), why).fix(fix),
        (None, Some(..=0)) => Reading::bad(found, why).fix(fix),
        (None, Some(..NEAR_MILLI)) => Reading::note(found, why).fix(fix),
        (None, Some(_)) => Reading::good(found, "far below the throttling temperature"),
        (None, None) => Reading::note(found, why),
    }
}

fn slowed(machine: &Machine) -> Option<String> {
    folders(machine, "cooling_device").find_map(|folder| {
        let kind = machine.read(&format!("{folder}/type")).ok()?;
        let of_processor = kind.contains("cpufreq") || kind.eq_ignore_ascii_case("processor");
        let state = machine.number(&format!("{folder}/cur_state")).ok()?;
        (of_processor && state > 0).then(|| format!("{kind}, step {state}"))
    })
}

fn folders<'a>(machine: &Machine, kind: &'a str) -> impl Iterator<Item = String> + use<'a> {
    let names = machine.names(FOLDER).into_iter().filter(move |name| name.starts_with(kind));
    names.map(|name| format!("{FOLDER}/{name}"))
}

impl Zone {
    fn read(machine: &Machine, folder: &str) -> Option<Self> {
        let limits = (0..TRIPS).filter_map(|trip| {
            let kind = machine.read(&format!("{folder}/trip_point_{trip}_type")).ok()?;
            let limit = machine.number(&format!("{folder}/trip_point_{trip}_temp")).ok()?;
            (SLOWED_AT.contains(&kind.as_str()) && limit > 0).then_some(limit)
        });
        Some(Self {
            name: machine.read(&format!("{folder}/type")).ok()?,
            at_milli: machine.number(&format!("{folder}/temp")).ok()?,
            limit_milli: limits.min(),
        })
    }

    fn room_milli(&self) -> Option<i64> {
        self.limit_milli.map(|limit| limit.saturating_sub(self.at_milli))
    }

    fn shown(&self) -> String {
        let degrees = |milli: i64| format!("{:.1}", milli as f64 / 1_000.0);
        let limit =
            self.limit_milli.map_or("no limit is given".into(), |limit| format!("slowed at {}", degrees(limit)));
        format!("{} {} degrees, {limit}", self.name, degrees(self.at_milli))
    }
}
