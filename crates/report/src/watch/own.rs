// SPDX-License-Identifier: MIT OR Apache-2.0
//! An application's own count of late responses, next to the measured ones.
use super::cause;
use crate::printable::printable;
use backwall_model::units::{DisplayedValue, Unit, grouped};
use backwall_watch::{Recipe, TheWorst};

pub fn line(at: &str, recipe: &Recipe, said: &str, then: Option<&TheWorst>) -> String {
    let then = match then {
        Some(worst) => {
            let TheWorst { thread, ns, .. } = worst;
            format!("{} {} then{}", printable(thread), DisplayedValue(*ns, Unit::Ns), cause(worst))
        }
        None => "none of the longest responses came shortly before this line".to_string(),
    };
    format!("{at} {} said \"{}\": {then}", printable(&recipe.name), printable(said))
}

pub fn unseen(recipe: &Recipe) -> String {
    let name = printable(&recipe.name);
    let why = match recipe.own.counter.as_str() {
        "" => "its output does not go to a file".to_string(),
        program => format!("{}, which reports it, is missing", printable(program)),
    };
    format!("{name}: its own count of late responses is unknown: {why}")
}

pub fn unasked(recipe: &Recipe, why: &str) -> String {
    let [name, program] = [&recipe.name, &recipe.own.counter].map(|text| printable(text));
    format!("{name}: cannot ask {program} for its count: {}", printable(why))
}

pub fn note(recipe: &Recipe, (lines, counted): (Option<u64>, Option<u64>)) -> String {
    let by_log = lines.map(|count| format!("{} in its log", grouped(count)));
    let program = printable(&recipe.own.counter);
    let by_program = counted.map(|count| format!("{} by {program}", grouped(count)));
    let both: Vec<String> = [by_log, by_program].into_iter().flatten().collect();
    let name = printable(&recipe.name);
    if both.is_empty() {
        return format!("{name}: its own count of late responses was unknown");
    }
    format!("{name} itself counted {} ({})", both.join(", "), printable(&recipe.late))
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_model::Blame;
    use backwall_watch::shipped;

    fn recipe(name: &str) -> Recipe {
        shipped().into_iter().find(|recipe| recipe.name == name).unwrap()
    }

    #[test]
    fn what_it_says_stands_beside_what_the_kernel_did() {
        let then = TheWorst { thread: "jackd-7".to_string(), ns: 6_600_000, blame: Blame::Unfitting };
        let said = line("t", &recipe("jack"), "Process XRun = 6600 usec", Some(&then));
        assert!(
            said.starts_with("t jack said \"Process XRun = 6600 usec\": jackd-7 6,600.0 us then: of 6,600.0 us: "),
            "{said}"
        );
        assert!(line("t", &recipe("jack"), "a\nb", None).contains("said \"a?b\": none of the longest responses"));
        assert_eq!(note(&recipe("jack"), (Some(2), None)), "jack itself counted 2 in its log (xrun)");
        assert!(note(&recipe("pipewire"), (None, Some(1_000))).contains("1,000 by pw-top"));
        assert!(note(&recipe("jack"), (None, None)).ends_with("was unknown"));
        assert!(unseen(&recipe("jack")).ends_with("its output does not go to a file"));
    }
}
