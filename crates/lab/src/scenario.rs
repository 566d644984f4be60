// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scenario, read from TOML: guest, load, generators, number of pulses, and requirements.
use super::generator::{Generator, Shape};
use super::input::Input;
use super::machine::{self, Machine};
use backwall_capture::connector::{A, APP, ISR, IST};
use backwall_model::NO_LOAD;
use backwall_model::units::place::line_of;
use backwall_runner::loads;
use serde::{Deserialize, Serialize};

/// A kernel truncates its command line at 2,048 characters, and the bench adds its own words.
const BOOT_MAX: usize = 1_024;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Scenario {
    /// The file's name without `.toml`.
    #[serde(skip_deserializing)]
    pub name: String,
    pub about: String,
    /// The computer that the guest runs on; a PC if absent.
    #[serde(default = "Machine::usual", with = "machine", skip_serializing_if = "Scenario::is_usual")]
    pub machine: &'static Machine,
    /// The input that the generator pulses; if absent, the guest's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Input>,
    /// `bare:NAME`, `image:PATH`, `linux:stock`, `linux:rt-6.12`, `linux:PATH`, `detent`.
    pub guest: String,
    #[serde(default)]
    pub options: String,
    /// Parameters for the command line of a Linux kernel.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub boot: String,
    /// The background loads in the guest, in the format of [`loads`](backwall_runner::loads).
    #[serde(default = "Scenario::no_load")]
    pub load: String,
    /// The answer lines, from `isr`, `ist`, `app`; if absent, the guest's default ones.
    #[serde(default)]
    pub answers: Option<Vec<String>>,
    /// The seed of everything random; if absent, that of the command line.
    #[serde(default)]
    pub seed: Option<u64>,
    #[serde(default)]
    pub generator: Generators,
    /// The probe in the guest measures, and the stream that it writes to the channel is the result. Generators are optional.
    #[serde(default)]
    pub stream: bool,
    #[serde(default)]
    pub screen: bool,
    /// Requirements on the result, as for `--require`.
    #[serde(default)]
    pub expect: Vec<String>,
    #[serde(default)]
    pub limits: Limits,
    #[serde(default)]
    pub saturate: Saturate,
    /// The span of `lab sweep`; without it the scenario cannot be swept.
    #[serde(default)]
    pub sweep: Option<Sweep>,
}

/// The span of `lab sweep`: the instant from which arrivals are counted, and the line that answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Sweep {
    /// Instructions after which the swept activity repeats. If absent, the span begins at the guest's mark.
    #[serde(default)]
    pub period: Option<u64>,
    #[serde(default)]
    pub line: Option<String>,
    /// The first arrival of a span with a period. A part of a longer sweep begins later than 0.
    #[serde(default)]
    pub from: u64,
}

/// The search of `lab saturate`. Periods are in instructions; the first one tried is the generator's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Saturate {
    pub shortest: u64,
    pub longest: u64,
    /// Minimum number of pulses per trial.
    pub pulses: u64,
    /// The search ends when the remaining interval of periods is narrower than the period divided by this number.
    pub narrowness: u64,
    pub budget: usize,
}

