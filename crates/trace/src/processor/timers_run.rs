// SPDX-License-Identifier: MIT OR Apache-2.0
//! The timers whose functions an interrupt runs: how many, and which function takes most of the time.
use crate::event::function::Function;

/// At most this many functions are timed separately in one interrupt; real interrupts have fewer.
const TOLD_APART: usize = 4;
/// A function that took less than this is reported only if there are many timers.
const LONG_NS: u64 = 20_000;
/// With this many timer functions in one interrupt, blame the threads that set the timers, even if one is the late thread's.
pub(crate) const MANY_TIMERS: u32 = 16;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TimersRun {
    count: u32,
    last: Option<(u64, Function)>,
    times: [Option<(Function, u64)>; TOLD_APART],
}

impl TimersRun {
    #[inline(always)]
    pub(crate) fn begin(&mut self, at_ns: u64, function: Option<Function>) {
        self.count = self.count.saturating_add(1);
        if function.is_some() || self.last.is_some() {
            self.end_last(at_ns);
            self.last = function.map(|function| (at_ns, function));
        }
    }

    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// The function that used at least half of the stretch, if its time was long or the timers were many. The kernel does not
    /// record a function's end, so each function lasts up to the next one, and the last to the end of the stretch.
    pub(crate) fn function(mut self, from_ns: u64, to_ns: u64) -> Option<Function> {
        self.end_last(to_ns);
        let (function, ns) = self.times.into_iter().flatten().max_by_key(|(_, ns)| *ns)?;
        let is_worth_it = ns >= LONG_NS || self.count >= MANY_TIMERS;
        (is_worth_it && ns >= to_ns.saturating_sub(from_ns) / 2).then_some(function)
    }

    fn end_last(&mut self, at_ns: u64) {
        let Some((since_ns, function)) = self.last.take() else { return };
        let ns = at_ns.saturating_sub(since_ns);
        let free = self.times.iter_mut().find(|known| known.is_none_or(|(of, _)| of == function));
        if let Some(place) = free {
            let before = place.map_or(0, |(_, ns)| ns);
            *place = Some((function, before.saturating_add(ns)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(timers: &[(u64, &str)], to_ns: u64) -> Option<&'static str> {
        let mut run = TimersRun::default();
        timers.iter().for_each(|(at_ns, name)| run.begin(*at_ns, Some(Function::named(name))));
        assert_eq!(run.count() as usize, timers.len());
        run.function(0, to_ns).map(Function::name)
    }

    #[test]
    fn a_function_is_named_that_most_of_a_long_stretch_went_to() {
        assert_eq!(run(&[(1_000, "tick"), (3_000, "slow")], 40_000), Some("slow"));
        assert_eq!(run(&[(1_000, "tick"), (3_000, "slow")], 15_000), None, "it is short");
        assert_eq!(run(&[(30_000, "slow")], 55_000), None, "less than half");
        assert_eq!(run(&[], 55_000), None);
    }

    #[test]
    fn the_times_of_one_function_are_added_up_and_of_many_timers_it_is_named_at_any_length() {
        let many: Vec<(u64, &str)> = (0..20).map(|at| (at * 100, if at % 5 == 0 { "other" } else { "wake" })).collect();
        assert_eq!(run(&many, 2_000), Some("wake"));
        assert_eq!(run(&many[..10], 1_000), None, "few and short");
        let names: Vec<String> = (0..9).map(|number| format!("f{number}")).collect();
        let all: Vec<(u64, &str)> =
            names.iter().enumerate().map(|(at, name)| (at as u64 * 10_000, name.as_str())).collect();
        assert_eq!(run(&all, 90_000), None, "none of them used half");
    }

    #[test]
    fn a_function_without_a_name_takes_no_time_of_another() {
        let mut run = TimersRun::default();
        run.begin(0, Some(Function::named("wake")));
        run.begin(5_000, None);
        assert_eq!(run.function(0, 90_000), None);
    }
}
