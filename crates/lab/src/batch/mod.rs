// SPDX-License-Identifier: MIT OR Apache-2.0
//! Many runs of the lab as units that any engine may carry out, and what they come to together.
//!
//! A [`plan`] is a matrix; each of its points is a [`unit`] with a key made of all that decides its result. Units are carried out in
//! any order, by any number of processes on any number of machines that share the [`place`], and each counts once. What can be
//! added up exactly is by [`merge`]; the rest is left out, and told.
//!
//! - `plan`: the file of a campaign: which scenarios, which guests in them, and which seeds
//! - `subcommand`: what the lab does with the scenario of a unit
//! - `ranges`: a sweep in parts, and its figures from theirs
//! - `pairs`: pairs of guests laid side by side, function by function
//! - `section`: a search for the first bad one of a list, several at a time
//! - `unit`: one deterministic piece of work
//! - `place`: the folder of a campaign: what is planned, what is done, who is at it
//! - `planned`: from a matrix to units, each with the key of what decides its result
//! - `work`: carries units out
//! - `counts`: how far a campaign is
//! - `merged`: the results of the units that are done, put together
//! - `merge`: the runs of all units of a scenario as one
//! - `chunks`: the units in chunks, each a task of an engine that counts its tasks itself
//! - `slurm`: the script of a job array of Slurm
//! - `kubernetes`: the manifest of an Indexed Job of Kubernetes
pub mod chunks;
pub mod counts;
pub mod kubernetes;
pub mod merge;
pub mod merged;
pub mod pairs;
pub mod place;
pub mod plan;
pub mod planned;
pub mod ranges;
pub mod section;
pub mod slurm;
pub mod subcommand;
pub mod unit;
pub mod work;
