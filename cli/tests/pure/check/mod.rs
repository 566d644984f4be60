// SPDX-License-Identifier: MIT OR Apache-2.0
//! The readings of `backwall check` on machines made of files, whose right readings are known.
mod boards;
mod others;
mod throttling;

use backwall_model::{Check, CheckVerdict};
use backwall_tuning::check::{self, Machine};
use others::INTERRUPTS;
use proptest::prelude::*;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

fn machine(files: &[(&str, &str)]) -> (TempDir, Machine) {
    let root = tempfile::tempdir().unwrap();
    files.iter().for_each(|(path, text)| write(root.path(), path, text.as_bytes()));
    let machine = Machine::under(root.path(), 1);
    (root, machine)
}

fn write(root: &Path, path: &str, bytes: &[u8]) {
    let place = root.join(path.trim_start_matches('/'));
    std::fs::create_dir_all(place.parent().unwrap()).unwrap();
    std::fs::write(place, bytes).unwrap();
}

fn reading(name: &str, files: &[(&str, &str)]) -> Check {
    let (_root, machine) = machine(files);
    check::all_of(&machine).into_iter().find(|check| check.name == name).unwrap()
}

const RELEASE: &str = "/proc/sys/kernel/osrelease";
const RUNTIME: &str = "/proc/sys/kernel/sched_rt_runtime_us";
const PERIOD: &str = "/proc/sys/kernel/sched_rt_period_us";
const SERVER: &str = "/sys/kernel/debug/sched/fair_server/cpu1/runtime";
const SERVER_PERIOD: &str = "/sys/kernel/debug/sched/fair_server/cpu1/period";

#[test]
fn the_preemption_model_is_read_where_it_is_said_first() {
    let config = (
        "/boot/config-6.1.0",
        "CONFIG_PREEMPT_BUILD=y\n# CONFIG_PREEMPT_NONE is not set\nCONFIG_PREEMPT_VOLUNTARY=y\n",
    );
    let release = (RELEASE, "6.1.0");
    type Case<'a> = (&'a [(&'a str, &'a str)], &'a str, CheckVerdict);
    let cases: [Case; 5] = [
        (
            &[("/proc/version", "Linux version 6.1.0-rt #1 SMP PREEMPT_RT Debian")],
            "/proc/version: PREEMPT_RT",
            CheckVerdict::Good,
        ),
        (
            &[("/sys/kernel/debug/sched/preempt", "none voluntary (full) lazy "), config, release],
            "/sys/kernel/debug/sched/preempt: full",
            CheckVerdict::Note,
        ),
        (&[("/proc/cmdline", "quiet preempt=none"), config, release], "/proc/cmdline: none", CheckVerdict::Bad),
        (&[config, release], "/boot/config-6.1.0: voluntary", CheckVerdict::Bad),
        (&[release], "/sys/kernel/debug/sched/preempt: no such file", CheckVerdict::Unknown),
    ];
    for (files, found, verdict) in cases {
        let reading = reading("preemption", files);
        assert_eq!((reading.value.as_str(), reading.verdict), (found, verdict));
    }
}

#[test]
fn the_compressed_configuration_is_read() {
    let (root, machine) = machine(&[]);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, b"CONFIG_PREEMPT_LAZY=y\n").unwrap();
    write(root.path(), "/proc/config.gz", &packed.finish().unwrap());
    assert_eq!(check::preemption_model(&machine), "lazy");
}

#[test]
fn system_management_interrupts_are_counted_where_the_processor_counts_them() {
    let of = |maker: &str, counts: Option<(u64, u64)>| {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "/proc/cpuinfo", format!("vendor_id : {maker}\n").as_bytes());
        for (place, count) in counts.into_iter().flat_map(|(first, then)| [("", first), ("/later", then)]) {
            let registers = [vec![0xff; 0x34], count.to_le_bytes().to_vec()].concat();
            write(root.path(), &format!("{place}/dev/cpu/1/msr"), &registers);
        }
        let checks = check::all_of(&Machine::under(root.path(), 1));
        let found = checks.into_iter().find(|check| check.name == "SMI").unwrap();
        (found.verdict, found.value)
    };
    let said = |text: &str| format!("/dev/cpu/1/msr: {text}");
    assert_eq!(of("GenuineIntel", Some((7, 9))), (CheckVerdict::Bad, said("2 during this check, 9 since boot")));
    assert_eq!(of("GenuineIntel", Some((7, 7))), (CheckVerdict::Note, said("7 since boot, none during this check")));
    assert_eq!(of("GenuineIntel", Some((0, 0))), (CheckVerdict::Good, said("none since boot")));
    assert_eq!(of("GenuineIntel", None), (CheckVerdict::Unknown, said("no such file")));
    assert_eq!(of("AuthenticAMD", Some((7, 9))).0, CheckVerdict::Note);
}

