// SPDX-License-Identifier: MIT OR Apache-2.0
//! The paper's Figure 5 for this machine or a guest of the bench: the maximum number of events per period, calculated and
//! measured.
use super::event_figures::{Panel, panel};
use super::{FIGURE, WORDS};
use crate::grid::Grid;
use crate::limit::{PUBLISHED, PublishedLimit, long};
use crate::phrase;
use crate::section::Section;
use backwall_model::event_series::PER_EVENT;
use backwall_model::units::grouped;
use backwall_model::{EventLimit, Extension, Run, Spread};
use backwall_tasks::published::{MACHINE, SOURCE};
use maud::html;

pub(super) fn section(run: &Run) -> Option<Section> {
    let found = run.results.limit?;
    let own = [(phrase::system(run), [Some(found.calculated as f64), Some(found.events as f64)])];
    let paper = PUBLISHED
        .map(|one| (one.system.to_string(), [Some(one.calculated() as f64), one.found.map(|events| events as f64)]));
    let events = |value: f64| grouped(value.round() as u64);
    let drawn = |bars: &[_], title: &str, id: &str| {
        let panel_of = Panel { title, about: ABOUT, lines: ["calculated", "found"], label: &events };
        panel(bars, &panel_of, id)
    };
    let table = table(run, &found).section_above(&published(), "figure-5");
    let own_title = format!("events in {}", long(found.period, found.unit));
    let paper_title = format!("events in 10 ms, of the paper, {MACHINE}");
    let body = html! {
        figure { (drawn(&own, &own_title, "figure-5-own")) }
        figure { (drawn(&paper, &paper_title, "figure-5-paper")) }
        (table.body)
    };
    Some(Section { body, ..table })
}

pub(super) fn sentence(run: &Run) -> Option<String> {
    let found = run.results.limit?;
    let (period, calculated) = (long(found.period, found.unit), grouped(found.calculated));
    let fails = found.fails_at.map(|events| format!(" ({} are too many)", grouped(events)));
    Some(match found.events {
        0 => format!("even the smallest number of events tried does not fit in {period}; calculated: {calculated}"),
        events => {
            format!("{} events per {period}{}; calculated: {calculated}", grouped(events), fails.unwrap_or_default())
        }
    })
}

pub(super) fn foremost(run: &Run) -> Option<(String, String)> {
    let found = run.results.limit?;
    Some((
        format!("the largest number of events in {}", long(found.period, found.unit)),
        format!("{} events", grouped(found.events)),
    ))
}

const ABOUT: &str = "Two numbers of events: the first is calculated from two switches and the computing time of each event, \
    the search found the second.";

pub(super) fn grids(run: &Run) -> Vec<Grid> {
    run.results.limit.map_or(Vec::new(), |found| vec![table(run, &found), published()])
}

fn table(run: &Run, found: &EventLimit) -> Grid {
    let created = matches!(&run.plan.extension, Extension::Tasks(asked) if asked.organisation == PER_EVENT);
    let how = if created { "a thread created for each event" } else { "threads that wait" };
    let fails = found.fails_at.map_or("none tried".to_string(), grouped);
    let hidden = found.hidden().map_or(super::ABSENT.to_string(), |hidden| {
        let sign = if hidden < 0 { "-" } else { "" };
        format!("{sign}{}", phrase::figure(hidden.unsigned_abs(), found.unit))
    });
    let computing = found.computation.map_or(String::new(), |computation| {
        format!(" plus the {} that it computes", phrase::figure(computation, found.unit))
    });
    let spread = found.spread.map_or(String::new(), |Spread { searches, least, most }| {
        format!("; the median of {searches} searches, which found {} to {}", grouped(least), grouped(most))
    });
    Grid {
        title: "Figure 5: the largest number of events in a period",
        intro: format!(
            "In {}; times in {}. Calculated: the period divided by two switches per event{computing}. Found: by \
                search, with {how}; next to it are the fewest events that do not fit{spread}. Hidden: the rest of an \
                event's cost, which the calculation does not include.",
            long(found.period, found.unit),
            phrase::column_unit(found.unit)
        ),
        columns: vec![
            ("system", WORDS),
            ("switch", FIGURE),
            ("calculated", FIGURE),
            ("found", FIGURE),
            ("too many", FIGURE),
            ("hidden", FIGURE),
        ],
        dispensable: Vec::new(),
        rows: vec![vec![
            phrase::system(run),
            phrase::figure(found.switch, found.unit),
            grouped(found.calculated),
            grouped(found.events),
            fails,
            hidden,
        ]],
    }
}

