// SPDX-License-Identifier: MIT OR Apache-2.0
//! The chains of a recipe. `watch` follows them with the threads: a line for each chain in every report, and a picture of each at
//! the end.
use backwall_ftrace::attached::AttachReport;
use backwall_model::Picture;
use backwall_os::console::complain;
use backwall_report::trace::chain_picture;
use backwall_report::trace::chained::ChainReport;
use backwall_report::watch::chains::{self as words, InstanceCounts};
use backwall_trace::chain::Spec;
use backwall_watch::Recipe;
use std::collections::{BTreeMap, BTreeSet};

/// The chains that need no system-call events. Those events would slow the whole machine while backwall watches.
pub fn of(recipe: &Recipe, quiet: bool) -> Vec<Spec> {
    let all: Vec<Spec> = recipe.chains.iter().filter_map(|chain| chain.spec().ok()).collect();
    let (slow, followed): (Vec<Spec>, Vec<Spec>) = all.into_iter().partition(|spec| !spec.calls().is_empty());
    for spec in slow.iter().filter(|_| !quiet) {
        complain(&format!(
            "{}: chain {} needs system-call events, which watch does not record; backwall chain {} does",
            recipe.name, spec.name, recipe.name
        ));
    }
    followed
}

pub fn pictures(report: &AttachReport) -> Vec<Picture> {
    let started = report.chains.iter().filter(|chain| chain.tally.due() > 0);
    started.map(|chain| Picture::Chain(chain_picture::of(&ChainReport::of(chain)))).collect()
}

#[derive(Default)]
pub struct ChainsSaid {
    counts: BTreeMap<String, InstanceCounts>,
    absent: BTreeSet<String>,
}

impl ChainsSaid {
    /// The lines of this report. If a thread of a chain is absent, only the first report says so.
    pub fn lines(&mut self, at: &str, recipe: &Recipe, report: &AttachReport) -> Vec<String> {
        let mut lines = Vec::new();
        for chain in report.chains.iter().map(ChainReport::of) {
            let name = chain.spec.name.clone();
            let before = self.counts.insert(name.clone(), InstanceCounts::of(chain.tally)).unwrap_or_default();
            match words::absent(recipe, &chain) {
                Some(absent) => lines.extend(self.absent.insert(name).then_some(absent)),
                None => lines.push(words::line(at, recipe, &chain, before)),
            }
        }
        lines
    }

    /// The threads changed, so the counts start again.
    pub fn begin_stretch(&mut self) {
        self.counts.clear();
    }
}
