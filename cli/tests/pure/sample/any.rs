// SPDX-License-Identifier: MIT OR Apache-2.0
//! Any run that its types allow, however strange: for properties of what reads and prints one.
use super::blame;
use backwall_model::units::Unit;
use backwall_model::*;
use proptest::collection::{btree_map, vec};
use proptest::option::of;
use proptest::prelude::*;
use std::collections::BTreeMap;

pub fn count() -> impl Strategy<Value = u64> {
    prop_oneof![any::<u64>(), 0..5u64, Just(u64::MAX), 1_000..100_000_000u64]
}

fn unit() -> impl Strategy<Value = Unit> {
    prop_oneof![Just(Unit::Ns), Just(Unit::Instructions)]
}

pub fn word() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), Just("none".to_string()), Just("as-is".to_string()), Just("off".to_string())]
}

fn quantile() -> impl Strategy<Value = Quantile> {
    let limit = || of(count());
    (1e-9..0.999_999_999f64, limit(), limit(), limit()).prop_map(|(q, value, low, high)| Quantile {
        q,
        value,
        low,
        high,
    })
}

fn slice() -> impl Strategy<Value = Slice> {
    (proptest::array::uniform5(count()), 0.0..1e18f64).prop_map(|([at, done, lost, min, max], mean)| Slice {
        at,
        done,
        missed: lost,
        min,
        mean,
        max,
    })
}

fn worst() -> impl Strategy<Value = Worst> {
    (proptest::array::uniform3(count()), of(blame::blame())).prop_map(|([seq, at, value], blame)| Worst {
        seq,
        at: Some(at),
        value,
        blame,
    })
}

prop_compose! {
    pub fn key()(
        text in vec(word(), 3),
        cpu in of(any::<u32>()),
        variant in btree_map(word(), word(), 0..3),
    ) -> Key {
        let [name, load, idle] = text.try_into().unwrap();
        Key { name, load, idle, cpu, variant }
    }
}

prop_compose! {
    fn series()(
        key in key(),
        text in vec(word(), 2),
        counts in proptest::array::uniform6(count()),
        exact in proptest::array::uniform3(of(count())),
        told in proptest::array::uniform3(any::<bool>()),
        sum in of(any::<u128>()),
        mean in of(0.0..1e18f64),
        quantiles in vec(quantile(), 0..4),
        bounds in vec(count(), 0..6),
        over_time in vec(slice(), 0..3),
        worst in vec(worst(), 0..4),
        unit in unit(),
    ) -> Series {
        let [due, done, missed, late, overflow, warmup] = counts;
        let (skipped, unseen) = (missed / 2, missed / 3);
        let known = |at: usize, count: u64| told[at].then_some(count);
        let (due, missed, late) = (known(0, due), known(1, missed), known(2, late));
        let [from, to] = text.try_into().unwrap();
        let histogram = Histogram { counts: bounds.iter().skip(1).copied().collect(), bounds };
        let [min, max, jitter] = exact;
        Series { key, from, to, unit, due, done, missed, unseen, skipped, late, overflow, warmup, edges: overflow % 2 == 1, threshold: (overflow % 3 == 1).then_some(overflow), min, sum: sum.map(Sum), mean, max, jitter,
            quantiles, histogram, worst, over_time }
    }
}

prop_compose! {
    fn load()(
        text in vec(word(), 3),
        done in count(),
        per_second in vec(0.0..1e300f64, 0..5),
        each_s in (0..20u32).prop_map(|power| 1 << power),
    ) -> LoadProgress {
        let [name, unit, phase] = text.try_into().unwrap();
        LoadProgress { name, unit, phase, done, per_second, each_s }
    }
}

prop_compose! {
    fn stage()(name in word(), unit in unit(), counts in proptest::array::uniform4(count()), mean in 0.0..1e300f64) -> Stage {
        let [min, p50, p99, max] = counts;
        Stage { name, unit, min, mean, p50, p99, max }
    }
}

prop_compose! {
    fn cause_total()(accused in blame::accused(), counts in proptest::array::uniform4(count()), kept in any::<bool>()) -> CauseTotal {
        let [ns, largest_in, part_of, longest_ns] = counts;
        let [part_of, longest_ns] = [part_of, longest_ns].map(|count| kept.then_some(count));
        CauseTotal { accused, ns, largest_in, part_of, longest_ns }
    }
}

prop_compose! {
    fn stages()(
        key in key(),
        counts in proptest::array::uniform3(count()),
        cost in of((any::<[i64; 3]>(), count())),
        stage in vec(stage(), 0..4),
        of_worst in vec(count(), 0..6),
        worst in vec(worst(), 0..3),
        causes in vec(cause_total(), 0..3),
    ) -> Stages {
        let [matched, unmatched, events_lost] = counts;
        let tracing_cost = cost.map(|([ns, low_ns, high_ns], pairs)| TracingCost { ns, low_ns, high_ns, confidence: 0.95, pairs });
        let (blamed, inferred) = (matched, unmatched);
        Stages { key, matched, inferred, unmatched, events_lost, tracing_cost, parts: stage, of_worst, worst, blamed, causes }
    }
}

