// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every importer on a file of its tool: known figures, unknown figures, and damage.
#![expect(clippy::disallowed_methods, reason = "reads the example files")]
use super::*;
use backwall_model::{Run, Series, audit};
use proptest::prelude::*;
use std::path::Path;
use std::sync::LazyLock;

mod cut;
mod versions;

// The example files of each format, `tests/data/FORMAT/*`.
static FILES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    ALL.iter().flat_map(|importer| examples(importer.name, &folder)).collect()
});

fn examples(format: &'static str, folder: &Path) -> Vec<(&'static str, &'static str)> {
    let files =
        std::fs::read_dir(folder.join(format)).unwrap_or_else(|error| panic!("no example of {format}: {error}"));
    let mut paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| (format, &*std::fs::read_to_string(path).unwrap().leak())).collect()
}

// These formats keep only extremes, or only what is above a threshold, so no quantile is known.
const WITHOUT_QUANTILES: [&str; 8] = [
    "rtla-timerlat-top",
    "rtla-osnoise-top",
    "cyclictest-summary",
    "jitterdebugger-summary",
    "hwlatdetect",
    "perf-bench",
    "latency-histogram",
    "ros2-control",
];

pub(super) fn file(name: &str) -> &'static str {
    FILES.iter().find(|(format, _)| *format == name).unwrap().1
}

pub(super) fn imported(text: &str) -> Result<Imported, BadImport> {
    read(&mut text.as_bytes(), "none")
}

pub(super) fn refusal(text: &str) -> String {
    imported(text).map(|found| format!("{:?}", found.series)).unwrap_err().to_string()
}

pub(super) fn figures(name: &str) -> Vec<(String, u64, Option<u64>, Option<u64>)> {
    let found = imported(file(name)).unwrap();
    found.series.iter().map(|one| (one.key.label(), one.done, one.min, one.max)).collect()
}

pub(super) fn expected(all: &[(&str, u64, u64, u64)]) -> Vec<(String, u64, Option<u64>, Option<u64>)> {
    all.iter().map(|(key, done, min, max)| (key.to_string(), *done, Some(*min), Some(*max))).collect()
}

// Puts the series into a run and checks it as the tool checks every run that it reads.
fn audited(series: Vec<Series>) {
    let mut run = Run::begin(backwall_model::Origin::Imported, Default::default(), vec![], jiff::Timestamp::UNIX_EPOCH);
    run.series = series;
    audit::audit(&run).unwrap();
}

#[test]
fn the_beginning_chooses_the_importer_and_every_importer_has_a_file() {
    for &(name, text) in FILES.iter() {
        assert_eq!(recognised(&mut text.as_bytes()).unwrap().name, name);
        assert_eq!(named(name).unwrap().name, name);
    }
}

#[test]
fn what_the_source_does_not_count_is_not_known_and_never_nothing() {
    for &(name, text) in FILES.iter() {
        let found = imported(text).unwrap();
        assert!(!found.series.is_empty() && !found.warnings.is_empty() && !found.tool.is_empty(), "{name}");
        for series in &found.series {
            let counts = if name == "xenomai-latency" { (Some(20_000), Some(2)) } else { (None, None) };
            assert_eq!((series.due, series.missed, series.late), (counts.0, counts.1, None), "{name}");
            let quantile = series.quantiles.first().is_some_and(|quantile| quantile.value.is_some());
            assert_eq!(quantile, series.done > 0 && !WITHOUT_QUANTILES.contains(&name), "{name}");
        }
        audited(found.series);
    }
}

#[test]
fn figures_are_those_that_the_tools_print() {
    assert_eq!(figures("cyclictest-json"), expected(&[("wakeup[cpu=0]", 200, 59_000, 946_000)]));
    let threads = [("wakeup[thread=0]", 50, 59_000, 1_400_000), ("wakeup[thread=1]", 50, 40_000, 70_000)];
    assert_eq!(figures("cyclictest-histogram"), expected(&threads));
    let samples = [("wakeup[thread=0]", 30, 63_000, 3_094_000), ("wakeup[thread=1]", 28, 26_000, 94_000)];
    assert_eq!(figures("cyclictest-samples"), expected(&samples));
    assert_eq!(figures("oslat"), expected(&[("gap[cpu=1]", 32_397_075, 1_000, 1_220_000)]));
    assert_eq!(figures("oslat"), figures("oslat-json"));
    let processors = [("wakeup[cpu=0]", 300, 5_000, 37_000), ("wakeup[cpu=1]", 300, 5_000, 44_000)];
    assert_eq!(figures("jitterdebugger"), expected(&processors));
    assert_eq!(figures("stress-ng-cyclic"), expected(&[("wakeup", 500, 6_209, 28_758)]));
    assert_eq!(figures("hwlatdetect"), expected(&[("gap", 3, 12_000, 31_000)]));
    let cores = [("wakeup[cpu=0]", 1_000, 2_000, 41_000), ("wakeup[cpu=1]", 999, 3_000, 17_000)];
    assert_eq!(figures("rteval"), expected(&cores));
}

