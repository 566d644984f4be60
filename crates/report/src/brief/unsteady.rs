// SPDX-License-Identifier: MIT OR Apache-2.0
//! Changes of the conditions during a run, if they are large enough to matter.
use super::short;
use backwall_model::units::grouped;
use backwall_model::{Run, Series};
use backwall_stats::drift::{self, Drift, PARTS};

/// Report a change if one part of the run has at least this many times as many of the slowest responses as an average part.
const LEAST_CROWDED: usize = 3;
/// Report a change if one part's typical latency is at least this many times that of another.
const LEAST_RATIO: f64 = 1.25;

/// Names the phase that changed most, what changed, and how many others did; `None` if no change matters.
pub(super) fn sentence(run: &Run) -> Option<String> {
    let is_named = |series: &&Series| {
        let name = series.key.to_string();
        run.warnings.iter().any(|warning| warning.kind == "drift" && warning.of.as_deref() == Some(name.as_str()))
    };
    let seen = |series: &'_ Series| drift::of(series).filter(matters);
    let found: Vec<(&Series, Drift)> =
        run.series.iter().filter(is_named).filter_map(|series| Some((series, seen(series)?))).collect();
    let (worst, drift) = found.iter().max_by(|(_, a), (_, b)| size(a).total_cmp(&size(b)))?;
    let others = match found.len() - 1 {
        0 => String::new(),
        1 => " and in one other phase".to_string(),
        more => format!(" and in {more} other phases"),
    };
    let place = short::during(run, &worst.key);
    Some(format!("conditions changed{place}{others}: {}; repeat the run before comparing", evidence(drift)))
}

fn matters(drift: &Drift) -> bool {
    match drift {
        Drift::Tail { largest, most, .. } => most * PARTS >= largest * LEAST_CROWDED,
        Drift::Body { lowest, highest } => *highest >= lowest * LEAST_RATIO,
    }
}

/// How many times larger the change is than in a steady run. The report names the largest change.
fn size(drift: &Drift) -> f64 {
    match drift {
        Drift::Tail { largest, most, .. } => (most * PARTS) as f64 / (*largest).max(1) as f64,
        Drift::Body { lowest, highest } => highest / lowest,
    }
}

fn evidence(drift: &Drift) -> String {
    match drift {
        Drift::Tail { largest, most, .. } => {
            let (most, largest) = (grouped(*most as u64), grouped(*largest as u64));
            format!("{most} of the {largest} slowest responses came within 9 % of the time")
        }
        Drift::Body { lowest, highest } => format!("typical latency varied {:.1}-fold", highest / lowest),
    }
}
