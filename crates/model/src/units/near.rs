// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds the known name that a mistyped name probably means.

/// Maximum edit distance (Damerau-Levenshtein) between a mistyped name and the known name.
const SLIP: usize = 2;

/// Longer names are not compared, because the time grows with the product of both lengths.
const LONGEST: usize = 200;

/// A mistyped name of at least this many letters matches a known name that begins with it, if no other known name does.
const BEGINNING: usize = 3;

/// Returns the nearest of the `known` names, or `None` if that is `wanted` itself. If no known name is near enough, returns the
/// only one that begins with `wanted`.
pub fn near<'a>(wanted: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if wanted.len() > LONGEST {
        return None;
    }
    let small = wanted.to_lowercase();
    let distance = |known: &&str| strsim::damerau_levenshtein(&known.to_lowercase(), &small);
    let known: Vec<&str> = known.collect();
    let found = known.iter().copied().min_by_key(distance)?;
    if distance(&found) <= SLIP {
        return (found != wanted).then_some(found);
    }
    let mut begun =
        known.into_iter().filter(|name| small.len() >= BEGINNING && name.to_lowercase().starts_with(&small));
    begun.next().filter(|_| begun.next().is_none())
}

/// `; did you mean NAME?` if a known name is near; otherwise empty.
pub fn hint<'a>(wanted: &str, known: impl Iterator<Item = &'a str>) -> String {
    near(wanted, known).map(|name| format!("; did you mean {name}?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_name_and_another_word_finds_none() {
        let known = ["spin", "cache", "loopback"];
        assert_eq!(near("spni", known.into_iter()), Some("spin"));
        assert_eq!(hint("loopbak", known.into_iter()), "; did you mean loopback?");
        assert_eq!(hint("polygons", known.into_iter()), "");
        let settings = ["timer-migration", "timer-slack", "governor"];
        assert_eq!(near("gover", settings.into_iter()), Some("governor"));
        assert_eq!((near("timer", settings.into_iter()), near("go", settings.into_iter())), (None, None));
        assert_eq!((near("spin", known.into_iter()), near("SPIN", known.into_iter())), (None, Some("spin")));
    }
}