#[test]
fn a_control_group_s_limits_are_found_up_to_the_top() {
    let of = |membership: &str, file: &str, text: &str| {
        let found = reading("control group", &[("/proc/self/cgroup", membership), (file, text)]);
        (found.verdict, found.value)
    };
    let quota = "/sys/fs/cgroup/a/cpu.max";
    assert_eq!(of("0::/a/b\n", quota, "50000 100000\n"), (CheckVerdict::Note, format!("{quota}: 50000 100000 us")));
    assert_eq!(of("0::/a/b\n", quota, "max 100000\n").0, CheckVerdict::Good);
    assert_eq!(of("0::/other\n", quota, "50000 100000\n").0, CheckVerdict::Good);
    let real_time = "/sys/fs/cgroup/cpu,cpuacct/x/cpu.rt_runtime_us";
    let rows = "5:memory:/y\n4:cpu,cpuacct:/x\n";
    assert_eq!(of(rows, real_time, "0\n"), (CheckVerdict::Bad, format!("{real_time}: 0")));
    assert_eq!(of(rows, "/sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us", "20000\n").0, CheckVerdict::Note);
    assert_eq!(of("0::/../..\n", quota, "50000 100000").0, CheckVerdict::Good, "what lies outside is not ours to read");
}

#[test]
fn three_things_are_named_first_and_the_boot_options_make_one_line() {
    let (_root, machine) = machine(&[
        ("/proc/version", "Linux version 6.1.0 SMP PREEMPT_DYNAMIC"),
        ("/proc/cmdline", "quiet preempt=none rcu_nocbs=0"),
        ("/sys/devices/system/cpu/online", "0-3"),
        ("/sys/devices/system/cpu/isolated", ""),
        ("/sys/devices/system/cpu/nohz_full", "(null)"),
        ("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave"),
        ("/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet"),
        ("/proc/interrupts", INTERRUPTS),
        ("/proc/irq/36/smp_affinity_list", "0-1"),
        ("/proc/sys/kernel/timer_migration", "1"),
    ]);
    let (checks, advice) = check::advised(&machine);
    assert_eq!(advice.first, ["preemption", "governor", "clock source"]);
    let options = "preempt=full isolcpus=managed_irq,domain,1 nohz_full=1 rcu_nocbs=1 irqaffinity=0,2-3";
    assert_eq!(advice.boot, options);
    let text = backwall_report::checks::text((1, &checks), (&advice.first, &advice.boot), false, 80);
    assert!(text.contains("\ndo these three first:\n  1. preemption: boot with preempt=full"), "{text}");
    assert!(text.contains(&format!("\nall boot options in one line:\n{options}\n")), "{text}");
}

#[test]
fn each_simple_setting_is_judged_by_its_value() {
    let governor = "/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor";
    let clock = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    let pages = "/sys/kernel/mm/transparent_hugepage/enabled";
    let siblings = "/sys/devices/system/cpu/cpu1/topology/thread_siblings_list";
    let cases = [
        ("governor", governor, "performance", CheckVerdict::Good),
        ("governor", governor, "schedutil", CheckVerdict::Bad),
        ("clock source", clock, "tsc", CheckVerdict::Good),
        ("clock source", clock, "hpet", CheckVerdict::Bad),
        ("timer slack", "/proc/self/timerslack_ns", "50000", CheckVerdict::Note),
        ("timer migration", "/proc/sys/kernel/timer_migration", "1", CheckVerdict::Note),
        ("timer migration", "/proc/sys/kernel/timer_migration", "0", CheckVerdict::Good),
        ("timer slack", "/proc/self/timerslack_ns", "1", CheckVerdict::Good),
        ("huge pages", pages, "[always] madvise never", CheckVerdict::Note),
        ("huge pages", pages, "always [madvise] never", CheckVerdict::Good),
        ("huge pages", pages, "surprise", CheckVerdict::Unknown),
        ("sibling", siblings, "1", CheckVerdict::Good),
        ("sibling", siblings, "1,5", CheckVerdict::Note),
        ("swap", "/proc/swaps", "Filename Type Size Used Priority\n", CheckVerdict::Good),
        ("swap", "/proc/swaps", "Filename Type Size Used Priority\n/dev/vdb partition 1 0 -2\n", CheckVerdict::Note),
        ("steal", "/proc/stat", "cpu  10 0 10 970 0 0 0 10 0 0\n", CheckVerdict::Bad),
        ("steal", "/proc/stat", "cpu  10 0 10 980 0 0 0 0 5 0\n", CheckVerdict::Good),
        ("steal", "/proc/stat", "cpu  10 0\n", CheckVerdict::Unknown),
        ("hypervisor", "/proc/cpuinfo", "flags : fpu hypervisor lm\n", CheckVerdict::Note),
        ("hypervisor", "/proc/cpuinfo", "flags : fpu lm\n", CheckVerdict::Good),
    ];
    for (name, path, text, verdict) in cases {
        let reading = reading(name, &[(path, text)]);
        assert_eq!(reading.verdict, verdict, "{path} {text:?}: {reading:?}");
        assert!(reading.value.starts_with(path), "{reading:?} does not say where it was read");
    }
}

