// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every sample into `samples.parquet`, over all phases of a session.
use crate::folder::Folder;
use crate::run::{Key, Span};
use crate::samples::{SamplesError, SeriesId, Writer};

/// Writes samples until the disk refuses; then measuring goes on without, and the refusal is kept.
pub struct Keeper {
    writer: Writer,
    refusal: Option<SamplesError>,
}

impl Keeper {
    /// Starts the file in the run's folder.
    pub fn begin(folder: &Folder) -> Result<Self, SamplesError> {
        Ok(Self { writer: Writer::create(folder)?, refusal: None })
    }

    /// Adds a series.
    pub fn series(&mut self, key: Key, span: Span) -> SeriesId {
        self.writer.series(key, span)
    }

    /// Writes one row with `write`, unless the disk has refused before.
    pub fn row(&mut self, write: impl FnOnce(&mut Writer) -> Result<(), SamplesError>) {
        if self.refusal.is_none() {
            self.refusal = write(&mut self.writer).err();
        }
    }

    /// Ends the file; without a refusal it is whole.
    pub fn finish(self) -> Result<(), SamplesError> {
        match self.refusal {
            None => self.writer.finish(),
            Some(refusal) => Err(refusal),
        }
    }
}
