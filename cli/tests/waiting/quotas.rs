// SPDX-License-Identifier: MIT OR Apache-2.0
//! Control groups with a CPU quota, and the report about a probe in one. Tests are skipped with a reason if none can be made.
use crate::lacking::skip;
use crate::tool;
use backwall_model::{Policy, Run};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

// A control group limited to this many tenths of a CPU; removed with the test.
pub struct Quota(PathBuf);

impl Quota {
    pub fn of_tenths(tenths: u32) -> Result<Self, std::io::Error> {
        static MADE: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = MADE.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let name = format!("backwall-test-{}-{number}", std::process::id());
        let version_1 =
            Path::new("/sys/fs/cgroup/cpu/cpu.cfs_quota_us").parent().filter(|top| top.join("cgroup.procs").exists());
        let top = version_1.unwrap_or(Path::new("/sys/fs/cgroup"));
        std::fs::create_dir(top.join(&name))?;
        let (group, quota) = (Self(top.join(name)), 5_000 * tenths);
        match version_1 {
            Some(_) => {
                std::fs::write(group.0.join("cpu.cfs_period_us"), "50000")?;
                std::fs::write(group.0.join("cpu.cfs_quota_us"), quota.to_string())?;
            }
            None => std::fs::write(group.0.join("cpu.max"), format!("{quota} 50000"))?,
        }
        Ok(group)
    }

    pub fn members(&self) -> PathBuf {
        self.0.join("cgroup.procs")
    }

    pub fn path(&self) -> String {
        self.0.to_string_lossy().into_owned()
    }

    fn tool(&self, words: &[&str], out: &Path) -> Output {
        let script = "echo $$ >\"$0\" || exit 77; exec \"$@\"";
        let mut command = Command::new("sh");
        command.args(["-c", script]).arg(self.members()).arg(env!("CARGO_BIN_EXE_backwall")).args(words);
        command.arg("--output").arg(out).output().unwrap()
    }
}

impl Drop for Quota {
    fn drop(&mut self) {
        tool::wait_until("the end of the group", || std::fs::remove_dir(&self.0).is_ok() || !self.0.exists());
    }
}

const SET: &str = "[[series]]\nname = \"one\"\nperiod = \"10ms\"\ncomputation = \"100us\"\npriority = 20\n";

#[test]
fn a_quota_is_told_of_a_probe_of_ordinary_threads_and_of_a_set_that_may_have_some_and_of_no_other() {
    const TEST: &str = "a_quota_is_told_of_a_probe_of_ordinary_threads";
    let folder = tempfile::tempdir().unwrap();
    let set = folder.path().join("set.toml");
    std::fs::write(&set, SET).unwrap();
    let set = set.to_string_lossy().into_owned();
    // The load that spins uses the quota up, whatever the probe needs.
    let load = ["--load", "spin", "--idle", "as-is", "--quiet"];
    let measured = ["--for", "600ms", "-i", "10ms"];
    let ordinary = [&["run", "--policy", "other"], &load[..], &measured].concat();
    let real_time = [&["run"], &load[..], &measured].concat();
    let tasks = ["tasks", "run", &set, "--best-effort", "--load", "spin", "--for", "1s", "--quiet"].to_vec();
    for (name, words, told) in [("ordinary", ordinary, true), ("real-time", real_time, false), ("set", tasks, true)] {
        let group = match Quota::of_tenths(1) {
            Ok(group) => group,
            Err(error) => return skip(TEST, &format!("no control group with a quota can be made: {error}")),
        };
        let out = folder.path().join(name);
        let output = group.tool(&words, &out);
        let said = String::from_utf8_lossy(&output.stderr);
        if output.status.code() == Some(77) || said.contains("real-time priority") {
            return skip(TEST, &said);
        }
        let stored = std::fs::read(out.join("run.json")).unwrap_or_else(|error| panic!("{name}: {error}: {said}"));
        let Run { plan, warnings, .. } = serde_json::from_slice(&stored).unwrap();
        // A group of version 1 may be given no real-time time at all: then ordinary threads are measured.
        let told = told || plan.policy == Some(Policy::Other);
        let has = warnings.iter().any(|warning| {
            warning.text.contains("its control group used up its CPU quota") && warning.text.contains(&group.path())
        });
        assert_eq!(has, told, "{name}: {warnings:?}");
    }
}
