// SPDX-License-Identifier: MIT OR Apache-2.0
//! The causes of each phase, what to change, and which command goes on.
use super::{INDENT, Line, Tone, short};
use crate::printable::printable;
use crate::trace::accused;
use crate::verdict;
use crate::wrap::cut;
use backwall_model::units::grouped;
use backwall_model::{Extension, Run, Series, Stages};

/// A line a phase: the cause of its maximum where the first line has another's, and the cause that was the largest in most of its
/// recorded late responses.
pub(super) fn lines(run: &Run, columns: usize, room: usize) -> Vec<Line> {
    let Some(headline) = verdict::headline(run) else { return Vec::new() };
    let others = run.series.iter().filter(|series| verdict::is_alike(series, headline) && series.key != headline.key);
    let alike = std::iter::once(headline).chain(others);
    let mut found: Vec<PhaseCauses> = Vec::new();
    for series in alike {
        let own = verdict::own_blame(series).filter(|_| series.key != headline.key);
        let own = own
            .map(|blame| (short::max(series), accused::short(blame, series.max.unwrap_or(0)), accused::label(blame)));
        let counted = stages_of(run, series).and_then(counted);
        let all: Vec<(String, String, String)> = own.into_iter().chain(counted).collect();
        if !all.is_empty() {
            let join =
                |of: &dyn Fn(&(String, String, String)) -> String| all.iter().map(of).collect::<Vec<_>>().join("; ");
            found.push(PhaseCauses {
                phase: short::phase(run, &series.key),
                whole: join(&|(what, whole, _)| format!("{what}: {whole}")),
                label: join(&|(what, _, label)| format!("{what}: {label}")),
            });
        }
    }
    if let Some(one) = found.iter_mut().find(|one| is_of_hypervisor(&one.whole)) {
        one.whole += &stolen(run);
        one.label += &stolen(run);
    }
    let width = found.iter().map(|one| one.phase.chars().count()).max().unwrap_or(0).min(20);
    let line = |(at, one): (usize, &PhaseCauses)| {
        let label = if at == 0 { "why" } else { "" };
        let phase = cut(&one.phase, width);
        let with = |text: &str| printable(&format!("{label:<INDENT$}{phase:<width$}  {text}"));
        let whole = with(&one.whole);
        let fits = whole.chars().count() <= columns;
        (Tone::Plain, if fits { whole } else { cut(&with(&one.label), columns) })
    };
    found.iter().take(room).enumerate().map(line).collect()
}

/// The cause lines of a phase, as sentences and as labels.
struct PhaseCauses {
    phase: String,
    whole: String,
    label: String,
}

fn stages_of<'a>(run: &'a Run, series: &Series) -> Option<&'a Stages> {
    let recorded = || run.stages.iter().filter(|stages| !stages.causes.is_empty());
    let alone = run.series.iter().find(|one| one.key.load == series.key.load && one.key.idle == series.key.idle);
    // Of several processors one is traced: the stages are told once.
    let of_phase = |stages: &&Stages| {
        stages.key.name == series.key.name && stages.key.load == series.key.load && stages.key.idle == series.key.idle
    };
    let own = recorded().find(|stages| stages.key == series.key);
    own.or_else(|| recorded().find(of_phase).filter(|_| alone.is_some_and(|first| first.key == series.key)))
}

/// `68 of 83 recorded`, and of what, in a sentence and in a label.
fn counted(stages: &Stages) -> Option<(String, String, String)> {
    let first = stages.ranked().first().copied().filter(|first| first.largest_in > 0)?;
    let what = format!("{} of {} recorded", grouped(first.largest_in), grouped(stages.blamed));
    Some((what, accused::total(first), accused::label_of(&first.accused)))
}

fn is_of_hypervisor(text: &str) -> bool {
    ["hypervisor", "C-state"].iter().any(|word| text.contains(word))
}

fn stolen(run: &Run) -> String {
    let ticks = run.environment.steal_ticks;
    if ticks == 0 { String::new() } else { format!("; hypervisor stole {:.2} s", ticks as f64 / 100.0) }
}

/// Commands that go on from here.
pub(super) fn next(run: &Run, name: &str) -> String {
    let recorded = matches!(run.plan.extension, Extension::Run);
    if !recorded {
        return String::new();
    }
    if run.stages.iter().any(|stages| !stages.causes.is_empty()) {
        return format!("backwall blame {name}  ·  backwall tune plan {name}");
    }
    format!("backwall report {name} -v  ·  backwall check")
}
