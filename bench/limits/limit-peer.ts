import { setTimeout as delay } from "node:timers/promises";
import { OPCODE, RawWs } from "../../test/support/raw-ws.ts";
import type { Child } from "../load/processes.ts";
import type { LimitStream } from "./limit.ts";
import type { LimitQuestions } from "./limit-worker.ts";

/** The ping behind a burst, which is answered when all of the burst has been read. */
const SENT = "sent";
/** How often what is due is sent, ms. */
const STEP_MS = 10;
/** A second of a limit takes a little longer here, and its units are sent in the first part of it, ms. */
const SECOND_MS = 1_300;
const EVEN_MS = 800;

/** The far end of one stream: sends what it is told at the pace it is told, and reads nothing but what keeps the socket empty. */
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
   * Sends `perSecond` units a second for so long, and returns how many. All of a second's are sent evenly within the first part of
   * it: what is late in the pauses of this process and of the other does not fall into the next second, where it would be too many.
   */
  async send(unit: (index: number) => Uint8Array, perSecond: number, seconds: number, from = 0): Promise<number> {
    const total = Math.ceil(perSecond * seconds);
    let sent = 0;
    for (let startMs = performance.now(), begun = 0; sent < total && !this.ended; await delay(STEP_MS)) {
      const sinceMs = performance.now() - startMs;
      if (sinceMs >= SECOND_MS && perSecond >= 1) {
        startMs += sinceMs;
        begun = sent;
        continue;
      }
      const due = Math.min(total, begun + Math.floor(perSecond * Math.min(1, sinceMs / EVEN_MS)));
      const slowDue = Math.min(total, 1 + Math.floor((perSecond * sinceMs) / 1_000));
      const units: Uint8Array[] = [];
      for (; sent < (perSecond >= 1 ? due : slowDue); sent += 1) units.push(unit(from + sent));
      if (units.length > 0) this.#ws.write(Buffer.concat(units));
    }
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

  /** Lets a second of every limit pass in which nothing is sent. */
  pause(): Promise<void> {
    return delay(SECOND_MS);
  }

  close(): void {
    this.#ws.destroy();
  }
}
