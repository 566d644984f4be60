// SPDX-License-Identifier: MIT OR Apache-2.0
//! A request to measure this machine and its conversion to a job: CPUs, phases, and lengths.
mod job;
mod lengths;
pub mod names;
mod options;
mod phases;
mod plan;
mod setup;

pub use job::job;
pub use options::RunRequest;
pub use plan::plan;

use crate::device::rights;
use crate::phase::Idle;
use backwall_model::{Policy, RefusedPriority};
use backwall_os::refusal::{Refusal, Result};

const PRIORITY: u32 = 95;

impl RunRequest {
    /// The C-state setting that applies. If C-states cannot be disabled and the run continues anyway, it is `as-is`, so that no
    /// figure is labelled `off` wrongly.
    pub fn idle(&self) -> Idle {
        let asked = self.idle.unwrap_or(Idle::AsIs);
        if asked == Idle::Off && self.goes_without_idle_off() { Idle::AsIs } else { asked }
    }

    /// Whether the run continues although this user may not disable C-states.
    pub fn goes_without_idle_off(&self) -> bool {
        (self.best_effort || self.ordinary.is_some()) && !rights::idle_can_be_held()
    }

    /// The requested priority or the default, which is 0 for a scheduler without priorities.
    pub fn priority(&self) -> u32 {
        let usual = if matches!(self.policy(), Policy::Fifo | Policy::Rr) { PRIORITY } else { 0 };
        self.priority.unwrap_or(usual)
    }

    pub fn policy(&self) -> Policy {
        let usual = if self.ordinary.is_some() { Policy::Other } else { Policy::Fifo };
        self.policy.unwrap_or(usual)
    }

    /// If the machine refuses real-time priority, measures ordinary threads instead, unless the user typed a priority or policy.
    ///
    /// # Errors
    /// The typed priority or policy is refused; the message says how to get the permission.
    pub fn settle_for_what_is_granted(&mut self) -> Result<()> {
        if self.best_effort || self.probe.is_some() || self.priority() == 0 {
            return Ok(());
        }
        let refused = backwall_tuning::check::real_time_refused(self.priority());
        match refused {
            Some(refused) if self.priority.is_some() || self.policy.is_some() => {
                let RefusedPriority { priority: refused_priority, error: because, remedy } = refused;
                let what = format!("real-time priority {refused_priority} ({because})");
                Err(Refusal::NoRight { what, remedy })
            }
            refused => {
                self.ordinary = refused;
                Ok(())
            }
        }
    }
}
