// SPDX-License-Identifier: MIT OR Apache-2.0
// The USB host of a board: enumerates the board as Linux does, opens the board's serial line, and carries bytes in both
// directions.
const ANSWER_CYCLES = 3_000_000;
const DATA = 2; // the endpoint that carries the serial line's bytes

export class Host {
  constructor(board) {
    this.board = board;
    this.usb = board.chip.usbCtrl;
    this.control = []; // packets from the board on endpoint 0
    this.wantsControl = false;
    this.wantsData = false;
    this.waiting = []; // bytes for the board
    this.received = [];
    this.onData = (bytes) => this.received.push(...bytes);
    this.reset = false;
    this.usb.onUSBEnabled = () => this.usb.resetDevice();
    this.usb.onResetReceived = () => (this.reset = true);
    this.usb.onEndpointWrite = (endpoint, bytes) =>
      endpoint === 0 ? this.control.push([...bytes]) : this.onData(bytes);
    this.usb.onEndpointRead = (endpoint) => {
      if (endpoint === 0) this.wantsControl = true;
      else this.wantsData = true;
      this.feed();
    };
  }

  feed() {
    if (!this.wantsData || this.waiting.length === 0) return;
    this.wantsData = false;
    this.usb.endpointReadDone(DATA, new Uint8Array(this.waiting.splice(0, 64)));
  }

  send(bytes) {
    this.waiting.push(...bytes);
    this.feed();
  }

  setup(type, request, value, length) {
    this.control = [];
    this.wantsControl = false;
    const low = (number) => number & 0xff;
    const packet = [type, request, low(value), value >> 8, 0, 0, low(length), length >> 8];
    this.usb.sendSetupPacket(new Uint8Array(packet));
  }

  // Makes a control transfer, and returns the board's answer of at most `length` bytes.
  ask(type, request, value, length) {
    this.setup(type, request, value, length);
    const bytes = () => this.control.flat();
    const over = () => bytes().length === length || this.control.some((packet) => packet.length < 64);
    this.board.until(`answer to request ${request}`, over, ANSWER_CYCLES);
    this.board.until('room for the end of the answer', () => this.wantsControl, ANSWER_CYCLES);
    this.usb.endpointReadDone(0, new Uint8Array(0));
    this.board.run(2_000);
    return bytes();
  }

  // Makes a control transfer that sends these bytes. The board acknowledges it with an empty packet.
  tell(type, request, value, bytes = []) {
    this.setup(type, request, value, bytes.length);
    if (bytes.length > 0) {
      this.board.until('room for bytes', () => this.wantsControl, ANSWER_CYCLES);
      this.usb.endpointReadDone(0, new Uint8Array(bytes));
    }
    const acknowledged = () => this.control.some((packet) => packet.length === 0);
    this.board.until(`acknowledgement of request ${request}`, acknowledged, ANSWER_CYCLES);
    this.board.run(2_000);
  }

  // Enumerates the board. Returns the bytes of its device, configuration and string descriptors.
  enumerate() {
    this.board.until('reset of the bus', () => this.reset, 10_000_000);
    const device = this.ask(0x80, 6, 0x0100, 64);
    this.tell(0x00, 5, 7);
    const length = this.ask(0x80, 6, 0x0200, 9)[2];
    const configuration = this.ask(0x80, 6, 0x0200, length);
    const strings = [1, 2].map((number) => this.ask(0x80, 6, 0x0300 + number, 255));
    this.tell(0x00, 9, 1);
    return { device, configuration, strings };
  }

  // Sends the requests that Linux sends when a program opens the serial line or, without `open`, closes it.
  line(open) {
    if (open) this.tell(0x21, 0x20, 0, [0x80, 0x25, 0, 0, 0, 0, 8]);
    this.tell(0x21, 0x22, open ? 3 : 0);
  }

  // Sends bytes, waits until `whole` accepts the received bytes as a complete answer, and returns them.
  answer(bytes, whole, cycles = ANSWER_CYCLES) {
    this.received = [];
    this.send(bytes);
    this.board.until(`answer to ${bytes}`, () => whole(this.received), cycles);
    return this.received;
  }

  // Sends a line and returns the line that answers it.
  command(text, cycles) {
    const bytes = this.answer(Buffer.from(`${text}\n`), (got) => got[got.length - 1] === 10, cycles);
    return Buffer.from(bytes).toString().trimEnd();
  }

  // Sends a line and returns the bytes of the block that answers it.
  block(text) {
    const length = (got) => Number(Buffer.from(got.slice(2, 7)).toString());
    const bytes = this.answer(Buffer.from(`${text}\n`), (got) => got.length >= 7 && got.length >= 8 + length(got));
    return Buffer.from(bytes.slice(7, 7 + length(bytes)));
  }
}
