// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall blame RUN|TRACE`: who used the time of the late responses, and what to change.
use crate::exit::{Exit, undecided, usage};
use crate::guest_trace as bench;
use crate::options::Printing;
use backwall_ftrace::missing;
use backwall_ftrace::recording_file::{self, RecordingSummary, named_by_unit};
use backwall_model::Warning;
use backwall_model::units::{Nanoseconds, Unit, period};
use backwall_os::console::columns;
use backwall_os::console::progress::Activity;
use backwall_report::trace::blamed::{self, LateResponses};
use backwall_report::trace::recording;
use backwall_report::wrap::narrow;
use backwall_store::{CHECKPOINT, RUN_FILE};
use backwall_trace::late::lates::{Lates, Question};
use backwall_trace::late::whose::Whose;
use backwall_trace::read::stored::OpenRecording;
use serde_json::json;
use std::path::{Path, PathBuf};

#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// A run, or a trace in any of the known formats
    ///
    /// A trace is the folder or trace.dat of `trace record`, a trace.dat of trace-cmd, a perf.data, a trace of Perfetto, a folder of CTF, the text of ftrace, or Detent's console.
    #[arg(value_name = "RUN|TRACE")]
    place: PathBuf,
    /// In a trace, count a response as late above this time [default: 100us]
    ///
    /// In Detent's trail a nanosecond is an instruction, and the default is 0.
    #[arg(long, value_name = "TIME", value_parser = period)]
    above: Option<Nanoseconds>,
    /// In a recording, threads to report: a number, a name, real-time or all [default: real-time, or all if no such thread was
    /// woken]
    #[arg(long, value_name = "THREAD", value_parser = whose)]
    thread: Option<Whose>,
    /// Include the thread's own run time, up to its next sleep
    ///
    /// In a run of the lab a response then lasts to the end of its pulse.
    #[arg(long)]
    completion: bool,
    #[command(flatten)]
    pub(in crate::command) printing: Printing,
}

const ABOVE: Nanoseconds = Nanoseconds(100_000);

/// If backwall recorded at most this many responses and none of them is late, it shows all of them.
const SHORT: u64 = 1_000;

fn whose(text: &str) -> Result<Whose, String> {
    Ok(match (text, text.parse()) {
        ("real-time", _) => Whose::RealTime,
        ("all", _) => Whose::All,
        (_, Ok(id)) => Whose::Number(id),
        (name, _) => Whose::Name(name.to_string()),
    })
}

/// Reads a run or trace and prints who used the time. Judges and stores nothing.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let args = &Args { place: backwall_store::meant(&args.place)?, ..args.clone() };
    let is_file =
        |file: &str| args.place.join(file).exists() || args.place.file_name().is_some_and(|name| name == file);
    let is_run = is_file(RUN_FILE) || is_file(CHECKPOINT);
    match is_run {
        true if bench::has_trace(&args.place) => of_bench(args)?,
        true if !has_trail(&args.place) => of_run(args)?,
        _ => of_recording(args)?,
    }
    Ok(Exit::Done)
}

/// Explains a lab run whose guest traced itself: the guest's kernel events divide the time that the scope measured.
fn of_bench(args: &Args) -> anyhow::Result<()> {
    let shown = Activity::begin(!args.printing.is_text(), || "reading the recording".to_string());
    let (told, lates) = bench::answered(&args.place, args.above.map_or(0, |above| above.0), args.completion)?;
    drop(shown);
    show(&told, &lates, if args.completion { blamed::WHOLE_WINDOW } else { blamed::WINDOW }, args.printing)
}

fn has_trail(place: &Path) -> bool {
    place.is_dir() && recording_file::open(place).is_ok_and(|(_, stored)| stored.about().unit == Unit::Instructions)
}

