// SPDX-License-Identifier: MIT OR Apache-2.0
//! Examines one answer to the instruction: replays it and shows the functions that ran between the edge and the answer.
//!
//! [`answer`] finds the answer in a run, [`entered_answer`] replays it from the guest's saved state, [`names`] finds
//! the names of the functions, [`debugged`] lets a debugger in, [`tuned`] tries kernel command line parameters,
//! [`perfetto`] writes the answer for a viewer. Virtual time is the same in every run of a guest, so the replayed
//! answer is the same one. A guest that behaves differently is refused.
pub mod answer;
pub mod debugged;
pub mod entered_answer;
pub mod names;
pub mod perfetto;
pub mod tuned;
