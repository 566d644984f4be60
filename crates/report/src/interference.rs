// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parts alone and together: ratios with limits, next to the figures of the newsgroup post, which are marked.
use super::phrase;
use super::table::{Align, Table};
use super::wrap::{narrow, wrapped};
use backwall_model::picture::{Case, Form, Interference};
use backwall_model::units::{Unit, grouped};
use backwall_model::{Extension, Picture, Run};
use backwall_stats::binomial::Binomial;
use backwall_stats::holm;
use backwall_stats::median::median;
use maud::{Markup, html};

pub fn of(run: &Run) -> Option<&Interference> {
    if !matches!(run.plan.extension, Extension::Interfere(_) | Extension::Lab(_)) {
        return None;
    }
    run.pictures.iter().find_map(|picture| match picture {
        Picture::Interference(found) => Some(found),
        _ => None,
    })
}

pub fn sentence(run: &Run) -> Option<String> {
    let found = of(run)?;
    let decided = found.cases.iter().zip(sides(found)).filter_map(|(case, side)| Some((case, side.decided()?)));
    let decided: Vec<String> = decided.map(|(case, word)| format!("{} {word}", label(case))).collect();
    let rest = found.cases.len() - decided.len();
    let mut parts = vec![format!("{} cases measured in turn", found.cases.len())];
    parts.extend((!decided.is_empty()).then(|| decided.join(", ")));
    parts.extend((rest > 0).then(|| format!("{rest} undecided")));
    Some(parts.join("; "))
}

/// The number of cases that take more or less time together, out of all cases; `None` for another command's run.
pub fn decided(run: &Run) -> Option<(String, String)> {
    let sides = sides(of(run)?);
    let count = |is_of: fn(&Side) -> bool| sides.iter().filter(|side| is_of(side)).count();
    let changed = count(|side| matches!(side, Side::More | Side::Less));
    let open = count(|side| side.decided().is_none());
    let undecided = if open > 0 { format!(", {open} undecided") } else { String::new() };
    let what = format!("cases in which running together changes the time{undecided}");
    Some((what, format!("{changed} of {}", sides.len())))
}

pub const READING: &str = "backwall timed each part alone and all parts together once in each round, in an order that \
    changes from round to round; figures are medians of the rounds. A ratio is the median of the rounds' own ratios; its \
    limits hold at 95 %. “last part” is the last part's share of the sum of all parts. Columns named after a program \
    give its CPU time in a round.";
pub const POST: &str = "Figures marked “the post” are from Windows CE .NET 4.2 (CE) and Windows ME on a 266 MHz machine in 2002; they have no limits.";

/// One table per group of cases, with its title and the notes needed to read its rows.
pub fn tables(found: &Interference, columns: usize) -> Vec<String> {
    groups(found).iter().map(|group| table_text(group, columns)).collect()
}

fn groups(found: &Interference) -> Vec<Vec<&Case>> {
    let mut groups: Vec<Vec<&Case>> = Vec::new();
    for case in &found.cases {
        match groups.iter_mut().find(|group| head(group[0]) == head(case)) {
            Some(group) => group.push(case),
            None => groups.push(vec![case]),
        }
    }
    groups
}

fn head(case: &Case) -> (&str, &str, Vec<&str>, Vec<&str>) {
    let forms = case.forms.iter().map(|form| form.name.as_str());
    let who = case.processor.iter().map(|used| used.who.as_str());
    (&case.experiment, &case.compared, forms.collect(), who.collect())
}

fn table_text(group: &[&Case], wide: usize) -> String {
    let (experiment, compared, ..) = head(group[0]);
    let title = wrapped(&format!("{experiment}: {compared}"), wide);
    format!("{title}{}{}", table(group).in_parts(wide, 1), narrow(&conditions(group), wide))
}

pub fn markup(found: &Interference) -> Markup {
    html! {
        @for group in groups(found) {
            h3 { (head(group[0]).0) ": " (head(group[0]).1) }
            (table(&group).markup())
            @for line in conditions(&group).lines() { p class="aside" { (line) } }
        }
    }
}

/// The ratio comes first, because it is the answer; the figures it was computed from follow.
fn table(group: &[&Case]) -> Table {
    let (_, _, forms, who) = head(group[0]);
    let mut columns = vec![("", Align::Left), ("ratio", Align::Right), ("limits", Align::Right)];
    columns.push(("the post", Align::Left));
    columns.extend(forms.iter().map(|name| (*name, Align::Right)));
    columns.extend(share(group[0]).map(|(name, _)| (name, Align::Right)));
    columns.extend(who.iter().map(|name| (*name, Align::Right)));
    columns.push(("rounds", Align::Right));
    let mut table = Table::new(&columns);
    group.iter().for_each(|case| table.row(row(case)));
    table
}

