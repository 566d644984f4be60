// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page: its contents, and its rendering in a headless Chromium.
use crate::{browser, sample};
use backwall_model::units::Unit;
use backwall_model::{Blame, Division, Environment, Extension, Lab, Origin, Picture, Run, Warning};
use backwall_report::page::page;
use backwall_report::run_entry::RunEntry;
use backwall_report::together;
use browser::{Place, View};
use std::io::Read;

// In the order of the page: the answer, why, what to do next; the rest is folded.
const SECTIONS: [&str; 20] = [
    "requirements",
    "phases",
    "why",
    "screens",
    "sweep",
    "figure-8",
    "over-time",
    "tail",
    "next",
    "warnings",
    "figures",
    "histogram",
    "persistence",
    "stages",
    "self-check",
    "loads",
    "environment",
    "conditions",
    "values",
    "reading",
];
const FIRST_FOLDED: &str = "warnings";

const PICTURES: [&str; 13] = [
    "why-strip",
    "screens-single",
    "screens-average",
    "screens-montage",
    "screens-overall",
    "sweep-picture",
    "tail-picture",
    "histogram-picture",
    "over-time-picture",
    "persistence-picture",
    "stages-picture",
    "self-check-picture",
    "load-picture-1",
];

const WIDE: View = View { width: 1180, height: 18_000, dark: false };

const LIGHT: [[u8; 3]; 4] = [[0x0b, 0x5f, 0xc0], [0xc2, 0x41, 0x0c], [0x0f, 0x7b, 0x56], [0x82, 0x36, 0xad]];
const DARK: [[u8; 3]; 4] = [[0x6f, 0xb3, 0xff], [0xff, 0x9d, 0x5c], [0x52, 0xd6, 0xa0], [0xd3, 0xa1, 0xf7]];

fn tour() -> String {
    page(&sample::tour())
}

// The page with all that is folded open.
pub(crate) fn unfolded(page: &str) -> String {
    page.replace("<details", "<details open")
}

pub(crate) fn without_policy(page: &str) -> String {
    let start = page.find("<meta http-equiv=\"Content-Security-Policy\"").expect("the page has a policy");
    let end = start + page[start..].find('>').unwrap() + 1;
    format!("{}{}", &page[..start], &page[end..])
}

// The page with a script that writes where its pictures lie.
fn measuring(page: &str) -> String {
    let script = "<script>addEventListener('load',()=>{let t='';for(const e of document.querySelectorAll('svg.figure')){\
        const b=e.getBoundingClientRect();t+='BOX '+[e.id,b.x,b.y,b.width,b.height].join(' ')+'\\n'}\
        t+='OVERFLOW '+(document.documentElement.scrollWidth-innerWidth)+'\\n';\
        const p=document.createElement('pre');p.textContent=t;document.body.append(p)})</script></body>";
    without_policy(page).replace("</body>", script)
}

fn places(tree: &str) -> Vec<Place> {
    let place = |row: &str| {
        let words: Vec<&str> = row.strip_prefix("BOX ")?.split(' ').collect();
        let number = |index: usize| words[index].parse::<f64>().unwrap().round() as usize;
        Some(Place { id: words[0].into(), left: number(1), top: number(2), width: number(3), height: number(4) })
    };
    tree.lines().map(|row| row.trim_start_matches("<pre>")).filter_map(place).collect()
}

#[test]
fn the_page_holds_every_section_and_loads_nothing() {
    let page = tour();
    for id in SECTIONS {
        assert_eq!(page.matches(&format!("<section id=\"{id}\"")).count(), 1, "{id}");
    }
    let place = |id: &str| page.find(&format!("<section id=\"{id}\"")).unwrap();
    assert!(SECTIONS.map(place).is_sorted(), "the sections stand in another order");
    let first_fold = page.find("<details class=\"fold\"").unwrap();
    assert!(place("next") < first_fold && first_fold < place(FIRST_FOLDED));
    for id in PICTURES {
        assert_eq!(page.matches(&format!("<svg id=\"{id}\"")).count(), 1, "{id}");
    }
    for loading in ["src=", "@import", "url(", "http:", "https:"] {
        assert!(!page.contains(loading), "{loading}");
    }
    assert_eq!(page.matches("<script").count(), 1, "the page's own, which its policy names");
    assert!(page.contains("default-src 'none'; script-src 'sha256-"));
}

