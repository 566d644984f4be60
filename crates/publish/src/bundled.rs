// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bundle of a stored run, which bears no name of the machine that made it.
use crate::{Words, bundle};
use exit::usage;
use run::Run;
use std::collections::BTreeSet;
use std::path::Path;

/// Names shorter than this stand in other words too.
const FEWEST_LETTERS: usize = 4;

/// The bundle of a run as a text, which is looked through once more for the names of this machine.
///
/// # Errors
/// Where it is no run, or would bear such a name.
pub fn bundled(place: &Path, known: &BTreeSet<String>, names: &[String]) -> anyhow::Result<Run> {
    let shown = place.display();
    let bundle = bundle(&store::read(place)?, &mut Words::new(known));
    let text = store::json(&bundle)?;
    run::read(&text).map_err(|error| usage(format!("{shown}: its bundle would be no run: {error}")))?;
    match names.iter().find(|name| text.to_lowercase().contains(name.as_str())) {
        Some(_) => Err(usage(format!(
            "{shown}: the name of this machine or of its user stands in the kernel's release or the processor's name; publish it from another machine, or mend the file"
        ))),
        None => Ok(bundle),
    }
}

/// What this machine and its user are called, where that is long enough to stand nowhere else.
pub fn names() -> Vec<String> {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let user = std::env::var("USER").or_else(|_| std::env::var("LOGNAME")).unwrap_or_default();
    let common = ["root", "user", "localhost", "linux", "debian", "ubuntu"];
    let all = [host, user].map(|name| name.trim().to_lowercase());
    all.into_iter().filter(|name| name.len() >= FEWEST_LETTERS && !common.contains(&name.as_str())).collect()
}
