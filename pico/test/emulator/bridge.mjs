// SPDX-License-Identifier: MIT OR Apache-2.0
// The board as a serial line: node bridge.mjs IMAGE.UF2 LATENCY BUSY. Standard input goes to the firmware, and the
// firmware's output to standard output. The line `ready` on standard error means that the board is up. A simulated
// device is connected to the pins. It answers each pulse on GP3 after LATENCY cycles, and on GP4 after twice as many.
// It ignores pulses that come within BUSY cycles after an answered one.
import { readFileSync } from 'node:fs';
import { Board } from './board.mjs';
import { flashOf } from './image.mjs';
import { Host } from './host.mjs';

const SLICE_CYCLES = 2_000;
const WIDTH_CYCLES = 20;
const [latency, busy] = process.argv.slice(3).map(Number);
const board = new Board(flashOf(readFileSync(process.argv[2])));
const host = new Host(board);
let free = 0;

board.onRise = (cycle) => {
  if (cycle < free) return;
  free = cycle + busy;
  [3, 4].forEach((pin, i) => {
    const at = cycle + latency * (i + 1);
    board.drive(at, pin, true);
    board.drive(at + WIDTH_CYCLES, pin, false);
  });
};

// If nobody reads the output any more, the board ends.
process.stdout.on('error', () => process.exit(0));
process.stdin.on('end', () => process.exit(0));
host.enumerate();
host.line(true);
process.stderr.write('ready\n');
host.onData = (bytes) => bytes.length > 0 && process.stdout.write(Buffer.from(bytes));
process.stdin.on('data', (bytes) => host.send(bytes));

function slice() {
  board.run(SLICE_CYCLES);
  setImmediate(slice);
}
slice();
