// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks a folder against its seal: hashes first, then every claim.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "reads files")]
use super::sums::{hashed, parse};
use super::{Claim, Evidence, SEAL_FILE, SIGNATURE_FILE, SUMS_FILE, Seal, SeriesClaims, VERSION};
use crate::{RUN_FILE, samples};
use backwall_model::printable::printable;
use backwall_model::{Run, Series};
use backwall_os::refusal::{bad_input, usage};
use backwall_os::regular_file;
use rustix::fs::OFlags;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::num::NonZero;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::thread::available_parallelism;

const MOST_SUMS: u64 = 1 << 16;
const MOST_SEAL: u64 = backwall_model::read::MOST_BYTES;

#[derive(Debug)]
pub struct Verified {
    /// `None` if the file is missing or damaged.
    pub seal: Option<Seal>,
    pub files: usize,
    pub claims: usize,
    /// Whether there is a signature. It is not checked here.
    pub is_signed: bool,
    pub faults: Vec<String>,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSeal {
    #[error("version {0}; this backwall reads up to {VERSION}; install a newer one")]
    Newer(u64),
    #[error("{0}")]
    Unreadable(String),
}

/// Checks a sealed run. Files that are missing, added or changed, and claims that do not hold, are faults in the result.
///
/// # Errors
/// If the folder is not a sealed run, has a newer version, or contains something other than files of its owner.
pub fn verify(place: &Path) -> backwall_os::refusal::Result<Verified> {
    let names = own_files(place)?;
    let refused = |what: String| usage(format!("{}: {what}", place.display()));
    let text = |name: &str, most| {
        regular_file::text(&place.join(name), most).map_err(|error| refused(format!("{name}: {error}")))
    };
    if !names.contains(SUMS_FILE) && !names.contains(SEAL_FILE) {
        return Err(refused(format!(
            "not a sealed run: expected {SEAL_FILE} and {SUMS_FILE}; see backwall export sealed"
        )));
    }
    let is_signed = names.contains(SIGNATURE_FILE);
    let unusable = |fault| Ok(Verified { seal: None, files: 0, claims: 0, is_signed, faults: vec![fault] });
    if !names.contains(SUMS_FILE) {
        return unusable(format!("{SUMS_FILE}: missing"));
    }
    let listed = regular_file::text(&place.join(SUMS_FILE), MOST_SUMS).map_err(|error| error.to_string());
    let sums = match listed.and_then(|text| parse(&text).map_err(|error| error.to_string())) {
        Ok(sums) => sums,
        Err(error) => return unusable(format!("{SUMS_FILE}: {error}")),
    };
    let mut faults = Vec::new();
    for (name, sum) in &sums {
        match open(&place.join(name)).and_then(|file| hashed(file, std::io::sink())) {
            Ok(found) if found == *sum => {}
            Ok(_) => faults.push(format!("{name}: modified: its SHA-256 differs from {SUMS_FILE}")),
            Err(error) if error.kind() == ErrorKind::NotFound => faults.push(format!("{name}: missing")),
            Err(error) => faults.push(format!("{name}: {error}")),
        }
    }
    let listed: BTreeSet<&str> = sums.iter().map(|(name, _)| name.as_str()).collect();
    let unlisted = names.iter().filter(|name| ![SUMS_FILE, SIGNATURE_FILE].contains(&name.as_str()));
    faults.extend(
        unlisted
            .filter(|name| !listed.contains(name.as_str()))
            .map(|name| format!("{name}: missing in {SUMS_FILE}, so its contents are not confirmed")),
    );
    let mut claims = 0;
    let seal = if faults.is_empty() {
        match parse_seal(&text(SEAL_FILE, MOST_SEAL)?) {
            Ok(seal) => {
                claims = seal.claims.iter().map(|series| series.claims.len()).sum();
                faults = disproved(place, &seal, listed.contains(samples::FILE_NAME))?;
                Some(seal)
            }
            Err(BadSeal::Unreadable(what)) => {
                faults.push(format!("{SEAL_FILE}: {what}"));
                None
            }
            Err(newer) => return Err(refused(format!("{SEAL_FILE}: {newer}"))),
        }
    } else {
        // Print nothing of a seal that was changed.
        let told = text(SEAL_FILE, MOST_SEAL).ok().filter(|_| !faults.iter().any(|fault| fault.starts_with(SEAL_FILE)));
        told.and_then(|told| parse_seal(&told).ok())
    };
    Ok(Verified { is_signed, files: sums.len(), seal, claims, faults })
}

/// The names in a folder, which must contain only files of its owner.
fn own_files(place: &Path) -> backwall_os::refusal::Result<BTreeSet<String>> {
    let refused = |what: String| usage(format!("{}: {}", place.display(), printable(&what)));
    let failed = |error: std::io::Error| refused(error.to_string());
    let owner = fs::metadata(place).map_err(failed)?;
    if !owner.is_dir() {
        return Err(refused("not a folder; name the folder of a sealed run".into()));
    }
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(place).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry
            .file_name()
            .into_string()
            .map_err(|name| refused(format!("{}: no UTF-8 name", name.to_string_lossy())))?;
        let found = fs::symlink_metadata(entry.path()).map_err(failed)?;
        if !found.is_file() {
            return Err(refused(format!(
                "{name}: not a regular file; a sealed run must not contain links, pipes or \
                folders"
            )));
        }
        if found.uid() != owner.uid() {
            return Err(refused(format!(
                "{name}: belongs to user {}, but the folder belongs to user {}",
                found.uid(),
                owner.uid()
            )));
        }
        names.insert(name);
    }
    Ok(names)
}

