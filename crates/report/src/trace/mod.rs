// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a recording of the kernel's events is shown: text, and the page with its timeline.
//!
//! - `accused`: words for who used the time of a response: a sentence for the whole of it, and the names in it
//! - `blamed`: who used the time of late responses, as a block of text that stands alone in a ticket
//! - `chained`: a chain as text and as data
//! - `shares`: how much of the processors each of a few names had over time, drawn over each other
//! - `cause`: the words of each cause: who used a part of a response and why, and what to change about it
//! - `remedy`: what to change about a cause on the machine that was measured, with commands that can be pasted
//! - `recording`: a recording as text: what it is, what is missing in it, and its account
//! - `timeline`: the page of a recording: its account, and a timeline that can be zoomed and searched
//! - `told`: a recording as text: who used the processors, who waited how long for whom, who was boosted
//! - `words`: times, shares and priorities of a recording in words
pub mod accused;
pub mod blamed;
pub mod cause;
pub mod chained;
pub mod recording;
pub mod remedy;
pub mod shares;
pub mod timeline;
pub mod told;
pub mod words;
