import { describe, expect, test } from "vitest";
import { callMs, mediaMs } from "../../../src/core/clocks.ts";
import {
  BACKLOG_DRAIN_MS_MAX,
  BACKLOG_MS_MAX,
  INBOUND_STALL_MS_MAX,
} from "../../../src/core/limits/streams/caller-audio.ts";
import { StaleAudioDetector } from "../../../src/gateway/leg/stale-audio.ts";

/** A carrier whose stream began at 1,000 ms of call time and has sent a second of audio in time. */
function running(): StaleAudioDetector {
  const backlog = new StaleAudioDetector();
  for (let atMs = 0; atMs < 1_000; atMs += 20) expect(backlog.isStale(mediaMs(atMs), callMs(1_000 + atMs))).toBe(false);
  return backlog;
}

/**
 * Audio spoken from `fromMs` to `untilMs` arrives all at once at its end; returns when the accepted audio was spoken.
 */
function takenAfterStall(backlog: StaleAudioDetector, fromMs: number, untilMs: number): number[] {
  const taken: number[] = [];
  for (let atMs = fromMs; atMs < untilMs; atMs += 20) {
    if (!backlog.isStale(mediaMs(atMs), callMs(1_000 + untilMs))) taken.push(atMs);
  }
  return taken;
}

describe("audio that a stall held up", () => {
  test("is used completely where it can be made up for", () => {
    expect(takenAfterStall(running(), 1_000, 1_000 + INBOUND_STALL_MS_MAX)).toHaveLength(INBOUND_STALL_MS_MAX / 20);
  });

  test("is dropped as far as it is stale, and what is spoken after it is used", () => {
    const backlog = running();
    const taken = takenAfterStall(backlog, 1_000, 41_000);
    expect([taken[0], taken.length]).toEqual([41_000 - INBOUND_STALL_MS_MAX, INBOUND_STALL_MS_MAX / 20]);
    expect(takenAfterStall(backlog, 41_000, 41_100)).toHaveLength(5);
    expect(takenAfterStall(backlog, 41_100, 81_100)).toHaveLength(INBOUND_STALL_MS_MAX / 20);
  });

  test("C6: without a timestamp, or with one that is no number, no audio is stale", () => {
    const backlog = running();
    for (const timestampMs of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      expect(backlog.isStale(mediaMs(timestampMs), callMs(1e9))).toBe(false);
    }
    expect(backlog.isStale(mediaMs(1_000), callMs(2_000))).toBe(false);
  });
});

describe("C6: a carrier's clock that is set", () => {
  test.each([
    ["an hour ahead", 3_600_000],
    ["an hour back", -3_600_000],
    ["back by more than any backlog", -(BACKLOG_MS_MAX + 1)],
    ["back by a little", -INBOUND_STALL_MS_MAX],
  ])("%s costs no audio", (_, byMs) => {
    const backlog = running();
    for (let atMs = 1_000; atMs < 5_000; atMs += 20)
      expect(backlog.isStale(mediaMs(atMs + byMs), callMs(1_000 + atMs))).toBe(false);
  });

  test("back by as much as a stall costs two seconds", () => {
    const backlog = running();
    let dropped = 0;
    for (let atMs = 1_000; atMs < 10_000; atMs += 20)
      if (backlog.isStale(mediaMs(atMs - 30_000), callMs(1_000 + atMs))) dropped += 1;
    expect(dropped).toBe(BACKLOG_DRAIN_MS_MAX / 20);
  });

  test("to and fro by an hour for one message costs none", () => {
    const backlog = running();
    expect(backlog.isStale(mediaMs(3_601_000), callMs(2_000))).toBe(false);
    expect(backlog.isStale(mediaMs(1_020), callMs(2_020))).toBe(false);
    expect(backlog.isStale(mediaMs(1_040), callMs(2_040))).toBe(false);
  });
});
