// SPDX-License-Identifier: MIT OR Apache-2.0
use super::frame::{LEFT, Place};
use super::plate::{Block, HEIGHT, Ink, Plate, WIDTH};
use super::screens::{KINDS, Kind};
use super::*;
use backwall_model::picture::{COLUMNS, Channel, Overlay, Screen};
use proptest::prelude::*;

// An overlay of a line that is low until the response and high after it; `responses` in columns.
fn overlay(responses: &[u16]) -> Overlay {
    let mut edges = vec![0u32; COLUMNS];
    responses.iter().for_each(|column| edges[usize::from(*column)] += 1);
    let high: Vec<u32> = (0..=COLUMNS)
        .map(|border| responses.iter().filter(|column| usize::from(**column) < border).count() as u32)
        .collect();
    Overlay::new(responses.len() as u32, &high, &edges)
}

// Two thousand pulses that are answered in columns 84 to 90, but one in column 312; the answers to the last 128 are spread
// evenly.
fn found() -> Screens {
    let all: Vec<u16> = (0..2_000).map(|n| if n == 700 { 312 } else { 84 + n % 6 }).collect();
    let averaged: Vec<u16> = (0..128).map(|n| 300 + n % 60).collect();
    let channel = |line: &str, bounds: Option<(u64, u64)>| Channel {
        line: line.into(),
        shortest: bounds.map(|bounds| bounds.0),
        longest: bounds.map(|bounds| bounds.1),
        single: Some(overlay(&[85])),
        average: Some(overlay(&averaged)),
        all: Some(overlay(&all)),
    };
    let channels = vec![channel("stimulus_a", None), channel("ist", Some((4_000, 42_159))), channel("app", None)];
    let screen = Screen { per_division: 10_000, channels };
    Screens {
        title: "a <guest>".into(),
        stimulus: "stimulus_a".into(),
        unit: Unit::Instructions,
        pulses: 2_000,
        single_is_last: false,
        single: screen.clone(),
        average: screen.clone(),
        all: screen,
    }
}

fn draw(kind: Kind) -> Plate {
    screens::draw(&found(), kind)
}

#[test]
fn every_kind_is_small_well_formed_and_says_what_it_shows() {
    for (kind, name) in KINDS {
        let svg = draw(kind).svg("x").into_string();
        assert!(svg.len() < 60_000, "{name}: {} bytes", svg.len());
        assert!(svg.contains("a &lt;guest&gt;") && !svg.contains("<guest>"), "{name}");
        for text in ["10,000 instructions per division", "2,000 pulses", ">IST<", ">stimulus A<", ">no answer<"] {
            assert!(svg.contains(text), "{name}: {text}");
        }
        assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
    }
    assert!(draw(Kind::Single).svg("x").into_string().contains("the last answered of 2,000 pulses"));
    assert!(draw(Kind::Montage).svg("x").into_string().contains(">4,000 to 42,159<"));
}

#[test]
fn a_single_outlier_among_two_thousand_pulses_is_visible() {
    let plate = draw(Kind::Montage);
    let inked = |column: u32| {
        let here = |block: &Block| (block.x..block.x + block.width).contains(&(LEFT + column));
        plate.blocks.iter().any(|block| block.ink == Ink::Channel(1) && block.height > 20 && here(block))
    };
    assert!(inked(312) && inked(85));
    assert!(!inked(332));
}

#[test]
fn the_average_rises_with_the_share_of_pulses_that_have_answered() {
    let plate = draw(Kind::Average);
    let place = Place::of(1, 3);
    let top_at = |column: u32| {
        let here = |block: &&Block| {
            block.ink == place.ink
                && (block.x..block.x + block.width).contains(&(LEFT + column))
                && block.y > place.high - 2
                && block.y <= place.low
        };
        plate.blocks.iter().filter(here).map(|block| block.y).min().unwrap()
    };
    let middle = top_at(330);
    assert!(top_at(290) > middle && middle > top_at(365), "low before, half in between, high after");
    assert!(middle.abs_diff((place.high + place.low) / 2) < 12, "{middle}");
}

#[test]
fn the_png_holds_the_same_picture() {
    let mut run = backwall_model::Run::begin(
        backwall_model::Origin::Emulated,
        Default::default(),
        Vec::new(),
        jiff::Timestamp::UNIX_EPOCH,
    );
    run.pictures = vec![Picture::Screens(found()), Picture::Screens(found())];
    let files = files(&run);
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names[..5], ["single.png", "average.png", "montage.png", "overall.png", "single-2.png"]);
    let mut reader = ::png::Decoder::new(std::io::Cursor::new(&files[3].1)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height), (2 * WIDTH, 2 * HEIGHT));
    let coloured = pixels.chunks(3).filter(|pixel| pixel[0].abs_diff(pixel[2]) > 60).count();
    assert!(coloured > 1_000, "{coloured} pixels of a line");
}

