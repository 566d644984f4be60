// SPDX-License-Identifier: MIT OR Apache-2.0
//! The errors in a stream, and where they are.
use backwall_model::units::grouped;
use std::fmt;

/// An error in a stream, with the place where it was found.
#[derive(Debug)]
pub struct WireError {
    /// Number of records before the faulty one.
    pub record: u64,
    /// Byte offset of this record's header in the stream.
    pub offset: u64,
    /// What is wrong.
    pub fault: Fault,
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "probe stream, record {} at byte {}: {}", grouped(self.record), grouped(self.offset), self.fault)
    }
}

impl std::error::Error for WireError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.fault {
            Fault::Read(error) => Some(error),
            _ => None,
        }
    }
}

/// What is wrong with a record.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The operating system could not read.
    #[error("cannot read the stream: {0}")]
    Read(std::io::Error),
    /// The header states an invalid size.
    #[error("payload of {0} bytes; expected a multiple of 8, at most 65536")]
    PayloadSize(u32),
    /// Records were lost in transfer.
    #[error("has number {found}, expected {expected}: records were lost")]
    Number {
        /// The expected number.
        expected: u16,
        /// The number that was read.
        found: u16,
    },
    /// The size of the payload does not match the type.
    #[error("{what} needs {needed} bytes of payload, but it has {found}")]
    Length {
        /// Name of the record.
        what: &'static str,
        /// Bytes that the record needs.
        needed: u64,
        /// Bytes that the record has.
        found: u64,
    },
    /// The input is not a probe stream.
    #[error("not a probe stream: expected HELLO and BACKWALL at the beginning")]
    NotAStream,
    /// The stream was converted to another encoding on its way into a file.
    #[error("converted to 16-bit text, as PowerShell before 7.4 does with program output; use cmd")]
    Rewritten,
    /// HELLO came a second time.
    #[error("HELLO a second time")]
    HelloAgain,
    /// A version that this crate does not support.
    #[error("wire version {0}; this backwall reads versions 1 and 2")]
    Version(u32),
    /// A field has a value that the format does not define.
    #[error("{field} has the invalid value {value}")]
    Value {
        /// Name of the field.
        field: &'static str,
        /// The value found.
        value: u64,
    },
    /// Padding or a reserved field is not zero.
    #[error("{0} must be zero")]
    NotZero(&'static str),
    /// A name or a text is not printable UTF-8.
    #[error("{0} must be printable UTF-8")]
    Text(&'static str),
    /// A text without a terminating NUL.
    #[error("{0} has no end")]
    NoEnd(&'static str),
    /// A name is empty or too long.
    #[error("{0} has {1} bytes; a name must have 1 to 255")]
    Name(&'static str, usize),
    /// Bytes follow the texts of a record.
    #[error("{0} has bytes after its texts")]
    TooLong(&'static str),
    /// A field of a series is not of the form key=value.
    #[error("a field of a series must be key=value, each key once")]
    Field,
    /// Two figures in the stream have the same identity.
    #[error("series {series} has figure {figure:?}, which another series with the same name, CPU and fields also has")]
    SameFigure {
        /// The second of the two series.
        series: u32,
        /// Name of the figure.
        figure: String,
    },
    /// A series or load is used before its declaration.
    #[error("undeclared {what} {number}")]
    Undeclared {
        /// `series` or `load`.
        what: &'static str,
        /// The undeclared number.
        number: u32,
    },
    /// A series or load is declared twice.
    #[error("duplicate {what} {number}")]
    DeclaredAgain {
        /// `series` or `load`.
        what: &'static str,
        /// The repeated number.
        number: u32,
    },
    /// More series or loads than a stream may have.
    #[error("more than {max} {what} in one stream")]
    TooMany {
        /// `series` or `loads`.
        what: &'static str,
        /// Maximum number in a stream.
        max: usize,
    },
    /// A gap or an overlap in the stimuli of a series.
    #[error("series {series} continues at stimulus {found}, expected {expected}")]
    Gap {
        /// The series.
        series: u32,
        /// The expected stimulus.
        expected: u64,
        /// The stimulus that was read.
        found: u64,
    },
    /// The stimulus of a sample is missing.
    #[error("series {series}, stimulus {seq}: the time of the stimulus is missing")]
    NoStimulus {
        /// The series.
        series: u32,
        /// The stimulus.
        seq: u64,
    },
    /// The device's own counts contradict the stream.
    #[error("series {series}: the probe counted {said}, but the stream has {counted}")]
    Account {
        /// The series.
        series: u32,
        /// `due = done + missed + unseen` as the probe counted them.
        said: String,
        /// The same counts, as the reader counted them.
        counted: String,
    },
    /// END contradicts the number of records.
    #[error("END announces {said} records before it, but there are {counted}")]
    Records {
        /// Number of records that the device stated.
        said: u64,
        /// Number of records that the reader counted.
        counted: u64,
    },
    /// Something follows END.
    #[error("the stream goes on after END")]
    AfterEnd,
}
