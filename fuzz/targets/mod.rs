// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every reader of outside data as a fuzz target: seeds that it must accept, and the function that passes bytes to it.
#![allow(dead_code, unused_imports, reason = "each of the three programs that share this uses a part of it")]
mod damage;
mod made;
mod reading;
mod seeds;

pub use damage::Damage;

pub struct Target {
    pub name: &'static str,
    /// Passes the bytes to the reader. Returns whether it accepted them. A panic is a finding.
    pub read: fn(&[u8]) -> bool,
    pub seeds: fn() -> Vec<Vec<u8>>,
    pub format: Option<&'static str>,
}

const fn target(name: &'static str, read: fn(&[u8]) -> bool, seeds: fn() -> Vec<Vec<u8>>) -> Target {
    Target { name, read, seeds, format: None }
}

const fn of(format: &'static str, target: Target) -> Target {
    Target { format: Some(format), ..target }
}

pub static TARGETS: &[Target] = &[
    target("run", reading::run, seeds::run),
    target("run_drawn", reading::run_drawn, seeds::run),
    target("samples", reading::samples, seeds::samples),
    target("wire", reading::wire, seeds::wire),
    target("probe_heard", reading::probe_heard, seeds::wire),
    target("load_heard", reading::load_heard, seeds::load),
    target("jobs_heard", reading::jobs_heard, seeds::jobs),
    target("operations_heard", reading::operations_heard, seeds::wire),
    target("trace_dat_6", reading::recording, seeds::trace_dat_6),
    target("trace_dat_7", reading::recording, seeds::trace_dat_7),
    target("perf_data", reading::recording, seeds::perf_data),
    target("ctf", reading::ctf, seeds::ctf),
    target("perfetto", reading::recording, seeds::perfetto),
    target("trace_text", reading::recording, seeds::trace_text),
    target("trail", reading::recording, seeds::trail),
    target("pages", reading::pages, seeds::pages),
    target("layouts", reading::layouts, seeds::layouts),
    target("functions", reading::functions, seeds::functions),
    of("VCD", target("vcd", reading::capture, seeds::vcd)),
    of("the lab's edges.bin", target("edges", reading::capture, seeds::edges)),
    of("sigrok .sr and DSView .dsl", target("sigrok", reading::capture, made::sigrok)),
    of("Saleae binary", target("saleae_binary", reading::capture, made::saleae_binary)),
    of("Agilent BIN", target("agilent", reading::capture, made::agilent)),
    of("Tektronix ISF", target("tektronix", reading::capture, made::tektronix)),
    of("CSV", target("csv", reading::capture, seeds::csv)),
    target("lab_trail", reading::lab_trail, seeds::lab_trail),
    target("lab_stretches", reading::lab_stretches, seeds::lab_stretches),
    target("lines", reading::lines, seeds::lines),
    target("symbols_elf", reading::symbols_elf, seeds::elf),
    target("symbols_map", reading::symbols_map, seeds::map),
    of("cyclictest-json", target("cyclictest_json", reading::import, seeds::cyclictest_json)),
    of("oslat-json", target("oslat_json", reading::import, seeds::oslat_json)),
    of("jitterdebugger", target("jitterdebugger", reading::import, seeds::jitterdebugger)),
    of("rteval", target("rteval", reading::import, seeds::rteval)),
    of("rtla-timerlat", target("rtla_timerlat", reading::import, seeds::rtla_timerlat)),
    of("rtla-osnoise", target("rtla_osnoise", reading::import, seeds::rtla_osnoise)),
    of("rtla-timerlat-top", target("rtla_timerlat_top", reading::import, seeds::rtla_timerlat_top)),
    of("rtla-osnoise-top", target("rtla_osnoise_top", reading::import, seeds::rtla_osnoise_top)),
    of("cyclictest-summary", target("cyclictest_summary", reading::import, seeds::cyclictest_summary)),
    of("jitterdebugger-summary", target("jitterdebugger_summary", reading::import, seeds::jitterdebugger_summary)),
    of("perf-bench", target("perf_bench", reading::import, seeds::perf_bench)),
    of("latency-histogram", target("latency_histogram", reading::import, seeds::latency_histogram)),
    of("ros2-control", target("ros2_control", reading::import, seeds::ros2_control)),
    of("cyclictest-histogram", target("cyclictest_histogram", reading::import, seeds::cyclictest_histogram)),
    of("oslat", target("oslat", reading::import, seeds::oslat)),
    of("stress-ng-cyclic", target("stress_ng", reading::import, seeds::stress_ng)),
    of("hwlatdetect", target("hwlatdetect", reading::import, seeds::hwlatdetect)),
    of("latmus", target("latmus", reading::import, seeds::latmus)),
    of("xenomai-latency", target("xenomai", reading::import, seeds::xenomai)),
    of("schbench", target("schbench", reading::import, seeds::schbench)),
    of("bpf-histogram", target("bpf", reading::import, seeds::bpf)),
    of("cyclictest-samples", target("cyclictest_samples", reading::import, seeds::cyclictest_samples)),
    of("SchedCAT XML", target("schedcat", reading::task_set, seeds::schedcat)),
    of("SimSo XML", target("simso", reading::task_set, seeds::simso)),
    of("Cheddar XML", target("cheddar", reading::task_set, seeds::cheddar)),
    of("rt-app JSON", target("rt_app", reading::task_set, seeds::rt_app)),
    of("MAST text", target("mast", reading::task_set, seeds::mast)),
    of("MAST XML", target("mast_xml", reading::task_set, seeds::mast_xml)),
    of("TOML", target("toml_set", reading::task_set, seeds::toml_set)),
    target("recipe", reading::recipe, seeds::recipe),
    target("campaign", reading::campaign, seeds::campaign),
    target("fleet", reading::fleet, seeds::fleet),
    target("parcel", reading::parcel, seeds::parcel),
    target("recordings", reading::recordings, seeds::recordings),
    target("scenario", reading::scenario, seeds::scenario),
    target("kernel_image", reading::kernel_image, made::kernel_image),
    target("requirement", reading::requirement, seeds::requirement),
    target("rules", reading::rules, seeds::rules),
    target("sums", reading::sums, seeds::sums),
    target("seal", reading::seal, seeds::seal),
    target("words", reading::words, seeds::words),
];
