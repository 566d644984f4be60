// SPDX-License-Identifier: MIT OR Apache-2.0
//! What to read of a capture: its lines, their edges, and time limits.
use backwall_capture::pairing::Polarity;
use backwall_capture::request::{CaptureRequest as Lines, Length, length};

#[derive(clap::Args, Debug)]
pub(super) struct LineRequest {
    /// Stimulus line [default: stimulus_a, or a Pico's GP2]
    #[arg(long, value_name = "LINE")]
    stimulus: Option<String>,
    /// Response line, as LINE or NAME=LINE:EDGE, such as app=D2:fall (repeatable)
    ///
    /// Default: the lines isr, ist and app, if they change after the first stimulus.
    #[arg(long, value_name = "[NAME=]LINE[:rise|:fall]")]
    response: Vec<String>,
    /// Also time the end of each response pulse
    ///
    /// Adds the series NAME_completion (from the stimulus) and NAME_run_time (from the pulse's start).
    #[arg(long)]
    completion: bool,
    /// Count this edge of the stimulus line as a stimulus
    #[arg(long, value_enum, default_value_t)]
    stimulus_edge: Polarity,
    /// Count this edge as a response on lines for which --response names no edge
    #[arg(long, value_enum, default_value_t)]
    response_edge: Polarity,
    /// Count shorter response pulses as glitches: 200ns, or a number of ticks
    #[arg(long, value_name = "LENGTH", value_parser = length)]
    min_pulse: Option<Length>,
    /// Count a response as late after this: 50us, or a number of ticks [default: the next stimulus]
    #[arg(long, value_name = "LENGTH", value_parser = length)]
    deadline: Option<Length>,
    /// Find the highest rate at which each line answers every stimulus
    ///
    /// In a capture, the stimuli must come at several rates.
    #[arg(long)]
    pub(super) saturation: bool,
}

impl LineRequest {
    pub(super) fn lines(&self) -> Lines {
        Lines {
            stimulus: self.stimulus.clone(),
            response: self.response.clone(),
            completion: self.completion,
            stimulus_edge: self.stimulus_edge,
            response_edge: self.response_edge,
            min_pulse: self.min_pulse,
            deadline: self.deadline,
        }
    }
}
