// SPDX-License-Identifier: MIT OR Apache-2.0
//! Shows a recording of the kernel's events: as text, and as a page with a timeline.
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
