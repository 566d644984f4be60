// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall iltiming`: interrupt timing analysis, with the 2002 tool's options and table.
//!
//! The timer's interrupt is the ISR, the probe's thread the IST; the kernel's trace
//! stamps the start and the end of the ISR. `docs/iltiming.md` says what each option
//! means on Linux.
use super::deliver::{self, Output};
use super::export;
use crate::check;
use crate::classic::{Classic, Typed};
use crate::console;
use crate::exit::{Exit, unable, usage};
use crate::invocation;
use crate::options::Global;
use crate::probe::NONE;
use crate::processors;
use crate::report::iltiming::{Interrupt, all, summary};
use crate::report::wrap::narrow;
use crate::run::{Caches, Extension, Iltiming, Key, Origin, Overrun, Plan, Planned, Policy, Run, Warning};
use crate::session::Stop;
use crate::session::assemble::Assembly;
use crate::session::iltiming::{measure, series};
use crate::session::load::Placed;
use crate::session::phase::{Idle, Phase, Setup};
use crate::store::RunFolder;
use crate::trace::Matched;
use crate::units::{Nanoseconds, Unit};
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

const TICK_NS: u64 = 1_000_000;
/// The priority of the IST unless another is asked for.
const HIGHEST: u64 = 0;
const IDLE_THREADS: [(&str, &str); 5] =
    [("-i1", "idle1"), ("-i2", "idle2"), ("-i3", "idle3"), ("-i4", "idle4"), ("-i5", "idle5")];

/// Arguments of `backwall iltiming`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Words of the 2002 tool, packed.
    #[arg(long = "classic", hide = true, allow_hyphen_values = true, value_name = "WORD")]
    words: Vec<String>,
}

/// What was asked.
#[derive(Debug)]
struct Asked<'a> {
    /// `None`: the highest, or an ordinary thread where that is refused.
    priority: Option<u64>,
    idle_threads: Vec<&'static str>,
    ticks: u64,
    interrupts: u64,
    warm: bool,
    all: bool,
    file: Option<&'a Path>,
}

/// Measures, and delivers the table.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let asked = asked(&Typed::read("iltiming", &OPTIONS, &args.words)?)?;
    export::refuse_unwritable("-o", asked.file)?;
    let rules = deliver::rules(global)?;
    let cpu = processors::choose_one(None)?.cpus[0];
    let ordinary = if asked.priority.is_none() { check::real_time_refused(fifo(HIGHEST)) } else { None };
    let (setup, phase) = (setup(&asked, cpu, ordinary.is_some()), phase_of(&asked, cpu));
    let demands = deliver::applicable(rules, planned(&phase))?;
    let started = jiff::Timestamp::now();
    let stop = Stop::on_signals()?;
    let folder = RunFolder::create(global.out.as_deref(), "iltiming", started)?;
    let plan = plan(&asked, &setup, &phase, global);
    let begun = Run::begin(Origin::Measured, plan, invocation::words(), started);
    let mut assembly = Assembly::begin(Run { ordinary, ..begun });
    let (measured, trace) = measure(&stop, &setup, &phase, global.quiet)?;
    let kept = trace.as_ref().ok().filter(|_| asked.all);
    let interrupts: Vec<Interrupt> = kept.into_iter().flat_map(|trace| &trace.kept).map(interrupt).collect();
    let series = series(&measured, trace.as_ref().ok(), setup.period);
    let phase = Phase { traced: trace.is_ok(), ..phase };
    let staged = series.iter().find(|one| one.key.name == Iltiming::IST).map(|ist| ist.key.clone());
    match trace {
        Ok(trace) => assembly.take_trace(&phase, staged, Ok(trace)),
        Err(refused) => {
            assembly.warn(Warning::new("no-stages", format!("the ISR and the handoff were not measured: {refused}")));
        }
    }
    assembly.take_as(&phase, series, measured);
    let failure = assembly.failure().map(unable);
    let text = |run: &Run| all(&interrupts) + &narrow(&summary(run), console::columns());
    let output = Output { text: Some(&text), file: asked.file, ..Output::USUAL };
    let exit = deliver::deliver(assembly.finish(), &demands, &folder, global, output)?;
    failure.map_or(Ok(exit), Err)
}