#[test]
fn the_deepest_state_that_is_allowed_decides() {
    let driver = ("/sys/devices/system/cpu/cpuidle/current_driver", "intel_idle");
    let state = |n: u32, file: &str| format!("/sys/devices/system/cpu/cpu1/cpuidle/state{n}/{file}");
    let (names, latencies, off) =
        ([state(0, "name"), state(1, "name")], [state(0, "latency"), state(1, "latency")], state(1, "disable"));
    let of = |disabled| {
        let files = [
            driver,
            (&names[0], "POLL"),
            (&latencies[0], "0"),
            (&names[1], "C6"),
            (&latencies[1], "133"),
            (&off, disabled),
        ];
        reading("idle states", &files.map(|(path, text): (&str, &str)| (path, text)))
    };
    assert_eq!(of("0").verdict, CheckVerdict::Bad);
    assert!(of("0").value.ends_with("deepest state allowed C6, exit 133 us"));
    assert_eq!(of("1").verdict, CheckVerdict::Good);
}

#[test]
fn a_latency_that_some_program_holds_is_named() {
    let (root, machine) = machine(&[]);
    for (held, said) in [(0i32, "held at 0 us"), (2_000_000_000, "held by nobody")] {
        write(root.path(), "/dev/cpu_dma_latency", &held.to_ne_bytes());
        let found = check::all_of(&machine).into_iter().find(|check| check.name == "cpu_dma_latency").unwrap().value;
        assert!(found.contains(said), "{found}");
    }
}

#[test]
fn threads_above_and_other_runs_are_named() {
    let stat =
        |name: &str, priority: u32, policy: u32| format!("41 ({name}) S 7 {}{priority} {policy} 0", "0 ".repeat(35));
    let of = |row: &str, name: &str, (priority, policy): (u32, u32), cpus: &str| {
        let status = format!("Cpus_allowed_list:\t{cpus}\n");
        let stat = stat(name, priority, policy);
        let files =
            [("/proc/stat", "cpu 1"), ("/proc/40/task/41/stat", &stat), ("/proc/40/task/41/status", status.as_str())];
        let reading = reading(row, &files);
        (reading.verdict, reading.value)
    };
    let (verdict, found) = of("real-time threads", "control", (97, 1), "0-3");
    assert_eq!((verdict, found.as_str()), (CheckVerdict::Bad, "/proc: control (41, real-time 97)"));
    for (name, scheduling, cpus) in
        [("control", (94, 1), "0-3"), ("control", (97, 1), "0"), ("cc1", (0, 0), "0-3"), ("migration/1", (99, 1), "1")]
    {
        assert_eq!(
            of("real-time threads", name, scheduling, cpus).0,
            CheckVerdict::Good,
            "{name} {scheduling:?} {cpus}"
        );
    }
    assert_eq!(of("other runs", "bw-wakeup", (95, 1), "1").1, "/proc: bw-wakeup (41, real-time 95)");
    assert_eq!(of("other runs", "cc1", (0, 0), "1").0, CheckVerdict::Good);
}

