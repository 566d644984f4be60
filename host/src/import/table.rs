// SPDX-License-Identifier: MIT OR Apache-2.0
//! All importers, and the choice of one by what a file begins with.
use super::format::{BadImport, Imported, Importer};
use super::{
    cyclictest_histogram, cyclictest_json, cyclictest_samples, hwlatdetect, jitterdebugger, oslat, oslat_json, rteval,
    rtla_timerlat, stress_ng,
};
use std::io::BufRead;

/// All of them, in the order in which a file is tried.
pub static ALL: [Importer; 10] = [
    cyclictest_json::IMPORTER,
    oslat_json::IMPORTER,
    jitterdebugger::IMPORTER,
    rteval::IMPORTER,
    rtla_timerlat::IMPORTER,
    cyclictest_histogram::IMPORTER,
    oslat::IMPORTER,
    stress_ng::IMPORTER,
    hwlatdetect::IMPORTER,
    cyclictest_samples::IMPORTER,
];

/// What tools write that holds no distribution: by what it is known, and what to have instead.
const WITHOUT_DISTRIBUTION: [(&str, &str); 3] = [
    ("IRQ Timer Latency", "rtla timerlat top keeps no distribution: import what rtla timerlat hist prints"),
    ("latency percentiles:", "no distribution: run stress-ng with --cyclic-dist 1000"),
    ("T: 0 (", "cyclictest's summary keeps no distribution: run it with -q -h 10000, or with --json=FILE and -h"),
];

/// So much of a file tells its format.
const BEGINNING: usize = 64 << 10;

/// The one of this name.
pub fn named(name: &str) -> Option<&'static Importer> {
    ALL.iter().find(|importer| importer.name == name)
}

/// The one that reads a file with this beginning.
///
/// # Errors
/// When none does.
pub fn recognised(source: &mut dyn BufRead) -> Result<&'static Importer, BadImport> {
    let start = source.fill_buf()?;
    let start = String::from_utf8_lossy(&start[..start.len().min(BEGINNING)]).into_owned();
    ALL.iter().find(|importer| (importer.begins)(&start)).ok_or_else(|| unknown(&start))
}

/// Reads a file whose format is told by its beginning.
///
/// # Errors
/// When it is of no known format, or wrong.
pub fn read(source: &mut dyn BufRead, load: &str) -> Result<Imported, BadImport> {
    (recognised(source)?.read)(source, load)
}

fn unknown(start: &str) -> BadImport {
    match WITHOUT_DISTRIBUTION.iter().find(|(mark, _)| start.contains(mark)) {
        Some((_, instead)) => BadImport::whole(*instead),
        None => BadImport::Unknown(ALL.iter().map(|importer| importer.name).collect::<Vec<_>>().join(", ")),
    }
}