#[test]
fn the_three_latencies_of_timerlat_stay_apart() {
    let all = figures("rtla-timerlat");
    let kinds = [
        ("irq[cpu=1]", 1_000, 0, 7_000),
        ("wakeup[cpu=1]", 1_000, 3_000, 31_000),
        ("user[cpu=1]", 1_000, 4_000, 40_000),
    ];
    assert_eq!(all[..3], expected(&kinds));
    assert_eq!((all.len(), all[5].0.as_str(), all[5].1, all[5].3), (6, "user[cpu=2]", 0, None));
    let found = imported(file("rtla-timerlat")).unwrap();
    assert_eq!(found.seconds, Some(2.0));
    assert!(found.warnings[1].text.contains("10 us apart"), "{:?}", found.warnings);
}

#[test]
fn what_lies_beyond_the_classes_reaches_to_the_largest() {
    let found = imported(file("cyclictest-json")).unwrap();
    let beyond = found.series[0].histogram.classes().last().unwrap();
    assert_eq!(beyond, (104_000, 946_001, 3));
    let found = imported(file("oslat")).unwrap();
    assert_eq!(found.series[0].histogram.classes().last().unwrap(), (32_000, 1_220_001, 58));
}

// A percentile that the tool itself printed takes precedence over one computed from its classes.
#[test]
fn percentiles_are_those_that_the_tool_itself_prints() {
    let of = |text: &str, index: usize| -> Vec<Option<u64>> {
        imported(text).unwrap().series[index].quantiles.iter().take(4).map(|quantile| quantile.value).collect()
    };
    let exact = [3_993, 5_289, 8_153, 12_810].map(Some);
    let stress = include_str!("../../tests/data/stress-ng-cyclic/stress_ng_percentiles.txt");
    assert_eq!(of(stress, 0), exact);
    let percentiles: String = stress.lines().take(14).map(|line| line.to_string() + "\n").collect();
    assert_eq!(of(&percentiles, 0), exact, "without a distribution");
    assert_eq!(of(file("schbench"), 0), [7_000, 18_000, 175_000, 909_000].map(Some));
    let found = imported(stress).unwrap();
    assert!(exact.iter().flatten().all(|value| !found.series[0].is_edge(*value)), "a sample, and no edge of a class");
    assert_eq!(found.asked.as_deref(), Some("sched SCHED_RR: 100000 ns delay, 10000 samples"));
}

// Users of cyclictest read row 7 as 7 us. The upper edge of the row's bin would be 1 us above the figure that they expect.
#[test]
fn a_row_of_a_step_reads_as_its_number_and_a_wide_one_as_an_edge() {
    for name in ["cyclictest-json", "oslat", "rteval", "jitterdebugger"] {
        let found = imported(file(name)).unwrap();
        let series = found.series.last().unwrap();
        let value = series.quantiles[0].value.unwrap();
        assert!(value % 1_000 == 0 && !series.is_edge(value), "{name}: {value}");
    }
    let wide = &imported(file("rtla-osnoise")).unwrap().series[0];
    assert!(wide.is_edge(wide.quantiles[0].value.unwrap()) && wide.edges, "{:?}", wide.quantiles);
}

#[test]
fn a_histogram_of_osnoise_has_a_series_for_each_processor() {
    let found = imported(file("rtla-osnoise")).unwrap();
    let counts: Vec<u64> = found.series.iter().map(|series| series.done).collect();
    assert_eq!((counts.len(), counts.iter().min(), counts.iter().max()), (12, Some(&54_499), Some(&55_461)));
    let classes: Vec<_> = found.series[0].histogram.classes().take(2).collect();
    assert_eq!(classes, [(0, 10_000, 42_982), (10_000, 20_000, 12_224)]);
    // The tool's own maximum of 30 us is the lower bound of the row.
    assert_eq!((found.series[0].max, found.series[0].mean), (Some(39_999), None));
}

#[test]
fn a_column_without_samples_has_none_whatever_its_figures() {
    let found = imported(include_str!("../../tests/data/rtla-timerlat/timerlat_5.17.txt")).unwrap();
    let figures: Vec<_> = found.series.iter().map(|one| (one.done, one.max)).collect();
    assert_eq!(figures, [(5_000, Some(1_000)), (5_000, Some(7_000)), (0, None), (0, None)]);
}

fn rule(text: &str, series: &[Series]) -> backwall_model::Outcome {
    text.parse::<backwall_judge::require::Rule>().unwrap().judge(series).unwrap().outcome
}

