// SPDX-License-Identifier: MIT OR Apache-2.0
//! D. Soussan's newsgroup post on Windows CE .NET 4.2 and Windows ME, on a 266 MHz machine.
use super::{Paper, Row, Table, row};

/// Figures from the post; it gives no limits.
pub const SAID: Table = Table { paper: Paper::Post, place: "text", rows: &SAID_ROWS };
const SAID_ROWS: [Row; 13] = [
    row("the machine", "SC1200UCL-266, now owned by AMD),", &["266 MHz"]),
    row("the sieve to the screen, ME, in seconds", "in all the sieve tests. On Windows ME, it ran in", &["16"]),
    row("the sieve to the screen, CE, in seconds", "On Windows CE, it ran in", &["20"]),
    row("the sieve to a file, ME, in seconds", "to a text file: On Windows ME, it ran in", &["16"]),
    row("the sieve to a file, CE, in seconds", "On Windows CE, it ran in", &["9"]),
    row("the sieve to telnet, CE, in seconds", "output, it runs in", &["9"]),
    row("showing that file, CE, less than these seconds", "it takes less than", &["2"]),
    row("primes up to, in millions", "primes up to", &["28"]),
    row("primes of a message, and its text in KB", "every time it finds", &["2000", "20"]),
    row("share of device.exe and of the sieve, screen, in percent", "square wave with", &["70", "30"]),
    row("share of the sieve, file, in percent", "piped to a file,", &["95"]),
    row("pushed in KB/s: zeros, a .zip file", "we measured", &["353", "211"]),
    row("pulled in KB/s", "we measured ~", &["253"]),
];
