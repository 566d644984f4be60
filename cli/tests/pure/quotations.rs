// SPDX-License-Identifier: MIT OR Apache-2.0
//! The papers' figures that documents and scenarios quote are in the table of quoted figures (`crates/model`). A figure next to
//! the words "the paper" or "the post" is one of them, or known as ours.
use crate::documents::Tree;
use crate::lacking;
use backwall_model::papers::{Paper, Table, bench, ce_net, events, post};

// A quotation: file, words, and the values of a table's row that its numbers are.
type Quotation = (&'static str, &'static str, Table, &'static [(usize, usize)]);

const FINDINGS: &str = "docs/evidence/profiles.md";
const LAB: &str = "docs/evidence/lab.md";
const GENERATOR: &[(usize, usize)] = &[(0, 0)];
const GENERATOR_AND_DUTY: &[(usize, usize)] = &[(0, 0), (0, 2)];

const QUOTATIONS: [Quotation; 34] = [
    (FINDINGS, "serves 20 pulses a second", bench::FIGURE_8, &[(0, 0)]),
    (FINDINGS, "a tick of 50 ms", bench::SAID, &[(2, 0)]),
    (FINDINGS, "(17.6 to 133 us)", bench::FIGURE_11, &[(2, 4), (3, 4)]),
    (FINDINGS, "(28 to 15 kHz)", bench::FIGURE_8, &[(2, 1), (3, 1)]),
    (FINDINGS, "(6.1 and 6 kHz)", bench::FIGURE_8, &[(4, 1), (5, 1)]),
    (FINDINGS, "(146 to 79 us)", bench::FIGURE_11, &[(4, 6), (5, 6)]),
    (FINDINGS, "a mode at 15 us and one at 30 us", bench::SAID, &[(6, 0), (6, 1)]),
    (FINDINGS, "(MF-ISR 47 and 127 kHz)", bench::FIGURE_8, &[(4, 0), (2, 0)]),
    (
        FINDINGS,
        "(3 to 4.8, 2.5 to 5, 3 to 6.3 us)",
        bench::FIGURE_11,
        &[(0, 3), (1, 3), (2, 3), (3, 3), (4, 3), (5, 3)],
    ),
    (FINDINGS, "127 and 47 kHz", bench::FIGURE_8, &[(2, 0), (4, 0)]),
    (LAB, "28 million", post::SAID, &[(7, 0)]),
    ("docs/how-to/interfere.md", "the post has about 20 KB", post::SAID, &[(8, 1)]),
    ("docs/evidence/tasks.md", "the paper's 516, 18, 514 and 516", events::TABLE_1, &[(1, 7)]),
    ("docs/evidence/tasks.md", "18, 514 and 516", events::TABLE_2, &[(1, 6), (1, 7), (1, 8)]),
    ("docs/how-to/osbench.md", "samples of each test; default 100", ce_net::SAID, &[(0, 0)]),
    ("lab/scenarios/detent-ce212.toml", "19 Hz", bench::SAID, &[(1, 0)]),
    ("lab/scenarios/detent-ce212-polygons.toml", "19 Hz", bench::SAID, &[(1, 0)]),
    ("lab/scenarios/detent-ce30.toml", "5,000 Hz", bench::SAID, GENERATOR),
    ("lab/scenarios/detent-ce30-polygons.toml", "5,000 Hz", bench::SAID, GENERATOR),
    ("lab/scenarios/detent-ce30-isr.toml", "5,000 Hz", bench::SAID, GENERATOR),
    ("lab/scenarios/detent-cenet.toml", "5,000 Hz", bench::SAID, GENERATOR),
    ("lab/scenarios/detent-cenet-polygons.toml", "5,000 Hz", bench::SAID, GENERATOR),
    ("lab/scenarios/detent-cenet-isr.toml", "5,000 Hz", bench::SAID, GENERATOR),
    ("lab/scenarios/detent.toml", "5,000 Hz and 20 % duty", bench::SAID, GENERATOR_AND_DUTY),
    ("lab/scenarios/linux-stock.toml", "5,000 Hz and 20 % duty", bench::SAID, GENERATOR_AND_DUTY),
    ("lab/scenarios/linux-stock-6.12.toml", "5,000 Hz and 20 % duty", bench::SAID, GENERATOR_AND_DUTY),
    ("lab/scenarios/linux-rt.toml", "5,000 Hz and 20 % duty", bench::SAID, GENERATOR_AND_DUTY),
    ("lab/scenarios/linux-rt-6.12.toml", "5,000 Hz and 20 % duty", bench::SAID, GENERATOR_AND_DUTY),
    ("docs/evidence/kernels.md", "the 2002 papers' 5,000 Hz", bench::SAID, GENERATOR),
    (LAB, "times its usual 5", ce_net::SAID, &[(1, 0)]),
    ("docs/how-to/iltiming.md", "every num-th tick; default 5", ce_net::SAID, &[(1, 0)]),
    ("docs/how-to/iltiming.md", "interrupts; default 10", ce_net::SAID, &[(2, 0)]),
    ("docs/how-to/events.md", "the paper's calculation: 10 ms divided", events::SAID, &[(2, 0)]),
    ("docs/internals/detent.md", "default 0, as in the paper", bench::SAID, &[(7, 0)]),
];

const OWN: [(&str, &str); 9] = [
    ("CHANGELOG.md", "a clock of 0.838 us is ours to infer"),
    ("docs/how-to/interfere.md", "load a page of 48 images (`--images`) of 256 by 192 points over HTTP/1.1"),
    (LAB, "a pulse every 5,000,000 instructions"),
    (LAB, "its tick of 1 ms"), // whole milliseconds of the kernel, which the paper says in words
    ("docs/how-to/osbench.md", "each of the 33 rows"),
    ("docs/evidence/tasks.md", "its worst job the fifth with 118"),
    ("docs/how-to/events.md", "as measured at 20 events in 10 ms"),
    ("CHANGELOG.md", "Table 2 and 63 of today"),
    (FINDINGS, "50,500,000"),
];

const BESIDE: usize = 110;

fn paragraphs(text: &str) -> Vec<String> {
    let mut found: Vec<String> = vec![String::new()];
    for line in text.lines() {
        let begins = line.trim().is_empty() || line.starts_with(['|', '#', '-', '`']) || line.contains(" = ");
        if begins {
            found.push(String::new());
        }
        let last = found.last_mut().unwrap();
        last.push_str(if last.is_empty() { "" } else { " " });
        last.push_str(line.trim());
    }
    found
}

// The numbers of some words, without those of names (`2.12`, `Figures 2 to 5`, `June 2002`).
fn numbers(words: &str) -> Vec<String> {
    const NAMED: [&str; 8] = ["CE", "Windows", "Figure", "Figures", "Table", "Tables", "row", "rows"];
    let is_of_number = |letter: char| letter.is_ascii_digit() || letter == '.' || letter == ',';
    let (mut found, mut names) = (Vec::new(), false);
    let apart = |letter: char| letter.is_whitespace() || "()|`;*\"".contains(letter);
    for word in words.split(apart).map(|word| word.trim_end_matches(['.', ',', ':'])).filter(|word| !word.is_empty()) {
        if !word.chars().all(is_of_number) {
            names = NAMED.contains(&word) || (names && ["to", "and"].contains(&word));
        } else if !names && word != "2002" {
            found.push(word.replace(',', ""));
        }
    }
    found
}

// The text after "the paper" or "the post", to the end of the sentence or cell.
fn beside(paragraph: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for words in ["paper's ", "papers' ", "the post's ", "the post has ", "the paper, ", "paper "] {
        for (at, _) in paragraph.match_indices(words) {
            let rest = &paragraph[at + words.len()..];
            let sentence = rest.split(['|', '\n']).next().unwrap().split(". ").next().unwrap();
            let end = sentence.char_indices().nth(BESIDE).map_or(sentence.len(), |(at, _)| at);
            found.push(&sentence[..end]);
        }
    }
    found
}

#[test]
fn each_quotation_stands_in_its_file_with_the_papers_values() {
    let tree = Tree::read();
    for (file, words, table, places) in QUOTATIONS {
        let text = paragraphs(&tree.text(file)).join("\n");
        assert!(text.contains(words), "{file} no longer says “{words}”");
        let said: Vec<f64> = numbers(words).iter().map(|number| number.parse().unwrap()).collect();
        let quoted: Vec<f64> =
            places.iter().map(|&(row, cell)| numbers(table.rows[row].values[cell])[0].parse().unwrap()).collect();
        let matches = said.len() >= quoted.len() && said.windows(quoted.len()).any(|part| part == quoted);
        assert!(matches, "{file}: “{words}”: {} has {quoted:?}", table.place);
    }
}

#[test]
fn a_figure_beside_the_words_that_quote_is_quoted_or_known_as_ours() {
    let tree = Tree::read();
    let is_one = |path: &&String| {
        let is_page = path.ends_with(".md") && (path.starts_with("docs/") || !path.contains('/'));
        let is_page = is_page && !path.starts_with("docs/reference/commands/");
        is_page || path.starts_with("lab/scenarios/")
    };
    let (mut seen, mut unknown) = (0, Vec::new());
    for path in tree.paths.iter().filter(is_one) {
        let known: Vec<&str> = QUOTATIONS
            .iter()
            .map(|quotation| (quotation.0, quotation.1))
            .chain(OWN)
            .filter(|(file, _)| file == path)
            .map(|(_, words)| words)
            .collect();
        for paragraph in paragraphs(&tree.text(path)) {
            let finding = paragraph.starts_with("| CE ").then(|| paragraph.split('|').nth(1).unwrap());
            for sentence in beside(&paragraph).into_iter().chain(finding) {
                let covered: Vec<String> =
                    known.iter().filter(|words| paragraph.contains(**words)).flat_map(|words| numbers(words)).collect();
                let all = numbers(sentence);
                seen += all.len();
                let strange = all.iter().filter(|number| !covered.contains(number));
                unknown.extend(strange.map(|number| format!("{path}: {number} in “{sentence}”")));
            }
        }
    }
    assert!(unknown.is_empty(), "neither quoted figures nor known as ours:\n{}", unknown.join("\n"));
    assert!(seen > 30, "{seen} figures looked at");
}

const PAPERS: [(Paper, &str); 4] =
    [(Paper::Bench, "000"), (Paper::CeNet, "002"), (Paper::Events, "003"), (Paper::Post, "004")];

#[test]
fn every_quoted_row_stands_in_its_paper() {
    let Some(folder) = std::env::var_os("BACKWALL_PAPERS") else {
        let reason = "the papers are not part of this; BACKWALL_PAPERS names a folder of their texts";
        lacking::skip("every_quoted_row_stands_in_its_paper", reason);
        return;
    };
    let paths: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    for (paper, begins) in PAPERS {
        let is_it = |path: &&std::path::PathBuf| path.file_name().unwrap().to_string_lossy().starts_with(begins);
        let path = paths.iter().find(is_it).unwrap_or_else(|| panic!("no {begins}… among the papers"));
        let missing = backwall_model::papers::text::missing(paper, &std::fs::read_to_string(path).unwrap());
        assert!(missing.is_empty(), "{paper:?}, not so in print: {missing:?}");
    }
}
