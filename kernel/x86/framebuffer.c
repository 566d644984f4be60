// SPDX-License-Identifier: MIT OR Apache-2.0
// Sets VGA mode 13h by its registers, which works on any PC without the BIOS. IBM VGA Technical Reference, 2-40 on.
#include "board.h"
#include "machine.h"

#define FRAMEBUFFER 0xA0000ull
#define VGA_ATTRIBUTE 0x3C0
#define VGA_MISCELLANEOUS 0x3C2
#define VGA_SEQUENCER 0x3C4
#define VGA_PALETTE_INDEX 0x3C8
#define VGA_PALETTE_DATA 0x3C9
#define VGA_GRAPHICS 0x3CE
#define VGA_CRTC 0x3D4
#define VGA_STATUS 0x3DA
#define CRTC_END_RETRACE 0x11
#define ATTRIBUTE_VIDEO_ON 0x20
#define PALETTE_COLOURS 256

static const uint8_t sequencer[] = {0x03, 0x01, 0x0F, 0x00, 0x0E};
static const uint8_t crtc[] = {0x5F, 0x4F, 0x50, 0x82, 0x54, 0x80, 0xBF, 0x1F, 0x00, 0x41, 0x00, 0x00, 0x00,
                               0x00, 0x00, 0x00, 0x9C, 0x0E, 0x8F, 0x28, 0x40, 0x96, 0xB9, 0xA3, 0xFF};
static const uint8_t graphics[] = {0x00, 0x00, 0x00, 0x00, 0x00, 0x40, 0x05, 0x0F, 0xFF};
static const uint8_t attribute[] = {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A,
                                    0x0B, 0x0C, 0x0D, 0x0E, 0x0F, 0x41, 0x00, 0x0F, 0x00, 0x00};

static void registers_write(uint16_t port, const uint8_t *values, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        out8(port, (uint8_t)i);
        out8((uint16_t)(port + 1), values[i]);
    }
}

static void attributes_write(void)
{
    in8(VGA_STATUS); // afterwards the next write is an index
    for (unsigned i = 0; i < sizeof attribute; i++) {
        out8(VGA_ATTRIBUTE, (uint8_t)i);
        out8(VGA_ATTRIBUTE, attribute[i]);
    }
    out8(VGA_ATTRIBUTE, ATTRIBUTE_VIDEO_ON);
}

// Three bits of red and green, two of blue.
static void palette_write(void)
{
    out8(VGA_PALETTE_INDEX, 0);
    for (unsigned colour = 0; colour < PALETTE_COLOURS; colour++) {
        out8(VGA_PALETTE_DATA, (uint8_t)((colour >> 5) * 9));
        out8(VGA_PALETTE_DATA, (uint8_t)((colour >> 2 & 7) * 9));
        out8(VGA_PALETTE_DATA, (uint8_t)((colour & 3) * 21));
    }
}

uint8_t *framebuffer_start(void)
{
    out8(VGA_MISCELLANEOUS, 0x63);
    registers_write(VGA_SEQUENCER, sequencer, sizeof sequencer);
    out8(VGA_CRTC, CRTC_END_RETRACE); // its highest bit write-protects the first eight registers
    out8(VGA_CRTC + 1, crtc[CRTC_END_RETRACE] & 0x7F);
    registers_write(VGA_CRTC, crtc, sizeof crtc);
    registers_write(VGA_GRAPHICS, graphics, sizeof graphics);
    attributes_write();
    palette_write();
    uint8_t *picture = (uint8_t *)FRAMEBUFFER;
    for (unsigned i = 0; i < FRAMEBUFFER_WIDTH * FRAMEBUFFER_HEIGHT; i++)
        picture[i] = 0;
    return picture;
}
