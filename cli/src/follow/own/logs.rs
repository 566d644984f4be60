// SPDX-License-Identifier: MIT OR Apache-2.0
//! A process's log files: its standard output and error, and every file ending in `.log` that it writes. backwall reads only
//! what the process appends after backwall has found the file.
use backwall_os::regular_file;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

// Bytes of one file read at a time; the next reads take the rest.
const MOST_BYTES: u64 = 256 << 10;
const MOST_LINE: usize = 4 << 10;

#[derive(Default)]
pub(super) struct Logs {
    files: BTreeMap<(u64, u64), Log>,
    ever: bool,
}

struct Log {
    file: File,
    at: u64,
    begun: Vec<u8>,
}

impl Logs {
    pub(super) fn turn_to(&mut self, processes: &BTreeSet<i32>) -> usize {
        let mut found = BTreeMap::new();
        for process in processes {
            for (id, file) in written(Path::new(&format!("/proc/{process}"))) {
                let at = file.metadata().map_or(0, |now| now.len());
                let known = self.files.remove(&id).unwrap_or(Log { file, at, begun: Vec::new() });
                found.entry(id).or_insert(known);
            }
        }
        self.files = found;
        self.ever |= self.are_followed();
        self.files.len()
    }

    pub(super) fn are_followed(&self) -> bool {
        !self.files.is_empty()
    }

    pub(super) fn were_followed(&self) -> bool {
        self.ever
    }

    pub(super) fn read(&mut self) -> Vec<String> {
        self.files.values_mut().flat_map(Log::lines).collect()
    }
}

impl Log {
    fn lines(&mut self) -> Vec<String> {
        let length = self.file.metadata().map_or(0, |now| now.len());
        if length < self.at {
            // The process truncated the file, so read it from its start.
            (self.at, self.begun) = (0, Vec::new());
        }
        if length == self.at {
            return Vec::new();
        }
        let mut bytes = Vec::new();
        let read = self
            .file
            .seek(SeekFrom::Start(self.at))
            .and_then(|_| (&self.file).take(MOST_BYTES).read_to_end(&mut bytes));
        self.at += read.unwrap_or(0) as u64;
        self.begun.extend(bytes);
        let Some(end) = self.begun.iter().rposition(|byte| *byte == b'\n') else {
            self.begun.truncate(MOST_LINE);
            return Vec::new();
        };
        let rest = self.begun.split_off(end + 1);
        let whole = std::mem::replace(&mut self.begun, rest);
        let line = |line: &[u8]| String::from_utf8_lossy(&line[..line.len().min(MOST_LINE)]).trim().to_string();
        whole.split(|byte| *byte == b'\n').filter(|bytes| !bytes.is_empty()).map(line).collect()
    }
}

fn written(process: &Path) -> Vec<((u64, u64), File)> {
    let entries = fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
    let open = |number: &str| {
        let link = process.join("fd").join(number);
        let name = fs::read_link(&link).ok()?;
        let is_word = ["1", "2"].contains(&number) || name.extension().is_some_and(|end| end == "log");
        if !is_word || !fs::metadata(&link).is_ok_and(|what| what.is_file()) || !is_written(process, number) {
            return None;
        }
        // The process may have replaced the file with a pipe since.
        let file = regular_file::open(&link).ok()?;
        let what = file.metadata().ok()?;
        Some(((what.dev(), what.ino()), file))
    };
    entries.filter_map(|entry| open(&entry.file_name().to_string_lossy())).collect()
}

/// Whether a file is open for writing, by its flags in octal (proc(5)).
fn is_written(process: &Path, number: &str) -> bool {
    let text = fs::read_to_string(process.join("fdinfo").join(number)).unwrap_or_default();
    let flags = text.lines().find_map(|row| u32::from_str_radix(row.strip_prefix("flags:")?.trim(), 8).ok());
    flags.is_some_and(|flags| flags & 3 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn whole_lines_of_the_files_that_a_process_writes_are_read_once() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("own.log");
        let mut written = File::create(&place).unwrap();
        writeln!(written, "before").unwrap();
        let read_alone = File::open(&place).unwrap();
        let mut logs = Logs::default();
        assert!(logs.turn_to(&BTreeSet::from([std::process::id() as i32])) >= 1);
        let ours = |logs: &mut Logs| -> Vec<String> {
            logs.read().into_iter().filter(|line| line.starts_with("own ")).collect()
        };
        write!(written, "own a\nown b").unwrap();
        assert_eq!(ours(&mut logs), ["own a"]);
        writeln!(written, "c").unwrap();
        assert_eq!(ours(&mut logs), ["own bc"]);
        assert!(ours(&mut logs).is_empty());
        written.set_len(0).unwrap();
        written.seek(SeekFrom::Start(0)).unwrap();
        writeln!(written, "own d").unwrap();
        assert_eq!(ours(&mut logs), ["own d"]);
        drop(read_alone);
        assert_eq!(logs.turn_to(&BTreeSet::new()), 0);
        assert!(logs.were_followed() && !logs.are_followed());
    }
}
