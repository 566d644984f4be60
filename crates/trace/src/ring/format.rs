// SPDX-License-Identifier: MIT OR Apache-2.0
//! The layout of an event's record, as the kernel that made the record states it.
//!
//! Offsets, sizes and identifiers differ between kernels and boots, so backwall reads them from each event's `format` file and
//! never assumes them. The text is not trusted: every number is bounded here, so that readers of records need no further checks.

/// No record is larger than its sub-buffer, so larger offsets are errors.
const RECORD_BYTES_MAX: usize = 1 << 16;

/// The layout of one event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventFormat {
    /// Name of the event, such as `sched_switch`.
    pub name: String,
    /// The number at the start of its records (`common_type`).
    pub id: u16,
    /// Fields of the event, including the common ones.
    pub fields: Vec<Field>,
}

/// Where one field is in a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name of the field, without array brackets.
    pub name: String,
    /// Position of the field.
    pub place: Place,
}

/// Place and type of a value in a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Offset in the record, in bytes.
    pub offset: usize,
    /// Number of bytes.
    pub size: usize,
    /// Whether the field is a signed number.
    pub signed: bool,
    /// Whether the field contains offset and length of bytes elsewhere in the record.
    pub dynamic: bool,
}

/// Why a text is not a `format` file.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum FormatError {
    /// A necessary line is missing.
    #[error("the event's format lacks the line {0:?}")]
    Missing(&'static str),
    /// A line that backwall cannot parse.
    #[error("cannot parse line {line} of the event's format: {text:?}")]
    BadLine {
        /// Number of the line, from 1.
        line: usize,
        /// The start of the line.
        text: String,
    },
    /// A field that backwall needs is missing.
    #[error("event {event} lacks the field {field:?}")]
    NoField {
        /// Name of the event.
        event: String,
        /// Name of the field.
        field: String,
    },
}

impl EventFormat {
    /// Parses the text of `events/<system>/<event>/format`.
    pub fn parse(text: &str) -> Result<Self, FormatError> {
        let name = value_of(text, "name:").ok_or(FormatError::Missing("name:"))?.to_string();
        let id = value_of(text, "ID:").ok_or(FormatError::Missing("ID:"))?;
        let id = id.parse().map_err(|_| FormatError::BadLine { line: 2, text: shortened(id) })?;
        Ok(Self { name, id, fields: fields(text)? })
    }

    /// The place of the field with this name.
    pub fn place(&self, name: &str) -> Result<Place, FormatError> {
        let missing = || FormatError::NoField { event: self.name.clone(), field: name.to_string() };
        self.fields.iter().find(|field| field.name == name).map(|field| field.place).ok_or_else(missing)
    }
}

impl Place {
    /// The number at this place in `record`, sign-extended if signed. `None` if the record is too short, or the field no number.
    pub fn number(&self, record: &[u8]) -> Option<i64> {
        if !(1..=8).contains(&self.size) {
            return None;
        }
        let mut wide = [0; 8];
        wide[..self.size].copy_from_slice(record.get(self.offset..self.end())?);
        let (wide, above) = (u64::from_le_bytes(wide), 64 - 8 * self.size as u32);
        Some(if self.signed { (wide << above) as i64 >> above } else { wide as i64 })
    }

    pub(crate) fn end(&self) -> usize {
        self.offset + self.size
    }

    /// The bytes of the field in `record`, also if they are elsewhere in it; `None` if the record is too short.
    pub fn bytes<'a>(&self, record: &'a [u8]) -> Option<&'a [u8]> {
        if !self.dynamic {
            return record.get(self.offset..self.end());
        }
        let reference = record.get(self.offset..self.offset + 4)?;
        let start = u16::from_le_bytes([reference[0], reference[1]]) as usize;
        let length = u16::from_le_bytes([reference[2], reference[3]]) as usize;
        record.get(start..start + length)
    }
}

pub(crate) fn fields(text: &str) -> Result<Vec<Field>, FormatError> {
    let numbered = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    numbered
        .filter(|(_, line)| line.starts_with("field:"))
        .map(|(number, line)| field(line).ok_or_else(|| FormatError::BadLine { line: number, text: shortened(line) }))
        .collect()
}

/// Parses `field:TYPE NAME; offset:N; size:N; signed:B;`. Kernels before 2.6.31 omit `signed`.
fn field(line: &str) -> Option<Field> {
    let mut parts = line.split(';').map(str::trim);
    let declaration = parts.next()?.strip_prefix("field:")?.trim();
    let (mut offset, mut size, mut signed) = (None, None, false);
    for part in parts {
        match part.split_once(':') {
            Some(("offset", value)) => offset = value.parse().ok(),
            Some(("size", value)) => size = value.parse().ok(),
            Some(("signed", value)) => signed = value == "1",
            _ => {}
        }
    }
    let (offset, size): (usize, usize) = (offset?, size?);
    let dynamic = declaration.starts_with("__data_loc ");
    let credible = offset <= RECORD_BYTES_MAX && size <= RECORD_BYTES_MAX && (!dynamic || size == 4);
    let name = declared_name(declaration)?;
    credible.then(|| Field { name: name.to_string(), place: Place { offset, size, signed, dynamic } })
}

/// `prev_comm` from `char prev_comm[16]`.
fn declared_name(declaration: &str) -> Option<&str> {
    let (_, name) = declaration.rsplit_once([' ', '*'])?;
    let name = name.split('[').next()?;
    (!name.is_empty()).then_some(name)
}

