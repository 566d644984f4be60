// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes a recording for another tool: one file, complete or absent, or a folder of several.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "reads and writes files")]
use crate::until::Until;
use backwall_model::units::counted;
use backwall_os::refusal::{Result, unable, usage};
use backwall_os::{folder, temporary};
use backwall_trace::account::analysis::{Analysis, Listener};
use backwall_trace::chain::{Part, Spec};
use backwall_trace::event::Stamped;
use backwall_trace::read::receiver::Receiver;
use backwall_trace::read::stored::OpenRecording;
use backwall_trace::write::chains::ChainSlices;
use backwall_trace::write::chrome::{Chrome, SLICES_MAX};
use backwall_trace::write::csv::Csv;
use backwall_trace::write::ctf::{self, Ctf};
use backwall_trace::write::perfetto::Perfetto;
use backwall_trace::write::stretches::Stretches;
use std::fs::File;
use std::io::{BufWriter, Error, Result as Io};
use std::ops::Range;
use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Form {
    /// Perfetto's own format, for ui.perfetto.dev
    Perfetto,
    /// CTF 1.8, for babeltrace2 and Trace Compass
    Ctf,
    /// JSON for Chrome's viewer, for a short window
    Chrome,
    /// A row for each interval in which a task held a CPU
    Csv,
}

/// Writes one file, complete or not at all, with the events of `window`, which counts from the first event. For [`Form::Ctf`] see
/// [`into_folder`].
///
/// # Errors
/// When the recording is damaged or the file cannot be written.
pub fn into_file(
    form: Form,
    place: &Path,
    window: Range<u64>,
    trace: &Path,
    stored: &mut OpenRecording,
) -> Result<(u64, Vec<String>)> {
    let unwritten = |error: std::io::Error| unable(format!("{}: {error}", place.display()));
    let mut part = folder::begin_file(place).map_err(unwritten)?;
    let out = BufWriter::with_capacity(1 << 20, part.file());
    let (written, notes) = match form {
        Form::Perfetto => {
            let mut face = Perfetto::new(out, &stored.about().clone()).map_err(unwritten)?;
            let notes = play(trace, stored, &mut face)?;
            let written = face.written;
            face.finish().map_err(unwritten)?;
            (written, notes)
        }
        Form::Chrome => chrome(place, window, trace, stored, out)?,
        Form::Csv | Form::Ctf => {
            let mut stretches = Stretches::new(Csv::new(out).map_err(unwritten)?);
            let notes = analyse(trace, stored, &mut stretches)?;
            let csv = stretches.taker;
            let written = csv.written;
            csv.finish().map_err(unwritten)?;
            (written, notes)
        }
    };
    part.finish().map_err(unwritten)?;
    Ok((written, notes))
}

/// Writes Perfetto's format with each instance of these chains, and arrows between its slices. `words` describes a part of an
/// instance.
///
/// # Errors
/// When the recording is damaged or the file cannot be written.
pub fn with_chains(
    place: &Path,
    chains: Vec<Spec>,
    words: impl Fn(&Spec, &Part) -> String,
    trace: &Path,
    stored: &mut OpenRecording,
) -> Result<(u64, Vec<String>)> {
    let unwritten = |error: std::io::Error| unable(format!("{}: {error}", place.display()));
    let mut part = folder::begin_file(place).map_err(unwritten)?;
    let out = BufWriter::with_capacity(1 << 20, part.file());
    let mut face = Perfetto::new(out, &stored.about().clone()).map_err(unwritten)?;
    let mut notes = play(trace, stored, &mut face)?;
    let written = face.written;
    let out = face.finish().map_err(unwritten)?;
    let mut slices = ChainSlices::new(out, chains, stored.about().is_monotonic(), words);
    analyse(trace, stored, &mut slices)?;
    notes.push(format!("{} of the chain", counted(slices.written, "instance", "instances")));
    slices.finish().map_err(unwritten)?;
    part.finish().map_err(unwritten)?;
    Ok((written, notes))
}

fn chrome(
    place: &Path,
    window: Range<u64>,
    trace: &Path,
    stored: &mut OpenRecording,
    out: BufWriter<&mut File>,
) -> Result<(u64, Vec<String>)> {
    let unwritten = |error: std::io::Error| unable(format!("{}: {error}", place.display()));
    let mut first = First(None);
    play(trace, stored, &mut first)?;
    let begin_ns = first.0.unwrap_or(0);
    let window = begin_ns.saturating_add(window.start)..begin_ns.saturating_add(window.end);
    let mut stretches = Stretches::new(Chrome::new(out, window).map_err(unwritten)?);
    let mut notes = analyse(trace, stored, &mut stretches)?;
    let chrome = stretches.taker;
    let written = chrome.written;
    let beyond =
        format!("{} slices beyond {SLICES_MAX} were left out; choose a window with --from and --to", chrome.beyond);
    notes.extend((chrome.beyond > 0).then_some(beyond));
    chrome.finish().map_err(unwritten)?;
    Ok((written, notes))
}

struct First(Option<u64>);

impl Receiver for First {
    fn event(&mut self, _: u32, stamped: &Stamped) {
        self.0.get_or_insert(stamped.at_ns);
    }

    fn gap(&mut self, _: u32, _: u64) {}

    fn is_done(&self) -> bool {
        self.0.is_some()
    }
}

/// Makes the folder under a temporary name, and renames it when complete. Removes it if the user ends the export early.
///
/// # Errors
/// When something has that name already, the recording is damaged, the folder cannot be written, or the user ended it.
pub fn into_folder<S: Fn() -> bool>(
    place: &Path,
    trace: &Path,
    stored: &mut OpenRecording,
    stop: S,
) -> Result<(u64, Vec<String>)> {
    let unwritten = |error: std::io::Error| unable(format!("{}: {error}", place.display()));
    if place.exists() {
        return Err(usage(format!("-o {}: already exists; name a new folder", place.display())));
    }
    let above = place.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let beside = temporary::folder(".backwall-ctf-", above).map_err(unwritten)?;
    let stream = |cpu: u32| -> Io<_> {
        let file = File::create(beside.path().join(format!("cpu{cpu}")))?;
        Ok(BufWriter::new(file))
    };
    let mut until = Until { receiver: Ctf::new(stream, stored.about()), gives_up: stop };
    let notes = play(trace, stored, &mut until)?;
    if (until.gives_up)() {
        return Err(unwritten(Error::other("interrupted; removed the unfinished output")));
    }
    let face = until.receiver;
    let written = face.written;
    face.finish().map_err(unwritten)?;
    std::fs::write(beside.path().join("metadata"), ctf::description()).map_err(unwritten)?;
    let readable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(beside.path(), readable).map_err(unwritten)?;
    std::fs::rename(beside.path(), place).map_err(unwritten)?;
    // The folder has its final name, so the temporary one must not be removed.
    let _ = beside.keep();
    Ok((written, notes))
}

fn analyse(trace: &Path, stored: &mut OpenRecording, listener: &mut dyn Listener) -> Result<Vec<String>> {
    let mut analysis = Analysis::new(listener);
    let notes = play(trace, stored, &mut analysis)?;
    analysis.finish();
    Ok(notes)
}

fn play(trace: &Path, stored: &mut OpenRecording, receiver: &mut impl Receiver) -> Result<Vec<String>> {
    let played = stored.play(receiver).map_err(|error| usage(format!("{}: {error}", trace.display())))?;
    Ok(played.notes)
}
