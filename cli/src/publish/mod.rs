// SPDX-License-Identifier: MIT OR Apache-2.0
//! A folder of anonymized runs: each is bundled and searched for names of this machine, written with its page, listed in an index, and
//! committed where the folder is a repository.
pub mod bundled;
mod listing;
pub mod repository;
pub mod site;
