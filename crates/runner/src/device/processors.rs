// SPDX-License-Identifier: MIT OR Apache-2.0
//! `--cpu`: the CPUs that a user names, and the default.
//!
//! The affinity inherited from the shell says where programs start, not where they may go: with `isolcpus` it excludes exactly
//! the CPUs to measure. So a CPU named here is used even if it is not in that affinity, unless the kernel refuses.
#![expect(clippy::disallowed_methods, reason = "reads and writes files")]
use backwall_os::affinity;
use backwall_os::refusal::unable;
use std::str::FromStr;

const ONLINE: &str = "/sys/devices/system/cpu/online";
const ISOLATED: &str = "/sys/devices/system/cpu/isolated";
const HIGHEST: u32 = 4_095;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Processors {
    /// CPU numbers in the order typed, without duplicates.
    These(Vec<u32>),
    All,
    Isolated,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "{text:?} names no CPUs; expected numbers and ranges joined by commas, all, or isolated (for example 2-5 or 0,3)"
)]
pub struct BadProcessors {
    text: String,
}

impl FromStr for Processors {
    type Err = BadProcessors;

    fn from_str(text: &str) -> Result<Self, BadProcessors> {
        match text {
            "all" => Ok(Self::All),
            "isolated" => Ok(Self::Isolated),
            list => read_list(list).map(Self::These).ok_or_else(|| BadProcessors { text: text.to_string() }),
        }
    }
}

/// Parses a list such as `0-2,5`, the format of users and of the kernel; `None` for anything else, including an empty list.
fn read_list(text: &str) -> Option<Vec<u32>> {
    let mut cpus = Vec::new();
    for range in text.trim().split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (number(first)?, number(last)?);
        if first > last || last > HIGHEST {
            return None;
        }
        (first..=last).for_each(|cpu| {
            if !cpus.contains(&cpu) {
                cpus.push(cpu)
            }
        });
    }
    Some(cpus)
}

pub(crate) fn number(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CpuChoice {
    /// The chosen CPUs, at least one.
    pub cpus: Vec<u32>,
    pub because: Option<String>,
}

/// The requested CPUs. Default: an isolated CPU if there is one, otherwise the last allowed one.
pub fn choose(asked: Option<&Processors>) -> backwall_os::refusal::Result<CpuChoice> {
    let named = |cpus| Ok(CpuChoice { cpus, because: None });
    match asked {
        Some(Processors::These(cpus)) => named(cpus.clone()),
        Some(Processors::All) => named(granted(ONLINE)),
        Some(Processors::Isolated) => match granted(ISOLATED) {
            none if none.is_empty() => Err(unable(
                "--cpu isolated: this process may use no isolated CPU; boot with isolcpus=N, or name one with --cpu N",
            )),
            cpus => named(cpus),
        },
        None => Ok(usual(&granted(ISOLATED), &affinity::allowed())),
    }
}

pub fn choose_one(asked: Option<u32>) -> backwall_os::refusal::Result<CpuChoice> {
    choose(asked.map(|cpu| Processors::These(vec![cpu])).as_ref())
}

fn usual(isolated: &[u32], allowed: &[u32]) -> CpuChoice {
    match isolated.first() {
        Some(cpu) => {
            let list = isolated.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
            let because = format!("measuring CPU {cpu}, which is isolated ({list}); --cpu chooses another");
            CpuChoice { cpus: vec![*cpu], because: Some(because) }
        }
        None => CpuChoice { cpus: allowed.last().copied().into_iter().collect(), because: None },
    }
}

/// CPUs of a kernel list that this process may use.
fn granted(file: &str) -> Vec<u32> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let cpus = read_list(&text).unwrap_or_default();
    cpus.into_iter().filter(|cpu| affinity::grants(*cpu)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_ranges_and_words_name_processors() {
        let these = |cpus: &[u32]| Ok(Processors::These(cpus.to_vec()));
        assert_eq!("3".parse(), these(&[3]));
        assert_eq!("2-5".parse(), these(&[2, 3, 4, 5]));
        assert_eq!("0,3,2-3".parse(), these(&[0, 3, 2]));
        assert_eq!(("all".parse(), "isolated".parse()), (Ok(Processors::All), Ok(Processors::Isolated)));
        for text in ["", ",", "1,", "-1", "5-2", "1-", "x", "1-2-3", "4096", "99999999999", "+1", "0 1", "ALL"] {
            let error = text.parse::<Processors>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("{text:?} names no CPUs")), "{error}");
        }
    }

    #[test]
    fn an_isolated_processor_is_the_usual_one_and_is_said() {
        let chosen = usual(&[2, 3], &[0, 1]);
        assert_eq!(chosen.cpus, [2]);
        assert_eq!(chosen.because.unwrap(), "measuring CPU 2, which is isolated (2, 3); --cpu chooses another");
        assert_eq!(usual(&[], &[0, 1]), CpuChoice { cpus: vec![1], because: None });
    }

    #[test]
    fn the_kernel_grants_what_is_allowed_and_nothing_that_is_not_there() {
        assert!(affinity::allowed().into_iter().all(affinity::grants));
        assert!(!affinity::grants(4_095) && !affinity::grants(1_000_000));
    }

    proptest! {
        #[test]
        fn no_list_makes_the_reader_panic_and_what_it_reads_is_each_once(text in "[0-9,-]{0,12}") {
            if let Some(mut cpus) = read_list(&text) {
                let count = cpus.len();
                cpus.sort_unstable();
                cpus.dedup();
                prop_assert!(count == cpus.len() && count > 0);
            }
        }
    }
}
