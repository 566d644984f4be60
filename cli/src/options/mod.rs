// SPDX-License-Identifier: MIT OR Apache-2.0
//! Options that mean the same in every command that has them: one topic per file, flattened where a command uses it.
mod destination;
mod printing;
mod requirements;
mod run_output;
mod seed;
mod verbose;

pub use destination::Destination;
pub use printing::Printing;
pub use requirements::Requirements;
pub use run_output::RunOutput;
pub use seed::Seed;
pub use verbose::Verbose;
