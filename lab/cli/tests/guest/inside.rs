// SPDX-License-Identifier: MIT OR Apache-2.0
//! The first process of the guest: runs the tool once for each case and prints the result.
use super::cases::{self, Case};
use std::ffi::CString;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

pub fn run() -> ! {
    for (kind, place) in [("proc", "/proc"), ("sysfs", "/sys"), ("devtmpfs", "/dev"), ("tmpfs", "/tmp")] {
        mount(kind, place);
    }
    let traced = std::env::args().any(|word| word == "traced");
    for case in cases::wanted(traced) {
        let begun = Instant::now();
        let output = call(&case);
        let seconds = begun.elapsed().as_secs_f64();
        println!("\nCASE {} {} in {seconds:.1} s", case.name, output.status.code().unwrap_or(-1));
        println!("{}\n{}", String::from_utf8_lossy(&output.stderr).trim(), told(&case, &output));
    }
    println!("\nCASE end 0 ");
    // SAFETY: nothing is mounted that could lose data.
    unsafe { libc::reboot(libc::RB_POWER_OFF) };
    unreachable!("the guest is off")
}

fn mount(kind: &str, place: &str) {
    let (kind, place) = (CString::new(kind).unwrap(), CString::new(place).unwrap());
    // SAFETY: the texts live through the call; no data is passed.
    unsafe { libc::mount(kind.as_ptr(), place.as_ptr(), kind.as_ptr(), 0, std::ptr::null()) };
}

fn call(case: &Case) -> Output {
    let mut command = Command::new("/bin/backwall");
    command.env("PATH", "/bin").env("HOME", "/root").args(&case.arguments);
    if case.arguments[0] == "run" {
        command.args(["--output", &format!("/tmp/{}", case.name)]);
    }
    let meanwhile = case.meanwhile.map(std::thread::spawn);
    let output = command.output().unwrap();
    meanwhile.into_iter().for_each(|meanwhile| meanwhile.join().unwrap());
    output
}

fn told(case: &Case, output: &Output) -> String {
    let Ok(text) = std::fs::read(format!("/tmp/{}/run.json", case.name)) else {
        return String::from_utf8_lossy(&output.stdout).into_owned();
    };
    let run: backwall_model::Run = serde_json::from_slice(&text).unwrap();
    let series = run.series.iter().map(|series| {
        let cpu = series.key.cpu.or(run.plan.cpu).map_or(-1, i64::from);
        format!("SERIES cpu={cpu} due={} done={} lost={}", series.due.unwrap(), series.done, series.missed.unwrap())
    });
    let stages = run.stages.iter().map(|stages| {
        let (load, matched, unmatched) = (&stages.key.load, stages.matched, stages.unmatched);
        format!("STAGES load={load} matched={matched} unmatched={unmatched} inferred={}", stages.inferred)
    });
    let warnings = run.warnings.iter().map(|warning| format!("WARNING {warning}"));
    let evidence = format!("EVIDENCE {}", run.valid);
    series.chain(stages).chain([evidence]).chain(warnings).collect::<Vec<_>>().join("\n")
}

pub fn unplug() {
    let online = |text: &str| std::fs::write("/sys/devices/system/cpu/cpu3/online", text).unwrap();
    let measured = |thread: &backwall_os::threads::Thread| {
        thread.name.starts_with(backwall_model::THREAD_PREFIX) && thread.allowed().as_deref() == Some("3")
    };
    while !backwall_os::threads::all().iter().any(measured) {
        std::thread::sleep(Duration::from_millis(100));
    }
    std::thread::sleep(Duration::from_secs(2));
    online("0");
    std::thread::sleep(Duration::from_secs(4));
    online("1");
}
