// SPDX-License-Identifier: MIT OR Apache-2.0
//! The carried scenarios, and how a name or a file stands for one or several scenarios.
#![cfg_attr(test, expect(clippy::disallowed_methods, reason = "its tests read and write files"))]
use super::scenario::{BadScenario, Scenario};
use backwall_model::units::near;
use backwall_os::regular_file;
use std::path::Path;

const MOST_BYTES: u64 = 1 << 20;

const SHIPPED: &[(&str, &str)] = &[
    ("bare-answer", include_str!("../../../lab/scenarios/bare-answer.toml")),
    ("bare-misbehave", include_str!("../../../lab/scenarios/bare-misbehave.toml")),
    ("bare-service", include_str!("../../../lab/scenarios/bare-service.toml")),
    ("bare-poisson", include_str!("../../../lab/scenarios/bare-poisson.toml")),
    ("bare-masked", include_str!("../../../lab/scenarios/bare-masked.toml")),
    ("bare-answer-arm64", include_str!("../../../lab/scenarios/bare-answer-arm64.toml")),
    ("bare-service-arm64", include_str!("../../../lab/scenarios/bare-service-arm64.toml")),
    ("bare-masked-arm64", include_str!("../../../lab/scenarios/bare-masked-arm64.toml")),
    ("bare-answer-riscv64", include_str!("../../../lab/scenarios/bare-answer-riscv64.toml")),
    ("bare-service-riscv64", include_str!("../../../lab/scenarios/bare-service-riscv64.toml")),
    ("linux-stock", include_str!("../../../lab/scenarios/linux-stock.toml")),
    ("linux-stock-polygons", include_str!("../../../lab/scenarios/linux-stock-polygons.toml")),
    ("linux-stock-heavy", include_str!("../../../lab/scenarios/linux-stock-heavy.toml")),
    ("linux-stock-timers", include_str!("../../../lab/scenarios/linux-stock-timers.toml")),
    ("linux-stock-sweep", include_str!("../../../lab/scenarios/linux-stock-sweep.toml")),
    ("linux-rt", include_str!("../../../lab/scenarios/linux-rt.toml")),
    ("linux-rt-polygons", include_str!("../../../lab/scenarios/linux-rt-polygons.toml")),
    ("linux-rt-heavy", include_str!("../../../lab/scenarios/linux-rt-heavy.toml")),
    ("linux-rt-timers", include_str!("../../../lab/scenarios/linux-rt-timers.toml")),
    ("linux-rt-sweep", include_str!("../../../lab/scenarios/linux-rt-sweep.toml")),
    ("linux-stock-iltiming", include_str!("../../../lab/scenarios/linux-stock-iltiming.toml")),
    ("linux-rt-iltiming", include_str!("../../../lab/scenarios/linux-rt-iltiming.toml")),
    ("linux-stock-6.12", include_str!("../../../lab/scenarios/linux-stock-6.12.toml")),
    ("linux-rt-6.12", include_str!("../../../lab/scenarios/linux-rt-6.12.toml")),
    ("linux-stock-arm64", include_str!("../../../lab/scenarios/linux-stock-arm64.toml")),
    ("linux-rt-arm64", include_str!("../../../lab/scenarios/linux-rt-arm64.toml")),
    ("linux-stock-arm64-polygons", include_str!("../../../lab/scenarios/linux-stock-arm64-polygons.toml")),
    ("linux-rt-arm64-polygons", include_str!("../../../lab/scenarios/linux-rt-arm64-polygons.toml")),
    ("linux-pci-x86-64", include_str!("../../../lab/scenarios/linux-pci-x86-64.toml")),
    ("linux-pci-x86-64-polygons", include_str!("../../../lab/scenarios/linux-pci-x86-64-polygons.toml")),
    ("linux-pci-arm64", include_str!("../../../lab/scenarios/linux-pci-arm64.toml")),
    ("linux-pci-arm64-polygons", include_str!("../../../lab/scenarios/linux-pci-arm64-polygons.toml")),
    ("linux-pci-riscv64", include_str!("../../../lab/scenarios/linux-pci-riscv64.toml")),
    ("linux-pci-riscv64-polygons", include_str!("../../../lab/scenarios/linux-pci-riscv64-polygons.toml")),
    ("detent", include_str!("../../../lab/scenarios/detent.toml")),
    ("detent-polygons", include_str!("../../../lab/scenarios/detent-polygons.toml")),
    ("detent-arm64", include_str!("../../../lab/scenarios/detent-arm64.toml")),
    ("detent-arm64-polygons", include_str!("../../../lab/scenarios/detent-arm64-polygons.toml")),
    ("detent-bench-arm64", include_str!("../../../lab/scenarios/detent-bench-arm64.toml")),
    ("detent-bench-arm64-polygons", include_str!("../../../lab/scenarios/detent-bench-arm64-polygons.toml")),
    ("detent-sweep", include_str!("../../../lab/scenarios/detent-sweep.toml")),
    ("detent-storm", include_str!("../../../lab/scenarios/detent-storm.toml")),
    ("detent-ce212", include_str!("../../../lab/scenarios/detent-ce212.toml")),
    ("detent-ce212-polygons", include_str!("../../../lab/scenarios/detent-ce212-polygons.toml")),
    ("detent-ce30", include_str!("../../../lab/scenarios/detent-ce30.toml")),
    ("detent-ce30-polygons", include_str!("../../../lab/scenarios/detent-ce30-polygons.toml")),
    ("detent-ce30-isr", include_str!("../../../lab/scenarios/detent-ce30-isr.toml")),
    ("detent-ce30-isr-polygons", include_str!("../../../lab/scenarios/detent-ce30-isr-polygons.toml")),
    ("detent-cenet", include_str!("../../../lab/scenarios/detent-cenet.toml")),
    ("detent-cenet-polygons", include_str!("../../../lab/scenarios/detent-cenet-polygons.toml")),
    ("detent-cenet-isr", include_str!("../../../lab/scenarios/detent-cenet-isr.toml")),
    ("detent-cenet-isr-polygons", include_str!("../../../lab/scenarios/detent-cenet-isr-polygons.toml")),
    ("detent-wakeup", include_str!("../../../lab/scenarios/detent-wakeup.toml")),
    ("detent-wakeup-polygons", include_str!("../../../lab/scenarios/detent-wakeup-polygons.toml")),
    ("detent-osbench", include_str!("../../../lab/scenarios/detent-osbench.toml")),
    ("detent-process-osbench", include_str!("../../../lab/scenarios/detent-process-osbench.toml")),
    ("detent-osbench-arm64", include_str!("../../../lab/scenarios/detent-osbench-arm64.toml")),
    ("detent-process-arm64", include_str!("../../../lab/scenarios/detent-process-arm64.toml")),
    ("detent-trail", include_str!("../../../lab/scenarios/detent-trail.toml")),
    ("linux-stock-trace", include_str!("../../../lab/scenarios/linux-stock-trace.toml")),
    ("linux-rt-trace", include_str!("../../../lab/scenarios/linux-rt-trace.toml")),
    ("detent-sieve", include_str!("../../../lab/scenarios/detent-sieve.toml")),
    ("linux-rt-osbench", include_str!("../../../lab/scenarios/linux-rt-osbench.toml")),
    ("detent-iltiming", include_str!("../../../lab/scenarios/detent-iltiming.toml")),
    ("detent-bench", include_str!("../../../lab/scenarios/detent-bench.toml")),
    ("detent-bench-polygons", include_str!("../../../lab/scenarios/detent-bench-polygons.toml")),
];

