// SPDX-License-Identifier: MIT OR Apache-2.0
//! All figures of a system in one table: without load, with load, and their ratio. It follows Figure 7 of the second paper, which
//! combines the frequencies of Figure 8 with the latencies of Figure 11.
//!
//! A ratio has no unit, so it is the only figure here that can be compared with the paper's.
use super::latencies::line;
use super::published::{self, FIGURE_8, FIGURE_11};
use super::{ABSENT, FIGURE, WORDS, load, name};
use crate::grid::Grid;
use backwall_model::units::grouped;
use backwall_model::{NO_LOAD, Picture, Run};

type Fact = (String, u64);

struct Block {
    scenario: String,
    kernel: String,
    load: String,
    /// Whether an earlier block has the same kernel and load, but another scenario. Then the table shows the scenario's name
    /// instead of the kernel's.
    apart: bool,
    facts: Vec<Fact>,
}

impl Block {
    fn system(&self) -> &str {
        if self.apart { &self.scenario } else { &self.kernel }
    }

    /// Whether another run of this scenario can be added to the block without giving a figure twice.
    fn takes(&self, other: &Block) -> bool {
        let known = |name: &str| self.facts.iter().any(|(own, _)| own == name);
        (&self.scenario, &self.kernel, &self.load) == (&other.scenario, &other.kernel, &other.load)
            && !other.facts.iter().any(|(name, _)| known(name))
    }

    /// Whether this is the scenario of `loaded` without load. Only the names decide: the name of `loaded` may end in `-LOAD`.
    fn is_calm_of(&self, loaded: &Block) -> bool {
        let without = loaded.scenario.rsplit_once('-').map(|(scenario, _)| scenario);
        self.kernel == loaded.kernel
            && [Some(loaded.scenario.as_str()), without].contains(&Some(self.scenario.as_str()))
    }
}

pub fn systems(runs: &[&Run]) -> Option<Grid> {
    let blocks = blocks(runs);
    let (calm, loaded): (Vec<&Block>, Vec<&Block>) = blocks.iter().partition(|block| block.load == NO_LOAD);
    let calm_of = |loaded: &Block| calm_of(&calm, loaded);
    let paired = |one: &Block| loaded.iter().filter_map(|block| calm_of(block)).any(|calm| std::ptr::eq(calm, one));
    let alone = calm.iter().filter(|calm| !paired(calm));
    let pairs = loaded.iter().map(|block| (calm_of(block), Some(*block))).chain(alone.map(|calm| (Some(*calm), None)));
    let rows: Vec<Vec<String>> = pairs.flat_map(|(calm, loaded)| rows(calm, loaded)).collect();
    let grid = Grid {
        title: "Every system without load and with it, in executed instructions",
        intro: "MF and SF are the shortest periods in instructions per pulse, if they were searched for. For them a ratio above 1 means that the load lowers the frequency."
            .to_string(),
        columns: columns(),
        dispensable: Vec::new(),
        rows,
    };
    (!grid.rows.is_empty()).then_some(grid)
}

/// Matches by name; if no name matches, takes the first block with the same kernel.
fn calm_of<'a>(calm: &[&'a Block], loaded: &Block) -> Option<&'a Block> {
    let first = |block: &&&Block| block.kernel == loaded.kernel && !block.apart && !loaded.apart;
    let named = calm.iter().find(|block| block.is_calm_of(loaded));
    named.or_else(|| calm.iter().find(first)).copied()
}

fn columns() -> Vec<(&'static str, crate::table::Align)> {
    let words = [("system", WORDS), ("load", WORDS), ("figure", WORDS)].into_iter();
    words.chain(["without load", "with it", "ratio"].map(|name| (name, FIGURE))).collect()
}

/// One block per scenario and load, because latencies and frequencies come from different runs. Other scenarios of the same
/// system, and duplicate figures, get their own blocks.
fn blocks(runs: &[&Run]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for run in runs {
        let (scenario, kernel, load) = (name(run).to_string(), run.device.kernel.clone(), load(run).to_string());
        let apart = blocks.iter().any(|block| (&block.kernel, &block.load) == (&kernel, &load));
        let found = Block { scenario, kernel, load, apart, facts: facts(run) };
        match blocks.iter_mut().find(|block| block.takes(&found)) {
            Some(block) => block.facts.extend(found.facts),
            None if found.facts.is_empty() => {}
            None => blocks.push(found),
        }
    }
    blocks
}

