// SPDX-License-Identifier: MIT OR Apache-2.0
use super::*;
use crate::scope::edges::{Edge, Edges};
use crate::scope::pairing::{PairingRule, pair};

fn line(name: &str, pulses: impl Iterator<Item = (u64, u64)>) -> Line {
    let pulse = |(at, width): (u64, u64)| [Edge::new(Tick(at), true), Edge::new(Tick(at + width), false)];
    Line { name: name.into(), edges: pulses.flat_map(pulse).collect(), warmup: 0 }
}

/// Two thousand pulses, 200,000 apart, answered after 4,000 to 4,900 and once after 42,159.
fn lines() -> (Line, Line, Line, Vec<Tick>) {
    let at = |n: u64| 1_000_000 + n * 200_000;
    let ist = |n: u64| if n == 700 { 42_159 } else { 4_000 + (n * 7_919) % 900 };
    let app = move |n: u64| ist(n) + 5_000 + (n * 104_729) % 3_000;
    (
        line("stimulus_a", (0..2_000).map(|n| (at(n), 40_000))),
        line("ist", (0..2_000).map(|n| (at(n) + ist(n), 20_000))),
        line("app", (0..2_000).map(|n| (at(n) + app(n), 30_000))),
        (0..2_000).map(|n| Tick(at(n))).collect(),
    )
}

fn draw(kind: Kind, longest: u64) -> Picture {
    let (stimulus, ist, app, triggers) = lines();
    let channel = |line, label| Channel { line, label, note: "min 4,000 max 42,159".into() };
    let channels = [channel(&stimulus, "stimulus A"), channel(&ist, "IST"), channel(&app, "APP")];
    let rate = TickRate::Instructions;
    let view = View {
        title: "a <guest>",
        rate,
        channels: &channels,
        triggers: &triggers,
        single: triggers.last().copied(),
        longest: Tick(longest),
    };
    Picture::of(&view, kind)
}

const KINDS: [(Kind, &str); 4] =
    [(Kind::Single, "single"), (Kind::Average, "average"), (Kind::Montage, "montage"), (Kind::Overall, "overall")];

#[test]
fn every_kind_is_small_well_formed_and_says_what_it_shows() {
    for (kind, name) in KINDS {
        let svg = draw(kind, 50_000).svg();
        assert!(svg.len() < 60_000, "{name}: {} bytes", svg.len());
        assert!(svg.contains("a &lt;guest&gt;") && !svg.contains("<guest>"), "{name}");
        assert!(svg.contains("10,000 instructions per division"), "{name}");
        assert!(svg.contains("2,000 pulses"), "{name}");
        assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
    }
}

#[test]
fn the_montage_of_many_pulses_is_no_larger_than_that_of_few() {
    let (stimulus, ist, _, triggers) = lines();
    let channels = [&stimulus, &ist].map(|line| Channel { line, label: "x", note: String::new() });
    let size = |triggers: &[Tick]| {
        let view = View {
            title: "",
            rate: TickRate::Instructions,
            channels: &channels,
            triggers,
            single: triggers.last().copied(),
            longest: Tick(50_000),
        };
        Picture::of(&view, Kind::Montage).svg().len()
    };
    assert!(size(&triggers) < 2 * size(&triggers[..100]));
}

/// The only outlier leaves ink of its own, at 42,159 of 10,000 a division: column 60 + 42,159 × 60 / 10,000.
#[test]
fn a_single_outlier_among_two_thousand_pulses_is_visible() {
    let picture = draw(Kind::Montage, 50_000);
    let column = frame::Frame::new(3).place(1).left + 60 + 252;
    let inked = |x: u32| {
        picture
            .rects
            .iter()
            .any(|r| r.ink == Ink::Trace(1) && r.height > 20 && r.strength > 0 && r.x <= x && x < r.x + r.width)
    };
    assert!(inked(column));
    assert!(!inked(column + 20));
}

