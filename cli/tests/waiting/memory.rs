// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory of the tool and the probe, however long a run is.
use crate::lacking::say;
use crate::tool::{Begin, backwall, children, due, is_planned, message, wait_until};

use std::time::{Duration, Instant};

fn resident(id: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let row = status.lines().find(|row| row.starts_with("VmRSS:"))?;
    Some(row.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}

fn median(mut values: Vec<u64>) -> u64 {
    values.sort_unstable();
    values[values.len() / 2]
}

// A run has its memory after a quarter of its time; it may vary, but does not grow.
#[test]
fn memory_stays_flat_however_long_a_run_is() {
    const MOST_GROWTH: u64 = 4 << 20;
    let seconds: u64 = std::env::var("BACKWALL_SOAK_S").ok().and_then(|seconds| seconds.parse().ok()).unwrap_or(8);
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let length = format!("{seconds}s");
    let every = format!("{}ms", (seconds * 10).clamp(100, 10_000));
    // Without the recorder, which keeps 300 ms of the trace at each new worst response.
    let words =
        ["--no-recorder", "--load", "spin", "--period", "100us", "--for", &length, "--checkpoint-every", &every];
    let mut tool = backwall(&out).args(words).begin();
    wait_until("a checkpoint", || out.join("checkpoint.json").exists());
    let processes: Vec<u32> = [tool.id()].into_iter().chain(children(tool.id()).iter().map(|child| child.id)).collect();
    let mut seen: Vec<Vec<u64>> = processes.iter().map(|_| Vec::new()).collect();
    // After that, the traced phase keeps each response, for five seconds at most.
    let end = Instant::now() + Duration::from_secs(seconds - 2);
    while tool.try_wait().unwrap().is_none() && Instant::now() < end {
        for (values, id) in seen.iter_mut().zip(&processes) {
            values.extend(resident(*id).filter(|bytes| *bytes > 0));
        }
        std::thread::sleep(Duration::from_millis(seconds * 10));
    }
    let output = tool.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", message(&output));
    let run = backwall_store::read(&out).unwrap();
    assert!(is_planned(due(&run.series[0]), seconds * 10_000));
    for (number, values) in seen.iter().enumerate().filter(|(_, values)| values.len() >= 16) {
        let quarter = values.len() / 4;
        let (early, late) = (median(values[quarter..2 * quarter].to_vec()), median(values[3 * quarter..].to_vec()));
        let growth = late.saturating_sub(early);
        let looks = values.len();
        say(&format!("process {number}: {early} bytes resident, {growth} more later, of {looks} looks in {seconds} s"));
        assert!(growth <= MOST_GROWTH, "process {number} grows by {growth} bytes: {values:?}");
    }
}
