// SPDX-License-Identifier: MIT OR Apache-2.0
//! The readings of `backwall check` on machines made of files, whose right readings are known.
use backwall::check::{self, Machine};
use backwall::run::{Check, CheckVerdict};
use proptest::prelude::*;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// A machine with these files; what it holds is read as of CPU 1.
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

/// The reading of one setting on a machine with these files.
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
fn minus_one_on_linux_6_12_leaves_the_fair_server_and_the_reading_says_so() {
    let files = [
        (RELEASE, "6.12.3-amd64\n"),
        (RUNTIME, "-1\n"),
        (PERIOD, "1000000\n"),
        (SERVER, "50000000\n"),
        (SERVER_PERIOD, "1000000000\n"),
    ];
    let server = reading("fair server", &files);
    assert_eq!(server.verdict, CheckVerdict::Bad);
    assert_eq!(server.found, format!("{SERVER}: 50000000 of 1000000000 ns"));
    assert!(
        server.why.contains("50 ms in each 1000 ms") && server.why.contains("-1: that no longer removes it"),
        "{}",
        server.why
    );
    assert_eq!(server.fix, format!("echo 0 > {SERVER}"));
    let throttling = reading("throttling", &files);
    assert_eq!(throttling.verdict, CheckVerdict::Note);
    assert!(throttling.why.contains("-1 removes nothing"), "{}", throttling.why);
    assert!(check::throttled(&machine(&files).1));
}

#[test]
fn a_fair_server_at_zero_takes_nothing() {
    let files =
        [(RELEASE, "6.18.0"), (RUNTIME, "950000"), (PERIOD, "1000000"), (SERVER, "0"), (SERVER_PERIOD, "1000000000")];
    assert_eq!(reading("fair server", &files).verdict, CheckVerdict::Good);
    assert!(!check::throttled(&machine(&files).1));
}

#[test]
fn before_linux_6_12_throttling_decides() {
    let old = |runtime| [(RELEASE, "6.1.0-37-amd64"), (RUNTIME, runtime), (PERIOD, "1000000")];
    assert_eq!(reading("throttling", &old("950000")).verdict, CheckVerdict::Note);
    assert!(reading("throttling", &old("950000")).why.contains("stopped for 50000 us"));
    assert_eq!(reading("throttling", &old("-1")).verdict, CheckVerdict::Good);
    assert_eq!(reading("fair server", &old("-1")).verdict, CheckVerdict::Good);
    for (runtime, throttled) in [("950000", true), ("-1", false), ("1000000", false), ("what", true)] {
        assert_eq!(check::throttled(&machine(&old(runtime)).1), throttled, "{runtime}");
    }
}

#[test]
fn a_fair_server_in_an_older_kernel_is_found_by_its_file() {
    let files = [
        (RELEASE, "5.14.0-570.el9"),
        (RUNTIME, "-1"),
        (PERIOD, "1000000"),
        (SERVER, "50000000"),
        (SERVER_PERIOD, "1000000000"),
    ];
    assert_eq!(reading("fair server", &files).verdict, CheckVerdict::Bad);
}

#[test]
fn on_linux_6_12_without_debugfs_the_fair_server_is_unknown_counts_as_on_and_says_how_to_read_it() {
    let files = [(RELEASE, "6.12.3"), (RUNTIME, "-1"), (PERIOD, "1000000")];
    let server = reading("fair server", &files);
    assert_eq!(server.verdict, CheckVerdict::Unknown);
    assert_eq!(server.found, format!("{SERVER}: no such file"));
    assert!(server.fix.contains("mount -t debugfs"), "{}", server.fix);
    assert!(check::throttled(&machine(&files).1));
}

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
        assert_eq!((reading.found.as_str(), reading.verdict), (found, verdict));
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

const INTERRUPTS: &str = "           CPU0       CPU1
 24:          1      12345  IO-APIC   5-edge      ACPI:Ged
 36:          0     147100  PCI-MSIX-0000:00:02.0   1-edge      virtio1-req.0
 40:          9          0  PCI-MSIX-0000:00:04.0   0-edge      virtio3-config
