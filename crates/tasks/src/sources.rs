// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names the parts of a response time. The analysis itself identifies the parts by list indexes.
use crate::predict::answer::Source;
use crate::predict::task::Processor;
use backwall_model::units::grouped;

/// The source of a part of a response, in words.
pub fn name(processor: &Processor, source: Source) -> String {
    let name = |index: usize| processor.tasks[index].name.as_str();
    match source {
        Source::Own => "own computation".into(),
        Source::Task(index) => format!("{}, which has higher or equal priority", name(index)),
        Source::Stretch(index) => format!("{}, which is non-preemptible", name(index)),
        Source::Lock { lock, holder } => format!("{} under lock {}", name(holder), processor.locks[lock].name),
        Source::Kernel => "the kernel, which is non-preemptible".into(),
        Source::Interrupt(index) => format!("interrupt {}", processor.interrupts[index].name),
        Source::Recorded(index) => format!("{}, recorded", processor.recorded[index].name),
        Source::Release(index) => format!("release of {}", name(index)),
        Source::Tick => "tick".into(),
        Source::Absence => "time in which the reservation provides no CPU".into(),
        Source::Jitter => "release jitter".into(),
        Source::Wakeup => "wake-up".into(),
        Source::Rest(count) => format!("{} more", grouped(count as u64)),
    }
}