fn value_of<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix(key)).map(str::trim)
}

fn shortened(text: &str) -> String {
    text.chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SWITCH_3_4: &str = include_str!("../../tests/data/android_hammerhead_MRA59G_3.4.0/sched_switch.format");
    const SWITCH_4_4: &str =
        include_str!("../../tests/data/android_walleye_OPM5.171019.017.A1_4.4.88/sched_switch.format");
    const IRQ_3_10: &str =
        include_str!("../../tests/data/android_flounder_lte_LRX16F_3.10.40/irq_handler_entry.format");

    fn place(text: &str, field: &str) -> (usize, usize, bool) {
        let place = EventFormat::parse(text).unwrap().place(field).unwrap();
        (place.offset, place.size, place.signed)
    }

    #[test]
    fn the_same_event_lies_elsewhere_on_another_kernel() {
        assert_eq!(EventFormat::parse(SWITCH_3_4).unwrap().id, 70);
        assert_eq!(place(SWITCH_3_4, "next_pid"), (56, 4, true));
        assert_eq!(place(SWITCH_3_4, "prev_state"), (36, 4, true));
        assert_eq!(EventFormat::parse(SWITCH_4_4).unwrap().id, 47);
        assert_eq!(place(SWITCH_4_4, "next_pid"), (56, 4, true));
        assert_eq!(place(SWITCH_4_4, "prev_state"), (32, 8, true));
    }

    #[test]
    fn a_name_elsewhere_in_the_record_is_followed() {
        let format = EventFormat::parse(IRQ_3_10).unwrap();
        let name = format.place("name").unwrap();
        assert!(name.dynamic);
        let mut record = vec![0; 24];
        record[name.offset..name.offset + 4].copy_from_slice(&[20, 0, 4, 0]);
        record[20..24].copy_from_slice(b"eth\0");
        assert_eq!(name.bytes(&record), Some(&b"eth\0"[..]));
        assert_eq!(name.bytes(&record[..22]), None);
    }

    #[expect(clippy::disallowed_methods, reason = "the layouts of real kernels are files beside the tests")]
    #[test]
    fn every_shipped_format_file_is_understood() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");
        let mut files = 0;
        for kernel in std::fs::read_dir(folder).unwrap().flatten().filter(|entry| entry.path().is_dir()) {
            let files_of_kernel = std::fs::read_dir(kernel.path()).unwrap().flatten();
            for file in files_of_kernel.filter(|file| file.path().extension().is_some_and(|kind| kind == "format")) {
                let text = std::fs::read_to_string(file.path()).unwrap();
                let format = EventFormat::parse(&text).unwrap();
                assert!(format.place("common_pid").is_ok(), "{:?}", file.path());
                files += 1;
            }
        }
        assert!(files >= 20, "{files}");
    }

    #[test]
    fn numbers_keep_their_sign() {
        let place = |signed| Place { offset: 1, size: 2, signed, dynamic: false };
        assert_eq!(place(true).number(&[0, 0xfe, 0xff]), Some(-2));
        assert_eq!(place(false).number(&[0, 0xfe, 0xff]), Some(65534));
        assert_eq!(place(false).number(&[0, 0xfe]), None);
        assert_eq!(place(true).number(&[0, 0xfe, 0xff, 1, 2, 3, 4, 5, 6, 7]), Some(-2));
        assert_eq!(place(false).number(&[0, 0xfe, 0xff, 1, 2, 3, 4, 5, 6, 7]), Some(65534));
        assert_eq!(Place { size: 9, ..place(false) }.number(&[0; 20]), None);
    }

    proptest! {
        #[test]
        fn a_number_of_every_size_is_what_its_bytes_say(bytes in proptest::collection::vec(any::<u8>(), 12), offset in 0usize..14, size in 1usize..=8, signed: bool) {
            let place = Place { offset, size, signed, dynamic: false };
            let expected = bytes.get(offset..offset + size).map(|field| {
                let fill = if signed && field[size - 1] >= 0x80 { 0xff } else { 0 };
                let mut wide = [fill; 8];
                wide[..size].copy_from_slice(field);
                i64::from_le_bytes(wide)
            });
            prop_assert_eq!(place.number(&bytes), expected);
        }
    }

    #[test]
    fn a_bad_file_is_refused_with_its_line() {
        assert_eq!(EventFormat::parse("ID: 3\n"), Err(FormatError::Missing("name:")));
        let text = "name: x\nID: 3\nformat:\n\tfield:int a;\toffset:zero;\tsize:4;\n";
        assert!(matches!(EventFormat::parse(text), Err(FormatError::BadLine { line: 4, .. })));
        let huge = "name: x\nID: 3\nformat:\n\tfield:int a;\toffset:18446744073709551615;\tsize:4;\n";
        assert!(matches!(EventFormat::parse(huge), Err(FormatError::BadLine { line: 4, .. })));
    }

    proptest! {
        #[test]
        fn no_text_and_no_record_panics(text in "(name: .{0,8}\n)?(ID: [0-9]{0,6}\n)?(.?field:(__data_loc )?[a-z *]{0,9}(\\[[0-9]?\\])?;? ?offset:[0-9]{0,6}; ?size:[0-9]{0,6};.{0,9}\n){0,4}", record in proptest::collection::vec(any::<u8>(), 0..80)) {
            if let Ok(format) = EventFormat::parse(&text) {
                for field in &format.fields {
                    let _ = (field.place.number(&record), field.place.bytes(&record));
                }
            }
        }
    }
}
