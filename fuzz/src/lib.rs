// SPDX-License-Identifier: MIT OR Apache-2.0
//! Hostile inputs for every reader of outside data.
//!
//! - `damage`: how a seed is damaged without an engine
//! - `made`: seeds of formats that nobody can type
//! - `seeds`: what the targets begin with
//! - `targets`: what each does with the bytes
mod damage;
mod made;
mod seeds;
mod targets;

pub use damage::Damage;

/// A reader of outside data.
pub struct Target {
    /// As `tools/fuzz.sh` and the folders of found inputs name it.
    pub name: &'static str,
    /// Gives it the bytes. `true`: it took them. A panic is a finding.
    pub read: fn(&[u8]) -> bool,
    /// Inputs that it takes.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// The format, as the reader's table calls it, where there is one.
    pub format: Option<&'static str>,
}

const fn target(name: &'static str, read: fn(&[u8]) -> bool, seeds: fn() -> Vec<Vec<u8>>) -> Target {
    Target { name, read, seeds, format: None }
}

const fn of(format: &'static str, target: Target) -> Target {
    Target { format: Some(format), ..target }
}

/// Every target, one line each.
pub static TARGETS: &[Target] = &[
    target("run", targets::run, seeds::run),
    target("run_drawn", targets::run_drawn, seeds::run),
    target("samples", targets::samples, seeds::samples),
    target("wire", targets::wire, seeds::wire),
    target("probe_heard", targets::probe_heard, seeds::wire),
    target("load_heard", targets::load_heard, seeds::load),
    target("jobs_heard", targets::jobs_heard, seeds::jobs),
    target("operations_heard", targets::operations_heard, seeds::wire),
    target("trace_dat_6", targets::recording, seeds::trace_dat_6),
    target("trace_dat_7", targets::recording, seeds::trace_dat_7),
    target("perf_data", targets::recording, seeds::perf_data),
    target("ctf", targets::ctf, seeds::ctf),
    target("perfetto", targets::recording, seeds::perfetto),
    target("trace_text", targets::recording, seeds::trace_text),
    target("trail", targets::recording, seeds::trail),
    target("pages", targets::pages, seeds::pages),
    target("layouts", targets::layouts, seeds::layouts),
    target("functions", targets::functions, seeds::functions),
    of("VCD", target("vcd", targets::capture, seeds::vcd)),
    of("the lab's edges.bin", target("edges", targets::capture, seeds::edges)),
    of("sigrok .sr and DSView .dsl", target("sigrok", targets::capture, made::sigrok)),
    of("Saleae binary", target("saleae_binary", targets::capture, made::saleae_binary)),
    of("Agilent BIN", target("agilent", targets::capture, made::agilent)),
    of("Tektronix ISF", target("tektronix", targets::capture, made::tektronix)),
    of("CSV", target("csv", targets::capture, seeds::csv)),
    target("lab_trail", targets::lab_trail, seeds::lab_trail),
    target("lab_stretches", targets::lab_stretches, seeds::lab_stretches),
    target("lines", targets::lines, seeds::lines),
    target("symbols_elf", targets::symbols_elf, seeds::elf),
    target("symbols_map", targets::symbols_map, seeds::map),
    of("cyclictest-json", target("cyclictest_json", targets::import, seeds::cyclictest_json)),
    of("oslat-json", target("oslat_json", targets::import, seeds::oslat_json)),
    of("jitterdebugger", target("jitterdebugger", targets::import, seeds::jitterdebugger)),
    of("rteval", target("rteval", targets::import, seeds::rteval)),
    of("rtla-timerlat", target("rtla_timerlat", targets::import, seeds::rtla_timerlat)),
    of("rtla-osnoise", target("rtla_osnoise", targets::import, seeds::rtla_osnoise)),
    of("cyclictest-histogram", target("cyclictest_histogram", targets::import, seeds::cyclictest_histogram)),
    of("oslat", target("oslat", targets::import, seeds::oslat)),
    of("stress-ng-cyclic", target("stress_ng", targets::import, seeds::stress_ng)),
    of("hwlatdetect", target("hwlatdetect", targets::import, seeds::hwlatdetect)),
    of("latmus", target("latmus", targets::import, seeds::latmus)),
    of("xenomai-latency", target("xenomai", targets::import, seeds::xenomai)),
    of("schbench", target("schbench", targets::import, seeds::schbench)),
    of("bpf-histogram", target("bpf", targets::import, seeds::bpf)),
    of("cyclictest-samples", target("cyclictest_samples", targets::import, seeds::cyclictest_samples)),
    of("SchedCAT XML", target("schedcat", targets::task_set, seeds::schedcat)),
    of("SimSo XML", target("simso", targets::task_set, seeds::simso)),
    of("Cheddar XML", target("cheddar", targets::task_set, seeds::cheddar)),
    of("rt-app JSON", target("rt_app", targets::task_set, seeds::rt_app)),
    of("MAST text", target("mast", targets::task_set, seeds::mast)),
    of("TOML", target("toml_set", targets::task_set, seeds::toml_set)),
    target("recipe", targets::recipe, seeds::recipe),
    target("campaign", targets::campaign, seeds::campaign),
    target("fleet", targets::fleet, seeds::fleet),
    target("parcel", targets::parcel, seeds::parcel),
    target("recordings", targets::recordings, seeds::recordings),
    target("scenario", targets::scenario, seeds::scenario),
    target("kernel_image", targets::kernel_image, made::kernel_image),
    target("requirement", targets::requirement, seeds::requirement),
    target("words", targets::words, seeds::words),
];
