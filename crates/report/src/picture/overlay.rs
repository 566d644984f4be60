// SPDX-License-Identifier: MIT OR Apache-2.0
//! The screens of several runs on one time base, after Figures 9a, 9b and 10 of the 2002 paper.
use super::distance;
use super::frame::{self, Place};
use super::plate::Plate;
use super::screens::{Kind, ink, note};
use crate::wrap::cut;
use backwall_capture::connector;
use backwall_model::picture::{AVERAGED, COLUMNS, Channel, Overlay, Screen, Screens};
use backwall_model::units::grouped;

pub const MOST_ROWS: usize = 9;
const NAME_COLUMNS: usize = 21;
const DIVISION: u64 = 60;

pub type Named<'a> = (&'a str, &'a Screens);

pub fn rows(screens: &Screens) -> usize {
    screens.all.channels.len().saturating_sub(1)
}

pub(super) fn draw(runs: &[Named], kind: Kind, title: &str) -> Plate {
    let screens: Vec<&Screen> = runs.iter().map(|(_, screens)| kind.of(screens)).collect();
    let common = screens.iter().map(|screen| screen.per_division).max().unwrap_or(1);
    let Some((_, first)) = runs.first() else { return Plate::default() };
    let division =
        format!("{} per division, the same for all, trigger on the first line", distance(common, first.unit));
    let mut plate = frame::screen(title, [division, what_is_shown(kind, runs)]);
    frame::trigger_mark(&mut plate);
    let stimulus = screens[0].channels.iter().take(1).map(|channel| ("", screens[0].per_division, channel));
    let responses = runs.iter().zip(&screens).flat_map(|((name, _), screen)| {
        screen.channels.iter().skip(1).map(|channel| (*name, screen.per_division, channel))
    });
    let all: Vec<(&str, u64, &Channel)> = stimulus.chain(responses).take(MOST_ROWS).collect();
    for (number, (name, own, channel)) in all.iter().enumerate() {
        let place = Place::of(number, all.len());
        let line = connector::shown(&channel.line);
        let figures = note(number, channel, first.unit);
        match number {
            0 => place.label(&mut plate, line, figures),
            _ => place.label(&mut plate, &cut(name, NAME_COLUMNS), format!("{line} {figures}")),
        }
        ink(&mut plate, place, &on(channel, *own, common), kind);
    }
    plate
}

fn what_is_shown(kind: Kind, runs: &[Named]) -> String {
    let counts = || runs.iter().map(|(_, screens)| screens.pulses);
    let (fewest, most) = (counts().min().unwrap_or(0), counts().max().unwrap_or(0));
    let all = if fewest == most { grouped(most) } else { format!("{} to {}", grouped(fewest), grouped(most)) };
    match kind {
        Kind::Single => "the last answered pulse of each run".to_string(),
        Kind::Average => format!("the average of the last {AVERAGED} pulses of each run"),
        Kind::Montage => format!("all {all} pulses of each run, darker where more pulses coincide"),
        Kind::Overall => format!("all {all} pulses of each run; dark: average of the last {AVERAGED}"),
    }
}

fn on(channel: &Channel, own: u64, common: u64) -> Channel {
    let put = |overlay: &Option<Overlay>| overlay.as_ref().map(|overlay| resampled(overlay, own, common));
    let Channel { single, average, all, .. } = channel;
    Channel { single: put(single), average: put(average), all: put(all), ..channel.clone() }
}

/// Maps an overlay to another time base that is at least as long. After its recorded part a line keeps its last level.
fn resampled(overlay: &Overlay, own: u64, common: u64) -> Overlay {
    let (own, common) = (i128::from(own.max(1)), i128::from(common.max(1)));
    let trigger = i128::from(DIVISION);
    let (high, edges) = (overlay.high_at_borders(), overlay.edges_in_columns());
    let border = |there: usize| {
        let here = (there as i128 - trigger) * common / own + trigger;
        high[here.clamp(0, COLUMNS as i128) as usize]
    };
    let mut there = vec![0u32; COLUMNS];
    for (here, count) in edges.iter().enumerate().filter(|(_, count)| **count > 0) {
        let column = ((here as i128 - trigger) * own).div_euclid(common) + trigger;
        let place = &mut there[column.clamp(0, COLUMNS as i128 - 1) as usize];
        *place = place.saturating_add(*count);
    }
    Overlay::new(overlay.sweeps, &(0..=COLUMNS).map(border).collect::<Vec<u32>>(), &there)
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_model::units::Unit;

    // A line that rises 120 columns after the trigger in all sweeps and falls 60 columns later.
    fn overlay() -> Overlay {
        Overlay { sweeps: 5, borders: vec![180, 240], high: vec![5, 0], columns: vec![180, 239], edges: vec![5, 5] }
    }

    #[test]
    fn on_its_own_time_base_an_overlay_stays_as_it_is() {
        assert_eq!(resampled(&overlay(), 100, 100), overlay());
    }

    #[test]
    fn on_one_ten_times_as_long_everything_is_ten_times_as_near_to_the_trigger() {
        let found = resampled(&overlay(), 100, 1_000);
        assert_eq!((found.borders, found.high), (vec![72, 78], vec![5, 0]));
        assert_eq!((found.columns, found.edges), (vec![72, 77], vec![5, 5]));
        assert_eq!(resampled(&overlay(), 1, 1_000_000).columns, [60], "no edge is lost");
    }

    #[test]
    fn runs_of_different_time_bases_share_the_longest() {
        let screens = |per_division: u64, pulses| {
            let channel = |line: &str, longest| Channel {
                line: line.into(),
                shortest: longest,
                longest,
                single: Some(overlay()),
                average: Some(overlay()),
                all: Some(overlay()),
            };
            let channels = vec![channel("stimulus_a", None), channel("app", Some(per_division * 2))];
            let screen = Screen { per_division, channels };
            let (title, stimulus, unit) = (String::new(), String::new(), Unit::Instructions);
            let [single, average, all] = [screen.clone(), screen.clone(), screen];
            Screens { title, stimulus, unit, pulses, single_is_last: true, single, average, all }
        };
        let (fast, slow) = (screens(100, 20), screens(10_000, 2_000));
        for kind in [Kind::Single, Kind::Average, Kind::Montage, Kind::Overall] {
            let svg = draw(&[("fast", &fast), ("slow", &slow)], kind, "all").svg("x").into_string();
            for text in
                ["10,000 instructions per division", ">fast<", ">slow<", ">APP after 200<", ">APP after 20,000<"]
            {
                assert!(svg.contains(text), "{kind:?} {text}: {svg}");
            }
        }
        let caption = what_is_shown(Kind::Montage, &[("fast", &fast), ("slow", &slow)]);
        assert!(caption.contains("all 20 to 2,000 pulses"), "{caption}");
        assert_eq!(rows(&fast), 1);
    }
}
