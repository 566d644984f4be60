// SPDX-License-Identifier: MIT OR Apache-2.0
//! Plays several sources as one, each of which is in order of time.
use super::error::ReadError;
use super::receiver::Receiver;
use super::tracked::Tracked;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub(super) trait Source {
    /// The time of the source's next item; `None` at its end.
    fn at_ns(&self) -> Option<u64>;
    fn give(&mut self, to: &mut Tracked<'_, impl Receiver>) -> Result<(), ReadError>;
}

pub(super) fn play<S: Source>(sources: &mut [S], to: &mut Tracked<'_, impl Receiver>) -> Result<(), ReadError> {
    let begins = sources.iter().enumerate().filter_map(|(number, source)| Some(Reverse((source.at_ns()?, number))));
    let mut waiting: BinaryHeap<Reverse<(u64, usize)>> = begins.collect();
    while let Some(Reverse((_, number))) = waiting.pop() {
        let until = waiting.peek().map_or((u64::MAX, usize::MAX), |next| next.0);
        let source = &mut sources[number];
        // Plays this source up to the next item of any other.
        while let Some(at_ns) = source.at_ns() {
            if (at_ns, number) > until {
                waiting.push(Reverse((at_ns, number)));
                break;
            }
            if to.is_done() {
                return Ok(());
            }
            source.give(to)?;
        }
    }
    Ok(())
}
