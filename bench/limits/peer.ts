import { setTimeout as delay } from "node:timers/promises";
import { OPCODE, RawWs } from "../../test/support/network/raw-ws.ts";
import type { Child } from "../rig/child-process.ts";
import type { LimitStream, RateLimit } from "./limit.ts";
import type { LimitQuestions } from "./worker.ts";

/** The ping after a burst. Its pong shows that the whole burst has been read. */
const SENT = "sent";
/** How often what is due is sent, ms. */
const STEP_MS = 10;
/** A second of a limit takes a little longer here, and its units are sent in the first part of it, ms. */
export const SECOND_MS = 1_300;
const EVEN_MS = 800;

/** The far end of one stream: sends given messages at a given pace, and reads only to keep the socket empty. */
export class LimitPeer {
  readonly #ws: RawWs;
  readonly openedMs = performance.now();

  private constructor(ws: RawWs) {
    this.#ws = ws;
  }

  /** Opens a call of this stream; rejects when it is refused. */
  static async open(worker: Child<LimitQuestions>, { name, spec, opening }: LimitStream): Promise<LimitPeer> {
    const { port, path } = await worker.ask("create", spec);
    const ws = await RawWs.connect(`ws://127.0.0.1:${port}`);
    const answer = await ws.upgrade(path);
    if (answer?.status !== 101) throw new Error(`${name}: the stream was refused with ${answer?.status}`);
    for (const text of opening) ws.sendText(text);
    return new LimitPeer(ws);
  }

  /** The worker has closed the stream. */
  get ended(): boolean {
    return this.#ws.ended;
  }

  write(bytes: Uint8Array): void {
    this.#ws.write(bytes);
  }

  /**
   * Sends `total` units, no more than `part` of a second allows, and returns how many it has sent when that much time and a little more
   * has gone by. They are sent evenly within the first part of it: what is late in the pauses of this process and of the other does not
   * fall into the next second, where it would be too many.
   */
  async send({ unit }: Pick<RateLimit, "unit">, total: number, part: number, from: number): Promise<number> {
    const startMs = performance.now();
    let sent = 0;
    for (; sent < total && !this.ended; await delay(STEP_MS)) {
      const due = Math.min(total, 1 + Math.floor((total * (performance.now() - startMs)) / (EVEN_MS * part)));
      const units: Uint8Array[] = [];
      for (; sent < due; sent += 1) units.push(unit(from + sent));
      if (units.length > 0) this.#ws.write(Buffer.concat(units));
    }
    await delay(startMs + SECOND_MS * part - performance.now());
    return sent;
  }

  /** Sends all of it; resolves when the worker has read it. */
  async sendAll(bytes: Uint8Array): Promise<void> {
    this.#ws.write(bytes);
    this.#ws.sendFrame({ opcode: OPCODE.ping, payload: SENT });
    for (let frame = await this.#ws.readFrame(); frame !== undefined; frame = await this.#ws.readFrame()) {
      if (frame.opcode === OPCODE.pong && frame.payload.toString() === SENT) return;
    }
  }

  close(): void {
    this.#ws.destroy();
  }
}
