// SPDX-License-Identifier: MIT OR Apache-2.0
//! backwall: how late a machine and its operating system can respond, and why.
use std::process::ExitCode;

fn main() -> ExitCode {
    backwall::cli::main()
}
