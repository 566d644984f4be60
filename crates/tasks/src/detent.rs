// SPDX-License-Identifier: MIT OR Apache-2.0
//! Detent's costs from the tables in `docs/evidence/detent.md`, in instructions. In the lab an instruction counts as a nanosecond
//! of a task set.
use crate::predict::constant::Constant;

/// Worst-case time from the clock's interrupt line to the thread that it wakes: the fixed point of the model.
const THREAD_NS: u64 = 591;
/// The same time without a tick in between. The difference is the cost of a tick with its timeout.
const THREAD_WITHOUT_TICK_NS: u64 = 370;
const TICK_NS: u64 = THREAD_NS - THREAD_WITHOUT_TICK_NS;
/// Sleeping threads wake up at ticks only, and a schedule starts at a tick.
pub const TICK_PERIOD_NS: u64 = 1_000_000;

/// Name and value. Assumes that every tick handles a timeout, and that every release causes a tick of its own.
const ROWS: [(&str, u64); 7] = [
    ("switch-in", 83),
    ("switch-out", 76),
    ("kernel", 242),
    ("wakeup", THREAD_NS),
    ("release", TICK_NS),
    ("tick", TICK_NS),
    ("tick-period", TICK_PERIOD_NS),
];

/// The rows as constants.
pub fn constants() -> Vec<Constant> {
    let constant = |(name, value_ns): &(&str, u64)| Constant {
        name: name.to_string(),
        value_ns: *value_ns,
        statistic: "longest, in instructions".to_string(),
        count: 0,
        lost: 0,
        from: "Detent's tables".to_string(),
    };
    ROWS.iter().map(constant).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constants_are_those_of_the_tables() {
        let tables = concat!(
            include_str!("../../../docs/evidence/detent.md"),
            include_str!("../../../docs/evidence/detent-model.md")
        );
        let stands = |line: &str, value: u64| {
            let begins = format!("| {line}");
            let found =
                tables.lines().find(|text| text.starts_with(&begins)).unwrap_or_else(|| panic!("no line {line}"));
            let cells: Vec<&str> = found.split('|').map(str::trim).collect();
            assert_eq!(cells[2], value.to_string(), "{line}");
        };
        let of = |name: &str| ROWS.iter().find(|row| row.0 == name).unwrap().1;
        stands("semaphore give waking a higher thread, with switch |", of("switch-in"));
        stands("semaphore take that blocks, with switch |", of("switch-out"));
        stands("the same, with the tables full |", of("kernel"));
        stands("the same as a fixed point, with a tick", THREAD_NS);
        stands("start of IST = ", THREAD_WITHOUT_TICK_NS);
    }
}
