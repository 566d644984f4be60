// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run as it is in run.json, written and read again.
#![expect(clippy::disallowed_macros, reason = "an example shows what it found; the crate prints nothing")]
use backwall_model::{Origin, Plan, Run};
use jiff::Timestamp;

fn told() -> Result<String, Box<dyn std::error::Error>> {
    let plan = Plan { loads: vec!["none".to_string()], ..Plan::default() };
    let mut run = Run::begin(Origin::Imported, plan, vec!["my-tool".to_string()], Timestamp::UNIX_EPOCH);
    run.device.kernel = "Linux 6.1".to_string();
    run.seconds = 60.0;
    let text = serde_json::to_string(&run)?;
    let again = backwall_model::read(&text)?;
    let refused =
        backwall_model::read(&text.replace("\"seconds\":60.0", "\"seconds\":-1.0")).expect_err("no time is negative");
    Ok(format!("{} of {} s, begun {}; {refused}", again.device.kernel, again.seconds, again.started))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{}", told()?);
    Ok(())
}

#[test]
fn what_is_read_is_what_was_written_and_what_contradicts_itself_is_refused() {
    let told = told().unwrap();
    assert_eq!(told, "Linux 6.1 of 60 s, begun 1970-01-01T00:00:00Z; no run: seconds: no length of time");
}
