// SPDX-License-Identifier: MIT OR Apache-2.0
//! The recipes for continuous integration: the test runs their steps as written; the job must fail if a guest needs more
//! instructions.
use crate::common::program::programs;
use crate::tool::tool_in;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const GITHUB: &str = include_str!("../../../../contrib/ci/github.yml");
const GITLAB: &str = include_str!("../../../../contrib/ci/gitlab.yml");

fn scenario(instructions: u32) -> String {
    format!(
        "about = \"answers\"\nguest = \"bare:answer-irq7-{instructions}\"\n[generator.a]\nshape = \"periodic\"\nperiod = 8000\ncount = 100\n"
    )
}

// The commands of each step, on the line of `run:` or as a block below it, without the step that installs.
fn steps_of_github() -> Vec<String> {
    let mut steps: Vec<(String, String)> = Vec::new();
    let mut lines = GITHUB.lines().peekable();
    let mut name = String::new();
    while let Some(line) = lines.next() {
        let depth = line.len() - line.trim_start().len();
        if let Some(named) = line.trim_start().strip_prefix("- name: ") {
            name = named.to_string();
        }
        let Some(word) = line.trim_start().strip_prefix("run: ") else { continue };
        let mut text = if word == "|" { String::new() } else { word.to_string() };
        while let Some(below) = lines.next_if(|below| word == "|" && below.len() - below.trim_start().len() > depth) {
            text += &format!("{}\n", below.trim_start());
        }
        steps.push((name.clone(), text));
    }
    let names: Vec<&str> = steps.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["install", "measure", "compare"]);
    steps.into_iter().skip(1).map(|(_, text)| text).collect()
}

fn steps_of_gitlab() -> Vec<String> {
    let below = GITLAB.lines().skip_while(|line| *line != "  script:").skip(1);
    let items = below.map_while(|line| line.strip_prefix("    - "));
    let steps: Vec<String> = items.map(String::from).collect();
    assert_eq!(steps.len(), 2);
    steps
}

// Runs each step in a shell that ends at the first failure, as both services do; a failing step ends the job.
fn job(folder: &Path, steps: &[String]) -> Output {
    let tool = programs();
    let path = format!("{}:{}", tool.display(), std::env::var("PATH").unwrap_or_default());
    let _ = fs::remove_dir_all(folder.join("latency"));
    let mut last = None;
    for step in steps {
        let output =
            Command::new("sh").args(["-e", "-c", step]).env("PATH", &path).current_dir(folder).output().unwrap();
        let failed = !output.status.success();
        last = Some(output);
        if failed {
            break;
        }
    }
    last.unwrap()
}

#[test]
fn the_jobs_pass_without_a_change_and_fail_where_more_instructions_are_needed() {
    for (service, steps) in [("GitHub", steps_of_github()), ("GitLab", steps_of_gitlab())] {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path();
        fs::create_dir(folder.join("ci")).unwrap();
        fs::write(folder.join("ci/answer.toml"), scenario(5)).unwrap();
        let baseline = tool_in(folder, &["lab", "run", "ci/answer.toml", "--output", "ci/baseline", "--quiet"]);
        assert_eq!(baseline.status.code(), Some(0), "{}", String::from_utf8_lossy(&baseline.stderr));
        let said = |output: &Output| {
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
        };
        let same = job(folder, &steps);
        assert_eq!(same.status.code(), Some(0), "{service}: {}", said(&same));
        fs::write(folder.join("ci/answer.toml"), scenario(100)).unwrap();
        let slower = job(folder, &steps);
        assert_eq!(slower.status.code(), Some(1), "{service}: {}", said(&slower));
        assert!(said(&slower).contains("regressed"), "{service}: {}", said(&slower));
        for artifact in ["latency/changes.html", "latency/junit.xml", "latency/now/report.html"] {
            assert!(folder.join(artifact).is_file(), "{service}: {artifact}");
        }
    }
}
