// SPDX-License-Identifier: MIT OR Apache-2.0
//! Settings that would change something here, in the order worth trying.
use crate::settings::known;
use crate::settings::machine::Machine;
use crate::settings::setting::{Change, Setting};
use backwall_model::{CauseTotal, Check, CheckVerdict};
use serde::Serialize;

#[derive(Debug, Serialize)]
pub struct PlannedSetting {
    pub setting: &'static str,
    pub does: &'static str,
    pub harm: &'static str,
    /// The verdict of the check for this setting; absent if no check covers it.
    pub verdict: Option<CheckVerdict>,
    /// Share (0 to 1) of a run's worst responses whose largest cause this setting may reduce; absent without a run.
    pub share: Option<f64>,
    pub changes: Vec<Change>,
}

/// Plans the settings, sorted by the share of a run's time that each may reduce (the largest first), then by what the checks
/// say about them, then in the table's order. Without a run `causes` is empty.
pub fn plan(machine: &Machine, checks: &[Check], causes: &[CauseTotal]) -> Vec<PlannedSetting> {
    let planned = |setting: &Setting| PlannedSetting {
        setting: setting.name,
        does: setting.does,
        harm: setting.harm,
        verdict: setting.checks.iter().filter_map(|name| verdict(checks, name)).min_by_key(CheckVerdict::rank),
        share: share(causes, |cause| setting.is_against(cause)),
        changes: setting.changes(machine),
    };
    let mut all: Vec<PlannedSetting> =
        known::ALL.iter().map(planned).filter(|planned| !planned.changes.is_empty()).collect();
    // A difference below a hundredth does not change the order.
    let seen = |planned: &PlannedSetting| (100.0 * planned.share.unwrap_or_default()).round();
    all.sort_by(|a, b| seen(b).total_cmp(&seen(a)).then_with(|| rank(a).cmp(&rank(b))));
    all
}

/// Late time of a run that the listed settings do not address.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnreachedTime {
    /// The share (0 to 1) that no listed setting may reduce.
    pub share: f64,
    /// If no application was given: the share that settings of an application's threads may reduce.
    pub of_application: f64,
}

/// The time of a run's worst responses that the planned settings do not address; `None` without a run.
pub fn left(machine: &Machine, planned: &[PlannedSetting], causes: &[CauseTotal]) -> Option<UnreachedTime> {
    let helps = |setting: &Setting, cause: &CauseTotal| setting.is_against(cause);
    let listed: Vec<&Setting> = planned.iter().filter_map(|planned| known::named(planned.setting)).collect();
    let unhelped = |cause: &CauseTotal| !listed.iter().any(|setting| helps(setting, cause));
    let own = |cause: &CauseTotal| known::OF_APPLICATION.iter().any(|setting| helps(setting, cause));
    let nobody_named = machine.watched().is_empty();
    let of_application = share(causes, |cause| nobody_named && unhelped(cause) && own(cause))?;
    Some(UnreachedTime { share: share(causes, unhelped)?, of_application })
}

/// A good check neither prefers nor excludes a setting, because the check may cover only part of it.
fn rank(planned: &PlannedSetting) -> u8 {
    planned.verdict.as_ref().filter(|verdict| **verdict != CheckVerdict::Good).map_or(u8::MAX, CheckVerdict::rank)
}

fn share(causes: &[CauseTotal], is_meant: impl Fn(&CauseTotal) -> bool) -> Option<f64> {
    let sum = |total: &mut dyn Iterator<Item = &CauseTotal>| total.map(|cause| cause.largest_in as f64).sum::<f64>();
    let whole = sum(&mut causes.iter());
    (whole > 0.0).then(|| sum(&mut causes.iter().filter(|cause| is_meant(cause))) / whole)
}

fn verdict(checks: &[Check], name: &str) -> Option<CheckVerdict> {
    checks.iter().find(|check| check.name == name).map(|check| check.verdict)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::known::tests::{FILES, machine};
    use backwall_model::{Accusation, Cause, Culprit, Holder};

    fn of(cause: Cause, holder: Option<Holder>, ns: u64) -> CauseTotal {
        let culprit = holder.map(|holder| Culprit { holder, more: None });
        CauseTotal { accused: Accusation { cause, culprit }, ns, largest_in: ns, part_of: None, longest_ns: None }
    }

    #[test]
    fn what_a_run_was_late_for_comes_first_and_what_nothing_helps_against_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let machine = machine(folder.path(), &FILES);
        let first = |planned: &[PlannedSetting]| planned[0].setting;
        assert_ne!(first(&plan(&machine, &[], &[])), "timer-migration");
        let timer = Holder::Interrupt("local_timer".to_string());
        let causes =
            [of(Cause::Interference, Some(timer), 700), of(Cause::IdleExit, None, 200), of(Cause::Masked, None, 100)];
        let planned = plan(&machine, &[], &causes);
        assert_eq!((first(&planned), planned[0].share), ("timer-migration", Some(0.7)));
        let idle = planned.iter().position(|planned| planned.setting == "idle-states").unwrap();
        assert!(planned[..idle].iter().all(|planned| planned.share >= Some(0.2)), "{planned:?}");
        assert_eq!(left(&machine, &planned, &causes), Some(UnreachedTime { share: 0.1, of_application: 0.0 }));
        assert_eq!(left(&machine, &planned, &[]), None);
        let fault = [of(Cause::AfterFault, None, 40), of(Cause::Masked, None, 60)];
        let nothing = left(&machine, &[], &fault);
        assert_eq!(nothing, Some(UnreachedTime { share: 1.0, of_application: 0.4 }), "--app would bring app-memory");
    }
}
