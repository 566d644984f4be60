// SPDX-License-Identifier: MIT OR Apache-2.0
//! Responses predicted from a recording, as text and JSON, next to the measured responses and the data the curves are based on.
use crate::phrase::value;
use crate::printable::printable_lines;
use crate::table::{Align, Table};
use crate::wrap::wrapped;
use backwall_model::units::{Unit, counted, grouped};
use backwall_tasks::predict::curves::{Measured, PredictedCpu, SourceCurve, curves, median_pessimism};
use backwall_tasks::predict::processor::Answer;
use backwall_tasks::predict::task::Task;
use serde_json::{Value, json};

/// Number of sources shown as text; the JSON has all.
const SHOWN: usize = 8;

#[derive(Clone, Copy, Debug)]
pub struct RecordedPrediction<'a> {
    pub file: &'a str,
    pub unit: Unit,
    pub cpus: &'a [PredictedCpu],
    pub notes: &'a [String],
    /// Whether the responses belong to a task set and count from the nominal release.
    pub of_set: bool,
}

impl RecordedPrediction<'_> {
    /// The tables as text; for a task set, print its own results first.
    pub fn text(&self, columns: usize) -> String {
        let mut said = wrapped(&format!("predicted from a recording, not a bound: {}", self.file), columns);
        for cpu in self.cpus {
            let seen = value(cpu.observed_ns, self.unit);
            said += &wrapped(&format!("CPU {}, seen for {seen}", cpu.cpu), columns);
            said += &self.tasks(cpu, columns);
            said += &self.sources(cpu, columns);
        }
        if let Some(median) = median_pessimism(self.cpus) {
            said += &wrapped(&format!("predicted / measured: {median:.2} at the median"), columns);
        }
        said += &self.notes.iter().map(|note| wrapped(&format!("note: {note}"), columns)).collect::<String>();
        printable_lines(&said)
    }

    fn tasks(&self, cpu: &PredictedCpu, columns: usize) -> String {
        let titles =
            ["turns", "computes", "blocked", "predicted", "measured", "ratio"].map(|title| (title, Align::Right));
        let mut table = Table::new(&[&[("thread", Align::Left)][..], &titles[..]].concat());
        let mut reasons = String::new();
        for (task, answer, measured) in cpu.tasks() {
            let bound = answer.bound.as_ref().ok();
            let ratio = bound.and_then(|bound| measured.pessimism(bound.from_nominal_ns));
            let shown = |ns: Option<u64>| ns.map_or("-".to_string(), |ns| value(ns, self.unit));
            table.row(vec![
                task.name.clone(),
                grouped(measured.responses),
                shown(Some(task.computation_ns)),
                shown(Some(task.blocked_ns)),
                shown(bound.map(|bound| bound.from_nominal_ns)),
                shown(measured.longest_ns),
                ratio.map_or("-".to_string(), |ratio| format!("{ratio:.2}")),
            ]);
            let reason =
                answer.bound.as_ref().err().map(|reason| wrapped(&format!("{}: {reason}", task.name), columns));
            reasons += &reason.unwrap_or_default();
        }
        table.within(columns, &["blocked", "turns"]) + &reasons
    }

    fn sources(&self, cpu: &PredictedCpu, columns: usize) -> String {
        let all = curves(&cpu.analysed);
        let Some(first) = all.first() else { return wrapped("the recording shows no interference", columns) };
        let window = value(first.rests_on.window_ns, self.unit);
        let most = format!("most in {window}");
        let titles = ["arrivals", "longest", most.as_str(), "takes", "windows", "reached"];
        let titles = titles.map(|title| (title, Align::Right));
        let mut table = Table::new(&[&[("source", Align::Left)][..], &titles[..]].concat());
        for curve in all.iter().take(SHOWN) {
            table.row(vec![
                curve.name.clone(),
                grouped(curve.arrivals),
                value(curve.longest_ns, self.unit),
                grouped(curve.most),
                value(curve.work_ns, self.unit),
                grouped(curve.rests_on.windows),
                grouped(curve.rests_on.reached),
            ]);
        }
        let mut said = table.within(columns, &["reached", "longest"]);
        if all.len() > SHOWN {
            said +=
                &format!("{}, shown by --json\n", counted((all.len() - SHOWN) as u64, "more source", "more sources"));
        }
        said + &wrapped(&confidence(first), columns)
    }

    /// The prediction as a JSON record; a task set's own results are stored next to it.
    pub fn record(&self) -> Value {
        let cpus: Vec<Value> = self.cpus.iter().map(|cpu| self.of_cpu(cpu)).collect();
        json!({
            "predicted_from": self.file, "is_bound": false, "unit": self.unit, "of_set": self.of_set, "cpus": cpus,
            "median_pessimism": median_pessimism(self.cpus), "notes": self.notes,
        })
    }

    fn of_cpu(&self, cpu: &PredictedCpu) -> Value {
        let task = |(task, answer, measured): (&Task, &Answer, &Measured)| {
            let predicted = answer.bound.as_ref().ok().map(|bound| bound.from_nominal_ns);
            json!({
                "name": task.name, "computation_ns": task.computation_ns, "blocked_ns": task.blocked_ns,
                "predicted_ns": predicted, "no_prediction": answer.bound.as_ref().err().map(ToString::to_string),
                "measured": measured, "pessimism": predicted.and_then(|ns| measured.pessimism(ns)),
            })
        };
        let source = |curve: &SourceCurve| json!({ "curve": curve, "one_window_in": curve.rests_on.one_in() });
        json!({
            "cpu": cpu.cpu, "observed_ns": cpu.observed_ns, "tasks": cpu.tasks().map(task).collect::<Vec<_>>(),
            "sources": curves(&cpu.analysed).iter().map(source).collect::<Vec<_>>(),
        })
    }
}

fn confidence(curve: &SourceCurve) -> String {
    match curve.rests_on.one_in() {
        0 | 1 => "too few windows to say how often a source uses more CPU time than its row shows; record for longer"
            .to_string(),
        one_in => format!(
            "with 95 % confidence, in at most 1 of {} windows of this length a source uses more CPU time than its row \
            shows, if windows are independent",
            grouped(one_in)
        ),
    }
}
