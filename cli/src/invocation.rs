// SPDX-License-Identifier: MIT OR Apache-2.0
//! How the tool was called: the words of its command line.
use std::ffi::OsString;

/// The words as they were typed, program first.
pub fn typed() -> Vec<OsString> {
    std::env::args_os().collect()
}

/// The words as a run keeps them, program first; what is not UTF-8 is replaced by U+FFFD.
pub fn words() -> Vec<String> {
    typed().into_iter().map(|word| word.to_string_lossy().into_owned()).collect()
}
