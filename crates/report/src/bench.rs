// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lab runs on one page, with the figures of the two papers about the bench. The largest answer comes first, then how answers
//! rise, the screens on one time base, and the tables, each above the paper's table as printed.
use super::grid::Grid;
use super::paper::{self, polygons, published, systems, timing};
use super::picture::{self, MOST_ROWS, Named, rise};
use super::run_entry::RunEntry;
use super::section::Section;
use super::table::Align;
use backwall_capture::connector;
use backwall_model::units::grouped;
use backwall_model::{NO_LOAD, Picture, Run, Series};
use maud::{Markup, html};

/// Whether all runs are from the lab and have answers to pulses or a frequency search.
pub fn is_of(runs: &[RunEntry]) -> bool {
    let searched = |run: &Run| run.pictures.iter().any(|picture| matches!(picture, Picture::Saturation(_)));
    !runs.is_empty() && runs.iter().all(|told| paper::shows_latencies(told.run) || searched(told.run))
}

pub fn largest(runs: &[RunEntry]) -> Option<Markup> {
    let lines = runs.iter().filter(|told| paper::shows_latencies(told.run)).flat_map(answers);
    let (told, series) = lines.max_by_key(|(_, series)| series.max)?;
    let samples = grouped(series.counted());
    Some(html! {
        section id="verdict" aria-labelledby="verdict-title" {
            h2 id="verdict-title" { "Maxima side by side, in executed instructions" }
            (walls(runs).table())
            p class="finding" {
                "the largest is that of " (connector::shown(&series.key.name)) " in " (paper::name(told.run)) ": "
                b { (grouped(series.max.unwrap_or(0))) } ", largest of " (samples)
            }
            p class="aside" { (told.run.device.kernel) ", load " (series.key.load) ". Emulated: executed instructions, not time." }
        }
    })
}

fn walls(runs: &[RunEntry]) -> Grid<String> {
    let shown: Vec<&RunEntry> = runs.iter().filter(|told| paper::shows_latencies(told.run)).collect();
    let mut lines: Vec<&str> =
        shown.iter().flat_map(|told| answers(told)).map(|(_, one)| one.key.name.as_str()).collect();
    // Sort the lines in the order in which a stimulus reaches them.
    lines.sort_by_key(|line| (["isr", "ist", "app"].iter().position(|first| line.starts_with(first)), *line));
    lines.dedup();
    let names = lines.iter().map(|line| (connector::shown(line).to_string(), Align::Right));
    let row = |told: &&RunEntry| {
        let walls = lines.iter().map(|line| wall(told, line).map_or("-".to_string(), grouped));
        [paper::name(told.run).to_string()].into_iter().chain(walls).collect()
    };
    Grid {
        title: "",
        intro: String::new(),
        columns: [("run".to_string(), Align::Left)].into_iter().chain(names).collect(),
        dispensable: Vec::new(),
        rows: shown.iter().map(row).collect(),
    }
}

fn wall(told: &RunEntry, line: &str) -> Option<u64> {
    answers(told).filter(|(_, series)| series.key.name == line).filter_map(|(_, series)| series.max).max()
}

fn answers<'a>(told: &'a RunEntry<'a>) -> impl Iterator<Item = (&'a RunEntry<'a>, &'a Series)> {
    let answers = |series: &&Series| connector::response(&series.key.name).is_some() && series.max.is_some();
    told.run.series.iter().filter(answers).map(move |series| (told, series))
}

pub fn sections(runs: &[RunEntry]) -> Vec<Section> {
    let shown: Vec<&RunEntry> = runs.iter().filter(|told| paper::shows_latencies(told.run)).collect();
    let all: Vec<&Run> = runs.iter().map(|told| told.run).collect();
    let mut sections: Vec<Section> = rises(&shown).into_iter().collect();
    sections.extend(overlays(&shown, "Without load", "unloaded", |load| load == NO_LOAD));
    sections.extend(overlays(&shown, "Under load", "loaded", |load| load != NO_LOAD));
    sections.extend(timing::timing(&all).map(timing_section));
    let is_beside = paper::is_beside_systems(&all);
    let above = |ours: Grid, published: fn() -> Grid, id: &str| match is_beside {
        true => ours.section_above(&published(), id),
        false => ours.section(id),
    };
    sections.extend(systems::systems(&all).map(|ours| above(ours, systems::published, "systems")));
    sections.extend(polygons::drawn(&all).map(|ours| above(ours, polygons::published, "figure-3")));
    sections
}

