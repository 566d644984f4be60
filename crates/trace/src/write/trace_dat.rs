// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace.dat, version 6: the head that readers need for the kernel's sub-buffers, and the sub-buffers as the kernel wrote them.
//! Source: trace-cmd.dat.v6(5).
use std::io::{Read, Result, Write, copy};

const STATISTICS: u16 = 2;
const CLOCK: u16 = 4;
const SYSTEM: u16 = 5;
const CPU_COUNT: u16 = 8;
/// backwall's own option, which other readers skip: rows of a thread and its process.
pub(crate) const PROCESSES: u16 = 0x6277;
/// Another own option: the number of system management interrupts of the CPU that had the most, or that it cannot be read.
pub(crate) const SMI: u16 = 0x6278;
/// Another own option: control groups whose quota stopped their threads, as rows of [`QuotaRow`].
pub(crate) const QUOTAS: u16 = 0x6279;
/// The system of ftrace's own events, which their formats do not name.
const FTRACE: &str = "ftrace";
/// The kernel's text in `events/header_event`, which is a description and no layout.
const HEADER_EVENT: &str =
    "# compressed entry header\n\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n\tarray       :   32 bits\n";

/// Everything before the sub-buffers.
#[derive(Clone, Debug, Default)]
pub struct Head {
    /// The text of `events/header_page`.
    pub header_page: String,
    /// System and `format` text of each event.
    pub formats: Vec<(String, String)>,
    /// Rows with a thread's number and its name.
    pub names: String,
    /// Rows with a thread's number and the number of its process.
    pub processes: String,
    /// The text of `trace_clock`.
    pub clock: String,
    /// The output of `uname`.
    pub system: String,
    /// The kernel's functions as in `/proc/kallsyms`; empty if no stack was recorded.
    pub functions: String,
    /// The text of each ring's `stats`.
    pub statistics: Vec<String>,
    /// The number of system management interrupts of the CPU that had the most, or why it cannot be read; empty if not read.
    pub smi: String,
    /// Control groups whose CPU quota stopped their threads, one row each.
    pub quotas: Vec<QuotaRow>,
}

/// A control group whose quota stopped its threads during the recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuotaRow {
    /// Folder of the control group.
    pub group: String,
    /// Number of periods in which the quota was used up.
    pub times: u64,
    /// Total time that the group was stopped, in nanoseconds.
    pub ns: u64,
    /// Threads of the control group.
    pub threads: Vec<i32>,
}

impl QuotaRow {
    /// `TIMES NANOSECONDS THREAD,THREAD… FOLDER`. The folder may contain spaces; control characters in it become `?`.
    fn row(&self) -> String {
        let threads: Vec<String> = self.threads.iter().map(i32::to_string).collect();
        format!("{} {} {} {}\n", self.times, self.ns, threads.join(","), self.group.replace(char::is_control, "?"))
    }

    pub(crate) fn read(row: &str) -> Option<Self> {
        let mut parts = row.splitn(4, ' ');
        let (times, ns) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let threads = parts.next()?.split(',').filter_map(|thread| thread.parse().ok()).collect();
        Some(Self { group: parts.next()?.to_string(), times, ns, threads })
    }
}

/// Writes the head and the sub-buffers of each CPU, from CPU 0 on. `cpus` has the number of bytes and a reader for each, with
/// whole sub-buffers of `page_bytes`; each reader is dropped as soon as it was read.
pub fn write<R: Read>(out: &mut impl Write, head: &Head, page_bytes: usize, cpus: Vec<Option<(u64, R)>>) -> Result<()> {
    let mut bytes = head.bytes(page_bytes, cpus.len() as u32);
    let directory = bytes.len();
    let clock = 8 + head.clock.len();
    let first = (directory + cpus.len() * 16 + clock).next_multiple_of(page_bytes) as u64;
    let mut at = first;
    for cpu in &cpus {
        let length = cpu.as_ref().map_or(0, |(length, _)| *length);
        bytes.extend(at.to_le_bytes());
        bytes.extend(length.to_le_bytes());
        at += length;
    }
    sized(&head.clock, &mut bytes);
    bytes.resize(first as usize, 0);
    out.write_all(&bytes)?;
    cpus.into_iter().flatten().try_for_each(|(_, mut pages)| copy(&mut pages, out).map(|_| ()))
}

impl Head {
    fn bytes(&self, page_bytes: usize, cpus: u32) -> Vec<u8> {
        let mut head = b"\x17\x08\x44tracing6\0\x00\x08".to_vec();
        head.extend((page_bytes as u32).to_le_bytes());
        for (name, text) in [("header_page", &*self.header_page), ("header_event", HEADER_EVENT)] {
            head.extend([name.as_bytes(), b"\0"].concat());
            sized(text, &mut head);
        }
        let (own, others): (Vec<_>, Vec<_>) = self.formats.iter().partition(|(system, _)| system == FTRACE);
        head.extend((own.len() as u32).to_le_bytes());
        own.iter().for_each(|(_, text)| sized(text, &mut head));
        head.extend((others.len() as u32).to_le_bytes());
        for (system, text) in others {
            head.extend([system.as_bytes(), b"\0", &1u32.to_le_bytes()[..]].concat());
            sized(text, &mut head);
        }
        head.extend((self.functions.len() as u32).to_le_bytes());
        head.extend(self.functions.as_bytes());
        // The number of formats of printk: none.
        head.extend(0u32.to_le_bytes());
        sized(&self.names, &mut head);
        head.extend(cpus.to_le_bytes());
        head.extend(b"options  \0");
        self.options(cpus, &mut head);
        head.extend(b"\0\0flyrecord\0");
        head
    }

    fn options(&self, cpus: u32, head: &mut Vec<u8>) {
        let text =
            |number: u16, text: &str, head: &mut Vec<u8>| option(number, &[text.as_bytes(), b"\0"].concat(), head);
        // An empty option would only announce that the clock's text follows after the places of the CPUs. But trace-cmd 3.1.6
        // also reads the empty option itself as a text, from whatever bytes follow in its memory. If these are the name of a
        // clock that counts, trace-cmd prints the stamps without a point.
        text(CLOCK, &self.clock, head);
        text(SYSTEM, &self.system, head);
        option(CPU_COUNT, &cpus.to_le_bytes(), head);
        self.statistics.iter().for_each(|ring| text(STATISTICS, ring, head));
        text(PROCESSES, &self.processes, head);
        if !self.smi.is_empty() {
            text(SMI, &self.smi, head);
        }
        if !self.quotas.is_empty() {
            text(QUOTAS, &self.quotas.iter().map(QuotaRow::row).collect::<String>(), head);
        }
    }
}

fn option(number: u16, bytes: &[u8], head: &mut Vec<u8>) {
    head.extend(number.to_le_bytes());
    head.extend((bytes.len() as u32).to_le_bytes());
    head.extend(bytes);
}

/// A length of 8 bytes, then the text.
fn sized(text: &str, head: &mut Vec<u8>) {
    head.extend((text.len() as u64).to_le_bytes());
    head.extend(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_a_quota_is_read_as_it_was_written() {
        let row = QuotaRow { group: "/a box/of 3".to_string(), times: 2, ns: 9, threads: vec![4, 5] };
        assert_eq!(QuotaRow::read(row.row().trim_end()), Some(row.clone()));
        let alone = QuotaRow { threads: Vec::new(), group: "/a\nb".to_string(), ..row };
        assert_eq!(QuotaRow::read(alone.row().trim_end()).unwrap().group, "/a?b");
    }
}
