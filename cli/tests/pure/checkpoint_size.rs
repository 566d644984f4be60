// SPDX-License-Identifier: MIT OR Apache-2.0
//! The room that the checkpoint of a long run takes.
use backwall_model::{Key, LoadProgress, NO_LOAD, Origin, Plan, Run, Span};
use backwall_report::page;
use backwall_stats::SeriesBuilder;
use backwall_stats::random::SplitMix;

use backwall_model::units::Unit;

fn long_run(hours: u64) -> Run {
    let mut run = Run::begin(Origin::Measured, Plan::default(), vec![], jiff::Timestamp::UNIX_EPOCH);
    let mut random = SplitMix(7);
    for load in [NO_LOAD, "all"] {
        let key = Key::new("wakeup", load, "as-is");
        let mut builder = SeriesBuilder::new(key, Span::new("expiry", "thread", Unit::Ns));
        for seq in 0..hours * 36_000 {
            let (scale, value) = (random.number() % 24, random.number());
            builder.sample(seq, seq * 100_000_000, 2_000 + (value >> (40 + scale)), false);
        }
        run.series.push(builder.build());
    }
    for number in 0..13 {
        let per_second = (0..hours * 3_600).map(|second| (second % 977) as f64).collect();
        let (unit, phase) = ("turns".to_string(), "all".to_string());
        let mut load = LoadProgress { name: format!("load {number}"), unit, phase, done: 1, per_second, each_s: 1 };
        load.bound();
        run.loads.push(load);
    }
    run
}

#[test]
fn a_day_takes_no_more_room_than_a_few_hours() {
    let sizes = |hours| {
        let run = long_run(hours);
        (backwall_store::json(&run).unwrap().len(), page::page(&run).len())
    };
    let ((short_run, short_page), (run, page)) = (sizes(4), sizes(24));
    assert!(run < short_run * 5 / 4 && run < 6_000_000, "{short_run} and {run} bytes of run.json");
    assert!(page < short_page * 5 / 4 && page < 2_000_000, "{short_page} and {page} bytes of page");
}
