// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a recording cannot be read.

/// One line: what, at which byte or line, and how to fix it if known.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system says no.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// None of the forms that are known.
    #[error(
        "not a recording of kernel events; expected trace.dat, text of ftrace, perf.data, Perfetto, a CTF folder, or a \
            console with Detent's trail"
    )]
    Unknown,
    /// The file ends before it should.
    #[error("truncated at byte {at}: {what} needs {wanted} bytes, but {left} are left")]
    Cut {
        /// From the start of the file.
        at: u64,
        /// What was read.
        what: &'static str,
        /// Bytes it says it has.
        wanted: u64,
        /// Bytes that the file still has.
        left: u64,
    },
    /// Something that cannot be right.
    #[error("byte {at}: {what}")]
    Bad {
        /// From the start of the file.
        at: u64,
        /// What is wrong.
        what: String,
    },
    /// A row of a text that cannot be right.
    #[error("line {line}: {what}")]
    BadLine {
        /// From 1.
        line: u64,
        /// What is wrong.
        what: String,
    },
    /// A form that is known and not read.
    #[error("{0}")]
    NotRead(String),
}
