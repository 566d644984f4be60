// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be wrong in a stream, and where.
use backwall_model::units::grouped;
use std::fmt;

/// A fault in a stream, with the place it was found.
#[derive(Debug)]
pub struct WireError {
    /// Records before this one.
    pub record: u64,
    /// Offset of this record's head in the stream, in bytes.
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
    /// The head names no possible size.
    #[error("payload of {0} bytes; expected a multiple of 8, at most 65536")]
    PayloadSize(u32),
    /// Records were lost on the way.
    #[error("has number {found}, expected {expected}: records were lost")]
    Number {
        /// The number that follows.
        expected: u16,
        /// The number that was read.
        found: u16,
    },
    /// The payload does not fit its type.
    #[error("{what} needs {needed} bytes of payload, but it has {found}")]
    Length {
        /// Name of the record.
        what: &'static str,
        /// Bytes it needs.
        needed: u64,
        /// Bytes it has.
        found: u64,
    },
    /// Not a probe stream.
    #[error("not a probe stream: expected HELLO and BACKWALL at the beginning")]
    NotAStream,
    /// The stream was rewritten on its way into a file.
    #[error("converted to 16-bit text, as PowerShell before 7.4 does with program output; use cmd")]
    Rewritten,
    /// HELLO came a second time.
    #[error("HELLO a second time")]
    HelloAgain,
    /// A version that is not known here.
    #[error("wire version {0}; this backwall reads versions 1 and 2")]
    Version(u32),
    /// A field has a value the format does not give a meaning.
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
    /// A text without its NUL before the payload's end.
    #[error("{0} has no end")]
    NoEnd(&'static str),
    /// A name is empty or too long.
    #[error("{0} has {1} bytes; a name must have 1 to 255")]
    Name(&'static str, usize),
    /// Something follows the texts of a record.
    #[error("{0} continues after its texts")]
    TooLong(&'static str),
    /// A field of a series is not one.
    #[error("a field of a series must be key=value, each key once")]
    Field,
    /// Two figures of a stream have the same identity.
    #[error("series {series} has figure {figure:?}, which another series with the same name, CPU and fields also has")]
    SameFigure {
        /// The series that came second.
        series: u32,
        /// Name of the figure.
        figure: String,
    },
    /// A series or load is used before it is declared.
    #[error("undeclared {what} {number}")]
    Undeclared {
        /// `series` or `load`.
        what: &'static str,
        /// Its number.
        number: u32,
    },
    /// A series or load is declared twice.
    #[error("duplicate {what} {number}")]
    DeclaredAgain {
        /// `series` or `load`.
        what: &'static str,
        /// Its number.
        number: u32,
    },
    /// More series or loads than a stream may have.
    #[error("more than {max} {what} in one stream")]
    TooMany {
        /// `series` or `loads`.
        what: &'static str,
        /// The most a stream may declare.
        max: usize,
    },
    /// A gap or an overlap in the stimuli of a series.
    #[error("series {series} continues at stimulus {found}, expected {expected}")]
    Gap {
        /// The series.
        series: u32,
        /// The stimulus that follows.
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
    /// The device counted otherwise than the stream shows.
    #[error("series {series}: the probe counted {said}, but the stream has {counted}")]
    Account {
        /// The series.
        series: u32,
        /// `due = done + missed + unseen` as the probe counted.
        said: String,
        /// The same as counted.
        counted: String,
    },
    /// END does not agree with the number of records.
    #[error("END announces {said} records before it, but there are {counted}")]
    Records {
        /// Records as the device says.
        said: u64,
        /// Records as counted.
        counted: u64,
    },
    /// Something follows END.
    #[error("the stream goes on after END")]
    AfterEnd,
}
