// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall iltiming`: interrupt timing analysis, with the 2002 tool's options and table.
//!
//! The timer's interrupt is the ISR, the probe's thread the IST; the kernel's trace
//! stamps the start and the end of the ISR. `docs/iltiming.md` says what each option
//! means on Linux.
use super::export;
use crate::classic::{Classic, Typed};
use crate::deliver::{self, Output};
use crate::exit::{Exit, usage};
use crate::invocation;
use crate::options::{Destination, Printing, Requirements, Seed};
use backwall_model::{Iltiming, Origin, Run, Warning};
use backwall_os::console;
use backwall_report::iltiming::{Interrupt, all, summary};
use backwall_report::wrap::narrow;
use backwall_runner::Stop;
use backwall_runner::assemble::Assembly;
use backwall_runner::device::processors;
use backwall_runner::iltiming::{self, Asked, measure, series};
use backwall_runner::part::Part;
use backwall_runner::phase::Phase;
use backwall_store::RunFolder;
use backwall_tuning::check;
use std::path::Path;

/// The options, as the 2002 tool spelled them.
pub static OPTIONS: [Classic; 13] = [
    Classic { name: "-p", value: Some("num"), help: "priority of the IST, 0 (highest) to 255 [default: 0]" },
    Classic { name: "-ni", value: None, help: "no idle priority thread" },
    Classic { name: "-i0", value: None, help: "no idle thread (same as -ni)" },
    Classic { name: "-i1", value: None, help: "idle thread 1: spins [default]" },
    Classic { name: "-i2", value: None, help: "idle thread 2: asks for idle priority again and again" },
    Classic { name: "-i3", value: None, help: "idle threads 3: two alternate set and wait, 10 s timeout" },
    Classic { name: "-i4", value: None, help: "idle threads 4: two alternate set and wait, no timeout" },
    Classic { name: "-i5", value: None, help: "idle thread 5: maps and unmaps 64 KiB" },
    Classic { name: "-t", value: Some("num"), help: "an interrupt every num ticks of 1 ms [default: 5]" },
    Classic { name: "-n", value: Some("num"), help: "number of interrupts [default: 10]" },
    Classic { name: "-all", value: None, help: "print every interrupt [default: the summary only]" },
    Classic { name: "-o", value: Some("file"), help: "write to a file instead of standard output" },
    Classic {
        name: "-ncs",
        value: None,
        help: "no CacheSync: leave the caches warm [default: swept before each wait]",
    },
];

const IDLE_THREADS: [(&str, &str); 5] =
    [("-i1", "idle1"), ("-i2", "idle2"), ("-i3", "idle3"), ("-i4", "idle4"), ("-i5", "idle5")];

/// Arguments of `backwall iltiming`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Words of the 2002 tool, packed.
    #[arg(long = "classic", hide = true, allow_hyphen_values = true, value_name = "WORD")]
    words: Vec<String>,
    #[command(flatten)]
    pub(in crate::command) printing: Printing,
    #[command(flatten)]
    pub(in crate::command) destination: Destination,
    #[command(flatten)]
    pub(in crate::command) requirements: Requirements,
    #[command(flatten)]
    pub(in crate::command) seed: Seed,
}

/// Measures, and delivers the table.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let typed = Typed::read("iltiming", &OPTIONS, &args.words)?;
    let (asked, all_rows, file) = (asked(&typed)?, typed.has("-all"), typed.text("-o").map(Path::new));
    export::refuse_unwritable("-o", file)?;
    let rules = args.requirements.rules()?;
    let cpu = processors::choose_one(None)?.cpus[0];
    let ordinary = if asked.priority.is_none() { check::real_time_refused(Asked::highest()) } else { None };
    let (setup, phase) = (asked.setup(cpu, ordinary.is_some()), asked.phase(cpu));
    let demands = deliver::applicable(rules, iltiming::planned(&phase))?;
    let started = jiff::Timestamp::now();
    let stop = Stop::on_signals()?;
    let folder = RunFolder::create(args.destination.out.as_deref(), "iltiming", started)?;
    let plan = asked.plan(&setup, &phase, args.seed.seed);
    let begun = Run::begin(Origin::Measured, plan, invocation::words(), started);
    let mut assembly = Assembly::begin(Run { refused_priority: ordinary, ..begun });
    let (measured, trace) = measure(&stop, &setup, &phase, args.printing.quiet)?;
    let kept = trace.as_ref().ok().filter(|_| all_rows);
    let interrupts: Vec<Interrupt> = kept.into_iter().flat_map(|trace| &trace.kept).map(Interrupt::of).collect();
    let series = series(&measured, trace.as_ref().ok(), setup.period);
    let phase = Phase { traced: trace.is_ok(), ..phase };
    let staged = series.iter().find(|one| one.key.name == Iltiming::IST).map(|ist| ist.key.clone());
    match trace {
        Ok(trace) => assembly.take(Part::of_trace(&phase, staged, Ok(trace))),
        Err(refused) => {
            assembly.warn(Warning::new("no-stages", format!("the ISR and the handoff were not measured: {refused}")));
        }
    }
    assembly.take(Part::of_phase_as(&phase, series, measured));
    let text = |run: &Run| all(&interrupts) + &narrow(&summary(run), console::columns());
    let output = Output { text: Some(&text), file, ..Output::USUAL };
    deliver::assembled(assembly, &demands, &folder, args.printing, output)
}

fn asked(chosen: &Typed<'_>) -> anyhow::Result<Asked> {
    let mut idle_threads: Vec<_> =
        IDLE_THREADS.iter().filter(|(option, _)| chosen.has(option)).map(|(_, load)| *load).collect();
    let none = chosen.has("-ni") || chosen.has("-i0");
    if none && !idle_threads.is_empty() {
        return Err(usage("iltiming: -ni and -i0 ask for no idle thread, -i1 to -i5 for one; choose"));
    }
    if !none && idle_threads.is_empty() {
        idle_threads.push("idle1");
    }
    Ok(Asked {
        priority: chosen.has("-p").then(|| chosen.number("-p", 0, (0, 255))).transpose()?,
        idle_threads,
        ticks: chosen.number("-t", 5, (1, 60_000))?,
        interrupts: chosen.number("-n", 10, (1, 1_000_000))?,
        warm: chosen.has("-ncs"),
    })
}
