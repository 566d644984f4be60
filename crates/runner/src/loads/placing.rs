// SPDX-License-Identifier: MIT OR Apache-2.0
//! The loads that the user typed, placed on CPUs. An error names an unknown load.
use crate::device::probe::{ALL, Catalogue, NONE};
use crate::loads::load::PlacedLoad;
use crate::loads::{self, Load};
use backwall_model::units::near;
use backwall_os::refusal::{Refusal, Result, usage};

const PRIORITY_MAX: u32 = 99;

pub fn place(catalogue: &Catalogue, text: &str, cpus: &[u32]) -> Result<Vec<PlacedLoad>> {
    let known: Vec<&str> = [NONE, ALL].into_iter().chain(catalogue.loads.iter().map(String::as_str)).collect();
    let refused = |fault: String| usage(format!("--{fault}{}", near::hint(text, known.iter().copied())));
    let asked = loads::parse(text).map_err(refused)?;
    let mut placed = Vec::new();
    for load in asked {
        let Some(names) = catalogue.loads_of(load.name) else { return Err(unknown("--load", load.name, &known)) };
        fault(&load, catalogue).map_or(Ok(()), |fault| Err(usage(fault)))?;
        let Load { copies, priorities, .. } = load;
        let on = |name: &String| {
            cpus.iter().map(|cpu| PlacedLoad { name: name.clone(), cpu: *cpu, copies, priorities }).collect::<Vec<_>>()
        };
        placed.extend(names.iter().flat_map(on));
    }
    Ok(placed)
}

fn fault(load: &Load<'_>, catalogue: &Catalogue) -> Option<String> {
    let (from, to) = load.priorities.unwrap_or((0, 0));
    if to > PRIORITY_MAX {
        return Some(format!("--load {load}: priority must be 0 to {PRIORITY_MAX}"));
    }
    if from == 0 && to > 0 {
        return Some(format!("--load {load}: a real-time priority must be at least 1 (0 is the ordinary scheduler)"));
    }
    let most = catalogue.copies.get(load.name).copied().unwrap_or(1);
    if load.copies <= most {
        return None;
    }
    let most = match most {
        1 => "at most one copy on a CPU: this load has memory or files of its own".to_string(),
        _ => format!("at most {most} copies on a CPU"),
    };
    Some(format!("--load {load}: {most}"))
}

pub fn unknown(option: &str, wanted: &str, known: &[&str]) -> Refusal {
    let hint = near::hint(wanted, known.iter().copied());
    usage(format!("{option} {wanted}: unknown; expected {}{hint}", known.join(", ")))
}
