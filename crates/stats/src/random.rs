// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pseudo-random numbers; the same seed gives the same numbers.

/// The generator SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
#[derive(Clone, Debug)]
pub struct SplitMix(pub u64);

impl SplitMix {
    /// The next number, uniform over 64 bits.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number in [0, `end`). Probabilities differ by less than `end` / 2^64.
    pub fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.number()) * u128::from(end)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The first numbers of seed 1234567, from the authors' program.
    #[test]
    fn it_gives_the_published_numbers() {
        let mut random = SplitMix(1_234_567);
        let first = [(); 3].map(|()| random.number());
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn below_an_end_all_numbers_come_and_none_beyond_it() {
        let (mut random, mut seen) = (SplitMix(7), [0; 6]);
        (0..6_000).for_each(|_| seen[random.below(6) as usize] += 1);
        assert!(seen.iter().all(|count| (800..1_200).contains(count)), "{seen:?}");
    }
}
