// SPDX-License-Identifier: MIT OR Apache-2.0
//! A thread that plays the firmware, sometimes with errors.
use super::line::Line;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const HZ: u32 = 100_000_000;
const FLAG_RUNNING: u32 = 1;
const FLAG_SPOILT: u32 = 2;

// Pulses of [`Manner::Full`], and the largest number of a line's edges in a block.
pub const FULL_PULSES: u32 = 1_500;
const BLOCK_EDGES: u32 = 2_048;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Manner {
    // Pulses 100 us apart, answered on GP3 after 5 us, without end.
    Endless,
    // Ten pulses; edges 4 to 7 of GP2 were lost.
    Loses,
    // [`FULL_PULSES`] pulses, 100 us apart, that are all over at the first request; the first block is full.
    Full,
    Rings,
    Silent,
    Another,
    NewerVersion,
    Refuses,
    Garbage,
    NoBlock,
    ShortBlock,
    Spoilt,
    StandsStill,
    VanishesAtOnce,
    VanishesLater,
}

pub struct Played {
    pub path: String,
    _kept: File,
    said: Arc<Mutex<Vec<String>>>,
}

impl Played {
    pub fn start(manner: Manner) -> Self {
        let line = Line::new();
        let said = Arc::new(Mutex::new(Vec::new()));
        let heard = said.clone();
        std::thread::spawn(move || play(line.end, manner, &heard));
        Self { path: line.path, _kept: line.kept, said }
    }

    pub fn hears(&self, command: &str, times: usize) -> bool {
        (0..500).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            self.said.lock().unwrap().iter().filter(|line| line.starts_with(command)).count() >= times
        })
    }
}

fn play(end: File, manner: Manner, heard: &Mutex<Vec<String>>) {
    let mut answers = end.try_clone().unwrap();
    let mut asked = 0;
    for line in BufReader::new(end).lines().map_while(Result::ok) {
        heard.lock().unwrap().push(line.clone());
        let answer = match (line.split(' ').next().unwrap_or_default(), manner) {
            (_, Manner::VanishesAtOnce) => return,
            ("EDGES?", Manner::VanishesLater) if asked == 2 => return,
            (_, Manner::Silent) => Vec::new(),
            (_, Manner::Garbage) => vec![0xa5; 4096],
            ("*IDN?", Manner::Another) => b"ACME,Toaster 9,0,1.0\n".to_vec(),
            ("*IDN?", Manner::NewerVersion) => b"backwall,pico,0,2\n".to_vec(),
            ("*IDN?", _) => b"backwall,pico,0,1\r\n".to_vec(),
            ("RUN", _) if manner != Manner::Refuses => {
                asked = 0;
                b"ok\n".to_vec()
            }
            ("RUN", Manner::Refuses) => b"error not today\n".to_vec(),
            ("EDGES?", _) => {
                asked += 1;
                if manner == Manner::Full { full_block(asked) } else { block(manner, asked) }
            }
            _ => b"ok\n".to_vec(),
        };
        if answers.write_all(&answer).is_err() {
            return;
        }
    }
}

fn count(number: u32, at: u32) -> u32 {
    u32::MAX - (at - 2 * number.div_ceil(2) - 3 * (number / 2)) / 2
}

fn framed(bytes: &[u8]) -> Vec<u8> {
    [format!("#5{:05}", bytes.len()).as_bytes(), bytes, b"\n"].concat()
}

// The answer to a request for edges: one pulse each. Manners that end do so after ten.
fn block(manner: Manner, asked: u32) -> Vec<u8> {
    let ends = matches!(manner, Manner::Loses | Manner::Rings);
    let pulse = asked - 1;
    let flags = match manner {
        Manner::Spoilt => FLAG_SPOILT,
        _ if ends && pulse >= 9 => 0,
        _ => FLAG_RUNNING,
    };
    let age_us = if manner == Manner::StandsStill { 0 } else { 100 * (asked + u32::from(asked >= 10)) };
    let rise = 10_000 * pulse + 5_000;
    let given = !(ends && pulse > 9) && manner != Manner::StandsStill;
    let lost = ends && (2..4).contains(&pulse);
    let edges = |start: u32| [count(2 * pulse, start), count(2 * pulse + 1, start + 2_000)];
    let lines = [(given && !lost).then(|| edges(rise)), given.then(|| edges(rise + 500)), None];
    let firsts = [2 * pulse + if lost { 2 } else { 0 }, 2 * pulse, 0];
    let mut bytes = [flags, HZ, age_us, 0].map(u32::to_le_bytes).concat();
    for (first, line) in firsts.into_iter().zip(&lines) {
        bytes.extend([first, 2 * u32::from(line.is_some())].map(u32::to_le_bytes).concat());
    }
    lines.iter().flatten().flatten().for_each(|count| bytes.extend(count.to_le_bytes()));
    match manner {
        Manner::NoBlock => b"no block\n".to_vec(),
        Manner::ShortBlock => framed(&bytes[..20]),
        _ => framed(&bytes),
    }
}

// Answers to requests that come after the last pulse: first a full block, then the remaining edges.
fn full_block(asked: u32) -> Vec<u8> {
    let edges = 2 * FULL_PULSES;
    let from = edges.min(BLOCK_EDGES * (asked - 1));
    let to = edges.min(from + BLOCK_EDGES);
    let at = |edge: u32, later: u32| 10_000 * (edge / 2) + 5_000 + 2_000 * (edge % 2) + later;
    let mut bytes = [0, HZ, 100 * (FULL_PULSES + 10 + asked), 0].map(u32::to_le_bytes).concat();
    bytes.extend([from, to - from, from, to - from, 0, 0].map(u32::to_le_bytes).concat());
    for later in [0, 500] {
        (from..to).for_each(|edge| bytes.extend(count(edge, at(edge, later)).to_le_bytes()));
    }
    framed(&bytes)
}
