// SPDX-License-Identifier: MIT OR Apache-2.0
//! Options that select an answer of a run, for the commands that examine one answer.
use super::output_line::OutputLine;
use backwall::exit::usage;
use backwall_lab::bench::Settings;
use backwall_lab::emulator::Emulator;
use backwall_lab::trail::answer::{Answer, Which};
use backwall_lab::trail::entered_answer::{BadEntry, EnteredAnswer, Explained, Subject};
use backwall_model::units::grouped;
use backwall_os::folder;
use std::path::Path;

#[derive(clap::Args, Debug)]
pub(super) struct AnswerOptions {
    /// Choose the N-th largest answer
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "answer")]
    worst: Option<u32>,
    /// Choose the answer to stimulus K, counted from 0 with the warm-up
    #[arg(long, value_name = "K")]
    answer: Option<u32>,
    #[command(flatten)]
    output: OutputLine,
}

pub(super) struct ChosenAnswer {
    pub(super) subject: Subject,
    pub(super) answer: Answer,
    pub(super) emulator: Emulator,
}

impl AnswerOptions {
    pub(super) fn find(&self, name: &str, usual: Which, settings: &Settings) -> anyhow::Result<ChosenAnswer> {
        let which = match (self.worst, self.answer) {
            (Some(rank), _) => Which::Worst(rank as usize),
            (None, Some(number)) => Which::Number(number as usize),
            (None, None) => usual,
        };
        let (subject, emulator) = Subject::named(name, settings)?;
        let answer = subject.find(self.output.line.as_deref(), which).map_err(|fault| refused(name, fault))?;
        Ok(ChosenAnswer { subject, answer, emulator })
    }
}

impl ChosenAnswer {
    pub(super) fn enter(&self, name: &str, settings: &Settings) -> anyhow::Result<EnteredAnswer> {
        let entered = self.subject.enter(self.answer.clone(), &self.emulator, settings);
        entered.map_err(|fault| refused(name, fault))
    }

    pub(super) fn explain(&self, name: &str, settings: &Settings) -> anyhow::Result<Explained> {
        let explained = self.subject.explain(self.answer.clone(), &self.emulator, settings);
        explained.map_err(|fault| refused(name, fault))
    }
}

pub(super) fn refused(name: &str, fault: BadEntry) -> anyhow::Error {
    fault.refusal(name).into()
}

pub(super) fn sentence(name: &str, entered: &EnteredAnswer) -> String {
    let answer = &entered.answer;
    format!(
        "{name}: {}, line {}, answer {}: {} instructions, from {} to {}",
        entered.guest,
        answer.line,
        answer.number,
        grouped(answer.latency()),
        grouped(answer.from),
        grouped(answer.to)
    )
}

pub(super) fn place(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    folder::write_file(path, bytes).map_err(|error| usage(format!("{}: {error}", path.display())))
}
