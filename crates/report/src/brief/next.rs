// SPDX-License-Identifier: MIT OR Apache-2.0
//! The one command to type next, with a remark that says what it does. The other commands are only on the page and in `-v`.
use crate::phrase;
use crate::trace::accused;
use crate::verdict;
use backwall_model::{Cause, Extension, RefusedPriority, Run, shell};

/// The advice in the last line before the warnings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    Command(String),
    /// No response was late.
    Nothing,
}

pub const NOTHING: &str = "nothing to change: no response was late";

/// Precedes a remark, which a shell ignores.
pub(super) const REMARK: &str = "   # ";
/// Marks a command that replaces the one above it.
const OTHER_WAY: &str = "# or this";
const TOOL: &str = "backwall";
const BLAMES: &str = "all causes of the late responses";
const CHECKS: &str = "settings and rights of this machine";
/// The largest total size of the kernel's ring buffers that backwall proposes, in megabytes.
const LARGEST_BUFFER: &str = "256";

/// The first command that applies: it gets missing rights, makes the run valid, fixes the cause, or explains the cause. `None`
/// for a command that does not measure causes.
pub fn next(run: &Run, name: &str) -> Option<Next> {
    if !matches!(run.plan.extension, Extension::Run) {
        return None;
    }
    if verdict::is_resumable(run) {
        return run.resume_command(name).map(|command| Next::Command(format!("{command}{REMARK}finishes this run")));
    }
    if verdict::is_fine(run) {
        return Some(Next::Nothing);
    }
    let found = with_rights(run).or_else(|| with_larger_buffer(run)).or_else(|| again(run)).or_else(|| mended(run));
    let found = found.or_else(|| with_recorder(run)).or_else(|| from_the_start(run));
    Some(Next::Command(found.unwrap_or_else(|| explained(run, name))))
}

/// All other useful commands, for the page and `-v`.
pub fn others(run: &Run, name: &str) -> Vec<String> {
    let Some(next) = next(run, name) else { return Vec::new() };
    let tool = program(run);
    let blame = format!("{tool} blame {name}{REMARK}{BLAMES}");
    let plan = format!("{tool} tune plan {name}{REMARK}settings that may help");
    let check = format!("{tool} check{REMARK}{CHECKS}");
    let all = if has_causes(run) { vec![blame, plan, check] } else { vec![check] };
    all.into_iter().filter(|other| Next::Command(other.clone()) != next).collect()
}

/// The program as the user typed it, so that a shell finds it again.
fn program(run: &Run) -> &str {
    run.command.first().map(String::as_str).filter(|typed| typed.contains('/')).unwrap_or(TOOL)
}

fn words(run: &Run) -> &[String] {
    run.command.get(1..).unwrap_or_default()
}

fn typed(run: &Run, words: &[String]) -> String {
    let all: Vec<&str> = std::iter::once(program(run)).chain(without_folder(words)).collect();
    shell::line(&all)
}

/// Another run needs another folder, so its command does not name this run's.
fn without_folder(words: &[String]) -> Vec<&str> {
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let mut kept = Vec::new();
    let mut own = words[..end].iter().map(String::as_str);
    while let Some(word) = own.next() {
        match word {
            "-o" | "--output" => drop(own.next()),
            "--resume" => {}
            word if word.starts_with("--output=") || word.starts_with("-o") => {}
            word => kept.push(word),
        }
    }
    kept.into_iter().chain(words[end..].iter().map(String::as_str)).collect()
}

/// This run's command with the missing rights. The refusals say how to get them: on this machine, in a container or for a
/// service.
pub(super) fn with_rights(run: &Run) -> Option<String> {
    let refused = run.refused_priority.as_ref().map(|RefusedPriority { remedy, .. }| remedy.as_str());
    let ways = || verdict::unrecorded(run).into_iter().chain(refused).flat_map(|ways| ways.split("; "));
    let command = typed(run, words(run));
    let of_engine = |way: &str| ["docker run", "podman run"].iter().any(|engine| way.starts_with(engine));
    if let Some(way) = ways().find(|way| of_engine(way)) {
        let options = way.split(", ").next().unwrap_or(way);
        return Some(format!("{options} IMAGE {command}{REMARK}on the host; IMAGE is the image of this container"));
    }
    if let Some(way) = ways().find(|way| way.contains("systemctl ")) {
        return Some(format!("{way}{REMARK}gives the service the right to real-time priority"));
    }
    ways().any(|way| way.contains("sudo")).then(|| format!("sudo {command}{REMARK}with real-time priority and causes"))
}