#[test]
fn lines_that_have_no_room_are_counted() {
    let mut found = found();
    found.all.channels = vec![Channel::default(); 40];
    let svg = screens::draw(&found, Kind::Montage).svg("x").into_string();
    assert!(svg.contains("24 more lines have no room"), "{svg}");
}

// A guest whose latency falls from 141 to 25 over the columns 180 to 250.
fn saw() -> Arrivals {
    let latency = |column: u64| if (180..250).contains(&column) { 141 - (column - 180) } else { 25 };
    Arrivals {
        title: "a call".into(),
        guest: "bare".into(),
        line: "isr".into(),
        unit: Unit::Instructions,
        arrivals: 690,
        missed: 0,
        untried: 0,
        floor: Some(25),
        worst: Some(141),
        worst_at: Some(300),
        start: 0,
        per_division: 100,
        columns: (6..420).collect(),
        smallest: (6..420).map(latency).collect(),
        largest: (6..420).map(latency).collect(),
        owners: Vec::new(),
        other_owners: 0,
    }
}

#[test]
fn the_sweep_has_a_tooth_and_says_its_figures() {
    let plate = arrivals::draw(&saw());
    let svg = plate.svg("x").into_string();
    let caption =
        "690 arrivals, none left out; smallest 25, largest 141 at 300: longest irqs-off section 116 instructions";
    assert!(svg.contains(caption), "{svg}");
    assert!(svg.contains("100 instructions per division, from 0; latency, upwards: 20 instructions per division"));
    let top = |column: u32| {
        let here = |block: &&Block| block.ink == Ink::Channel(1) && block.x == LEFT + column;
        plate.blocks.iter().filter(here).map(|block| block.y).min().unwrap()
    };
    assert!(top(180) < top(200) && top(200) < top(249) && top(249) < top(300), "the tooth falls");
    let text = arrivals::text(&saw());
    assert!(text.contains("so interrupts were disabled for at most 116 instructions"), "{text}");
}

#[test]
fn a_sweep_without_answers_has_its_screen() {
    let none = Arrivals { floor: None, worst: None, worst_at: None, columns: vec![], ..saw() };
    assert!(arrivals::draw(&none).svg("x").into_string().contains("no stimulus was answered"));
    assert_eq!(arrivals::text(&none), "sweep of isr: no pulse was answered\n");
}

fn any_overlay() -> impl Strategy<Value = Option<Overlay>> {
    let numbers = || prop::collection::vec(any::<u32>(), 0..9);
    let places = || prop::collection::vec(any::<u16>(), 0..9);
    let overlay = (0..4u32, places(), numbers(), places(), numbers());
    prop::option::of(overlay.prop_map(|(sweeps, borders, high, columns, edges)| Overlay {
        sweeps,
        borders,
        high,
        columns,
        edges,
    }))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    // A file may hold any values of the right types. The picture still stays inside the plate, and nothing overflows.
    #[test]
    fn whatever_a_file_holds_is_drawn(
        overlays in prop::collection::vec(any_overlay(), 3), lines in 0..40usize, per_division in any::<u64>(),
        columns in prop::collection::vec(any::<u16>(), 0..9), latencies in prop::collection::vec(any::<u64>(), 0..9),
    ) {
        let [single, average, all] = overlays.try_into().unwrap();
        let channel = Channel { line: "x".into(), shortest: Some(9), longest: Some(3), single, average, all };
        let screen = Screen { per_division, channels: vec![channel; lines] };
        let found = Screens { single: screen.clone(), average: screen.clone(), all: screen, pulses: per_division, ..found() };
        let (smallest, largest) = (latencies.iter().rev().copied().collect(), latencies);
        let saw = Arrivals { columns, smallest, largest, floor: Some(per_division), start: per_division, per_division, ..saw() };
        let plates = KINDS.map(|(kind, _)| screens::draw(&found, kind)).into_iter().chain([arrivals::draw(&saw)]);
        for (number, plate) in plates.enumerate() {
            if number == lines % 8 {
                png::write(&plate); // half a second without optimisation: one in two cases writes one
            }
            prop_assert!(plate.blocks.iter().all(|block| block.x + block.width <= WIDTH && block.y + block.height <= HEIGHT));
        }
        arrivals::text(&saw);
    }
}
