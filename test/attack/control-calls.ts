import { FRAME_MS } from "../../src/core/limits/streams/media.ts";
import { CountingCaller } from "../callers/counting-caller.ts";
import { pause } from "./connections.ts";
import type { ServiceApi } from "./service-api.ts";

/** How the calls beside an attack have fared. */
export interface ControlReport {
  calls: number;
  /** Frames of the callers, and how many of them the service did not count. */
  sent: number;
  lostIn: number;
  /** Frames that the service sent, and how many of them did not come. */
  heard: number;
  lostOut: number;
  /** Calls that ended before their callers hung up. */
  broken: number;
}

/** One agent in so many speaks: with all of them it would be the voice that a busy machine fails first. */
const SPEAKING_EVERY = 4;
const GREETING = "Good day, this is the bakery, and it is open from Tuesday to Sunday. ".repeat(4);
/** Every caller asks for a sign of life so often. */
const PING_EVERY_FRAMES = 5;
/** A machine may hold us up for longer than a caller may be held up. */
const LATE_MS_MAX = 500;
const CLOSED_MS_MAX = 10_000;

/** Calls of carrier_a that do nothing wrong, while others do. */
export class ControlCalls {
  readonly #api: ServiceApi;
  readonly #callers: readonly CountingCaller[];
  readonly #ticking: Promise<void>;
  #running = true;

  private constructor(api: ServiceApi, callers: readonly CountingCaller[]) {
    this.#api = api;
    this.#callers = callers;
    this.#ticking = this.#tick();
  }

  /** Resolves when all of them are live. */
  static async begin(api: ServiceApi, count: number): Promise<ControlCalls> {
    const calls = await api.createAll(count, (index) =>
      index % SPEAKING_EVERY === 0 ? { greeting: GREETING, interruptible: false } : { firstSpeaker: "user" },
    );
    const callers = calls.map(({ id, websocketUrl }) => new CountingCaller(id, websocketUrl, () => performance.now()));
    const control = new ControlCalls(api, callers);
    const untilMs = performance.now() + CLOSED_MS_MAX;
    while (callers.some(({ story }) => story.outcome === "dialling") && performance.now() < untilMs)
      await pause(FRAME_MS);
    return control;
  }

  /** How long the service took to answer, ms, of everything that was asked since this was called last; sorted. */
  answersMs(): number[] {
    return this.#callers.flatMap(({ answersMs }) => answersMs.splice(0)).sort((a, b) => a - b);
  }

  /** Drops whatever streams there are still, at once. */
  leave(): void {
    this.#running = false;
    for (const caller of this.#callers) caller.drop();
  }

  /** Hangs up, and compares what the callers know with the records. */
  async end(): Promise<ControlReport> {
    this.#running = false;
    await this.#ticking;
    const broken = this.#callers.filter(({ story }) => story.outcome !== "live").length;
    for (const caller of this.#callers) caller.hangUp();
    const untilMs = performance.now() + CLOSED_MS_MAX;
    while (!this.#callers.every(({ isOver }) => isOver) && performance.now() < untilMs) await pause(FRAME_MS);
    const report: ControlReport = { calls: this.#callers.length, sent: 0, lostIn: 0, heard: 0, lostOut: 0, broken };
    for (const { story } of this.#callers) {
      const { counters } = await this.#api.ended(story.callId, CLOSED_MS_MAX);
      report.sent += story.sent;
      report.lostIn += story.sent - (counters?.framesIn ?? 0);
      report.heard += story.received;
      report.lostOut += (counters?.framesOut ?? 0) - story.received;
    }
    return report;
  }

  /** Every call is due each 20 ms; the calls are spread over four slots. */
  async #tick(): Promise<void> {
    const slotMs = FRAME_MS / 4;
    let dueMs = performance.now();
    for (let count = 0; this.#running; count += 1) {
      dueMs += slotMs;
      await pause(Math.max(0, dueMs - performance.now()));
      const lateMs = performance.now() - dueMs;
      // What we could not say in time is not said: all at once it would be a flood, and the service would be right to end it.
      if (lateMs > LATE_MS_MAX) dueMs += lateMs;
      const frame = Math.floor(count / 4);
      for (let at = count % 4; at < this.#callers.length; at += 4) {
        this.#callers[at]?.sendFrames(1);
        if ((frame + at) % PING_EVERY_FRAMES === 0) this.#callers[at]?.ping();
      }
    }
  }
}
