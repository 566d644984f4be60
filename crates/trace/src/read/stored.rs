// SPDX-License-Identifier: MIT OR Apache-2.0
//! A recording in a file: its format, and its events one by one.
#![expect(clippy::disallowed_types, reason = "reads and writes files")]
use super::about::About;
use super::ctf::{self, Ctf};
use super::error::ReadError;
use super::extents::Unpacked;
use super::head::Head;
use super::pages::{self, Cursor, Share};
use super::perf_data::{self, PerfData};
use super::perfetto::{self, Perfetto};
use super::played::Played;
use super::receiver::Receiver;
use super::rings::Extent;
use super::text::Text;
use super::trace_dat;
use super::trail::Trail;
use super::understood;
use super::wakings::Wakings;
use backwall_model::wrapped::wrapped;
use std::fs::File;
use std::io::Seek;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// An open recording, of which the head was read but no events yet.
#[derive(Debug)]
pub struct OpenRecording {
    form: Form,
    about: About,
}

#[derive(Debug)]
enum Form {
    Pages { file: File, head: Box<Head> },
    Ctf(Box<Ctf>),
    Perf(PerfData),
    Perfetto(Box<Perfetto>),
    Text(Text),
    Trail(Trail),
}

impl OpenRecording {
    /// A recording in an open file, read from the beginning of the file. The first bytes show the format.
    pub fn of(mut file: File) -> Result<Self, ReadError> {
        file.rewind()?;
        let mut begin = [0; 10];
        let begin = match file.read_exact_at(&mut begin, 0) {
            Ok(()) => &begin[..],
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => &[],
            Err(error) => return Err(error.into()),
        };
        if begin == trace_dat::MAGIC {
            let mut head = trace_dat::head(&file)?;
            let about = std::mem::take(&mut head.about);
            return Ok(Self { form: Form::Pages { file, head: Box::new(head) }, about });
        }
        if begin.starts_with(perf_data::MAGIC) {
            let perf = PerfData::of(file)?;
            return Ok(Self { about: perf.about(), form: Form::Perf(perf) });
        }
        if perfetto::begins(&file)? {
            let perfetto = Perfetto::of(file)?;
            return Ok(Self { about: perfetto.about(), form: Form::Perfetto(Box::new(perfetto)) });
        }
        if ctf::begins(begin) {
            return Err(ReadError::NotRead(
                "a CTF trace needs its metadata and its streams; name the folder that holds both".to_string(),
            ));
        }
        let again = file.try_clone()?;
        match Text::of(file) {
            Ok(text) => Ok(Self { about: text.about(), form: Form::Text(text) }),
            Err(ReadError::Unknown) => of_trail(&again).map_err(|error| match error {
                ReadError::Unknown => unknown(&again),
                error => error,
            }),
            Err(error) => Err(error),
        }
    }

    /// The CTF trace in this folder; otherwise the only trace below the folder, or the kernel's of several. `None` if none.
    pub fn of_folder(place: &Path) -> Result<Option<Self>, ReadError> {
        let Some((trace, others)) = ctf::folder(place)? else { return Ok(None) };
        let ctf = Ctf::of(&trace)?;
        let mut about = ctf.about();
        let others = others.iter().map(|other| format!("ignored another trace: {}", other.display()));
        about.notes.extend(others);
        Ok(Some(Self { form: Form::Ctf(Box::new(ctf)), about }))
    }

    /// What the recording states about itself.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// Plays all events in order of time, or until the receiver needs no more.
    // `dyn`, so that each reader is compiled once and not once for each receiver.
    pub fn play(&mut self, receiver: &mut dyn Receiver) -> Result<Played, ReadError> {
        let receiver = &mut Wakings::new(receiver);
        match &mut self.form {
            Form::Pages { file, head } => play_pages(file, head, receiver),
            Form::Ctf(ctf) => ctf.play(&mut self.about, receiver),
            Form::Perf(perf) => perf.play(&mut self.about, receiver),
            Form::Perfetto(perfetto) => perfetto.play(receiver),
            Form::Text(text) => text.play(receiver),
            Form::Trail(trail) => Ok(trail.play(receiver)),
        }
    }
}

fn unknown(file: &File) -> ReadError {
    let mut begin = [0; 8];
    match file.read_at(&mut begin, 0).ok().and_then(|length| wrapped(&begin[..length])) {
        Some(what) => ReadError::NotRead(what.to_string()),
        None => ReadError::Unknown,
    }
}

fn of_trail(mut file: &File) -> Result<OpenRecording, ReadError> {
    file.rewind()?;
    let trail = Trail::of(file)?;
    Ok(OpenRecording { about: trail.about(), form: Form::Trail(trail) })
}

fn play_pages(file: &File, head: &Head, receiver: &mut impl Receiver) -> Result<Played, ReadError> {
    let decoder = head.layouts.decoder()?;
    let page_bytes = head.page.bytes();
    let extents: Vec<&Extent> = head.extents.iter().filter(|extent| extent.bytes > 0).collect();
    let share = Share::among(extents.len(), page_bytes).ok_or_else(|| {
        ReadError::NotRead(format!("{} CPUs with sub-buffers of {page_bytes} bytes are too many", extents.len()))
    })?;
    let cursors = extents.into_iter().map(|extent| {
        let chunks = Unpacked::new(file, *extent, head.packed, share.piece)?;
        Ok(Cursor::new(extent.cpu, chunks, head.page, share))
    });
    let tally = pages::play(cursors.collect::<Result<_, ReadError>>()?, &decoder, receiver)?;
    let bad = tally.first_bad.map(|error| format!("{} sub-buffers are damaged; the first: {error}", tally.bad_pages));
    let by_name = head.layouts.by_name(&tally.by_type[..]);
    let short = understood::records(tally.too_short, by_name.values().sum())?;
    let notes = bad.into_iter().chain(short).collect();
    Ok(Played { by_name, gaps: tally.gaps, wrapped: tally.wrapped, missed: tally.missed, notes })
}
