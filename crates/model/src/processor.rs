// SPDX-License-Identifier: MIT OR Apache-2.0
//! The CPU's name, from what the CPU reports.
//!
//! On a PC it is in `/proc/cpuinfo`. An Arm core reports its implementer and part as numbers (MIDR_EL1), whose names are in the
//! makers' manuals. A board may have several kinds of cores.
use std::collections::BTreeSet;

/// Probe key with the part numbers of a CPU that reports no name: `0x41:0xd03 0x41:0xd08`.
pub const PARTS: &str = "cpu_parts";
/// Probe key of the board: the model in its device tree.
pub const BOARD: &str = "board";

const MAKERS: [(u32, &str); 12] = [
    (0x41, "Arm"),
    (0x42, "Broadcom"),
    (0x43, "Cavium"),
    (0x46, "Fujitsu"),
    (0x48, "HiSilicon"),
    (0x4e, "NVIDIA"),
    (0x51, "Qualcomm"),
    (0x53, "Samsung"),
    (0x56, "Marvell"),
    (0x61, "Apple"),
    (0x6d, "Microsoft"),
    (0xc0, "Ampere"),
];

const PARTS_OF: [(u32, u32, &str); 52] = [
    (0x41, 0xb76, "ARM1176"),
    (0x41, 0xc05, "Cortex-A5"),
    (0x41, 0xc07, "Cortex-A7"),
    (0x41, 0xc08, "Cortex-A8"),
    (0x41, 0xc09, "Cortex-A9"),
    (0x41, 0xc0e, "Cortex-A17"),
    (0x41, 0xc0f, "Cortex-A15"),
    (0x41, 0xd01, "Cortex-A32"),
    (0x41, 0xd03, "Cortex-A53"),
    (0x41, 0xd04, "Cortex-A35"),
    (0x41, 0xd05, "Cortex-A55"),
    (0x41, 0xd06, "Cortex-A65"),
    (0x41, 0xd07, "Cortex-A57"),
    (0x41, 0xd08, "Cortex-A72"),
    (0x41, 0xd09, "Cortex-A73"),
    (0x41, 0xd0a, "Cortex-A75"),
    (0x41, 0xd0b, "Cortex-A76"),
    (0x41, 0xd0c, "Neoverse-N1"),
    (0x41, 0xd0d, "Cortex-A77"),
    (0x41, 0xd0e, "Cortex-A76AE"),
    (0x41, 0xd15, "Cortex-R82"),
    (0x41, 0xd40, "Neoverse-V1"),
    (0x41, 0xd41, "Cortex-A78"),
    (0x41, 0xd42, "Cortex-A78AE"),
    (0x41, 0xd43, "Cortex-A65AE"),
    (0x41, 0xd44, "Cortex-X1"),
    (0x41, 0xd46, "Cortex-A510"),
    (0x41, 0xd47, "Cortex-A710"),
    (0x41, 0xd48, "Cortex-X2"),
    (0x41, 0xd49, "Neoverse-N2"),
    (0x41, 0xd4a, "Neoverse-E1"),
    (0x41, 0xd4b, "Cortex-A78C"),
    (0x41, 0xd4d, "Cortex-A715"),
    (0x41, 0xd4e, "Cortex-X3"),
    (0x41, 0xd4f, "Neoverse-V2"),
    (0x41, 0xd80, "Cortex-A520"),
    (0x41, 0xd81, "Cortex-A720"),
    (0x41, 0xd82, "Cortex-X4"),
    (0x41, 0xd84, "Neoverse-V3"),
    (0x41, 0xd85, "Cortex-X925"),
    (0x41, 0xd87, "Cortex-A725"),
    (0x43, 0x0a1, "ThunderX"),
    (0x43, 0x0af, "ThunderX2"),
    (0x46, 0x001, "A64FX"),
    (0x48, 0xd01, "TaiShan-v110"),
    (0x4e, 0x000, "Denver"),
    (0x4e, 0x003, "Denver 2"),
    (0x4e, 0x004, "Carmel"),
    (0x61, 0x022, "Icestorm (M1)"),
    (0x61, 0x023, "Firestorm (M1)"),
    (0xc0, 0xac3, "Ampere-1"),
    (0xc0, 0xac4, "Ampere-1a"),
];

