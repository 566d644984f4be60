// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a recording of the kernel's events is shown: text, and the page with its timeline.
pub mod accused;
pub mod blamed;
pub mod cause;
pub mod chain_picture;
pub mod chained;
pub mod recording;
pub mod remedy;
pub mod shares;
pub mod timeline;
pub mod told;
pub mod words;
