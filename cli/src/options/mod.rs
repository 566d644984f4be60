// SPDX-License-Identifier: MIT OR Apache-2.0
//! Options that mean the same in every command that has them: one subject a file, flattened where a command uses it.
//!
//! - `destination`: the folder of a run
//! - `printing`: the form of a result on standard output
//! - `requirements`: what a run must keep
//! - `seed`: the seed of everything random
//! - `verbose`: more than one screen of a result
mod destination;
mod printing;
mod requirements;
mod seed;
mod verbose;

pub use destination::Destination;
pub use printing::Printing;
pub use requirements::Requirements;
pub use seed::Seed;
pub use verbose::Verbose;
