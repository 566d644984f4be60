// SPDX-License-Identifier: MIT OR Apache-2.0
//! Boards with a device tree: nothing that belongs to the CPU counts as movable, and board-only facts are read.
use super::{machine, reading, write};
use backwall_model::CheckVerdict;
use backwall_tuning::check::{self, Machine};

const CPUINFO: (&str, &str) = ("/proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd08\n");
const KIND: (&str, &str) = ("/proc/device-tree/compatible", "raspberrypi,4-model-b\0brcm,bcm2711\0");
const MODEL: (&str, &str) = ("/proc/device-tree/model", "Raspberry Pi 4 Model B Rev 1.4\0");

const INTERRUPTS: &str = "           CPU0       CPU1
 11:      28072      30860     GICv2  27 Level     arch_timer
 14:          5          9     GICv2  65 Level     fe00b880.mailbox
 21:          0          3     GICv2  23 Level     arm-pmu
 50:          0         77  pinctrl-bcm2835  17 Edge      button
 51:          9          0   9030000.pl061   3 Edge      ACPI:Event
IPI0:       120        300       Rescheduling interrupts
";

fn board<'a>(more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    [&[CPUINFO, KIND, MODEL, ("/sys/devices/system/cpu/online", "0-1")], more].concat()
}

#[test]
fn a_board_is_named_with_its_interrupt_controller_and_its_processors() {
    let gic = "/proc/device-tree/soc/interrupt-controller@40041000";
    let (takes, is) = (format!("{gic}/interrupt-controller"), format!("{gic}/compatible"));
    let found = reading("board", &board(&[(&takes, ""), (&is, "arm,gic-400\0")]));
    let name = "/proc/device-tree: Raspberry Pi 4 Model B Rev 1.4 (raspberrypi,4-model-b)";
    assert_eq!(found.value, format!("{name}, interrupts by GICv2 (GIC-400), Arm Cortex-A72"));
    assert_eq!(found.verdict, CheckVerdict::Note);
    let bare = reading("board", &board(&[]));
    assert_eq!(bare.value, format!("{name}, no interrupt controller that backwall knows, Arm Cortex-A72"));
    let v3 = reading(
        "board",
        &board(&[
            ("/proc/device-tree/intc@8000000/compatible", "arm,gic-v3\0"),
            ("/proc/device-tree/intc@8000000/interrupt-controller", ""),
        ]),
    );
    assert!(v3.value.contains("interrupts by GICv3,"), "{}", v3.value);
}

#[test]
fn what_only_a_board_has_is_not_read_of_a_pc() {
    let (_root, pc) = machine(&[("/proc/cpuinfo", "flags : tsc\n")]);
    let names: Vec<String> = check::all_of(&pc).into_iter().map(|check| check.name).collect();
    assert!(
        !names.iter().any(|name| ["board", "thermal", "frequency limits", "GPIO interrupts"].contains(&name.as_str()))
    );
}

#[test]
fn interrupts_of_the_processor_itself_are_never_to_be_moved() {
    let later = INTERRUPTS.replace("30860", "31000").replace("300 ", "310 ");
    let seen =
        reading("interrupts seen", &board(&[("/proc/interrupts", INTERRUPTS), ("/later/proc/interrupts", &later)]));
    assert_eq!(seen.value, "/proc/interrupts: during this check, on CPU 1: arch_timer 140, IPI0 10");
    assert_eq!((seen.verdict, seen.fix.as_str()), (CheckVerdict::Good, ""));
    let allowed = reading("interrupts", &board(&[("/proc/interrupts", INTERRUPTS)]));
    assert_eq!(allowed.value, "/proc/irq/*/effective_affinity_list: 2 of 3 lines on CPU 1");
    let hart = "           CPU0       CPU1\n  5:       10       20  RISC-V INTC   5 Edge      riscv-timer\n";
    let timer = reading(
        "interrupts seen",
        &board(&[("/proc/interrupts", hart), ("/later/proc/interrupts", &hart.replace("20 ", "30 "))]),
    );
    assert_eq!(timer.verdict, CheckVerdict::Good);
}

