// SPDX-License-Identifier: MIT OR Apache-2.0
//! Converts other tools' results to series of a run: one file per format, one line each in [`ALL`].
//!
//! A file is recognised by its beginning, read in bounded memory, and refused if it contradicts itself. A figure that it lacks is
//! unknown, never 0.
mod as_run;
mod bpf_histogram;
mod bpf_rows;
mod counted;
mod cyclictest_histogram;
mod cyclictest_json;
mod cyclictest_samples;
mod decimal;
pub mod format;
mod hwlatdetect;
mod jitterdebugger;
mod latency_histogram;
mod latmus;
mod lines;
mod oslat;
mod oslat_json;
mod perf_bench;
mod ros2_control;
mod rt_tests;
mod rteval;
mod rtla;
mod rtla_top;
mod schbench;
mod stress_ng;
mod summary;
pub mod table;
#[cfg(test)]
mod tests;
mod xenomai;

pub use as_run::run_of;
pub use format::{BadImport, Imported, Importer};
pub use table::{named, read, read_as, recognised};

pub static ALL: &[Importer] = &[
    cyclictest_json::IMPORTER,
    oslat_json::IMPORTER,
    jitterdebugger::IMPORTER,
    rteval::IMPORTER,
    rtla::TIMERLAT,
    rtla::OSNOISE,
    rtla_top::TIMERLAT,
    rtla_top::OSNOISE,
    cyclictest_histogram::IMPORTER,
    oslat::IMPORTER,
    stress_ng::IMPORTER,
    hwlatdetect::IMPORTER,
    latmus::IMPORTER,
    xenomai::IMPORTER,
    schbench::IMPORTER,
    bpf_histogram::IMPORTER,
    cyclictest_samples::IMPORTER,
    summary::CYCLICTEST,
    summary::JITTERDEBUGGER,
    perf_bench::IMPORTER,
    latency_histogram::IMPORTER,
    ros2_control::IMPORTER,
];
