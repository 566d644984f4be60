// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parts of a response time by name: the analysis knows list indexes only.
use crate::predict::answer::Source;
use crate::predict::task::Processor;
use backwall_model::units::grouped;

/// The origin of a part of a response, in words.
pub fn name(processor: &Processor, source: Source) -> String {
    let name = |index: usize| processor.tasks[index].name.as_str();
    match source {
        Source::Own => "own computation".into(),
        Source::Task(index) => format!("{}, as urgent or more", name(index)),
        Source::Stretch(index) => format!("{}, which cannot be preempted", name(index)),
        Source::Lock { lock, holder } => format!("{} under lock {}", name(holder), processor.locks[lock].name),
        Source::Kernel => "the kernel, which cannot be preempted".into(),
        Source::Interrupt(index) => format!("interrupt {}", processor.interrupts[index].name),
        Source::Recorded(index) => format!("{}, recorded", processor.recorded[index].name),
        Source::Release(index) => format!("release of {}", name(index)),
        Source::Tick => "tick".into(),
        Source::Absence => "time the reservation does not give".into(),
        Source::Jitter => "release jitter".into(),
        Source::Wakeup => "wake-up".into(),
        Source::Rest(count) => format!("{} more", grouped(count as u64)),
    }
}
