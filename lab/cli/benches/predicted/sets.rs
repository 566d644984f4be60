// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random task sets for one processor.
use backwall_stats::random::SplitMix;
use std::fmt::Write as _;

const SEED: u64 = 51;
const PERIODS_MS: [u64; 12] = [2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 40];

pub struct RandomSet {
    pub text: String,
    /// In a quarter of the sets something computes or uses the kernel in the time that is left.
    pub load: &'static str,
}

/// Two to five series that use 20 to 70 % of the processor; in a third of the sets two share a lock, and some releases come late.
pub fn random(number: u64) -> RandomSet {
    let mut random = SplitMix(SEED.wrapping_mul(1_000_003) + number);
    let count = 2 + random.below(4);
    let mut left = 200 + random.below(500);
    let locked = random.below(3) == 0;
    let mut text = String::from("about = \"random\"\n");
    for place in 0..count {
        let thousandth = if place + 1 == count { left } else { random.below(left.max(1)) };
        left -= thousandth;
        let period_us = 1_000 * PERIODS_MS[random.below(PERIODS_MS.len() as u64) as usize];
        let computation_us = (period_us * thousandth / 1_000).max(50);
        let priority = 90 - 10 * place;
        write!(
            text,
            "[[series]]\nname = \"t{place}\"\nperiod = \"{period_us}us\"\ncomputation = \"{computation_us}us\"\npriority = {priority}\n"
        )
        .expect("a text takes all");
        if random.below(4) == 0 {
            writeln!(text, "jitter = \"{}us\"", period_us / 10).expect("a text takes all");
        }
        if locked && place < 2 {
            let length_us = (computation_us / 3).clamp(10, 200);
            writeln!(text, "[[series.section]]\nlock = \"bus\"\nlength = \"{length_us}us\"").expect("a text takes all");
        }
    }
    if locked {
        text += "[[lock]]\nname = \"bus\"\nprotocol = \"inheritance\"\n";
    }
    RandomSet {
        text,
        load: ["none", "none", "none", "none", "none", "none", "syscalls", "handoff"][random.below(8) as usize],
    }
}