/// Opens a regular file. It does not follow a symbolic link and never blocks.
fn open(path: &Path) -> std::io::Result<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32;
    File::options().read(true).custom_flags(flags).open(path)
}

/// Parses a seal.
///
/// # Errors
/// If it is not a seal, or has a newer version.
pub fn parse_seal(text: &str) -> Result<Seal, BadSeal> {
    let unreadable = |what: String| BadSeal::Unreadable(what);
    let value: serde_json::Value = serde_json::from_str(text).map_err(|error| unreadable(error.to_string()))?;
    match value.get("seal").and_then(serde_json::Value::as_u64) {
        None | Some(0) => Err(unreadable("not a seal: the version is missing".into())),
        // Parse the text itself, because a `Value` would drop a repeated field.
        Some(version @ 1..=VERSION) => serde_json::from_str(text)
            .map_err(|error| unreadable(format!("invalid seal of version {version}: {error}"))),
        Some(version) => Err(BadSeal::Newer(version)),
    }
}

fn disproved(place: &Path, seal: &Seal, has_samples: bool) -> backwall_os::refusal::Result<Vec<String>> {
    let run = crate::read(&place.join(RUN_FILE))?;
    let mut faults = Vec::new();
    if has_samples != (seal.evidence == Evidence::Samples) {
        let name = samples::FILE_NAME;
        faults.push(match has_samples {
            true => format!("{SEAL_FILE}: 'evidence' is \"histogram\", but the folder contains {name}"),
            false => format!("{SEAL_FILE}: 'evidence' is \"samples\", but the folder lacks {name}"),
        });
        return Ok(faults);
    }
    let series = if has_samples {
        let file = place.join(samples::FILE_NAME);
        let series =
            samples::read(&file, available_parallelism().unwrap_or(NonZero::<usize>::MIN)).map_err(bad_input)?;
        let what = samples::disagreement(&run.series, &series);
        faults.extend(what.map(|what| format!("{}: the samples contradict {RUN_FILE}: {what}", samples::FILE_NAME)));
        series
    } else {
        run.series.clone()
    };
    faults.extend(claims_that_differ(seal, &series));
    faults.extend(copies_that_differ(seal, &run).map(|what| format!("{SEAL_FILE}: {what} differs from {RUN_FILE}")));
    Ok(faults)
}

fn claims_that_differ(seal: &Seal, series: &[Series]) -> Vec<String> {
    let recomputed: Vec<SeriesClaims> = series.iter().map(|series| SeriesClaims::of(series, seal.evidence)).collect();
    let mut faults = Vec::new();
    for claimed in &seal.claims {
        let before = faults.len();
        let Some(found) = recomputed.iter().find(|found| found.series == claimed.series) else {
            faults.push(format!("{SEAL_FILE}: the samples contain no series {}", claimed.series));
            continue;
        };
        for claim in &claimed.claims {
            let other = found.claims.iter().find(|other| other.claim == claim.claim);
            if other != Some(claim) {
                let value = other.map_or("nothing", |other| other.value.as_str());
                let Claim { claim, value: claimed_value, .. } = claim;
                let what = match value == claimed_value {
                    true => format!("{claim}: the value is right, but the claim's formula is not the expected one"),
                    false => format!("{claim} {claimed_value}, recomputed {value}"),
                };
                faults.push(format!("{SEAL_FILE}: {}: {what}", claimed.series));
            }
        }
        if faults.len() == before && claimed != found {
            faults.push(format!("{SEAL_FILE}: {}: claims are missing or repeated", claimed.series));
        }
    }
    let repeated = |index: usize| seal.claims[..index].iter().any(|other| other.series == seal.claims[index].series);
    if seal.claims.len() != recomputed.len() {
        faults.push(format!(
            "{SEAL_FILE}: claims of {} series, but the run has {}",
            seal.claims.len(),
            recomputed.len()
        ));
    } else if (0..seal.claims.len()).any(repeated) {
        faults.push(format!("{SEAL_FILE}: claims of a series are repeated"));
    }
    faults
}

fn copies_that_differ(seal: &Seal, run: &Run) -> impl Iterator<Item = &'static str> {
    let again = Seal::of(run, seal.evidence);
    let same = [
        ("tool", seal.tool == again.tool),
        ("plan", seal.plan == again.plan),
        ("environment", seal.environment == again.environment),
        (
            "list of what is invalid",
            (seal.valid, &seal.invalid, seal.interrupted) == (again.valid, &again.invalid, again.interrupted),
        ),
        ("origin", (seal.origin, &seal.started) == (again.origin, &again.started)),
        ("list of late responses", seal.late == again.late),
    ];
    same.into_iter().filter(|(_, same)| !same).map(|(what, _)| what)
}
