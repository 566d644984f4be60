// SPDX-License-Identifier: MIT OR Apache-2.0
//! Screens of an oscilloscope, after Figures 5 to 10 of the 2002 paper.
use super::distance;
use super::frame::{self, MOST_CHANNELS, Place};
use super::plate::{Ink, Plate};
use super::sweeps::{ALONE, OVER_SHADES, average, line, shades};
use backwall_capture::connector;
use backwall_model::picture::{AVERAGED, Channel, Screen, Screens};
use backwall_model::units::{DisplayedValue, Unit, grouped};

pub(super) const INTRO: &str = "The stimulus is the lowest trace, the responses are above it. Each screen has its own time per division. The rightmost mark of the montage is the maximum. One pulse and the average of the last pulses use a shorter time base that shows all lines. If responses are shorter than their jitter, the average stays low.";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// One sweep alone (Figure 5).
    Single,
    /// The average of the last sweeps: a slope is as wide as the jitter (Figure 6).
    Average,
    /// Every sweep, darker where more sweeps pass, and a single sweep as a line (Figure 7).
    Montage,
    /// Every sweep, the average of the last sweeps, and a single sweep (Figures 9 and 10).
    Overall,
}

impl Kind {
    pub(super) fn of(self, screens: &Screens) -> &Screen {
        match self {
            Kind::Single => &screens.single,
            Kind::Average => &screens.average,
            Kind::Montage | Kind::Overall => &screens.all,
        }
    }
}

pub(super) const KINDS: [(Kind, &str); 4] =
    [(Kind::Single, "single"), (Kind::Average, "average"), (Kind::Montage, "montage"), (Kind::Overall, "overall")];

pub(super) fn draw(screens: &Screens, kind: Kind) -> Plate {
    let screen = kind.of(screens);
    let division = distance(screen.per_division, screens.unit);
    let first = format!("{division} per division, trigger on the first line{}", left_out(screen));
    let mut plate = frame::screen(&screens.title, [first, what_is_shown(kind, screens)]);
    frame::trigger_mark(&mut plate);
    let shown = screen.channels.len().min(MOST_CHANNELS);
    for (number, channel) in screen.channels.iter().take(shown).enumerate() {
        let place = Place::of(number, shown);
        place.label(&mut plate, connector::shown(&channel.line), note(number, channel, screens.unit));
        ink(&mut plate, place, channel, kind);
    }
    plate
}

fn left_out(screen: &Screen) -> String {
    let more = screen.channels.len().saturating_sub(MOST_CHANNELS);
    if more > 0 { format!("; {} more lines have no room", grouped(more as u64)) } else { String::new() }
}

pub(super) fn ink(plate: &mut Plate, place: Place, channel: &Channel, kind: Kind) {
    let all = channel.all.as_ref().filter(|_| matches!(kind, Kind::Montage | Kind::Overall));
    let strength = if all.is_some() { OVER_SHADES } else { ALONE };
    if let Some(overlay) = all {
        shades(plate, place, overlay);
    }
    if let Some(overlay) = channel.single.as_ref().filter(|_| kind != Kind::Average) {
        line(plate, place, overlay, strength);
    }
    let colour = if kind == Kind::Average { place.ink } else { Ink::Text };
    if let Some(overlay) = channel.average.as_ref().filter(|_| matches!(kind, Kind::Average | Kind::Overall)) {
        average(plate, place, overlay, colour);
    }
}

fn what_is_shown(kind: Kind, screens: &Screens) -> String {
    let all = grouped(screens.pulses);
    let averaged = screens.pulses.min(AVERAGED as u64);
    let single = if screens.single_is_last { "the last" } else { "the last answered" };
    match kind {
        Kind::Single => format!("{single} of {all} pulses"),
        Kind::Average => format!("average of the last {averaged} of {all} pulses; a slope is as wide as their jitter"),
        Kind::Montage => format!("all {all} pulses, darker where more pulses coincide; line: {single} pulse"),
        Kind::Overall => {
            format!("all {all} pulses; dark line: average of the last {averaged}; thin line: {single} pulse")
        }
    }
}

pub(super) fn note(number: usize, channel: &Channel, unit: Unit) -> String {
    let shown = |latency| DisplayedValue(latency, unit);
    match (number, channel.shortest.zip(channel.longest)) {
        (0, _) => String::new(),
        (_, None) => "no answer".into(),
        (_, Some((shortest, longest))) if shortest == longest => format!("after {}", shown(shortest)),
        (_, Some((shortest, longest))) => format!("{} to {}", shown(shortest), shown(longest)),
    }
}
