// SPDX-License-Identifier: MIT OR Apache-2.0
//! backwall: how late a machine and its operating system can respond, and why.
use backwall::memory::{self, Bounded};
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: Bounded = Bounded;

fn main() -> ExitCode {
    memory::tell_of_threads();
    backwall::cli::main()
}
