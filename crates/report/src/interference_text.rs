// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run of parts alone and together as text: the tables, what to read from them, and what was not measured.
use super::interference::{POST, READING, of, tables, verdict};
use super::phrase;
use super::printable::printable_lines;
use super::text::{requirements, warnings};
use super::wrap::wrapped;
use run::Run;

/// Columns of the sentences; the tables may be wider.
const LINE: usize = 120;

/// All of it; nothing of a run of another command.
pub fn text(run: &Run) -> String {
    let Some(found) = of(run) else { return String::new() };
    let tables: String = tables(found).into_iter().map(|table| table + "\n").collect();
    let absent: String = found.absent.iter().map(|reason| wrapped(&format!("not measured: {reason}"), LINE)).collect();
    let verdict: String = verdict(found).lines().map(|line| wrapped(line, LINE)).collect();
    let head = format!("{} on {}\n\n", phrase::system(run), phrase::processor(run));
    let said = [tables, wrapped(READING, LINE), wrapped(POST, LINE), "\n".into(), verdict, absent];
    printable_lines(&(head + &said.concat() + &requirements(run) + &warnings(run)))
}
