// SPDX-License-Identifier: MIT OR Apache-2.0
//! Options that mean the same in every command that has them: one topic per file, flattened where a command uses it.
mod best_effort;
mod cyclictest_histogram;
mod deadline;
mod destination;
mod metrics;
mod one_cpu;
mod page_file;
mod pictures;
mod printing;
mod probe_file;
mod requirements;
mod run_output;
mod seed;
mod smallest_effect;
mod verbose;

pub use best_effort::BestEffort;
pub use cyclictest_histogram::CyclictestHistogram;
pub use deadline::Deadline;
pub use destination::Destination;
pub use metrics::Metrics;
pub use one_cpu::OneCpu;
pub use page_file::PageFile;
pub use pictures::Pictures;
pub use printing::Printing;
pub use probe_file::ProbeFile;
pub use requirements::Requirements;
pub use run_output::RunOutput;
pub use seed::Seed;
pub use smallest_effect::SmallestEffect;
pub(crate) use smallest_effect::percent;
pub use verbose::Verbose;
