// SPDX-License-Identifier: MIT OR Apache-2.0
//! The functions that a sweep's stimuli interrupted, with their latencies.
use super::sweep::Sweep;
use super::symbols::Symbols;
use backwall_model::picture::Owner;
use std::collections::HashMap;

/// The functions, largest latency first, in ticks. Arrivals without a known address are left out.
pub fn owners(sweep: &Sweep, symbols: &Symbols) -> Vec<Owner> {
    let mut by_name: HashMap<String, Owner> = HashMap::new();
    for arrival in sweep.arrivals() {
        let Some(interrupted) = arrival.interrupted else { continue };
        let name = symbols.name_of(interrupted.address);
        let name = name.map_or_else(|| format!("{:#x}", interrupted.address), str::to_string);
        let owner = by_name.entry(name.clone()).or_insert(Owner { name, arrivals: 0, masked: 0, max: 0 });
        owner.arrivals += 1;
        owner.masked += u64::from(!interrupted.interrupts_on);
        owner.max = owner.max.max(arrival.latency.0);
    }
    let mut owners: Vec<Owner> = by_name.into_values().collect();
    owners.sort_by(|a, b| (b.max, b.arrivals, &a.name).cmp(&(a.max, a.arrivals, &b.name)));
    owners
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::{Edge, Edges, Interrupted, Line};
    use crate::pairing::{PairingRule, pair_lines};
    use crate::tick::{Tick, TickRate};

    #[test]
    fn functions_are_listed_by_their_largest_latency() {
        let pulse = |at: u64| [Edge::new(Tick(at), true), Edge::new(Tick(at + 1), false)];
        let line = |name: &str, delay: &dyn Fn(u64) -> u64| Line {
            name: name.into(),
            edges: (1..=10).flat_map(|n| pulse(n * 100 + delay(n))).collect(),
            warmup: 0,
        };
        let edges = Edges { rate: TickRate::Instructions, lines: vec![], end_at: Tick(9_000), gaps: vec![] };
        let stimulus = line("stimulus_a", &|_| 0);
        let response = line("isr", &|n| 5 + n);
        let pairing = pair_lines(&edges, &stimulus, &response, &PairingRule::default());
        let entry = |n: u32| Interrupted { seq: n, address: 0x1000 + 0x10 * u64::from(n / 4), interrupts_on: n < 4 };
        let interrupted: Vec<Interrupted> = (0..9).map(entry).collect();
        let sweep = Sweep::by_phase(&pairing, Tick(10_000), Tick(0), &interrupted);
        let symbols = Symbols::from_map("1000 T idle\n1010 T spin_lock\n1020 d data\n").unwrap();
        let owner = |name: &str, arrivals, masked, max| Owner { name: name.into(), arrivals, masked, max };
        assert_eq!(owners(&sweep, &symbols), [owner("spin_lock", 5, 5, 14), owner("idle", 4, 0, 9)]);
        let nameless = owners(&sweep, &Symbols::default());
        assert_eq!(nameless[0], owner("0x1020", 1, 1, 14));
    }
}
