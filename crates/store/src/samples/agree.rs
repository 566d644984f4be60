// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks a run against its samples. The same code counted both, at different times.
use backwall_model::Series;

/// The first series of a run that its samples do not confirm, in one sentence. The samples do not say who used the time of the
/// worst responses, so the causes are not compared.
pub fn disagreement(run: &[Series], samples: &[Series]) -> Option<String> {
    run.iter().find_map(|series| {
        let place = &series.key;
        match samples.iter().find(|other| other.key == series.key) {
            None => Some(format!("they lack {place}")),
            Some(other) if *other != without_blame(series) => Some(format!("other figures for {place}")),
            Some(_) => None,
        }
    })
}

fn without_blame(series: &Series) -> Series {
    let mut series = series.clone();
    series.worst.iter_mut().for_each(|worst| worst.blame = None);
    series
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_model::units::Unit;
    use backwall_model::{Key, Span};
    use backwall_stats::SeriesBuilder;

    fn series(load: &str, value: u64) -> Series {
        let mut builder =
            SeriesBuilder::new(Key::new("wakeup", load, "as-is"), Span::new("expiry", "thread", Unit::Ns));
        builder.sample(0, 0, value, false);
        builder.build()
    }

    #[test]
    fn a_missing_and_a_differing_series_are_named() {
        let run = [series("none", 5), series("all", 9)];
        assert_eq!(disagreement(&run, &run), None);
        assert_eq!(disagreement(&run, &run[..1]).unwrap(), "they lack wakeup[load=all,idle=as-is]");
        let other = [series("none", 6), series("all", 9)];
        assert_eq!(disagreement(&run, &other).unwrap(), "other figures for wakeup[load=none,idle=as-is]");
    }

    #[test]
    fn blame_is_not_compared() {
        let mut blamed = series("none", 5);
        blamed.worst[0].blame = Some(backwall_model::Blame::Unfitting);
        assert_eq!(disagreement(&[blamed], &[series("none", 5)]), None);
    }
}
