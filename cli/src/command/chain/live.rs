// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records this machine for a while, and follows the chains through the recording.
use super::{Args, followed, show, stored};
use crate::command::trace::record;
use crate::exit::{Exit, usage};
use backwall_ftrace::recording_file;
use backwall_judge::require::Demands;
use backwall_model::units::Nanoseconds;
use backwall_os::Stop;
use backwall_os::console;
use backwall_store::RunFolder;
use backwall_trace::chain::spec::Spec;
use backwall_trace::event::{Besides, CALLS};
use jiff::Timestamp;

pub(super) fn run(args: &Args, specs: Vec<Spec>, demands: &Demands) -> anyhow::Result<Exit> {
    let besides = besides(&specs)?;
    if besides.calls != 0 && args.output.printing.is_text() {
        console::complain("recording system calls makes every system call of this machine about 20 ns slower");
    }
    let (folder, failed) = recorded(args, besides, args.duration)?;
    let (file, mut stored) = recording_file::open(&folder.path().join(recording_file::FILE))?;
    let (told, chains) = followed(&file, &mut stored, specs)?;
    show(args, &told, &chains, &file)?;
    let exit = stored::keep_in(&folder, args, &told, &chains, demands)?;
    Ok(if failed { exit.worse(Exit::Unable) } else { exit })
}

pub(super) fn besides(specs: &[Spec]) -> anyhow::Result<Besides> {
    let mut besides = Besides::default();
    for spec in specs {
        let (received, sent) = spec.packets();
        besides.packets |= received || sent;
        besides.marks |= spec.has_mark();
        for call in spec.calls() {
            let Some(place) = CALLS.iter().position(|known| *known == call) else {
                let hint = backwall_model::units::near::hint(call, CALLS.into_iter());
                return Err(usage(format!("unknown call '{call}'; expected one of {}{hint}", CALLS.join(", "))));
            };
            besides.calls |= 1 << place;
        }
    }
    Ok(besides)
}

pub(super) fn recorded(
    args: &Args,
    besides: Besides,
    length: Option<Nanoseconds>,
) -> anyhow::Result<(RunFolder, bool)> {
    let stop = Stop::on_signals()?;
    let folder = args.output.folder("chain", Timestamp::now())?;
    let failed = record::into_folder(&folder, besides, length, &stop, args.output.printing)?;
    Ok((folder, failed))
}
