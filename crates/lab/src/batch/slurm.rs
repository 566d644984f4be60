// SPDX-License-Identifier: MIT OR Apache-2.0
//! The script of a Slurm job array.
use crate::batch::chunks::Chunks;

/// The script for `sbatch`. It contains the absolute path of the batch, so it can be started from any folder.
pub fn script(folder: &str, chunks: Chunks) -> String {
    let quoted = format!("'{}'", folder.replace('\'', "'\\''"));
    let (last, lines) = (chunks.tasks(), chunks.lines("(SLURM_ARRAY_TASK_ID - 1)"));
    format!(
        "#!/bin/sh\n\
         #SBATCH --job-name=backwall\n\
         #SBATCH --array=1-{last}\n\
         #SBATCH --ntasks=1\n\
         #SBATCH --cpus-per-task=1\n\
         #SBATCH --requeue\n\
         #SBATCH --output=/dev/null\n\
         campaign={quoted}\n\
         {lines}\
         exec backwall lab batch run \"$campaign\" --units \"$first-$last\" --jobs 1 >\"$campaign/task-$SLURM_ARRAY_TASK_ID.txt\" 2>&1\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_one_word_and_the_array_counts_from_one() {
        let script = script("/a b/it's", Chunks::of(25, 10));
        assert!(script.contains("campaign='/a b/it'\\''s'") && script.contains("--array=1-3\n"), "{script}");
        assert!(script.contains("first=$(((SLURM_ARRAY_TASK_ID - 1) * 10 + 1))\n"), "{script}");
    }
}
