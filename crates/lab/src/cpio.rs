// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writer of an initial file system: a cpio archive in the "newc" format (the kernel's
//! Documentation/driver-api/early-userspace/buffer-format.rst).
#![cfg_attr(test, expect(clippy::disallowed_types, reason = "its tests start programs"))]

/// File type bits of `mode`, as in stat(2).
const DIRECTORY: u32 = 0o040_000;
const REGULAR: u32 = 0o100_000;
const CHARACTER_DEVICE: u32 = 0o020_000;

/// An archive under construction. The same calls give the same bytes.
#[derive(Debug, Default)]
pub struct Archive {
    bytes: Vec<u8>,
    entries: u32,
}

impl Archive {
    pub fn directory(&mut self, path: &str) {
        self.entry(path, DIRECTORY | 0o755, (0, 0), &[]);
    }

    pub fn program(&mut self, path: &str, contents: &[u8]) {
        self.entry(path, REGULAR | 0o755, (0, 0), contents);
    }

    pub fn file(&mut self, path: &str, contents: &[u8]) {
        self.entry(path, REGULAR | 0o644, (0, 0), contents);
    }

    pub fn device(&mut self, path: &str, major: u32, minor: u32) {
        self.entry(path, CHARACTER_DEVICE | 0o600, (major, minor), &[]);
    }

    pub fn finish(mut self) -> Vec<u8> {
        self.entry("TRAILER!!!", 0, (0, 0), &[]);
        self.bytes
    }

    fn entry(&mut self, path: &str, mode: u32, (major, minor): (u32, u32), contents: &[u8]) {
        self.entries += 1;
        let name_bytes = path.len() as u32 + 1;
        let links = 1;
        // inode, mode, owner, group, links, time, size, device (2), device number (2), name, check
        let fields = [self.entries, mode, 0, 0, links, 0, contents.len() as u32, 0, 0, major, minor, name_bytes, 0];
        self.bytes.extend(b"070701");
        for field in fields {
            self.bytes.extend(format!("{field:08x}").bytes());
        }
        self.bytes.extend(path.bytes().chain([0]));
        self.pad();
        self.bytes.extend(contents);
        self.pad();
    }

    fn pad(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::process::{Command, Stdio};

    fn sample() -> Vec<u8> {
        let mut archive = Archive::default();
        archive.directory("dev");
        archive.device("dev/console", 5, 1);
        archive.program("init", b"12345");
        archive.file("modules/one", b"");
        archive.finish()
    }

    #[test]
    fn an_entry_is_a_header_of_110_bytes_a_name_and_contents_on_boundaries_of_four() {
        let mut archive = Archive::default();
        archive.program("init", b"12345");
        let bytes = archive.finish();
        assert_eq!(&bytes[..14], b"07070100000001");
        assert_eq!(&bytes[14..22], b"000081ed");
        assert_eq!(&bytes[54..62], b"00000005");
        assert_eq!(&bytes[110..116], b"init\0\0");
        assert_eq!(&bytes[116..124], b"12345\0\0\0");
        assert_eq!(&bytes[124..130], b"070701");
        assert_eq!(bytes.len() % 4, 0);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "what cannot be tested here is said past the tests' capture")]
    fn the_cpio_program_lists_what_was_put_in() {
        let Ok(mut cpio) =
            Command::new("cpio").args(["-itv", "--quiet"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
        else {
            let _ = writeln!(std::io::stderr(), "SKIP the_cpio_program_lists: no cpio program to compare with");
            return;
        };
        cpio.stdin.take().unwrap().write_all(&sample()).unwrap();
        let listed = String::from_utf8(cpio.wait_with_output().unwrap().stdout).unwrap();
        let names: Vec<&str> = listed.lines().filter_map(|line| line.split_whitespace().last()).collect();
        assert_eq!(names, ["dev", "dev/console", "init", "modules/one"]);
        assert!(listed.lines().nth(1).unwrap().starts_with("crw-------"), "{listed}");
    }
}