#[test]
fn rights_come_from_a_capability_or_a_limit() {
    let limits =
        |value: &str| format!("Limit   Soft Limit   Hard Limit   Units\nMax realtime priority     {value}    99\n");
    let of = |value: &str, mask: &str| {
        reading(
            "priority limit",
            &[("/proc/self/limits", &limits(value)), ("/proc/self/status", &format!("CapEff:\t{mask}\n"))],
        )
        .verdict
    };
    assert_eq!(of("0", "0000000000000000"), CheckVerdict::Bad);
    assert_eq!(of("99", "0000000000000000"), CheckVerdict::Good);
    assert_eq!(of("0", "0000000000800000"), CheckVerdict::Good);
    assert_eq!(of("many", "0000000000000000"), CheckVerdict::Unknown);
}

#[test]
fn a_machine_without_any_file_gives_every_row_and_nothing_good() {
    let (_root, machine) = machine(&[]);
    let checks = check::all_of(&machine);
    assert_eq!(checks.len(), 28);
    for check in &checks {
        assert!(matches!(check.verdict, CheckVerdict::Unknown | CheckVerdict::Note), "{check:?}");
        assert!(["no such", "No such", "0 of 6"].iter().any(|words| check.value.contains(words)), "{check:?}");
        assert!(!check.why.is_empty(), "{check:?}");
    }
    assert!(checks.iter().filter(|check| check.verdict == CheckVerdict::Unknown).count() >= 15);
}

const FILES: [&str; 32] = [
    "/later/proc/interrupts",
    "/dev/cpu/1/msr",
    "/later/dev/cpu/1/msr",
    "/proc/self/cgroup",
    "/sys/fs/cgroup/cpu.max",
    "/proc/sys/kernel/timer_migration",
    "/proc/2/task/2/stat",
    "/proc/2/task/2/status",
    RELEASE,
    RUNTIME,
    PERIOD,
    SERVER,
    SERVER_PERIOD,
    "/proc/version",
    "/proc/cmdline",
    "/proc/config.gz",
    "/proc/cpuinfo",
    "/proc/stat",
    "/proc/swaps",
    "/proc/interrupts",
    "/proc/self/limits",
    "/proc/self/status",
    "/proc/self/timerslack_ns",
    "/dev/cpu_dma_latency",
    "/sys/kernel/debug/sched/preempt",
    "/sys/kernel/mm/transparent_hugepage/enabled",
    "/sys/devices/system/cpu/isolated",
    "/sys/devices/system/cpu/nohz_full",
    "/sys/devices/system/cpu/online",
    "/sys/devices/system/cpu/cpuidle/current_driver",
    "/sys/devices/system/cpu/cpu1/cpuidle/state0/latency",
    "/sys/devices/system/cpu/cpu1/topology/thread_siblings_list",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_content_of_any_file_stops_the_readings(contents in proptest::collection::vec(any::<Vec<u8>>(), FILES.len())) {
        let (root, machine) = machine(&[]);
        FILES.iter().zip(&contents).for_each(|(path, bytes)| write(root.path(), path, bytes));
        let machine = Machine::under(root.path(), machine.cpu);
        prop_assert_eq!(check::all_of(&machine).len(), 28);
        check::throttled(&machine);
    }
}

fn backwall(words: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_backwall")).args(words).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn the_command_prints_text_or_json_and_refuses_what_does_not_apply() {
    let (code, text, _) = backwall(&["check"]);
    assert_eq!(code, 0);
    assert!(text.contains("worth knowing"), "{text}");
    let (code, json, _) = backwall(&["check", "--json"]);
    let record: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((code, record["checks"].as_array().unwrap().len()), (0, 28));
    let (code, text, error) = backwall(&["check", "--require", "missed == 0"]);
    assert_eq!((code, text.as_str(), error.lines().count()), (2, "", 1), "{error}");
    assert_eq!(backwall(&["check", "--cpu", "9999"]).0, 4);
    let of = |verdict: &str| record["checks"].as_array().unwrap().iter().any(|check| check["verdict"] == verdict);
    let expected = if of("bad") {
        vec![1]
    } else if of("unknown") {
        vec![3, 1]
    } else {
        vec![0, 1]
    };
    let (code, text, error) = backwall(&["check", "--strict", "--quiet"]);
    assert!(expected.contains(&code) && text.is_empty() && error.is_empty(), "{code} {text} {error}");
    assert!(record["first"].as_array().unwrap().len() <= 3 && record["boot"].is_string());
}