LOC:      28072      30860   Local timer interrupts
ERR:          0
";

#[test]
fn interrupts_that_may_run_on_the_measured_processor_are_counted_the_busiest_named() {
    let reading = reading(
        "interrupts",
        &[
            ("/proc/interrupts", INTERRUPTS),
            ("/proc/irq/24/smp_affinity_list", "0-1"),
            ("/proc/irq/24/effective_affinity_list", "0"),
            ("/proc/irq/36/smp_affinity_list", "0-1"),
            ("/proc/irq/40/smp_affinity_list", "0-3"),
            ("/proc/irq/40/effective_affinity_list", ""),
            ("/sys/devices/system/cpu/online", "0-1"),
        ],
    );
    assert_eq!(
        reading.found,
        "/proc/irq/*/effective_affinity_list: 2 of 3 lines on CPU 1, busiest 36 virtio1-req.0 (147,100), 40 virtio3-config (0)"
    );
    assert_eq!(reading.fix, "stop irqbalance, then for each: echo 0 > /proc/irq/36/smp_affinity_list");
}

#[test]
fn isolation_is_judged_for_the_measured_processor() {
    let online = ("/sys/devices/system/cpu/online", "0-3");
    let of = |list| reading("isolcpus", &[("/sys/devices/system/cpu/isolated", list), online]);
    assert_eq!(of("1,3").verdict, CheckVerdict::Good);
    assert_eq!((of("2-3").verdict, of("2-3").fix.as_str()), (CheckVerdict::Note, "boot with isolcpus=1"));
    assert_eq!(
        reading("nohz_full", &[("/sys/devices/system/cpu/nohz_full", "(null)"), online]).verdict,
        CheckVerdict::Note
    );
    assert_eq!(reading("rcu_nocbs", &[("/proc/cmdline", "rcu_nocbs=0-7")]).verdict, CheckVerdict::Good);
    let alone =
        reading("isolcpus", &[("/sys/devices/system/cpu/isolated", ""), ("/sys/devices/system/cpu/online", "1")]);
    assert_eq!(alone.fix, "", "a machine with one processor cannot isolate it");
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
        assert!(reading.found.starts_with(path), "{reading:?} does not say where it was read");
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
    assert!(of("0").found.ends_with("deepest state allowed C6, exit 133 us"));
    assert_eq!(of("1").verdict, CheckVerdict::Good);
}

#[test]
fn a_latency_that_some_program_holds_is_named() {
    let (root, machine) = machine(&[]);
    for (held, said) in [(0i32, "held at 0 us"), (2_000_000_000, "held by nobody")] {
        write(root.path(), "/dev/cpu_dma_latency", &held.to_ne_bytes());
        let found = check::all_of(&machine).into_iter().find(|check| check.name == "cpu_dma_latency").unwrap().found;
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
        (reading.verdict, reading.found)
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
    assert_eq!(checks.len(), 23);
    for check in &checks {
        assert!(matches!(check.verdict, CheckVerdict::Unknown | CheckVerdict::Note), "{check:?}");
        assert!(["no such", "No such", "0 of 6"].iter().any(|words| check.found.contains(words)), "{check:?}");
        assert!(!check.why.is_empty(), "{check:?}");
    }
    assert!(checks.iter().filter(|check| check.verdict == CheckVerdict::Unknown).count() >= 15);
}

const FILES: [&str; 24] = [
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
        prop_assert_eq!(check::all_of(&machine).len(), 23);
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
    assert_eq!((code, record["checks"].as_array().unwrap().len()), (0, 23));
    let (code, text, error) = backwall(&["check", "--require", "lost == 0"]);
    assert_eq!((code, text.as_str(), error.lines().count()), (2, "", 1), "{error}");
    assert_eq!(backwall(&["check", "--cpu", "9999"]).0, 4);
}
