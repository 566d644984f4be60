// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tests each listener with valid streams whose series have more or fewer points than it expects.
use crate::Watch;
use crate::device::probe::ListedOperation;
use crate::osbench::operation;
use crate::stream::probe_report::{self, Conditions};
use crate::tasks::jobs::{self, JobCounter, Phase};
use backwall_wire::fixture::{Declared, Stream};
use proptest::prelude::*;

const POINTS: [&str; 6] = ["nominal", "release", "start", "finish", "e", "f"];

fn stream(points: usize, samples: u64) -> Vec<u8> {
    let points = &POINTS[..points];
    let mut stream = Stream::new();
    let fields = &["test=9.99", "task=control"];
    stream.hello().declare(&Declared { series: 0, name: "job", points, periodic: false, cpu: None, fields });
    let rows: Vec<Vec<u64>> =
        (0..samples).map(|seq| (0..points.len() as u64).map(|point| 100 * seq + 10 * point).collect()).collect();
    let rows: Vec<&[u64]> = rows.iter().map(Vec::as_slice).collect();
    if samples > 0 {
        stream.samples(0, 0, 0, &rows);
    }
    stream.lost(0, samples, 1, 1).totals(0, samples + 1, samples, 1).end(0);
    stream.bytes()
}

proptest! {
    #[test]
    fn no_number_of_points_stops_a_listener(points in 2usize..=POINTS.len(), samples in 0u64..5, batch in 0u64..12) {
        let bytes = stream(points, samples);
        let counted = JobCounter { name: "control".into(), deadline_ns: 500, nominal_ns: (0..10).map(|at| at * 100).collect() };
        let phase = Phase { load: "none".into(), idle: "as-is".into() };
        let jobs = jobs::listen(bytes.as_slice(), vec![counted], &phase, &Watch::default());
        let said = format!("series 0 has {points} points, but a job has 4");
        prop_assert_eq!(jobs.heard.fault, (points != 4).then_some(said));
        prop_assert_eq!(jobs.jobs.len() as u64, if points == 4 { samples + 1 } else { 0 });
        let conditions =
            Conditions { load: Some("none".into()), idle: Some("as-is".into()), recorder: None, flight: None, keeper: None };
        let heard = probe_report::listen(bytes.as_slice(), conditions, &Watch::default());
        prop_assert!(heard.fault.is_none() && heard.series.len() == points - 1);
        let listed = ListedOperation { test: "9.99".into(), name: "operation".into(), batch, ..ListedOperation::default() };
        prop_assert_eq!(operation::listen_each(bytes.as_slice(), &[listed]).len(), 1);
    }
}
