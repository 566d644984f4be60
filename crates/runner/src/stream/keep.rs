// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every sample into `samples.parquet`, over all phases of a session.
use backwall_model::{Key, Span};
use backwall_os::folder::Folder;
use backwall_store::samples::{SamplesError, SeriesId, Writer};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Writes samples until the disk is full; then measuring continues without, and the error is kept. Clones share the file: its creator
/// ends it, whatever thread holds a clone.
#[derive(Clone)]
pub struct Keeper(Arc<Mutex<File>>);

struct File {
    writer: Option<Writer>,
    refusal: Option<SamplesError>,
}

impl Keeper {
    pub fn begin(folder: &Folder) -> Result<Self, SamplesError> {
        let file = File { writer: Some(Writer::create(folder)?), refusal: None };
        Ok(Self(Arc::new(Mutex::new(file))))
    }

    pub fn series(&self, key: Key, span: Span) -> Option<SeriesId> {
        self.file().writer.as_mut().map(|writer| writer.series(key, span))
    }

    /// Writes one row with `write`, unless the disk has refused before.
    pub fn row(&self, write: impl FnOnce(&mut Writer) -> Result<(), SamplesError>) {
        let mut file = self.file();
        let File { writer: Some(writer), refusal } = &mut *file else { return };
        if refusal.is_none() {
            *refusal = write(writer).err();
        }
    }

    pub fn finish(self) -> Result<(), SamplesError> {
        let mut file = self.file();
        match (file.refusal.take(), file.writer.take()) {
            (Some(refusal), _) => Err(refusal),
            (None, writer) => writer.map_or(Ok(()), Writer::finish),
        }
    }

    /// A thread that panicked while writing lost at most one row.
    fn file(&self) -> MutexGuard<'_, File> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
