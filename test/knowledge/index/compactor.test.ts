import { expect, test } from "vitest";
import {
  INDEX_COMPACT_DELAY_MS,
  INDEX_COMPACT_MS_MAX,
  INDEX_COMPACT_REST,
} from "../../../src/core/limits/knowledge/retrieval.ts";
import { Compactor } from "../../../src/knowledge/index/compactor.ts";
import { ManualClock } from "../../support/manual-clock.ts";

function scene({ tookMs = 0 } = {}) {
  const clock = new ManualClock();
  const state = { isCompact: true, count: 0, fails: false };
  const writer = {
    get isCompact() {
      return state.isCompact;
    },
    compactOne() {
      state.count += 1;
      if (state.fails) throw new Error("the disk is full");
      clock.advance(tookMs);
      state.isCompact = true;
    },
  };
  const failures: unknown[] = [];
  const compactor = new Compactor({ writer, clock, onFailed: (error) => failures.push(error) });
  /** A change each 100 ms. With `removes`, each removes something. */
  const keepChanging = (forMs: number, removes = false): void => {
    for (let ms = 0; ms < forMs; ms += 100) {
      if (removes) state.isCompact = false;
      compactor.changed();
      clock.advance(100);
    }
  };
  return { clock, state, compactor, failures, keepChanging };
}

test("words are overwritten a little after the last change", () => {
  const { clock, state, compactor } = scene();
  compactor.changed();
  clock.advance(INDEX_COMPACT_MS_MAX);
  expect(state.count).toBe(0);
  state.isCompact = false;
  compactor.changed();
  clock.advance(INDEX_COMPACT_DELAY_MS - 1);
  expect(state.count).toBe(0);
  clock.advance(1);
  expect(state.count).toBe(1);
});

test("while changes keep coming, words are overwritten within a bounded time", () => {
  const { state, keepChanging } = scene();
  state.isCompact = false;
  keepChanging(INDEX_COMPACT_MS_MAX - 100);
  expect(state.count).toBe(0);
  keepChanging(200);
  expect(state.count).toBe(1);
});

test("what takes long is done seldom", () => {
  const tookMs = 5_000;
  const { state, keepChanging } = scene({ tookMs });
  keepChanging(60_000, true);
  expect(state.count).toBeGreaterThan(1);
  expect(state.count).toBeLessThanOrEqual(1 + 60_000 / (tookMs * INDEX_COMPACT_REST));
});

test("what has failed is done again", () => {
  const { clock, state, compactor } = scene();
  state.isCompact = false;
  state.fails = true;
  compactor.changed();
  clock.advance(INDEX_COMPACT_DELAY_MS);
  state.fails = false;
  clock.advance(INDEX_COMPACT_MS_MAX - 1);
  expect(state.count).toBe(1);
  clock.advance(1);
  expect(state.count).toBe(2);
  expect(state.isCompact).toBe(true);
});

test("failures are reported once, until one has succeeded", () => {
  const { clock, state, compactor, failures } = scene();
  const fail = (): void => {
    [state.isCompact, state.fails] = [false, true];
    compactor.changed();
    clock.advance(3 * INDEX_COMPACT_MS_MAX);
  };
  fail();
  expect([state.count, failures.length]).toEqual([3, 1]);
  state.fails = false;
  clock.advance(INDEX_COMPACT_MS_MAX);
  fail();
  expect(failures).toHaveLength(2);
});
