// SPDX-License-Identifier: MIT OR Apache-2.0
//! The parts of the page that are words and tables: one file each.
pub(crate) mod conditions;
pub(crate) mod contents;
pub(crate) mod environment;
pub(crate) mod figures;
pub(crate) mod found;
pub(crate) mod head;
pub(crate) mod next;
pub(crate) mod phases;
pub(crate) mod reading;
pub(crate) mod requirements;
pub(crate) mod stretches;
pub(crate) mod values;
