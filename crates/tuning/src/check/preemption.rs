// SPDX-License-Identifier: MIT OR Apache-2.0
//! The preemption model: whether the measured thread can preempt kernel code of other programs.
use super::kernel_config;
use super::{Machine, Reading};
use backwall_model::CheckVerdict;
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Model {
    RealTime,
    Full,
    Lazy,
    Voluntary,
    None,
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::RealTime => "PREEMPT_RT",
            Self::Full => "full",
            Self::Lazy => "lazy",
            Self::Voluntary => "voluntary",
            Self::None => "none",
        })
    }
}

const CHOSEN: &str = "/sys/kernel/debug/sched/preempt";
const VERSION: &str = "/proc/version";
const COMMAND_LINE: &str = "/proc/cmdline";

const MODELS: [(&str, Model); 4] =
    [("full", Model::Full), ("lazy", Model::Lazy), ("voluntary", Model::Voluntary), ("none", Model::None)];

/// The model and where it was found: the version, the running kernel's choice, the kernel command line, or the build. If the
/// kernel has no choice, the version implies the model.
pub(super) fn model(machine: &Machine) -> Option<(Model, String)> {
    let known = real_time(machine).or_else(|| chosen(machine)).or_else(|| booted(machine)).or_else(|| built(machine));
    known.or_else(|| fixed(machine))
}

/// The model of a kernel that has only one model; a preemptible kernel names it in its version: `SMP PREEMPT`.
fn fixed(machine: &Machine) -> Option<(Model, String)> {
    const NAMED: [(&str, Model); 2] = [("PREEMPT", Model::Full), ("PREEMPT_LAZY", Model::Lazy)];
    let version = machine.read(VERSION).ok()?;
    let word = version.split_whitespace().find(|word| word.starts_with("PREEMPT"))?;
    NAMED.iter().find(|(name, _)| *name == word).map(|(_, model)| (*model, VERSION.to_string()))
}

fn real_time(machine: &Machine) -> Option<(Model, String)> {
    let said = machine.read(VERSION).is_ok_and(|text| text.contains("PREEMPT_RT"));
    said.then(|| (Model::RealTime, VERSION.to_string()))
}

/// The chosen model, which is the word in brackets: `none voluntary (full) lazy`.
fn chosen(machine: &Machine) -> Option<(Model, String)> {
    let text = machine.read(CHOSEN).ok()?;
    let word = text.split_once('(')?.1.split_once(')')?.0;
    named(word).map(|model| (model, CHOSEN.to_string()))
}

fn booted(machine: &Machine) -> Option<(Model, String)> {
    let text = machine.read(COMMAND_LINE).ok()?;
    let word = text.split_whitespace().rev().find_map(|word| word.strip_prefix("preempt="))?;
    named(word).map(|model| (model, COMMAND_LINE.to_string()))
}

fn built(machine: &Machine) -> Option<(Model, String)> {
    const OPTIONS: [(&str, Model); 5] = [
        ("CONFIG_PREEMPT_RT", Model::RealTime),
        ("CONFIG_PREEMPT", Model::Full),
        ("CONFIG_PREEMPT_LAZY", Model::Lazy),
        ("CONFIG_PREEMPT_VOLUNTARY", Model::Voluntary),
        ("CONFIG_PREEMPT_NONE", Model::None),
    ];
    let (config, place) = kernel_config::read(machine)?;
    let on = |option: &str| config.lines().any(|row| row.strip_suffix("=y") == Some(option));
    OPTIONS.iter().find(|(option, _)| on(option)).map(|(_, model)| (*model, place))
}

fn named(word: &str) -> Option<Model> {
    MODELS.iter().find(|(name, _)| *name == word).map(|(_, model)| *model)
}

pub(super) fn preemption(machine: &Machine) -> Reading {
    let Some((model, place)) = model(machine) else { return not_known(machine) };
    let found = format!("{place}: {model}");
    let fix = format!("install and boot a PREEMPT_RT kernel{}", packaged(machine));
    match model {
        Model::RealTime => Reading::good(found, "nearly all kernel code can be interrupted for a real-time thread"),
        Model::Full => Reading::note(
            found,
            "kernel code can be interrupted except where it holds a spinlock or runs for an interrupt",
        )
        .fix(fix),
        Model::Lazy => {
            Reading::note(found, "kernel code gives way to real-time threads at once and to others at the next tick")
                .fix(fix)
        }
        Model::Voluntary | Model::None => {
            Reading::bad(found, "a system call runs until it sleeps or yields, and the response waits that long")
                .fix(if is_dynamic(machine) { format!("boot with preempt=full, or {fix}") } else { fix })
                .boot(if is_dynamic(machine) { "preempt=full" } else { "" })
        }
    }
}

fn packaged(machine: &Machine) -> &'static str {
    let processor = machine.read("/proc/cpuinfo").unwrap_or_default();
    let has = |row: &str| processor.lines().any(|line| line.starts_with(row));
    match () {
        () if has("CPU implementer") => " (Debian: linux-image-rt-arm64)",
        () if has("isa\t") || has("hart") => "",
        () => " (Debian: linux-image-rt-amd64)",
    }
}

fn is_dynamic(machine: &Machine) -> bool {
    let configured = || kernel_config::read(machine).is_some_and(|(text, _)| text.contains("CONFIG_PREEMPT_DYNAMIC=y"));
    machine.read(VERSION).is_ok_and(|text| text.contains("PREEMPT_DYNAMIC")) || configured()
}

fn not_known(machine: &Machine) -> Reading {
    let why = "how long kernel code of other programs can hold the CPU";
    // A kernel with a fixed model has no file that shows it; only its build options do.
    if machine.read(VERSION).is_ok_and(|version| !version.contains("PREEMPT_DYNAMIC")) {
        return Reading::new(
            CheckVerdict::Unknown,
            format!(
                "{VERSION}: the preemption model is fixed at build time, but neither /proc/config.gz nor \
                /boot/config-RELEASE names it"
            ),
            why,
        )
        .fix("put the kernel's configuration into /boot, or load it\nmodprobe configs");
    }
    match machine.read(CHOSEN) {
        Err(unread) => Reading::unknown(&unread, why),
        Ok(text) => Reading::unknown(&machine.strange(CHOSEN, &text), why),
    }
}
