// SPDX-License-Identifier: MIT OR Apache-2.0
//! A sealed run: a folder from which anybody can recompute its claims.
//!
//! | file | |
//! |---|---|
//! | `run.json`, `samples.parquet`, … | the files of the run, byte for byte |
//! | `seal.json` | plan, environment, every claim with its formula, each late response with its cause |
//! | `SHA256SUMS` | the hash of each file above, in the format of `sha256sum -c` |
//! | `SHA256SUMS.sig` | optional: the signature by `ssh-keygen -Y sign -n backwall` |

mod claims;
mod sums;
#[cfg(test)]
mod tests;
mod verify;
mod write;

pub use claims::{Claim, SeriesClaims};
pub use sums::{BadSums, parse as parse_sums};
pub use verify::{BadSeal, Verified, parse_seal, verify};
pub use write::write;

use backwall_model::{Blame, Environment, Invalid, Key, Origin, Plan, Run};
use serde::{Deserialize, Serialize};

/// Version of the layout that this backwall writes, and the newest that it reads.
pub const VERSION: u64 = 1;
pub const SEAL_FILE: &str = "seal.json";
pub const SUMS_FILE: &str = "SHA256SUMS";
pub const SIGNATURE_FILE: &str = "SHA256SUMS.sig";
const FILES: [&str; 4] = ["run.json", "samples.parquet", "report.html", "edges.vcd"];

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Evidence {
    Samples,
    Histogram,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seal {
    pub seal: u64,
    pub tool: String,
    pub origin: Origin,
    pub started: String,
    pub valid: bool,
    pub invalid: Vec<Invalid>,
    pub interrupted: bool,
    pub plan: Plan,
    pub environment: Environment,
    pub evidence: Evidence,
    pub claims: Vec<SeriesClaims>,
    pub late: Vec<Late>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Late {
    pub series: Key,
    pub seq: u64,
    pub at: Option<u64>,
    pub value: u64,
    pub cause: Option<Blame>,
}

impl Seal {
    fn of(run: &Run, evidence: Evidence) -> Self {
        let limit = run.plan.deadline_ns.or(run.plan.period_ns).map_or(u64::MAX, |limit| limit.0);
        let late = run.series.iter().flat_map(|series| {
            let told = series.worst.iter().filter(move |worst| worst.blame.is_some() || worst.value > limit);
            told.map(|worst| Late {
                series: series.key.clone(),
                seq: worst.seq,
                at: worst.at,
                value: worst.value,
                cause: worst.blame.clone(),
            })
        });
        Self {
            seal: VERSION,
            tool: run.version.clone(),
            origin: run.origin,
            started: run.started.clone(),
            valid: run.valid,
            invalid: run.invalid.clone(),
            interrupted: run.interrupted,
            plan: run.plan.clone(),
            environment: run.environment.clone(),
            evidence,
            claims: run.series.iter().map(|series| SeriesClaims::of(series, evidence)).collect(),
            late: late.collect(),
        }
    }
}
