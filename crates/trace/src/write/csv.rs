// SPDX-License-Identifier: MIT OR Apache-2.0
//! Comma-separated values: one row per stretch of a CPU.
use super::stretches::Taker;
use crate::event::Section;
use crate::event::softirq;
use crate::processor::{Holder, Stretch};
use std::io::{Result, Write};

/// Writes rows as they come.
pub struct Csv<W> {
    out: W,
    failure: Option<std::io::Error>,
    /// Number of rows that were written.
    pub written: u64,
}

impl<W: Write> Csv<W> {
    /// Begins with the header row.
    pub fn new(mut out: W) -> Result<Self> {
        out.write_all(b"cpu,from_ns,to_ns,kind,name,thread,priority\n")?;
        Ok(Self { out, failure: None, written: 0 })
    }

    /// Returns the writer, or the first failure.
    pub fn finish(mut self) -> Result<W> {
        self.out.flush()?;
        self.failure.map_or(Ok(self.out), Err)
    }
}

impl<W: Write> Taker for Csv<W> {
    fn stretch(&mut self, cpu: u32, stretch: &Stretch) {
        let (kind, name) = told(stretch);
        let thread = stretch.thread.map_or(String::new(), |thread| thread.id.to_string());
        let priority = stretch.thread.filter(|thread| thread.priority != i32::MAX);
        let priority = priority.map_or(String::new(), |thread| thread.priority.to_string());
        let row = format!("{cpu},{},{},{kind},{},{thread},{priority}\n", stretch.from_ns, stretch.to_ns, quoted(&name));
        if let Err(error) = self.out.write_all(row.as_bytes()) {
            self.failure.get_or_insert(error);
        }
        self.written += 1;
    }
}

pub(super) fn told(stretch: &Stretch) -> (&'static str, String) {
    match stretch.holder() {
        Holder::Unknown => ("unknown", String::new()),
        Holder::Idle => ("idle", String::new()),
        Holder::Thread(thread) => ("thread", thread.name.to_string()),
        Holder::Section(Section::Interrupt(name)) => ("interrupt", name.to_string()),
        Holder::Section(Section::Softirq(number)) => ("softirq", softirq::name(number)),
    }
}

/// A name, quoted as in RFC 4180 if it contains a comma, a quote or a line end.
fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.to_string() }
}
