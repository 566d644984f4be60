// SPDX-License-Identifier: MIT OR Apache-2.0
use super::{Assignment, Counts, Fate, Pairing, PairingRule, Polarity, pair_lines as pair};
use crate::edges::{Edge, Edges, Gap, Line};
use crate::tick::{Tick, TickRate};
use proptest::prelude::*;

// A line with a pulse of length `width` at each of `rises`; overlapping pulses merge into one.
fn line(name: &str, rises: &[u64], width: u64) -> Line {
    let mut line = Line::new(name);
    for (index, &at) in rises.iter().enumerate() {
        let joined = rises.get(index + 1).is_some_and(|next| *next <= at + width);
        if index == 0 || rises[index - 1] + width < at {
            line.edges.push(Edge::new(Tick(at), true));
        }
        if !joined {
            line.edges.push(Edge::new(Tick(at + width), false));
        }
    }
    line
}

fn capture(end_at: u64, gaps: &[(u64, u64)]) -> Edges {
    let gaps = gaps.iter().map(|&(from, to)| Gap { from: Tick(from), to: Tick(to) }).collect();
    Edges { rate: TickRate::Instructions, lines: Vec::new(), end_at: Tick(end_at), gaps }
}

fn pair_at(stimuli: &[u64], responses: &[u64], end_at: u64) -> Pairing {
    pair(&capture(end_at, &[]), &line("a", stimuli, 1), &line("ist", responses, 1), &PairingRule::default())
}

fn fates(assignment: &Assignment) -> Vec<Option<u64>> {
    let latency = |fate| if let Fate::Answered(latency) = fate { Some(latency.0) } else { None };
    assignment.fates().map(latency).collect()
}

#[test]
fn a_stimulus_without_an_answer_before_the_next_has_none() {
    let found = pair_at(&[100, 200, 300], &[110, 120, 305], 1_000);
    let answered: Vec<(u64, u64)> = found.answered().map(|(from, to)| (from.0, to.0)).collect();
    assert_eq!(answered, [(100, 110), (300, 305)]);
}

// A device that misses every ninth stimulus and answers every fifth twice: one of the assignments must have these counts.
#[test]
fn a_device_that_misses_and_answers_twice_is_counted_in_one_of_the_assignments() {
    let stimuli: Vec<u64> = (1..=2_000).map(|number| number * 1_000).collect();
    let answers = |number: u64| match (number % 9, number % 5) {
        (0, _) => vec![],
        (_, 0) => vec![number * 1_000 + 28, number * 1_000 + 60],
        _ => vec![number * 1_000 + 28],
    };
    let responses: Vec<u64> = (1..=2_000).flat_map(answers).collect();
    let paired = pair_at(&stimuli, &responses, 2_100_000);
    let (missed, twice) = (2_000 / 9, 2_000 / 5 - 2_000 / 45);
    let truth =
        Counts { due: 2_000, done: 2_000 - missed, lost: missed, missed, duplicate: twice, ..Counts::default() };
    assert_eq!(paired.at_once.counts, truth);
    assert!(paired.nearest.counts.lost < missed, "{:?}", paired.nearest.counts);
    let warning = paired.ambiguity("isr", TickRate::Instructions).unwrap();
    let told =
        "Nothing after the next stimulus: 1,778 of 2,000 answered, 222 unanswered, 0 late, 356 duplicate, largest 28";
    assert!(warning.text.contains(told), "{warning}");
}

// Ten pulses, 100 apart, each answered after 5; the fourth is missed, the sixth answered twice, the eighth after 130. sigrok's
// jitter decoder gives eight values, the largest 105.
#[test]
fn one_missed_one_duplicate_and_one_late_response_are_counted() {
    let stimuli: Vec<u64> = (1..=10).map(|n| n * 100).collect();
    let paired = pair_at(&stimuli, &[105, 205, 305, 505, 605, 610, 705, 905, 930, 1005], 1_200);
    let expected = Counts { due: 10, done: 9, lost: 1, missed: 1, coalesced: 0, late: 1, duplicate: 1, cut: 0 };
    assert_eq!(paired.nearest.counts, expected);
    assert_eq!(paired.nearest.latencies(paired.measured()).max(), Some(Tick(130)));
    let expected = Counts { due: 10, done: 10, late: 3, ..Counts::default() };
    assert_eq!(paired.in_order.counts, expected);
    assert_eq!(paired.in_order.latencies(paired.measured()).max(), Some(Tick(105)));
    assert_eq!(paired.ambiguous, 5);
    let warning = paired.ambiguity("ist", TickRate::Instructions).unwrap();
    assert!(
        warning.text.contains("9 of 10 answered, 1 unanswered, 1 late, 1 duplicate, largest 130 instructions"),
        "{warning}"
    );
}

#[test]
fn a_device_that_answers_each_stimulus_in_time_reads_the_same_both_ways() {
    let paired = pair_at(&[100, 200, 300], &[105, 230, 399], 500);
    assert_eq!(paired.in_order, paired.nearest);
    assert_eq!(fates(&paired.nearest), [Some(5), Some(30), Some(99)]);
    assert_eq!((paired.ambiguous, paired.ambiguity("ist", TickRate::Instructions)), (0, None));
}

