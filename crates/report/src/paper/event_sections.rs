// SPDX-License-Identifier: MIT OR Apache-2.0
//! The experiments on event series as text and as sections of the page, each table above the paper's own.
use super::event_figures;
use super::event_limit;
use super::event_tables::{
    figures_2_and_3, is_of, published_1, published_2, published_4, table_1, table_2, table_3, table_4,
};
use crate::grid::Grid;
use crate::section::Section;
use crate::text::{requirements, warnings};
use crate::{phrase, wrap};
use backwall_model::Run;
use maud::html;

/// Says how many experiments have figures, or the limit that the search found; then how much time the hypervisor took meanwhile.
pub fn sentence(run: &Run) -> Option<String> {
    let done = run.series.iter().filter(|series| series.max.is_some()).count();
    let said = match is_of(run) {
        true => format!("{done} of the paper's experiments on event series, next to the paper's figures"),
        false => event_limit::sentence(run)?,
    };
    let ticks = run.environment.steal_ticks;
    let steal = (ticks > 0).then(|| format!("; {}", phrase::steal(ticks)));
    Some(said + &steal.unwrap_or_default())
}

/// How many experiments have figures, or the limit that the search found; `None` for another command's run.
pub fn foremost(run: &Run) -> Option<(String, String)> {
    if is_of(run) {
        let done = run.series.iter().filter(|series| series.max.is_some()).count();
        return Some(("of the paper's experiments on event series have figures".to_string(), done.to_string()));
    }
    event_limit::foremost(run)
}

pub fn text(run: &Run, columns: usize) -> String {
    let head =
        format!("{}{}: {}", crate::verdict::caveats(run), phrase::system(run), sentence(run).unwrap_or_default());
    let mut grids =
        vec![table_1(run), published_1(), table_2(run), published_2(), table_3(run), table_4(run), published_4()];
    grids.push(figures_2_and_3(run));
    grids.extend(event_limit::grids(run));
    let tables: Vec<String> = grids.iter().map(|grid| grid.fitted(columns)).collect();
    [wrap::wrapped(&head, columns), "\n".into(), tables.join("\n"), requirements(run), warnings(run)].concat()
}

pub fn sections(run: &Run) -> Vec<Section> {
    let own = if is_of(run) { tables(run) } else { Vec::new() };
    own.into_iter().chain(event_limit::section(run)).collect()
}

fn tables(run: &Run) -> Vec<Section> {
    let drawn = |grid: &Grid, id: &str, picture: maud::Markup| {
        let own = grid.section(id);
        Section { body: html! { (picture) (own.body) }, ..own }
    };
    let both = figures_2_and_3(run);
    let fourth = table_4(run).section_above(&published_4(), "table-4");
    let fourth = Section { body: html! { (event_figures::figure_4(run, "figure-4")) (fourth.body) }, ..fourth };
    let lines = html! { figure { (event_figures::figures_2_and_3(run, "figures-2-and-3-picture")) } };
    vec![
        table_1(run).section_above(&published_1(), "table-1"),
        table_2(run).section_above(&published_2(), "table-2"),
        drawn(&both, "figures-2-and-3", lines),
        table_3(run).section("table-3"),
        fourth,
    ]
}

#[cfg(test)]
mod tests {
    use super::super::event_tables::tests::run;
    use super::*;
    use crate::wrap::COLUMNS;
    use backwall_model::{Extension, Plan};

    #[test]
    fn every_line_has_80_columns_at_most_and_every_table_is_there() {
        let said = text(&run(), COLUMNS);
        assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
        for table in
            ["Table I:", "Table II:", "Table III:", "Tables IV and V:", "Figures 2 and 3:", "The paper's Table I:"]
        {
            assert!(said.contains(table), "{table}: {said}");
        }
        assert!(!said.contains('…'), "{said}");
    }

    #[test]
    fn the_page_has_a_section_for_each_and_other_runs_have_none() {
        assert_eq!(sections(&run()).len(), 5, "without the search of Figure 5");
        let other = Run { plan: Plan { extension: Extension::Run, ..Plan::default() }, ..run() };
        assert!(sections(&other).is_empty() && sentence(&other).is_none());
    }
}
