// SPDX-License-Identifier: MIT OR Apache-2.0
//! The log of late responses in the run's folder, a line each. backwall writes the lines with the report of the same minute.
use crate::exit::unable;
use backwall_ftrace::attached::{RECENT, Recent};
use backwall_report::watch as words;
use backwall_store::RunFolder;
use backwall_watch::{Minute, TheWorst};
use jiff::Timestamp;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;

const FILE: &str = "late.log";

pub struct Log {
    file: File,
    deadline_ns: u64,
}

impl Log {
    pub fn begin(folder: &RunFolder, deadline_ns: u64) -> anyhow::Result<Self> {
        let refused = |error| unable(format!("cannot write {}: {error}", folder.path().join(FILE).display()));
        Ok(Self { file: folder.handle().append(FILE).map_err(refused)?, deadline_ns })
    }

    /// Adds the late responses since the last report, sorted by their start, and counts those that were not kept.
    pub fn add(&mut self, at: &str, minute: &Minute, recent: &[Recent]) -> std::io::Result<()> {
        let mut late: Vec<(Timestamp, TheWorst)> = recent
            .iter()
            .filter(|recent| recent.ns > self.deadline_ns)
            .map(|recent| (began(recent), told(recent)))
            .collect();
        late.sort_by_key(|(began, _)| *began);
        let rest = minute.late.unwrap_or(0).saturating_sub(late.len() as u64);
        let mut lines: String = late.iter().map(|(began, late)| words::late(&format!("{began:.3}"), late)).collect();
        if rest > 0 {
            lines += &words::not_logged(at, rest);
        }
        self.file.write_all(lines.as_bytes())
    }
}

pub fn keep_longest(recent: &mut Vec<Recent>) {
    let mut kept: BTreeMap<String, usize> = BTreeMap::new();
    recent.sort_by_key(|recent| Reverse(recent.ns));
    recent.retain(|recent| {
        let count = kept.entry(recent.thread.clone()).or_default();
        *count += 1;
        *count <= RECENT
    });
}

fn began(recent: &Recent) -> Timestamp {
    Timestamp::try_from(recent.began()).unwrap_or_default()
}

pub fn told(recent: &Recent) -> TheWorst {
    TheWorst { thread: recent.thread.clone(), ns: recent.ns, blame: recent.blame.clone() }
}
