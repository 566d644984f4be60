// SPDX-License-Identifier: MIT OR Apache-2.0
//! Event series on this machine in the form of the paper's Tables I to V and Figures 2 and 3, and the paper's own tables.
use super::{ABSENT, FIGURE, WORDS};
use crate::grid::Grid;
use crate::phrase;
use crate::tasks::rate;
use backwall_model::event_series::{
    CLASS, CLASSES, CPUS, CREATION, EVENTS, MIX, ORGANISATION, PER_EVENT, RESPONSE, SERIES, SWITCH, TOGETHER, WAITING,
};
use backwall_model::units::{Unit, grouped};
use backwall_model::{Extension, NO_LOAD, Run, Series};
use backwall_tasks::published::{
    CLASSES as PAPER_CLASSES, MACHINE, Mix, PROCESSORS, SOURCE, TABLE_1, TABLE_2, TABLE_3, TABLES_4_AND_5,
};

pub fn is_of(run: &Run) -> bool {
    matches!(run.plan.extension, Extension::TasksPaper(_))
}

pub fn is_of_events(run: &Run) -> bool {
    is_of(run) || run.results.limit.is_some()
}

pub(super) fn figure<'a>(run: &'a Run, name: &str, loaded: bool, variant: &[(&str, &str)]) -> Option<&'a Series> {
    let is = |series: &&Series| {
        let key = &series.key;
        key.name == name
            && (key.load != NO_LOAD) == loaded
            && variant.iter().all(|(name, value)| key.variant.get(*name).is_some_and(|own| own == value))
    };
    run.series.iter().find(is)
}

pub(super) fn cpus(run: &Run) -> Vec<&str> {
    let all = run.series.iter().filter_map(|series| series.key.variant.get(CPUS)).map(String::as_str);
    let mut found: Vec<&str> = all.collect();
    found.sort_by_key(|count| count.parse::<u64>().unwrap_or(0));
    found.dedup();
    found
}

pub(super) fn unit(run: &Run) -> Unit {
    run.series.first().map_or(Unit::Ns, |series| series.unit)
}

fn least(series: Option<&Series>) -> String {
    series.and_then(|series| Some(phrase::figure(series.min?, series.unit))).unwrap_or(ABSENT.into())
}

fn largest(series: Option<&Series>) -> String {
    series.and_then(|series| Some(phrase::figure(series.max?, series.unit))).unwrap_or(ABSENT.into())
}

fn mean(series: Option<&Series>) -> String {
    series.and_then(|series| Some(phrase::mean_figure(series.mean?, series.unit))).unwrap_or(ABSENT.into())
}

fn ours(run: &Run, text: &str) -> String {
    format!("On this machine, in {}. {text}", phrase::column_unit(unit(run)))
}

pub(super) fn theirs(text: &str) -> String {
    format!("As printed, in us: {}. {text}", SOURCE)
}

fn rows(run: &Run, cells: impl Fn(&[(&str, &str)]) -> Vec<String>) -> Vec<Vec<String>> {
    let pairs = cpus(run).into_iter().flat_map(|cpus| CLASSES.map(|class| (class, cpus)));
    let row = |(class, cpus): (&str, &str)| {
        let variant = [(CLASS, class), (CPUS, cpus)];
        [class.to_string(), cpus.to_string()].into_iter().chain(cells(&variant)).collect()
    };
    pairs.map(row).collect()
}

fn published<const N: usize>(table: &[[[u64; N]; 3]; 3]) -> Vec<Vec<String>> {
    let rows = PROCESSORS.iter().zip(table).flat_map(|(processor, classes)| {
        PAPER_CLASSES.iter().zip(classes).map(move |(class, figures)| {
            let words = [class.to_string(), processor.to_string()].into_iter();
            words.chain(figures.map(grouped)).collect::<Vec<String>>()
        })
    });
    rows.collect()
}

pub(super) fn table_1(run: &Run) -> Grid {
    Grid {
        title: "Table I: creating a thread for an event",
        intro: ours(run, CREATION_INTRO),
        columns: vec![
            ("threads", WORDS),
            ("CPUs", FIGURE),
            ("least", FIGURE),
            ("mean", FIGURE),
            ("mean, load", FIGURE),
            ("largest", FIGURE),
            ("largest, load", FIGURE),
        ],
        dispensable: Vec::new(),
        rows: rows(run, |variant| {
            let [free, loaded] = [false, true].map(|loaded| figure(run, CREATION, loaded, variant));
            vec![least(free), mean(free), mean(loaded), largest(free), largest(loaded)]
        }),
    }
}

const CREATION_INTRO: &str = "The time from the call to the new thread's first instruction; if the threads may use \
    several CPUs, the kernel chooses one. The load computes at ordinary priority on every CPU.";

pub(super) fn published_1() -> Grid {
    Grid {
        title: "The paper's Table I: Windows NT",
        intro: theirs(""),
        columns: vec![("class", WORDS), ("CPU", WORDS), ("least", FIGURE), ("mean", FIGURE), ("mean, load", FIGURE)],
        dispensable: Vec::new(),
        rows: published(&TABLE_1),
    }
}

