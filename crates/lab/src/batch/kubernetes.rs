// SPDX-License-Identifier: MIT OR Apache-2.0
//! Manifest of a Kubernetes Indexed Job: a pod per chunk of units, retried on failure.
use crate::batch::chunks::Chunks;

/// Maximum number of retries of a pod. A retry skips finished units.
const TRIES: u64 = 3;

/// The manifest for `kubectl`. The image must contain backwall and its emulator; the volume claim holds the batch.
pub fn manifest(chunks: Chunks) -> String {
    let tasks = chunks.tasks();
    let lines: String =
        chunks.lines("JOB_COMPLETION_INDEX").lines().map(|line| format!("              {line}\n")).collect();
    format!(
        "apiVersion: batch/v1\n\
         kind: Job\n\
         metadata:\n\
        \x20 name: backwall-campaign\n\
         spec:\n\
        \x20 completionMode: Indexed\n\
        \x20 completions: {tasks}\n\
        \x20 parallelism: {tasks}\n\
        \x20 backoffLimitPerIndex: {TRIES}\n\
        \x20 template:\n\
        \x20   spec:\n\
        \x20     restartPolicy: Never\n\
        \x20     containers:\n\
        \x20       - name: units\n\
        \x20         image: backwall\n\
        \x20         command:\n\
        \x20           - sh\n\
        \x20           - -c\n\
        \x20           - |\n\
         {lines}\
        \x20             exec backwall lab batch run /campaign --units \"$first-$last\" --jobs 1\n\
        \x20         resources:\n\
        \x20           requests: {{cpu: \"1\"}}\n\
        \x20           limits: {{cpu: \"1\"}}\n\
        \x20         volumeMounts:\n\
        \x20           - name: campaign\n\
        \x20             mountPath: /campaign\n\
        \x20     volumes:\n\
        \x20       - name: campaign\n\
        \x20         persistentVolumeClaim:\n\
        \x20           claimName: backwall-campaign\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_pod_a_chunk_and_the_script_is_one_text() {
        let manifest = manifest(Chunks::of(25, 10));
        assert!(manifest.contains("\n  completions: 3\n  parallelism: 3\n"), "{manifest}");
        let script = manifest.split("- |\n").nth(1).unwrap().split("          resources:").next().unwrap();
        assert_eq!(script.lines().count(), 4, "{manifest}");
        assert!(script.lines().all(|line| line.starts_with(&" ".repeat(14))), "{manifest}");
    }
}
