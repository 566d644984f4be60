// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall track export FORM TRACE -o FILE`: a recording for another tool.
use super::read;
use super::report::window;
use crate::console;
use crate::exit::{Exit, unable, usage};
use crate::folder;
use crate::options::Global;
use crate::progress::Activity;
use crate::session::Stop;
use crate::trace::account::analysis::Analysis;
use crate::trace::event::Stamped;
use crate::trace::read::receiver::Receiver;
use crate::trace::read::stored::Stored;
use crate::trace::write::chrome::{Chrome, SLICES_MAX};
use crate::trace::write::csv::Csv;
use crate::trace::write::ctf::{self, Ctf};
use crate::trace::write::perfetto::Perfetto;
use crate::trace::write::stretches::Stretches;
use crate::units::{Nanoseconds, duration};
use std::fs::File;
use std::io::{BufWriter, Error, Result as Io};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Arguments of `backwall track export`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// What the other tool reads
    #[arg(value_name = "FORM")]
    form: Form,
    /// A recording, as of `track report`
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// The file to write, whole or not at all; of ctf a folder that is not there yet
    #[arg(short = 'o', long = "file", value_name = "FILE")]
    file: PathBuf,
    /// Chrome's JSON begins so long after the first event
    #[arg(long, value_name = "TIME", value_parser = duration)]
    from: Option<Nanoseconds>,
    /// Chrome's JSON ends so long after the first event
    #[arg(long, value_name = "TIME", value_parser = duration)]
    to: Option<Nanoseconds>,
}

/// The forms.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Perfetto's own, for ui.perfetto.dev
    Perfetto,
    /// CTF 1.8, for babeltrace2 and Trace Compass
    Ctf,
    /// JSON of Chrome's viewer, for a short window
    Chrome,
    /// A row for each stretch in which one held a processor
    Csv,
}

/// Reads the recording and writes it anew.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    if (args.from.is_some() || args.to.is_some()) && args.form != Form::Chrome {
        return Err(usage("--from and --to are for chrome; the other forms take the whole recording"));
    }
    let window = window(args.from, args.to)?;
    let shown = Activity::begin(global.quiet || global.json, || "writing the recording".to_string());
    let (file, mut stored) = read::open(&args.trace)?;
    let (written, notes) = match args.form {
        Form::Ctf => into_folder(&args.file, &file, &mut stored)?,
        _ => into_file(args, window, &file, &mut stored)?,
    };
    drop(shown);
    let place = args.file.display();
    if global.json {
        let told = serde_json::json!({ "file": place.to_string(), "written": written, "notes": notes });
        console::print(&format!("{told:#}\n"))?;
    } else if !global.quiet {
        console::print(&format!("{place}: {written} written\n"))?;
        notes.iter().for_each(|note| console::complain(&format!("backwall: {note}")));
    }
    Ok(Exit::Done)
}

fn into_file(args: &Args, window: Range<u64>, trace: &Path, stored: &mut Stored) -> anyhow::Result<(u64, Vec<String>)> {
    let unwritten = |error: std::io::Error| unable(format!("{}: {error}", args.file.display()));
    let mut part = folder::begin_file(&args.file).map_err(unwritten)?;
    let out = BufWriter::with_capacity(1 << 20, part.file());
    let (written, notes) = match args.form {
        Form::Perfetto => {
            let mut face = Perfetto::new(out, &stored.about().clone()).map_err(unwritten)?;
            let notes = play(trace, stored, &mut face)?;
            let written = face.written;
            face.finish().map_err(unwritten)?;
            (written, notes)
        }
        Form::Chrome => chrome(args, window, trace, stored, out)?,
        Form::Csv | Form::Ctf => {
            let mut face = Analysis::new(Stretches::new(Csv::new(out).map_err(unwritten)?));
            let notes = play(trace, stored, &mut face)?;
            let csv = face.finish().1.taker;
            let written = csv.written;
            csv.finish().map_err(unwritten)?;
            (written, notes)
        }
    };
    part.finish().map_err(unwritten)?;
    Ok((written, notes))
}

fn chrome(
    args: &Args,
    window: Range<u64>,
    trace: &Path,
    stored: &mut Stored,
    out: BufWriter<&mut File>,
) -> anyhow::Result<(u64, Vec<String>)> {
    let unwritten = |error: std::io::Error| unable(format!("{}: {error}", args.file.display()));
    let mut first = First(None);
    play(trace, stored, &mut first)?;
    let begin_ns = first.0.unwrap_or(0);
    let window = begin_ns.saturating_add(window.start)..begin_ns.saturating_add(window.end);
    let mut face = Analysis::new(Stretches::new(Chrome::new(out, window).map_err(unwritten)?));
    let mut notes = play(trace, stored, &mut face)?;
    let chrome = face.finish().1.taker;
    let written = chrome.written;
    let beyond =
        format!("{} slices beyond {SLICES_MAX} are left out: name a window with --from and --to", chrome.beyond);
    notes.extend((chrome.beyond > 0).then_some(beyond));
    chrome.finish().map_err(unwritten)?;
    Ok((written, notes))
}

/// The instant of the first event.
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

/// The folder is made beside its place and takes it when it is whole; a request to end takes it away.
fn into_folder(place: &Path, trace: &Path, stored: &mut Stored) -> anyhow::Result<(u64, Vec<String>)> {
    let unwritten = |error: std::io::Error| unable(format!("{}: {error}", place.display()));
    if place.exists() {
        return Err(usage(format!("-o {}: it is there already; name a folder that is not", place.display())));
    }
    let stop = Stop::on_signals()?;
    let above = place.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let beside = tempfile::Builder::new().prefix(".backwall-ctf-").tempdir_in(above).map_err(unwritten)?;
    let stream = |cpu: u32| -> Io<_> {
        let file = File::create(beside.path().join(format!("cpu{cpu}")))?;
        Ok(BufWriter::new(file))
    };
    let mut until = UntilAsked { receiver: Ctf::new(stream, stored.about()), stop };
    let notes = play(trace, stored, &mut until)?;
    if until.stop.asked() {
        return Err(unwritten(Error::other("interrupted; nothing is kept")));
    }
    let face = until.receiver;
    let written = face.written;
    face.finish().map_err(unwritten)?;
    std::fs::write(beside.path().join("metadata"), ctf::description()).map_err(unwritten)?;
    let readable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(beside.path(), readable).map_err(unwritten)?;
    std::fs::rename(beside.path(), place).map_err(unwritten)?;
    // Its name is another's now, if anybody's.
    let _ = beside.keep();
    Ok((written, notes))
}

/// Wants no more once the user has asked to stop.
struct UntilAsked<R> {
    receiver: R,
    stop: Stop,
}

impl<R: Receiver> Receiver for UntilAsked<R> {
    fn event(&mut self, cpu: u32, stamped: &Stamped) {
        self.receiver.event(cpu, stamped);
    }

    fn gap(&mut self, cpu: u32, at_ns: u64) {
        self.receiver.gap(cpu, at_ns);
    }

    fn is_done(&self) -> bool {
        self.stop.asked() || self.receiver.is_done()
    }
}

fn play(trace: &Path, stored: &mut Stored, receiver: &mut impl Receiver) -> anyhow::Result<Vec<String>> {
    let played = stored.play(receiver).map_err(|error| usage(format!("{}: {error}", trace.display())))?;
    Ok(played.notes)
}
