// SPDX-License-Identifier: MIT OR Apache-2.0
//! The script of a job array: a task for each chunk of units, since starting one costs Slurm about a second.

/// Tasks of an array that every site allows (`MaxArraySize` is 1,001 where nobody has set it).
const MOST_TASKS: u64 = 1_000;

/// Units of a task: as many as were asked for, and so many that the array is not too long.
pub fn chunk(units: u64, asked: u64) -> u64 {
    asked.max(units.div_ceil(MOST_TASKS)).max(1)
}

/// The script, for `sbatch`; it is the same wherever it is started, for the folder of the campaign is named whole.
pub fn script(folder: &str, units: u64, chunk: u64) -> String {
    let quoted = format!("'{}'", folder.replace('\'', "'\\''"));
    let last = units.div_ceil(chunk.max(1)).max(1);
    format!(
        "#!/bin/sh\n\
         #SBATCH --job-name=backwall\n\
         #SBATCH --array=1-{last}\n\
         #SBATCH --ntasks=1\n\
         #SBATCH --cpus-per-task=1\n\
         #SBATCH --requeue\n\
         #SBATCH --output=/dev/null\n\
         campaign={quoted}\n\
         first=$(((SLURM_ARRAY_TASK_ID - 1) * {chunk} + 1))\n\
         last=$((first + {chunk} - 1))\n\
         [ \"$last\" -le {units} ] || last={units}\n\
         exec backwall campaign run \"$campaign\" --units \"$first-$last\" --jobs 1 >\"$campaign/task-$SLURM_ARRAY_TASK_ID.txt\" 2>&1\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_is_as_long_as_was_asked_or_the_array_as_long_as_it_may_be() {
        assert_eq!([chunk(10, 4), chunk(0, 0), chunk(5_000, 1), chunk(5_000, 50)], [4, 1, 5, 50]);
    }

    #[test]
    fn the_tasks_have_every_unit_once() {
        for (units, size) in [(1, 10), (10, 10), (11, 10), (200, 7)] {
            let script = script("/a b/it's", units, size);
            assert!(script.contains("campaign='/a b/it'\\''s'"), "{script}");
            let last: u64 = script.split("--array=1-").nth(1).unwrap().lines().next().unwrap().parse().unwrap();
            let mut all = Vec::new();
            for task in 1..=last {
                let first = (task - 1) * size + 1;
                all.extend(first..=(first + size - 1).min(units));
            }
            assert_eq!(all, (1..=units).collect::<Vec<_>>());
        }
    }
}
