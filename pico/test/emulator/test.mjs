// SPDX-License-Identifier: MIT OR Apache-2.0
// The firmware's edges against the emulator's truth: node test.mjs IMAGE.UF2
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import { Board, PINS } from './board.mjs';
import { flashOf } from './image.mjs';
import { Host } from './host.mjs';
import { Stamps } from './stamps.mjs';

const file = readFileSync(process.argv[2]);
const KEPT = 8192;

function started() {
  const board = new Board(flashOf(file));
  const host = new Host(board);
  const said = host.enumerate();
  host.line(true);
  return { board, host, said };
}

// Requests edges until the pulses are over and the device's clock has reached `us` microseconds.
function collected(host, us) {
  const stamps = new Stamps();
  while (stamps.running || stamps.ageUs < us) stamps.take(host.block('EDGES?'));
  return stamps;
}

// A fixed pseudo-random sequence, so that a failure can be repeated.
function random(seed) {
  let state = BigInt(seed);
  return (below) => {
    state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
    return Number(state >> 33n) % below;
  };
}

// Compares a line's time stamps with the real changes of the pin. Returns the smallest and the largest difference in
// cycles.
function distances(board, stamps, line, from = 0) {
  const truth = board.truth[line].filter(([cycle]) => cycle >= board.startedAt);
  const { edges } = stamps.lines[line];
  const found = edges.slice(from).map((edge) => {
    const [cycle, level] = truth[edge.number];
    assert.equal(level, edge.level, `level of edge ${edge.number} of line ${line}`);
    return board.startedAt + edge.at - cycle;
  });
  return { count: found.length, due: truth.length, min: Math.min(...found), max: Math.max(...found) };
}

