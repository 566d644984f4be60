// SPDX-License-Identifier: MIT OR Apache-2.0
//! Text from outside without what could command a terminal or turn the order of letters, as exports have it too.
pub use backwall_model::printable::{printable, printable_lines};