const RISES: &str = "Share of answers over time, and their maxima";

fn rises(shown: &[&RunEntry]) -> Option<Section> {
    let lines = shown.iter().enumerate().flat_map(|(number, told)| answers(told).map(move |answer| (number, answer)));
    let rows: Vec<rise::Row> = lines
        .map(|(number, (told, series))| {
            let note = format!("{}, {} answers", connector::shown(&series.key.name), grouped(series.counted()));
            let completion = completion(told.run, series);
            rise::Row { name: [paper::name(told.run).to_string(), note], series, completion, colour: number }
        })
        .collect();
    let all: Vec<&Run> = shown.iter().map(|told| told.run).collect();
    let paper = html! {
        @if paper::is_beside_systems(&all) {
            h3 class="below" { "The paper's figures, on their own axis" }
            p class="aside" { (published::SOURCE) ". " (published::NOTE) }
            figure { (paper::marks_of_figure_11("paper-picture")) }
        }
    };
    (!rows.is_empty()).then(|| rise_of(&rows, &paper))
}

pub fn rise(run: &Run) -> Option<Section> {
    let has_screens = run.pictures.iter().any(|picture| matches!(picture, Picture::Screens(_)));
    let is_of_scope = run.device.kind == "capture" || paper::shows_latencies(run);
    let begun = |series: &&Series| series.max.is_some() && !series.completes();
    let answered = run.series.iter().filter(|series| has_screens && is_of_scope && begun(series));
    let rows: Vec<rise::Row> = answered
        .enumerate()
        .map(|(colour, series)| {
            let line = connector::shown(&series.key.name).to_string();
            let name = [line, format!("{} answers", grouped(series.counted()))];
            rise::Row { name, series, completion: completion(run, series), colour }
        })
        .collect();
    (!rows.is_empty()).then(|| rise_of(&rows, &Markup::default()))
}

fn completion<'a>(run: &'a Run, series: &Series) -> Option<&'a Series> {
    run.completed(series).map(|[completion, _]| completion)
}

fn rise_of(rows: &[rise::Row], below: &Markup) -> Section {
    Section::new("rise", RISES, rise::INTRO, html! { figure { (rise::draw(rows, "rise-picture")) } (below) })
}

/// The screens of the runs whose load satisfies `sort`, as many per screen as fit.
fn overlays(shown: &[&RunEntry], title: &str, id: &str, sort: impl Fn(&str) -> bool) -> Option<Section> {
    let load = |told: &RunEntry| told.run.plan.loads.first().map_or(NO_LOAD, String::as_str).to_string();
    let names: Vec<(String, &RunEntry)> =
        shown.iter().filter(|told| sort(&load(told))).map(|told| (paper::name(told.run).to_string(), *told)).collect();
    let found: Vec<Named> =
        names.iter().flat_map(|(name, told)| screens(told).map(|found| (name.as_str(), found))).collect();
    let screens = apart(&found);
    let body = html! {
        @for (number, runs) in screens.iter().enumerate() { (picture::overlaid(runs, title, &format!("{id}-{number}"))) }
    };
    (!screens.is_empty()).then(|| Section::new(id, format!("{title}, on one time base"), OVERLAID, body))
}

fn timing_section(ours: Grid) -> Section {
    let paper = timing::published();
    let body = html! {
        (ours.table())
        h3 class="below" { (paper.title) }
        p class="aside" { (paper.intro) }
        (paper.table())
        figure { (paper::marks_of_table_1("timing-picture")) }
    };
    Section::new("timing", ours.title, ours.intro, body)
}

const OVERLAID: &str = "For each run: one pulse, the average of the last pulses, all pulses, and the three together, \
    with one row per line. The lines of a screen share the time base of the slowest. One pulse and the average use a \
    shorter one. A pulse shorter than a column has no height in the average; the picture of the rising share above \
    shows such a pulse. Where a run's own screen ends, its line continues at its last level.";