#[derive(Debug)]
pub struct Group {
    pub name: &'static str,
    pub about: &'static str,
    pub scenarios: &'static [&'static str],
    pub saturate: bool,
}

pub const GROUPS: &[Group] = &[
    Group {
        name: "paper",
        about: "The paper's bench: both kernels and Detent",
        scenarios: &[
            "linux-stock",
            "linux-stock-polygons",
            "linux-rt",
            "linux-rt-polygons",
            "detent",
            "detent-polygons",
        ],
        saturate: false,
    },
    Group {
        name: "preempt-rt",
        about: "What PREEMPT_RT changes: heavy loads, and timers",
        scenarios: &["linux-stock-heavy", "linux-rt-heavy", "linux-stock-timers", "linux-rt-timers"],
        saturate: false,
    },
    Group {
        name: "architectures",
        about: "Debian's kernels and Detent for x86-64 and arm64",
        scenarios: &[
            "linux-stock",
            "linux-stock-arm64",
            "linux-rt",
            "linux-rt-arm64",
            "detent-bench",
            "detent-bench-arm64",
        ],
        saturate: false,
    },
    Group {
        name: "one-device",
        about: "Debian 6.12 on three machines, one PCI device",
        scenarios: &[
            "linux-pci-x86-64",
            "linux-pci-arm64",
            "linux-pci-riscv64",
            "linux-pci-x86-64-polygons",
            "linux-pci-arm64-polygons",
            "linux-pci-riscv64-polygons",
        ],
        saturate: false,
    },
    Group {
        name: "kernels",
        about: "Debian's kernels, two series, stock and PREEMPT_RT",
        scenarios: &["linux-stock", "linux-stock-6.12", "linux-rt", "linux-rt-6.12"],
        saturate: false,
    },
    Group {
        name: "same-code",
        about: "The same C code on PREEMPT_RT and Detent",
        scenarios: &["linux-rt", "linux-rt-polygons", "detent-bench", "detent-bench-polygons"],
        saturate: false,
    },
    Group {
        name: "iltiming",
        about: "ILTiming's Table 1 on both kernels and Detent",
        scenarios: &["linux-stock-iltiming", "linux-rt-iltiming", "detent-iltiming"],
        saturate: false,
    },
    Group {
        name: "osbench",
        about: "Operations: PREEMPT_RT, Detent, Detent in user mode",
        scenarios: &["linux-rt-osbench", "detent-osbench", "detent-process-osbench"],
        saturate: false,
    },
    Group {
        name: "osbench-machines",
        about: "Operations of Detent, two machines",
        scenarios: &["detent-osbench", "detent-osbench-arm64", "detent-process-osbench", "detent-process-arm64"],
        saturate: false,
    },
    Group {
        name: "detent-profiles",
        about: "Figures 8, 11: Detent as three Windows CE versions",
        scenarios: &[
            "detent-ce212",
            "detent-ce212-polygons",
            "detent-ce30",
            "detent-ce30-polygons",
            "detent-ce30-isr",
            "detent-ce30-isr-polygons",
            "detent-cenet",
            "detent-cenet-polygons",
            "detent-cenet-isr",
            "detent-cenet-isr-polygons",
        ],
        saturate: true,
    },
];

