// SPDX-License-Identifier: MIT OR Apache-2.0
//! The causes of each phase.
use super::{INDENT, Line, Tone, short};
use crate::printable::printable;
use crate::trace::{accused, cause};
use crate::verdict;
use crate::wrap::wrapped_at;
use backwall_model::units::grouped;
use backwall_model::{Blame, Cause, Run, Series, Stages};
use std::cmp::Reverse;

/// For each phase, worst first: the cause of its maximum (unless the first line gives it), then the most frequent main cause of
/// its recorded late responses. A cause that does not fit is left out entirely.
pub(super) fn lines(run: &Run, columns: usize, room: usize) -> Vec<Line> {
    let found = phases(run);
    let width = found.iter().map(|one| one.phase.chars().count()).max().unwrap_or(0).min(WIDEST_PHASE);
    let mut lines: Vec<String> = Vec::new();
    for one in &found {
        let block = one.block(columns - INDENT, width);
        if lines.len() + block.len() > room {
            // Always give the cause of the worst phase; drop the phase name if there is no room.
            if lines.is_empty() {
                lines.extend(one.nameless(columns - INDENT, room).into_iter().take(room));
            }
            break;
        }
        lines.extend(block);
    }
    let labelled = |(at, line): (usize, String)| {
        let label = if at == 0 { "why" } else { "" };
        (Tone::Plain, printable(&format!("{label:<INDENT$}{line}")))
    };
    lines.into_iter().enumerate().map(labelled).collect()
}

/// The longest name of a phase in a run without options: `load (8 kinds), C-states off`.
const WIDEST_PHASE: usize = 28;
/// If fewer characters than this remain next to the phase name, the causes start on the next line.
const LEAST_BESIDE: usize = 40;

struct PhaseCauses {
    phase: String,
    /// Each cause, and which responses it explains: `maximum 7.1 ms: hypervisor or SMI`, `most often kernel wakeup path (55 of
    /// 66)`.
    causes: Vec<String>,
    /// Whether the hypervisor may have paused the machine for one of the causes.
    may_be_stolen: bool,
}

impl PhaseCauses {
    /// Puts the causes next to the phase, on one line if they fit, otherwise one per line. In a narrow window they follow the
    /// phase.
    fn block(&self, columns: usize, width: usize) -> Vec<String> {
        let all = self.causes.join("; ");
        if self.phase.chars().count() > width || columns < width + 2 + LEAST_BESIDE {
            return lines_of(&format!("{}: {all}", self.phase), columns);
        }
        let room = columns - width - 2;
        let is_short = all.chars().count() <= room;
        let texts = if is_short { std::slice::from_ref(&all) } else { self.causes.as_slice() };
        let name = |at: usize| if at == 0 { self.phase.as_str() } else { "" };
        let lines = texts.iter().flat_map(|text| lines_of(text, room)).enumerate();
        lines.map(|(at, line)| format!("{:<width$}  {line}", name(at))).collect()
    }

    /// The first cause alone. If it does not fit into `room` lines, its count is left out.
    fn nameless(&self, columns: usize, room: usize) -> Vec<String> {
        let first = self.causes.first().map_or("", String::as_str);
        let whole = lines_of(first, columns);
        if whole.len() <= room { whole } else { lines_of(first.split(" (").next().unwrap_or(first), columns) }
    }
}

fn lines_of(text: &str, columns: usize) -> Vec<String> {
    wrapped_at(text, columns, 2).lines().map(String::from).collect()
}