// "Nothing above 10 us in 10 s" is hwlatdetect's best result.
#[test]
fn a_threshold_is_what_is_known_of_a_test_that_recorded_nothing() {
    let quiet = imported(include_str!("../../tests/data/hwlatdetect/hwlatdetect_quiet.txt")).unwrap();
    let [gap] = &quiet.series[..] else { panic!("{:?}", quiet.series) };
    assert_eq!((gap.done, gap.threshold, gap.max, quiet.seconds), (0, Some(10_000), None, Some(10.0)));
    let whole = imported(file("hwlatdetect")).unwrap();
    assert_eq!(whole.series[0].threshold, Some(10_000));
    let report = imported(include_str!("../../tests/data/hwlatdetect/hwlatdetect_report.txt")).unwrap();
    assert_eq!(report.series[0].threshold, Some(12_000), "what the report lacks was not above its smallest");
    let osnoise = imported(file("rtla-osnoise")).unwrap();
    assert!(osnoise.series.iter().all(|series| series.threshold == Some(9_999)), "the end of the first row");
    // A test that was stopped, or whose report lacks a part, proves nothing.
    let text = include_str!("../../tests/data/hwlatdetect/hwlatdetect_quiet.txt");
    assert!(refusal(&text.replace("Samples recorded: 0", "")).contains("may be truncated"));
    assert!(refusal(&text.replace("Below threshold", "18us")).contains("maximum 18us"));
    // The kernel takes a threshold of 0 as its own default.
    assert!(refusal(&text.replace("threshold: 10us", "threshold: 0us")).contains("everything was below the threshold"));
    assert!(
        refusal(&file("hwlatdetect").replace("threshold: 10us", "threshold: 12us"))
            .contains("must be above the threshold")
    );
}

#[test]
fn what_users_paste_is_read_or_told_what_is_missing() {
    let rows = "000000 000005\n000001 000003\n000002 000001\n";
    let end = "# Total: 000000009\n# Min Latencies: 00000\n# Avg Latencies: 00000\n# Max Latencies: 00002\n\
        # Histogram Overflows: 00000\n";
    let logged: String =
        format!("# Histogram\n{rows}{end}").lines().map(|line| format!("[   12.345678] {line}\n")).collect();
    let journal: String = format!("# Histogram\n{rows}{end}")
        .lines()
        .map(|line| format!("May 01 10:00:00 host sh[7]: {line}\n"))
        .collect();
    for text in [format!("# Histogram\n{rows}{end}"), format!("{rows}{end}"), logged, journal] {
        let found = imported(&text).unwrap_or_else(|refused| panic!("{refused}\n{text}"));
        assert_eq!((found.series[0].done, found.series[0].max), (9, Some(2_000)), "{text}");
    }
    let extremes: String =
        end.lines().filter(|line| line.contains("Latencies")).map(|line| format!("{line}\n")).collect();
    assert!(refusal(&extremes).contains("import all that cyclictest -h US printed"));
    let gaps = "hwlatdetect:  test duration 120 seconds\n        Latency threshold: 15us\ntest finished\nMax Latency: 21us\n\
        Samples recorded: 2\n1408928107.0286324723\t18\t17\n1408928180.0296881126   15      21\n";
    let found = imported(gaps).unwrap();
    assert_eq!((found.series[0].done, found.series[0].max), (2, Some(21_000)));
    let report = gaps.lines().take(2).collect::<Vec<_>>().join("\n")
        + "\n        Output File:       gaps.txt\n\
        test finished\nMax Latency: 21us\nSamples recorded: 2\n";
    assert!(refusal(&report).contains("they are in gaps.txt"), "{}", refusal(&report));
    let latency = "RTH|----lat min|----lat avg|----lat max|-overrun|---msw|---lat best|--lat worst\n\
        RTD|      1.615|      1.923|      9.846|       0|     0|      1.615|      9.846\n";
    assert!(refusal(latency).contains("run latency with -h and let it finish"));
    let rtai = "RTH|     lat min|     lat avg|     lat max|    jit fast|    jit slow\nRTD|  -28000|  217|  43662|  256725|  389650\n";
    assert!(refusal(rtai).contains("a table of RTAI"));
    let table = "     query latency (ms)  : count     distribution\n         0 -> 1          : 3        |**********|\n\
        avg = 400 nsecs, total: 1200 nsecs, count: 3\n     query latency (ms)  : count     distribution\n\
                 0 -> 1          : 2        |**********|\n";
    let found = imported(table).unwrap();
    assert_eq!((found.series.len(), found.series[0].done, found.series[0].max), (1, 5, Some(1_999_999)));
}

#[test]
fn the_tracer_hwlat_is_read_as_hwlatdetect() {
    let row = |cpu, number, figures, ts| {
        format!(
            "           <...>-1729    [00{cpu}] d...   678.473449: #{number}     inner/outer(us):   {figures}    ts:{ts} count:6\n"
        )
    };
    let text = format!(
        "# tracer: hwlat\n#\n{}{}",
        row(1, 1, "11/12", "1581527483.343962693"),
        row(4, 2, "16/9", "1581527494.889008092")
    );
    let found = imported(&text).unwrap();
    let [gap] = &found.series[..] else { panic!("{:?}", found.series) };
    assert_eq!((gap.done, gap.max, gap.threshold), (2, Some(16_000), Some(12_000)));
}

