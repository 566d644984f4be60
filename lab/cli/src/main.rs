// SPDX-License-Identifier: MIT OR Apache-2.0
//! backwall-lab: measures how late a kernel in an emulator responds, in exact instruction counts.
use backwall::memory::{self, Bounded};
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: Bounded = Bounded;

fn main() -> ExitCode {
    memory::tell_of_threads();
    backwall::cli::built_from(option_env!("BACKWALL_COMMIT"));
    backwall_lab_cli::cli::main()
}
