// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a recording cannot be read.

/// Each error is one line: what is wrong, at which byte or line, and the way out, if known.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system refused to read.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The file is in none of the known formats.
    #[error(
        "not a recording of kernel events; expected trace.dat, text of ftrace, perf.data, Perfetto, a CTF folder, or a \
            console with Detent's trail"
    )]
    Unknown,
    /// The file ends before it should.
    #[error("truncated at byte {at}: {what} needs {wanted} bytes, but {left} are left")]
    Cut {
        /// Offset in the file.
        at: u64,
        /// What was read.
        what: &'static str,
        /// Number of bytes that this part needs.
        wanted: u64,
        /// Number of bytes left in the file.
        left: u64,
    },
    /// A part that cannot be valid.
    #[error("byte {at}: {what}")]
    Bad {
        /// Offset in the file.
        at: u64,
        /// What is wrong.
        what: String,
    },
    /// A row of a text that cannot be valid.
    #[error("line {line}: {what}")]
    BadLine {
        /// Number of the row, from 1.
        line: u64,
        /// What is wrong.
        what: String,
    },
    /// A known format that is not supported.
    #[error("{0}")]
    NotRead(String),
}
