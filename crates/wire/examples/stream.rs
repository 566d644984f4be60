// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prints a probe's stream record by record, and where it is damaged.
#![expect(clippy::disallowed_macros, reason = "an example shows what it found; the crate prints nothing")]
use backwall_wire::{Ending, Reader, Record, WireError};

/// The first record in version 2: type, number and length, then the device and its clock.
fn hello() -> Vec<u8> {
    let mut payload = b"BACKWALL".to_vec();
    payload.extend([2u32.to_le_bytes(), 1u32.to_le_bytes()].concat());
    payload.extend(1_000_000_000u64.to_le_bytes());
    payload.extend(b"fake\0scripted\0\0\0");
    [&[1, 0, 0, 0], &(payload.len() as u32).to_le_bytes()[..], &payload].concat()
}

fn told(stream: &[u8]) -> Result<String, WireError> {
    let mut reader = Reader::new(stream);
    let mut told = String::new();
    while let Some(record) = reader.read()? {
        if let Record::Hello(hello) = record {
            told += &format!("{} by its clock {} at {} Hz", hello.device, hello.clock, hello.rate.hz());
        }
    }
    Ok(if reader.ending() == Ending::Truncated { told + ", cut off" } else { told })
}

fn main() -> Result<(), WireError> {
    println!("{}", told(&hello())?);
    Ok(())
}

#[test]
fn a_stream_without_an_end_is_cut_off_and_a_broken_one_names_its_record() {
    assert_eq!(told(&hello()).unwrap(), "fake by its clock scripted at 1000000000 Hz, cut off");
    let broken = [hello(), vec![9; 8]].concat();
    assert!(told(&broken).unwrap_err().to_string().contains("record 1"));
}
