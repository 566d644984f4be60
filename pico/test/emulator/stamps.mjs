// SPDX-License-Identifier: MIT OR Apache-2.0
// Converts blocks of counts to instants by the rules of wire/PICO.md. In these tests, no count passes 0.
export class Stamps {
  constructor() {
    this.lines = [0, 1, 2].map(() => ({ edges: [], next: 0, lost: 0 }));
    this.running = true;
    this.spoilt = false;
  }

  take(block) {
    const flags = block.readUInt32LE(0);
    this.running = (flags & 1) !== 0;
    this.spoilt ||= (flags & 2) !== 0;
    this.ticksPerS = block.readUInt32LE(4);
    this.ageUs = Number(block.readBigUInt64LE(8));
    let at = 40;
    this.lines.forEach((line, number) => {
      const first = block.readUInt32LE(16 + 8 * number);
      const count = block.readUInt32LE(20 + 8 * number);
      line.lost += first - line.next;
      for (let i = first; i < first + count; i++, at += 4) {
        const looks = 0xffffffff - block.readUInt32LE(at);
        line.edges.push({ number: i, level: i % 2 === 0, at: 2 * looks + 2 * Math.ceil(i / 2) + 3 * Math.floor(i / 2) });
      }
      line.next = first + count;
    });
    if (at !== block.length) throw new Error(`a block of ${block.length} bytes where its head tells ${at}`);
  }
}