impl Default for Saturate {
    fn default() -> Self {
        Saturate { shortest: 20, longest: 100_000_000, pulses: 2_000, narrowness: 50, budget: 80 }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generators {
    pub a: Option<Generator>,
    pub b: Option<Generator>,
}

impl Generators {
    pub fn used(&self) -> impl Iterator<Item = (char, &Generator)> {
        [('a', self.a.as_ref()), ('b', self.b.as_ref())]
            .into_iter()
            .filter_map(|(letter, generator)| generator.map(|generator| (letter, generator)))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Limits {
    pub wall_seconds: u64,
    /// Limit of executed instructions, in addition to boot and pulses.
    pub instructions: u64,
    /// From the last pulse to the end of the recording, in instructions.
    pub tail: u64,
    pub channel_bytes: u64,
    pub console_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            wall_seconds: 300,
            instructions: 1_000_000_000,
            tail: 1_000_000,
            channel_bytes: 64 << 20,
            console_bytes: 16 << 20,
        }
    }
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("scenario {name}: {fault}")]
pub struct BadScenario {
    pub name: String,
    pub fault: String,
}

pub const ANSWER_LINES: [&str; 3] = [A.lines[ISR], A.lines[IST], A.lines[APP]];

const LOAD_WORDS: [&str; 2] = ["load=", "bench-load"];

impl Scenario {
    fn is_usual(machine: &&'static Machine) -> bool {
        *machine == Machine::usual()
    }

    fn no_load() -> String {
        NO_LOAD.to_string()
    }

    /// Parses and checks a scenario. It does not check the guest's name, which the table of guests does.
    pub fn parse(name: &str, text: &str) -> Result<Scenario, BadScenario> {
        let bad = |fault: String| BadScenario { name: name.to_string(), fault };
        let mut scenario: Scenario = toml::from_str(text).map_err(|error| bad(place(&error, text)))?;
        scenario.name = name.to_string();
        if let Some(fault) = scenario.fault() {
            return Err(bad(fault));
        }
        let Generators { a, b } = &mut scenario.generator;
        // Fill in the step that is used, so that the run stores it.
        [a, b].into_iter().flatten().for_each(|generator| generator.step = Some(generator.step()));
        Ok(scenario)
    }

    /// The scenario in a run's plan, with its name.
    ///
    /// # Errors
    /// If another version of backwall wrote it, or somebody edited it and made it invalid.
    pub fn of_plan(plan: &serde_json::Value) -> Result<Scenario, BadScenario> {
        let mut plan = plan.clone();
        let name = plan.as_object_mut().and_then(|fields| fields.remove("name"));
        let name = name.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default().to_string();
        let bad = |fault: String| BadScenario { name: name.clone(), fault };
        let scenario: Scenario = serde_json::from_value(plan).map_err(|error| bad(error.to_string()))?;
        match scenario.fault() {
            Some(fault) => Err(bad(fault)),
            None => Ok(Scenario { name, ..scenario }),
        }
    }

    /// The same scenario on another machine, whose name is appended to its own.
    ///
    /// # Errors
    /// If that machine lacks what the scenario needs.
    pub fn on(self, machine: &'static Machine) -> Result<Scenario, BadScenario> {
        if self.machine == machine {
            return Ok(self);
        }
        let moved = Scenario { name: format!("{}-{}", self.name, machine.name), machine, ..self };
        match moved.fault() {
            Some(fault) => Err(BadScenario { name: moved.name, fault }),
            None => Ok(moved),
        }
    }

    fn fault(&self) -> Option<String> {
        if self.generator.used().next().is_none() && !self.stream {
            return Some(
                "no generator: add [generator.a] or [generator.b], or stream = true for a probe in the guest"
                    .to_string(),
            );
        }
        if self.screen && !self.machine.screen {
            return Some(format!("screen: {} has no screen; leave it out", self.machine.name));
        }
        if let Some(fault) = self.fault_of_input() {
            return Some(fault);
        }
        if let Some(fault) = self.fault_of_load().or_else(|| self.fault_of_boot()) {
            return Some(fault);
        }
        for (letter, generator) in self.generator.used() {
            if let Some(fault) = generator.fault() {
                return Some(format!("generator.{letter}: {fault}"));
            }
        }
        let unknown = self.answers.iter().flatten().find(|line| !ANSWER_LINES.contains(&line.as_str()));
        if let Some(line) = unknown {
            return Some(format!("answers: unknown line {line:?}; expected some of {}", ANSWER_LINES.join(", ")));
        }
        let Saturate { shortest, longest, pulses, narrowness, budget } = self.saturate;
        if shortest < 2 || shortest >= longest {
            return Some("saturate: expected 2 <= shortest < longest".to_string());
        }
        if self.sweep.as_ref().is_some_and(|sweep| sweep.period == Some(0)) {
            return Some("sweep: period: expected at least 1 instruction".to_string());
        }
        if pulses == 0 || narrowness == 0 || budget == 0 {
            return Some("saturate: expected numbers above 0".to_string());
        }
        let Limits { wall_seconds, instructions, tail, channel_bytes, console_bytes } = self.limits;
        let zero = [wall_seconds, instructions, tail, channel_bytes, console_bytes].contains(&0);
        zero.then(|| "limits: expected numbers above 0".to_string())
    }

    pub fn input(&self) -> Input {
        let usual = self.machine.linux.bench(None).filter(|_| self.guest.starts_with("linux:"));
        self.input.or(usual.map(|bench| bench.input)).unwrap_or(Input::Line)
    }

    /// Only a guest with a driver for the PCI device can take its interrupt.
    fn fault_of_input(&self) -> Option<String> {
        let Scenario { guest, generator, .. } = self;
        if self.input() != Input::Pci {
            return None;
        }
        if !guest.starts_with("linux:") {
            return Some(format!("input: {guest} has no driver for a PCI device; leave it out"));
        }
        generator.b.is_some().then(|| {
            "input: the PCI device has one interrupt, which [generator.a] uses; leave out [generator.b]".to_string()
        })
    }

    pub fn fault_of_boot(&self) -> Option<String> {
        let Scenario { boot, guest, .. } = self;
        if boot.is_empty() {
            return None;
        }
        if !guest.starts_with("linux:") {
            return Some(format!("boot: {guest} has no Linux kernel command line; leave it out"));
        }
        let ends = boot.split(' ').any(|word| word == "--");
        let sound = boot.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ');
        (ends || !sound || boot.len() > BOOT_MAX)
            .then(|| format!("boot: {boot:?}: expected at most {BOOT_MAX} printable characters without the word --"))
    }

    /// A load is a condition of every figure, so it must be in `load` and not hidden in the options.
    fn fault_of_load(&self) -> Option<String> {
        let in_options =
            self.options.split_whitespace().find(|word| LOAD_WORDS.iter().any(|load| word.starts_with(load)));
        match in_options {
            Some(word) => {
                Some(format!("options: {word}: expected load = \"NAME@PRIORITY\" instead of a load among the options"))
            }
            None => loads::parse_plain(&self.load).err(),
        }
    }

    /// Instructions from the first to the last pulse of the longest train, rounded up; 0 if the guest's marks determine the
    /// pulses.
    pub fn span_instructions(&self) -> u64 {
        self.generator.used().map(|(_, generator)| train_instructions(generator)).max().unwrap_or(0)
    }
}

fn train_instructions(generator: &Generator) -> u64 {
    let gap = [Some(generator.period), generator.last_period, generator.pause].into_iter().flatten().max().unwrap_or(0);
    let start = generator.start.unwrap_or(0).saturating_add(generator.delay.unwrap_or(generator.period));
    let slack = if generator.shape == Shape::Poisson { 2 } else { 1 }; // the sum of many gaps stays below twice its mean
    generator.pulses().saturating_mul(slack * (gap + generator.step())).saturating_add(start)
}

fn place(error: &toml::de::Error, text: &str) -> String {
    let message = error.message().lines().next().unwrap_or_default().to_string();
    match error.span() {
        Some(span) => format!("line {}: {message}", line_of(text, span.start)),
        None => message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::ARM64_VIRT;
    use proptest::prelude::*;

    const GOOD: &str = "about = 'x'\nguest = 'bare:a'\n[generator.a]\nshape = 'periodic'\nperiod = 1000\ncount = 5\n";

    fn fault_of(text: &str) -> String {
        Scenario::parse("test", text).unwrap_err().to_string()
    }

    #[test]
    fn a_scenario_is_moved_to_a_machine_that_has_what_it_asks_for() {
        let moved = |text: &str, machine| Scenario::parse("test", text).unwrap().on(machine);
        let on_arm64 = moved(GOOD, &ARM64_VIRT).unwrap();
        assert_eq!((on_arm64.name.as_str(), on_arm64.machine), ("test-arm64-virt", &ARM64_VIRT));
        assert_eq!(moved(GOOD, Machine::usual()).unwrap().name, "test");
        let refused = moved(&format!("screen = true\n{GOOD}"), &ARM64_VIRT).unwrap_err();
        assert_eq!(refused.to_string(), "scenario test-arm64-virt: screen: arm64-virt has no screen; leave it out");
    }

    #[test]
    fn a_scenario_has_defaults_for_all_but_guest_and_generator() {
        let scenario = Scenario::parse("test", GOOD).unwrap();
        assert_eq!((scenario.load.as_str(), scenario.limits.wall_seconds), ("none", 300));
        assert_eq!(scenario.generator.a.unwrap().duty, 0.2);
    }

    #[test]
    fn words_of_the_boot_line_are_a_linux_kernels_and_end_nothing() {
        let linux = GOOD.replace("bare:a", "linux:rt");
        let with = |text: &str, boot: &str| Scenario::parse("test", &format!("boot = {boot:?}\n{text}"));
        assert_eq!(with(&linux, "threadirqs nohz=off").unwrap().boot, "threadirqs nohz=off");
        let refused = |text: &str, boot: &str| with(text, boot).unwrap_err().to_string();
        assert!(refused(GOOD, "threadirqs").contains("bare:a has no Linux kernel command line"));
        for bad in ["quiet -- x", "a\tb", "\u{e9}", &"x".repeat(1_025)] {
            assert!(refused(&linux, bad).contains("without the word --"), "{bad:?}");
        }
        assert!(!serde_json::to_string(&Scenario::parse("test", GOOD).unwrap()).unwrap().contains("boot"));
    }

    #[test]
    fn what_is_no_toml_of_a_scenario_is_refused_with_its_line() {
        let cases = [
            (format!("guset = 'x'\n{GOOD}"), "line 1: unknown field `guset`"),
            (format!("{GOOD}[generator.c]\n"), "line 7: unknown field `c`"),
            (format!("{GOOD}period = 2000\n"), "line 7: duplicate key"),
            (GOOD.replace("count = 5", "count = -1"), "line 6: invalid value: integer `-1`"),
            (GOOD.replace("'bare:a'", "5"), "line 2: invalid type: integer `5`"),
        ];
        for (text, expected) in cases {
            let fault = fault_of(&text);
            assert!(fault.starts_with(&format!("scenario test: {expected}")) && !fault.contains('\n'), "{fault}");
        }
    }

    #[test]
    fn a_number_that_cannot_be_is_refused_with_what_is_wanted() {
        let cases = [
            (GOOD.replace("period = 1000", "period = 0"), "generator.a: period: expected 1 to"),
            (GOOD.replace("count = 5", "count = 0"), "generator.a: count: expected at least 1"),
            (format!("{GOOD}duty = 1.0\n"), "generator.a: duty: expected"),
            (format!("{GOOD}last-period = 0\n"), "generator.a: last-period: expected 1 to"),
            (format!("{GOOD}[limits]\nwall-seconds = 0\n"), "limits: expected numbers above 0"),
            (format!("{GOOD}[saturate]\nbudget = 0\n"), "saturate: expected numbers above 0"),
            (format!("{GOOD}[sweep]\nperiod = 0\n"), "sweep: period: expected at least 1"),
        ];
        for (text, expected) in cases {
            let fault = fault_of(&text);
            assert!(fault.starts_with(&format!("scenario test: {expected}")) && !fault.contains('\n'), "{fault}");
        }
    }

    #[test]
    fn a_load_stands_in_load_and_nowhere_else() {
        let with = |line: &str| format!("{line}\n{GOOD}");
        assert_eq!(Scenario::parse("test", &with("load = 'spin@3+calls'")).unwrap().load, "spin@3+calls");
        assert!(fault_of(&with("load = 'spin@300'")).contains("load: spin@300: priority must be 0 to 255"));
        for word in ["load=spin", "bench-load=spin", "bench-load-priority=40"] {
            let fault = fault_of(&with(&format!("options = 'app_test {word}'")));
            assert!(fault.contains(&format!("options: {word}: expected load = \"NAME@PRIORITY\"")), "{fault}");
        }
    }

    #[test]
    fn each_shape_asks_for_what_it_needs() {
        let with = |shape: &str| GOOD.replace("'periodic'", shape);
        assert!(fault_of(&with("'burst'")).contains("needs burst = N"));
        assert!(fault_of(&with("'ramp'")).contains("needs last-period"));
        assert!(fault_of(&with("'two-tone'")).contains("needs second-period"));
        assert!(fault_of(&with("'jittered'\njitter = 999")).contains("expected jitter from 1 to 998"));
        assert!(fault_of(&with("'one-shot'")).contains("one pulse"));
        assert!(fault_of(&with("'square'")).contains("line 4: unknown variant"));
    }

    proptest! {
        #[test]
        fn no_text_does_more_than_be_refused_in_one_line(text in "\\PC{0,80}", at in 0usize..GOOD.len(), cut in 0usize..40) {
            let mut mixed = GOOD.to_string();
            mixed.replace_range(at..(at + cut).min(GOOD.len()), &text);
            for text in [text, mixed] {
                if let Err(error) = Scenario::parse("test", &text) {
                    prop_assert_eq!(error.to_string().lines().count(), 1);
                }
            }
        }

        #[test]
        fn numbers_of_any_size_are_refused_or_bounded(period: u64, count: u64, warmup: u64, step: u64) {
            let number = |value: u64| value.min(i64::MAX as u64);
            let text = format!(
                "about = 'x'\nguest = 'bare:a'\n[generator.a]\nshape = 'periodic'\nperiod = {}\ncount = {}\nwarmup = {}\nstep = {}\n",
                number(period), number(count), number(warmup), number(step)
            );
            if let Ok(scenario) = Scenario::parse("test", &text) {
                let generator = scenario.generator.a.as_ref().unwrap();
                prop_assert!(generator.pulses() <= u32::MAX as u64 && generator.period <= 1 << 40);
                prop_assert!(scenario.span_instructions() >= generator.period);
            }
        }
    }

    #[test]
    fn a_scenario_without_generator_is_refused() {
        assert!(fault_of("about='x'\nguest='y'\n[generator]\n").contains("no generator"));
    }
}
