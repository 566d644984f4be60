// SPDX-License-Identifier: MIT OR Apache-2.0
//! A declared series while its samples arrive. Differences of timestamps are computed only here.
use crate::stream::keep::Keeper;
use backwall_model::{Key, Span};
use backwall_stats::SeriesBuilder;
use backwall_store::samples::SeriesId;
use backwall_trace::Sample;
use backwall_wire::{Hello, LossReason, MissedStimuli, Row, SeriesHead};

pub struct UnfinishedSeries {
    head: SeriesHead,
    /// Clock count of the first stimulus: from the schedule, otherwise the first one received.
    origin: Option<u64>,
    /// Time from the first stimulus to the latest sample, in the unit of the series.
    latest: u64,
    responses: Vec<Response>,
}

struct Response {
    builder: SeriesBuilder,
    kept_as: Option<SeriesId>,
}

impl UnfinishedSeries {
    /// If the series has one response, it gets the series' name; otherwise each response gets the name of its point.
    pub fn new(head: SeriesHead, hello: &Hello, load: &str, idle: &str, keeper: Option<&Keeper>) -> Self {
        let response = |(name, to): (&str, &String)| {
            let key = Key { cpu: head.cpu, variant: head.fields.clone(), ..Key::new(name, load, idle) };
            let span = Span::new(&head.points[0], to, hello.unit);
            let kept_as = keeper.and_then(|keeper| keeper.series(key.clone(), span.clone()));
            Response { builder: SeriesBuilder::new(key, span), kept_as }
        };
        let responses = head.figures().zip(&head.points[1..]).map(response).collect();
        Self { origin: head.schedule.map(|schedule| schedule.first_at), latest: 0, responses, head }
    }

    pub fn head(&self) -> &SeriesHead {
        &self.head
    }

    pub fn worst(&self) -> Option<u64> {
        self.responses.iter().filter_map(|response| response.builder.max()).max()
    }

    pub fn builders(&self) -> impl Iterator<Item = &SeriesBuilder> {
        self.responses.iter().map(|response| &response.builder)
    }

    pub fn into_builders(self) -> impl Iterator<Item = SeriesBuilder> {
        self.responses.into_iter().map(|response| response.builder)
    }

    /// Takes one sample. Returns how many of its points were before the stimulus; they count as 0.
    pub fn sample(&mut self, hello: &Hello, seq: u64, row: &Row<'_>, warmup: bool, keeper: Option<&Keeper>) -> u64 {
        let stimulus = row.stimulus();
        let at = hello.value_of(stimulus.saturating_sub(*self.origin.get_or_insert(stimulus)));
        self.latest = at;
        let mut backwards = 0;
        for (index, response) in self.responses.iter_mut().enumerate() {
            let Some(answer) = row.point(index + 1) else {
                response.lost(seq, at, 1, keeper);
                continue;
            };
            backwards += u64::from(answer < stimulus);
            let latency = answer.saturating_sub(stimulus);
            let late = self.head.deadline.is_some_and(|deadline| latency > deadline.get());
            response.answered(seq, at, hello.value_of(latency), late, warmup, keeper);
        }
        backwards
    }

    /// Takes stimuli without a sample. Without a schedule their times are unknown, so they get the time of the latest sample.
    pub fn lost(&mut self, hello: &Hello, lost: &MissedStimuli, keeper: Option<&Keeper>) {
        let planned = self.head.schedule.map(|schedule| lost.first_seq.saturating_mul(schedule.period.get()));
        let at = planned.map_or(self.latest, |counts| hello.value_of(counts));
        let passed_by = lost.reason == LossReason::Overrun;
        let take = if passed_by { Response::skipped } else { Response::lost };
        self.responses.iter_mut().for_each(|response| take(response, lost.first_seq, at, lost.count, keeper));
    }

    /// The first and last timestamp of a sample, on the device's clock.
    pub fn stamps(&self, hello: &Hello, seq: u64, row: &Row<'_>) -> Option<Sample> {
        let response = row.point(self.responses.len())?;
        Some(Sample { seq, stimulus_ns: hello.value_of(row.stimulus()), response_ns: hello.value_of(response) })
    }
}

impl Response {
    fn answered(&mut self, seq: u64, at: u64, value: u64, late: bool, warmup: bool, keeper: Option<&Keeper>) {
        if warmup {
            self.builder.warmup(1);
        } else {
            self.builder.sample(seq, at, value, late);
        }
        let (Some(keeper), Some(id)) = (keeper, self.kept_as) else { return };
        keeper.row(
            |writer| if warmup { writer.warmup(id, seq, at, value) } else { writer.sample(id, seq, at, value, late) },
        );
    }

    fn lost(&mut self, seq: u64, at: u64, count: u64, keeper: Option<&Keeper>) {
        self.builder.missed(at, count);
        if let (Some(keeper), Some(id)) = (keeper, self.kept_as) {
            keeper.row(|writer| writer.missed(id, seq, at, count));
        }
    }

    fn skipped(&mut self, seq: u64, at: u64, count: u64, keeper: Option<&Keeper>) {
        self.builder.skipped(at, count);
        if let (Some(keeper), Some(id)) = (keeper, self.kept_as) {
            keeper.row(|writer| writer.skipped(id, seq, at, count));
        }
    }
}
