// SPDX-License-Identifier: MIT OR Apache-2.0
//! How fast compressible and incompressible data is written and read, on file systems and over loopback.
mod data;
mod file;
mod loop_device;
mod loopback;
mod place;

pub use place::Place;

use super::processor_time::Account;
use super::published;
use super::ratio::ratio;
use super::turns::Turns;
use backwall_model::picture::Case;
use data::Data;
use std::io::Result;

pub const NAME: &str = "throughput";
pub const FORMS: [&str; 2] = ["zeros", "incompressible"];
pub const COMPARED: &str = "incompressible data beside zeros";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    In,
    Out,
}

struct Moved<'a> {
    data: &'a Data,
    bytes: u64,
}

trait Path {
    /// Moves the data and returns the time in nanoseconds. Adds the thread's CPU time to `program`.
    fn moved(&mut self, moved: &Moved<'_>, direction: Direction, program: &Account) -> Result<u64>;
}

pub fn measure(place: &Place, bytes: u64, turns: &Turns<'_>) -> Result<Vec<Case>> {
    let data = [Data::zeros(), Data::incompressible(turns.seed)];
    let mut path: Box<dyn Path> = match place.folder() {
        Some(folder) => Box::new(file::Files::new(folder)),
        None => Box::new(loopback::Loopback),
    };
    let directions = [(Direction::In, "in", published::pushed()), (Direction::Out, "out", published::pulled())];
    let mut cases = Vec::new();
    for (direction, word, post) in directions {
        let program = Account::default();
        let forms =
            turns.take(&FORMS, |number| path.moved(&Moved { data: &data[number], bytes }, direction, &program))?;
        let (above, below) = (vec![FORMS[1].to_string()], vec![FORMS[0].to_string()]);
        cases.push(Case {
            experiment: NAME.into(),
            name: format!("{}-{word}", place.word()),
            title: format!("{}, {word}", place.title()),
            compared: COMPARED.into(),
            conditions: place.conditions(direction == Direction::In),
            ratio: ratio(&forms, &above, &below),
            bytes: Some(bytes),
            processor: vec![program.of("program")],
            published: post.filter(|_| place.stores()),
            forms,
            above,
            below,
            ..Case::default()
        });
    }
    Ok(cases)
}
