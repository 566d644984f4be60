// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page of a default run: its size, and the contents of its first screen by their positions.
use crate::page::{framed, without_policy};
use crate::{browser, sample};
use backwall_report::page::page;
use std::path::Path;

const MOST_BYTES: usize = 400_000;

const SCREENS: [(u32, u32); 2] = [(1180, 800), (390, 844)];

#[derive(Debug)]
struct Text {
    name: String,
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

fn text(row: &str) -> Text {
    let words: Vec<&str> = row.split(' ').collect();
    let number = |index: usize| words[index].parse::<f64>().unwrap();
    Text { name: words[0].into(), left: number(1), top: number(2), right: number(3), bottom: number(4) }
}

// The texts of the page's first screen by name, in a frame of this size.
fn texts(program: &Path, page: &str, (width, height): (u32, u32)) -> Vec<Text> {
    let script = concat!("<script>", include_str!("browser/places.js"), "</script></body>");
    let inside = without_policy(page).replace("</body>", script);
    let told = framed(program, &[(inside, width, height)]);
    let rows = told[0].strip_prefix(&format!("PLACES {width} {height}\n")).expect("the frame is as large as asked");
    rows.lines().map(text).collect()
}

#[test]
fn the_page_of_the_default_run_is_small() {
    let page = page(&sample::default_run());
    assert!(page.len() <= MOST_BYTES, "{} bytes", page.len());
    assert!(page.len() > MOST_BYTES / 4, "{} bytes: this is no page of three phases", page.len());
}

#[test]
fn largest_cause_and_advice_stand_on_the_first_screen() {
    let Some(program) = browser::find("the first screen") else { return };
    let page = page(&sample::default_run());
    for (width, height) in SCREENS {
        let texts = texts(&program, &page, (width, height));
        let names: Vec<&str> = texts.iter().map(|text| text.name.as_str()).collect();
        assert_eq!(names, [".hero", "#cause", "#change"], "{width} x {height}");
        for text in &texts {
            let inside = text.left >= 0.0 && text.right <= f64::from(width) && text.bottom <= f64::from(height);
            assert!(inside && text.bottom > text.top, "{width} x {height}: {text:?}");
        }
    }
}

#[test]
fn the_cause_stands_beside_the_largest_figure_where_there_is_room() {
    let Some(program) = browser::find("the cause beside the figure") else { return };
    let texts = texts(&program, &page(&sample::default_run()), SCREENS[0]);
    let [largest, cause] = [".hero", "#cause"].map(|name| texts.iter().find(|text| text.name == name).unwrap());
    assert!(cause.left > largest.right && cause.top < largest.bottom, "{largest:?} {cause:?}");
}

#[test]
fn a_text_below_the_first_screen_is_found() {
    let Some(program) = browser::find("a text below the first screen") else { return };
    let page = page(&sample::default_run()).replace("<header>", "<header style=\"margin-top:900px\">");
    let texts = texts(&program, &page, SCREENS[0]);
    assert!(texts.iter().all(|text| text.top > 800.0), "{texts:?}");
}