fn conditions(group: &[&Case]) -> String {
    let mut told: Vec<(&str, Vec<&str>)> = Vec::new();
    for case in group.iter().filter(|case| !case.conditions.is_empty()) {
        match told.iter_mut().find(|(conditions, _)| *conditions == case.conditions) {
            Some((_, titles)) => titles.push(&case.title),
            None => told.push((&case.conditions, vec![&case.title])),
        }
    }
    let line = |(conditions, titles): &(&str, Vec<&str>)| match titles.len() == group.len() {
        true => format!("{conditions}\n"),
        false => format!("{}: {conditions}\n", titles.join("; ")),
    };
    told.iter().map(line).collect()
}

fn row(case: &Case) -> Vec<String> {
    let mut cells = vec![case.title.clone()];
    let limits = case.ratio.and_then(|ratio| ratio.limits);
    // Counts of executed instructions are exact, so their ratio gets more digits.
    let digits = if case.unit == Unit::Instructions { 6 } else { 3 };
    cells.push(case.ratio.map_or("-".to_string(), |ratio| format!("{:.digits$}", ratio.median)));
    cells.push(limits.map_or("-".to_string(), |[low, high]| format!("{low:.digits$} to {high:.digits$}")));
    cells.push(published(case));
    cells.extend(case.forms.iter().map(|form| figure(case, form)));
    cells.extend(share(case).map(|(_, share)| share));
    let rounds = case.rounds().max(1) as u64;
    cells.extend(case.processor.iter().map(|used| phrase::value(used.time / rounds, case.unit)));
    cells.push(grouped(case.rounds() as u64));
    cells
}

/// The column's title, and the last part's share of the sum of several parts, as medians. In the sieve the last part is
/// displaying.
fn share(case: &Case) -> Option<(&'static str, String)> {
    let time = |name: &String| case.forms.iter().find(|form| form.name == *name).and_then(of_median);
    let parts: Vec<f64> = case.below.iter().map(time).collect::<Option<_>>()?;
    let (last, whole) = (parts.last()?, parts.iter().sum::<f64>());
    (parts.len() > 1 && whole > 0.0).then(|| ("last part", format!("{:.2} %", 100.0 * last / whole)))
}

fn figure(case: &Case, form: &Form) -> String {
    let Some(time) = of_median(form) else { return "-".into() };
    match case.bytes.filter(|_| moves(case)) {
        Some(bytes) if time > 0.0 => format!("{:.1} MB/s", bytes as f64 * 1e3 / time),
        _ => phrase::value(time as u64, case.unit),
    }
}

fn moves(case: &Case) -> bool {
    case.experiment == "throughput" && case.unit == Unit::Ns
}

fn of_median(form: &Form) -> Option<f64> {
    let mut values: Vec<f64> = form.times.iter().map(|time| *time as f64).collect();
    values.sort_by(f64::total_cmp);
    (!values.is_empty()).then(|| median(&values))
}

fn published(case: &Case) -> String {
    let Some(post) = &case.published else { return "-".into() };
    let above = if post.at_least { "above " } else { "" };
    let ratio = post.ratio.map_or(String::new(), |ratio| format!("; ratio {above}{ratio:.2}"));
    post.text.clone() + &ratio
}

/// Writes a sentence only for cases whose rounds lie beyond or within the smallest difference that matters. Lists the others as
/// undecided.
pub fn verdict(found: &Interference) -> String {
    let mut text = String::new();
    let mut compared: Vec<(&str, &str)> = Vec::new();
    let sides = sides(found);
    for case in &found.cases {
        let of = (case.experiment.as_str(), case.compared.as_str());
        if compared.contains(&of) {
            continue;
        }
        compared.push(of);
        let is_same = |other: &Case| (other.experiment.as_str(), other.compared.as_str()) == of;
        let same = || found.cases.iter().zip(&sides).filter(|(other, _)| is_same(other));
        let told = Side::ALL.iter().filter_map(|wanted| {
            let names: Vec<&str> =
                same().filter(|(_, side)| *side == wanted).map(|(case, _)| case.title.as_str()).collect();
            (!names.is_empty()).then(|| format!("{}: {}", wanted.words(), names.join(", ")))
        });
        let matters = same().next().map_or(SMALLEST, |(case, _)| effect(case)) * 100.0;
        let told = told.collect::<Vec<_>>().join("; ");
        text += &format!("{}, {} (less than {matters:.2} % does not matter): {told}.\n", of.0, of.1);
    }
    text
}

fn label(case: &Case) -> String {
    format!("{} {}", case.experiment, case.title)
}

