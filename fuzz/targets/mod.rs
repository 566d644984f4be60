// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every reader of outside data as a fuzz target: seeds that it must accept, and the function that passes bytes to it.
#![allow(dead_code, unused_imports, reason = "each of the three programs that share this uses a part of it")]
mod damage;
mod made;
mod reading;
mod seeds;

pub use damage::Damage;

use std::sync::LazyLock;

pub struct Target {
    pub name: String,
    /// Passes the bytes to the reader. Returns whether it accepted them. A panic is a finding.
    pub read: fn(&[u8]) -> bool,
    pub seeds: Box<dyn Fn() -> Vec<Vec<u8>> + Send + Sync>,
    pub format: Option<&'static str>,
}

fn target(name: &str, read: fn(&[u8]) -> bool, seeds: impl Fn() -> Vec<Vec<u8>> + Send + Sync + 'static) -> Target {
    Target { name: name.to_string(), read, seeds: Box::new(seeds), format: None }
}

fn of(format: &'static str, target: Target) -> Target {
    Target { format: Some(format), ..target }
}

// An importer's target has the name of the importer's format, with `_` instead of `-`.
fn importer(format: &'static str) -> Target {
    of(format, target(&format.replace('-', "_"), reading::import, move || seeds::imported(format)))
}

pub static TARGETS: LazyLock<Vec<Target>> = LazyLock::new(|| {
    let importers = backwall_formats::import::ALL.iter().map(|one| importer(one.name));
    own().into_iter().chain(importers).collect()
});

fn own() -> Vec<Target> {
    vec![
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
    ]
}
