// SPDX-License-Identifier: MIT OR Apache-2.0
//! Builds binary files for tests of the readers, field by field from the specifications.
use flate2::Compression;
use flate2::write::DeflateEncoder;
use rawzip::{CompressionMethod, ZipArchiveWriter};
use std::io::Write;

/// A sigrok session: a ZIP archive of these files, compressed where `packed` returns true.
pub fn sigrok(parts: &[(&str, &[u8])], packed: impl Fn(usize) -> bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut archive = ZipArchiveWriter::new(&mut bytes);
    for (number, (name, content)) in parts.iter().enumerate() {
        let packed = packed(number);
        let method = if packed { CompressionMethod::DEFLATE } else { CompressionMethod::STORE };
        let (mut entry, config) = archive.new_file(name).compression_method(method).start().unwrap();
        let descriptor = if packed {
            let mut writer = config.wrap(DeflateEncoder::new(&mut entry, Compression::default()));
            writer.write_all(content).unwrap();
            let (encoder, descriptor) = writer.finish().unwrap();
            encoder.finish().unwrap();
            descriptor
        } else {
            let mut writer = config.wrap(&mut entry);
            writer.write_all(content).unwrap();
            writer.finish().unwrap().1
        };
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap();
    bytes
}

/// An Agilent file with one waveform of channel 2, with a sample every microsecond.
pub fn agilent(volts: &[f32]) -> Vec<u8> {
    let mut head = vec![0; 140];
    let mut put = |offset: usize, bytes: &[u8]| head[offset..offset + bytes.len()].copy_from_slice(bytes);
    put(0, &140u32.to_le_bytes());
    put(12, &(volts.len() as u32).to_le_bytes());
    put(32, &1e-6f64.to_le_bytes());
    put(112, b"2");
    let buffer = [&12u32.to_le_bytes()[..], &[1, 0, 4, 0], &(volts.len() as u32 * 4).to_le_bytes()].concat();
    let samples: Vec<u8> = volts.iter().flat_map(|volts| volts.to_le_bytes()).collect();
    [&b"AG10"[..], &[0; 4], &1u32.to_le_bytes(), &head, &buffer, &samples].concat()
}