/// The same command with larger ring buffers, if the kernel's trace lost events and the user could set the size but did not.
fn with_larger_buffer(run: &Run) -> Option<String> {
    verdict::lost(run)?;
    let words = words(run);
    let is_watch = words.first().is_some_and(|word| word == "watch");
    if !is_watch || words.iter().any(|word| word.starts_with("--buffer")) {
        return None;
    }
    let mut more = words.to_vec();
    let end = more.iter().position(|word| word == "--").unwrap_or(more.len());
    more.splice(end..end, ["--buffer", LARGEST_BUFFER].map(String::from));
    Some(format!("{}{REMARK}the same command with {LARGEST_BUFFER} MB of buffers", typed(run, &more)))
}

/// An invalid run proves nothing about causes: repeat it first.
fn again(run: &Run) -> Option<String> {
    let repeats = !run.valid && !run.command.is_empty();
    repeats.then(|| format!("{}{REMARK}again: this run is invalid", typed(run, words(run))))
}

/// The first fix that has commands, as one line.
fn mended(run: &Run) -> Option<String> {
    let (of, commands) = verdict::changes(run).into_iter().find_map(|fix| {
        let (_, commands) = fix.text.split_once('\n')?;
        let commands = commands.lines().filter(|line| !line.contains(OTHER_WAY)).map(String::from);
        Some((fix.of, commands.collect::<Vec<_>>()))
    })?;
    let line = meant(&joined(&commands), of);
    let own = line.strip_prefix("backwall ").map(|rest| format!("{} {rest}", program(run)));
    Some(own.unwrap_or(line))
}

// If there are two fixes, the remark also says what the command is for: `chrt …   # for the maximum; undo: chrt …`.
fn meant(line: &str, of: &str) -> String {
    let of = of.trim_end_matches(": ");
    match line.split_once(REMARK) {
        _ if of.is_empty() => line.to_string(),
        Some((command, remark)) => format!("{command}{REMARK}{of}; {remark}"),
        None => format!("{line}{REMARK}{of}"),
    }
}

/// Joins commands that must run in this order, and keeps the last one's remark.
fn joined(commands: &[String]) -> String {
    let (last, before) = commands.split_last().map_or(("", &[][..]), |(last, before)| (last.as_str(), before));
    let bare = before.iter().map(|line| line.split_once(REMARK).map_or(line.as_str(), |(command, _)| command));
    bare.chain([last]).collect::<Vec<_>>().join(" && ")
}

fn with_recorder(run: &Run) -> Option<String> {
    const SWITCH: &str = "--no-recorder";
    let words = words(run);
    words.iter().any(|word| word == SWITCH).then(|| {
        let kept: Vec<String> = words.iter().filter(|word| *word != SWITCH).cloned().collect();
        format!("{}{REMARK}the same command, which then also records causes", typed(run, &kept))
    })
}

/// For a loop that catches up: the late responses follow from an earlier response, which only a whole recording contains.
fn from_the_start(run: &Run) -> Option<String> {
    let main = verdict::headline(run).and_then(verdict::own_blame).and_then(accused::main_cause)?;
    if !matches!(main, Cause::Backlog | Cause::CatchUp | Cause::Unexplained) {
        return None;
    }
    let tool = program(run);
    let app = phrase::watched_app(run)?;
    let thread = app.strip_prefix("thread:").unwrap_or(app);
    let is_name = !thread.starts_with('-') && !thread.contains([':', ',']);
    is_name.then(|| {
        let thread = shell::line(&[thread]);
        format!(
            "{tool} trace record -D 10s -o whole && {tool} blame whole --above 1ms --thread {thread}{REMARK}records \
                how the thread fell behind"
        )
    })
}

fn explained(run: &Run, name: &str) -> String {
    let tool = program(run);
    match has_causes(run) {
        true => format!("{tool} blame {name}{REMARK}{BLAMES}"),
        false => format!("{tool} check{REMARK}{CHECKS}"),
    }
}

fn has_causes(run: &Run) -> bool {
    run.stages.iter().any(|stages| !stages.causes.is_empty())
        || run.series.iter().any(|series| verdict::own_blame(series).is_some())
}