#[test]
fn what_hwlatdetect_watched_counts_once() {
    let lines: Vec<&str> = file("hwlatdetect").lines().collect();
    let (head, gaps) = lines.split_at(lines.len() - 3);
    let (before, after) = head.split_at(head.iter().position(|line| *line == "test finished").unwrap());
    for gaps_after in [&[][..], gaps] {
        let watched = [before, gaps, after, gaps_after].concat().join("\n") + "\n";
        assert_eq!(imported(&watched).unwrap().series, imported(file("hwlatdetect")).unwrap().series);
    }
}

#[test]
fn a_summary_has_its_extremes_and_no_quantile() {
    let figures = |name| -> Vec<_> {
        let found = imported(file(name)).unwrap();
        let figure = |one: &Series| (one.key.label(), one.done, one.min, one.mean, one.max);
        found.series.iter().map(figure).collect()
    };
    let of = |name: &str, done, min, mean, max| (name.to_string(), done, Some(min), Some(mean), Some(max));
    let threads = [
        of("wakeup[thread=0]", 773_124, 1_000, 3_000.0, 53_381_000),
        of("wakeup[thread=1]", 515_381, 1_000, 3_000.0, 60_119_000),
    ];
    assert_eq!(figures("cyclictest-summary"), threads);
    let processors =
        [of("wakeup[cpu=0]", 593_447, 2_000, 2_970.0, 59_000), of("wakeup[cpu=1]", 593_440, 1_000, 2_080.0, 26_000)];
    assert_eq!(figures("jitterdebugger-summary"), processors);
    let top = figures("rtla-timerlat-top");
    assert_eq!(
        top[..2],
        [of("irq[cpu=0]", 5_999, 0, 1_000.0, 9_000), of("wakeup[cpu=0]", 5_999, 3_000, 6_000.0, 33_000)]
    );
    assert_eq!((top.len(), top[3].1, top[3].4), (4, 0, None), "a processor whose thread has no value");
    let nanoseconds = file("rtla-timerlat-top").replace("(us)", "(ns)");
    assert_eq!(imported(&nanoseconds).unwrap().series[0].max, Some(9));
    let summary = imported(file("cyclictest-summary")).unwrap().series;
    assert_eq!(rule("max < 61ms", &summary), backwall_model::Outcome::Pass);
    assert_eq!(rule("max < 60ms", &summary), backwall_model::Outcome::Fail);
    assert_eq!(rule("p99 < 100us", &summary), backwall_model::Outcome::Undecided);
}

#[test]
fn cyclictest_in_nanoseconds_is_known_by_its_width() {
    let row = "T: 0 ( 4541) P:99 I:1000 C:      2 Min:     59 Act:      59 Avg:      59 Max:      60\n";
    let found = imported(row).unwrap();
    assert_eq!((found.series[0].min, found.series[0].max), (Some(59), Some(60)));
    let histogram = "# Histogram\n000059 000001\n000060 000001\n# Total: 000000002\n# Min Latencies: 00059\n\
                     # Avg Latencies: 00059\n# Max Latencies: 00060\n# Histogram Overflows: 00000\n";
    let max = |text: &str| imported(text).unwrap().series[0].max;
    assert_eq!(max(histogram), Some(60_000));
    assert_eq!(max(&format!("{row}{histogram}")), Some(60));
}

#[test]
fn osnoise_top_tells_the_longest_gap_and_what_its_threshold_hides() {
    let found = imported(file("rtla-osnoise-top")).unwrap();
    let gaps: Vec<_> = found.series.iter().filter(|one| one.key.name == "gap").collect();
    let figures: Vec<_> = gaps.iter().map(|one| (one.key.cpu, one.done, one.max, one.threshold)).collect();
    let known = Some(12_000);
    assert_eq!(
        figures,
        [(Some(0), 59, Some(15_000), known), (Some(1), 0, None, known), (Some(2), 59, Some(12_000), known)]
    );
    let noise: Vec<_> = found.series.iter().filter(|one| one.key.name == "noise").collect();
    assert_eq!((noise[0].max, noise[0].mean, found.seconds), (Some(268_000), Some(3_213_000.0 / 59.0), Some(60.0)));
    use backwall_model::Outcome::{Fail, Pass, Undecided};
    for (text, wanted) in
        [("gap.max < 20us", Pass), ("gap.max < 15us", Fail), ("gap.max > 20us", Fail), ("gap.p99 < 14us", Undecided)]
    {
        assert_eq!(rule(text, &found.series), wanted, "{text}");
    }
    // Without a single gap the threshold cannot be derived.
    let quiet: String = file("rtla-osnoise-top")
        .lines()
        .filter(|line| !line.starts_with(['0', '2']) && !line.trim_start().starts_with(['0', '2']))
        .map(|line| format!("{line}\n"))
        .collect();
    let quiet = imported(&quiet).unwrap();
    assert_eq!(rule("gap.max < 20us", &quiet.series), Undecided, "{:?}", quiet.series);
}