/// The paper prints no numbers for Figure 5. It prints the switch times and, in its text, the result for one system.
fn published() -> Grid {
    let row = |one: PublishedLimit| {
        let found = one.found.map_or(super::ABSENT.to_string(), |events| events.to_string());
        let hidden = one.hidden().map_or(super::ABSENT.to_string(), backwall_model::units::tenths);
        vec![one.system.to_string(), one.switch_us.to_string(), one.calculated().to_string(), found, hidden]
    };
    Grid {
        title: "The paper's Figure 5",
        intro: format!(
            "Events in 10 ms, times in us, all measured on a {MACHINE}: {SOURCE}. The figure has no printed numbers. \
                The paper prints the times of the switches (means with one series at real-time priority) and, in its \
                text, one result (about 250). backwall calculates the rest."
        ),
        columns: vec![
            ("system", WORDS),
            ("switch", FIGURE),
            ("calculated", FIGURE),
            ("found", FIGURE),
            ("hidden", FIGURE),
        ],
        dispensable: Vec::new(),
        rows: PUBLISHED.map(row).to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::event_tables::tests::run;
    use super::*;
    use crate::wrap::COLUMNS;
    use backwall_model::units::Unit;

    fn with(limit: EventLimit) -> Run {
        let mut run = run();
        run.device.kernel = "Detent".to_string();
        run.results.limit = Some(limit);
        run
    }

    const IN_TIME: EventLimit = EventLimit {
        unit: Unit::Ns,
        period: 10_000_000,
        switch: 5_000,
        computation: None,
        calculated: 1_000,
        events: 1_250,
        fails_at: None,
        spread: None,
    };

    fn instructions() -> Run {
        with(EventLimit {
            unit: Unit::Instructions,
            switch: 930,
            calculated: 5_376,
            events: 5_360,
            fails_at: Some(5_440),
            ..IN_TIME
        })
    }

    #[test]
    fn a_guests_figure_5_stands_above_the_papers_in_its_own_unit() {
        let page = section(&instructions()).unwrap();
        let body = page.body.into_string();
        assert!(page.intro.starts_with("In 10,000,000 instructions; times in instructions."), "{}", page.intro);
        // 10,000,000 / 5,360 - 2 x 930
        for cell in ["Detent", "930", "5,376", "5,360", "5,440", "5"] {
            assert!(body.contains(&format!(">{cell}</t")), "{cell}: {body}");
        }
        let (own, paper) =
            body.split_once("The paper's Figure 5").or(body.split_once("The paper&#39;s Figure 5")).unwrap();
        assert!(!own.contains(" us<") && !own.contains(" ms<"), "{own}");
        assert!(paper.contains("in us, all") && paper.contains(">4.0</td>"), "{paper}");
        assert_eq!(body.matches("<figure>").count(), 2);
        let said = "5,360 events per 10,000,000 instructions (5,440 are too many); calculated: 5,376";
        assert_eq!(sentence(&instructions()).unwrap(), said);
    }

    #[test]
    fn of_a_machine_it_is_in_time() {
        let run = with(IN_TIME);
        let body = section(&run).unwrap().body.into_string();
        for cell in ["5.0", "1,000", "1,250", "none tried", "-2.0"] {
            assert!(body.contains(&format!(">{cell}</t")), "{cell}: {body}");
        }
        let told: String = grids(&run).iter().map(|grid| grid.text(COLUMNS)).collect();
        assert!(told.lines().all(|line| line.chars().count() <= COLUMNS), "{told}");
    }

    #[test]
    fn without_a_limit_there_is_none_and_what_holds_nothing_has_no_hidden_cost() {
        assert!(section(&run()).is_none() && grids(&run()).is_empty());
        assert_eq!(EventLimit { events: 0, ..IN_TIME }.hidden(), None);
    }
}
