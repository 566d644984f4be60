// SPDX-License-Identifier: MIT OR Apache-2.0
//! The system's cost constants, by name, each with its origin.
use super::fault::Fault;
use crate::predict::constant::Constant;
use crate::predict::sensitivity::Place;
use crate::predict::task::Costs;
use backwall_model::units::near;

use backwall_model::units;

type Name = (&'static str, Place);

/// All names of constants.
pub const NAMES: [Name; 8] = [
    ("switch-in", |costs| &mut costs.switch_in_ns),
    ("switch-out", |costs| &mut costs.switch_out_ns),
    ("interrupt", |costs| &mut costs.interrupt_ns),
    ("release", |costs| &mut costs.release_ns),
    ("tick", |costs| &mut costs.tick_ns),
    ("tick-period", |costs| &mut costs.tick_period_ns),
    ("kernel", |costs| &mut costs.kernel_ns),
    ("wakeup", |costs| &mut costs.wakeup_ns),
];

/// A constant that a user gave.
pub fn given(name: &str, value_ns: u64, from: &str) -> Result<Constant, Fault> {
    let names = || NAMES.iter().map(|(name, _)| *name);
    if !names().any(|known| known == name) {
        let all: Vec<&str> = names().collect();
        let text = format!("unknown constant; expected one of {}{}", all.join(", "), near::hint(name, names()));
        return Err(Fault::of(format!("constants: {name}"), text));
    }
    if value_ns > 1 << 50 {
        return Err(Fault::of(format!("constants: {name}"), "expected a time below 10 days"));
    }
    Ok(Constant { name: name.into(), value_ns, statistic: "given".into(), count: 0, lost: 0, from: from.into() })
}

/// `NAME=TIME` as typed.
pub fn typed(text: &str) -> Result<Constant, Fault> {
    let (name, time) = text.split_once('=').ok_or_else(|| Fault::of("--constants", "expected RUN or NAME=TIME"))?;
    let time = units::duration(time).map_err(|error| Fault::of(format!("--constants {name}"), error.to_string()))?;
    given(name, time.0, "--constants")
}

/// All constants together; later ones replace earlier ones.
pub fn costs(constants: &[Constant]) -> Result<Costs, Fault> {
    let mut costs = Costs::default();
    for constant in constants {
        if let Some((_, place)) = NAMES.iter().find(|(name, _)| *name == constant.name) {
            *place(&mut costs) = constant.value_ns;
        }
    }
    if costs.tick_ns > 0 && costs.tick_period_ns == 0 {
        return Err(Fault::of("constants: tick", "tick-period is missing"));
    }
    Ok(costs)
}

/// The field that holds the constant of this name.
pub fn place(name: &str) -> Option<Place> {
    NAMES.iter().find(|(known, _)| *known == name).map(|(_, place)| *place)
}