#[test]
fn events_that_rtla_missed_make_its_figures_no_evidence() {
    for name in ["rtla-timerlat", "rtla-osnoise", "rtla-timerlat-top", "rtla-osnoise-top"] {
        assert_eq!(imported(file(name)).unwrap().invalid, None, "{name}");
        let text = format!("{}12 (0.01%) events missed, results might not be accurate\n", file(name));
        let found = imported(&text).unwrap();
        let run = run_of(found, ("f".into(), name), Vec::new(), jiff::Timestamp::UNIX_EPOCH);
        assert!(!run.valid && run.no_evidence().is_some_and(|why| why.contains("12 (0.01%)")), "{name}");
    }
}

// If `Max:   53381` were cut to `Max:   533`, the maximum would be a hundredth of the real one.
#[test]
fn a_last_figure_that_lacks_digits_is_refused() {
    for name in ["cyclictest-summary", "jitterdebugger-summary", "rtla-osnoise-top"] {
        let text = file(name).trim_end();
        assert!(imported(text).is_ok(), "{name}: a paste has no end of its last line");
        let cut = &text[..text.len() - 1];
        assert!(refusal(cut).contains("cut off"), "{name}");
    }
    let table: String = file("rtla-timerlat-top").lines().take(4).collect::<Vec<_>>().join("\n");
    assert_eq!(imported(&table).unwrap().series[1].max, Some(21_000));
    assert!(refusal(&table[..table.len() - 1]).contains("cut off"));
}

#[test]
fn rows_of_two_runs_are_not_one() {
    let text = file("cyclictest-summary");
    for (from, to) in [("4541", "4542"), ("C: 773124", "C: 77312"), ("53381", "5338")] {
        assert!(refusal(&format!("{text}{}", text.replace(from, to))).contains("another run"), "{to}");
    }
    assert_eq!(imported(&format!("{text}{text}")).unwrap().series, imported(text).unwrap().series);
    let top = file("rtla-timerlat-top");
    assert!(refusal(&format!("{top}{}", top.replace("#5999", "#99"))).contains("into its own file"));
    let (first, second) = top.split_at(top.rfind("  0 00:00:06").unwrap());
    assert!(refusal(&format!("{first}{}", second.replace("#5999", "#99"))).contains("own file"));
}

#[test]
fn the_histograms_of_xenomai_have_their_own_extremes() {
    let latmus = &imported(file("latmus")).unwrap().series[0];
    let figures = (latmus.key.label(), latmus.done, latmus.min, latmus.mean, latmus.max);
    assert_eq!(figures, ("wakeup[cpu=1]".to_string(), 71_598, Some(205), Some(3_097.0), Some(25_510)));
    let latency = &imported(file("xenomai-latency")).unwrap().series[0];
    assert_eq!((latency.done, latency.missed, latency.max), (19_998, Some(2), Some(21_765)));
    let early = file("xenomai-latency").replace("RTS|      1.175", "RTS|     -1.175");
    let found = imported(&early).unwrap();
    assert!(
        found.warnings.iter().any(|warning| warning.text.contains("early, by up to 1175 ns")),
        "{:?}",
        found.warnings
    );
}

#[test]
fn the_histograms_of_bpf_have_edges_in_place_of_extremes() {
    let found = &imported(file("bpf-histogram")).unwrap().series[0];
    assert_eq!((found.key.name.as_str(), found.done, found.edges), ("wakeup", 1_414, true));
    assert_eq!((found.min, found.mean, found.max), (Some(0), None, Some(511_000)));
    assert_eq!(found.histogram.classes().last(), Some((256_000, 511_001, 3)));
    let both = imported(include_str!("../../tests/data/bpf-histogram/bpftrace_runqlat.txt")).unwrap();
    let keys: Vec<_> = both.series.iter().map(|one| one.key.label()).collect();
    assert_eq!(keys, ["latency[key=cc1,map=us]", "latency[key=tail,map=us]", "latency[map=usecs]"]);
    let linear = "@ns:\n[0, 10)   3 |@@|\n[10, ...)   2 |@|\n";
    assert!(refusal(linear).contains("2 samples have no upper bound"), "{}", refusal(linear));
    assert!(refusal("@:\n[4, 8)   3 |@@|\n").contains("has no unit"));
    assert!(refusal("kbytes : count     distribution\n").contains("not a time"));
}

#[test]
fn an_indented_or_quoted_text_is_read_as_it_stood() {
    for &(name, text) in FILES.iter() {
        for mark in ["    ", "> ", ">> > ", "\t"] {
            let quoted: String = text.lines().map(|line| format!("{mark}{line}\r\n")).collect();
            assert_eq!(imported(&quoted).unwrap().series, imported(text).unwrap().series, "{name} behind {mark:?}");
        }
    }
}

