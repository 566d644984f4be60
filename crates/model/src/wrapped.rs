// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the first bytes show about a file that no reader knows, and how to convert it into a file that backwall reads.

const WRAPPED: [(&[u8], &str); 8] = [
    (b"\x1f\x8b", "packed by gzip: unpack it with gunzip"),
    (b"\x28\xb5\x2f\xfd", "packed by Zstandard: unpack it with unzstd"),
    (b"\xfd7zXZ\0", "packed by xz: unpack it with unxz"),
    (b"BZh", "packed by bzip2: unpack it with bunzip2"),
    (b"\x04\x22\x4d\x18", "packed by LZ4: unpack it with unlz4"),
    (b"PK\x03\x04", "a ZIP archive: unpack it with unzip"),
    (b"\xff\xfe", UTF_16),
    (b"\xfe\xff", UTF_16),
];

const UTF_16: &str = "a text in UTF-16: convert it with iconv -f UTF-16 -t UTF-8";

/// What the beginning of the file shows: that the file is empty, compressed, or in another encoding.
pub fn wrapped(begin: &[u8]) -> Option<&'static str> {
    if begin.is_empty() {
        return Some("the file is empty");
    }
    WRAPPED.iter().find(|(magic, _)| begin.starts_with(magic)).map(|(_, what)| *what)
}

#[test]
fn first_bytes_tell_how_to_unpack() {
    assert_eq!(wrapped(b""), Some("the file is empty"));
    assert_eq!(wrapped(b"\x1f\x8b\x08\0"), Some("packed by gzip: unpack it with gunzip"));
    assert_eq!(
        wrapped("\u{feff}a".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>().as_slice()),
        Some(UTF_16)
    );
    assert_eq!(wrapped(b"# tracer: nop"), None);
}
