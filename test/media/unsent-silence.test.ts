import { describe, expect, test } from "vitest";
import { UNSENT_FRAMES_MAX } from "../../src/core/limits/streams/caller-audio.ts";
import { FRAME_MS } from "../../src/core/limits/streams/media.ts";
import { UnsentSilence } from "../../src/media/unsent-silence.ts";
import { Random } from "../support/random.ts";

/** A peer with DTX and the leg that it sends to: the leg's media timeline, and its ticks. */
class Line {
  readonly #unsent = new UnsentSilence();
  readonly #packetMs: number;
  readonly #slackMs: number;
  readonly #tickPhaseMs: number;
  nowMs = 0;
  /** The length of the media timeline. */
  countedMs = 0;
  /** When each frame was filled in. */
  readonly filledMs: number[] = [];
  /** The timestamps of packets that do not directly follow. */
  readonly gapsMs: number[] = [];
  #tickMs = 0;

  /** Ticks come `tickPhaseMs` after packets are due. */
  constructor(packetMs = FRAME_MS, slackMs = 0, tickPhaseMs = 7) {
    this.#tickPhaseMs = tickPhaseMs;
    this.#packetMs = packetMs;
    this.#slackMs = slackMs;
  }

  /** Time passes; ticks come every 20 ms. */
  wait(untilMs: number): this {
    for (; this.#tickMs + this.#tickPhaseMs <= untilMs; this.#tickMs += FRAME_MS) {
      this.#tick(this.#tickMs + this.#tickPhaseMs);
    }
    this.nowMs = untilMs;
    return this;
  }

  /** Nothing runs until then: of the ticks, the last one comes late. */
  stall(untilMs: number): this {
    this.#tickMs = Math.floor(untilMs / FRAME_MS) * FRAME_MS;
    this.nowMs = untilMs;
    this.#tick(untilMs);
    this.#tickMs += FRAME_MS;
    return this;
  }

  /** Packets arrive at their time until `untilMs`, each late by what `lateMs` says. */
  send(untilMs: number, { isSpeech = false, isDtx = false, lateMs = (): number => 0 } = {}): this {
    for (let endMs = this.nowMs + this.#packetMs; endMs <= untilMs; endMs += this.#packetMs) {
      this.wait(Math.max(this.nowMs, endMs + lateMs())).packet(isSpeech, isDtx);
    }
    return this;
  }

  packet(isSpeech: boolean, isDtx = false): this {
    const timestampMs = Number(this.#unsent.packet(this.#packetMs, isDtx, this.countedMs, this.nowMs));
    if (!Number.isNaN(timestampMs) && timestampMs !== this.countedMs) {
      this.gapsMs.push(timestampMs);
      this.countedMs = timestampMs;
    }
    this.countedMs += this.#packetMs;
    for (let ms = 0; ms < this.#packetMs; ms += FRAME_MS) this.#unsent.classified(isSpeech);
    return this;
  }

  #tick(atMs: number): void {
    this.#unsent.tick(atMs);
    while (this.#unsent.takeFrame(this.#slackMs, this.countedMs, atMs)) {
      this.countedMs += FRAME_MS;
      this.#unsent.classified(false);
      this.filledMs.push(atMs);
    }
  }
}

const VOICED = { isSpeech: true };

describe("silence that a peer with DTX does not send", () => {
  test("is filled in after silence, each frame within one frame of when it would have come", () => {
    const line = new Line().send(400, VOICED).send(600).wait(900);
    expect(line.filledMs).toEqual(Array.from({ length: 14 }, (_, n) => 627 + 20 * n));
  });

  test("is filled in directly after a DTX packet", () => {
    expect(new Line().send(400, { isSpeech: true, isDtx: true }).wait(500).filledMs).toEqual([427, 447, 467, 487]);
  });

  test("is filled in by whole packets, so that the next packet continues it", () => {
    const line = new Line(60).send(600, VOICED).send(780).wait(960);
    expect(line.filledMs).toEqual([847, 847, 847, 907, 907, 907]);
    line.wait(960).packet(true);
    expect(line.countedMs).toBe(960);
    expect(line.gapsMs).toEqual([]);
  });

  test("is not filled in while the caller speaks: those packets are late", () => {
    const line = new Line().send(1_000, VOICED).wait(1_400);
    expect(line.filledMs).toEqual([]);
    for (let n = 0; n < 20; n += 1) line.packet(true);
    expect(line).toMatchObject({ countedMs: 1_400, gapsMs: [] });
  });

  test("is not filled in at a tick at which a packet is due", () => {
    const line = new Line(FRAME_MS, 0, 0).send(400).wait(420);
    expect(line.filledMs).toEqual([]);
    expect(line.wait(440).filledMs).toEqual([440]);
  });

  test("is not filled in while packets come in time, whatever their length", () => {
    for (const packetMs of [2.5, 5, 10, 20, 40, 60, 80, 100, 120]) {
      expect(new Line(packetMs).send(6_000).filledMs, `${packetMs} ms`).toEqual([]);
    }
  });

  test("is a gap where the caller was speaking, once it is longer than delays are", () => {
    expect(new Line().wait(330).send(1_000, VOICED).wait(1_450).send(1_600, VOICED).gapsMs).toEqual([]);
    expect(new Line().wait(330).send(990, VOICED).wait(1_490).send(1_600, VOICED).gapsMs).toEqual([1_160]);
  });

  test("is not filled in before the first packet", () => {
    expect(new Line().wait(2_000).filledMs).toEqual([]);
  });

  test(`is filled in for at most ${UNSENT_FRAMES_MAX} frames of a pause; the packet after a longer one gets a timestamp`, () => {
    const line = new Line().send(400).wait(1_600);
    expect(line.filledMs).toHaveLength(UNSENT_FRAMES_MAX);
    line.send(2_000, VOICED);
    expect(line.gapsMs).toEqual([1_600]);
    expect(line.countedMs).toBe(2_000);
  });

  test("is on the timeline where it was, also when the stream began late", () => {
    const line = new Line().wait(330).send(1_330).wait(1_930).send(2_330);
    expect(line.filledMs[0]).toBe(1_367);
    expect(line).toMatchObject({ countedMs: 2_000, gapsMs: [1_600] });
  });

  test("is not filled in at the tick after a stall of the event loop: packets may wait unread", () => {
    const line = new Line().send(400).stall(900);
    expect(line.filledMs).toEqual([]);
    for (let n = 0; n < 25; n += 1) line.packet(false);
    expect(line.send(1_500)).toMatchObject({ filledMs: [], countedMs: 1_500 });
  });

  test("is filled in later on a line with jitter, until there is a pause", () => {
    const random = new Random(4);
    const line = new Line().send(22_000, { lateMs: () => random.between(0, 40) });
    const mistaken = line.filledMs.length;
    expect(mistaken).toBeGreaterThan(0);
    expect(mistaken).toBeLessThanOrEqual(4);
    const pausedMs = line.nowMs;
    line.wait(pausedMs + 400);
    expect(line.filledMs.length).toBeGreaterThan(mistaken + 10);
  });
});
