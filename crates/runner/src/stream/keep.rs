// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes every sample of all phases to `samples.parquet`.
use backwall_model::{Key, Span};
use backwall_os::folder::Folder;
use backwall_store::samples::{SamplesError, SeriesId, Writer};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Writes samples until the disk is full. After that the measurement continues without them, and the error is kept. Clones share
/// the file. Only `finish` closes it, whichever threads still hold clones.
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

    /// Writes one row with `write`, unless an earlier row failed.
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

    /// If a thread panicked while it wrote, at most one row is lost.
    fn file(&self) -> MutexGuard<'_, File> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