pub(super) fn table_2(run: &Run) -> Grid {
    Grid {
        title: "Table II: switching to the thread of an event",
        intro: ours(run, SWITCH_INTRO),
        columns: vec![("threads", WORDS), ("CPUs", FIGURE), ("t1", FIGURE), ("t4", FIGURE), ("t20", FIGURE)],
        dispensable: Vec::new(),
        rows: rows(run, |variant| {
            let of = |series: &str| mean(figure(run, SWITCH, false, &[variant, &[(SERIES, series)]].concat()));
            vec![of("1"), of("4"), of("20")]
        }),
    }
}

const SWITCH_INTRO: &str = "Mean time from the generator's hand-over to the first instruction of the event's thread. \
    One series computes 300 us. With four series (150 us each) or twenty (14 us each), the figure is for the last \
    series, which waits for the others.";

pub(super) fn published_2() -> Grid {
    Grid {
        title: "The paper's Table II: Windows NT",
        intro: theirs(""),
        columns: vec![("class", WORDS), ("CPU", WORDS), ("t1", FIGURE), ("t4", FIGURE), ("t20", FIGURE)],
        dispensable: Vec::new(),
        rows: published(&TABLE_2),
    }
}

pub(super) fn table_3(run: &Run) -> Grid {
    let seconds = if let Extension::TasksPaper(asked) = &run.plan.extension { asked.mix_ns as f64 / 1e9 } else { 0.0 };
    Grid {
        title: "Table III: missed deadlines",
        intro: format!(
            "SCHED_FIFO threads on one CPU handled events for {seconds} s; the paper's ran on Windows NT ({MACHINE}) for \
                10 s. The deadline is 1 ms. An event is missed if it was done after its deadline or not at all; the rate \
                has its limits at 95 % confidence."
        ),
        columns: vec![
            ("series", WORDS),
            ("us", FIGURE),
            ("events", FIGURE),
            ("missed", FIGURE),
            ("rate, %", FIGURE),
            ("worst", FIGURE),
            ("paper: events", FIGURE),
            ("missed", FIGURE),
        ],
        dispensable: Vec::new(),
        rows: TABLE_3.iter().enumerate().map(|(place, mix)| mix_row(run, place, mix)).collect(),
    }
}

fn mix_row(run: &Run, place: usize, mix: &Mix) -> Vec<String> {
    let found = figure(run, RESPONSE, false, &[(MIX, &(place + 1).to_string())]);
    let counts = found.and_then(|series| Some((series.due?, series.late? + series.known_missed())));
    let (due, missed) = counts.map_or((ABSENT.into(), ABSENT.into()), |(due, missed)| (grouped(due), grouped(missed)));
    let limits = counts.filter(|(due, _)| *due > 0).map_or(ABSENT.to_string(), |(due, missed)| {
        let (low, high) = rate(missed, due);
        format!("{:.2} to {:.2}", low * 100.0, high * 100.0)
    });
    let own = [mix.name(), grouped(mix.computation_us), due, missed, limits, largest(found)];
    own.into_iter().chain([grouped(mix.events), grouped(mix.failures)]).collect()
}

pub(super) fn table_4(run: &Run) -> Grid {
    let of = |class: &str| {
        let variant = [(CLASS, class), (CPUS, "1")];
        let creation = figure(run, CREATION, false, &variant);
        let switch = figure(run, SWITCH, false, &[variant[0], variant[1], (SERIES, "1")]);
        vec![class.to_string(), least(creation), mean(creation), least(switch), mean(switch)]
    };
    Grid {
        title: "Tables IV and V: creating and switching, one CPU",
        intro: ours(run, ""),
        columns: vec![
            ("threads", WORDS),
            ("create, least", FIGURE),
            ("mean", FIGURE),
            ("switch, least", FIGURE),
            ("mean", FIGURE),
        ],
        dispensable: Vec::new(),
        rows: CLASSES.map(of).to_vec(),
    }
}

pub(super) fn published_4() -> Grid {
    let row = |(system, class, figures): &(&str, &str, [u64; 4])| {
        [system.to_string(), class.to_string()].into_iter().chain(figures.map(grouped)).collect::<Vec<String>>()
    };
    Grid {
        title: "The paper's Tables IV and V",
        intro: theirs(&format!("All on a {MACHINE}.")),
        columns: vec![
            ("system", WORDS),
            ("class", WORDS),
            ("create, least", FIGURE),
            ("mean", FIGURE),
            ("switch, least", FIGURE),
            ("mean", FIGURE),
        ],
        dispensable: Vec::new(),
        rows: TABLES_4_AND_5.iter().map(row).collect(),
    }
}

pub(super) fn together<'a>(run: &'a Run, organisation: &str) -> Vec<(u64, &'a Series)> {
    let of = |series: &&Series| {
        series.key.name == TOGETHER && series.key.variant.get(ORGANISATION).is_some_and(|own| own == organisation)
    };
    let events = |series: &Series| series.key.variant.get(EVENTS)?.parse::<u64>().ok();
    let mut found: Vec<_> = run.series.iter().filter(of).filter_map(|series| Some((events(series)?, series))).collect();
    found.sort_by_key(|(events, _)| *events);
    found
}

