// SPDX-License-Identifier: MIT OR Apache-2.0
//! Converts counts of a clock to time, and time to words.
#![expect(clippy::disallowed_macros, reason = "an example shows what it found; the crate prints nothing")]
use backwall_model::units::{BadDuration, ClockRate, DisplayedValue, Unit, duration, grouped};

fn told() -> Result<String, BadDuration> {
    let tsc = ClockRate::new(2_400_000_000).expect("no clock stands still");
    let late = DisplayedValue(tsc.ns_of(100_000), Unit::Ns);
    let limit = DisplayedValue(duration("1.5ms")?.0, Unit::Ns);
    let path = DisplayedValue(4_100, Unit::Instructions);
    Ok(format!("{} counts are {late}, the limit is {limit}; {path} instructions are no time", grouped(100_000)))
}

fn main() -> Result<(), BadDuration> {
    println!("{}", told()?);
    Ok(())
}

#[test]
fn counts_become_time_and_instructions_do_not() {
    let expected = "100,000 counts are 41.7 us, the limit is 1,500.0 us; 4,100 instructions are no time";
    assert_eq!(told().as_deref(), Ok(expected));
}
