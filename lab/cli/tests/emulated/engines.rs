// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks what `lab batch submit` prints for engines against their schemas, and runs it in a shell instead of an engine.
use crate::python;
use crate::tool::tool_in as tool;
use std::fs;
use std::path::Path;
use std::process::Command;

const UNITS: usize = 25;

fn planned(folder: &Path) {
    let row = |seed: usize| format!("{{\"key\":\"k{seed}\",\"scenario\":\"bare\",\"seed\":{seed}}}\n");
    fs::create_dir(folder.join("many")).unwrap();
    fs::write(folder.join("many/units.jsonl"), (1..=UNITS).map(row).collect::<String>()).unwrap();
}

fn submitted(folder: &Path, engine: &str) -> String {
    let output = tool(folder, &["lab", "batch", "submit", "many", "--on", engine, "--chunk", "10"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

// The lines that the tasks of a script run, if each task finds its number in this variable.
fn carried_out(script: &str, variable: &str, numbers: impl Iterator<Item = usize>) -> Vec<usize> {
    let told = |number: usize| {
        let stub = "backwall() { echo \"$*\" >&3; }\n";
        let script = format!("exec 3>&1\n{stub}{}", script.replace("exec backwall", "backwall"));
        let output = Command::new("sh").args(["-c", &script]).env(variable, number.to_string()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let words = String::from_utf8(output.stdout).unwrap();
        let (first, last) = words.split_once("--units ").unwrap().1.split_once(' ').unwrap().0.split_once('-').unwrap();
        first.parse().unwrap()..=last.parse().unwrap()
    };
    numbers.flat_map(told).collect()
}

#[test]
fn the_tasks_of_an_array_of_slurm_have_every_unit_once() {
    let folder = tempfile::tempdir().unwrap();
    planned(folder.path());
    let script = submitted(folder.path(), "slurm");
    assert!(script.contains("#SBATCH --array=1-3\n"), "{script}");
    assert_eq!(carried_out(&script, "SLURM_ARRAY_TASK_ID", 1..=3), (1..=UNITS).collect::<Vec<_>>());
}

// Strict: members that the schema does not define are refused.
const VALID: &str = "
import sys, yaml, kubernetes_validate
job = yaml.safe_load(open(sys.argv[1]))
kubernetes_validate.validate(job, kubernetes_validate.latest_version(), strict=True)
spec = job['spec']
assert spec['completionMode'] == 'Indexed', spec
print(spec['completions'])
print(spec['template']['spec']['containers'][0]['command'][2])
";

#[test]
fn kubernetes_own_schema_takes_the_job_and_its_pods_have_every_unit_once() {
    let folder = tempfile::tempdir().unwrap();
    planned(folder.path());
    let file = folder.path().join("job.yaml");
    fs::write(&file, submitted(folder.path(), "kubernetes")).unwrap();
    let Some(told) = python::asked("kubernetes_own_schema", "kubernetes_validate", VALID, &file) else { return };
    let (pods, script) = told.split_once('\n').unwrap();
    assert_eq!(pods, "3");
    assert_eq!(carried_out(script, "JOB_COMPLETION_INDEX", 0..3), (1..=UNITS).collect::<Vec<_>>());
}