fn asked<'a>(chosen: &Typed<'a>) -> anyhow::Result<Asked<'a>> {
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
        priority: chosen.has("-p").then(|| chosen.number("-p", HIGHEST, (0, 255))).transpose()?,
        idle_threads,
        ticks: chosen.number("-t", 5, (1, 60_000))?,
        interrupts: chosen.number("-n", 10, (1, 1_000_000))?,
        warm: chosen.has("-ncs"),
        all: chosen.has("-all"),
        file: chosen.text("-o").map(Path::new),
    })
}

/// Windows CE's 0 (highest) to 255 on SCHED_FIFO's 98 to 1; 99 stays with the kernel's own threads.
fn fifo(priority: u64) -> u32 {
    98 - (priority * 97 / 255) as u32
}

fn setup(asked: &Asked, cpu: u32, ordinary: bool) -> Setup {
    Setup {
        periodic: true,
        measure: if asked.warm { "wakeup" } else { "wakeup-cold" }.to_string(),
        cpus: vec![cpu],
        policy: if ordinary { Policy::Other } else { Policy::Fifo },
        priority: if ordinary { 0 } else { fifo(asked.priority.unwrap_or(HIGHEST)) },
        period: Nanoseconds(asked.ticks * TICK_NS),
        deadline: None,
        overrun: Overrun::Skip,
        best_effort: false,
    }
}

/// The idle threads run on the processor of the IST, as on the single one of 2002.
fn phase_of(asked: &Asked, cpu: u32) -> Phase {
    let placed = asked.idle_threads.iter().map(|name| Placed::plain(name, cpu)).collect();
    let load = if asked.idle_threads.is_empty() { NONE.to_string() } else { asked.idle_threads.join("+") };
    let length = Nanoseconds(asked.interrupts * asked.ticks * TICK_NS);
    Phase {
        load,
        placed,
        own: None,
        idle: Idle::AsIs,
        length,
        traced: true,
        toggled: false,
        keep: asked.interrupts as usize,
    }
}

fn plan(asked: &Asked, setup: &Setup, phase: &Phase, global: &Global) -> Plan {
    let options = Iltiming {
        ce_priority: asked.priority.unwrap_or(HIGHEST),
        ticks: asked.ticks,
        interrupts: asked.interrupts,
        caches: if asked.warm { Caches::Warm } else { Caches::Swept },
    };
    Plan {
        measures: vec!["iltiming".to_string()],
        loads: vec![phase.load.clone()],
        phase_ns: Some(phase.length),
        cpu: setup.cpus.first().copied(),
        priority: Some(setup.priority),
        policy: (setup.policy != Policy::Fifo).then_some(setup.policy),
        period_ns: Some(setup.period),
        overrun: Some(setup.overrun),
        idle: phase.idle.name().to_string(),
        seed: global.seed(),
        extension: Extension::Iltiming(options),
        ..Plan::default()
    }
}

fn planned(phase: &Phase) -> Vec<Planned> {
    let of_name = |name| Planned { key: Key::new(name, &phase.load, phase.idle.name()), unit: Unit::Ns };
    [Iltiming::ISR, Iltiming::IST, Iltiming::HANDOFF].map(of_name).into()
}

fn interrupt(matched: &Matched) -> Interrupt {
    let Matched { sample, wake_up } = matched;
    let thread = wake_up.interrupted;
    Interrupt {
        seq: sample.seq,
        isr_ns: wake_up.isr_at.saturating_sub(sample.stimulus_ns),
        ist_ns: sample.response_ns.saturating_sub(sample.stimulus_ns),
        handoff_ns: wake_up.isr_end_at.map(|end| sample.response_ns.saturating_sub(end)),
        interrupted: match thread {
            None => "not known".to_string(),
            Some(thread) if thread.id == 0 => "idle".to_string(),
            Some(thread) => format!("{} ({})", thread.name, thread.id),
        },
    }
}