const tests = {
  a_wrong_check_of_the_boot_is_noticed() {
    const spoilt = Buffer.from(file);
    spoilt[32] ^= 1;
    assert.throws(() => flashOf(spoilt), /second stage/);
  },

  the_device_is_a_serial_line_by_its_class() {
    const { host, said } = started();
    assert.equal(said.device.length, 18);
    assert.equal(said.configuration.length, said.configuration[2]);
    assert.deepEqual(said.strings.map((bytes) => Buffer.from(bytes.slice(2)).toString('utf16le')), ['backwall', 'pico']);
    assert.equal(host.command('*IDN?'), 'backwall,pico,0,1');
    assert.match(host.command('nonsense'), /^error unknown/);
    assert.match(host.command('RUN 3,9,9'), /^error high and low/);
  },

  every_edge_is_stamped_within_a_cycle_of_the_truth() {
    const { board, host } = started();
    const next = random(14);
    let answers = 0;
    board.onRise = (cycle) => {
      const at = cycle + 40 + next(300);
      board.drive(at, 3, true);
      board.drive(at + 10 + next(200), 3, false);
      board.drive(at + 20 + next(300), 4, true);
      board.drive(at + 330 + next(50), 4, false);
      answers++;
    };
    assert.equal(host.command('RUN 200,800,200'), 'ok');
    const stamps = collected(host, 2_030);
    assert.equal(answers, 200);
    const found = [0, 1, 2].map((line) => distances(board, stamps, line));
    for (const { count, due, min, max } of found) {
      assert.equal(count, 400);
      assert.equal(due, 400);
      assert.ok(max - min <= 1, `spread ${min} to ${max}`);
    }
    const all = found.flatMap(({ min, max }) => [min, max]);
    assert.ok(Math.min(...all) >= 0 && Math.max(...all) <= 3, `${all}`);
    console.log(`  1,200 edges; instants from ${Math.min(...all)} to ${Math.max(...all)} cycles after the truth`);
    assert.equal(stamps.spoilt, false);
    assert.equal(stamps.ticksPerS, 100_000_000);
  },

  the_generator_is_exact_to_a_tick() {
    const { board, host } = started();
    for (const [high, low, pulses] of [[4, 4, 5], [5, 6, 3], [100, 900, 7], [4, 2_000, 2]]) {
      board.truth[0].length = 0;
      assert.equal(host.command(`RUN ${high},${low},${pulses}`), 'ok');
      const stamps = collected(host, (pulses + 1) * (high + low) / 100);
      const truth = board.truth[0].map(([cycle]) => cycle);
      assert.equal(truth.length, 2 * pulses);
      truth.slice(1).forEach((cycle, i) => assert.equal(cycle - truth[i], i % 2 === 0 ? high : low));
      assert.equal(stamps.lines[0].edges.length, 2 * pulses, `all edges of ${high},${low} are stamped`);
    }
  },

  edges_that_the_ring_has_no_room_for_are_counted() {
    const { board, host } = started();
    const pulses = 5_000;
    assert.equal(host.command(`RUN 10,10,${pulses}`), 'ok');
    board.run((pulses + 2) * 20);
    const stamps = collected(host, 0);
    for (let more = 1; more > 0; ) {
      const before = stamps.lines[0].next;
      stamps.take(host.block('EDGES?'));
      more = stamps.lines[0].next - before;
    }
    const [line] = stamps.lines;
    assert.equal(line.next, 2 * pulses);
    assert.equal(line.edges.length + line.lost, 2 * pulses);
    assert.ok(line.lost >= 2 * pulses - KEPT && line.lost < 2 * pulses, `lost ${line.lost}`);
    const { min, max } = distances(board, stamps, 0);
    assert.ok(min >= 0 && max <= 3, `after a loss: ${min} to ${max}`);
    console.log(`  ${line.lost} of ${2 * pulses} edges lost and counted`);
  },

  a_line_that_is_high_at_the_start_rises_at_the_first_tick() {
    const { board, host } = started();
    board.set(3, true);
    board.drive(board.cycle, 3, true);
    assert.equal(host.command('RUN 10,1000,1'), 'ok');
    board.drive(board.cycle + 500, 3, false);
    const stamps = collected(host, 20);
    assert.deepEqual(stamps.lines[1].edges.map(({ level }) => level), [true, false]);
    assert.equal(stamps.lines[1].edges[0].at, 0);
  },

  pulses_end_when_the_host_closes_the_line() {
    const { board, host } = started();
    assert.equal(host.command('RUN 100,100,4000000'), 'ok');
    board.run(10_000);
    host.line(false);
    board.run(5_000);
    const edges = board.truth[0].length;
    assert.equal(board.levels[0], false);
    board.run(50_000);
    assert.equal(board.truth[0].length, edges);
    host.line(true);
    assert.equal(host.command('*IDN?'), 'backwall,pico,0,1');
  },

  a_host_that_leaves_in_the_midst_of_an_answer_does_not_block_the_next() {
    const { board, host } = started();
    assert.equal(host.command('RUN 10,10,3000'), 'ok');
    board.run(70_000);
    host.send(Buffer.from('EDGES?\n'));
    board.run(20_000);
    host.line(false);
    host.line(true);
    board.run(50_000);
    assert.equal(host.command('*IDN?').slice(-17), 'backwall,pico,0,1');
  },

  what_a_host_asked_that_is_gone_is_not_carried_out() {
    const { board, host } = started();
    const idle = () => {
      const edges = board.truth[0].length;
      board.run(50_000);
      assert.equal(board.truth[0].length, edges);
      assert.equal(host.command('*IDN?'), 'backwall,pico,0,1');
    };
    assert.equal(host.command('RUN 10,10,3000'), 'ok');
    board.run(70_000);
    // The firmware answers the first line of the first packet. The rest of this packet, and the second packet, are
    // still unread when the host closes the line.
    host.send(Buffer.from('EDGES?\nRUN 100,100,4000000\n'));
    host.send(Buffer.from('RUN 100,100,4000000\n'));
    board.run(20_000);
    host.line(false);
    host.line(true);
    idle();
  },

  sigrok_finds_an_analyzer() {
    const { host } = started();
    host.send([0, 0, 0, 0, 0]);
    assert.equal(Buffer.from(host.answer([2], (got) => got.length >= 4)).toString(), '1ALS');
    const said = host.answer([4], (got) => got.length >= 29);
    const name = Buffer.from('\x01backwall pico\0');
    const numbers = Buffer.from([0x21, 0, 0, 0x60, 0, 0x23, 5, 0xf5, 0xe1, 0, 0x40, 8, 0x41, 2, 0]);
    assert.deepEqual(Buffer.from(said), Buffer.concat([name, numbers]));
  },

  a_capture_for_sigrok_has_the_levels_of_the_lines() {
    const { board, host } = started();
    const samples = 1024;
    const counts = samples / 4 - 1;
    for (const divider of [0, 3, 99]) {
      board.run(100);
      const begin = board.cycle;
      for (let i = 0; i < 40_000; i += 97) board.drive(begin + i, 2 + ((i / 97) % 8), i % 2 === 0);
      const setting = [0x80, divider, 0, 0, 0, 0x81, counts & 0xff, counts >> 8, counts & 0xff, counts >> 8];
      const wanted = divider === 99 ? 3_000_000 : 1_000_000;
      const got = host.answer([...setting, 0x82, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0xc1, 0, 0, 0, 0, 1],
        (bytes) => bytes.length >= samples, wanted);
      assert.equal(got.length, samples);
      // The samples come newest first. The search finds the cycle of the first sample at which all samples agree with
      // the pins.
      const seen = got.slice().reverse();
      const level = (cycle) => PINS.reduce((bits, _, line) => bits | (levelAt(board.truth[line], cycle) ? 1 << line : 0), 0);
      const fits = (first) => seen.every((sample, i) => sample === level(first + i * (divider + 1)));
      let first = begin;
      while (first < begin + 20_000 && !fits(first)) first++;
      assert.ok(fits(first), `samples of every ${divider + 1} cycles are at no instant those of the lines`);
      board.until('the lines at rest', () => board.drives.length === 0, 100_000);
    }
  },

  a_trigger_waits_for_its_levels_and_keeps_what_was_before() {
    const { board, host } = started();
    const counts = 64 / 4 - 1;
    const after = 32 / 4 - 1;
    const setting = [0x80, 99, 0, 0, 0, 0x81, counts, 0, after, 0, 0xc0, 2, 0, 0, 0, 0xc1, 2, 0, 0, 0, 1];
    board.drive(board.cycle + 60_000, 3, true);
    const got = host.answer(setting, (bytes) => bytes.length >= 64).reverse();
    const rise = got.findIndex((sample) => (sample & 2) !== 0);
    assert.ok(rise >= 28 && rise <= 36, `the rise is sample ${rise}`);
  },

  a_trigger_that_comes_after_minutes_is_answered_with_its_samples() {
    const { board, host } = started();
    const [counts, after] = [64 / 4 - 1, 32 / 4 - 1];
    host.send([0x80, 99, 0, 0, 0, 0x81, counts, 0, after, 0, 0xc0, 2, 0, 0, 0, 0xc1, 2, 0, 0, 0, 1]);
    board.run(50_000);
    board.chip.dma.channels[3].transCount = 10; // as if the DMA had run for so long that its count is nearly over
    board.run(20_000);
    board.drive(board.cycle + 60_000, 3, true);
    const got = host.answer([], (bytes) => bytes.length >= 64).reverse();
    const rise = got.findIndex((sample) => (sample & 2) !== 0);
    assert.ok(rise >= 28 && rise <= 36, `the rise is sample ${rise}`);
  },

  pulses_end_an_analyzer_that_waits_for_its_trigger() {
    const { board, host } = started();
    host.send([0xc0, 2, 0, 0, 0, 0xc1, 2, 0, 0, 0, 1]);
    board.run(50_000);
    board.onRise = (cycle) => [[20, true], [60, false]].forEach(([after, level]) => board.drive(cycle + after, 3, level));
    assert.equal(host.command('RUN 100,900,5'), 'ok');
    const stamps = collected(host, 60);
    assert.deepEqual(stamps.lines.map(({ edges }) => edges.length), [10, 10, 0]);
    host.received = [];
    board.run(100_000);
    assert.deepEqual(host.received, []);
  },
};

// Finds the level of a pin at a cycle, by bisection.
function levelAt(changes, cycle) {
  let [low, high] = [0, changes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (changes[middle][0] <= cycle) low = middle + 1;
    else high = middle;
  }
  return low > 0 && changes[low - 1][1];
}

for (const [name, test] of Object.entries(tests)) {
  if (process.argv[3] && !name.includes(process.argv[3])) continue;
  const begin = Date.now();
  try {
    test();
    console.log(`PASS ${name} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
  } catch (error) {
    console.log(`FAIL ${name}: ${error.stack}`);
    process.exitCode = 1;
  }
}
