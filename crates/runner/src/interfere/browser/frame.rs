// SPDX-License-Identifier: MIT OR Apache-2.0
//! The framebuffer that all threads draw to, one at a time.
use super::images::{HEIGHT, PIXEL_BYTES, WIDTH};

const ACROSS: usize = 4;

pub(super) struct Frame {
    pixels: Vec<u8>,
}

impl Frame {
    pub(super) fn of(images: usize) -> Self {
        Self { pixels: vec![0; images.div_ceil(ACROSS) * ACROSS * WIDTH * HEIGHT * PIXEL_BYTES] }
    }

    pub(super) fn draw(&mut self, number: usize, image: &[u8]) {
        let row_bytes = WIDTH * PIXEL_BYTES;
        let (left, top) = (number % ACROSS * row_bytes, number / ACROSS * HEIGHT);
        for (row, line) in image.chunks_exact(row_bytes).enumerate() {
            let start = (top + row) * ACROSS * row_bytes + left;
            let below = self.pixels[start..start + row_bytes].chunks_exact_mut(PIXEL_BYTES);
            below.zip(line.chunks_exact(PIXEL_BYTES)).for_each(|(below, pixel)| blend(below, pixel));
        }
    }

    #[cfg(test)]
    pub(super) fn pixels(&self) -> &[u8] {
        &self.pixels
    }
}

fn blend(below: &mut [u8], pixel: &[u8]) {
    let opacity = u32::from(pixel[3]);
    for (old, new) in below.iter_mut().zip(pixel).take(3) {
        *old = ((u32::from(*new) * opacity + u32::from(*old) * (255 - opacity)) / 255) as u8;
    }
    below[3] = 255;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_covers_its_own_place_and_no_other() {
        let mut frame = Frame::of(6);
        frame.draw(5, &[9, 8, 7, 255].repeat(WIDTH * HEIGHT));
        let drawn = frame.pixels().chunks(PIXEL_BYTES).filter(|pixel| **pixel == [9, 8, 7, 255]).count();
        assert_eq!(drawn, WIDTH * HEIGHT);
        let place = (HEIGHT * ACROSS + 1) * WIDTH * PIXEL_BYTES;
        assert_eq!(frame.pixels()[place..place + 4], [9, 8, 7, 255]);
        assert_eq!(frame.pixels()[place - 4..place], [0; 4]);
        frame.draw(5, &[255, 8, 7, 0].repeat(WIDTH * HEIGHT));
        assert_eq!(frame.pixels()[place..place + 4], [9, 8, 7, 255], "what is not opaque hides nothing");
    }
}