/// The CPU name in `/proc/cpuinfo`; `None` if it has none.
pub fn of_cpuinfo(text: &str) -> Option<String> {
    let all = |name: &'static str| text.lines().filter_map(move |row| value(row, name));
    let parts: BTreeSet<String> =
        all("CPU implementer").zip(all("CPU part")).map(|(maker, part)| format!("{maker}:{part}")).collect();
    let parts: Vec<String> = parts.into_iter().collect();
    let said = || all("model name").chain(all("uarch")).next().map(str::to_string);
    of_parts(&parts.join(" ")).or_else(said)
}

fn value<'a>(row: &'a str, name: &str) -> Option<&'a str> {
    let (key, value) = row.split_once(':')?;
    (key.trim() == name).then(|| value.trim()).filter(|value| !value.is_empty())
}

/// Names of CPU cores from their part numbers. An unknown core keeps its numbers. `None` without part numbers.
pub fn of_parts(parts: &str) -> Option<String> {
    let names: BTreeSet<String> = parts.split_whitespace().map(named).collect();
    let names: Vec<String> = names.into_iter().collect();
    (!names.is_empty()).then(|| names.join(" and "))
}

fn named(numbers: &str) -> String {
    let number = |text: &str| u32::from_str_radix(text.trim_start_matches("0x"), 16).ok();
    let known = numbers.split_once(':').and_then(|(maker, part)| Some((number(maker)?, number(part)?)));
    let Some((maker, part)) = known else { return format!("CPU {numbers}") };
    let Some((_, made)) = MAKERS.iter().find(|(number, _)| *number == maker) else {
        return format!("CPU of implementer {maker:#04x}, part {part:#05x}");
    };
    match PARTS_OF.iter().find(|(by, number, _)| (*by, *number) == (maker, part)) {
        Some((_, _, name)) => format!("{made} {name}"),
        None => format!("{made} CPU, part {part:#05x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arm_s_processors_are_named_by_who_made_them_and_which_part_they_are() {
        assert_eq!(of_parts("0x41:0xd08").as_deref(), Some("Arm Cortex-A72"));
        assert_eq!(of_parts("0x41:0xd05 0x41:0xd0b 0x41:0xd05").as_deref(), Some("Arm Cortex-A55 and Arm Cortex-A76"));
        assert_eq!(of_parts("0x41:0xfff").as_deref(), Some("Arm CPU, part 0xfff"));
        assert_eq!(of_parts("0x00:0x051").as_deref(), Some("CPU of implementer 0x00, part 0x051"));
        assert_eq!(of_parts("nonsense").as_deref(), Some("CPU nonsense"));
        assert_eq!(of_parts(" "), None);
    }

    #[test]
    fn a_name_is_taken_where_the_processor_says_one() {
        let arm = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd03\n\nprocessor\t: 1\nCPU implementer\t: 0x41\nCPU part\t: 0xd03\n";
        assert_eq!(of_cpuinfo(arm).as_deref(), Some("Arm Cortex-A53"));
        assert_eq!(of_cpuinfo("model name\t: AMD EPYC\n").as_deref(), Some("AMD EPYC"));
        assert_eq!(of_cpuinfo("isa\t: rv64imafdc\nuarch\t: sifive,u74-mc\n").as_deref(), Some("sifive,u74-mc"));
        assert_eq!(of_cpuinfo("processor\t: 0\n"), None);
    }

    #[test]
    fn each_part_is_of_a_maker_that_has_a_name_and_stands_once() {
        for (place, (maker, part, _)) in PARTS_OF.iter().enumerate() {
            assert!(MAKERS.iter().any(|(number, _)| number == maker));
            assert!(!PARTS_OF[..place].iter().any(|(by, number, _)| (by, number) == (maker, part)));
        }
    }
}
