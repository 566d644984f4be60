// SPDX-License-Identifier: MIT OR Apache-2.0
// A Raspberry Pi Pico in the emulator rp2040js, whose PIO is stepped with its processor, cycle by cycle.
//
// The emulator runs PIO on a separate clock, ignores PIO's clock divider, and does not feed an output pin's level back
// to the pin's input. This file corrects all three. For every pin it records at which cycles the level really changed.
import { GPIOPinState, LogLevel, ConsoleLogger, RP2040 } from 'rp2040js';
import { SimulationClock } from './node_modules/rp2040js/dist/esm/clock/simulation-clock.js';

const BOOT_AT = 0x20041f00;
const BOOT_BYTES = 256;
const STACK_AT_BOOT = 0x20042000;
const CYCLE_NS = 10; // one cycle at the 100 MHz that the firmware sets
const DMA_ABORT = 0x444;
export const PINS = [2, 3, 4, 5, 6, 7, 8, 9];

export class Board {
  constructor(flash) {
    this.cycle = 0;
    this.startedAt = null; // the cycle at which the timestamper's state machines started last
    this.truth = PINS.map(() => []); // for each pin, its changes as [cycle, level]
    this.levels = PINS.map(() => false);
    this.drives = []; // future levels from outside: [cycle, pin, level], in order of time
    this.onRise = null; // called with the cycle when the generator's pin rises
    this.chip = new RP2040(new SimulationClock());
    this.chip.logger = new ConsoleLogger(LogLevel.Error);
    this.chip.flash.set(flash);
    this.boot(flash);
    this.tame();
  }

  // Copies the second stage to memory and calls it, as the boot ROM does.
  boot(flash) {
    this.chip.sram.set(flash.subarray(0, BOOT_BYTES), BOOT_AT - 0x20000000);
    this.chip.core.SP = STACK_AT_BOOT;
    this.chip.core.PC = BOOT_AT;
  }

  tame() {
    this.next = this.chip.pio.map((pio) => {
      pio.run = () => {};
      return pio.machines.map(() => 0);
    });
    const { dma } = this.chip;
    const read = dma.readUint32.bind(dma);
    // This register shows which DMA aborts are not complete yet. Here every abort is complete at once.
    dma.readUint32 = (offset) => (offset === DMA_ABORT ? 0 : read(offset));
    this.chip.gpio[2].addListener((state) => {
      if (state === GPIOPinState.High || state === GPIOPinState.Low) this.set(2, state === GPIOPinState.High);
    });
  }

  set(pin, level) {
    const index = pin - PINS[0];
    if (this.levels[index] === level) return;
    this.levels[index] = level;
    this.truth[index].push([this.cycle, level]);
    this.chip.gpio[pin].setInputValue(level);
    if (pin === 2 && level) this.onRise?.(this.cycle);
  }

  // Sets a pin to a level at a later cycle.
  drive(cycle, pin, level) {
    let at = this.drives.length;
    while (at > 0 && this.drives[at - 1][0] > cycle) at--;
    this.drives.splice(at, 0, [cycle, pin, level]);
  }

  tickPio(number) {
    const pio = this.chip.pio[number];
    const next = this.next[number];
    let ran = false;
    for (let i = 0; i < 4; i++) {
      const machine = pio.machines[i];
      if (!machine.enabled) {
        next[i] = 0;
        continue;
      }
      if (next[i] === 0 && number === 0 && i === 0) this.startedAt = this.cycle;
      if (next[i] > this.cycle) continue;
      const before = machine.cycles;
      machine.step();
      next[i] = this.cycle + Math.max(1, machine.cycles - before) * (machine.clockDivInt || 65536);
      ran = true;
    }
    if (ran) pio.checkChangedPins();
  }

  // Executes one instruction of the processor, and advances everything else by the same number of cycles.
  step() {
    const { core, clock, pio } = this.chip;
    const cycles = core.waiting ? 1 : core.executeInstruction();
    if (pio[0].stopped && pio[1].stopped && this.drives.length === 0) {
      this.cycle += cycles;
      clock.tick(cycles * CYCLE_NS);
      return;
    }
    for (let i = 0; i < cycles; i++) {
      this.cycle++;
      while (this.drives.length > 0 && this.drives[0][0] <= this.cycle) {
        const [, pin, level] = this.drives.shift();
        this.set(pin, level);
      }
      if (!pio[0].stopped) this.tickPio(0);
      if (!pio[1].stopped) this.tickPio(1);
      clock.tick(CYCLE_NS);
    }
  }

  // Continues until `holds` returns true; throws an error after this number of cycles.
  until(what, holds, cycles) {
    const end = this.cycle + cycles;
    while (!holds()) {
      if (this.cycle > end) throw new Error(`not within ${cycles} cycles: ${what}`);
      this.step();
    }
  }

  run(cycles) {
    const end = this.cycle + cycles;
    while (this.cycle < end) this.step();
  }
}