#[test]
fn the_average_rises_with_the_share_of_pulses_that_have_answered() {
    let picture = draw(Kind::Average, 5_000); // 1,000 a division
    let place = frame::Frame::new(3).place(1);
    let top_at = |column: u32| {
        let here = |r: &&Rect| {
            r.ink == place.ink
                && r.x <= place.left + column
                && place.left + column < r.x + r.width
                && r.y > place.high - 2
                && r.y <= place.low
        };
        picture.rects.iter().filter(here).map(|r| r.y).min().unwrap()
    };
    let middle = top_at(60 + 240 + 27);
    assert!(top_at(60 + 230) > middle && middle > top_at(60 + 240 + 56), "4,000 low, 4,450 half, 4,900 high");
    assert!(middle.abs_diff((place.high + place.low) / 2) < 12, "{middle}");
}

#[test]
fn the_png_holds_the_same_picture() {
    let file = draw(Kind::Overall, 50_000).png();
    let mut reader = ::png::Decoder::new(std::io::Cursor::new(&file)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height), (2 * frame::WIDTH, 2 * frame::HEIGHT));
    let coloured = pixels.chunks(3).filter(|pixel| pixel[0].abs_diff(pixel[2]) > 60).count();
    assert!(coloured > 1_000, "{coloured} pixels of a trace");
}

#[test]
fn a_capture_without_a_stimulus_has_an_empty_screen() {
    let (stimulus, ..) = lines();
    let channels = [Channel { line: &stimulus, label: "stimulus A", note: String::new() }];
    let view = View {
        title: "",
        rate: TickRate::Instructions,
        channels: &channels,
        triggers: &[],
        single: None,
        longest: Tick(0),
    };
    for (kind, _) in KINDS {
        assert!(Picture::of(&view, kind).svg().contains("0 pulses"));
    }
}

/// A guest with three masked stretches, swept over 700 instants from 10 on.
fn sweep() -> Sweep {
    let masked = [(100, 142), (300, 416), (600, 609)];
    let end = |at: u64| masked.iter().find(|(from, to)| (*from..*to).contains(&at)).map_or(at, |(_, to)| *to);
    let mark = |at: u64| (at + 1) * 10_000;
    let stimulus = line("stimulus_a", (10..700).map(|at| (mark(at) + at, 1)));
    let response = line("isr", (10..700).map(|at| (mark(at) + end(at) + 25, 1)));
    let marks = line("mark", (10..700).map(|at| (mark(at), 1)));
    let edges = Edges { rate: TickRate::Instructions, lines: vec![], end_at: Tick(u64::MAX >> 2), gaps: vec![] };
    let pairing = pair(&edges, &stimulus, &[&response], &PairingRule::default()).remove(0);
    Sweep::by_mark(&pairing, &marks, &[])
}

#[test]
fn the_sweep_has_one_tooth_for_each_masked_stretch() {
    let picture = Picture::of_sweep(&sweep(), TickRate::Instructions, "a call");
    let svg = picture.svg();
    for text in [
        "100 instructions per division",
        "690 arrivals, none left out",
        "largest 141 at 300",
        "stretch 116 instructions",
    ] {
        assert!(svg.contains(text), "{text}: {svg}");
    }
    let top = |at: u32| {
        picture
            .rects
            .iter()
            .filter(|r| r.ink == Ink::Trace(1) && r.x == frame::LEFT + at * 6 / 10)
            .map(|r| r.y)
            .min()
            .unwrap()
    };
    assert!(top(300) < top(350) && top(350) < top(410) && top(410) < top(450), "the tooth falls");
    assert!(top(50).abs_diff(top(550)) < 1 && top(300) < top(100) && top(100) < top(600));
}

#[test]
fn a_sweep_without_answers_or_at_the_end_of_time_has_its_screen() {
    let place = |at| line("stimulus_a", [(at, 1)].into_iter());
    let edges = Edges { rate: TickRate::Instructions, lines: vec![], end_at: Tick::MAX, gaps: vec![] };
    let far = pair(&edges, &place(Tick::MAX.0 - 9), &[&place(Tick::MAX.0 - 5)], &PairingRule::default()).remove(0);
    let sweep = Sweep::by_mark(&far, &place(1), &[]);
    assert!(Picture::of_sweep(&sweep, TickRate::Instructions, "").svg().contains("smallest 4, largest 4"));
    let none = pair(&edges, &place(100), &[&line("isr", [].into_iter())], &PairingRule::default()).remove(0);
    let sweep = Sweep::by_phase(&none, Tick(10), &[]);
    assert!(Picture::of_sweep(&sweep, TickRate::Instructions, "").svg().contains("no stimulus was answered"));
}
