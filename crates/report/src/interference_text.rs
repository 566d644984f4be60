// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run of parts alone and together as text: tables, how to read them, and what was not measured.
use super::interference::{POST, READING, of, tables, verdict};
use super::phrase;
use super::printable::printable_lines;
use super::text::{requirements, warnings};
use super::wrap::{narrow, wrapped};
use backwall_model::Run;

pub fn text(run: &Run, columns: usize) -> String {
    let Some(found) = of(run) else { return String::new() };
    let tables: String = tables(found, columns).into_iter().map(|table| table + "\n").collect();
    let absent: String =
        found.absent.iter().map(|reason| wrapped(&format!("not measured: {reason}"), columns)).collect();
    let verdict: String = verdict(found).lines().map(|line| wrapped(line, columns)).collect();
    let head = narrow(&format!("{} on {}\n\n", phrase::system(run), phrase::processor(run)), columns);
    let said = [tables, wrapped(READING, columns), wrapped(POST, columns), "\n".into(), verdict, absent];
    let judged = narrow(&(requirements(run) + &warnings(run)), columns);
    printable_lines(&(head + &said.concat() + &judged))
}
