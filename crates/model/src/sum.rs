// SPDX-License-Identifier: MIT OR Apache-2.0
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A sum of up to 2^64 64-bit values. It is stored as decimal text, because many JSON readers use floating point, which is exact
/// only to 2^53.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sum(pub u128);

impl Sum {
    /// The mean of `count` values; `None` for 0.
    pub fn mean(self, count: u64) -> Option<f64> {
        (count > 0).then(|| self.0 as f64 / count as f64)
    }
}

impl Serialize for Sum {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Sum {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digits = !text.is_empty() && text.bytes().all(|letter| letter.is_ascii_digit());
        let sum = text.parse().ok().filter(|_| digits).map(Self);
        sum.ok_or_else(|| {
            D::Error::custom(format_args!(
                "a sum must be text with decimal digits below 2^128, not \
            {text:?}"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_digit_of_a_sum_survives_the_file() {
        for sum in [0, 1, 1 << 53 | 1, u128::MAX] {
            let written = serde_json::to_string(&Sum(sum)).unwrap();
            assert_eq!(written, format!("\"{sum}\""));
            assert_eq!(serde_json::from_str::<Sum>(&written).unwrap(), Sum(sum));
        }
    }

    #[test]
    fn what_is_no_sum_is_refused() {
        for text in ["12", "\"\"", "\"+1\"", "\"1e3\"", "\"-1\"", "\"340282366920938463463374607431768211456\""] {
            assert!(serde_json::from_str::<Sum>(text).is_err(), "{text}");
        }
    }
}
