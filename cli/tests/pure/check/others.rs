// SPDX-License-Identifier: MIT OR Apache-2.0
//! Other users of the measured CPU: interrupts, isolation, kernel threads.
use super::{machine, reading, write};
use backwall_judge::compare::{PlacedRun, Question, compare};
use backwall_model::{CheckVerdict, Origin, Plan, Run};
use backwall_tuning::check::{self, Machine};
use jiff::Timestamp;
use std::path::Path;

pub(super) const INTERRUPTS: &str = "           CPU0       CPU1
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
    assert_eq!(reading.value, "/proc/irq/*/effective_affinity_list: 2 of 3 lines on CPU 1");
    let busiest = "busiest since boot: 36 virtio1-req.0 (147,100), 40 virtio3-config (0)";
    assert!(reading.why.ends_with(busiest), "{}", reading.why);
    assert_eq!(reading.fix, "stop irqbalance, then move each interrupt\necho 0 > /proc/irq/36/smp_affinity_list");
}

// Counts since the boot differ between any two runs; the one setting that differs must not drown in them.
#[test]
fn what_was_counted_is_no_setting_to_a_comparison() {
    let placed = |number: u64, governor: &str| {
        let (stat, interrupts) =
            (format!("cpu 1 0 {number} 0 0 0 0 {number} 0 0\n"), format!("CPU0 CPU1\n 36: 0 {number} PCI virtio\n"));
        let (_root, machine) = machine(&[
            ("/proc/stat", &stat),
            ("/proc/interrupts", &interrupts),
            ("/later/proc/interrupts", &interrupts.replace('\n', "0\n")),
            ("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", governor),
        ]);
        let mut run = Run::begin(Origin::Measured, Plan::default(), Vec::new(), Timestamp::UNIX_EPOCH);
        run.environment.checks = check::all_of(&machine);
        PlacedRun { place: number.to_string(), run }
    };
    let before = [placed(1, "powersave"), placed(2, "powersave")];
    let after = [placed(3, "performance"), placed(4, "performance")];
    let found = compare(&before, &after, &Question { effect: 0.05, seed: 1 });
    let names: Vec<&str> = found.settings.iter().map(|differs| differs.name.as_str()).collect();
    assert_eq!(names, ["check.governor"], "{:?}", found.settings);
}

#[test]
fn isolation_is_judged_for_the_measured_processor() {
    let online = ("/sys/devices/system/cpu/online", "0-3");
    let of = |list| reading("isolcpus", &[("/sys/devices/system/cpu/isolated", list), online]);
    assert_eq!(of("1,3").verdict, CheckVerdict::Good);
    assert_eq!(
        (of("2-3").verdict, of("2-3").fix.as_str()),
        (CheckVerdict::Note, "measure on an isolated CPU: --cpu 2")
    );
    assert_eq!(
        reading("nohz_full", &[("/sys/devices/system/cpu/nohz_full", "(null)"), online]).verdict,
        CheckVerdict::Note
    );
    assert_eq!(reading("rcu_nocbs", &[("/proc/cmdline", "rcu_nocbs=0-7")]).verdict, CheckVerdict::Good);
    let alone =
        reading("isolcpus", &[("/sys/devices/system/cpu/isolated", ""), ("/sys/devices/system/cpu/online", "1")]);
    assert_eq!(alone.fix, "", "a machine with one processor cannot isolate it");
    assert_eq!(of("").fix, "boot with isolcpus=managed_irq,domain,1");
    let tick = [("/sys/devices/system/cpu/isolated", "1,3"), ("/sys/devices/system/cpu/nohz_full", "(null)"), online];
    assert_eq!(reading("nohz_full", &tick).fix, "boot with nohz_full=1,3", "all that are isolated, not one of them");
    let taken_along = [("/proc/cmdline", "nohz_full=1"), ("/sys/devices/system/cpu/nohz_full", "1")];
    assert_eq!(reading("rcu_nocbs", &taken_along).verdict, CheckVerdict::Good);
}

#[test]
fn the_processor_that_does_the_rest_is_never_the_one_to_isolate() {
    let (_root, machine) = machine(&[("/sys/devices/system/cpu/online", "0-3")]);
    assert_eq!([3, 4].map(|cpu| check::is_online(&machine, cpu)), [true, false]);
    let root = tempfile::tempdir().unwrap();
    for (path, text) in [("/sys/devices/system/cpu/isolated", ""), ("/sys/devices/system/cpu/online", "0-3")] {
        write(root.path(), path, text.as_bytes());
    }
    let first = Machine::under(root.path(), 0);
    let isolation = check::all_of(&first).into_iter().find(|check| check.name == "isolcpus").unwrap();
    assert_eq!(isolation.fix, "boot with isolcpus=managed_irq,domain,3 and measure with --cpu 3");
}

#[test]
fn interrupts_that_come_while_looking_are_named_and_a_device_s_is_bad() {
    let of = |later: &str| {
        let online = ("/sys/devices/system/cpu/online", "0-1");
        reading("interrupts seen", &[("/proc/interrupts", INTERRUPTS), ("/later/proc/interrupts", later), online])
    };
    assert_eq!(of(INTERRUPTS).verdict, CheckVerdict::Good);
    let ticks = of(&INTERRUPTS.replace("30860", "31000"));
    assert_eq!(
        (ticks.verdict, ticks.value.as_str()),
        (CheckVerdict::Good, "/proc/interrupts: during this check, on CPU 1: LOC 140")
    );
    let disk = of(&INTERRUPTS.replace("30860", "31000").replace("147100", "147107"));
    assert_eq!(disk.value, "/proc/interrupts: during this check, on CPU 1: virtio1-req.0 7, LOC 140");
    assert_eq!(disk.verdict, CheckVerdict::Bad);
    assert_eq!(disk.fix, "stop irqbalance, then move each interrupt\necho 0 > /proc/irq/36/smp_affinity_list");
    let elsewhere = of(&INTERRUPTS.replace(" 9   ", " 99  "));
    assert_eq!(elsewhere.verdict, CheckVerdict::Good, "another processor's is none of ours");
}

#[test]
fn threads_of_the_kernel_that_are_bound_there_without_need_are_named() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "/proc/stat", b"cpu  1 2 3 4 5 6 7 8\n");
    let put = |id: u32, name: &str, parent: u32, cpus: &str| {
        let zeros = "0 ".repeat(37);
        write(
            root.path(),
            &format!("/proc/{id}/task/{id}/stat"),
            format!("{id} ({name}) S {parent} {zeros}0 0\n").as_bytes(),
        );
        write(root.path(), &format!("/proc/{id}/task/{id}/status"), format!("Cpus_allowed_list:\t{cpus}\n").as_bytes());
    };
    put(20, "ksoftirqd/1", 2, "1");
    put(21, "kcompactd0", 2, "0-1");
    put(22, "a program", 900, "1");
    let bound = |root: &Path| {
        let checks = check::all_of(&Machine::under(root, 1));
        checks.into_iter().find(|check| check.name == "kernel threads").unwrap()
    };
    assert_eq!(bound(root.path()).verdict, CheckVerdict::Good);
    put(23, "irq/36-virtio1", 2, "1");
    let found = bound(root.path());
    assert_eq!(
        (found.verdict, found.value.as_str()),
        (CheckVerdict::Note, "/proc: bound to CPU 1: irq/36-virtio1 (23, ordinary)")
    );
}