#[test]
fn a_line_of_a_gpio_controller_is_not_said_to_be_movable_alone() {
    let later = INTERRUPTS.replace(" 77 ", " 78 ");
    let seen =
        reading("interrupts seen", &board(&[("/proc/interrupts", INTERRUPTS), ("/later/proc/interrupts", &later)]));
    assert_eq!(seen.verdict, CheckVerdict::Bad);
    assert!(seen.fix.starts_with("a GPIO controller's lines follow the controller's interrupt"), "{}", seen.fix);
}

#[test]
fn the_threads_of_gpio_lines_are_named_with_their_priority() {
    let root = tempfile::tempdir().unwrap();
    let files = board(&[("/proc/interrupts", INTERRUPTS), ("/proc/stat", "cpu  1 2 3 4 5 6 7 8\n")]);
    files.iter().for_each(|(path, text)| write(root.path(), path, text.as_bytes()));
    let of = || {
        check::all_of(&Machine::under(root.path(), 1))
            .into_iter()
            .find(|check| check.name == "GPIO interrupts")
            .unwrap()
    };
    assert_eq!(of().value, "/proc/interrupts: 2 lines of GPIO, answered without a thread");
    // Fields 40 and 41 of a thread's row are its real-time priority and its policy.
    for (id, name, priority) in [(812, "irq/50-button", 50), (813, "irq/14-mailbox", 50)] {
        let row = format!("{id} ({name}) S 2 {}{priority} 1 0 0\n", "0 ".repeat(35));
        write(root.path(), &format!("/proc/{id}/task/{id}/stat"), row.as_bytes());
    }
    let found = of();
    assert_eq!(found.value, "/proc: irq/50-button (812, real-time 50)");
    assert!(found.fix.ends_with("chrt -f -p 90 812"), "{}", found.fix);
    assert_eq!(
        reading("GPIO interrupts", &board(&[("/proc/interrupts", "  CPU0 CPU1\n")])).verdict,
        CheckVerdict::Good
    );
}

#[test]
fn a_hot_board_is_judged_by_what_it_has_left() {
    let zone = |name: &str| format!("/sys/class/thermal/thermal_zone0/{name}");
    let of = |temperature: &str, state: &str| {
        let found = reading(
            "thermal",
            &board(&[
                (&zone("type"), "cpu-thermal"),
                (&zone("temp"), temperature),
                (&zone("trip_point_0_type"), "passive"),
                (&zone("trip_point_0_temp"), "80000"),
                (&zone("trip_point_1_type"), "active"),
                (&zone("trip_point_1_temp"), "50000"),
                ("/sys/class/thermal/cooling_device0/type", "cpufreq-cpu0"),
                ("/sys/class/thermal/cooling_device0/cur_state", state),
            ]),
        );
        (found.verdict, found.value)
    };
    let shown =
        |degrees: &str, more: &str| format!("/sys/class/thermal: cpu-thermal {degrees} degrees, slowed at 80.0{more}");
    assert_eq!(of("48200", "0"), (CheckVerdict::Good, shown("48.2", "")));
    assert_eq!(of("72500", "0"), (CheckVerdict::Note, shown("72.5", "")));
    assert_eq!(of("80000", "0"), (CheckVerdict::Bad, shown("80.0", "")));
    assert_eq!(of("60000", "2"), (CheckVerdict::Bad, shown("60.0", "; slowed down by cpufreq-cpu0, step 2")));
    assert_eq!(reading("thermal", &board(&[])).value, "/sys/class/thermal: no zone that can be read");
}

#[test]
fn what_holds_the_frequency_down_is_told() {
    let file = |name: &str| format!("/sys/devices/system/cpu/cpu1/cpufreq/{name}");
    let of = |allowed: &str, firmware: &[(&str, &str)]| {
        let (allowed_file, highest_file) = (file("scaling_max_freq"), file("cpuinfo_max_freq"));
        let files = [&[(allowed_file.as_str(), allowed), (highest_file.as_str(), "1800000")], firmware].concat();
        let found = reading("frequency limits", &board(&files));
        (found.verdict, found.value)
    };
    let throttled = "/sys/devices/platform/soc/soc:firmware/get_throttled";
    assert_eq!(
        of("1800000", &[]),
        (CheckVerdict::Good, format!("{}: 1800 MHz, its highest", file("scaling_max_freq")))
    );
    assert_eq!(of("1500000", &[]), (CheckVerdict::Note, format!("{}: 1500 of 1800 MHz", file("scaling_max_freq"))));
    assert_eq!(of("1800000", &[(throttled, "0")]).0, CheckVerdict::Good);
    let now = format!("{throttled}: voltage too low, throttled");
    assert_eq!(of("1800000", &[(throttled, "50005")]), (CheckVerdict::Bad, now));
    let before = format!("{throttled}: since boot voltage too low");
    assert_eq!(of("1800000", &[(throttled, "10000")]), (CheckVerdict::Note, before));
    assert_eq!(of("1800000", &[(throttled, "what")]).0, CheckVerdict::Unknown);
}

