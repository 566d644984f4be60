// SPDX-License-Identifier: MIT OR Apache-2.0
//! The ledgers of victim and culprit, by their own clocks (`probe/bench/causes/ledger.c`).
use std::io::Result;
use std::path::Path;

// A row of the victim: from its release to its own clock reading. A row of the culprit: from when to when it kept the victim waiting.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub from_ns: i64,
    pub to_ns: i64,
    // For the victim: time ready without a CPU, by the kernel's account. For the culprit: CPU time used.
    pub third_ns: i64,
}

impl Row {
    pub fn length_ns(&self) -> i64 {
        self.to_ns - self.from_ns
    }

    pub fn overlap_ns(&self, from_ns: i64, to_ns: i64) -> i64 {
        (self.to_ns.min(to_ns) - self.from_ns.max(from_ns)).max(0)
    }
}

pub fn read(prefix: &Path, name: &str) -> Result<Vec<Row>> {
    let bytes = std::fs::read(format!("{}.{name}", prefix.display()))?;
    let numbers: Vec<i64> =
        bytes.chunks_exact(8).map(|chunk| i64::from_ne_bytes(chunk.try_into().expect("eight bytes"))).collect();
    let (count, rows) = numbers.split_first().expect("a count");
    let rows: Vec<Row> = rows
        .chunks_exact(3)
        .take(*count as usize)
        .map(|row| Row { from_ns: row[0], to_ns: row[1], third_ns: row[2] })
        .collect();
    assert_eq!(rows.len() as i64, *count, "{name}: the ledger was full");
    Ok(rows)
}
