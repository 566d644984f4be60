// SPDX-License-Identifier: MIT OR Apache-2.0
//! Idle states: how long the measured CPU may need to wake up.
use super::{Machine, Reading};

/// An exit latency below this costs no more than one or two cache misses.
const CHEAP_US: i64 = 2;

pub(super) fn states(machine: &Machine) -> Reading {
    let why = "a sleeping CPU needs this long to wake before it can respond";
    let driver_file = "/sys/devices/system/cpu/cpuidle/current_driver";
    let driver = match machine.read(driver_file) {
        Ok(driver) => driver,
        Err(unread) => return Reading::unknown(&unread, why),
    };
    let folder = format!("/sys/devices/system/cpu/cpu{}/cpuidle", machine.cpu);
    let states: Vec<State> =
        machine.names(&folder).iter().filter_map(|name| State::read(machine, &format!("{folder}/{name}"))).collect();
    let Some(deepest) = states.iter().filter(|state| !state.disabled).max_by_key(|state| state.exit_us) else {
        return Reading::note(
            format!("{driver_file}: {driver}; no states to choose from"),
            "the CPU halts when idle; waking it takes as long as the hardware or hypervisor needs",
        );
    };
    let found = format!("{driver_file}: {driver}; deepest state allowed {}, exit {} us", deepest.name, deepest.exit_us);
    if driver == "haltpoll" {
        return Reading::note(
            found,
            "in a VM the hypervisor wakes a halted CPU; the exit latency does not include the time that the hypervisor takes",
        )
        .fix(HOLD);
    }
    if deepest.exit_us <= CHEAP_US { Reading::good(found, why) } else { Reading::bad(found, why).fix(HOLD) }
}

const HOLD: &str = "in the program, open /dev/cpu_dma_latency, write a 32-bit 0 and keep the file open; for one measurement\nbackwall run --idle off";

struct State {
    name: String,
    exit_us: i64,
    disabled: bool,
}

impl State {
    fn read(machine: &Machine, folder: &str) -> Option<Self> {
        Some(Self {
            name: machine.read(&format!("{folder}/name")).ok()?,
            exit_us: machine.number(&format!("{folder}/latency")).ok()?,
            disabled: machine.number(&format!("{folder}/disable")).is_ok_and(|value| value != 0),
        })
    }
}

/// The wakeup latency that the machine currently guarantees, and whether this process may request a lower one.
pub(super) fn cpu_dma_latency(machine: &Machine) -> Reading {
    const FILE: &str = "/dev/cpu_dma_latency";
    const NOT_HELD_US: i32 = 2_000_000_000;
    let why = "a program that holds this file at 0 keeps all CPUs out of C-states; some measuring tools do this by \
        default, so their results exclude C-state exits";
    let bytes = match machine.bytes_at_most(FILE, 4) {
        Ok(bytes) => bytes,
        Err(unread) => {
            return Reading::unknown(&unread, why)
                .fix("run as root, or give your group access to /dev/cpu_dma_latency by a udev rule");
        }
    };
    let Ok(number) = <[u8; 4]>::try_from(&bytes[..]) else {
        return Reading::unknown(&machine.strange(FILE, &format!("{bytes:?}")), why);
    };
    match i32::from_ne_bytes(number) {
        NOT_HELD_US => Reading::note(format!("{FILE}: accessible, held by nobody"), why),
        held => Reading::note(
            format!("{FILE}: held at {held} us by some program"),
            "the kernel avoids C-states whose exit takes longer than that",
        ),
    }
}
