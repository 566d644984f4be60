// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads a capture of two lines and prints which answer belongs to which stimulus, how late it came, and what was missed.
#![expect(clippy::disallowed_macros, reason = "an example shows what it found; the crate prints nothing")]
use backwall_capture::capture::{self, CaptureHints};
use backwall_capture::pairing::PairingRule;
use backwall_capture::wiring::{Watched, Wiring};
use std::io::Cursor;

/// Three stimuli, each 1 us long. The second one has no answer.
const DUMP: &str = "$timescale 1 ns $end $var wire 1 ! irq $end $var wire 1 # isr $end $enddefinitions $end
#0 0! 0# #10000 1! #11000 0! #14100 1# #15000 0# #20000 1! #21000 0!
#30000 1! #31000 0! #33200 1# #34000 0# #40000";

fn told() -> Result<String, Box<dyn std::error::Error>> {
    let capture = capture::read(Cursor::new(DUMP), &CaptureHints::default())?;
    let responses = [Watched::line("isr")];
    let rule = PairingRule::default();
    let wiring = Wiring { stimulus: "irq", responses: &responses, rule, load: "none", idle: "as-is" };
    let answered = wiring.judge(&capture.edges)?.remove(0);
    let (series, lost) = (&answered.series, answered.series.known_missed());
    Ok(format!("{}: {} answered, {lost} missed, largest {} ns", series.key, series.done, series.max.unwrap_or(0)))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{}", told()?);
    Ok(())
}

#[test]
fn each_answer_belongs_to_the_stimulus_before_it() {
    assert_eq!(told().unwrap(), "isr[load=none,idle=as-is]: 2 answered, 1 missed, largest 4100 ns");
}