/// Where the limits of a ratio lie: above 1, below 1, or within the smallest difference that matters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Side {
    More,
    Less,
    Same,
    Undecided,
    TooFew,
}

impl Side {
    const ALL: [Self; 5] = [Self::More, Self::Less, Self::Same, Self::Undecided, Self::TooFew];

    fn words(self) -> &'static str {
        match self {
            Self::More => "takes longer",
            Self::Less => "takes less",
            Self::Same => "no difference that matters",
            Self::Undecided => "cannot tell",
            Self::TooFew => "cannot tell, fewer than six rounds",
        }
    }

    fn decided(self) -> Option<&'static str> {
        matches!(self, Self::More | Self::Less | Self::Same).then_some(self.words())
    }
}

const SMALLEST: f64 = 0.01;

fn effect(case: &Case) -> f64 {
    case.effect.unwrap_or(SMALLEST)
}

/// The side on which each case lies. Counted instructions involve no chance. For timed cases, the error probability is
/// corrected for the number of cases.
pub fn sides(found: &Interference) -> Vec<Side> {
    let decisions: Vec<Decision> = found.cases.iter().map(decision).collect();
    let chances: Vec<f64> = decisions.iter().filter_map(|decision| decision.chance).collect();
    let mut corrected = holm::corrected(&chances).into_iter();
    let is_corrected = |decision: &Decision, corrected: Option<f64>| match (decision.chance, corrected) {
        (Some(_), Some(chance)) if chance > ALPHA => Side::Undecided,
        _ => decision.side,
    };
    decisions
        .iter()
        .map(|decision| {
            let chance = decision.chance.and_then(|_| corrected.next());
            is_corrected(decision, chance)
        })
        .collect()
}

/// The likeliest side of a case, and the probability of its rounds if that side were wrong.
struct Decision {
    side: Side,
    chance: Option<f64>,
}

const ALPHA: f64 = 0.05;

/// Decides by the signs of the rounds: how many ratios lie beyond the smallest difference that matters, and how many within it.
fn decision(case: &Case) -> Decision {
    let (more, ratios) = (1.0 + effect(case), case.ratios());
    let less = 1.0 / more;
    let exact = |side| Decision { side, chance: None };
    match case.ratio.and_then(|ratio| ratio.limits) {
        None => return exact(Side::TooFew),
        Some([low, high]) if case.unit == Unit::Instructions || ratios.is_empty() => {
            return exact(of_limits([low, high], less, more));
        }
        Some(_) => {}
    }
    // Half of the ratios lie on either side of the median. This is the probability of so few ratios on one side.
    let half = Binomial::new(ratios.len() as u64, 0.5);
    let count = |of: &dyn Fn(f64) -> bool| ratios.iter().filter(|ratio| of(**ratio)).count() as u64;
    let chance = |others: u64| (2.0 * half.at_most(others)).min(1.0);
    let outside = count(&|ratio| ratio < less).max(count(&|ratio| ratio > more));
    [
        (Side::More, chance(count(&|ratio| ratio <= more))),
        (Side::Less, chance(count(&|ratio| ratio >= less))),
        (Side::Same, chance(outside)),
    ]
    .into_iter()
    .min_by(|(_, a), (_, b)| a.total_cmp(b))
    .map_or(exact(Side::Undecided), |(side, chance)| Decision { side, chance: Some(chance) })
}