fn screens<'a>(told: &'a RunEntry<'a>) -> impl Iterator<Item = &'a backwall_model::picture::Screens> {
    told.run.pictures.iter().filter_map(|picture| match picture {
        Picture::Screens(found) => Some(found),
        _ => None,
    })
}

/// Groups the runs so that each group fits on one screen, below the stimulus.
fn apart<'a>(found: &[Named<'a>]) -> Vec<Vec<Named<'a>>> {
    let mut parts: Vec<Vec<Named>> = Vec::new();
    let mut room = 0;
    for named in found {
        let rows = picture::overlaid_rows(named.1);
        if rows > room {
            parts.push(Vec::new());
            room = MOST_ROWS - 1;
        }
        parts.last_mut().expect("one was begun").push(*named);
        room = room.saturating_sub(rows);
    }
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::together;
    use backwall_model::picture::{Channel, Screen, Screens};
    use backwall_model::units::Unit;
    use backwall_model::{Key, Origin, Plan, Span};
    use backwall_stats::SeriesBuilder;

    fn run(name: &str, load: &str, app: u64) -> Run {
        let plan = Plan { measures: vec![format!("lab {name}")], loads: vec![load.into()], ..Plan::default() };
        let mut run = Run::begin(Origin::Emulated, plan, Vec::new(), jiff::Timestamp::UNIX_EPOCH);
        (run.device.kind, run.device.kernel) = ("lab:detent".into(), "<Detent>".into());
        for (line, value) in [("ist", 100), ("app", app)] {
            let span = Span::new("stimulus_a", line, Unit::Instructions);
            let mut builder = SeriesBuilder::new(Key::new(line, load, "as-is"), span);
            (0..20).for_each(|seq| builder.sample(seq, seq * 100, value, false));
            run.series.push(builder.build());
        }
        let channel = |line: &str| Channel { line: line.into(), ..Channel::default() };
        let screen = Screen { per_division: app / 5, channels: ["stimulus_a", "ist", "app"].map(channel).into() };
        let [single, average, all] = [screen.clone(), screen.clone(), screen];
        let (title, stimulus) = (name.to_string(), "stimulus_a".to_string());
        let unit = Unit::Instructions;
        let screens = Screens { title, stimulus, unit, pulses: 20, single_is_last: true, single, average, all };
        run.pictures = vec![Picture::Screens(screens)];
        run
    }

    fn told(runs: &[Run]) -> Vec<RunEntry<'_>> {
        let told = |run| RunEntry { name: paper::name(run).to_string(), page: "x/report.html".into(), run };
        runs.iter().map(told).collect()
    }

    #[test]
    fn the_largest_answer_of_all_leads_the_page_and_the_pictures_come_before_the_tables() {
        let runs = [run("one", "none", 400), run("two", "polygons", 50_929)];
        let page = together::page(Some("bench"), &told(&runs));
        let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text}"));
        assert!(at("50,929") < at("id=\"rise-picture\"") && at("in two") < at("id=\"rise-picture\""));
        let order = ["rise-picture", "paper-picture", "unloaded-0-single", "loaded-0-overall", "systems", "table-1"];
        let places = order.map(|id| at(&format!("id=\"{id}\"")));
        assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "{places:?}");
        assert!(page.contains("10,000 instructions per division") || page.contains("10,185 instructions per division"));
        assert!(page.contains("&lt;Detent&gt;") && !page.contains("<Detent>"));
    }

    #[test]
    fn more_lines_than_have_room_stand_on_another_screen() {
        let runs: Vec<Run> = (0..5).map(|number| run(&format!("run {number}"), "none", 400)).collect();
        let page = together::page(None, &told(&runs));
        for text in ["unloaded-0-single", "unloaded-1-single", ">run 0<", ">run 4<"] {
            assert!(page.contains(text), "{text}");
        }
        assert!(!page.contains("unloaded-2-single"));
    }

    #[test]
    fn runs_of_this_machine_have_no_bench() {
        let mut other = run("one", "none", 400);
        other.device.kind = "linux".into();
        let runs = [other, run("two", "none", 9)];
        assert!(!is_of(&told(&runs)) && is_of(&told(&runs[1..])) && !is_of(&[]));
    }
}
