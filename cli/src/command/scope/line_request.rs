// SPDX-License-Identifier: MIT OR Apache-2.0
//! What of a capture is asked for: its lines, their edges, and lengths of time.
use backwall_capture::pairing::Polarity;
use backwall_capture::request::{CaptureRequest as Lines, Length, length};

/// What the user says of the lines.
#[derive(clap::Args, Debug)]
pub(super) struct LineRequest {
    /// The line that stimulates [default: stimulus_a, as in the lab, or a Pico's GP2]
    #[arg(long, value_name = "LINE")]
    stimulus: Option<String>,
    /// A line that answers, with a name of your own and its edge if you like: app=D2:fall (repeatable)
    /// [default: those of isr, ist and app that move after the first stimulus]
    #[arg(long, value_name = "[NAME=]LINE[:rise|:fall]")]
    response: Vec<String>,
    /// Also time the end of each response's pulse, as series NAME_completion, from the stimulus, and NAME_run_time
    #[arg(long)]
    completion: bool,
    /// Which edge of the stimulus line is a stimulus
    #[arg(long, value_enum, default_value_t)]
    stimulus_edge: Polarity,
    /// Which edge of a response line is a response, where --response does not say
    #[arg(long, value_enum, default_value_t)]
    response_edge: Polarity,
    /// Response pulses shorter than this are glitches: 200ns, or a bare number of ticks of the capture
    #[arg(long, value_name = "LENGTH", value_parser = length)]
    min_pulse: Option<Length>,
    /// An answer is late after this: 50us, or a bare number of ticks [default: when it comes after the next stimulus]
    #[arg(long, value_name = "LENGTH", value_parser = length)]
    deadline: Option<Length>,
    /// The frequency of the stimuli changes in the capture: also say up to which one each line answers all
    #[arg(long)]
    pub(super) saturation: bool,
}

impl LineRequest {
    /// What is asked for of any capture.
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
