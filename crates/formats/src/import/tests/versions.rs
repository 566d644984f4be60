// SPDX-License-Identifier: MIT OR Apache-2.0
//! The output of other versions of a tool, and with other options.
use super::{imported, refusal};

#[test]
fn cyclictest_shows_threads_before_they_run() {
    let row = |thread: u32, number: u32, count: u32, max: u32| {
        format!("T: {number} ({thread:5}) P: 0 I:500 C: {count:6} Min:      7 Act:   36 Avg:   93 Max: {max:7}\n")
    };
    let first = format!("policy: other\n\n{}{}", row(0, 0, 0, 0), row(0, 1, 0, 0));
    let text = format!("{first}\u{1b}[4Apolicy: other\n\n{}{}", row(13900, 0, 50, 312), row(13901, 1, 39, 1098));
    let found = imported(&text).unwrap();
    let known: Vec<_> = found.series.iter().map(|series| (series.done, series.max)).collect();
    assert_eq!(known, [(50, Some(312_000)), (39, Some(1_098_000))]);
    assert!(refusal(&format!("{text}{}", row(14000, 0, 60, 400))).contains("another run"));
}

#[test]
fn the_first_row_of_oslat_with_a_bias_has_what_is_smaller() {
    let text = "oslat V 2.40\nGlobal bias set to 1 (us)\n        Core:\t 0\nCounter Freq:\t 2298 (Mhz)\n    002 (us):\t 95\n    \
                003 (us):\t 3\n    004 (us):\t 2 (including overflows)\n     Minimum:\t 1 (us)\n     Average:\t 2.024 (us)\n     \
                Maximum:\t 12077 (us)\n    Duration:\t 1.007 (sec)\n";
    let found = &imported(text).unwrap().series[0];
    assert_eq!((found.done, found.min, found.max, found.mean), (100, Some(1_000), Some(12_077_000), None));
    let bound = |q: f64| found.quantiles.iter().find(|known| (known.q - q).abs() < 1e-9).map(|known| known.value);
    assert_eq!(bound(0.5), Some(Some(2_000)));
}

#[test]
fn a_time_of_day_above_a_table_is_no_sample_of_cyclictest() {
    let table = |count: u32| {
        format!("     msecs               : count     distribution\n         0 -> 1          : {count}       |****|\n")
    };
    let text =
        format!("Tracing run queue latency... Hit Ctrl-C to end.\n\n06:10:32\n{}\n06:10:33\n{}", table(12), table(20));
    let found = imported(&text).unwrap();
    assert_eq!((found.series.len(), found.series[0].done), (1, 32));
    assert_eq!(imported("       0:      12:      85\n       0:      13:      90\n").unwrap().series[0].done, 2);
}

#[test]
fn a_name_of_a_variant_loses_its_quotes_only_in_pairs() {
    let text = "pid = 4711 'cyclictest'\n     usecs               : count     distribution\n         0 -> 1          : 351      |**|\n\
                pid = b'x'\n     usecs               : count     distribution\n         0 -> 1          : 1        |**|\n";
    let found = imported(text).unwrap();
    let names: Vec<&str> = found.series.iter().map(|series| series.key.variant["pid"].as_str()).collect();
    assert_eq!(names, ["4711 'cyclictest'", "x"]);
}

#[test]
fn rows_of_the_old_module_are_gaps() {
    let text = "hwlatdetect:  test duration 10 seconds\n   parameters:\n        Latency threshold: 10us\n\nStarting test\ntest finished\n\
                Max Latency: 32us\nSamples recorded: 2\nSamples exceeding threshold: 2\n1340387232.0274115243\t32\n\
                1340387235.0274115243\t18\n";
    let found = &imported(text).unwrap().series[0];
    assert_eq!((found.done, found.max, found.threshold), (2, Some(32_000), Some(10_000)));
}

#[test]
fn what_lacks_the_distribution_is_told_which_option_gives_it() {
    let plot = "# 00:00:10 (periodic user-mode task, 1000 us period, priority 99)\n# ----lat min|----lat avg|----lat max|-overrun|---msw|\n";
    for (text, option) in [
        (plot, "latency -h"),
        ("RTD|      1.2|\nRTS|      1.182|      1.310|      3.899|       0|     0|    00:00:02/00:00:02\n", "-g FILE"),
        ("0   1999   1990\n1      0     10\nover:      0      0\ncount:  1999  2000\n", "without --no-header"),
        ("# RTLA timerlat histogram\n   IRQ-001   Thr-001\n  1000  944\n", "without --no-index"),
        ("HARDIRQ                    TOTAL_usecs\neth0                                99\n", "-d"),
        ("Tracing run queue latency higher than 100 us\nTIME     COMM             TID           LAT(us)\n", "runqlat"),
        ("{\"type\": \"attached_probes\", \"data\": {\"probes\": 3}}\n", "-f json"),
    ] {
        let refused = refusal(text);
        assert!(refused.contains(option), "{refused}");
    }
}

#[test]
fn a_packed_text_that_can_still_be_read_in_part_is_called_packed() {
    let text = "# Histogram\n000000 000010\n".to_string();
    assert!(refusal(&text).contains("# Total") || !refusal(&text).contains("LZ4"));
    let mut packed = b"\x04\x22\x4d\x18\x64\x40\xa7".to_vec();
    packed.extend(text.bytes());
    assert!(super::super::recognised(&mut &packed[..]).unwrap_err().to_string().contains("unlz4"));
}
