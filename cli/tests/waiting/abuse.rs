// SPDX-License-Identifier: MIT OR Apache-2.0
//! How another user could misuse the tool, and what one run could do to another.
use crate::copied::copied;
use crate::lacking::skip;
use crate::tool::{Begin, backwall, code_of, message, stand_in, stored, wait_until};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

const FAKE: &str = backwall_runner::device::built::FAKE;

#[test]
fn of_two_runs_into_one_folder_the_second_is_refused_at_once_and_the_first_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let first = backwall(&out).args(["--load", "none", "--for", "3s"]).begin();
    wait_until("the first run's folder", || out.exists());
    let second = backwall(&out).args(["--load", "none", "--for", "3s"]).output().unwrap();
    let line = message(&second);
    assert_eq!((second.status.code(), line.lines().count()), (Some(2), 1), "{line}");
    assert!(line.contains("another run is writing there; name another folder"), "{line}");
    let (output, run) = (first.wait_with_output().unwrap(), stored(&out));
    assert_eq!(output.status.code(), code_of(&run), "{}", message(&output));
    assert!(run.series[0].done > 0);
}

#[test]
fn a_folder_that_others_can_write_to_is_refused_before_anything_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let refused = backwall(folder.path()).args(["--load", "none"]).output().unwrap();
    let line = message(&refused);
    assert_eq!((refused.status.code(), line.lines().count()), (Some(2), 1), "{line}");
    assert!(
        line.contains("somebody else can write there (its mode is 777); name a folder that does not exist yet"),
        "{line}"
    );
}

#[test]
fn a_limit_on_the_size_of_files_ends_no_run_without_its_figures() {
    let folder = tempfile::tempdir().unwrap();
    let script = "ulimit -f 8; exec \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", script, "sh", env!("CARGO_BIN_EXE_backwall"), "run", "--load", "none", "--for", "600ms"]);
    let output = command.args(["--probe", FAKE, "--output"]).arg(folder.path().join("run")).output().unwrap();
    let line = message(&output);
    assert_eq!((output.status.code(), line.lines().count()), (Some(4), 1), "{line}");
    assert!(line.contains("File too large"), "{line}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("maximum "), "what was measured is printed");
    assert!(!folder.path().join("run").exists());
}

// The tool with the documented capabilities, run by an ordinary user; `None`, with the reason printed, if that cannot be tried.
fn with_rights_of_its_file(test: &str, place: &tempfile::TempDir, arguments: &[&str]) -> Option<Output> {
    bounded(test, place, &[], arguments)
}

fn bounded(test: &str, place: &tempfile::TempDir, bound: &[&str], arguments: &[&str]) -> Option<Output> {
    let tool = place.path().join("backwall");
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o777)).unwrap();
    copied(env!("CARGO_BIN_EXE_backwall"), &tool);
    let marked = Command::new("setcap").arg("cap_sys_nice,cap_ipc_lock=p").arg(&tool).output();
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
    command.args(bound).args(["sh", "-c", "echo started >&2; exec \"$@\"", "sh"]);
    let output = command.arg(&tool).args(arguments).current_dir(place.path()).output();
    let started = output.as_ref().is_ok_and(|output| message(output).starts_with("started\n"));
    if marked.as_ref().is_ok_and(|marked| marked.status.success()) && started {
        return output.ok();
    }
    let why =
        |output: std::io::Result<Output>| output.map_or_else(|error| error.to_string(), |output| message(&output));
    let reason = format!("{} {}", why(marked), why(output));
    // Not by a print macro, whose text a passing test would swallow.
    skip(test, &format!("no file can be given rights here: {}", reason.trim()));
    None
}

#[test]
fn rights_of_the_tool_s_file_reach_its_own_probe() {
    let place = tempfile::tempdir().unwrap();
    let arguments = ["run", "--load", "none", "--for", "1s", "--json"];
    let Some(output) = with_rights_of_its_file("rights_reach_the_probe", &place, &arguments) else { return };
    let run: backwall_model::Run = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), code_of(&run), "{}", message(&output));
    assert!(!run.warnings.iter().any(|warning| warning.text.contains("is refused")), "{:?}", run.warnings);
}

// A container takes rights away from all that is in it, and the kernel starts no file there that gives them by itself.
#[test]
fn a_tool_whose_file_permits_rights_starts_where_they_are_not_to_be_had() {
    let place = tempfile::tempdir().unwrap();
    let test = "a_tool_starts_without_the_rights_of_its_file";
    let Some(output) = bounded(test, &place, &["--bounding-set=-all"], &["--version"]) else { return };
    assert_eq!(output.status.code(), Some(0), "{}", message(&output));
}

#[test]
fn rights_of_the_tool_s_file_never_reach_a_program_from_outside() {
    let place = tempfile::tempdir().unwrap();
    let told = "grep -E '^Cap(Inh|Prm|Eff|Amb)' /proc/self/status > caps; exit 3";
    let probe = stand_in(place.path(), told);
    let arguments = ["run", "--load", "none", "--for", "1s", "--probe", probe.to_str().unwrap()];
    let Some(output) = with_rights_of_its_file("rights_stay", &place, &arguments) else { return };
    assert_eq!(output.status.code(), Some(4), "{}", message(&output));
    let caps = fs::read_to_string(place.path().join("caps")).unwrap();
    let rows: Vec<&str> = caps.lines().collect();
    assert_eq!(rows.len(), 4, "{caps}");
    assert!(rows.iter().all(|row| row.ends_with("\t0000000000000000")), "{caps}");
}
