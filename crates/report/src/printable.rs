// SPDX-License-Identifier: MIT OR Apache-2.0
//! Removes from foreign text everything that could command a terminal or reverse the order of letters; exports use the same
//! function.
pub use backwall_model::printable::{printable, printable_lines};
