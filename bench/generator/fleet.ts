import { setTimeout as delay } from "node:timers/promises";
import { FRAME_MS } from "../../src/core/limits/streams/media.ts";
import { frameBytes } from "../../src/simulator/audio/format.ts";
import { formatsOf, type SimulatedWire } from "../../src/simulator/lines.ts";
import { FrameTimes } from "../measurement/frame-times.ts";
import { benchLine } from "../rig/lines.ts";
import { machineMonotonicMs } from "../rig/monotonic.ts";
import { type CallerSink, LeanCaller } from "./lean-caller.ts";
import { type PreparedStream, prepareStream } from "./prepared-stream.ts";
import type { FleetOptions, FleetReport, GeneratorSample } from "./protocol.ts";

/** Different callers, so that the service does not hear the same words everywhere at once; the calls share them out. */
const STREAMS = 4;
/** Calls speak on while others hang up, and while the last full callers come to their end. */
const FRAMES_BEYOND = 1_500;
/** Handshakes at a time: more than a listen queue holds must not connect at once. */
const CONNECTING_MAX = 32;
/** What is under way when the calls fall silent arrives within this time. */
const DRAIN_MS = 300;
const SLOT_MS = 1;

/**
 * Many calls on one clock. Every call is due each 20 ms; the calls are spread over twenty slots of 1 ms, as real ones are, which
 * know nothing of each other. Due times are absolute: what a late timer missed is sent at once, and nothing is left out.
 */
export class Fleet implements CallerSink {
  readonly #callers: LeanCaller[];
  readonly #slots: LeanCaller[][] = Array.from({ length: FRAME_MS / SLOT_MS }, () => []);
  readonly #startsMs: Float64Array;
  readonly #sent: FrameTimes;
  readonly #received: FrameTimes;
  readonly #losses: string[] = [];
  readonly #connectingMax: number;
  #sentFrames = 0;
  #receivedFrames = 0;
  #slot = 0;
  #nextMs: number;
  #running = true;

  constructor({ target, wire, paths, framesMax, baseMs, audio, connectingMax = CONNECTING_MAX }: FleetOptions) {
    const lines = prepareStreams(wire, audio, framesMax + FRAMES_BEYOND);
    this.#callers = paths.map(
      (path, index) =>
        new LeanCaller({ index, target, path, stream: lines[index % STREAMS] as PreparedStream, sink: this }),
    );
    this.#startsMs = new Float64Array(paths.length).fill(Number.NaN);
    this.#sent = new FrameTimes({ calls: paths.length, framesMax, baseMs });
    this.#received = new FrameTimes({ calls: paths.length, framesMax, baseMs });
    this.#connectingMax = connectingMax;
    this.#nextMs = baseMs;
  }

  /** Connects all calls; each streams as soon as it is connected. Rejects when one is refused. */
  async connect(): Promise<void> {
    this.#nextMs = machineMonotonicMs();
    this.#turn();
    const waiting = this.#callers.values();
    const dial = async (): Promise<void> => {
      for (const caller of waiting) {
        await caller.connect();
        (this.#slots[caller.index % this.#slots.length] as LeanCaller[]).push(caller);
      }
    };
    try {
      await Promise.all(Array.from({ length: this.#connectingMax }, dial));
    } catch (error) {
      this.#running = false;
      for (const caller of this.#callers) caller.drop();
      throw error;
    }
  }

  sample(): GeneratorSample {
    const { user, system } = process.cpuUsage();
    return {
      atMs: machineMonotonicMs(),
      sentFrames: this.#sentFrames,
      receivedFrames: this.#receivedFrames,
      lostCalls: this.#losses.length,
      cpuUs: user + system,
    };
  }

  /** Falls silent, takes what still comes, and hangs up; resolves when every connection is closed. */
  async finish(): Promise<FleetReport> {
    this.#running = false;
    await delay(DRAIN_MS);
    await Promise.all(this.#callers.map((caller) => caller.hangUp()));
    return { startsMs: this.#startsMs, sent: this.#sent.data, received: this.#received.data, losses: this.#losses };
  }

  received(caller: LeanCaller): void {
    this.#receivedFrames += 1;
    this.#received.stamp(caller.index, machineMonotonicMs());
  }

  lost(caller: LeanCaller, why: string): void {
    this.#losses.push(`call ${caller.index} after ${caller.frames} frames: ${why}`);
    for (const slot of this.#slots) if (slot.includes(caller)) slot.splice(slot.indexOf(caller), 1);
  }

  readonly #turn = (): void => {
    if (!this.#running) return;
    // What falls due meanwhile waits for the next turn: in between comes what the service has sent.
    for (const nowMs = machineMonotonicMs(); this.#nextMs <= nowMs; this.#nextMs += SLOT_MS) {
      for (const caller of this.#slots[this.#slot] as LeanCaller[]) this.#send(caller);
      this.#slot = (this.#slot + 1) % this.#slots.length;
    }
    setTimeout(this.#turn, this.#nextMs - machineMonotonicMs());
  };

  #send(caller: LeanCaller): void {
    if (!this.#running) return;
    if (caller.frames === 0) this.#startsMs[caller.index] = this.#nextMs;
    // Before the write: the service may have the frame before the kernel gives us back the time.
    const atMs = machineMonotonicMs();
    if (!caller.sendFrame()) {
      // The calls were to last shorter: a machine that stood still made the measurement long. Losses make it show nothing.
      this.#running = false;
      this.#losses.push(`call ${caller.index} after ${caller.frames} frames: the audio prepared for it was used up`);
      return;
    }
    this.#sent.stamp(caller.index, atMs);
    this.#sentFrames += 1;
  }
}

function prepareStreams(wire: SimulatedWire, audio: Uint8Array, frames: number): PreparedStream[] {
  const apart = Math.floor(audio.length / frameBytes(formatsOf(benchLine(wire)).inbound) / STREAMS);
  return Array.from({ length: STREAMS }, (_, line) => prepareStream(wire, audio, frames, line * apart));
}
