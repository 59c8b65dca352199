import { expect, test } from "vitest";
import { providerFailed } from "../../src/core/errors.ts";
import { PROVIDER_FAILURES_MAX, PROVIDER_PROBE_MS } from "../../src/core/limits.ts";
import type { ProviderLine } from "../../src/speech/provider-line.ts";
import { isOfRequest, refusalFrom, retryWaitMs, SILENCE } from "../../src/speech/refusal.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { lineFor } from "../support/provider-lines.ts";

const FAILURE = providerFailed("scripted", "failed as scripted");

/** One stream after the other fails, until none may be opened. */
function failUntilShut(line: ProviderLine): number {
  let failures = 0;
  for (let passage = line.enter(); passage !== undefined; passage = line.enter()) {
    passage.failed(FAILURE);
    passage.leave();
    failures += 1;
  }
  return failures;
}

test("P15: a provider that fails again and again is left alone, probed now and then, and back with its first answer", () => {
  const clock = new ManualClock();
  const { line, told } = lineFor("model", "scripted", clock);
  expect(failUntilShut(line)).toBe(PROVIDER_FAILURES_MAX);
  clock.advance(PROVIDER_PROBE_MS - 1);
  expect(line.mayEnter).toBe(false);
  expect(line.refusal()).toMatchObject({ code: "provider_failed", message: "scripted: is left alone for now" });
  clock.advance(1);
  const failing = line.enter();
  expect(line.enter()).toBeUndefined();
  failing?.failed(FAILURE);
  failing?.leave();
  clock.advance(PROVIDER_PROBE_MS);
  // A probe that tells nothing at all does not stand in the way of the next.
  const hanging = line.enter();
  expect(line.enter()).toBeUndefined();
  clock.advance(PROVIDER_PROBE_MS);
  line.enter()?.answered();
  expect(line.mayEnter).toBe(true);
  hanging?.leave();
  const failures = Array.from({ length: PROVIDER_FAILURES_MAX }, () => "provider_failed");
  expect(told).toEqual(["known", ...failures, "left alone", "provider_failed", "answers again"]);
});

test("streams that fail together are one failure, and an answer makes all before it forgotten", () => {
  const { line, told } = lineFor("voice", "scripted", new ManualClock());
  const together = Array.from({ length: 10 }, () => line.enter());
  for (const passage of together) passage?.failed(FAILURE);
  expect(line.mayEnter).toBe(true);
  expect(told.filter((what) => what === "provider_failed")).toHaveLength(10);
  line.enter()?.answered();
  expect(failUntilShut(line)).toBe(PROVIDER_FAILURES_MAX);
});

test("what a stream from before a failure tells says nothing of the provider since", () => {
  const { line } = lineFor("voice", "scripted", new ManualClock());
  const before = line.enter();
  for (let failure = 1; failure < PROVIDER_FAILURES_MAX; failure += 1) line.enter()?.failed(FAILURE);
  before?.answered();
  line.enter()?.failed(FAILURE);
  expect(line.mayEnter).toBe(false);
  before?.answered();
  expect(line.mayEnter).toBe(false);
});

test("a provider that refuses what it is asked is well", () => {
  const { line } = lineFor("model", "scripted", new ManualClock());
  for (let request = 0; request < 10; request += 1) {
    line.enter()?.failed(providerFailed("scripted", "refused with 400", refusalFrom(400)));
  }
  expect(line.mayEnter).toBe(true);
});

test("a provider has no more streams at once than it may have, and a place that was left is free, once", () => {
  const { line } = lineFor("ear", "scripted", new ManualClock(), 2);
  const first = line.enter();
  line.enter();
  expect(line.enter()).toBeUndefined();
  expect(line.refusal().message).toBe("scripted: has all the streams that it may have");
  first?.leave();
  first?.leave();
  expect(line.enter()).toBeDefined();
  expect(line.enter()).toBeUndefined();
});

test.each<[name: string, cause: unknown, waitMs: number | undefined, ofRequest: boolean]>([
  ["P8: a connection that failed is tried again at once", undefined, 0, false],
  ["P8: a 429 after what it asks for", refusalFrom(429, "2"), 2_000, false],
  ["P8: a 503 that says no time after one of ours", refusalFrom(503), 250, false],
  ["P8: a 529 whose time is nonsense likewise", refusalFrom(529, "soon"), 250, false],
  ["P8: a 400 never", refusalFrom(400), undefined, true],
  ["P16: a 401 never", refusalFrom(401), undefined, false],
  ["P8: a redirection never", refusalFrom(301), undefined, false],
  ["P2: one that was silent never: that time is gone", SILENCE, undefined, false],
])("%s", (_name, cause, waitMs, ofRequest) => {
  const error = providerFailed("scripted", "failed", cause);
  expect([retryWaitMs(error), isOfRequest(error)]).toEqual([waitMs, ofRequest]);
});
