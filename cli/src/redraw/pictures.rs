// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pictures for a run of the first version, which kept markup in their place: from the edges beside it.
use backwall_capture::again::again;
use backwall_capture::capture::{self, Told};
use backwall_model::{Picture, Run, Warning};
use backwall_os::regular_file;
use std::io::BufReader;
use std::path::Path;

/// Where the first version kept markup. It is never read: whoever wrote the folder could have written it.
const MARKUP: &str = "pictures.json";
/// The edges of a run, the richest file first.
const EDGES: [&str; 2] = ["edges.bin", "edges.vcd"];

/// Gives the run the pictures it lacks, and says where they are from. What cannot be had is a warning on the page.
pub(super) fn complete(run: &mut Run, folder: &Path) -> Option<String> {
    if !run.pictures.is_empty() || !folder.join(MARKUP).exists() {
        return None;
    }
    match pictures(run, folder) {
        Ok((pictures, source)) => {
            run.pictures = pictures;
            Some(format!("pictures: drawn again from {source}; the markup in {MARKUP} is not used\n"))
        }
        Err(reason) => {
            let text = format!("{MARKUP} holds pictures as markup of an older version, which is not shown: {reason}");
            run.warnings.push(Warning::new("markup", &text));
            Some(text + "\n")
        }
    }
}

fn pictures(run: &Run, folder: &Path) -> Result<(Vec<Picture>, &'static str), String> {
    if run.found.sweep.is_some() {
        return Err("what a sweep needs is in the lab's guest; sweep it again".to_string());
    }
    let name = EDGES.into_iter().find(|name| folder.join(name).exists()).ok_or("there are no edges beside it")?;
    let file = regular_file::open(&folder.join(name)).map_err(|error| format!("{name}: {error}"))?;
    let mut capture =
        capture::read(BufReader::new(file), &Told::default()).map_err(|error| format!("{name}: {error}"))?;
    let pictures = again(run, &mut capture.edges).map_err(|error| format!("{name} holds not its edges: {error}"))?;
    Ok((pictures, name))
}