fn of_run(args: &Args) -> anyhow::Result<()> {
    let asked =
        [("--above", args.above.is_some()), ("--thread", args.thread.is_some()), ("--completion", args.completion)];
    if let Some((option, _)) = asked.iter().find(|(_, typed)| *typed) {
        return Err(usage(format!("{option} is for recordings: a run stores only the causes of its worst responses")));
    }
    let run = backwall_store::read(&args.place)?;
    if !blamed::has_causes(&run) {
        let home = backwall_store::home(&args.place);
        let way = match run.unfinished() {
            Some(_) => run.resume_command(&home.display().to_string()).map(|way| format!("finish it: {way}")),
            None => run.warnings.iter().find(|one| one.kind == Warning::UNRECORDED).map(|one| one.text.clone()),
        };
        let way = way.map_or(String::new(), |way| format!("; {way}"));
        return Err(usage(format!("{}: no causes were recorded{way}", args.place.display())));
    }
    args.printing.show(|| &run.stages, || blamed::of_run(&run, columns()))
}

fn of_recording(args: &Args) -> anyhow::Result<()> {
    let shown = Activity::begin(!args.printing.is_text(), || "reading the recording".to_string());
    let (file, mut stored) = recording_file::open(&args.place)?;
    let first = args.thread.clone().unwrap_or(Whose::RealTime);
    let (mut told, mut lates) = looked_at(args, first, &file, &mut stored)?;
    let mut args = args.clone();
    if args.thread.is_none() && lates.responses + lates.unseen == 0 {
        args.thread = Some(Whose::All);
        (told, lates) = looked_at(&args, Whose::All, &file, &mut stored)?;
    }
    // A short recording, such as rtla's, exists to explain its own maximum, so backwall shows even a small maximum.
    if args.above.is_none() && lates.late == 0 && (1..=SHORT).contains(&lates.responses) {
        args.above = Some(Nanoseconds(0));
        let whose = args.thread.clone().unwrap_or(Whose::RealTime);
        (told, lates) = looked_at(&args, whose, &file, &mut stored)?;
        told.notes.push(
            "no response took longer than 100 us (the default of --above), so this shows all responses".to_string(),
        );
    }
    drop(shown);
    if let Some(missing) = missing::for_responses(&told, &lates) {
        return Err(undecided(format!("{}: {missing}", file.display())));
    }
    show(&told, &lates, if args.completion { blamed::WHOLE } else { blamed::WAKING }, args.printing)
}

fn looked_at(
    args: &Args,
    whose: Whose,
    file: &Path,
    stored: &mut OpenRecording,
) -> anyhow::Result<(RecordingSummary, Lates)> {
    let (timers, marks) = (stored.about().is_monotonic(), stored.about().marks);
    // Executed instructions have no default lateness limit, so all responses are listed.
    let usual = if stored.about().unit == Unit::Ns { ABOVE } else { Nanoseconds(0) };
    let above_ns = args.above.unwrap_or(usual).0;
    let lates = Lates::new(Question { above_ns, whose, timers, marks, to_end: args.completion });
    let quotas = stored.about().quotas.clone();
    Ok(recording_file::blamed(file, stored, lates.with_quotas(quotas))?)
}

fn show(told: &RecordingSummary, lates: &Lates, span: &str, printing: Printing) -> anyhow::Result<()> {
    let ranked = lates.ranking.ranked();
    let system = told.system.as_deref().unwrap_or("unknown system");
    let blamed = LateResponses {
        about: &format!("backwall {} blame, {}, {system}", env!("CARGO_PKG_VERSION"), told.form),
        lates,
        ranked: &ranked,
        begin_ns: told.summary.begin_ns,
        unit: told.unit,
        span,
    };
    let notes: Vec<String> = told.notes.iter().cloned().chain(blamed::beyond(lates)).collect();
    let value = || {
        let named = json!({
            "file": told.file, "unit": told.unit, "notes": notes, "lost": told.lost, "gaps": told.gaps,
        });
        named_by_unit(blamed::json(&blamed, named), told.unit)
    };
    printing.show(value, || {
        let notes: String = notes.iter().map(|note| format!("note: {note}\n")).collect();
        let missing = recording::Missing { lost: told.lost, gaps: told.gaps, wrapped: told.wrapped };
        let incomplete = missing.incomplete();
        narrow(&(incomplete + &blamed::text(&blamed) + &notes), columns())
    })
}