#[test]
fn a_hypervisor_is_told_without_a_flag_and_never_denied_without_evidence() {
    let of = |files: &[(&str, &str)]| {
        let found = reading("hypervisor", files);
        (found.verdict, found.value)
    };
    let virt = [CPUINFO, ("/proc/device-tree/compatible", "linux,dummy-virt\0")];
    assert_eq!(of(&virt), (CheckVerdict::Note, "/proc/device-tree/compatible: linux,dummy-virt".to_string()));
    assert!(check::is_virtual(&machine(&virt).1));
    let silent = (CheckVerdict::Note, "/proc/cpuinfo: this kind of CPU has no flag for it".to_string());
    assert_eq!(of(&board(&[])), silent);
    assert!(!check::is_virtual(&machine(&board(&[])).1));
    assert_eq!(of(&[("/proc/cpuinfo", "flags : tsc\n")]).0, CheckVerdict::Good);
}

#[test]
fn a_kernel_with_one_model_for_good_is_asked_for_its_configuration_alone() {
    let version = |text| ("/proc/version", text);
    let none = reading("preemption", &board(&[version("Linux version 6.1.0-31-arm64 #1 SMP Debian 6.1.128-1")]));
    assert_eq!(none.verdict, CheckVerdict::Unknown);
    assert_eq!(none.fix, "put the kernel's configuration into /boot, or load it\nmodprobe configs");
    let full = reading("preemption", &board(&[version("Linux version 6.6.31+rpt-rpi-v8 #1 SMP PREEMPT Debian")]));
    assert_eq!((full.verdict, full.value.as_str()), (CheckVerdict::Note, "/proc/version: full"));
    assert!(full.fix.ends_with("(Debian: linux-image-rt-arm64)"), "{}", full.fix);
}

#[test]
fn an_emulated_board_is_told_once_by_its_name_and_of_nothing_that_it_has_not() {
    let name = "linux,dummy-virt\0";
    let files = [
        ("/proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd07\n"),
        ("/proc/device-tree/model", name),
        ("/proc/device-tree/compatible", name),
        ("/proc/device-tree/intc@8000000/compatible", "arm,gic-v3\0"),
        ("/proc/device-tree/intc@8000000/interrupt-controller", ""),
    ];
    let of = |name: &str| {
        let found = reading(name, &files);
        (found.verdict, found.value)
    };
    let board = "/proc/device-tree: linux,dummy-virt, interrupts by GICv3, Arm Cortex-A57".to_string();
    assert_eq!(of("board"), (CheckVerdict::Note, board));
    let folder = "/sys/devices/system/cpu/cpu1/cpufreq: no such folder".to_string();
    assert_eq!(of("frequency limits"), (CheckVerdict::Note, folder));
    let none = "/proc/cpuinfo: no such interrupts on this kind of CPU".to_string();
    assert_eq!(of("SMI"), (CheckVerdict::Note, none));
}

#[test]
fn the_timer_s_line_stands_for_the_vector_where_there_are_no_vectors() {
    let events = [
        "timer/hrtimer_start",
        "timer/hrtimer_expire_entry",
        "sched/sched_waking",
        "sched/sched_switch",
        "syscalls/sys_exit_clock_nanosleep",
        "irq/irq_handler_entry",
    ];
    let paths: Vec<String> = events.iter().map(|event| format!("/sys/kernel/tracing/events/{event}/id")).collect();
    let files: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), "1")).collect();
    let found = reading("trace events", &files);
    assert_eq!(found.value, "/sys/kernel/tracing/events: 6 of 6 of the stages' events");
}
