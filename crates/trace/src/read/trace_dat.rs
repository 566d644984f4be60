// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace.dat of trace-cmd or backwall: determines its version.
#![expect(clippy::disallowed_types, reason = "reads and writes files")]
use super::error::ReadError;
use super::head::Head;
use super::input::Input;
use super::{trace_dat_6, trace_dat_7};
use std::fs::File;

pub(super) const MAGIC: &[u8] = b"\x17\x08\x44tracing";

pub(super) fn head(file: &File) -> Result<Head, ReadError> {
    let mut input = Input::new(file)?;
    input.skip(MAGIC.len() as u64, "the first bytes")?;
    let version = input.name("the version")?;
    if input.byte("the byte order")? != 0 {
        return Err(input.bad("big-endian recordings are not supported"));
    }
    input.skip(1, "the size of a long")?;
    input.skip(4, "the size of a page")?;
    match version.as_str() {
        "6" => trace_dat_6::head(input),
        "7" => trace_dat_7::head(input),
        other => Err(ReadError::NotRead(format!("unknown trace.dat version {other}; expected 6 or 7"))),
    }
}
