// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files that end too early, and figures that cannot be.
use super::*;

// A cut between two lines may leave a valid, shorter file. A cut within a line must not change a figure.
#[test]
fn a_part_of_the_last_line_changes_no_figure() {
    for (name, text) in FILES.iter().copied() {
        let whole = imported(text).unwrap().series;
        let mut above = (0, None);
        for cut in (1..text.len()).filter(|cut| text.len() < 2_000 || cut % 7 == 0) {
            let line = text[..cut].rfind('\n').map_or(0, |end| end + 1);
            if above.0 != line {
                above = (line, imported(&text[..line]).ok().map(|found| found.series));
            }
            if let Ok(found) = imported(&text[..cut]) {
                let next = text[line..].find('\n').map_or(text.len(), |end| line + end + 1);
                let with_line = || imported(&text[..next]).ok().map(|found| found.series);
                let is_same = |series: Option<Vec<Series>>| series.as_ref() == Some(&found.series);
                assert!(
                    found.series == whole || is_same(above.1.clone()) || is_same(with_line()),
                    "{name} cut at {cut}: {:?}",
                    &text[line..cut]
                );
            }
        }
    }
}

#[test]
fn what_a_tool_always_prints_at_the_end_is_missed() {
    let last = |name: &str, rows: usize| {
        let lines: Vec<&str> = file(name).lines().collect();
        lines[..lines.len() - rows].join("\n") + "\n"
    };
    assert!(refusal(&last("schbench", 1)).contains("\"average rps\" below the percentiles is missing"));
    let stress = file("stress-ng-cyclic");
    assert!(refusal(&stress[..stress.find("99.99%").unwrap()]).contains("may be truncated"));
    let without: String =
        stress.lines().take_while(|line| !line.contains("99.99%")).map(|line| format!("{line}\n")).collect();
    assert!(refusal(&without).contains("before 99.99%"));
    // The published table of bcc ends before its largest count: its longest bar has 36 of 40 stars.
    let bcc = file("bpf-histogram");
    let warned = |text: &str| imported(text).unwrap().warnings.iter().any(|warning| warning.kind == "rows-missing");
    assert!(warned(bcc));
    assert!(refusal(&last("bpf-histogram", 3)).contains("its last count is 0"));
    let bpftrace = include_str!("../../../tests/data/bpf-histogram/bpftrace_runqlat.txt");
    assert!(!warned(bpftrace));
    assert!(refusal(&bpftrace[..bpftrace.find("[4, 8)").unwrap()]).contains("its longest bar fills less than 3/4"));
}

// If the last table is cut, the CPUs that it still has take their figures from it, the others from the table before.
#[test]
fn the_rows_of_a_cut_table_count() {
    let top = file("rtla-timerlat-top");
    let cut = &top[..top.rfind("  1 #5998").unwrap()];
    let found = imported(cut).unwrap();
    let of_first: Vec<_> = found.series.iter().filter(|one| one.key.cpu == Some(0)).map(|one| one.max).collect();
    assert_eq!(of_first, [Some(9_000), Some(33_000)]);
    assert_eq!(found.series.len(), 4);
}

#[test]
fn figures_of_other_tools_and_units_are_not_taken_for_cyclictests() {
    let signaltest = "T: 0 ( 2421) P:20 C:    300 Min:     21 Act:   34 Avg:   37 Max:     210\n";
    assert!(refusal(signaltest).contains("signaltest"), "{}", refusal(signaltest));
    let pmqtest = "#0: ID1, P20, CPU1, I1000; #1: ID2, P20, CPU0, TO 0, Cycles 277\n#1 -> #0, Min    8, Cur   38, Avg   23, Max   58\n";
    assert!(refusal(pmqtest).contains("pmqtest"), "{}", refusal(pmqtest));
    let samples = imported(file("cyclictest-samples")).unwrap();
    assert!(samples.warnings.iter().any(|warning| warning.text.contains("taken as microseconds")));
    let nanoseconds = "Thread 0 Interval: 1000\n       0:       0:   66586\n       0:       1:   97701\n";
    assert!(refusal(nanoseconds).contains("nanoseconds of cyclictest -N"));
    // The tail of what cyclictest 2.4 wrote with -q -N -h 2000000.
    let histogram = "# /dev/cpu_dma_latency set to 0us\n# Histogram\n074270 000001\n087134 000001\n# Total: 000000002\n\
                     # Min Latencies: 74270\n# Avg Latencies: 80702\n# Max Latencies: 87134\n# Histogram Overflows: 00000\n";
    assert!(refusal(histogram).contains("nanoseconds of cyclictest -N"));
    let bench = file("perf-bench").replace("14.165200", "1.165200");
    assert!(refusal(&bench).contains("contradict the total time"));
}

#[test]
fn rows_that_are_doubled_or_elsewhere_are_refused() {
    let moved = |name: &str, row: &str, to: usize| {
        let mut lines: Vec<&str> = file(name).lines().collect();
        let at = lines.iter().position(|line| line.trim_start().starts_with(row)).unwrap();
        let line = if to > at { lines[at] } else { lines.remove(at) };
        lines.insert(to, line);
        refusal(&(lines.join("\n") + "\n"))
    };
    assert!(moved("bpf-histogram", "2 -> 3", 9).contains("must rise"));
    assert!(moved("schbench", "50.0th", 0).contains("above its heading"));
    assert!(moved("rtla-osnoise-top", "0 #59", 2).contains("above the column names"));
    assert!(moved("rtla-timerlat", "min:", 7).contains("the line count:"));
    let report = include_str!("../../../tests/data/hwlatdetect/hwlatdetect_report.txt");
    let (first, _) = report.split_once('\n').unwrap();
    assert!(refusal(&format!("{first}\n{report}")).contains("duplicate gap"));
}

#[test]
fn counts_of_two_to_the_64_are_refused() {
    for (name, from) in [
        ("cyclictest-summary", "Act:    6"),
        ("cyclictest-summary", "T: 1 ("),
        ("jitterdebugger-summary", "T: 1 ("),
        ("cyclictest-samples", "       0:       5:"),
        ("schbench", "99.0th: 175 "),
    ] {
        assert!(file(name).contains(from), "{name}: {from}");
        let digit = from.rfind(|letter: char| letter.is_ascii_digit()).unwrap();
        let number = from[..digit].trim_end_matches(|letter: char| letter.is_ascii_digit());
        let to = format!("{number}18446744073709551615{}", &from[digit + 1..]);
        refusal(&file(name).replacen(from, &to, 1));
    }
    let thread = file("cyclictest-samples").replacen("       0:       5:", "18446744073709551615: 5:", 1);
    assert!(refusal(&thread).contains("no sample"));
}