fn facts(run: &Run) -> Vec<Fact> {
    let mut facts = Vec::new();
    for picture in &run.pictures {
        let Picture::Saturation(found) = picture else { continue };
        let goals = found.goals.iter().filter_map(|goal| Some((goal.name.clone(), goal.period_instructions?)));
        facts.extend(goals);
    }
    if !facts.is_empty() {
        return facts;
    }
    for series in &run.series {
        let Some((_, name)) = line(series) else { continue };
        let mean = series.mean.map(|mean| mean.round() as u64);
        let figures = [("max", series.max), ("min", series.min), ("jitter", series.jitter), ("mean", mean)];
        facts.extend(figures.into_iter().filter_map(|(figure, value)| Some((format!("{name} {figure}"), value?))));
    }
    facts
}

fn rows(calm: Option<&Block>, loaded: Option<&Block>) -> Vec<Vec<String>> {
    let find = |block: Option<&Block>, name: &str| {
        block.and_then(|block| block.facts.iter().find(|(other, _)| other == name)).map(|(_, value)| *value)
    };
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in [calm, loaded].into_iter().flatten().flat_map(|block| &block.facts) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let system = [calm, loaded].into_iter().flatten().max_by_key(|block| block.apart).map_or("", Block::system);
    let under = loaded.map_or(ABSENT, |block| &block.load);
    let shown = |value: Option<u64>| value.map_or(ABSENT.to_string(), grouped);
    let row = |name: &str| {
        let (one, other) = (find(calm, name), find(loaded, name));
        let ratio = one.zip(other).map(|(one, other)| (one as f64, other as f64));
        vec![system.into(), under.into(), name.into(), shown(one), shown(other), of(ratio)]
    };
    names.into_iter().map(row).collect()
}

fn of(pair: Option<(f64, f64)>) -> String {
    pair.filter(|(one, _)| *one > 0.0).map_or(ABSENT.to_string(), |(one, other)| format!("{:.2}", other / one))
}

/// The paper's table: frequencies, where a ratio below 1 means that the load reduces them, and latencies in microseconds.
pub fn published() -> Grid {
    let mut rows = Vec::new();
    for (calm, loaded) in FIGURE_8.chunks_exact(2).map(|pair| (&pair[0], &pair[1])) {
        let figures = [
            ("MF-ISR", calm.mf_interrupt, loaded.mf_interrupt),
            ("MF-APP", calm.mf_app, loaded.mf_app),
            ("SF", calm.sf, loaded.sf),
        ];
        rows.extend(figures.map(|(name, one, other)| published_row(calm.system, name.to_string(), one, other)));
        let (calm, loaded) = FIGURE_11
            .chunks_exact(2)
            .find_map(|pair| (pair[0].system == calm.system).then_some((&pair[0], &pair[1])))
            .expect("both figures have the same systems");
        for (line, one, other) in [("ISR", calm.interrupt, loaded.interrupt), ("APP", calm.app, loaded.app)] {
            let names = ["max", "min", "jitter", "mean"].map(|figure| format!("{line} {figure}, us"));
            let figures = names.into_iter().zip(one).zip(other);
            rows.extend(figures.map(|((name, one), other)| published_row(calm.system, name, one, other)));
        }
    }
    Grid {
        title: "The paper's Figures 8 and 11, without load and with it",
        intro: format!("{}. {} MF and SF are frequencies here.", published::SOURCE, published::NOTE),
        columns: columns(),
        dispensable: Vec::new(),
        rows,
    }
}

fn published_row(system: &str, figure: String, calm: &str, loaded: &str) -> Vec<String> {
    let given = |text: &str| if text.is_empty() { ABSENT } else { text }.to_string();
    let ratio = of(quantity(calm).zip(quantity(loaded)));
    vec![system.to_string(), "polygons".to_string(), figure, given(calm), given(loaded), ratio]
}