#[test]
fn identifiers_are_unique_and_every_picture_has_a_name_for_those_who_do_not_see_it() {
    let page = tour();
    let mut ids: Vec<&str> = page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all);
    assert_eq!(page.matches("role=\"img\"").count(), page.matches("<title id=").count());
}

#[test]
fn no_letter_that_commands_or_reorders_reaches_the_page() {
    let mut run = sample::tour();
    let evil = "a\u{202e}b\u{9b}c\u{7}d\u{2066}e";
    run.device.kernel = evil.into();
    run.warnings.push(Warning::new("evil", evil).of(evil).mended_by(evil));
    run.loads[0].name = evil.into();
    run.pictures = sample::picture::all(evil);
    let page = page(&run);
    assert!(!page.contains(['\u{202e}', '\u{9b}', '\u{7}', '\u{2066}']) && page.contains("a?b?c?d?e"));
}

fn words(page: &str) -> String {
    let body = &page[page.find("<body>").unwrap()..];
    body.split('<').map(|piece| piece.split_once('>').map_or("", |(_, text)| text)).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_page_of_the_lab_has_instructions_and_no_time() {
    let mut run = sample::tour();
    run.origin = Origin::Emulated;
    run.device.kind = "detent".into();
    (run.plan.period_ns, run.plan.overrun) = (None, None);
    run.plan.phase_ns = None;
    run.series.iter_mut().for_each(|series| series.unit = Unit::Instructions);
    let by_mode = Blame::Modes(Division { user: 4_000, kernel: 3_200_511, waited: 0 });
    run.series.iter_mut().flat_map(|series| &mut series.worst).for_each(|worst| worst.blame = Some(by_mode.clone()));
    // What is interfered with on this machine takes time, and so do its chains.
    run.pictures.retain(|picture| !matches!(picture, Picture::Interference(_) | Picture::Chain(_)));
    run = Run {
        self_check: None,
        stages: vec![],
        environment: Environment::default(),
        requirements: vec![],
        warnings: vec![],
        ..run
    };
    let words = words(&page(&run));
    let mut tokens = words.split_whitespace().peekable();
    while let Some(token) = tokens.next() {
        let number = token.starts_with(|letter: char| letter.is_ascii_digit());
        let unit = tokens
            .peek()
            .is_some_and(|next| ["ns", "us", "ms"].contains(&next.trim_matches(|l: char| !l.is_alphabetic())));
        assert!(!(number && unit), "{token} {:?} in {words}", tokens.peek());
    }
    assert!(words.contains("3,204,511") && words.contains("instructions"), "{words}");
    assert!(words.contains("The maximum:  3,204,511 instructions , 4,000 user + 3,200,511 kernel"), "{words}");
}

#[test]
fn a_run_without_figures_is_a_page_all_the_same() {
    let page = page(&sample::empty());
    assert!(page.contains("nothing was measured") && !page.contains("<section id=\"tail\""));
}

#[test]
fn the_back_wall_is_a_name_that_only_the_glossary_explains() {
    let words = words(&tour());
    assert_eq!(words.matches("back wall").count(), 2, "the term and its sentence");
}

#[test]
fn every_term_of_a_table_head_is_explained_without_a_script() {
    let Some(program) = browser::find("terms of the page") else { return };
    let page = tour();
    let head = &page[page.find("<table id=\"phases-table\"").unwrap()..];
    let head = &head[..head.find("</thead>").unwrap()];
    for word in ["wakeups", "missed", "late", "p50", "p99", "p99.9", "max"] {
        assert!(head.contains(&format!("<dfn tabindex=\"0\">{word}<span class=\"tip\" role=\"tooltip\">")), "{word}");
    }
    // With the focus from the keyboard: this tip is laid out inside the window, and no other tip is.
    let script = "<script>addEventListener('load',()=>{const d=document.querySelectorAll('dfn');window.focus();const before=[...d].filter(e=>\
        e.lastChild.getBoundingClientRect().height>0).length;d[2].focus();const b=d[2].lastChild.getBoundingClientRect();\
        parent.postMessage([before,b.height>0&&b.left>=0&&b.right<=innerWidth&&b.bottom<=innerHeight].join(' '),'*')})</script></body>";
    let inside = without_policy(&page).replace("</body>", script);
    assert_eq!(framed(&program, &[(inside, 1180, 800)]), ["0 true"]);
}

#[test]
fn names_from_outside_are_text_and_nothing_else() {
    let mut run = sample::tour();
    let evil = "</title></p></style><img id=evil src=x><script>evil()</script>'\"&";
    run.device.kernel = evil.into();
    run.device.kind = "capture".into();
    run.device.cpu = evil.into();
    run.series.iter_mut().for_each(|series| {
        series.key.name = evil.into();
        series.key.load = evil.into();
        series.from = evil.into();
    });
    run.loads[0].name = evil.into();
    run.loads[0].unit = evil.into();
    run.stages[0].parts[0].name = evil.into();
    run.stages[0].key.load = evil.into();
    run.environment.checks[0].value = evil.into();
    run.requirements[0].text = evil.into();
    run.warnings.push(Warning::new("evil", evil).of(evil).mended_by(evil));
    run.command.push(evil.into());
    run.values.insert(evil.into(), 1);
    run.later_values = [(evil.into(), run.values.clone())].into();
    run.device.say(evil, evil);
    run.plan.extension = Extension::Lab(Lab { scenario: serde_json::json!({ evil: evil }) });
    run.environment.add(evil, serde_json::json!([evil]));
    run.self_check.as_mut().unwrap().what = evil.into();
    run.pictures = sample::picture::all(evil);
    // A run of interference has that picture alone beside the bench's; others have one of the tail.
    let others = Run { pictures: Vec::new(), ..run.clone() };
    for (run, picture) in [(run, "interference"), (others, "tail-picture")] {
        let page = page(&run);
        assert!(!page.contains("<img") && page.matches("<script").count() == 1, "{picture}");
        assert!(page.contains("&lt;img id=evil src=x&gt;"), "{picture}");
        let Some(program) = browser::find("names from outside") else { return };
        let opened = browser::open(&program, &page, &WIDE);
        assert!(opened.tree.contains(picture) && !opened.tree.contains("<img"), "{}", opened.log);
    }
}

#[test]
#[ignore = "make long"]
fn every_picture_has_ink_in_the_colour_of_every_phase_light_and_dark() {
    let Some(program) = browser::find("ink of the pictures") else { return };
    let page = unfolded(&tour());
    let places = places(&browser::open(&program, &measuring(&page), &WIDE).tree);
    for (dark, paper, inks) in [(false, [0xff; 3], LIGHT), (true, [0x11, 0x14, 0x18], DARK)] {
        let picture = browser::screenshot(&program, &page, &View { dark, ..WIDE });
        assert_eq!((picture.width, picture.at(2, 2)), (1180, paper));
        for id in PICTURES {
            let place = places.iter().find(|place| place.id == id).unwrap_or_else(|| panic!("{id} was not laid out"));
            let ink = picture.count(place, |pixel| pixel != paper);
            assert!(ink * 200 > place.width * place.height, "{id} is blank: {ink} pixels in {place:?}, dark {dark}");
        }
        for id in ["tail-picture", "histogram-picture", "over-time-picture", "persistence-picture"] {
            let place = places.iter().find(|place| place.id == id).unwrap();
            for ink in inks {
                assert!(picture.count(place, |pixel| pixel == ink) > 20, "{id} lacks {ink:x?}, dark {dark}");
            }
        }
    }
}

#[test]
fn every_shape_of_a_picture_has_a_colour_of_the_style_sheet() {
    let Some(program) = browser::find("colours of shapes") else { return };
    let page = tour();
    assert!(page.contains("<path class=\"missed\""), "the sample has slices with missed stimuli");
    // Black is no colour of this page: it is what a shape has whose class the style sheet does not know.
    let script = "<script>addEventListener('load',()=>{let t='SEEN\\n';for(const e of document.querySelectorAll('svg :is(path,rect,circle)'))\
        if(getComputedStyle(e).fill==='rgb(0, 0, 0)')t+='BLACK '+e.getAttribute('class')+'\\n';\
        const p=document.createElement('pre');p.textContent=t;document.body.append(p)})</script></body>";
    let tree = browser::open(&program, &without_policy(&unfolded(&page)).replace("</body>", script), &WIDE).tree;
    assert!(tree.contains("SEEN"), "the script ran");
    let black: Vec<&str> = tree.lines().filter(|row| row.starts_with("BLACK ")).collect();
    assert!(black.is_empty(), "{black:?}");
}

#[test]
fn the_page_logs_nothing_and_fits_a_narrow_window() {
    let Some(program) = browser::find("log and narrow window") else { return };
    let opened = browser::open(&program, &tour(), &WIDE);
    assert!(opened.tree.contains("id=\"tail-picture\""), "{}", opened.log);
    assert_eq!(opened.console(), Vec::<&str>::new());
    let narrow = browser::open(&program, &measuring(&tour()), &View { width: 500, ..WIDE });
    let overflow = narrow.tree.lines().find_map(|row| row.strip_prefix("OVERFLOW ")).expect("the script ran");
    assert!(overflow.parse::<f64>().unwrap() <= 0.0, "wider than its window by {overflow}");
}

#[test]
fn whatever_a_page_holds_nothing_is_asked_of_the_network() {
    let Some(program) = browser::find("requests of a page") else { return };
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    server.set_nonblocking(true).unwrap();
    let address = server.local_addr().unwrap();
    let loads = format!(
        "<img src=\"http://{address}/a.png\"><link rel=\"stylesheet\" href=\"http://{address}/b.css\">\
         <script src=\"http://{address}/c.js\"></script><iframe src=\"http://{address}/d\"></iframe>"
    );
    let page = page(&sample::tour()).replace("</main>", &(loads + "</main>"));
    let opened = browser::open(&program, &page, &WIDE);
    assert!(opened.console().len() >= 4, "the browser says what its policy refused: {}", opened.log);
    // For a frame the browser may open a connection before it asks its policy; no request may follow.
    while let Ok((mut connection, _)) = server.accept() {
        let mut request = String::new();
        let _ = connection.read_to_string(&mut request);
        assert_eq!(request, "", "something was loaded");
    }
}

#[test]
fn one_figure_dominates_and_says_whether_it_is_where_it_must_be() {
    let page = tour();
    let hero = &page[page.find("class=\"hero\"").unwrap()..];
    let hero = words(&format!("<body>{}", &hero[hero.find('>').unwrap() + 1..hero.find("</p>").unwrap()]));
    assert_eq!(hero.split_whitespace().collect::<Vec<_>>().join(" "), "3.2 ms FAIL missed == 0");
}

#[test]
fn the_contents_lead_to_every_section_and_to_the_data() {
    let mut run = sample::tour();
    run.plan.keep_samples = Some(true);
    let page = page(&run);
    for place in SECTIONS.map(|id| format!("#{id}")).iter().map(String::as_str).chain(["run.json", "samples.parquet"]) {
        assert!(page.contains(&format!("<a href=\"{place}\"")), "{place}");
    }
}

#[test]
fn no_axis_in_powers_of_ten_begins_at_nothing() {
    let page = tour();
    let picture = &page[page.find("<svg id=\"histogram-picture\"").unwrap()..];
    let picture = &picture[..picture.find("</svg>").unwrap()];
    assert!(!picture.contains(">0<") && picture.contains(">1<"), "{picture}");
}

// What each page tells its parent, each in a frame of this width: the browser's window cannot be as narrow as a phone's.
pub(crate) fn framed(program: &std::path::Path, pages: &[(String, u32, u32)]) -> Vec<String> {
    let frame = |(page, width, height): &(String, u32, u32)| {
        let inside = page.replace('&', "&amp;").replace('"', "&quot;");
        format!("<iframe width={width} height={height} style=\"border:0\" srcdoc=\"{inside}\"></iframe>")
    };
    let frames: String = pages.iter().map(frame).collect();
    let told = "<script>addEventListener('message',e=>{const p=document.createElement('pre');p.textContent=e.data;\
        p.className='told';document.body.append(p)})</script>";
    let tree = browser::open(program, &format!("<body>{told}{frames}"), &WIDE).tree;
    let said = tree.split("<pre class=\"told\">").skip(1).map(|rest| rest.split("</pre>").next().unwrap().to_string());
    let said: Vec<String> = said.collect();
    assert_eq!(said.len(), pages.len(), "every frame spoke");
    said
}

// In each page, in a window of this width, nothing sticks out, no two texts of a picture touch, and every text lies inside its
// picture.
fn assert_all_is_readable(program: &std::path::Path, pages: &[(String, u32)]) {
    for count in texts_looked_at(program, pages) {
        assert!(count > 100, "too little was looked at: {count}");
    }
}

// How many texts of pictures each page has, none of which is cut or lies on another; nor does any table.
pub(crate) fn texts_looked_at(program: &std::path::Path, pages: &[(String, u32)]) -> Vec<u64> {
    let looked = |(page, width): &(String, u32)| {
        let script = concat!("<script>", include_str!("browser/seen.js"), "</script></body>");
        (without_policy(page).replace("</body>", script), *width, 800)
    };
    let pages: Vec<(String, u32, u32)> = pages.iter().map(looked).collect();
    let count = |text: String| {
        let text = text.strip_prefix("LOOKED AT ").expect("what the script says");
        let (count, faults) = text.split_once('\n').unwrap_or((text, ""));
        assert!(faults.is_empty(), "of {count}:\n{faults}");
        count.split(' ').next().unwrap().parse().unwrap()
    };
    framed(program, &pages).into_iter().map(count).collect()
}

// The page as paper shows it: its rules for print, for every medium.
pub(crate) fn printed(page: &str) -> String {
    assert_eq!(page.matches("@media print").count(), 1);
    page.replace("@media print", "@media all")
}

// A sheet of A4 within the browser's margins of a centimetre, in pixels of which an inch has 96.
pub(crate) const SHEET: u32 = 718;

fn pages() -> [String; 3] {
    [unfolded(&tour()), unfolded(&page(&sample::four_processors())), bench()]
}

fn bench() -> String {
    let run = |(name, load): (&str, &str)| {
        let mut run = sample::tour();
        run.device.kind = "lab:linux".into();
        (run.plan.measures, run.plan.loads) = (vec![format!("lab {name}")], vec![load.into()]);
        run.series.truncate(2);
        for (series, line) in run.series.iter_mut().zip(["ist", "app"]) {
            (series.key.name, series.key.load) = (line.into(), load.into());
            (series.from, series.to, series.unit) = ("stimulus_a".into(), line.into(), Unit::Instructions);
        }
        run.pictures.retain(|picture| matches!(picture, Picture::Screens(_)));
        run
    };
    let runs = [("linux-stock", "none"), ("linux-stock-polygons", "polygons@40"), ("detent", "none")].map(run);
    let told =
        runs.iter().map(|run| RunEntry { name: run.plan.measures[0].clone(), page: "x/report.html".into(), run });
    together::page(Some("Runs of the lab"), &told.collect::<Vec<_>>())
}

#[test]
fn a_phone_shows_the_page_without_moving_it_sideways_and_no_text_on_another() {
    let Some(program) = browser::find("the page on a phone") else { return };
    let frames: Vec<_> = pages().into_iter().flat_map(|page| [360, 390].map(|width| (page.clone(), width))).collect();
    assert_all_is_readable(&program, &frames);
}

#[test]
fn paper_and_a_wide_window_show_no_text_on_another() {
    let Some(program) = browser::find("the page on paper") else { return };
    let frames = pages().into_iter().flat_map(|page| [(printed(&page), SHEET), (page, 1180)]);
    assert_all_is_readable(&program, &frames.collect::<Vec<_>>());
}

// For a person to look at: light, dark, as wide as a phone, and on paper.
#[test]
fn the_page_is_left_as_pictures_in_light_dark_phone_and_print() {
    let Some(program) = browser::find("pictures of the page") else { return };
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("page");
    std::fs::create_dir_all(&folder).unwrap();
    let page = tour();
    let unfolded = unfolded(&page);
    let phone = without_policy(&page).replace("</head>", "<style>html{width:390px}</style></head>");
    let phone = phone.replace("(max-width: 640px)", "(min-width: 1px)");
    let narrow = View { width: 500, height: 18_000, dark: false };
    for (name, page, view) in
        [("light", &page, WIDE), ("dark", &unfolded, View { dark: true, ..WIDE }), ("phone", &phone, narrow)]
    {
        let file = folder.join(name).with_extension("png");
        browser::picture_of(&program, page, &view, &file);
        assert!(browser::read(&file).height == view.height as usize, "{name}");
    }
    let file = folder.join("print.pdf");
    browser::print(&program, &page, &file);
    assert!(std::fs::read(&file).unwrap().starts_with(b"%PDF"));
}
