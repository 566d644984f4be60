// SPDX-License-Identifier: MIT OR Apache-2.0
//! Overlays many triggered sweeps of one line, using a limited amount of memory.
use super::edges::Line;
use super::tick::Tick;
use super::timebase::Timebase;
use backwall_model::picture::{COLUMNS, Overlay};

/// Overlays one sweep for each of `triggers`, which must be in order of time.
pub fn gather(line: &Line, triggers: &[Tick], base: Timebase) -> Overlay {
    let mut rising = vec![0i64; COLUMNS + 1]; // change in the number of sweeps that are high, at each column's left border
    let mut edges = vec![0u32; COLUMNS];
    let mut first = 0;
    for trigger in triggers {
        while line.edges.get(first).is_some_and(|edge| base.from_left(edge.at(), *trigger) < 0) {
            first += 1;
        }
        rising[0] += i64::from(level_in_front_of(line, first));
        for edge in &line.edges[first..] {
            let from_left = base.from_left(edge.at(), *trigger) as u64;
            if from_left >= base.span() {
                break;
            }
            let place = from_left as u128 * COLUMNS as u128;
            edges[(place / base.span() as u128) as usize] += 1;
            rising[place.div_ceil(base.span() as u128) as usize] += if edge.level() { 1 } else { -1 };
        }
    }
    Overlay::new(triggers.len() as u32, &running_sum(&rising), &edges)
}

fn level_in_front_of(line: &Line, next: usize) -> bool {
    match (next.checked_sub(1), line.edges.first()) {
        (Some(last), _) => line.edges[last].level(),
        (None, first) => first.is_some_and(|edge| !edge.level()),
    }
}

fn running_sum(changes: &[i64]) -> Vec<u32> {
    let sum = |total: &mut i64, change: &i64| {
        *total += change;
        Some(*total as u32)
    };
    changes.iter().scan(0, sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::Edge;
    use proptest::prelude::*;

    fn line(rises: &[u64], width: u64) -> Line {
        let pulse = |at: &u64| [Edge::new(Tick(*at), true), Edge::new(Tick(at + width), false)];
        Line { name: "ist".into(), edges: rises.iter().flat_map(pulse).collect(), warmup: 0 }
    }

    const BASE: Timebase = Timebase { per_division: Tick(60) }; // one tick per column, the trigger in column 60

    #[test]
    fn two_sweeps_with_different_latencies_make_a_stair() {
        let gathered = gather(&line(&[1_105, 3_110], 50), &[Tick(1_000), Tick(3_000)], BASE);
        assert_eq!(gathered.sweeps, 2);
        assert_eq!((gathered.borders, gathered.high), (vec![165, 170, 215, 220], vec![1, 2, 1, 0]));
        assert_eq!((gathered.columns, gathered.edges), (vec![165, 170, 215, 220], vec![1, 1, 1, 1]));
    }

    #[test]
    fn a_line_that_is_high_at_the_left_edge_starts_high() {
        let gathered = gather(&line(&[900], 80), &[Tick(1_000)], BASE);
        assert_eq!((gathered.borders, gathered.high), (vec![0, 40], vec![1, 0]));
    }

    #[test]
    fn a_trigger_in_the_first_ticks_of_a_capture_has_its_sweep() {
        let gathered = gather(&line(&[7], 5), &[Tick(2)], BASE);
        assert_eq!((gathered.borders, gathered.high), (vec![65, 70], vec![1, 0]));
    }

    proptest! {
        #[test]
        fn no_border_counts_more_sweeps_than_there_are(
            rises in prop::collection::btree_set(0u64..500, 0..60), triggers in prop::collection::btree_set(0u64..5_000, 1..40),
            per_division in 1u64..400,
        ) {
            let rises: Vec<u64> = rises.into_iter().map(|n| n * 10).collect();
            let triggers: Vec<Tick> = triggers.into_iter().map(Tick).collect();
            let line = line(&rises, 6);
            let base = Timebase { per_division: Tick(per_division) };
            let gathered = gather(&line, &triggers, base);
            prop_assert!(gathered.high.iter().all(|count| *count <= gathered.sweeps));
            let high_at_left = gathered.high_at_borders()[0] as usize;
            let left = |trigger: &Tick| Tick((trigger.0 + 1).saturating_sub(per_division));
            let high = triggers.iter().filter(|trigger| trigger.0 >= per_division && line.level_before(left(trigger))).count();
            let early = triggers.iter().filter(|trigger| trigger.0 < per_division).count();
            prop_assert!((high..=high + early).contains(&high_at_left));
        }
    }
}
