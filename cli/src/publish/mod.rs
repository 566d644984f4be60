// SPDX-License-Identifier: MIT OR Apache-2.0
//! A folder of anonymized runs. backwall bundles each run, searches it for names of this machine, writes it with its page, and
//! lists it in an index. If the folder is a git repository, backwall commits it.
pub mod bundled;
mod listing;
pub mod repository;
pub mod site;
