// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reports what a test needs and the machine lacks, so that no skipped test counts as passed; and what the tool says if it lacks
//! a right or a program. Any other failure fails the test.
use backwall_model::Warning;
use std::io::Write;
use std::process::Output;

// Beginnings of what is reported about rights, of the kernel's trace, and of programs; each is one of the tool's own sentences.
const SENTENCES: [&str; 17] = [
    "real-time priority",
    "cannot lock memory",
    "SCHED_DEADLINE with",
    "cannot write /dev/cpu_dma_latency",
    "cannot be used: it is absent, offline or outside",
    "the machine was too busy to start the threads",
    "cannot open the kernel's trace",
    "this kernel lacks the event",
    "connect a Pico",
    "gpiodetect and gpioinfo list",
    "this CPU is offline",
    "qemu-system-x86_64 cannot be started",
    "qemu-system-aarch64 cannot be started",
    "qemu-system-riscv64 cannot be started",
    "so it contains no guests for",
    "the lab needs QEMU",
    "is not installed",
];

// Not by a print macro, whose text a passing test would swallow.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

pub fn skip(test: &str, reason: &str) {
    say(&format!("SKIP {test}: {}", reason.trim()));
}

// Whether the command ended with 4 for that reason; prints the skip.
pub fn skipped(test: &str, output: &Output) -> bool {
    let said = String::from_utf8_lossy(&output.stderr).trim().to_string();
    output.status.code() == Some(4) && told(test, &said)
}

pub fn warned(test: &str, warnings: &[Warning]) -> bool {
    warnings.iter().any(|warning| told(test, &warning.text))
}

fn told(test: &str, said: &str) -> bool {
    let lacks = SENTENCES.iter().any(|sentence| said.contains(sentence));
    if lacks {
        skip(test, said);
    }
    lacks
}
