// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pictures of a capture as an oscilloscope shows them, after Figures 5 to 10 of the 2002 paper.
//!
//! A picture is a list of rectangles and texts, from which SVG and PNG are made alike. Its size is
//! bounded by the screen, not by the capture.
mod arrivals;
mod draw;
mod frame;
mod png;
mod svg;
#[cfg(test)]
mod tests;

use super::edges::Line;
use super::screen::gather;
use super::sweep::Sweep;
use super::tick::{Tick, TickRate};
use super::timebase::Timebase;
use draw::{average, intensity, trace};
use frame::Frame;

/// What is laid over each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One sweep alone (Figure 5).
    Single,
    /// The average of the last [`AVERAGED`] sweeps: a slope is as wide as the jitter (Figure 6).
    Average,
    /// Every sweep, the more often the darker, and one as a line (Figure 7).
    Montage,
    /// Every sweep, the average of the last [`AVERAGED`] and a single one (Figures 9 and 10).
    Overall,
}

/// Sweeps in an average, as on the paper's oscilloscope.
pub const AVERAGED: usize = 128;

/// One trace of the screen.
#[derive(Clone, Debug)]
pub struct Channel<'a> {
    /// The line it shows.
    pub line: &'a Line,
    /// Its name on the screen.
    pub label: &'a str,
    /// Figures below the name; may be empty.
    pub note: String,
}

/// What a picture is made of.
#[derive(Clone, Debug)]
pub struct View<'a> {
    /// Heading.
    pub title: &'a str,
    /// What one tick is.
    pub rate: TickRate,
    /// The traces, lowest first: the stimulus, then the responses.
    pub channels: &'a [Channel<'a>],
    /// Instants of the stimuli, in order.
    pub triggers: &'a [Tick],
    /// Which of them is drawn as a single sweep; none where there is no stimulus.
    pub single: Option<Tick>,
    /// Distance from a trigger that must be on the screen: the largest latency of the sweeps shown.
    pub longest: Tick,
}

/// Colours by role; the page may replace them, a PNG has these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Ink {
    Screen,
    Graticule,
    Text,
    Soft,
    Trace(u8), // number of the channel
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rect {
    x: u32,
    y: u32,
    width: u32,
    height: u32,
    ink: Ink,
    strength: u8, // 255 is opaque
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Text {
    x: u32, // of its first letter, or of the end of its last
    y: u32, // of its foot
    ends_at_x: bool,
    ink: Ink,
    text: String,
}

/// A finished picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    title: String,
    rects: Vec<Rect>, // later ones lie above
    texts: Vec<Text>,
}

impl Picture {
    /// Draws a screen of one kind.
    pub fn of(view: &View, kind: Kind) -> Picture {
        let base = Timebase::showing(view.longest, view.rate);
        let frame = Frame::new(view.channels.len());
        let mut picture = frame.empty(view, kind, base);
        let averaged = &view.triggers[view.triggers.len().saturating_sub(AVERAGED)..];
        for (number, channel) in view.channels.iter().enumerate() {
            let place = frame.place(number);
            let gathered = |triggers| gather(channel.line, triggers, base);
            let shades = matches!(kind, Kind::Montage | Kind::Overall);
            if shades {
                intensity(&mut picture, place, &gathered(view.triggers));
            }
            if kind != Kind::Average {
                trace(
                    &mut picture,
                    place,
                    &gathered(view.single.as_slice()),
                    if shades { draw::OVER_SHADES } else { draw::ALONE },
                );
            }
            match kind {
                Kind::Average => average(&mut picture, place, &gathered(averaged), place.ink),
                Kind::Overall => average(&mut picture, place, &gathered(averaged), Ink::Text),
                Kind::Single | Kind::Montage => {}
            }
        }
        picture
    }

    /// Draws the latency of every arrival of a sweep over its instant; one tick is what `rate` says.
    pub fn of_sweep(sweep: &Sweep, rate: TickRate, title: &str) -> Picture {
        arrivals::draw(sweep, rate, title)
    }

    /// As SVG: alone in a file, or inside a page whose style sheet names colours.
    pub fn svg(&self) -> String {
        svg::write(self)
    }

    /// As PNG, at twice the size.
    pub fn png(&self) -> Vec<u8> {
        png::write(self)
    }
}
