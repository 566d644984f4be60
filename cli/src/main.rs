// SPDX-License-Identifier: MIT OR Apache-2.0
//! backwall: how late a machine and its operating system can respond, and why.
use backwall::memory::{self, Bounded};
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: Bounded = Bounded;

fn main() -> ExitCode {
    memory::tell_of_threads();
    // Read the commit here and not in the library: a new commit then only relinks this program and compiles nothing else.
    backwall::cli::built_from(option_env!("BACKWALL_COMMIT"));
    backwall::cli::main()
}
