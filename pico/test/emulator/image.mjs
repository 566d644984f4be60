// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads a UF2 file as the boot ROM does. It accepts only valid blocks, and only a second stage with the right checksum.
const BLOCK = 512;
const FLASH = 0x10000000;
const BOOT_BYTES = 252;

// The boot ROM's CRC-32, by polynomial division of a bit string. The image's builder computes it in another way.
function check(bytes) {
  let rest = 0xffffffffn;
  for (const byte of bytes) {
    rest ^= BigInt(byte) << 24n;
    rest <<= 8n;
    for (let bit = 39n; bit >= 32n; bit--) {
      if ((rest >> bit) & 1n) rest ^= 0x104c11db7n << (bit - 32n);
    }
  }
  return Number(rest);
}

function wrong(text) {
  throw new Error(`image: ${text}`);
}

// Returns the contents of the flash that the file describes, from the first byte of the flash on.
export function flashOf(file) {
  if (file.length === 0 || file.length % BLOCK !== 0) wrong('not whole blocks');
  const blocks = file.length / BLOCK;
  const flash = new Uint8Array(blocks * 256);
  for (let number = 0; number < blocks; number++) {
    const block = new DataView(file.buffer, file.byteOffset + number * BLOCK, BLOCK);
    const head = [0, 4, 8, 12, 16, 20, 24, 28, 508].map((at) => block.getUint32(at, true));
    const wanted = [0x0a324655, 0x9e5d5157, 0x2000, FLASH + 256 * number, 256, number, blocks, 0xe48bff56, 0x0ab16f30];
    if (head.some((word, i) => word !== wanted[i])) wrong(`block ${number} begins with ${head}`);
    flash.set(file.subarray(number * BLOCK + 32, number * BLOCK + 288), number * 256);
  }
  const said = new DataView(flash.buffer).getUint32(BOOT_BYTES, true);
  if (check(flash.subarray(0, BOOT_BYTES)) !== said) wrong('the check of the second stage is wrong');
  return flash;
}