/// All scenarios. A test checks them, so none of them is invalid.
pub fn all() -> impl Iterator<Item = Result<Scenario, BadScenario>> {
    SHIPPED.iter().map(|(name, text)| Scenario::parse(name, text))
}

pub fn text(name: &str) -> Option<&'static str> {
    SHIPPED.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

pub fn group(name: &str) -> Option<&'static Group> {
    GROUPS.iter().find(|group| group.name == name)
}

/// The shipped scenario with this name, those of the group with this name, or the scenario in the file with this name.
pub fn find(name_or_file: &str) -> Result<Vec<Scenario>, BadScenario> {
    match group(name_or_file) {
        Some(group) => group.scenarios.iter().map(|name| find_one(name)).collect(),
        None => find_one(name_or_file).map(|scenario| vec![scenario]),
    }
}

pub fn find_only(name_or_file: &str) -> Result<Scenario, BadScenario> {
    let Some(group) = group(name_or_file) else { return find_one(name_or_file) };
    let fault = format!("a group of {}; name one scenario: {}", group.scenarios.len(), group.scenarios.join(" or "));
    Err(BadScenario { name: name_or_file.to_string(), fault })
}

fn find_one(name_or_file: &str) -> Result<Scenario, BadScenario> {
    if let Some((name, text)) = SHIPPED.iter().find(|(name, _)| *name == name_or_file) {
        return Scenario::parse(name, text);
    }
    let bad = |fault: String| BadScenario { name: name_or_file.to_string(), fault };
    let path = Path::new(name_or_file);
    if path.extension().is_none_or(|extension| extension != "toml") {
        let known = SHIPPED.iter().map(|(name, _)| *name).chain(GROUPS.iter().map(|group| group.name));
        let hint = near::hint(name_or_file, known);
        return Err(bad(format!(
            "unknown scenario; `backwall lab list` prints the names, and a file must end in \
            .toml{hint}"
        )));
    }
    let text = text_of(path).map_err(|error| bad(error.to_string()))?;
    Scenario::parse(name_or_file, &text).map(|scenario| named_after(scenario, path))
}

/// The text of a user's file.
///
/// # Errors
/// When it cannot be read, or is longer than any scenario.
pub fn text_of(path: &Path) -> std::io::Result<String> {
    regular_file::text(path, MOST_BYTES)
}

fn named_after(scenario: Scenario, path: &Path) -> Scenario {
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    Scenario { name, ..scenario }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guest::{self, Preparing};
    use backwall_os::Stop;

    #[test]
    fn every_shipped_scenario_is_sound_and_names_a_guest_that_exists() {
        for scenario in all() {
            let scenario = scenario.unwrap();
            guest::kind_for(&scenario).unwrap();
            for rule in &scenario.expect {
                rule.parse::<backwall_judge::require::Rule>().unwrap();
            }
        }
    }

    #[test]
    fn every_shipped_load_is_one_that_its_guest_takes() {
        let folder = tempfile::tempdir().unwrap();
        for scenario in all().map(Result::unwrap).filter(|scenario| !scenario.guest.starts_with("linux:")) {
            let (kind, rest) = guest::kind_for(&scenario).unwrap();
            let machine = (kind.prepare)(rest, &scenario, &Preparing { folder: folder.path(), stop: &Stop::default() });
            let absent = matches!(machine, Err(guest::BadGuest::Unable(_)));
            assert!(
                machine.is_ok() || absent && scenario.machine.bare.is_empty(),
                "{}: {:?}",
                scenario.name,
                machine.err().map(|fault| fault.to_string())
            );
        }
    }

    #[test]
    fn every_file_of_a_scenario_is_shipped() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lab/scenarios");
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        for file in files.filter(|file| file.extension().is_some_and(|extension| extension == "toml")) {
            let name = file.file_stem().unwrap().to_str().unwrap();
            assert!(SHIPPED.iter().any(|(shipped, _)| *shipped == name), "{name}");
        }
    }

    #[test]
    fn a_group_is_made_of_shipped_scenarios_and_hides_none() {
        for group in GROUPS {
            assert_eq!(find(group.name).unwrap().len(), group.scenarios.len());
            assert!(!SHIPPED.iter().any(|(name, _)| *name == group.name), "{}", group.name);
        }
    }

    #[test]
    fn a_name_that_is_neither_shipped_nor_a_file_is_refused() {
        assert!(find("nothing").unwrap_err().to_string().contains("lab list"));
        assert!(find("/nonexistent/x.toml").unwrap_err().to_string().contains("No such file"));
    }
}