pub(super) fn figures_2_and_3(run: &Run) -> Grid {
    let [new, waiting] = [PER_EVENT, WAITING].map(|how| together(run, how));
    let mut all: Vec<u64> = new.iter().chain(&waiting).map(|(events, _)| *events).collect();
    all.sort_unstable();
    all.dedup();
    let of = |found: &[(u64, &'_ Series)], events: u64| {
        let series = found.iter().find(|(own, _)| *own == events).map(|(_, series)| *series);
        [mean(series), largest(series)]
    };
    let row = |events: u64| {
        let cells = of(&new, events).into_iter().chain(of(&waiting, events));
        [grouped(events)].into_iter().chain(cells).collect::<Vec<String>>()
    };
    Grid {
        title: "Figures 2 and 3: the time for events that come at once",
        intro: ours(run, TOGETHER_INTRO),
        columns: vec![
            ("events", FIGURE),
            ("a new thread each: mean", FIGURE),
            ("largest", FIGURE),
            ("waiting threads: mean", FIGURE),
            ("largest", FIGURE),
        ],
        dispensable: Vec::new(),
        rows: all.into_iter().map(row).collect(),
    }
}

const TOGETHER_INTRO: &str = "The time from handing over the first event to the end of the last one, with SCHED_FIFO \
    threads on one CPU. Each event computes for 150 us. The paper's Figures 2 and 3 have no numbers in print.";

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use backwall_model::{Key, Origin, Plan, Span, TasksPaper};
    use backwall_stats::SeriesBuilder;

    pub(in crate::paper) fn run() -> Run {
        let extension = Extension::TasksPaper(TasksPaper { set_cpu: 1, instants: 2, mix_ns: 10_000_000_000 });
        let mut run = Run::begin(
            Origin::Measured,
            Plan { extension, ..Plan::default() },
            Vec::new(),
            jiff::Timestamp::UNIX_EPOCH,
        );
        let mut add = |name: &str, load: &str, variant: &[(&str, &str)], values: &[u64]| {
            let variant = variant.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
            let key = Key { variant, ..Key::new(name, load, "as-is") };
            let mut builder = SeriesBuilder::new(key, Span::new("a", "b", Unit::Ns));
            values.iter().zip(0..).for_each(|(value, seq)| builder.sample(seq, seq, *value, *value > 1_000_000));
            run.series.push(builder.build());
        };
        add(CREATION, "none", &[(CLASS, "fifo"), (CPUS, "1")], &[10_000, 20_000]);
        add(CREATION, "spin", &[(CLASS, "fifo"), (CPUS, "1")], &[30_000, 50_000]);
        add(SWITCH, "none", &[(CLASS, "fifo"), (CPUS, "1"), (SERIES, "1")], &[3_000, 5_000]);
        add(SWITCH, "none", &[(CLASS, "fifo"), (CPUS, "1"), (SERIES, "4")], &[460_000]);
        add(RESPONSE, "none", &[(MIX, "4")], &[100_000, 1_100_000]);
        add(TOGETHER, "none", &[(ORGANISATION, "pool"), (EVENTS, "8")], &[1_300_000]);
        add(TOGETHER, "none", &[(ORGANISATION, "thread-per-event"), (EVENTS, "8")], &[1_500_000]);
        run
    }

    fn row(grid: &Grid, place: usize) -> String {
        grid.rows[place].join(" ")
    }

    #[test]
    fn every_figure_stands_in_its_cell_and_what_was_not_measured_is_absent() {
        let run = run();
        assert_eq!(row(&table_1(&run), 2), "fifo 1 10.0 15.0 40.0 20.0 50.0");
        assert_eq!(row(&table_1(&run), 0), "ordinary 1 - - - - -");
        assert_eq!(row(&table_2(&run), 2), "fifo 1 4.0 460.0 -");
        assert_eq!(row(&table_3(&run), 3), "4+1 100 2 1 1.26 to 98.74 1,100.0 4,170 9");
        assert_eq!(row(&table_3(&run), 0), "1 300 - - - - 1,000 3");
        assert_eq!(row(&table_4(&run), 2), "fifo 10.0 15.0 3.0 4.0");
        assert_eq!(row(&figures_2_and_3(&run), 0), "8 1,500.0 1,500.0 1,300.0 1,300.0");
    }

    #[test]
    fn the_papers_tables_are_as_printed() {
        assert_eq!(row(&published_1(), 3), "normal Pentium MMX, 200 MHz 421 498 533");
        assert_eq!(row(&published_2(), 8), "real-time Celeron A, 300 MHz 11 507 506");
        assert_eq!(row(&published_4(), 4), "Linux 2.2.3 real-time (FIFO) 332 412 32 33");
        for grid in [published_1(), published_2(), published_4()] {
            assert!(grid.rows.iter().all(|row| row.len() == grid.columns.len()), "{}", grid.title);
        }
    }
}
