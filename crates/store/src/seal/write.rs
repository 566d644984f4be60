// SPDX-License-Identifier: MIT OR Apache-2.0
#![expect(clippy::disallowed_methods, reason = "looks at files")]
use super::sums::{hashed, text};
use super::{Evidence, FILES, SEAL_FILE, SUMS_FILE, Seal};
use crate::{RUN_FILE, RunFolder, samples};
use backwall_os::refusal::{bad_input, usage};
use backwall_os::regular_file;
use std::num::NonZero;
use std::path::Path;
use std::thread::available_parallelism;

/// Writes the sealed copy of the run in `home` into `folder`. If that fails, no file of it is left.
///
/// # Errors
/// If the run cannot be read, its samples contradict it, or the files cannot be written.
pub fn write(home: &Path, folder: &RunFolder) -> backwall_os::refusal::Result<Seal> {
    let sealed = written(home, folder);
    if sealed.is_err() {
        FILES.iter().chain(&[SEAL_FILE, SUMS_FILE]).for_each(|name| folder.handle().remove(name));
    }
    sealed
}

fn written(home: &Path, folder: &RunFolder) -> backwall_os::refusal::Result<Seal> {
    let run = crate::read(home)?;
    if !home.join(RUN_FILE).exists() {
        let home = home.display().to_string();
        let way = run.resume_command(&home).map_or("; measure again".to_string(), |way| format!("; finish it: {way}"));
        return Err(usage(format!("{home}: the run is not finished{way}")));
    }
    let samples = home.join(samples::FILE_NAME);
    let evidence = if samples.exists() { Evidence::Samples } else { Evidence::Histogram };
    if evidence == Evidence::Samples {
        let series =
            samples::read(&samples, available_parallelism().unwrap_or(NonZero::<usize>::MIN)).map_err(bad_input)?;
        if let Some(what) = samples::disagreement(&run.series, &series) {
            return Err(usage(format!("{}: the samples contradict run.json: {what}", samples.display())));
        }
    }
    let seal = Seal::of(&run, evidence);
    let mut sums = Vec::new();
    for name in FILES.iter().filter(|name| home.join(name).exists()) {
        let mut sum = String::new();
        let from = regular_file::open(&home.join(name))
            .map_err(|error| usage(format!("{}: {error}", home.join(name).display())))?;
        folder.stream(name, |to| {
            sum = hashed(&from, to)?;
            Ok(())
        })?;
        sums.push((name.to_string(), sum));
    }
    let json = format!("{}\n", serde_json::to_string_pretty(&seal).map_err(bad_input)?);
    folder.write(SEAL_FILE, json.as_bytes())?;
    sums.push((SEAL_FILE.to_string(), hashed(json.as_bytes(), std::io::sink())?));
    // Write the hashes last, because a folder without them is not a sealed run.
    folder.write(SUMS_FILE, text(&sums).as_bytes())?;
    Ok(seal)
}
