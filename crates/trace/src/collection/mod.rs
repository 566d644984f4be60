// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bounded collections: by thread, the largest, the last ones, and a distribution in classes.
pub(crate) mod by_number;
pub mod largest;
pub(crate) mod recent;
pub mod spread;
