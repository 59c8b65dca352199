import { setTimeout as delay } from "node:timers/promises";
import { RawWs } from "../../test/support/raw-ws.ts";
import type { Child } from "../load/processes.ts";
import type { LimitStream } from "./limit.ts";
import type { LimitQuestions } from "./limit-worker.ts";

/** How often what is due is sent, ms. */
const STEP_MS = 10;

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

  /** Sends `perSecond` units a second for so long, evenly, never more than are due; returns how many. */
  async send(unit: (index: number) => Uint8Array, perSecond: number, seconds: number, from = 0): Promise<number> {
    const startMs = performance.now();
    const total = Math.floor(perSecond * seconds);
    let sent = 0;
    while (sent < total && !this.ended) {
      const due = Math.min(total, Math.floor(((performance.now() - startMs) / 1_000) * perSecond));
      // Behind a pause of this process what was missed is left out: sent at once it would exceed the limit.
      const units: Uint8Array[] = [];
      for (; sent < due; sent += 1) units.push(unit(from + sent));
      if (units.length > 0) this.#ws.write(Buffer.concat(units));
      await delay(STEP_MS);
    }
    return sent;
  }

  close(): void {
    this.#ws.destroy();
  }
}
