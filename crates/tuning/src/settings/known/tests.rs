// SPDX-License-Identifier: MIT OR Apache-2.0
#![expect(clippy::disallowed_methods, reason = "reads and writes files")]
use super::*;
use crate::settings::machine::Machine;
use std::collections::BTreeSet;
use std::path::Path;

// A machine with every file that a setting looks at, set as distributions set it, and processor 1 of 0 to 3 measured.
pub(crate) const FILES: [(&str, &str); 32] = [
    ("/sys/devices/system/cpu/online", "0-3"),
    ("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave"),
    ("/sys/devices/system/cpu/cpu1/cpufreq/scaling_min_freq", "800000"),
    ("/sys/devices/system/cpu/cpu1/cpufreq/scaling_max_freq", "3000000"),
    ("/sys/devices/system/cpu/cpu1/cpufreq/energy_performance_preference", "balance_power"),
    ("/sys/devices/system/cpu/cpu1/cpufreq/cpuinfo_max_freq", "4000000"),
    ("/sys/devices/system/cpu/cpu1/cpuidle/state0/latency", "0"),
    ("/sys/devices/system/cpu/cpu1/cpuidle/state0/disable", "0"),
    ("/sys/devices/system/cpu/cpu1/cpuidle/state2/latency", "133"),
    ("/sys/devices/system/cpu/cpu1/cpuidle/state2/disable", "0"),
    ("/proc/irq/default_smp_affinity", "f"),
    ("/proc/irq/9/effective_affinity_list", "1"),
    ("/proc/irq/9/smp_affinity_list", "0-3"),
    ("/proc/irq/9/acpi/x", ""),
    ("/proc/irq/10/effective_affinity_list", "0"),
    ("/proc/irq/10/smp_affinity_list", "0-3"),
    ("/proc/irq/10/disk/x", ""),
    ("/proc/sys/kernel/sched_rt_runtime_us", "950000"),
    ("/sys/devices/virtual/workqueue/cpumask", "f"),
    ("/sys/kernel/rcu_normal", "0"),
    ("/proc/sys/kernel/timer_migration", "1"),
    ("/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never"),
    ("/sys/kernel/mm/transparent_hugepage/khugepaged/defrag", "1"),
    ("/proc/sys/vm/compaction_proactiveness", "20"),
    ("/proc/sys/vm/swappiness", "60"),
    ("/proc/swaps", "Filename Type\n/dev/sda2 partition\n"),
    ("/sys/kernel/mm/ksm/run", "1"),
    ("/proc/sys/kernel/numa_balancing", "1"),
    ("/proc/sys/vm/stat_interval", "1"),
    ("/proc/sys/kernel/watchdog", "1"),
    ("/proc/sys/vm/dirty_writeback_centisecs", "500"),
    ("/proc/self/cgroup", "0::/user.slice/robot.service\n"),
];

pub(crate) fn machine(root: &Path, files: &[(&str, &str)]) -> Machine {
    for (file, text) in files {
        let place = root.join(file.trim_start_matches('/'));
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(place, format!("{text}\n")).unwrap();
    }
    Machine::under(root, 1)
}

fn wanted(machine: &Machine) -> Vec<String> {
    let changes = |setting: &Setting| setting.changes(machine);
    let told = |change: crate::settings::Change| format!("{} {} -> {}", change.place, change.before, change.wanted);
    ALL.iter().flat_map(|setting| changes(setting).into_iter().map(told).collect::<Vec<_>>()).collect()
}

#[test]
fn every_setting_says_what_it_would_write_where() {
    let folder = tempfile::tempdir().unwrap();
    let machine = machine(folder.path(), &FILES);
    std::fs::create_dir_all(machine.place("/sys/fs/cgroup/user.slice/robot.service")).unwrap();
    std::fs::write(machine.place("/sys/fs/cgroup/user.slice/cpu.max"), "50000 100000\n").unwrap();
    std::fs::write(machine.place("/sys/fs/cgroup/user.slice/robot.service/cpu.max"), "max 100000\n").unwrap();
    std::fs::write(machine.place("/sys/fs/cgroup/user.slice/cpuset.cpus"), "0,3\n").unwrap();
    std::fs::write(machine.place("/sys/fs/cgroup/user.slice/robot.service/cpuset.cpus"), "\n").unwrap();
    assert_eq!(
        wanted(&machine),
        [
            "/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor powersave -> performance",
            "/sys/devices/system/cpu/cpu1/cpufreq/scaling_max_freq 3000000 -> 4000000",
            "/sys/devices/system/cpu/cpu1/cpufreq/scaling_min_freq 800000 -> 4000000",
            "/sys/devices/system/cpu/cpu1/cpufreq/energy_performance_preference balance_power -> performance",
            "/sys/devices/system/cpu/cpu1/cpuidle/state2/disable 0 -> 1",
            "/proc/irq/9/smp_affinity_list 0-3 -> 0,2-3",
            "/proc/irq/default_smp_affinity f -> d",
            "/proc/sys/kernel/sched_rt_runtime_us 950000 -> -1",
            "/sys/fs/cgroup/user.slice/cpu.max 50000 100000 -> max 100000",
            "/sys/fs/cgroup/user.slice/cpuset.cpus 0,3 -> 0-1,3",
            "/sys/devices/virtual/workqueue/cpumask f -> d",
            "/sys/kernel/rcu_normal 0 -> 1",
            "/proc/sys/kernel/timer_migration 1 -> 0",
            "/sys/kernel/mm/transparent_hugepage/enabled always -> madvise",
            "/sys/kernel/mm/transparent_hugepage/khugepaged/defrag 1 -> 0",
            "/proc/sys/vm/compaction_proactiveness 20 -> 0",
            "/proc/sys/vm/swappiness 60 -> 1",
            "/sys/kernel/mm/ksm/run 1 -> 0",
            "/proc/sys/kernel/numa_balancing 1 -> 0",
            "/proc/sys/vm/stat_interval 1 -> 120",
            "/proc/sys/kernel/watchdog 1 -> 0",
            "/proc/sys/vm/dirty_writeback_centisecs 500 -> 6000",
        ]
    );
}

