// SPDX-License-Identifier: MIT OR Apache-2.0
//! Groups the units of a batch into chunks, one per task of an engine such as Slurm, because starting a task costs such an
//! engine a second or more.
#![cfg_attr(test, expect(clippy::disallowed_types, reason = "its tests start programs"))]

/// Array size that every site allows (Slurm's default `MaxArraySize` is 1,001).
const MOST_TASKS: u64 = 1_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunks {
    units: u64,
    chunk: u64,
}

impl Chunks {
    /// Uses the requested number of units per task, or a larger number if there would be too many tasks otherwise.
    pub fn of(units: u64, asked: u64) -> Self {
        Self { units, chunk: asked.max(units.div_ceil(MOST_TASKS)).max(1) }
    }

    pub fn tasks(self) -> u64 {
        self.units.div_ceil(self.chunk).max(1)
    }

    /// Shell commands that set `first` and `last` to the range of unit lines of a task. `number` is a shell expression for the
    /// task's number, from 0.
    pub fn lines(self, number: &str) -> String {
        let Self { units, chunk } = self;
        format!(
            "first=$(({number} * {chunk} + 1))\nlast=$((first + {chunk} - 1))\n[ \"$last\" -le {units} ] || last={units}\n"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_is_as_long_as_was_asked_or_there_are_no_more_tasks_than_a_site_allows() {
        let chunk = |units, asked| Chunks::of(units, asked).chunk;
        assert_eq!([chunk(10, 4), chunk(0, 0), chunk(5_000, 1), chunk(5_000, 50)], [4, 1, 5, 50]);
    }

    #[test]
    fn the_tasks_have_every_unit_once() {
        for (units, size) in [(1, 10), (10, 10), (11, 10), (200, 7)] {
            let chunks = Chunks::of(units, size);
            let script = (0..chunks.tasks()).map(|task| chunks.lines(&task.to_string()) + "seq $first $last\n");
            let script: String = script.collect();
            let said = std::process::Command::new("sh").args(["-c", &script]).output().unwrap().stdout;
            let all: Vec<u64> = String::from_utf8(said).unwrap().lines().map(|line| line.parse().unwrap()).collect();
            assert_eq!(all, (1..=units).collect::<Vec<_>>());
        }
    }
}
