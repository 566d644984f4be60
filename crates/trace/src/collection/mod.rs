// SPDX-License-Identifier: MIT OR Apache-2.0
//! Collections of bounded size: data by thread number, the largest values, the last values, a distribution.
pub(crate) mod by_number;
pub mod largest;
pub(crate) mod recent;
pub mod spread;