fn quantity(text: &str) -> Option<f64> {
    let mut words = text.split_whitespace();
    let number: f64 = words.next()?.parse().ok()?;
    Some(if words.next() == Some("kHz") { 1e3 * number } else { number })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::tests::{run_of, series};
    use backwall_model::picture::{Saturation, Sought};

    fn search(guest: &str, load: &str, period: u64) -> Run {
        let goal = Sought {
            name: "MF-APP".into(),
            period_instructions: Some(period),
            fails_at_instructions: None,
            also_fails_at: Vec::new(),
            bands: Vec::new(),
        };
        let mut run = run_of(guest, load);
        run.series = vec![series("app", &[1, 1])];
        run.pictures = vec![Picture::Saturation(Saturation { goals: vec![goal], ..Saturation::default() })];
        run
    }

    fn run(guest: &str, load: &str, values: &[u64]) -> Run {
        let mut run = run_of(guest, load);
        run.series = vec![series("app", values)];
        run
    }

    fn said(runs: &[Run]) -> Vec<String> {
        let grid = systems(&runs.iter().collect::<Vec<_>>()).unwrap();
        grid.rows.iter().map(|row| row.join(" ")).collect()
    }

    #[test]
    fn each_figure_stands_without_load_with_it_and_as_a_ratio() {
        let rows = said(&[
            run("detent", "none", &[100, 300]),
            run("detent", "polygons", &[100, 750]),
            search("detent", "none", 400),
            search("detent", "polygons", 30_000),
            run("bare", "none", &[5]),
        ]);
        let expected = [
            "detent polygons APP max 300 750 2.50",
            "detent polygons APP min 100 100 1.00",
            "detent polygons APP jitter 200 650 3.25",
            "detent polygons APP mean 200 425 2.12",
            "detent polygons MF-APP 400 30,000 75.00",
        ];
        assert_eq!(rows[..5], expected);
        assert_eq!(rows[5], "bare - APP max 5 - -");
    }

    #[test]
    fn two_runs_of_one_system_under_one_load_are_never_mixed() {
        let rows = said(&[run("detent", "polygons", &[100]), run("detent", "polygons", &[700])]);
        assert_eq!(rows.len(), 8);
        assert_eq!(
            (rows[0].as_str(), rows[4].as_str()),
            ("detent polygons APP max - 100 -", "x polygons APP max - 700 -")
        );
    }

    fn named(scenario: &str, mut run: Run) -> Run {
        run.plan.measures = vec![format!("lab {scenario}")];
        run
    }

    // Two scenarios of one kernel, in both orders: a search must not appear next to the other scenario's latencies.
    #[test]
    fn a_search_joins_the_latencies_of_its_own_scenario() {
        let with = || named("ce30", run("detent", "none", &[100]));
        let without = || named("ce30-isr", run("detent", "none", &[200]));
        let searched = || named("ce30-isr", search("detent", "none", 400));
        let figures = |runs: &[Run], system: &str| -> Vec<String> {
            let own = said(runs).into_iter().filter(|row| row.starts_with(&format!("{system} - ")));
            own.filter(|row| row.contains(" max ") || row.contains("MF-APP")).collect()
        };
        let in_order = [with(), without(), searched()];
        assert_eq!(figures(&in_order, "detent"), ["detent - APP max 100 - -"]);
        assert_eq!(figures(&in_order, "ce30-isr"), ["ce30-isr - APP max 200 - -", "ce30-isr - MF-APP 400 - -"]);
        let search_first = [searched(), with(), without()];
        assert_eq!(figures(&search_first, "detent"), ["detent - MF-APP 400 - -", "detent - APP max 200 - -"]);
        assert_eq!(figures(&search_first, "ce30"), ["ce30 - APP max 100 - -"]);
        let alone = [with(), searched()];
        assert_eq!(figures(&alone, "detent"), ["detent - APP max 100 - -"]);
        assert_eq!(figures(&alone, "ce30-isr"), ["ce30-isr - MF-APP 400 - -"]);
    }

    #[test]
    fn a_loaded_scenario_is_held_against_its_own_without_load() {
        let rows = said(&[
            named("ce30", run("detent", "none", &[100])),
            named("ce30-isr", run("detent", "none", &[200])),
            named("ce30-isr-polygons", run("detent", "polygons", &[600])),
            named("ce30-polygons", run("detent", "polygons", &[700])),
        ]);
        assert_eq!(rows.len(), 8);
        assert_eq!(
            (rows[0].as_str(), rows[4].as_str()),
            ("ce30-isr polygons APP max 200 600 3.00", "ce30-polygons polygons APP max 100 700 7.00")
        );
    }

    #[test]
    fn the_paper_s_ratios_are_those_of_its_own_figures() {
        let grid = published();
        assert_eq!(grid.rows.len(), 33);
        let row = |system: &str, figure: &str| {
            let found = grid.rows.iter().find(|row| row[0] == system && row[2] == figure);
            found.map(|row| row[3..].join(" ")).unwrap()
        };
        assert_eq!(row("Windows CE 3.0", "MF-APP"), "28 kHz 15 kHz 0.54");
        assert_eq!(row("Windows CE .NET", "APP jitter, us"), "146 79 0.54");
        assert_eq!(row("Windows CE 2.12", "SF"), "- never stopped -");
    }
}
