// SPDX-License-Identifier: MIT OR Apache-2.0
//! D. Soussan's newsgroup post on Windows CE .NET 4.2 and Windows ME, on a 266 MHz machine.
use super::{Paper, Row, Table, row};

/// Figures from the post; it gives no limits.
pub const SAID: Table = Table { paper: Paper::Post, place: "text", rows: &SAID_ROWS };
const SAID_ROWS: [Row; 13] = [
    row("the machine", "SC1200UCL-266, now owned by AMD),", &["266 MHz"]),
    row("sieve with output to the screen, ME, in seconds", "in all the sieve tests. On Windows ME, it ran in", &["16"]),
    row("sieve with output to the screen, CE, in seconds", "On Windows CE, it ran in", &["20"]),
    row("sieve with output to a file, ME, in seconds", "to a text file: On Windows ME, it ran in", &["16"]),
    row("sieve with output to a file, CE, in seconds", "On Windows CE, it ran in", &["9"]),
    row("sieve with output to telnet, CE, in seconds", "output, it runs in", &["9"]),
    row("upper limit of the time to show the text file, CE, in seconds", "it takes less than", &["2"]),
    row("largest number in the sieve, in millions", "primes up to", &["28"]),
    row("primes per message, and the message's text in KB", "every time it finds", &["2000", "20"]),
    row(
        "shares of device.exe and of the sieve with output to the screen, in percent",
        "square wave with",
        &["70", "30"],
    ),
    row("share of the sieve with output to a file, in percent", "piped to a file,", &["95"]),
    row("push rate in KB/s, for zeros and for a .zip file", "we measured", &["353", "211"]),
    row("pull rate in KB/s", "we measured ~", &["253"]),
];
