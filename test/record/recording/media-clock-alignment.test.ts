import { describe, expect, test } from "vitest";
import { callMs, elapsedMs, type MediaMs, mediaMs } from "../../../src/core/clocks.ts";
import { FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import { Framer } from "../../../src/media/framer.ts";
import { MediaClockAlignment } from "../../../src/record/recording/media-clock-alignment.ts";
import { Random } from "../../support/random.ts";

/** A frame's time of speaking, its arrival and its media time. */
interface Frame {
  spokenMs: number;
  arrivalMs: number;
  mediaMs: MediaMs;
}

/** How far after the time it was spoken each frame is placed, ms. */
function placedLateMs(frames: readonly Frame[], hasMediaTime: boolean): number[] {
  const clock = new MediaClockAlignment(hasMediaTime);
  for (const { arrivalMs, mediaMs } of frames) clock.observe(callMs(arrivalMs), mediaMs);
  return frames.map(({ arrivalMs, mediaMs, spokenMs }) =>
    elapsedMs(callMs(spokenMs), clock.startMs(callMs(arrivalMs), mediaMs)),
  );
}

/** A peer without media time, as the gateway's framer receives it: every message has whole frames. */
class Undated {
  readonly frames: Frame[] = [];
  readonly #framer = new Framer({ frameSamples: 160, rateHz: 8_000, codec: "pcm_s16le", startMs: callMs(0) });
  readonly #random = new Random(1);
  #arrivalMs = 0;
  nowMs = 100;

  /**
   * Continues to speak, in messages of `messageMs`; each arrives `delayMs`, or up to 15 ms more, after its end, in
   * order.
   */
  speak(lengthMs: number, { messageMs = FRAME_MS, delayMs = 0 } = {}): this {
    for (const endMs = this.nowMs + lengthMs; this.nowMs < endMs; this.nowMs += messageMs) {
      const dueMs = this.nowMs + messageMs + delayMs + this.#random.between(0, 15);
      this.#arrivalMs = Math.max(this.#arrivalMs, dueMs);
      this.#message(messageMs);
    }
    return this;
  }

  /** Speaks, but until `untilMs` nothing arrives. */
  speakHeldUp(lengthMs: number): this {
    this.#arrivalMs = this.nowMs + lengthMs;
    return this.speak(lengthMs);
  }

  /** Sends nothing. */
  pause(lengthMs: number): this {
    this.nowMs += lengthMs;
    return this;
  }

  #message(messageMs: number): void {
    const count = messageMs * 8;
    const audio = { bytes: new Uint8Array(0), samples: new Int16Array(count), count, timestampMs: mediaMs(Number.NaN) };
    this.#framer.push(audio, callMs(this.#arrivalMs));
    for (let spokenMs = this.nowMs; this.#framer.next(); spokenMs += FRAME_MS) {
      this.frames.push({ spokenMs, arrivalMs: this.#arrivalMs, mediaMs: this.#framer.mediaMs });
    }
  }
}

/** The largest misplacement before and after the time of speaking. */
function misplaced(peer: Undated): { earlyMs: number; lateMs: number } {
  const late = placedLateMs(peer.frames, false);
  return { earlyMs: -Math.min(0, ...late), lateMs: Math.max(0, ...late) };
}

describe("the placement of the caller", () => {
  test.each([
    ["keeps the same time as ours", 0],
    ["is slow", 100e-6],
    ["is fast", -100e-6],
  ])("M11: of an hour of jittered frames none is out of place by more than 25 ms, where the peer's clock %s", (_, skew) => {
    const random = new Random(2);
    let arrivalMs = 0;
    const frames = Array.from({ length: 180_000 }, (_, index) => {
      const spokenMs = 500 + index * FRAME_MS * (1 + skew);
      arrivalMs = Math.max(arrivalMs, spokenMs + FRAME_MS + random.between(0, 1) ** 3 * 80);
      return { spokenMs, arrivalMs, mediaMs: mediaMs(index * FRAME_MS) };
    });
    for (const hasMediaTime of [true, false]) {
      const worstMs = placedLateMs(frames, hasMediaTime).reduce((worst, late) => Math.max(worst, Math.abs(late)), 0);
      expect(worstMs).toBeLessThanOrEqual(25);
    }
  });

  test("frames with jitter follow each other without a gap", () => {
    const random = new Random(3);
    const frames = Array.from({ length: 30_000 }, (_, index) => {
      const spokenMs = 500 + index * FRAME_MS;
      return { spokenMs, arrivalMs: spokenMs + FRAME_MS + random.between(0, 60), mediaMs: mediaMs(index * FRAME_MS) };
    });
    expect(new Set(placedLateMs(frames, true).map((late) => late.toFixed(6))).size).toBe(1);
  });

  test.each([
    60, 90, 150, 300, 450, 700, 900, 5_000,
  ])("speech after pauses of %i ms in which nothing is sent, repeated, is placed where it arrived", (pauseMs) => {
    const peer = new Undated();
    for (let spurt = 0; spurt < 200; spurt += 1) peer.speak(400).pause(pauseMs);
    const { earlyMs, lateMs } = misplaced(peer);
    expect(Math.max(earlyMs, lateMs)).toBeLessThanOrEqual(35);
  });

  test("a microphone that was muted for an hour leaves an hour of silence", () => {
    const { earlyMs, lateMs } = misplaced(new Undated().speak(3_000).pause(3_600_000).speak(3_000));
    expect(Math.max(earlyMs, lateMs)).toBeLessThanOrEqual(35);
  });

  test("messages of up to a second are no pauses", () => {
    for (const messageMs of [40, 100, 240, 500, 1_000]) {
      const { earlyMs, lateMs } = misplaced(
        new Undated().speak(20_000, { messageMs }).pause(700).speak(5_000, { messageMs }),
      );
      expect(Math.max(earlyMs, lateMs)).toBeLessThanOrEqual(35);
    }
  });

  test.each([
    240, 700, 1_500, 10_000,
  ])("a network stall of %i ms is no pause, also where media time contains one", (stallMs) => {
    const peer = new Undated().speak(4_000).speakHeldUp(stallMs).speak(2_000).pause(900).speak(2_000);
    // Two stalls in a row, and a pause right after them.
    peer.speakHeldUp(stallMs).speak(40).speakHeldUp(stallMs).pause(400).speak(6_000);
    const { earlyMs, lateMs } = misplaced(peer);
    expect(Math.max(earlyMs, lateMs)).toBeLessThanOrEqual(35);
  });

  test("nor are frames that a slow line delivers with a growing delay", () => {
    // Delayed for three seconds, then a fifth faster than real time: it has caught up after 18.
    let arrivalMs = 0;
    const frames = Array.from({ length: 2_000 }, (_, index) => {
      const spokenMs = 500 + index * FRAME_MS;
      const onItsWayMs = index < 200 ? 0 : Math.max(7_500, arrivalMs + FRAME_MS / 1.2);
      arrivalMs = Math.max(spokenMs + FRAME_MS, onItsWayMs);
      return { spokenMs, arrivalMs, mediaMs: mediaMs(index * FRAME_MS) };
    });
    for (const hasMediaTime of [true, false]) {
      expect(new Set(placedLateMs(frames, hasMediaTime).map(Math.round))).toEqual(new Set([0]));
    }
  });

  test("a longer network path moves all later frames, once", () => {
    const peer = new Undated().speak(5_000).speak(60_000, { delayMs: 60 });
    const late = placedLateMs(peer.frames, false);
    expect(Math.max(...late.slice(0, 250))).toBeLessThanOrEqual(20);
    expect(new Set(late.map((each) => Math.round(each / 40))).size).toBe(2);
  });

  test("a frame that was never observed has no place", () => {
    expect(new MediaClockAlignment(true).startMs(callMs(100), mediaMs(0))).toBeNaN();
  });
});
