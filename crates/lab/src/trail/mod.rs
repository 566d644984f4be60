// SPDX-License-Identifier: MIT OR Apache-2.0
//! One answer, to the instruction: entered again, and told as the functions that were executed between the edge and the answer.
//!
//! [`answer`] finds it in a run, [`entered_answer`] goes there again from the saved state of the guest, [`names`] has the functions' names,
//! [`debugged`] lets a debugger in, [`tuned`] tries words of the boot line, [`perfetto`] writes it for a viewer.
//! Virtual time goes on alike in every run of the same guest, so the answer that is entered again is the same one, and a guest that
//! differs is refused.
pub mod answer;
pub mod debugged;
pub mod entered_answer;
pub mod names;
pub mod perfetto;
pub mod tuned;
