// SPDX-License-Identifier: MIT OR Apache-2.0
//! Test images of one size: drawings, which compress well, and noise, which does not; and their PNG files.
use backwall_stats::random::SplitMix;
use std::io::{Cursor, Error, Result};

pub(super) const WIDTH: usize = 256;
pub(super) const HEIGHT: usize = 192;
pub(super) const PIXEL_BYTES: usize = 4;

pub(super) fn drawing(number: usize) -> Vec<u8> {
    let pixel = |place: usize| {
        let stripe = (place % WIDTH / 16 + place / WIDTH / 16 + number) as u8;
        [stripe.wrapping_mul(16), 128, stripe.wrapping_mul(5), 255]
    };
    (0..WIDTH * HEIGHT).flat_map(pixel).collect()
}

pub(super) fn noise(number: usize, seed: u64) -> Vec<u8> {
    let mut random = SplitMix(seed.wrapping_add(number as u64));
    (0..WIDTH * HEIGHT * PIXEL_BYTES / 8).flat_map(|_| random.number().to_le_bytes()).collect()
}

pub(super) fn packed(pixels: &[u8]) -> Result<Vec<u8>> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, WIDTH as u32, HEIGHT as u32);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(Error::other)?;
    writer.write_image_data(pixels).map_err(Error::other)?;
    writer.finish().map_err(Error::other)?;
    Ok(file)
}

pub(super) fn decoded(file: &[u8]) -> Result<Vec<u8>> {
    let mut reader = png::Decoder::new(Cursor::new(file)).read_info().map_err(Error::other)?;
    let mut pixels = vec![0; WIDTH * HEIGHT * PIXEL_BYTES];
    reader.next_frame(&mut pixels).map_err(Error::other)?;
    Ok(pixels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_decoded_and_only_drawings_become_small() {
        for number in [0, 7] {
            let (drawing, noise) = (drawing(number), noise(number, 1));
            let (small, large) = (packed(&drawing).unwrap(), packed(&noise).unwrap());
            assert_eq!((decoded(&small).unwrap(), decoded(&large).unwrap()), (drawing.clone(), noise.clone()));
            assert!(small.len() * 20 < drawing.len() && large.len() > noise.len() * 99 / 100);
        }
        assert_ne!(drawing(0), drawing(1));
        assert!(decoded(b"no image").is_err());
    }
}
