// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every importer on a file of its tool: known figures, what is not known, and whatever the damage.
use super::*;
use backwall_model::{Run, Series, audit};
use proptest::prelude::*;

/// A file of each format: what came from a run of the tool where Debian has it, else one of its shape.
const FILES: [(&str, &str); 12] = [
    ("cyclictest-json", include_str!("../../tests/data/cyclictest.json")),
    ("cyclictest-histogram", include_str!("../../tests/data/cyclictest_H.txt")),
    ("cyclictest-samples", include_str!("../../tests/data/cyclictest_v.txt")),
    ("oslat-json", include_str!("../../tests/data/oslat.json")),
    ("oslat", include_str!("../../tests/data/oslat.txt")),
    ("jitterdebugger", include_str!("../../tests/data/jitterdebugger.json")),
    ("stress-ng-cyclic", include_str!("../../tests/data/stress_ng.txt")),
    ("rtla-timerlat", include_str!("../../tests/data/timerlat.txt")),
    ("rtla-timerlat", include_str!("../../tests/data/timerlat_ns.txt")),
    ("rteval", include_str!("../../tests/data/rteval.xml")),
    ("hwlatdetect", include_str!("../../tests/data/hwlatdetect.txt")),
    ("hwlatdetect", include_str!("../../tests/data/hwlatdetect_report.txt")),
];

fn file(name: &str) -> &'static str {
    FILES.iter().find(|(format, _)| *format == name).unwrap().1
}

fn imported(text: &str) -> Result<Imported, BadImport> {
    read(&mut text.as_bytes(), "none")
}

fn refusal(text: &str) -> String {
    imported(text).map(|found| format!("{:?}", found.series)).unwrap_err().to_string()
}

/// Each series with its samples, smallest and largest.
fn figures(name: &str) -> Vec<(String, u64, Option<u64>, Option<u64>)> {
    let found = imported(file(name)).unwrap();
    found.series.iter().map(|one| (one.key.label(), one.done, one.min, one.max)).collect()
}

fn expected(all: &[(&str, u64, u64, u64)]) -> Vec<(String, u64, Option<u64>, Option<u64>)> {
    all.iter().map(|(key, done, min, max)| (key.to_string(), *done, Some(*min), Some(*max))).collect()
}

/// A run that holds these series, as the tool checks it when it reads one.
fn audited(series: Vec<Series>) {
    let mut run = Run::begin(backwall_model::Origin::Imported, Default::default(), vec![], jiff::Timestamp::UNIX_EPOCH);
    run.series = series;
    audit::audit(&run).unwrap();
}

#[test]
fn the_beginning_chooses_the_importer_and_every_importer_has_a_file() {
    for (name, text) in FILES {
        assert_eq!(recognised(&mut text.as_bytes()).unwrap().name, name);
        assert_eq!(named(name).unwrap().name, name);
    }
    for importer in &ALL {
        assert!(FILES.iter().any(|(name, _)| *name == importer.name), "{}", importer.name);
    }
}