// Half of the samples must not count as all of them. A cut between two samples, or between rows without a total, cannot be
// detected.
#[test]
fn a_cut_file_is_refused_or_has_all_its_samples() {
    let open = [
        "cyclictest-samples",
        "bpf-histogram",
        "hwlatdetect",
        "schbench",
        "cyclictest-summary",
        "jitterdebugger-summary",
        "rtla-timerlat-top",
        "rtla-osnoise-top",
        "latency-histogram",
    ];
    for (name, text) in FILES.iter().copied().filter(|(name, _)| !open.contains(name)) {
        let done = |found: &Imported| found.series.iter().map(|one| one.done).collect::<Vec<_>>();
        let whole = done(&imported(text).unwrap());
        for cut in (0..text.len()).step_by(10) {
            match imported(&text[..cut]) {
                // A histogram without its rows looks like a complete summary, so another importer reads it.
                Ok(_) if recognised(&mut &text.as_bytes()[..cut]).unwrap().name != name => {}
                Ok(found) => assert_eq!(done(&found), whole, "{name} cut at {cut}"),
                Err(refused) => assert!(!refused.to_string().contains('\n'), "{name} cut at {cut}: {refused}"),
            }
        }
    }
}

#[test]
fn figures_that_nothing_can_be_are_refused() {
    for (name, from, to) in [
        ("latmus", "1 25561", "1 18446744073709551615"),
        ("latmus", "1 25561", "1 -5"),
        ("latmus", "# max latency: 25.510", "# max latency: nan"),
        ("xenomai-latency", "|      2.204|", "|        inf|"),
        ("schbench", "(30212 total samples)", "(18446744073709551615 total samples)"),
        ("schbench", "50.0th: 7 ", "50.0th: 99999"),
        ("rtla-osnoise", "count:    55215", "count:    18446744073709551615"),
        ("bpf-histogram", "8 -> 15         : 173 ", "8 -> 15         : 18446744073709551615 "),
        ("bpf-histogram", "8 -> 15         : 173 ", "9 -> 15         : -173 "),
        ("stress-ng-cyclic", "max: 28758 ns", "max: 8 ns"),
    ] {
        assert!(file(name).contains(from), "{name} holds {from:?}");
        let refused = refusal(&file(name).replacen(from, to, 1));
        assert!(!refused.contains('\n'), "{name}: {refused}");
    }
}

#[test]
fn two_files_in_one_are_refused() {
    for (name, text) in FILES.iter().copied().filter(|(name, _)| !["bpf-histogram", "schbench"].contains(name)) {
        for (other, more) in FILES.iter().copied().filter(|(other, _)| !["bpf-histogram", "schbench"].contains(other)) {
            // A summary on a terminal repeats the same lines.
            if name == other && name.ends_with("-summary") {
                continue;
            }
            let refused = imported(&format!("{text}\n{more}"));
            assert!(refused.is_err(), "{name} and {other} are read as one");
        }
    }
}

#[test]
fn the_head_of_a_file_tells_machine_and_time() {
    let found = imported(file("cyclictest-json")).unwrap();
    assert_eq!((found.tool.as_str(), found.device.kind.as_str()), ("cyclictest 2.40", "linux"));
    assert_eq!(found.started.unwrap().to_string(), "2026-11-22T08:58:55Z");
    assert!(found.asked.unwrap().starts_with("cyclictest --policy=other"));
    let report = imported(file("rteval")).unwrap();
    let told = (report.tool.as_str(), report.device.kernel.as_str(), report.device.preemption.as_str(), report.seconds);
    assert_eq!(told, ("rteval 3.5", "Linux 5.14.0-70.rt21", "PREEMPT_RT", Some(62.0)));
}

#[test]
fn values_in_nanoseconds_are_taken_as_such() {
    let text = file("jitterdebugger").replace("\"resolution_in_ns\": 1000", "\"resolution_in_ns\": 1");
    assert_eq!(imported(&text).unwrap().series[0].max, Some(37));
    let text = file("cyclictest-json").replace("\"resolution_in_ns\": 0", "\"resolution_in_ns\": 1");
    assert_eq!(imported(&text).unwrap().series[0].max, Some(946));
}

#[test]
fn timerlat_in_nanoseconds_has_every_figure_in_nanoseconds() {
    let found = imported(include_str!("../../tests/data/rtla-timerlat/timerlat_ns.txt")).unwrap();
    let [interrupt, thread] = &found.series[..] else { panic!("{:?}", found.series) };
    let classes: Vec<_> = interrupt.histogram.classes().collect();
    assert_eq!(classes, [(400, 600, 870), (600, 800, 128), (1_200, 1_400, 1), (1_400, 31_251, 1)]);
    assert_eq!((interrupt.min, interrupt.mean, interrupt.max), (Some(451), Some(533.0), Some(31_250)));
    assert_eq!((thread.min, thread.mean, thread.max), (Some(1_207), Some(1_341.0), Some(42_817)));
    assert_eq!(thread.quantiles[0].value, Some(1_399));
    assert!(found.warnings.iter().any(|told| told.text.contains("200 ns apart")), "{:?}", found.warnings);
}

