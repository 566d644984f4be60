// SPDX-License-Identifier: MIT OR Apache-2.0
//! The commands: one file each, with its arguments as `Args` and its work as `run`.
pub mod blame;
pub mod check;
pub mod compare;
pub mod completions;
pub mod deliver;
pub mod export;
pub mod iltiming;
pub mod import;
pub mod interfere;
pub mod lab;
pub mod man;
pub mod osbench;
pub mod read;
pub mod report;
pub mod respond;
pub mod run;
pub mod scope;
pub mod tasks;
pub mod track;
pub mod tune;
