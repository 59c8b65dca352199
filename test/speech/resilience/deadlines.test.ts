// @module-tag llm
// @module-tag tts

import { strict as assert } from "node:assert";
import { expect, test } from "vitest";
import { DEFAULT_TURN_PARAMETERS } from "../../../src/call/parameters.ts";
import { LLM_FIRST_TOKEN_MS_MAX, LLM_IDLE_MS_MAX } from "../../../src/core/limits/speech-providers/llm.ts";
import { PROVIDER_FIRST_OUTPUT_MS_MAX } from "../../../src/core/limits/speech-providers/providers.ts";
import { TTS_FIRST_AUDIO_MS_MAX } from "../../../src/core/limits/speech-providers/tts.ts";
import { withPolicy } from "../../../src/speech/resilience/policy.ts";
import { TIMED_OUT } from "../../../src/speech/resilience/provider-error.ts";
import { ManualClock, sleep } from "../../support/manual-clock.ts";
import { breakerFor } from "../../support/providers/breakers.ts";

/** Yields `items`, each after its delay in ms, and then hangs; 0 stands for an item without content. */
function source(clock: ManualClock, items: readonly (readonly [afterMs: number, value: number])[], hangs = true) {
  const seen = { aborted: false };
  async function* start(signal: AbortSignal): AsyncGenerator<number> {
    signal.addEventListener("abort", () => (seen.aborted = true), { once: true });
    for (const [afterMs, value] of items) {
      await sleep(clock, afterMs, signal);
      if (signal.aborted) return;
      yield value;
    }
    if (hangs) await sleep(clock, 3_600_000, signal);
  }
  return { start, seen };
}

/** One attempt at the source, with 300 ms to the first item, 200 ms to each other one, and 1,000 ms in all. */
function request(clock: ManualClock, { start }: ReturnType<typeof source>, signal: AbortSignal): AsyncIterable<number> {
  const deadlines = { clock, firstContentMs: 300, idleMs: 200, totalMs: 1_000, isContent: (item: number) => item > 0 };
  const provider = { provider: "scripted", send: (_request: string, attempt: AbortSignal) => start(attempt) };
  const permit = breakerFor("llm", "scripted", clock).circuitBreaker.tryAcquire();
  assert.ok(permit !== undefined);
  return withPolicy(provider, { deadlines }).request("", signal, undefined, { permit, ...deadlines });
}

async function read(clock: ManualClock, from: ReturnType<typeof source>, pauseMs = 0) {
  const got: number[] = [];
  const abortController = new AbortController();
  const run = async (): Promise<unknown> => {
    try {
      for await (const item of request(clock, from, abortController.signal)) {
        got.push(item);
        if (pauseMs > 0) await sleep(clock, pauseMs, abortController.signal);
      }
      return undefined;
    } catch (error) {
      return error;
    }
  };
  const error = await clock.drive(run());
  return { got, error, atMs: clock.nowMs() };
}

test.each<[name: string, items: readonly (readonly [number, number])[], got: number[], message: string, atMs: number]>([
  ["P2: items that never begin", [], [], "did not start in time", 300],
  ["P3: items that stall", [[100, 1]], [1], "stalled", 300],
  [
    "P4: items without content",
    [
      [200, 0],
      [150, 0],
      [150, 0],
    ],
    [0],
    "did not start in time",
    300,
  ],
  ["P6: items that drip", Array.from({ length: 20 }, () => [150, 1]), [1, 1, 1, 1, 1, 1], "stalled", 1_000],
])("%s is given up", async (_name, items, got, message, atMs) => {
  const clock = new ManualClock();
  const drip = source(clock, items as readonly (readonly [number, number])[]);
  const outcome = await read(clock, drip);
  expect(outcome.error).toMatchObject({ code: "provider_failed", message: `scripted: ${message}`, cause: TIMED_OUT });
  expect([outcome.got, outcome.atMs, drip.seen.aborted]).toEqual([got, atMs, true]);
});

test("items in time pass through completely, and no timer remains", async () => {
  const clock = new ManualClock();
  const { got, error } = await read(
    clock,
    source(
      clock,
      [
        [250, 1],
        [150, 2],
        [150, 3],
      ],
      false,
    ),
  );
  expect([got, error, clock.pending]).toEqual([[1, 2, 3], undefined, 0]);
});

test("a slow reader causes no timeout", async () => {
  const clock = new ManualClock();
  const { got, error } = await read(
    clock,
    source(
      clock,
      [
        [10, 1],
        [10, 2],
        [10, 3],
      ],
      false,
    ),
    5_000,
  );
  expect([got, error]).toEqual([[1, 2, 3], undefined]);
});

test("an abort ends the items and their source", async () => {
  const clock = new ManualClock();
  const abortController = new AbortController();
  const from = source(clock, [[10, 1]]);
  const got: number[] = [];
  const run = (async () => {
    for await (const item of request(clock, from, abortController.signal)) got.push(item);
  })();
  await clock.play(20);
  abortController.abort();
  await run;
  expect([got, from.seen.aborted, clock.pending]).toEqual([[1], true, 0]);
});

test("a provider times out before the call's own deadline for the stage, early enough for a fallback", () => {
  const { llmSilenceMs, ttsSilenceMs } = DEFAULT_TURN_PARAMETERS;
  const callsMs = Math.min(llmSilenceMs, ttsSilenceMs);
  expect(Math.max(PROVIDER_FIRST_OUTPUT_MS_MAX, LLM_IDLE_MS_MAX)).toBeLessThan(callsMs);
  expect(2 * Math.max(LLM_FIRST_TOKEN_MS_MAX, TTS_FIRST_AUDIO_MS_MAX)).toBeLessThan(PROVIDER_FIRST_OUTPUT_MS_MAX);
});