#[test]
fn a_response_at_the_instant_of_a_stimulus_answers_it_at_once() {
    let paired = pair_at(&[100, 200], &[100, 200], 500);
    assert_eq!(fates(&paired.nearest), [Some(0), Some(0)]);
    assert_eq!(fates(&paired.in_order), [Some(0), Some(0)]);
}

// An auto-reset event remembers one pulse. Each answer takes 150 with a period of 100, so every third stimulus is merged with
// another.
#[test]
fn stimuli_that_come_while_the_line_is_active_are_coalesced() {
    let response = line("app", &[105, 260, 410], 140);
    let stimuli = line("a", &[100, 200, 300, 400], 1);
    let paired = pair(&capture(1_000, &[]), &stimuli, &response, &PairingRule::default());
    assert_eq!(fates(&paired.nearest), [Some(5), Some(60), None, Some(10)]);
    assert_eq!((paired.nearest.counts.missed, paired.nearest.counts.coalesced), (0, 1));
    assert_eq!(fates(&paired.in_order), [Some(5), Some(60), Some(110), None]);
    assert_eq!(paired.ambiguous, 2);
}

#[test]
fn a_line_that_is_already_high_gives_no_response() {
    let paired =
        pair(&capture(900, &[]), &line("a", &[100, 200], 1), &line("ist", &[50], 800), &PairingRule::default());
    let Counts { due, done, coalesced, missed, .. } = paired.nearest.counts;
    assert_eq!((due, done, coalesced, missed), (2, 0, 2, 0));
    assert_eq!(paired.early, 1);
}

#[test]
fn a_silent_line_loses_everything_and_nothing_is_cut() {
    let paired = pair_at(&[100, 200, 300], &[], 400);
    let Counts { due, lost, missed, coalesced, cut, .. } = paired.nearest.counts;
    assert_eq!((due, lost, missed, coalesced, cut), (3, 3, 1, 2, 0));
}

#[test]
fn the_last_stimulus_is_not_due_when_the_capture_ends_before_its_period() {
    let paired = pair_at(&[100, 200, 300], &[105, 205], 399);
    assert_eq!((paired.nearest.counts.due, paired.nearest.counts.cut), (2, 1));
    assert_eq!(paired.nearest.fates().last(), Some(Fate::Cut));
    let whole = pair_at(&[100, 200, 300], &[105, 205], 400);
    assert_eq!((whole.nearest.counts.due, whole.nearest.counts.cut), (3, 0));
    let lone = pair_at(&[100], &[], 10_000);
    assert_eq!((lone.nearest.counts.due, lone.nearest.counts.cut), (0, 1), "a lone stimulus has no known period");
}

#[test]
fn a_gap_hides_answers_and_is_not_counted_as_missed() {
    let edges = capture(1_000, &[(250, 650)]);
    let stimuli = line("a", &[100, 200, 700, 800], 1);
    let responses = line("ist", &[105, 655, 705, 805], 1);
    let paired = pair(&edges, &stimuli, &responses, &PairingRule::default());
    let Counts { due, done, lost, cut, .. } = paired.nearest.counts;
    assert_eq!((due, done, lost, cut, paired.early), (3, 3, 0, 1, 1));
    assert_eq!(paired.ambiguous, 0);
    let resumed =
        pair(&edges, &line("a", &[100, 650, 700], 1), &line("ist", &[105, 650, 705], 1), &PairingRule::default());
    assert_eq!(fates(&resumed.nearest), [Some(5), Some(5)], "an edge at the end of a gap only tells the level");
    assert_eq!(resumed.stimuli[..], [Tick(100), Tick(700)]);
}

#[test]
fn glitches_are_counted_and_answer_nothing() {
    let mut responses = line("ist", &[110, 210], 20);
    responses.edges.splice(0..0, [Edge::new(Tick(103), true), Edge::new(Tick(104), false)]);
    let rule = PairingRule { shortest_pulse: Tick(2), ..PairingRule::default() };
    let paired = pair(&capture(900, &[]), &line("a", &[100, 200], 1), &responses, &rule);
    assert_eq!(fates(&paired.nearest), [Some(10), Some(10)]);
    assert_eq!(paired.glitches, 1);
    let taken = pair(&capture(900, &[]), &line("a", &[100, 200], 1), &responses, &PairingRule::default());
    assert_eq!((taken.nearest.counts.duplicate, taken.glitches), (1, 0));
}

#[test]
fn falling_edges_can_be_the_stimulus_and_the_response() {
    let rule = PairingRule { stimulus: Polarity::Fall, response: Polarity::Fall, ..PairingRule::default() };
    let paired = pair(&capture(900, &[]), &line("a", &[90, 190], 10), &line("ist", &[95, 195], 20), &rule);
    assert_eq!(fates(&paired.nearest), [Some(15), Some(15)]);
}

