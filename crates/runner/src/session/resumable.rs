// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether a request matches the unfinished run that it should continue.
use backwall_model::{Ending, Plan, Run};
use serde_json::Value;

/// Whether this plan can continue a run.
///
/// # Errors
/// One sentence: the run is finished, or the request differs.
pub fn resumable(before: &Run, plan: &Plan) -> Result<(), String> {
    match before.sessions.last().map(|stretch| stretch.ending) {
        None => {
            return Err(
                "cannot resume: this run is not from backwall run, or from a version without --resume".to_string()
            );
        }
        Some(Some(Ending::Done)) => return Err("the run is finished; name another folder".to_string()),
        Some(Some(Ending::Limit)) => {
            return Err("a response longer than --stop-above ended the run; name another folder".to_string());
        }
        Some(None | Some(Ending::Interrupted)) => {}
    }
    match difference(&before.plan, plan) {
        Some(what) => Err(format!("{what}; the run was started with: {}", before.command.join(" "))),
        None => Ok(()),
    }
}

fn difference(before: &Plan, now: &Plan) -> Option<String> {
    let members = |plan: &Plan| serde_json::to_value(plan).expect("a plan is JSON");
    let (before, now) = (members(before), members(now));
    let names = [&before, &now].into_iter().filter_map(Value::as_object).flat_map(|members| members.keys());
    let name = names.into_iter().find(|name| before.get(name) != now.get(name))?;
    let shown = |plan: &Value| plan.get(name).map_or("nothing".to_string(), Value::to_string);
    Some(format!("{name} was {} and is {} now", shown(&before), shown(&now)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_model::units::Nanoseconds;
    use backwall_model::{Origin, Session};
    use jiff::Timestamp;

    fn run(ending: Option<Ending>) -> Run {
        let words = ["backwall", "run", "-D", "1h"].map(String::from).to_vec();
        let run = Run::begin(Origin::Measured, Plan::default(), words, Timestamp::UNIX_EPOCH);
        Run { sessions: vec![Session { ending, ..Session::default() }], ..run }
    }

    #[test]
    fn a_run_that_was_cut_off_or_interrupted_goes_on_and_a_finished_one_does_not() {
        assert_eq!(resumable(&run(None), &Plan::default()), Ok(()));
        assert_eq!(resumable(&run(Some(Ending::Interrupted)), &Plan::default()), Ok(()));
        assert!(resumable(&run(Some(Ending::Done)), &Plan::default()).unwrap_err().contains("finished"));
        let older = Run { sessions: Vec::new(), ..run(None) };
        assert!(resumable(&older, &Plan::default()).is_err());
    }

    #[test]
    fn what_is_asked_for_otherwise_is_named_with_the_words_that_go_on() {
        let other = Plan { period_ns: Some(Nanoseconds(5)), ..Plan::default() };
        let said = resumable(&run(None), &other).unwrap_err();
        assert_eq!(said, "period_ns was nothing and is 5 now; the run was started with: backwall run -D 1h");
        let others = [
            (
                Plan { load_command: Some("make -j4".into()), ..Plan::default() },
                "load_command was nothing and is \"make -j4\" now",
            ),
            (Plan { load_cpus: vec![2, 3], ..Plan::default() }, "load_cpus was nothing and is [2,3] now"),
            (Plan { best_effort: true, ..Plan::default() }, "best_effort was nothing and is true now"),
        ];
        for (other, expected) in others {
            let said = resumable(&run(None), &other).unwrap_err();
            assert!(said.starts_with(expected), "{said}");
        }
    }

    #[test]
    fn a_run_that_its_limit_ended_is_over() {
        let said = resumable(&run(Some(Ending::Limit)), &Plan::default()).unwrap_err();
        assert_eq!(said, "a response longer than --stop-above ended the run; name another folder");
    }
}
