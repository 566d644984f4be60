// SPDX-License-Identifier: MIT OR Apache-2.0
//! The beginning of a file decides which importer reads it.
use super::ALL;
use super::format::{BadImport, Imported, Importer};
use super::lines::plain;
use backwall_model::Series;
use backwall_model::wrapped::wrapped;
use std::io::BufRead;

const ELSEWHERE: [(&str, &str); 19] = [
    ("\nover:", OF_RTLA),
    ("#1 -> #0, Min", OF_PAIRS),
    ("\"sender\": {", OF_PAIRS),
    ("T: 0 (", OF_PAIRS),
    ("TOTAL_", "sums without a distribution: run the tool with -d"),
    ("Tracing run queue latency higher", "single waits above a limit; run runqlat for all of them"),
    ("\"attached_probes\"", "bpftrace's JSON; run bpftrace without -f json"),
    ("| Max delay ", OF_PERF),
    ("sch delay   run time", OF_PERF),
    ("# tracer:", OF_BLAME),
    ("sched_switch", OF_BLAME),
    ("timer_latency", OF_BLAME),
    ("PERFILE2", OF_BLAME),
    ("\u{17}\u{8}Dtracing", OF_BLAME),
    ("<cheddar", OF_TASKS),
    ("$timescale", OF_SCOPE),
    ("libsigrok", OF_SCOPE),
    ("Record Length", OF_SCOPE),
    ("\nTime", OF_SCOPE),
];

const OF_RTLA: &str = "a histogram of rtla without its heading; run rtla without --no-header";
const OF_PAIRS: &str = "extremes of signaltest, pmqtest, ptsematest, svsematest or sigwaittest, without a distribution; of \
    rt-tests backwall reads cyclictest, oslat and hwlatdetect";
const OF_BLAME: &str = "a recording of the kernel's events: backwall blame FILE and backwall trace report FILE read it";
const OF_PERF: &str = "a table that perf made of a recording: backwall blame perf.data reads the recording itself";
const OF_TASKS: &str = "a task set: backwall tasks predict FILE reads it";
const OF_SCOPE: &str = "perhaps a capture: backwall scope --list FILE reads it";

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";
const BEGINNING: usize = 64 << 10;

pub fn named(name: &str) -> Option<&'static Importer> {
    ALL.iter().find(|importer| importer.name == name)
}

/// The importer for a file with this beginning. Skips a byte order mark.
///
/// # Errors
/// If no importer recognises it.
pub fn recognised(source: &mut dyn BufRead) -> Result<&'static Importer, BadImport> {
    if source.fill_buf()?.starts_with(BYTE_ORDER_MARK) {
        source.consume(BYTE_ORDER_MARK.len());
    }
    let start = source.fill_buf()?;
    // LZ4 leaves much of a text unchanged, so a compressed file could begin like the text.
    if let Some(what) = wrapped(start) {
        return Err(BadImport::whole(what));
    }
    let start = String::from_utf8_lossy(&start[..start.len().min(BEGINNING)]);
    let start: String = start.lines().map(|line| plain(line) + "\n").collect();
    let mut found = ALL.iter().filter(|importer| (importer.begins)(&start));
    match (found.next(), found.next()) {
        (Some(one), Some(other)) => Err(BadImport::whole(format!(
            "matches both {} and {}; put each into its own file, or name one with --format",
            one.name, other.name
        ))),
        (found, _) => found.ok_or_else(|| unknown(&start)),
    }
}

/// Reads a file and recognises its format by its beginning.
///
/// # Errors
/// If the format is unknown, or the file is invalid.
pub fn read(source: &mut dyn BufRead, load: &str) -> Result<Imported, BadImport> {
    read_as(recognised(source)?, source, load)
}

pub fn read_as(importer: &Importer, source: &mut dyn BufRead, load: &str) -> Result<Imported, BadImport> {
    let imported = (importer.read)(source, load)?;
    // A series without samples counts as a result only if stimuli were due or it has a threshold, which nothing exceeded.
    let says = |one: &Series| one.done > 0 || one.due > Some(0) || one.threshold.is_some();
    match imported.series.iter().any(says) {
        true => Ok(imported),
        false => Err(BadImport::whole(NO_FIGURES)),
    }
}

const NO_FIGURES: &str = "no figures: nothing was measured, everything was below the threshold, or the file is \
    truncated";

fn unknown(start: &str) -> BadImport {
    match ELSEWHERE.iter().find(|(mark, _)| start.contains(mark)) {
        Some((_, instead)) => BadImport::whole(*instead),
        None => BadImport::Unknown(ALL.iter().map(|importer| importer.name).collect::<Vec<_>>().join(", ")),
    }
}