#[test]
fn what_the_source_does_not_count_is_not_known_and_never_nothing() {
    for (name, text) in FILES {
        let found = imported(text).unwrap();
        assert!(!found.series.is_empty() && !found.warnings.is_empty() && !found.tool.is_empty(), "{name}");
        for series in &found.series {
            assert_eq!((series.due, series.missed, series.late), (None, None, None), "{name}");
            assert_eq!(series.quantiles[0].value.is_some(), series.done > 0, "{name}");
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
    assert_eq!(found.series[0].histogram.classes().last().unwrap(), (31_001, 1_220_001, 58));
}

#[test]
fn the_median_is_that_which_the_tool_itself_prints() {
    let found = imported(file("stress-ng-cyclic")).unwrap();
    let classes: Vec<_> = found.series[0].histogram.classes().collect();
    let median = found.series[0].quantiles[0].value.unwrap();
    assert!(classes[0].0 <= 7_567 && (7_567..classes[0].1).contains(&median), "{median}");
    assert_eq!(found.asked.as_deref(), Some("sched SCHED_RR: 100000 ns delay, 500 samples"));
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

/// A row of 200 ns is no row of 200 us, and 31,250 ns are no 31 ms.
#[test]
fn timerlat_in_nanoseconds_has_every_figure_in_nanoseconds() {
    let found = imported(include_str!("../../tests/data/timerlat_ns.txt")).unwrap();
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
        (
            "cyclictest-json",
            "\"cycles\": 200",
            "\"cycles\": 100",
            "197 samples in the distribution, where 100 were counted",
        ),
        ("cyclictest-json", "\"59\": 4", "\"x\": 4", "\"x\" is no whole number"),
        ("cyclictest-json", "\"max\": 946", "\"max\": 9", "beyond its classes, where the largest is 9000 ns"),
        ("cyclictest-json", "\"avg\": 74.16", "\"avg\": 7.1", "a mean of 7100 ns is not between"),
        ("cyclictest-json", "\"histogram\"", "\"other\"", "run cyclictest with -h US"),
        ("cyclictest-json", "\"59\": 4", "\"59\": 18446744073709551615", "more samples than can be counted"),
        ("cyclictest-histogram", "# Min Latencies", "# Mix Latencies", "was it cut off?"),
        ("cyclictest-histogram", "000059 000001", "000059 zero", "line 62: \"000059 zero"),
        ("cyclictest-samples", "       0:       1:", "       0:       0:", "cycles of a thread rise"),
        ("rtla-timerlat", "over:         0", "over:         5", "are not the 1000 counted"),
        ("rtla-timerlat", "Thr-002", "Thr-001", "two columns of one name"),
        ("rtla-timerlat", "Thr-001", "Xyz-001", "columns are IRQ-, Thr- and Usr-"),
        ("rteval", "</core>", "<core>", "byte "),
        ("rteval", "<samples>1000", "<samples>many", "samples is no number"),
        ("oslat", "Maximum", "Maxi", "was it cut off?"),
        ("hwlatdetect", "Samples recorded: 3", "Samples recorded: 4", "4 samples recorded, 3 of them in the file"),
        ("stress-ng-cyclic", "5000        465", "5000        46x", "no row of its distribution"),
        (
            "cyclictest-json",
            "\"min\": 59",
            "\"min\": 60",
            "smallest 60000 and largest 946000 ns do not fit its classes",
        ),
        ("jitterdebugger", "\"max\": 37", "\"max\": 36", "do not fit its classes"),
        ("jitterdebugger", "\"count\": 300", "\"count\": 3", "where 3 were counted"),
    ] {
        let found = changed(name, from, to);
        assert!(found.contains(said) && !found.contains('\n'), "{name}, {to}: {found}");
    }
}

#[test]
fn what_holds_no_distribution_is_told_what_to_have_instead() {
    let top = "Timer Latency\n  0 00:00:05   |          IRQ Timer Latency (us)\n";
    assert!(refusal(top).ends_with("rtla timerlat hist prints"));
    assert!(refusal("T: 0 ( 1234) P:80 I:1000 C:   1000 Min:      3 Act:    4\n").contains("-h 10000"));
    let percentiles: String = file("stress-ng-cyclic").lines().take(12).map(|line| line.to_string() + "\n").collect();
    assert!(refusal(&percentiles).contains("--cyclic-dist"));
    assert!(refusal("nothing of the kind").contains("rtla-timerlat"));
    assert!(refusal("<rteval><timerlat/></rteval>").contains("three latencies"));
}

/// Whoever reads that 90 % were within 8 us and the largest took 7 us believes neither.
#[test]
fn no_quantile_is_above_the_largest() {
    for (name, text) in FILES {
        for series in imported(text).unwrap().series {
            let known = |one: &backwall_model::Quantile| [one.value, one.low, one.high].into_iter().flatten().max();
            let most = series.quantiles.iter().filter_map(known).max();
            assert!(most <= series.max, "{name} {}: {most:?}", series.key.label());
        }
    }
}

#[test]
fn a_byte_order_mark_is_passed_over_and_a_file_without_figures_refused() {
    for (name, text) in FILES {
        let marked = format!("\u{feff}{text}");
        assert_eq!(imported(&marked).unwrap().series, imported(text).unwrap().series, "{name}");
    }
    let json = file("cyclictest-json");
    let none = format!("{}\"thread\": {{}}}}", &json[..json.find("\"thread\"").unwrap()]);
    assert!(refusal(&none).contains("it holds no figures"), "{}", refusal(&none));
}

/// Bytes of a file changed, cut or doubled.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let damage = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0u8..5), 1..6);
    (prop::sample::select(FILES.to_vec()), damage).prop_map(|((_, text), damage)| {
        let mut bytes = text.as_bytes().to_vec();
        for (place, byte, kind) in damage {
            let at = place.index(bytes.len().max(1));
            match kind {
                _ if bytes.is_empty() => bytes.push(byte),
                0 => bytes.truncate(at),
                1 => bytes.insert(at, byte),
                2 => drop(bytes.remove(at)),
                // Digits make figures that are wrong and well written.
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
        for importer in &ALL {
            match (importer.read)(&mut bytes.as_slice(), "none") {
                Ok(found) => {
                    let mut keys: Vec<_> = found.series.iter().map(|one| one.key.clone()).collect();
                    keys.sort();
                    keys.dedup();
                    // Two processors of one name are for the run's own check, which refuses them.
                    if keys.len() == found.series.len() {
                        audited(found.series);
                    }
                }
                Err(refused) => prop_assert!(!refused.to_string().contains('\n'), "{}", refused),
            }
        }
    }
}