fn of_limits([low, high]: [f64; 2], less: f64, more: f64) -> Side {
    match () {
        () if low > more => Side::More,
        () if high < less => Side::Less,
        () if low >= less && high <= more => Side::Same,
        () => Side::Undecided,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_model::picture::{PostFigures, ProcessorUse, Ratio};
    use std::collections::BTreeSet;

    // Ten rounds with these ratios.
    fn timed(title: &str, ratios: [f64; 10]) -> Case {
        let form = |name: &str, times: Vec<u64>| Form { name: name.into(), times };
        let above = ratios.map(|ratio| (ratio * 1e6) as u64).to_vec();
        Case {
            forms: vec![form("a", vec![1_000_000; 10]), form("b", above)],
            above: vec!["b".into()],
            below: vec!["a".into()],
            ..case(title, Some([0.5, 2.0]))
        }
    }

    // Nine of ten rounds on one side have a probability of 2 % by chance. That decides a single case, but none of twelve.
    #[test]
    fn decisions_are_corrected_for_the_number_of_cases() {
        let mut nine = [0.9; 10];
        nine[0] = 1.1;
        let sides = |cases: Vec<Case>| super::sides(&Interference { cases, absent: Vec::new() });
        assert!(sides(vec![timed("out", nine)]) == [Side::Less]);
        let many = (0..12).map(|number| timed(&number.to_string(), nine)).collect();
        assert!(sides(many).iter().all(|side| *side == Side::Undecided));
        let clear = (0..12).map(|number| timed(&number.to_string(), [0.9; 10])).collect();
        assert!(sides(clear).iter().all(|side| *side == Side::Less), "ten of ten rounds are enough for twelve cases");
        let mixed = vec![timed("same", [1.0; 10]), timed("more", [1.2; 10])];
        assert!(sides(mixed) == [Side::Same, Side::More]);
    }

    fn case(title: &str, limits: Option<[f64; 2]>) -> Case {
        let form = |name: &str| Form { name: name.into(), times: vec![2_000_000; 7] };
        Case {
            experiment: "throughput".into(),
            name: title.into(),
            title: title.into(),
            compared: "b beside a".into(),
            conditions: "fsync".into(),
            forms: vec![form("a"), form("b")],
            ratio: Some(Ratio { median: 1.25, limits }),
            bytes: Some(4_000_000),
            processor: vec![ProcessorUse { who: "program".into(), time: 7_000_000 }],
            published: Some(PostFigures { text: "CE 353".into(), ratio: Some(1.67), at_least: false }),
            ..Case::default()
        }
    }

    /// Even in a narrow window, each case shows its ratio below its heading.
    #[test]
    fn each_case_has_its_ratio_below_the_heading_in_40_and_80_columns() {
        let names = ["btrfs on a loop file, compressed, in", "btrfs on a loop file, compressed, out", "tmpfs"];
        let cases = names.map(|name| case(name, Some([0.9, 1.05])));
        let found = Interference { cases: cases.into(), absent: Vec::new() };
        for columns in [40, 80] {
            let text = tables(&found, columns).concat();
            assert!(text.lines().all(|line| line.chars().count() <= columns), "{text}");
            let lines: Vec<&str> = text.lines().skip_while(|line| !line.contains("ratio")).take(4).collect();
            let end = |line: &str, word: &str| line.find(word).map(|at| line[..at + word.len()].chars().count());
            let heading = end(lines[0], "ratio");
            let ratios: Vec<_> = lines[1..].iter().map(|line| end(line, "1.250")).collect();
            assert!(heading.is_some() && ratios.iter().all(|ratio| *ratio == heading), "{text}");
            let named: BTreeSet<&str> = lines[1..].iter().map(|line| &line[..line.find("1.250").unwrap()]).collect();
            assert_eq!(named.len(), 3, "{text}");
        }
    }

    #[test]
    fn only_decided_cases_are_named_and_the_others_are_said_to_be_undecided() {
        let cases = vec![
            case("file", Some([0.9, 0.95])),
            case("pipe", Some([0.9, 1.05])),
            case("tty", Some([1.1, 1.2])),
            case("count", None),
            case("null", Some([0.995, 1.005])),
            case("exact", Some([1.000_5, 1.000_5])),
            case("near", Some([1.002, 1.2])),
        ];
        let found = Interference { cases, absent: Vec::new() };
        assert_eq!(
            verdict(&found),
            "throughput, b beside a (less than 1.00 % does not matter): takes longer: tty; takes less: file; \
             no difference that matters: null, exact; cannot tell: pipe, near; cannot tell, fewer than six rounds: count.\n"
        );
        let extension = Extension::Interfere(Default::default());
        let plan = backwall_model::Plan { extension, ..Default::default() };
        let begun = Run::begin(backwall_model::Origin::Measured, plan, Vec::new(), jiff::Timestamp::UNIX_EPOCH);
        let run = Run { pictures: vec![backwall_model::Picture::Interference(found)], ..begun };
        let (what, count) = decided(&run).unwrap();
        assert_eq!(what, "cases in which running together changes the time, 3 undecided");
        assert_eq!(count, "2 of 7");
    }

    #[test]
    fn the_last_of_several_parts_has_its_share() {
        let parts = Case { below: vec!["a".into(), "b".into()], ..case("file", Some([1.1, 1.2])) };
        assert_eq!(share(&parts), Some(("last part", "50.00 %".to_string())));
        assert_eq!(share(&case("file", None)), None);
    }

    #[test]
    fn a_row_has_speed_ratio_limits_processor_time_of_a_round_and_the_posts() {
        let cells = row(&case("file", Some([1.1, 1.2])));
        assert_eq!(
            cells,
            ["file", "1.250", "1.100 to 1.200", "CE 353; ratio 1.67", "2000.0 MB/s", "2000.0 MB/s", "1,000.0 us", "7"]
        );
        let cases = [case("x", None), case("y", None)];
        assert_eq!(conditions(&cases.iter().collect::<Vec<_>>()), "fsync\n", "what holds for all is said once");
    }
}