#[test]
fn what_is_set_already_or_is_not_there_is_no_change() {
    let folder = tempfile::tempdir().unwrap();
    let machine = machine(folder.path(), &FILES);
    for setting in &ALL {
        for change in setting.changes(&machine) {
            change.place.write(&machine, &change.wanted).unwrap();
        }
    }
    // A real kernel updates this file after the write; these are plain files, so the test does it.
    std::fs::write(machine.place("/proc/irq/9/effective_affinity_list"), "0\n").unwrap();
    assert!(wanted(&machine).is_empty(), "{:?}", wanted(&machine));
    let empty = tempfile::tempdir().unwrap();
    assert!(wanted(&Machine::under(empty.path(), 0)).is_empty());
}

#[test]
fn with_a_fair_server_throttling_is_no_setting_and_the_server_is() {
    let folder = tempfile::tempdir().unwrap();
    let server = ("/sys/kernel/debug/sched/fair_server/cpu1/runtime", "50000000");
    let machine = machine(folder.path(), &[("/proc/sys/kernel/sched_rt_runtime_us", "950000"), server]);
    let [account, server] = [
        "/proc/sys/kernel/sched_rt_runtime_us 950000 -> -1",
        "/sys/kernel/debug/sched/fair_server/cpu1/runtime 50000000 -> 0",
    ];
    assert_eq!(wanted(&machine), [account, server], "the account of what was promised comes first");
    std::fs::write(machine.place("/proc/sys/kernel/sched_rt_runtime_us"), "-1\n").unwrap();
    assert_eq!(wanted(&machine), [server]);
}

#[test]
fn names_are_words_of_a_command_line_and_each_stands_for_one_setting() {
    let names: BTreeSet<&str> = ALL.iter().map(|setting| setting.name).collect();
    assert_eq!(names.len(), ALL.len());
    for setting in &ALL {
        assert!(setting.name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-'), "{}", setting.name);
        assert_eq!(named(setting.name).unwrap().name, setting.name);
        assert!(!setting.does.is_empty() && !setting.harm.is_empty());
    }
    assert!(named("none").is_none());
}

#[test]
fn the_document_lists_every_setting_with_its_sentence() {
    let document = include_str!("../../../../../docs/reference/settings.md");
    let rows: Vec<String> = ALL.iter().map(|setting| format!("| `{}` | {} |", setting.name, setting.does)).collect();
    assert!(document.contains(&rows.join("\n")), "docs/reference/settings.md should have:\n{}", rows.join("\n"));
}

// The kernel refuses the write, so none is planned.
#[test]
fn a_processor_s_own_interrupt_and_a_gpio_line_stay_where_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let machine = machine(
        folder.path(),
        &[
            ("/sys/devices/system/cpu/online", "0-3"),
            ("/proc/irq/11/smp_affinity_list", "0-3"),
            ("/proc/irq/11/arch_timer/x", ""),
            ("/sys/kernel/irq/11/chip_name", "GICv3"),
            ("/sys/kernel/irq/11/hwirq", "27"),
            ("/proc/irq/50/smp_affinity_list", "0-3"),
            ("/proc/irq/50/button/x", ""),
            ("/sys/kernel/irq/50/chip_name", "pinctrl-bcm2835"),
            ("/sys/kernel/irq/50/hwirq", "17"),
            ("/proc/irq/14/smp_affinity_list", "0-3"),
            ("/proc/irq/14/mailbox/x", ""),
            ("/sys/kernel/irq/14/chip_name", "GICv3"),
            ("/sys/kernel/irq/14/hwirq", "65"),
        ],
    );
    assert_eq!(wanted(&machine), ["/proc/irq/14/smp_affinity_list 0-3 -> 0,2-3"]);
}