#[test]
fn what_contradicts_itself_is_refused_in_one_line_with_its_place() {
    let changed = |name: &str, from: &str, to: &str| {
        assert!(file(name).contains(from), "{name} holds {from:?}");
        refusal(&file(name).replacen(from, to, 1))
    };
    for (name, from, to, said) in [
        ("cyclictest-json", "\"cycles\": 200", "\"cycles\": 100", "197 samples in the distribution, expected 100"),
        ("cyclictest-json", "\"59\": 4", "\"x\": 4", "\"x\" is not a whole number"),
        ("cyclictest-json", "\"max\": 946", "\"max\": 9", "beyond the last bucket, but the maximum is 9000 ns"),
        ("cyclictest-json", "\"avg\": 74.16", "\"avg\": 7.1", "mean 7100 ns must be between"),
        ("cyclictest-json", "\"histogram\"", "\"other\"", "run cyclictest with -h US"),
        ("cyclictest-json", "\"59\": 4", "\"59\": 18446744073709551615", "too many samples to count"),
        ("cyclictest-histogram", "# Min Latencies", "# Mix Latencies", "may be truncated"),
        ("cyclictest-histogram", "000059 000001", "000059 zero", "line 62: \"000059 zero"),
        ("cyclictest-samples", "       0:       1:", "       0:       0:", "cycle numbers of a thread must rise"),
        ("rtla-timerlat", "over:         0", "over:         5", "expected 1000"),
        ("rtla-timerlat", "Thr-002", "Thr-001", "duplicate column"),
        ("rtla-timerlat", "Thr-001", "Xyz-001", "expected columns named IRQ-, Thr-, Usr- or CPU-"),
        ("rteval", "</core>", "<core>", "byte "),
        ("rteval", "<samples>1000", "<samples>many", "samples must be a number"),
        ("oslat", "Maximum", "Maxi", "may be truncated"),
        ("hwlatdetect", "Samples recorded: 3", "Samples recorded: 4", "4 samples recorded, but the file has 3"),
        ("stress-ng-cyclic", "5000        465", "5000        46x", "expected a row of the distribution"),
        ("cyclictest-json", "\"min\": 59", "\"min\": 60", "minimum 60000 and maximum 946000 ns contradict the buckets"),
        ("jitterdebugger", "\"max\": 37", "\"max\": 36", "contradict the buckets"),
        ("jitterdebugger", "\"count\": 300", "\"count\": 3", "expected 3"),
    ] {
        let found = changed(name, from, to);
        assert!(found.contains(said) && !found.contains('\n'), "{name}, {to}: {found}");
    }
}

// The histograms of one machine, before and after its virtual machine was set up.
#[test]
fn two_histograms_of_a_user_have_the_extremes_that_they_say() {
    for (text, wanted) in [
        (include_str!("../../tests/data/cyclictest-histogram/cyclictest_kvm_before.txt"), (5_000, 1_475_000)),
        (include_str!("../../tests/data/cyclictest-histogram/cyclictest_kvm_after.txt"), (6_000, 12_000)),
    ] {
        let series = imported(text).unwrap().series.remove(0);
        assert_eq!((series.min.unwrap(), series.max.unwrap()), wanted);
    }
    let xenomai = refusal(include_str!("../../tests/data/xenomai_summary.txt"));
    assert!(xenomai.contains("max 374.075 us, 40 overruns"), "{xenomai}");
}

#[test]
fn what_is_packed_or_in_another_encoding_is_told_how_to_unpack_it() {
    let refused = |bytes: &[u8]| recognised(&mut &bytes[..]).map(|found| found.name).unwrap_err().to_string();
    assert_eq!(refused(b""), "the file is empty");
    assert!(refused(b"\x1f\x8b\x08\0").contains("gunzip") && refused(b"\xff\xfeT\0:\0").contains("iconv"));
}

#[test]
fn what_holds_no_distribution_is_told_what_to_have_instead() {
    let summary = "RTS|      1.175|      2.955|    374.075|      40|     0|    00:01:00/00:01:00\n";
    assert!(refusal(summary).contains("max 374.075 us, 40 overruns") && refusal(summary).contains("with -h"));
    assert!(
        refusal("  Task  |   Runtime ms  | Switches | Avg delay ms    | Max delay ms    |\n").contains("perf.data")
    );
    assert!(refusal("nothing of the kind").contains("rtla-timerlat"));
    assert!(refusal("<rteval><timerlat/></rteval>").contains("three latencies"));
}

