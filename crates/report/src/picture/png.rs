// SPDX-License-Identifier: MIT OR Apache-2.0
//! A picture as PNG: rectangles blended into pixels, letters from an 8 × 8 raster font.
use super::plate::{Block, HEIGHT, Ink, Label, Plate, WIDTH};
use font8x8::UnicodeFonts;

const SCALE: u32 = 2; // pixels of the file per pixel of the picture
const COLUMNS: usize = (WIDTH * SCALE) as usize;
const ROWS: usize = (HEIGHT * SCALE) as usize;
const LETTER: u32 = 8;

/// The colour of an ink on white paper, the same as the style sheet's by day.
fn colour(ink: Ink) -> [u8; 3] {
    const CHANNELS: [[u8; 3]; 4] = [[0x5b, 0x64, 0x70], [0x0b, 0x5f, 0xc0], [0xc2, 0x41, 0x0c], [0x0f, 0x7b, 0x56]];
    match ink {
        Ink::Screen => [0xf4, 0xf7, 0xf4],
        Ink::Graticule => [0xcc, 0xd6, 0xcc],
        Ink::Text => [0x16, 0x19, 0x1d],
        Ink::Soft => CHANNELS[0],
        Ink::Channel(number) => CHANNELS[number % CHANNELS.len()],
    }
}

pub(super) fn write(plate: &Plate) -> Vec<u8> {
    let mut canvas = Canvas { pixels: vec![255; COLUMNS * ROWS * 3] };
    plate.blocks.iter().for_each(|block| canvas.block(block));
    plate.labels.iter().for_each(|label| canvas.label(label));
    let mut file = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut file, COLUMNS as u32, ROWS as u32);
    encoder.set_color(::png::ColorType::Rgb);
    encoder.set_depth(::png::BitDepth::Eight);
    let mut writer = encoder.write_header().expect("writing to memory does not fail");
    writer.write_image_data(&canvas.pixels).expect("as many pixels as announced");
    drop(writer);
    file
}

struct Canvas {
    pixels: Vec<u8>, // three bytes a pixel, row by row
}

impl Canvas {
    fn block(&mut self, block: &Block) {
        let columns = block.x * SCALE..(block.x + block.width) * SCALE;
        for y in block.y * SCALE..(block.y + block.height) * SCALE {
            columns.clone().for_each(|x| self.blend(x, y, colour(block.ink), block.strength));
        }
    }

    /// Draws a label. Letters missing in the font become `?`; text beyond the picture is cut off.
    fn label(&mut self, label: &Label) {
        let letters = WIDTH * SCALE / (LETTER + 2); // as many letters as fit
        let width = if label.ends_at_x { label.text.chars().count() as u32 * (LETTER + 2) } else { 0 };
        let (mut x, top) = ((label.x * SCALE).saturating_sub(width), label.y * SCALE - 2 * LETTER + 2);
        for letter in label.text.chars().take(letters as usize) {
            let glyph = font8x8::BASIC_FONTS.get(letter).or_else(|| font8x8::BASIC_FONTS.get('?')).unwrap_or_default();
            for (row, bits) in glyph.iter().enumerate() {
                for column in (0..LETTER).filter(|column| bits >> column & 1 == 1) {
                    self.blend(x + column, top + 2 * row as u32, colour(label.ink), 255);
                    self.blend(x + column, top + 2 * row as u32 + 1, colour(label.ink), 255);
                }
            }
            x += LETTER + 2;
        }
    }

    fn blend(&mut self, x: u32, y: u32, ink: [u8; 3], strength: u8) {
        let (x, y) = (x as usize, y as usize);
        if x >= COLUMNS || y >= ROWS {
            return;
        }
        let pixel = &mut self.pixels[(y * COLUMNS + x) * 3..][..3];
        for (below, above) in pixel.iter_mut().zip(ink) {
            let mixed = u32::from(*below) * (255 - u32::from(strength)) + u32::from(above) * u32::from(strength);
            *below = (mixed / 255) as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ink_has_the_colour_that_the_style_sheet_gives_it_by_day() {
        let inks = [
            ("screen", Ink::Screen),
            ("graticule", Ink::Graticule),
            ("ink", Ink::Text),
            ("soft", Ink::Soft),
            ("soft", Ink::Channel(0)),
            ("c0", Ink::Channel(1)),
            ("c1", Ink::Channel(2)),
            ("c2", Ink::Channel(3)),
        ];
        let by_day = include_str!("../page.css").split("@media").next().unwrap();
        for (name, ink) in inks {
            let [red, green, blue] = colour(ink);
            let rule = format!("--{name}: #{red:02x}{green:02x}{blue:02x};");
            assert!(by_day.contains(&rule), "{rule}");
        }
    }
}