#[test]
fn a_deadline_of_the_plan_replaces_the_next_stimulus() {
    let rule = PairingRule { deadline: Some(Tick(20)), ..PairingRule::default() };
    let paired = pair(&capture(900, &[]), &line("a", &[100, 200], 1), &line("ist", &[120, 221], 1), &rule);
    assert_eq!(paired.nearest.counts.late, 1);
}

#[test]
fn an_empty_capture_pairs_to_nothing() {
    let paired = pair_at(&[], &[50, 60], 100);
    assert_eq!((paired.nearest.counts, paired.early), (Counts::default(), 2));
}

fn nearest_by_search(stimuli: &[u64], responses: &[u64]) -> Vec<Option<u64>> {
    let mut answers = vec![None; stimuli.len()];
    for response in responses {
        let before: Vec<usize> = (0..stimuli.len()).filter(|n| stimuli[*n] <= *response).collect();
        if let Some(number) = before.iter().rev().take(2).find(|n| answers[**n].is_none()) {
            answers[*number] = Some(response - stimuli[*number]);
        }
    }
    answers
}

fn instants_within(limit: u64) -> impl Strategy<Value = Vec<u64>> {
    prop::collection::btree_set(0..limit, 0..60).prop_map(|set| set.into_iter().map(|n| n * 3).collect())
}

fn in_order_by_queue(stimuli: &[u64], responses: &[u64]) -> Vec<Option<u64>> {
    let mut answers = vec![None; stimuli.len()];
    for response in responses {
        let waiting = (0..stimuli.len()).find(|n| answers[*n].is_none() && stimuli[*n] <= *response);
        if let Some(number) = waiting {
            answers[number] = Some(response - stimuli[number]);
        }
    }
    answers
}

proptest! {
    #[test]
    fn the_assignment_in_order_equals_its_definition(latencies in prop::collection::vec(0u64..110, 2..30), twice in 0u64..60) {
        let stimuli: Vec<u64> = (1..=latencies.len() as u64).map(|n| n * 100).collect();
        let mut responses: Vec<u64> = stimuli.iter().zip(&latencies).map(|(at, latency)| at + latency).collect();
        responses.extend((twice < 20).then_some(150 + twice));
        responses.sort_unstable();
        responses.dedup();
        let paired = pair(&capture(100_000, &[]), &line("a", &stimuli, 0), &line("ist", &responses, 0), &PairingRule::default());
        prop_assert_eq!(fates(&paired.in_order), in_order_by_queue(&stimuli, &responses));
        prop_assert_eq!(fates(&paired.nearest), nearest_by_search(&stimuli, &responses));
        let differing = paired.in_order.fates().zip(paired.nearest.fates()).filter(|(a, b)| a != b).count() as u64;
        prop_assert_eq!(paired.ambiguous, differing);
    }

    #[test]
    fn every_stimulus_and_every_response_is_accounted_for(
        stimuli in instants_within(500), responses in instants_within(500), from in 0u64..1_600, length in 0u64..300,
    ) {
        let edges = capture(1_600, &[(from, from + length)]);
        let inside = |at: &u64| *at >= from && *at <= from + length;
        let recorded = |all: Vec<u64>| all.into_iter().filter(|at| !inside(at)).collect::<Vec<_>>();
        let (stimuli, responses) = (recorded(stimuli), recorded(responses));
        let paired = pair(&edges, &line("a", &stimuli, 1), &line("ist", &responses, 1), &PairingRule::default());
        for assignment in [&paired.in_order, &paired.nearest] {
            let Counts { due, done, lost, missed, coalesced, late, duplicate, cut } = assignment.counts;
            prop_assert_eq!(due, done + lost);
            prop_assert_eq!(lost, missed + coalesced);
            prop_assert_eq!(due + cut, stimuli.len() as u64);
            prop_assert_eq!(done + duplicate + paired.early, responses.len() as u64);
            prop_assert!(late <= done);
            prop_assert_eq!(assignment.latencies(paired.measured()).count() as u64, done);
        }
    }

    #[test]
    fn the_nearest_assignment_equals_its_definition(stimuli in instants_within(300), responses in instants_within(300)) {
        let paired = pair_at(&stimuli, &responses, 2_000);
        let first = stimuli.first().copied().unwrap_or(u64::MAX);
        let asked: Vec<u64> = responses.iter().copied().filter(|at| *at >= first).collect();
        prop_assert_eq!(fates(&paired.nearest), nearest_by_search(&stimuli, &asked));
    }

    #[test]
    fn the_assignments_agree_on_a_device_that_is_never_late(latencies in prop::collection::vec(0u64..99, 2..200)) {
        let stimuli: Vec<u64> = (1..=latencies.len() as u64).map(|n| n * 100).collect();
        let responses: Vec<u64> = stimuli.iter().zip(&latencies).map(|(at, latency)| at + latency).collect();
        let wide = |rises: &[u64]| line("x", rises, 0);
        let edges = capture(1_000_000, &[]);
        let paired = pair(&edges, &wide(&stimuli), &wide(&responses), &PairingRule::default());
        prop_assert_eq!(fates(&paired.nearest), latencies.iter().map(|n| Some(*n)).collect::<Vec<_>>());
        prop_assert_eq!(&paired.in_order, &paired.nearest);
    }
}