#[test]
fn what_is_not_in_a_benchmark_is_an_edge() {
    let found = imported(file("perf-bench")).unwrap();
    let pipe = &found.series[0];
    assert_eq!((pipe.key.label().as_str(), pipe.done, pipe.mean), ("pipe", 20_000, Some(14_165.0)));
    assert_eq!((pipe.edges, pipe.max), (true, Some(283_500_000)));
    assert_eq!(rule("pipe.max < 20us", &found.series), backwall_model::Outcome::Undecided);
    assert_eq!(rule("pipe.max < 1s", &found.series), backwall_model::Outcome::Pass);
    assert_eq!(rule("pipe.max < 10us", &found.series), backwall_model::Outcome::Undecided);
    let all = "# Running sched/messaging benchmark...\n# 10 groups == 400 processes run\n\n     Total time: 0.680 [sec]\n\n\
         # Running syscall/basic benchmark...\n# Executed 100000 getppid() calls\n     Total time: 0.032 [sec]\n";
    let all = imported(all).unwrap();
    assert_eq!(all.series.iter().map(|one| (one.done, one.max)).collect::<Vec<_>>(), [(1, Some(680_000_000))]);
    assert!(refusal("# Running 'sched/pipe' benchmark:\n Total time: 0.28").contains("seconds above 0"));
    let twice = file("perf-bench").repeat(2);
    assert!(refusal(&twice).contains("put each run into its own file"));
}

#[test]
fn of_linuxcnc_the_extremes_are_known_and_no_count() {
    assert_eq!(figures("latency-histogram"), expected(&[("base", 2, 12_100, 14_700), ("servo", 2, 8_200, 11_900)]));
    let found = imported(file("latency-histogram")).unwrap();
    assert_eq!(found.seconds, Some(2.0));
    assert_eq!(rule("servo.max < 12us", &found.series), backwall_model::Outcome::Pass);
    assert_eq!(rule("base.max < 12us", &found.series), backwall_model::Outcome::Fail);
    let twice = file("latency-histogram").repeat(2);
    assert!(refusal(&twice).contains("a row of another run"));
    let cut = file("latency-histogram").trim_end().trim_end_matches("us");
    assert!(refusal(cut).contains("may be truncated"));
}

#[test]
fn ros2_control_tells_how_long_each_ran_and_how_often() {
    let all = [
        ("arm_interface-read_cycle-execution", 5_000, 9_000, 88_500),
        ("controller_manager-execution", 5_000, 22_500, 180_000),
        ("joint_state_broadcaster-execution", 5_000, 1_875, 61_125),
        ("joint_state_broadcaster-period", 5_000, 9_803_922, 10_204_082),
    ];
    assert_eq!(figures("ros2-control"), expected(&all));
    let later =
        file("ros2-control").replace("sec: 1764281000", "sec: 1764281001").replace("value: 180.0", "value: 190.0");
    let found = imported(&(file("ros2-control").to_string() + &later)).unwrap();
    assert_eq!(found.series[1].max, Some(190_000), "the last message counts");
    let lacks = file("ros2-control").replace("sample_count", "samples");
    assert!(refusal(&lacks).contains("\"sample_count\" is missing"));
}

// A reader who sees "90 % within 8 us" beside "the largest took 7 us" believes neither.
#[test]
fn no_quantile_is_above_the_largest() {
    for &(name, text) in FILES.iter() {
        for series in imported(text).unwrap().series {
            let known = |one: &backwall_model::Quantile| [one.value, one.low, one.high].into_iter().flatten().max();
            let most = series.quantiles.iter().filter_map(known).max();
            assert!(most <= series.max, "{name} {}: {most:?}", series.key.label());
        }
    }
}

#[test]
fn a_byte_order_mark_is_passed_over_and_a_file_without_figures_refused() {
    for &(name, text) in FILES.iter() {
        let marked = format!("\u{feff}{text}");
        assert_eq!(imported(&marked).unwrap().series, imported(text).unwrap().series, "{name}");
    }
    let json = file("cyclictest-json");
    let none = format!("{}\"thread\": {{}}}}", &json[..json.find("\"thread\"").unwrap()]);
    assert!(refusal(&none).contains("no figures: "), "{}", refusal(&none));
}

fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let damage = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0u8..5), 1..6);
    (prop::sample::select(FILES.clone()), damage).prop_map(|((_, text), damage)| {
        let mut bytes = text.as_bytes().to_vec();
        for (place, byte, kind) in damage {
            let at = place.index(bytes.len().max(1));
            match kind {
                _ if bytes.is_empty() => bytes.push(byte),
                0 => bytes.truncate(at),
                1 => bytes.insert(at, byte),
                2 => drop(bytes.remove(at)),
                // Replacing digits gives wrong figures in a valid syntax.
                3 => bytes[at] = b'0' + byte % 10,
                _ => bytes[at] = byte,
            }
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn whatever_the_damage_a_file_is_refused_in_one_line_or_gives_series_that_agree_with_themselves(bytes in damaged()) {
        for importer in ALL {
            match (importer.read)(&mut bytes.as_slice(), "none") {
                Ok(found) => {
                    let mut keys: Vec<_> = found.series.iter().map(|one| one.key.clone()).collect();
                    keys.sort();
                    keys.dedup();
                    // Two processors of the same name are refused by the audit of the run, not by the importer.
                    if keys.len() == found.series.len() {
                        audited(found.series);
                    }
                }
                Err(refused) => prop_assert!(!refused.to_string().contains('\n'), "{}", refused),
            }
        }
    }
}