fn phases(run: &Run) -> Vec<PhaseCauses> {
    let Some(headline) = verdict::headline(run) else { return Vec::new() };
    let is_other = |series: &&Series| verdict::is_alike(series, headline) && series.key != headline.key;
    let mut others: Vec<&Series> = run.series.iter().filter(is_other).collect();
    others.sort_by_key(|series| Reverse(series.max));
    let mut found: Vec<PhaseCauses> = Vec::new();
    let is_sound = |series: &&Series| run.no_evidence_of(&series.key).is_none();
    for series in std::iter::once(headline).chain(others).filter(is_sound) {
        let blame = verdict::own_blame(series).filter(|blame| series.key != headline.key && names_cause(blame));
        let own = blame.map(|blame| (short::max(series), accused::label(blame)));
        // If the kernel's own counters show the cause, no single response has a recorded cause: responses with such a cause last
        // longer than the recording.
        let is_counted = series.key == headline.key && verdict::counted(run, series).is_some();
        let most = most(run, series).filter(|most| !is_counted || most.cause != Some(Cause::Unexplained));
        let of_most = most.as_ref().and_then(|most| most.cause);
        let may_be_stolen = blame.and_then(accused::main_cause).into_iter().chain(of_most).any(cause::may_be_stolen);
        let causes = match (own, most) {
            (Some((max, own)), Some(most)) if own == most.label => {
                vec![format!("maximum {max} and {}", most.sentence())]
            }
            (own, most) => {
                let own = own.map(|(max, own)| format!("maximum {max}: {own}"));
                own.into_iter().chain(most.as_ref().map(MostFrequent::sentence)).collect()
            }
        };
        if !causes.is_empty() {
            found.push(PhaseCauses { phase: short::phase(run, &series.key), causes, may_be_stolen });
        }
    }
    if let Some(one) = found.iter_mut().find(|one| one.may_be_stolen) {
        one.causes.extend(stolen(run));
    }
    found
}

/// The most frequent main cause of the recorded late responses of a phase.
struct MostFrequent {
    count: u64,
    of: u64,
    label: String,
    cause: Option<Cause>,
    /// The second cause, if it made at least a quarter of the responses late.
    second: Option<(u64, String)>,
}

impl MostFrequent {
    fn sentence(&self) -> String {
        let second =
            self.second.as_ref().map_or(String::new(), |(count, label)| format!(", {label} ({})", grouped(*count)));
        format!("most often {} ({} of {}){second}", self.label, grouped(self.count), grouped(self.of))
    }
}

/// Uses the phase's traced repetition, otherwise the responses that the flight recorder kept.
fn most(run: &Run, series: &Series) -> Option<MostFrequent> {
    if let Some(stages) = stages_of(run, series) {
        let mut all = accused::by_label(stages).into_iter();
        let first = all.next().filter(|first| first.largest_in > 0)?;
        let second = all.next().filter(|second| second.largest_in.saturating_mul(4) >= stages.blamed.max(1));
        let second = second.map(|second| (second.largest_in, second.label));
        let cause = Some(first.accused.cause);
        return Some(MostFrequent { count: first.largest_in, of: stages.blamed, label: first.label, cause, second });
    }
    let blames = series.worst.iter().filter_map(|worst| worst.blame.as_ref()).filter(|blame| names_cause(blame));
    let labels: Vec<(String, Option<Cause>)> =
        blames.map(|blame| (accused::label(blame), accused::main_cause(blame))).collect();
    let count = |label: &String| labels.iter().filter(|(other, _)| other == label).count();
    // Of equally frequent causes, take the one with the larger response. If there is a single response, it is the maximum, and
    // the screen shows its cause elsewhere.
    let (label, cause) = labels.iter().rev().max_by_key(|(label, _)| count(label)).filter(|_| labels.len() > 1)?;
    let (count, of) = (count(label) as u64, labels.len() as u64);
    Some(MostFrequent { count, of, label: label.clone(), cause: *cause, second: None })
}

/// In the lab a response is divided by the modes of the CPU. Modes are not causes.
fn names_cause(blame: &Blame) -> bool {
    !matches!(blame, Blame::Modes(_))
}

fn stages_of<'a>(run: &'a Run, series: &Series) -> Option<&'a Stages> {
    let recorded = || run.stages.iter().filter(|stages| !stages.causes.is_empty());
    let alone = run.series.iter().find(|one| one.key.load == series.key.load && one.key.idle == series.key.idle);
    // backwall traces only one of several CPUs, so the screen shows its stages once.
    let of_phase = |stages: &&Stages| {
        stages.key.name == series.key.name && stages.key.load == series.key.load && stages.key.idle == series.key.idle
    };
    let own = recorded().find(|stages| stages.key == series.key);
    own.or_else(|| recorded().find(of_phase).filter(|_| alone.is_some_and(|first| first.key == series.key)))
}

fn stolen(run: &Run) -> Option<String> {
    let ticks = run.environment.steal_ticks;
    (ticks > 0).then(|| format!("hypervisor stole {:.2} s", ticks as f64 / 100.0))
}
