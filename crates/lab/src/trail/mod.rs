// SPDX-License-Identifier: MIT OR Apache-2.0
//! One answer, to the instruction: repeated, and shown as the functions that ran between the edge and the answer.
//!
//! [`answer`] finds it in a run, [`entered_answer`] goes there again from the guest's saved state, [`names`] has the functions'
//! names, [`debugged`] lets a debugger in, [`tuned`] tries words on the kernel command line, [`perfetto`] writes it for a viewer.
//! Virtual time is the same in every run of a guest, so the repeated answer is the same one, and a guest that differs is refused.
pub mod answer;
pub mod debugged;
pub mod entered_answer;
pub mod names;
pub mod perfetto;
pub mod tuned;