prop_compose! {
    fn self_check()(compared in count(), ns in any::<[i64; 4]>(), what in word()) -> SelfCheck {
        let [min_ns, p50_ns, p99_ns, max_ns] = ns;
        SelfCheck { compared, min_ns, p50_ns, p99_ns, max_ns, what }
    }
}

prop_compose! {
    fn measured_phase()(text in vec(word(), 3), traced in any::<bool>(), ns in count()) -> MeasuredPhase {
        let [measure, load, idle] = text.try_into().unwrap();
        MeasuredPhase { measure, load, idle, traced, ns }
    }
}

prop_compose! {
    fn stretch()(
        text in vec(word(), 2),
        lengths in proptest::array::uniform2(0.0..1e9f64),
        gap_seconds in of(0.0..1e9f64),
        ending in of(prop_oneof![Just(Ending::Done), Just(Ending::Interrupted), Just(Ending::Limit)]),
        conditions in btree_map(word(), word(), 0..3),
        phases in vec(measured_phase(), 0..3),
    ) -> Session {
        let [started, until] = text.try_into().unwrap();
        let [seconds, uptime] = lengths;
        Session { started, seconds, until, uptime, gap_seconds, ending, conditions, phases }
    }
}

prop_compose! {
    fn warning()(kind in "[a-z][a-z0-9-]{0,8}", of in of(any::<String>()), text in any::<String>(), remedy in of(any::<String>())) -> Warning {
        Warning { kind: kind.into(), of, text, remedy }
    }
}

// Names as probes send them: an old name would be read with its old meaning.
fn values() -> impl Strategy<Value = BTreeMap<String, u64>> {
    btree_map("[a-z_]{1,12}(\\[series=[a-z]{1,4}\\])?", any::<u64>(), 0..3)
}

prop_compose! {
    fn limit()(figures in any::<[u64; 5]>(), computation in of(any::<u64>()), fails_at in of(any::<u64>()), spread in of(any::<[u64; 3]>())) -> EventLimit {
        let [period, switch, calculated, events, _] = figures;
        let spread = spread.map(|[searches, least, most]| Spread { searches, least, most });
        EventLimit { unit: Unit::Instructions, period, switch, computation, calculated, events, fails_at, spread }
    }
}

prop_compose! {
    fn found()(limit in of(limit()), of_lines in btree_map(any::<String>(), any::<[u64; 6]>(), 0..3), letter in any::<char>(), count in of(any::<u64>())) -> Results {
        let divided = |[user, kernel, waited, ..]: [u64; 6]| Division { user, kernel, waited };
        let of = |(line, figures): (&String, &[u64; 6])| (line.clone(), Divided { all: divided(*figures), worst: Division::default() });
        let phase = |[circle, parts, met, widest_gap, ..]: [u64; 6]| Phase { circle, parts, met, widest_gap };
        let periods = |(line, figures): (&String, &[u64; 6])| (line.clone(), Periods { unit: Unit::Ns, answered: count, fails_at: Some(figures[0]) });
        Results {
            divided: of_lines.iter().map(of).collect(),
            phases: of_lines.values().map(|figures| (letter, phase(*figures))).collect(),
            periods: of_lines.iter().map(periods).collect(),
            limit,
            sweep: count.map(|floor| Sweep { arrivals: 1, missed: 0, untried: 0, first: None, last: Some(floor), floor: Some(floor), worst: None, worst_at: None, spread: None }),
            units: count.map(|done| backwall_model::results::Units { planned: 9, done, different: 1 }),
            load_instructions: count,
            trace_events: count,
        }
    }
}

prop_compose! {
    pub fn run()(
        series in vec(series(), 0..8),
        loads in vec(load(), 0..3),
        pictures in vec(super::picture::any_picture(), 0..3),
        stages in vec(stages(), 0..3),
        self_check in of(self_check()),
        seconds in 0.0..1e9f64,
        warnings in vec(warning(), 0..3),
        values in values(),
        later_values in btree_map(any::<String>(), values(), 0..3),
        found in found(),
        steal_ticks in count(),
        stretches in vec(stretch(), 0..3),
        interrupted in any::<bool>(),
    ) -> Run {
        let environment = Environment { steal_ticks, ..Environment::default() };
        Run { series, loads, pictures, stages, self_check, seconds, warnings, values, later_values, results: found, environment, interrupted, sessions: stretches, ..super::empty() }
    }
}
